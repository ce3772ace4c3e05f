/* hits.h - runs a command with events that the tool itself has made, and prints each hit as
 * pt-script does. */
#ifndef PT_CLI_HITS_H
#define PT_CLI_HITS_H

#include "cli/opt.h"
#include "probe/tracefs/event.h"

/* `group`: shown in place of the events' own. Returns the tool's exit status. */
int pt_hits_run(const struct pt_tool *tool, char **command, const struct pt_events *events,
		const char *group, bool json);

#endif
