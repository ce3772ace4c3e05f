/* err.h - an error: a complete message, and the errno behind it.
 *
 * The lib never prints and never exits. A function that can fail takes a `struct pt_err *`; on
 * failure it fills it and returns -1 (or NULL), on success it leaves it untouched. Callers prepend
 * their context to the message:
 *
 *     if (read_header(f, e) < 0)
 *         // "fio.data: header: magic is not PERFILE2"
 *         return pt_err_context(e, "%s: header", path);
 *
 * `e` may be NULL in all these functions; then only the return value tells. The struct owns no
 * memory. */
#ifndef PT_BASE_ERR_H
#define PT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

struct pt_err {
	/* the errno of the failure, 0 if none; callers look at EPIPE, ENOSPC, EACCES, EPERM */
	int sys;
	char msg[2048];		/* no newline at the end; longer messages are truncated */
};

#define PT_ERR_INIT { .sys = 0, .msg = "" }

/* All of these return -1, for `return pt_err_set(e, ...)`. */
int pt_err_set(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends ": " and the text of the errno value `sys`, and stores `sys`. */
int pt_err_sys(struct pt_err *e, int sys, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prepends the text and ": " to the message. */
int pt_err_context(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Keeps the first of several errors: `first` has no message before it. */
static inline void pt_err_first(struct pt_err *first, const struct pt_err *e)
{
	if (!*first->msg)
		*first = *e;
}
/* Appends text to the message, for advice: "; run `...` to allow it". */
int pt_err_advice(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
