/* text.h - a call as a line of strace's: NAME(ARGUMENTS) = RESULT.
 *
 * Strings come from other processes: what is not printable is escaped as in C. */
#ifndef PT_SYSCALL_TEXT_H
#define PT_SYSCALL_TEXT_H

#include "base/buf.h"
#include "syscall/call.h"
#include "syscall/spec.h"

struct pt_text {
	struct pt_buf *out;
	const struct pt_call *call;
	uint16_t text_max;		/* of strings, the rest is ... */
	bool names;			/* -N: name=value */
	/* -y: adds the path of a descriptor, in <>; NULL: not asked for */
	void (*fd)(void *ctx, struct pt_text *t, int fd);
	void *ctx;
	bool in_result;			/* that descriptor is the call's result */
	/* once parsed: by slot of the call, by the type's place among all */
	struct pt_spec *specs[PT_CALL_SLOTS], **members;
};

void pt_text_deinit(struct pt_text *t);

/* NAME(ARGUMENTS); without the result. */
void pt_text_call(struct pt_text *t);
/* " = RESULT" with the name of an error, and a note. */
void pt_text_result(struct pt_text *t);
/* "SIGCHLD {si_signo=...}" */
void pt_text_signal(struct pt_text *t);
/* "SIGCHLD", with the prefix SIG. */
void pt_text_signal_name(struct pt_buf *b, int signal, const char *prefix);
/* "exited with 0", "killed by SIGKILL" */
void pt_text_exit(struct pt_buf *b, int64_t status);
/* In quotes, with ... if it is cut. */
void pt_text_quoted(struct pt_buf *b, const uint8_t *s, size_t len, bool cut);

/* NULL, or as %#llx. */
void pt_text_address(struct pt_buf *b, uint64_t address);
/* As %#llx. */
void pt_text_hex(struct pt_buf *b, uint64_t value);
/* "O_RDWR|O_CLOEXEC" */
void pt_text_open_flags(struct pt_text *t, uint32_t flags);

/* The arguments of the call; NULL: not known. */
const struct pt_spec *pt_text_spec(struct pt_text *t);
/* For text_*.c and line.c: an argument of the call, whose row pt_text_spec() gave. */
void pt_text_argument(struct pt_text *t, const struct pt_spec *s, int i);
void pt_text_value(struct pt_text *t, const struct pt_type *type, const struct pt_value *v);
/* Elements of type->size bytes in brackets. */
void pt_text_array(struct pt_text *t, const struct pt_type *type, const struct pt_value *v);

#endif
