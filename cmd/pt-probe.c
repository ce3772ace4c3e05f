/* pt-probe - makes, lists, shows, watches and deletes probes in programs and in the kernel, given
 * in terms of their source. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/hits.h"
#include "cli/out.h"
#include "cli/probed.h"
#include "probe/describe.h"
#include "probe/existing.h"
#include "probe/show.h"
#include "probe/tracefs/watch.h"
#include "probe/typed.h"
#include "probe/value/var.h"

struct args {
	struct pt_probed probed;
	const char *lines, *variables;
	bool list, funcs, dry, all, first, json, inlined, no_inlines, quiet, force;
	uint64_t maxactive, max_probes, more_vars;
	struct pt_strs del, add;
	struct pt_hits hits;		/* the filter alone: events are watched */
};

static const struct pt_opt places[] = {
	PT_ROW_FLAG(0, "all", "probe every row of the line table for a line, not only the beginning of each piece of its code", all),
	PT_ROW_FLAG(0, "first",
		    "probe only where the first piece of a line's code begins in each instance of the function", first),
	PT_ROW_FLAG(0, "no-inlines", "probe only functions that are not inlined", no_inlines),
	PT_ROW(0, "max-probes", "N", "make none if there are more than N places", PT_OPT_U64,
	       max_probes, .min = 1),
	PT_ROW(0, "maxactive", "N", "returns of kernel functions: allow N calls at once",
	       PT_OPT_U64, maxactive, .min = 1, .max = 4096),
	{ 0 }
};

static const struct pt_opt what[] = {
	PT_ROW('a', "add", "POINT",
	       "a point and its arguments in one word; may be repeated",
	       PT_OPT_LIST, add),
	PT_ROW_FLAG('l', "list", "list probes, all or those that match a PATTERN", list),
	PT_ROW('d', "del", "PATTERN", "delete probes by name, GROUP:NAME with * and ?",
	       PT_OPT_LIST, del),
	PT_ROW_FLAG('F', "funcs",
		    "list functions that can be probed, all or those that match a PATTERN", funcs),
	PT_ROW_FLAG(0, "inlined", "with -F: also those that are only inlined", inlined),
	PT_ROW('L', "line", "FUNC",
	       "show a function's source (or FILE:FROM-TO), lines that can be probed marked",
	       PT_OPT_STR, lines),
	PT_ROW('V', "vars", "POINT",
	       "show the variables that are visible at a point, and their types", PT_OPT_STR,
	       variables),
	PT_ROW_BITS(0, "externs", "with -V: also variables outside of functions", more_vars,
		    PT_VARS_EXTERN),
	PT_ROW_BITS(0, "range", "with -V: also the addresses where each one has a value", more_vars,
		    PT_VARS_RANGES),
	PT_ROW_FLAG('n', "dry-run", "print the definitions, make no probes", dry),
	PT_ROW_FLAG('D', "definition", "as -n", dry),
	PT_ROW_FLAG('f', "force", "make a probe also where one of its name exists: NAME_1", force),
	PT_ROW_FLAG('q', "quiet", "only errors, no notes", quiet),
	PT_ROW_JSON("one JSON object per line"),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-probe",
	.forms = PT_LINES(
		"[OPTION...] [-x FILE | -k VMLINUX | -m MODULE] [NAME=]POINT [ARG...] [-p PIDS | -- COMMAND [ARG...]]",
		"[-x FILE | -k VMLINUX | -m MODULE] -F [PATTERN...]",
		"[-x FILE | -k VMLINUX | -m MODULE] -L FUNC | -V POINT",
		"-l [PATTERN...]",
		"-d PATTERN..."),
	.groups = PT_GROUPS(
		PT_GROUP("Where", pt_opts_probed, probed),
		PT_OWN("Which places", places),
		PT_OWN("What to do", what),
		PT_GROUP("Watching", pt_opts_hits, hits)),
	.examples = PT_LINES(
		"ev=$(pt-probe -x prog work:9 addr=p); pt-stat -e \"$ev\" ./prog; pt-probe -d \"$ev\"",
		"pt-probe -x libc.so.6 malloc '$arg1' -- ls",
		"pt-probe -x libc.so.6 malloc 'size=$arg1:u64' --filter 'size > 1M' -g -p 4321",
		"pt-probe -x prog work%return '$retval'",
		"pt-probe -x prog -L work",
		"pt-probe vfs_read count"),
};

struct run {
	struct args a;
	char **argv;			/* up to "--" */
	bool watches;			/* a command or processes */
	struct pt_dyn dyn;
	bool have_dyn;
	struct pt_out *out;		/* NULL where it watches: pt_hits_run() opens one */
	struct pt_buf text;		/* to be written to `out` */
	struct pt_buf group;		/* the private one where it watches; empty: none */
	struct pt_probe_watch watch;
	struct pt_err err;
};

/* ctx NULL: also with -q. */
static void say(void *ctx, const char *text)
{
	const struct run *r = ctx;

	if (!r || !r->a.quiet)
		pt_warn(&tool, "%s", text);
}

