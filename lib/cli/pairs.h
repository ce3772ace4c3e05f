/* pairs.h - the "Pairs" options: which two events make a latency. Shared by pt-lat and pt-heatmap.
 *
 *     PT_GROUP("Pairs", pt_opts_pairs, pairs)                 // of the tool's groups
 *     pt_pairs_ready(&tool, &a.pairs, &a.watch, &lat_opts);
 *     pt_analysis_open(&an, a.pairs.events);
 *     lat = pt_lat_new(&lat_opts, an.src);
 *
 * The presets --block, --sched and --syscall are options of the "Live" group; they choose the pair
 * of a recording, too. */
#ifndef PT_CLI_PAIRS_H
#define PT_CLI_PAIRS_H

#include "base/offer.h"
#include "cli/input.h"
#include "cli/opt.h"
#include "lat/lat.h"

struct pt_pairs_args {
	bool queued, preempted;
	const char *from, *to, *key;
	char *entry, *ret;		/* the two events of --probe */
	struct pt_strs ops;		/* of --op: shell patterns */
	struct pt_offer ops_there;	/* what --op chose from, so far */
	/* set by pt_pairs_ready(): events of a live session without -e; NULL: unknown */
	char *events;
};
extern const struct pt_opt pt_opts_pairs[];

/* Fills *o from the options. Exits with 2 if they contradict each other. The strings in *o live as
 * long as *p and argv. */
void pt_pairs_ready(const struct pt_tool *tool, struct pt_pairs_args *p,
		    const struct pt_watch_args *w, struct pt_lat_opts *o);

/* True if the latency is chosen: by its end, CPU and task, and by its operation. `rec` ended it. */
bool pt_pairs_choose(struct pt_pairs_args *p, const struct pt_choose *c,
		     struct pt_lat *l, const struct pt_latency *lat, const struct pt_record *rec);

/* The keys of --by. */
#define PT_PAIRS_BY "dev, op, syscall, comm, pid, tid, cpu, key"
/* Ends the session and exits with 2: --by's key is not known for this pair (pt_lat_by()). */
void pt_pairs_usage_by(const struct pt_tool *tool, const char *by, const struct pt_lat *l,
		       struct pt_source *session)
	__attribute__((noreturn));

/* At the end: warns of what was not paired. */
void pt_pairs_say(const struct pt_tool *tool, const struct pt_lat *l);

#endif
