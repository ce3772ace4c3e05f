/* scan.h - where a few bytes stand among many, at the speed of memory: for sections of hundreds of
 * megabytes, where memmem() takes five times as long.
 *
 *     struct pt_scan s = pt_scan("abcd", 4);
 *     for (at = data; (at = pt_scan_next(&s, at, end)); at++) ... */
#ifndef PT_BASE_SCAN_H
#define PT_BASE_SCAN_H

#include <stddef.h>
#include <stdint.h>

struct pt_scan {
	const uint8_t *what;		/* the caller's */
	/* two of its bytes that are rather rare: these are looked for */
	size_t len, first, second;
};

struct pt_scan pt_scan(const void *what, size_t len);	/* len: at least 1 */
/* The first one that lies whole within [at, end); NULL: there is none. */
const uint8_t *pt_scan_next(const struct pt_scan *s, const uint8_t *at, const uint8_t *end);

#endif
