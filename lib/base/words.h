/* words.h - lists of words, and fixed sets of them, each for a number: arguments of options.
 *
 *     const struct pt_word themes[] = { PT_WORD("auto", AUTO), PT_WORD("dark", DARK), { 0 } };
 *     if (pt_word_value(themes, "dark", &v, e) < 0) ...   // "'x' is none of auto, dark"
 */
#ifndef PT_BASE_WORDS_H
#define PT_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_strs { const char **v; size_t nr, cap; };
/* The string stays the caller's. */
void pt_strs_add(struct pt_strs *list, const char *s);
/* Adds the words of "a,b", each a copy. */
void pt_strs_split(struct pt_strs *list, const char *text);
/* Of a list whose strings are its own. */
void pt_strs_deinit(struct pt_strs *list);

struct pt_word {
	const char *name;		/* NULL: the end */
	int value;
	bool other;			/* another name of a value: the error does not list it */
};
#define PT_WORD(name_, value_) { .name = (name_), .value = (value_) }
#define PT_WORD_ALSO(name_, value_) { .name = (name_), .value = (value_), .other = true }

/* -1: the word is none of them. */
int pt_word_value(const struct pt_word *words, const char *word, int *value, struct pt_err *e);
/* "a,b": adds the bits that are their values. */
int pt_word_bits(const struct pt_word *words, const char *text, uint64_t *bits, struct pt_err *e);

#endif
