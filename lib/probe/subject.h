/* subject.h - what a command line wants probed: a program or library, an image of the kernel, a
 * module, or the running kernel. It is opened when it is first needed. */
#ifndef PT_PROBE_SUBJECT_H
#define PT_PROBE_SUBJECT_H

#include "probe/target/target.h"

struct pt_subject {
	/* One of these, or none: the running kernel. `module`: a name, or the path of a file. */
	const char *file, *vmlinux, *module;
	struct pt_target_opts opts;		/* set by the caller, but for .keep and .kernel */
	void (*say)(void *ctx, const char *text);	/* what the user should know */
	void *ctx;
	/* Why the kernel has no image, once pt_subject_is_known() was false. */
	struct pt_err no_image;
	/* Private. */
	char *image;		/* of the kernel or the module, found on this machine; NULL: none */
	bool looked;
	struct pt_target target;
	bool open;
};

/* The user named a file, by any of the three. */
bool pt_subject_is_file(const struct pt_subject *s);
/* There is a file that can be opened: the one that was named, or the kernel's own image. */
bool pt_subject_is_known(struct pt_subject *s);
/* Opened by the first call. The subject owns it. NULL: e says why; e->sys is 0, since rights to
 * trace would not help. */
struct pt_target *pt_subject_target(struct pt_subject *s, struct pt_err *e);
void pt_subject_deinit(struct pt_subject *s);

#endif
