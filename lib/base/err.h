/* err.h - one error: a whole message, and what kind of failure it was.
 *
 * The lib never prints and never exits: a function that can fail takes a `struct pt_err *`, fills
 * it and returns -1 (or NULL). On success it leaves the error untouched. Callers put their context
 * in front of the message on its way up:
 *
 *     if (read_header(f, e) < 0)
 *         // "fio.data: header: magic is not PERFILE2"
 *         return pt_err_context(e, "%s: header", path);
 *
 * `e` may be NULL in all of these: then only the return value tells. The struct owns no memory: no
 * deinit. */
#ifndef PT_BASE_ERR_H
#define PT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

struct pt_err {
	/* errno behind it, 0 if none: EPIPE, ENOSPC, EACCES, EPERM matter to callers */
	int sys;
	char msg[2048];		/* no newline at the end; a longer message is cut */
};

#define PT_ERR_INIT { .sys = 0, .msg = "" }

/* All return -1, so that `return pt_err_set(e, ...)` is the way out. */
int pt_err_set(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As above, with ": " and the text of errno value `sys` at the end; keeps `sys`. */
int pt_err_sys(struct pt_err *e, int sys, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts the text and ": " in front of what is there. */
int pt_err_context(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts text behind what is there (advice: "; run `...` to allow it"). */
int pt_err_advice(struct pt_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
