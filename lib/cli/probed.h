/* probed.h - the options that say what is probed: -x -k -m --target-ns --symfs --debuginfod -s.
 *
 *     struct args { struct pt_probed what; ... };
 *     PT_GROUP("Where", pt_opts_probed, what)
 *     pt_probed_ready(&tool, &args.what, &operands); */
#ifndef PT_CLI_PROBED_H
#define PT_CLI_PROBED_H

#include "cli/opt.h"
#include "probe/subject.h"

struct pt_probed {
	struct pt_subject subject;
	uint64_t target_ns;
	char *path;			/* of the file, where --target-ns made it */
};

extern const struct pt_opt pt_opts_probed[];

/* Once options are parsed. Exits with 2 if they exclude one another. */
void pt_probed_ready(const struct pt_tool *tool, struct pt_probed *p,
		     const struct pt_operands *operands);
/* Warns if debug information was too much to be read to its end. */
void pt_probed_tell(const struct pt_tool *tool, const struct pt_probed *p);
void pt_probed_deinit(struct pt_probed *p);

#endif