static void add_words(struct pt_buf *b, char *const *words)
{
	for (; *words; words++) {
		pt_buf_putc(b, ' ');
		pt_text_shell(b, *words);
	}
}

/* Prints the error and, if rights are missing, the command that has them. */
static void __attribute__((noreturn)) give_up(struct run *r)
{
	struct pt_err *e = &r->err;
	struct pt_buf again = PT_BUF_INIT;

	if ((e->sys == EACCES || e->sys == EPERM) && geteuid() != 0) {
		char *cut = strstr(e->msg, "; run as root");

		if (cut)		/* advice for reading, which does not apply */
			*cut = '\0';
		add_words(&again, r->argv);
		if (r->a.hits.command) {
			pt_buf_puts(&again, " --");
			add_words(&again, r->a.hits.command);
		}
		pt_err_advice(e, "; probes are made and deleted by root: `sudo%s`", again.data);
	} else if (e->sys == EPERM) {
		pt_err_advice(e, " (a locked-down kernel, or a container without rights to trace)");
	}
	pt_die(&tool, "%s", e->msg);
}

static void open_dyn(struct run *r)
{
	if (r->have_dyn)
		return;
	if (pt_dyn_open(&r->dyn, &r->err) < 0)
		give_up(r);
	r->have_dyn = true;
	pt_dyn_remove_dead(&r->dyn);
}

static void check_allowed(struct run *r)
{
	open_dyn(r);
	if (pt_dyn_allowed(&r->dyn, r->a.probed.subject.file != NULL, &r->err) < 0)
		give_up(r);
}

/* -- made -- */

/* Writes r->text and ends the output. */
static int write_text(struct run *r)
{
	int rc = pt_out_buf(r->out, &r->text, &r->err);

	if (pt_out_close(r->out, rc < 0 ? NULL : &r->err) < 0)
		rc = -1;
	r->out = NULL;
	return rc;
}

static void show_events(struct run *r, const struct pt_events *es)
{
	pt_events_say_names(es, say, r);
	if (r->a.json)
		pt_show_events_json(es, &r->text);
	else if (r->a.dry)
		pt_show_definitions(es, &r->text);
	else
		pt_show_names(es, &r->text);
	if (write_text(r) == 0)
		return;
	/* Nobody knows the events' names, so nobody could delete them. */
	if (!r->a.dry)
		pt_events_remove(es, &r->dyn);
	pt_die(&tool, "%s%s", r->err.msg, r->a.dry ? "" : ": no probe was made");
}

static int make_events(struct run *r, struct pt_made *m)
{
	const char *group = r->group.len ? r->group.data : NULL;
	char *shown = group ? pt_strdup(m->defs[0].group) : NULL;
	struct pt_events es;
	int rc = 0;

	if (pt_events_of_made(&es, m, r->a.dry ? NULL : &r->dyn, group, r->a.force, &r->err) < 0)
		give_up(r);
	if (r->watches)
		rc = pt_hits_run(&tool, &r->a.hits, &es, shown);
	else
		show_events(r, &es);
	pt_events_deinit(&es);
	free(shown);
	return rc;
}

static void add_point(struct run *r, char **texts, size_t nr, struct pt_made *m)
{
	struct pt_typed p = { .req = { .all = r->a.all,
				       .first = r->a.first,
				       .maxactive = (uint32_t)r->a.maxactive } };
	size_t first = m->nr;

	if (pt_typed_parse(&p, &r->a.probed.subject, texts, nr, &r->err) < 0)
		pt_usage(&tool, "%s", r->err.msg);
	if (pt_typed_make(&p, &r->a.probed.subject, r->a.dry ? NULL : &r->dyn, m, &r->err) < 0)
		give_up(r);
	if (pt_made_choose(m, first, r->a.no_inlines, r->a.max_probes, &r->err) < 0)
		pt_die(&tool, "%s", r->err.msg);
	pt_typed_deinit(&p);
}

static int make_from(struct run *r, char **operands, int nr)
{
	struct pt_made m = { .nr = 0 };
	int rc;

	if (!nr && !r->a.add.nr)
		pt_usage_forms(&tool, "what to probe is missing");
	if (!r->a.dry)
		check_allowed(r);
	if (nr)
		add_point(r, operands, (size_t)nr, &m);
	for (size_t i = 0; i < r->a.add.nr; i++)
		add_point(r, (char **)&r->a.add.v[i], 1, &m);
	rc = make_events(r, &m);
	pt_made_deinit(&m);
	return rc;
}

/* -- listed, deleted -- */

static int list(struct run *r, char **patterns, int nr)
{
	size_t shown;

	open_dyn(r);
	shown = pt_existing_show(&r->dyn, patterns, (size_t)nr, &r->a.probed.subject.opts,
				 r->a.json, &r->text);
	if (!shown && nr)
		pt_warn(&tool, "no probe matches %s", patterns[0]);
	return !shown && nr;
}

