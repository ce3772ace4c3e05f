/* search.h - binary search in a sorted table.
 *
 *     // behind the last entry that starts at addr or in front
 *     size_t past = PT_LEADING(t->nr, i, t->v[i].start <= addr);
 *     return past && addr < t->v[past - 1].end ? &t->v[past - 1] : NULL;
 *
 * PT_LEADING(nr, i, holds): of nr entries, how many in front of the first for which `holds` is
 * false; it is true of all up to there and of none behind. `i` names the entry's index within
 * `holds`, which is evaluated about log2(nr) times. */
#ifndef PT_BASE_SEARCH_H
#define PT_BASE_SEARCH_H

#include <stddef.h>

#define PT_LEADING(nr, i, holds)                                \
	({                                                      \
		size_t lo_ = 0, hi_ = (nr);                     \
		while (lo_ < hi_) {                             \
			size_t i = lo_ + (hi_ - lo_) / 2;       \
			if (holds)                              \
				lo_ = i + 1;                    \
			else                                    \
				hi_ = i;                        \
		}                                               \
		lo_;                                            \
	})

#endif
