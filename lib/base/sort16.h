/* sort16.h - sorts many pairs of two 64-bit words by the first, keeping the order of equal ones: a
 * byte at a time, only the bytes that differ, and not at all what is sorted already. For tables of
 * symbols: n log n comparisons through a function cost more than all else about them. */
#ifndef PT_BASE_SORT16_H
#define PT_BASE_SORT16_H

#include <stddef.h>

/* `v`: nr items of 16 bytes, aligned to 8, the key in the first 8. */
void pt_sort16(void *v, size_t nr);

#endif
