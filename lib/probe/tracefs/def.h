/* def.h - a probe as tracefs has it: one line of uprobe_events or kprobe_events, put together and
 * taken apart.
 *
 *     p:probe_prog/work /bin/prog:0x1139(0x4010) a=%di:s64 s=+0(%si):string
 *     r16:probe/vfs_read__return vfs_read ret=$retval:s64
 *
 * Nothing in a line that is read back is believed. Source of the format:
 * Documentation/trace/uprobetracer.rst and kprobetrace.rst of the kernel, the README file of
 * tracefs. libtracefs has no allocator for semaphores, and none for several places under one event
 * name. */
#ifndef PT_PROBE_TRACEFS_DEF_H
#define PT_PROBE_TRACEFS_DEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	/* bytes of a group's or an event's name; the kernel's limit */
	PT_DEF_NAME_MAX = 63,
	PT_DEF_LINE_MAX = 4095,		/* of a line */
	PT_DEF_ARG_MAX = 63,		/* of an argument's fetch text with its type */
	PT_DEF_ARGS_MAX = 128,
};

struct pt_def_arg {
	char *name;
	char *fetch;			/* "+8(%sp)" */
	/* "u64", "string", "x8[16]"; NULL: the kernel's default, a hexadecimal word */
	char *type;
};

struct pt_def {
	char kind;			/* 'p': at a place, 'r': at the return of a function */
	bool user;			/* a uprobe */
	/* kernel: "FUNC%return", as kernels print some return probes */
	bool ret_place;
	/* kernel, 'r': limit of simultaneous calls; 0: the kernel's choice */
	uint32_t maxactive;
	char *group, *event;
	char *path;			/* user: path of the program or library */
	char *symbol;			/* kernel: FUNC, or MODULE:FUNC; NULL: off is an address */
	uint64_t off;			/* user: in the file; kernel: from the symbol on */
	/* user: file offset of the counter that is raised while the probe is in use; 0: none */
	uint64_t semaphore_off;
	struct pt_def_arg *args;
	size_t nr_args, cap_args;
	const struct pt_made_place *made;	/* probe/make.h's; NULL: not known */
};

void pt_def_deinit(struct pt_def *d);
void pt_def_copy(struct pt_def *to, const struct pt_def *from);
/* Adds NAME=FETCH[:TYPE] (copies). type may be NULL. */
void pt_def_add_arg(struct pt_def *d, const char *name, const char *fetch, const char *type);
/* `text`: FETCH[:TYPE] */
void pt_def_add_text(struct pt_def *d, const char *name, const char *text);
void pt_def_drop_last_arg(struct pt_def *d);

/* The line, without newline. */
void pt_def_text(const struct pt_def *d, struct pt_buf *b);
/* The part of the line after the event's name. */
void pt_def_place_text(const struct pt_def *d, struct pt_buf *b);
/* A line of uprobe_events (user) or kprobe_events. -1: no such line, or of another kind (eprobes).
 */
int pt_def_parse(struct pt_def *d, const char *line, size_t len, bool user, struct pt_err *e);

bool pt_def_is(const struct pt_def *d, const char *group, const char *event);
/* The same place and the same arguments. Names of group and event may differ. */
bool pt_def_same(const struct pt_def *a, const struct pt_def *b);
bool pt_def_same_place(const struct pt_def *a, const struct pt_def *b);
/* True: both have the same event name, and the kernel accepts that: the same kind, and arguments of
 * the same names and types. */
bool pt_def_shares(const struct pt_def *a, const struct pt_def *b);

#endif
