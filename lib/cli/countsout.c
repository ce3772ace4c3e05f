#include "cli/countsout.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

static int opt_separator(void *group, const char *arg, struct pt_err *e)
{
	struct pt_countsout *o = group;

	if (!*arg)
		return pt_err_set(e, "an empty separator");
	o->sep = !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

#define ROW(...) PT_ROW_OF(struct pt_countsout, __VA_ARGS__)
#define FLAG(name_, help_, member_) ROW(0, name_, NULL, help_, PT_OPT_FLAG, member_)

const struct pt_opt pt_opts_countsout[] = {
	PT_ROW_CALL('x', "field-separator", "SEP",
		    "separate fields with SEP (\\t: a tab), as perf stat -x", opt_separator),
	ROW('j', "json", NULL, "one JSON object per line, with perf stat's keys", PT_OPT_FLAG,
	    json),
	FLAG("json-output", NULL, json),
	FLAG("openmetrics", "OpenMetrics, for Prometheus; -o FILE is replaced atomically",
	     openmetrics),
	ROW('o', "output", "FILE", "write to FILE instead of standard error; -: standard output",
	    PT_OPT_STR, path),
	FLAG("no-csv-summary", "with -x: lines of --summary do not begin with the word summary",
	     no_csv_summary),
	FLAG("append", "append to FILE", append),
	ROW(0, "log-fd", "N", "write to this file descriptor", PT_OPT_U64, fd, .min = 1,
	    .max = 1 << 20, .given = "--log-fd",
	    .given_off = offsetof(struct pt_countsout, fd_given)),
	FLAG("metric-only", "show derived figures without counts", metric_only),
	FLAG("wide", "a row for each interval, a column for each event", wide),
	FLAG("table", "with -r: show the time of each run", table),
	FLAG("no-big-num", "no separators between thousands", no_big_num),
	ROW('q', "quiet", NULL, "print no counts, only exit with the command's status", PT_OPT_FLAG,
	    quiet),
	{ 0 }
};

void pt_countsout_check(const struct pt_tool *tool, const struct pt_countsout *o)
{
	if ((o->sep != NULL) + o->json + o->openmetrics > 1)
		pt_usage(tool, "-x, -j and --openmetrics: one of them");
	if (o->fd_given && o->path)
		pt_usage(tool, "--log-fd and -o: one of them");
	if (o->openmetrics && o->append)
		pt_usage(tool, "--openmetrics replaces the file and excludes --append");
}

static enum pt_counts_form form_of(const struct pt_countsout *o)
{
	if (o->json)
		return PT_COUNTS_JSON;
	if (o->sep)
		return PT_COUNTS_CSV;
	return o->openmetrics ? PT_COUNTS_OPENMETRICS : PT_COUNTS_TABLE;
}

static void choose_style(struct pt_countsout *o, bool intervals)
{
	locale_t local = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", NULL);
	const char *no_color = getenv("NO_COLOR");
	bool separated = !o->no_big_num && local;

	o->style = (struct pt_counts_style){
		.form = form_of(o),
		.sep = o->sep,
		.metric_only = o->metric_only,
		.wide = o->wide,
		.csv_no_summary = o->no_csv_summary,
		.intervals = intervals && !o->openmetrics,
		.thousands = pt_strdup(separated ? nl_langinfo_l(THOUSEP, local) : ""),
		.color = pt_whole_is_tty(&o->whole) && !(no_color && *no_color),
	};
	if (local)
		freelocale(local);
}

static int countsout_open_file(struct pt_countsout *o, struct pt_buf *text, struct pt_err *e)
{
	enum pt_whole_how how = PT_WHOLE_NEW;
	time_t now = time(NULL);
	char when[64];

	if (o->fd_given)
		return pt_whole_open_fd(&o->whole, (int)o->fd, o->fd_given, e);
	if (o->openmetrics)
		how = PT_WHOLE_REPLACE;
	else if (o->append)
		how = PT_WHOLE_APPEND;
	if (pt_whole_open(&o->whole, o->path, how, e) < 0)
		return -1;
	if (o->path && strcmp(o->path, "-") && !o->json && !o->openmetrics &&
	    strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", localtime(&now)))
		pt_buf_printf(text, "# started on %s\n\n", when);
	return 0;
}

int pt_countsout_open(struct pt_countsout *o, bool intervals, struct pt_buf *text,
		      struct pt_err *e)
{
	if (countsout_open_file(o, text, e) < 0)
		return -1;
	choose_style(o, intervals);
	return 0;
}

int pt_countsout_write(struct pt_countsout *o, const struct pt_buf *text, struct pt_err *e)
{
	return o->quiet ? 0 : pt_whole_write(&o->whole, text->data, text->len, e);
}

int pt_countsout_close(struct pt_countsout *o, struct pt_err *e)
{
	free((char *)o->style.thousands);
	return pt_whole_close(&o->whole, e);
}
