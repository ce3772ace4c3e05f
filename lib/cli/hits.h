/* hits.h - a command run with some events, each hit printed as pt-script prints it: what tools show
 * that make their events themselves.
 *
 *     struct pt_hits h = { .command = argv };
 *     // the last: the group's name as it is shown
 *     pt_hits_add(&h, "pt1234_prog", "work", "probe_prog");
 *     status = pt_hits_run(&tool, &h);                        // the tool's exit status
 *     pt_hits_deinit(&h); */
#ifndef PT_CLI_HITS_H
#define PT_CLI_HITS_H

#include "cli/opt.h"

struct pt_hits {
	char **command;
	bool json;
	struct pt_hits_event { char *name, *shown; } *v;
	size_t nr, cap;
};

void pt_hits_add(struct pt_hits *h, const char *group, const char *event, const char *shown_group);
int pt_hits_run(const struct pt_tool *tool, struct pt_hits *h);
void pt_hits_deinit(struct pt_hits *h);

#endif
