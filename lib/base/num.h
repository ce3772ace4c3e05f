/* num.h - numbers, sizes, times and lists as people type them. All take the whole string or fail
 * with a message that quotes it. */
#ifndef PT_BASE_NUM_H
#define PT_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Decimal, 0x hexadecimal; between min and max. */
int pt_num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct pt_err *e);
/* Bytes, with B, K, M, G (powers of 1024) behind it. */
int pt_num_size(const char *s, uint64_t max, uint64_t *len_bytes, struct pt_err *e);
/* Seconds with up to nine decimals, or a number with ns, us, ms, s, m, h: -> nanoseconds. */
int pt_num_seconds(const char *s, uint64_t *time_ns, struct pt_err *e);
/* The same, but a bare number is milliseconds. */
int pt_num_msec(const char *s, uint64_t *time_ns, struct pt_err *e);
/* A finite number (strtod in the C locale). */
int pt_num_double(const char *s, double *v, struct pt_err *e);
/* "0-3,7": a sorted list without doubles, released by free(). Numbers up to max; at most 65,536 of
 * them. */
int pt_num_list(const char *s, uint64_t max, int **list, size_t *nr, struct pt_err *e);
/* The same of a small file, which is read at once. */
int pt_num_list_file(const char *path, uint64_t max, int **list, size_t *nr, struct pt_err *e);
/* The same, added to a sorted list that is there. */
int pt_num_list_more(const char *s, uint64_t max, int **list, size_t *nr, struct pt_err *e);
void pt_num_list_join(int **list, size_t *nr, const int *more, size_t nr_more);
extern const uint8_t pt_hex_digits[256];	/* by character: the digit and 1; 0: it is none */
/* -1: it is none. */
static inline int pt_hex_digit(char c)
{
	return pt_hex_digits[(unsigned char)c] - 1;
}

bool pt_num_list_has(const int *list, size_t nr, int v);
/* The number with separators: 1,234,567. */
struct pt_num_text { char text[32]; };
struct pt_num_text pt_num_grouped(uint64_t v);
/* of ints and of uint64_t, for qsort and bsearch */
int pt_num_compare(const void *a, const void *b);
int pt_num_compare_u64(const void *a, const void *b);

#endif
