/* hits.h - watches events that the tool itself has made, and prints each hit as pt-script does: of
 * a command, or of processes that run already, until these end, the time is over, or Ctrl-C. */
#ifndef PT_CLI_HITS_H
#define PT_CLI_HITS_H

#include "cli/opt.h"
#include "probe/tracefs/event.h"

struct pt_hits {
	char **command;			/* the command to run; NULL: none */
	int *pids; size_t nr_pids;
	bool of_user;			/* pids are what a user runs; some may have ended */
	uint64_t duration_ns;		/* 0: no limit */
	const char *filter;		/* of all events; NULL: none */
	bool stacks, json;
};

/* All but the command and json. */
extern const struct pt_opt pt_opts_hits[];

/* Exits with 2 if what was asked excludes itself, or lacks what is to be watched. */
void pt_hits_check(const struct pt_tool *tool, const struct pt_hits *h);
/* `group`: shown in place of the events' own. Returns the tool's exit status. */
int pt_hits_run(const struct pt_tool *tool, const struct pt_hits *h, const struct pt_events *events,
		const char *group);

#endif
