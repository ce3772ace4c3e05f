/* test.h - unit tests: one program a file tests/unit/t-NAME.c, one function a test.
 *
 *     #include "test.h"
 *     TEST(adds) { CHECK_INT(1 + 1, 2); }
 *     TEST(needs_root) { if (getuid()) SKIP("not root"); ... }
 *
 * `t-NAME` runs all its tests, `t-NAME adds` one. A line a test on stdout, which tests/run counts:
 *     ok t-NAME/adds     |     SKIP t-NAME/needs_root: not root     |     FAIL t-NAME/adds: t-NAME.c:3: 1 + 1 is 3, not 2
 * A failed check ends its test. Exit status 1 when one failed. */
#ifndef PT_TEST_H
#define PT_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pt_test {
	const char *name;
	void (*run)(void);
	struct pt_test *next;
};

void pt_test_add(struct pt_test *t);
void pt_test_fail(const char *file, int line, const char *fmt, ...) __attribute__((noreturn, format(printf, 3, 4)));
void pt_test_skip(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* A copy of the bytes that ends at an unmapped page, so that a read behind it crashes; the start is as aligned as len allows.
 * Freed when the test ends. */
void *pt_test_guarded(const void *p, size_t len);
/* A scratch directory of this test, removed when it ends. */
const char *pt_test_dir(void);
bool pt_test_sanitized(void);

#define TEST(n)                                                                        \
	static void test_##n(void);                                                    \
	static struct pt_test entry_##n = { #n, test_##n, NULL };                      \
	static void __attribute__((constructor)) add_##n(void) { pt_test_add(&entry_##n); } \
	static void test_##n(void)

#define SKIP(...) pt_test_skip(__VA_ARGS__)
#define FAIL(...) pt_test_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond)                                                                    \
	do {                                                                           \
		if (!(cond))                                                           \
			FAIL("%s does not hold", #cond);                               \
	} while (0)
#define CHECK_INT(got, want)                                                           \
	do {                                                                           \
		long long got_ = (long long)(got), want_ = (long long)(want);          \
		if (got_ != want_)                                                     \
			FAIL("%s is %lld, not %lld", #got, got_, want_);               \
	} while (0)
#define CHECK_STR(got, want)                                                           \
	do {                                                                           \
		const char *got_ = (got), *want_ = (want);                             \
		if (!got_ || strcmp(got_, want_))                                      \
			FAIL("%s is \"%s\", not \"%s\"", #got, got_ ? got_ : "(null)", want_); \
	} while (0)
/* The text holds the part. */
#define CHECK_HAS(got, part)                                                           \
	do {                                                                           \
		const char *got_ = (got), *part_ = (part);                             \
		if (!got_ || !strstr(got_, part_))                                     \
			FAIL("%s is \"%s\", without \"%s\"", #got, got_ ? got_ : "(null)", part_); \
	} while (0)
#define CHECK_MEM(got, want, len)                                                      \
	do {                                                                           \
		if (memcmp((got), (want), (len)))                                      \
			FAIL("%s is not the bytes wanted", #got);                      \
	} while (0)

#endif