static int delete_all(struct run *r)
{
	int rc = 0;

	open_dyn(r);
	for (size_t i = 0; i < r->a.del.nr; i++) {
		int left = pt_existing_remove(&r->dyn, r->a.del.v[i], say, NULL, &r->err);

		if (left == PT_EXISTING_NO_NAME)
			pt_usage(&tool, "-d: no name");
		if (left < 0)
			give_up(r);
		rc |= left;
	}
	return rc;
}

/* -- functions, lines, variables -- */

static int write_lines(void *ctx, const void *lines, size_t len, struct pt_err *e)
{
	const struct run *r = ctx;

	return pt_out_write(r->out, lines, len, e);
}

static int describe(struct run *r, char **patterns, int nr)
{
	const struct pt_functions_asked functions = { .patterns = patterns,
						      .nr = (size_t)nr,
						      .inlined = r->a.inlined,
						      .json = r->a.json,
						      .write = write_lines,
						      .ctx = r };
	struct pt_point p = { .text = NULL };
	int rc = 1;

	if (r->a.funcs)
		rc = pt_describe_functions(&r->a.probed.subject, &functions, &r->err);
	else if (r->a.lines)
		rc = pt_describe_lines(&r->a.probed.subject, r->a.lines, r->a.json, &r->text,
				       &r->err);
	else if (pt_point_parse(&p, r->a.variables, &r->err) < 0)
		pt_usage(&tool, "%s", r->err.msg);
	else
		rc = pt_describe_variables(&r->a.probed.subject, &p,
					   (unsigned)r->a.more_vars, r->a.json, &r->text, &r->err);
	pt_point_deinit(&p);
	if (rc < 0)
		pt_die(&tool, "%s", r->err.msg);
	return r->a.funcs && rc == 0;
}

/* -- main -- */

/* Refuses options that exclude each other. */
static void check_modes(const struct args *a)
{
	const struct pt_hits *h = &a->hits;
	const char *const given[] = { a->list ? "-l" : NULL,      a->del.nr ? "-d" : NULL,
				      a->funcs ? "-F" : NULL,     a->lines ? "-L" : NULL,
				      a->variables ? "-V" : NULL, a->add.nr ? "-a" : NULL };
	const char *mode = NULL;

	for (size_t i = 0; i < PT_NR(given); i++) {
		if (given[i] && mode)
			pt_usage(&tool, "%s and %s: one at a time", mode, given[i]);
		mode = given[i] ? given[i] : mode;
	}
	if (mode && !a->add.nr && h->command)
		pt_usage(&tool, "%s runs no command", mode);
	if (mode && !a->add.nr && h->nr_pids)
		pt_usage(&tool, "%s watches no processes", mode);
	if ((h->command || h->nr_pids) && a->dry)
		pt_usage(&tool, "-n makes no probes: nothing can be watched");
	pt_hits_check(&tool, h);
	if (a->all && a->first)
		pt_usage(&tool, "--all and --first: one of them");
	if (a->inlined && !a->funcs)
		pt_usage(&tool, "--inlined is for -F");
	if (a->more_vars && !a->variables)
		pt_usage(&tool, "--externs and --range are for -V");
	if (a->maxactive && a->probed.subject.file)
		pt_usage(&tool, "--maxactive is for returns of the kernel's functions");
}

static void start_watch(struct run *r)
{
	pt_probe_watch_group(r->a.probed.subject.file, &r->group);
	check_allowed(r);
	if (pt_probe_watch_start(&r->watch, r->group.data, &r->err) < 0)
		give_up(r);
}

static int do_what_is_asked(struct run *r, char **operands, int nr)
{
	if (r->a.list)
		return list(r, operands, nr);
	if (r->a.del.nr) {
		for (int i = 0; i < nr; i++)
			pt_strs_add(&r->a.del, operands[i]);
		return delete_all(r);
	}
	if (r->a.funcs || r->a.lines || r->a.variables)
		return describe(r, operands, nr);
	return make_from(r, operands, nr);
}

int main(int argc, char **argv)
{
	static struct run r;
	struct pt_operands operands;
	int rc, n = 1;

	while (n < argc && strcmp(argv[n], "--"))
		n++;
	if (n < argc) {
		r.a.hits.command = argv + n + 1;
		argv[n] = NULL;
		argc = n;
	}
	r.argv = argv;
	operands = pt_opt_parse(&tool, argc, argv, &r.a);
	check_modes(&r.a);
	pt_probed_ready(&tool, &r.a.probed, &operands);
	r.a.probed.subject.say = say;
	r.a.probed.subject.ctx = &r;
	r.a.hits.json = r.a.json;
	r.watches = r.a.hits.command || r.a.hits.nr_pids;
	if (r.watches)
		start_watch(&r);
	else if (pt_out_open(&r.out, NULL, &r.err) < 0)
		pt_die(&tool, "%s", r.err.msg);
	rc = do_what_is_asked(&r, operands.v, operands.nr);
	if (r.out && write_text(&r) < 0)
		pt_die(&tool, "%s", r.err.msg);
	pt_probe_watch_end(&r.watch);
	pt_probed_tell(&tool, &r.a.probed);
	pt_probed_deinit(&r.a.probed);
	if (r.have_dyn)
		pt_dyn_close(&r.dyn);
	return rc;
}
