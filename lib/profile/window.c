#include "profile/window.h"

#include <stdlib.h>

#include "base/mem.h"

struct pt_window {
	struct pt_fold **turns;		/* a ring; NULL: nothing came in it */
	size_t nr, now;
	bool forgets;
};

struct pt_window *pt_window_new(size_t turns)
{
	struct pt_window *w = pt_alloc(sizeof(*w));

	w->forgets = turns;
	w->nr = turns ? turns : 1;
	w->turns = pt_alloc_array(w->nr, sizeof(struct pt_fold *));
	return w;
}

void pt_window_free(struct pt_window *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr; i++)
		pt_fold_free(w->turns[i]);
	free(w->turns);
	free(w);
}

void pt_window_add(struct pt_window *w, const char *keys, const void *const *places, size_t nr,
		   uint64_t period)
{
	struct pt_fold **now = &w->turns[w->now];

	if (!*now)
		*now = pt_fold_new();
	pt_fold_add(*now, keys, (const char *const *)places, nr, period);
}

void pt_window_turn(struct pt_window *w)
{
	if (!w->forgets)
		return;
	w->now = (w->now + 1) % w->nr;
	pt_fold_free(w->turns[w->now]);
	w->turns[w->now] = NULL;
}

bool pt_window_each(const struct pt_window *w, struct pt_window_place *at,
		    struct pt_fold_entry *entry)
{
	for (; at->turn < w->nr; at->turn++, at->entry = 0)
		if (w->turns[at->turn] && pt_fold_each(w->turns[at->turn], &at->entry, entry))
			return true;
	return false;
}
