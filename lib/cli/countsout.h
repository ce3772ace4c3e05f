/* countsout.h - how pt-stat prints its counts, and where to: the options, the style they ask for,
 * and the file.
 *
 *     struct args { struct pt_countsout out; ... };
 *     PT_GROUP("Output", pt_opts_countsout, out)
 *     pt_countsout_check(&tool, &args.out);
 *     pt_countsout_open(&args.out, intervals, &text, &e);
 *     pt_countsout_write(&args.out, &text, &e); ...
 *     pt_countsout_close(&args.out, &e); */
#ifndef PT_CLI_COUNTSOUT_H
#define PT_CLI_COUNTSOUT_H

#include "cli/opt.h"
#include "cli/whole.h"
#include "count/print.h"

struct pt_countsout {
	bool json, openmetrics, append, no_csv_summary, metric_only, wide, table, no_big_num, quiet;
	const char *sep, *path;
	uint64_t fd;
	const char *fd_given;		/* "--log-fd" if that was given, else NULL */
	/* Set by pt_countsout_open(). */
	struct pt_whole whole;
	struct pt_counts_style style;
};

extern const struct pt_opt pt_opts_countsout[];

/* Exits with 2 if they exclude one another. */
void pt_countsout_check(const struct pt_tool *tool, const struct pt_countsout *o);
/* Opens the file and fills o->style. `intervals`: lines begin with a time. `text`: what the file
 * begins with is appended. */
int pt_countsout_open(struct pt_countsout *o, bool intervals, struct pt_buf *text,
		      struct pt_err *e);
/* Nothing with --quiet. */
int pt_countsout_write(struct pt_countsout *o, const struct pt_buf *text, struct pt_err *e);
/* Also to be called after an open that failed. */
int pt_countsout_close(struct pt_countsout *o, struct pt_err *e);

#endif
