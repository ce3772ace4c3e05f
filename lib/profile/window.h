/* window.h - the stacks of the last turns (say, refreshes of a screen): what came in older ones is
 * forgotten.
 *
 *     struct pt_window *w = pt_window_new(5);             // 0: nothing is forgotten
 *     pt_window_add(w, keys, places, nr, period) ...
 *     pt_window_turn(w);                                  // the next turn begins
 *     struct pt_window_place at = { 0, 0 };
 *     while (pt_window_each(w, &at, &entry)) ...
 *     pt_window_free(w);
 */
#ifndef PT_PROFILE_WINDOW_H
#define PT_PROFILE_WINDOW_H

#include "stack/fold.h"

struct pt_window;
struct pt_window *pt_window_new(size_t turns);
void pt_window_free(struct pt_window *w);
/* As pt_profile_add(). */
void pt_window_add(struct pt_window *w, const char *keys, const void *const *places, size_t nr,
		   uint64_t period);
void pt_window_turn(struct pt_window *w);
/* Each stack of each turn: one stack may come several times. Good until the next call of another
 * function here. */
struct pt_window_place { size_t turn, entry; };
bool pt_window_each(const struct pt_window *w, struct pt_window_place *at,
		    struct pt_fold_entry *entry);

#endif
