/* pt-probe - probes in programs and in the kernel, from source terms: made, listed, shown, watched,
 * deleted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/hits.h"
#include "cli/input.h"
#include "cli/opt.h"
#include "cli/out.h"
#include "cli/losses.h"
#include "probe/target/image.h"
#include "probe/where/kernel.h"
#include "probe/show.h"
#include "probe/tracefs/watch.h"

enum { OUT_BYTES = 64 << 10 };

struct args {
	const char *file, *vmlinux, *module, *lines, *variables, *symfs, *source;
	bool list, funcs, dry, all, first, json, debuginfod, inlined;
	uint64_t maxactive;
	struct pt_strs del, add;
};

static const struct pt_opt where[] = {
	PT_ROW('x', "exec", "FILE",
	       "a program or library: a path, a program in this directory or on PATH, a library by soname",
	       PT_OPT_STR, file),
	PT_ROW('k', "vmlinux", "FILE",
	       "the kernel by its image with debug information (else looked for where packages put it)",
	       PT_OPT_STR, vmlinux),
	PT_ROW('m', "module", "MODULE", "a module of the running kernel; a path: by its file",
	       PT_OPT_STR, module),
	PT_ROW(0, "all", NULL, "each piece of code of a line, not only where the line begins",
	       PT_OPT_FLAG, all),
	PT_ROW(0, "first", NULL,
	       "the first piece of code of a line in each instance of the function, not each",
	       PT_OPT_FLAG, first),
	PT_ROW(0, "maxactive", "N", "kernel functions' returns: so many calls at once", PT_OPT_U64,
	       maxactive, .min = 1, .max = 4096),
	PT_ROW(0, "symfs", "DIR", "look for debug files below DIR", PT_OPT_STR, symfs),
	PT_ROW(0, "debuginfod", NULL, "ask servers for debug files ($DEBUGINFOD_URLS)", PT_OPT_FLAG,
	       debuginfod),
	PT_ROW('s', "source", "DIR", "look for source files in DIR first", PT_OPT_STR, source),
	{ 0 }
};

static const struct pt_opt what[] = {
	PT_ROW('a', "add", "POINT",
	       "a point and its arguments in one word; as often as there are probes to make",
	       PT_OPT_LIST, add),
	PT_ROW('l', "list", NULL, "list probes: all, or those that match PATTERNs", PT_OPT_FLAG,
	       list),
	PT_ROW('d', "del", "PATTERN", "delete probes by name: GROUP:NAME, with * and ?",
	       PT_OPT_LIST, del),
	PT_ROW('F', "funcs", NULL, "list functions with code: all, or those that match PATTERNs",
	       PT_OPT_FLAG, funcs),
	PT_ROW(0, "inlined", NULL, "-F also those that are only inlined", PT_OPT_FLAG, inlined),
	PT_ROW('L', "line", "FUNC",
	       "show a function's source, its lines that can be probed marked; also FILE:FROM-TO",
	       PT_OPT_STR, lines),
	PT_ROW('V', "vars", "POINT",
	       "show the variables that are known at a point, with their types", PT_OPT_STR,
	       variables),
	PT_ROW('n', "dry-run", NULL, "show the definitions, make nothing", PT_OPT_FLAG, dry),
	PT_ROW('D', "definition", NULL, "the same", PT_OPT_FLAG, dry),
	PT_ROW('j', "json", NULL, "an object of JSON a line", PT_OPT_FLAG, json),
	PT_ROW_HABIT('f', "force", NULL),
	PT_ROW_HABIT('q', "quiet", NULL),
	PT_ROW_HABIT('v', "verbose", NULL),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-probe",
	.purpose = "probes in programs and in the kernel, from source terms",
	.forms =
		(const char *const[]){
			"[OPTION...] [-x FILE | -k VMLINUX | -m MODULE] [NAME=]POINT [ARG...] [-- COMMAND [ARG...]]",
			"[-x FILE | -k VMLINUX | -m MODULE] -F [PATTERN...]",
			"[-x FILE | -k VMLINUX | -m MODULE] -L FUNC | -V POINT", "-l [PATTERN...]",
			"-d PATTERN...", NULL },
	.groups = (const struct pt_opt_group[]){ { "Where", where, 0 },
						 { "What to do", what, 0 },
						 { NULL, NULL, 0 } },
	.examples =
		(const char *const[]){
			"ev=$(pt-probe -x prog work:9 addr=p); pt-stat -e \"$ev\" ./prog; pt-probe -d \"$ev\"",
			"pt-probe -x libc.so.6 malloc '$arg1' -- ls",
			"pt-probe -x prog work%return '$retval'", "pt-probe -x prog -L work",
			"pt-probe vfs_read count", NULL },
};

struct run {
	struct args a;
	int argc;
	char **argv;			/* in front of "--" */
	char **command;			/* NULL: none */
	struct pt_dyn dyn;
	bool have_dyn;
	struct pt_target target;
	bool have_target;
	/* of the kernel or of the module that is meant, found on this machine; NULL: none */
	char *image;
	struct pt_err no_image;		/* why */
	bool looked;
	struct pt_keep *keep;		/* lists of functions, symbol tables */
	struct pt_buf out, group;	/* group: the private one of a command; empty: none */
	struct pt_probe_watch watch;
};

/* -- output -- */

static void plain(struct pt_buf *b, const char *s)
{
	pt_text_plain(b, s, strlen(s));
}

static int put_out(struct run *r, struct pt_err *e)
{
	struct pt_out *out;
	int rc;

	if (pt_out_open(&out, NULL, e) < 0)
		return -1;
	rc = pt_out_write(out, r->out.data, r->out.len, e);
	if (pt_out_close(out, rc < 0 ? NULL : e) < 0)
		rc = -1;
	pt_buf_clear(&r->out);
	return rc;
}

static void quoted(struct pt_buf *b, const char *s)
{
	if (*s &&
	    !s[strspn(
		    s,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")]) {
		pt_buf_puts(b, s);
		return;
	}
	pt_buf_putc(b, '\'');
	for (; *s; s++)
		pt_buf_printf(b, *s == '\'' ? "'\\''" : "%c", *s);
	pt_buf_putc(b, '\'');
}

/* The error, and for want of rights the command that has them. */
static void __attribute__((noreturn)) give_up(struct run *r, struct pt_err *e)
{
	struct pt_buf again = PT_BUF_INIT;

	if ((e->sys == EACCES || e->sys == EPERM) && geteuid() != 0) {
		char *cut = strstr(e->msg, "; run as root");

		if (cut)		/* to be let in to read is not enough here */
			*cut = '\0';
		pt_buf_puts(&again, "sudo");
		for (int i = 0; r->argv[i]; i++) {
			pt_buf_putc(&again, ' ');
			quoted(&again, r->argv[i]);
		}
		pt_err_advice(e, "; probes are made and deleted by root: `%s`", again.data);
	} else if (e->sys == EPERM) {
		pt_err_advice(
			e,
			" (the kernel is locked down, or this is a container without rights to trace)");
	}
	pt_die(&tool, "%s", e->msg);
}

/* -- the pieces -- */

static void open_dyn(struct run *r)
{
	struct pt_err e = PT_ERR_INIT;

	if (r->have_dyn)
		return;
	if (pt_dyn_open(&r->dyn, &e) < 0)
		give_up(r, &e);
	r->have_dyn = true;
	pt_dyn_remove_dead(&r->dyn);
}

/* What debug information tells is known: of a program, of a kernel or a module whose image was
 * named, or is where it is put when it is installed. */
static bool is_known(struct run *r)
{
	struct pt_image_where w = { .symfs = r->a.symfs };

	if (r->a.file || r->a.vmlinux || (r->a.module && pt_image_is_file(r->a.module)))
		return true;
	if (!r->looked)
		r->image = r->a.module ? pt_image_of_module(&w, r->a.module, &r->no_image)
				       : pt_image_of_kernel(&w, &r->no_image);
	r->looked = true;
	return r->image != NULL;
}

static struct pt_target *open_target(struct run *r)
{
	const char *image = r->a.vmlinux ? r->a.vmlinux : r->image ? r->image : r->a.module;
	struct pt_target_opts o = { .symfs = r->a.symfs,
				    .debuginfod = r->a.debuginfod,
				    .source_dir = r->a.source };
	struct pt_err e = PT_ERR_INIT;

	if (r->have_target)
		return &r->target;
	o.keep = r->keep = pt_keep_open();
	if ((r->a.file ? pt_target_open(&r->target, r->a.file, &o, &e)
		       : pt_target_open_vmlinux(&r->target, image, &o, &e)) < 0)
		pt_die(&tool, "%s", e.msg);
	r->have_target = true;
	if (r->target.how)
		pt_warn(&tool, "%s: %s, %s", r->a.file ? r->a.file : image, r->target.path,
			r->target.how);
	return &r->target;
}

/* "sdt_PROVIDER:NAME", "%PROVIDER:NAME": a marker, not a function. */
static const char *marker_of(const struct run *r, const char *point)
{
	const char *colon = strchr(point, ':');

	if (!r->a.file || !colon || colon[1] == ':')
		return NULL;
	if (*point == '%')
		return strncmp(point, "%sdt_", 5) ? point + 1 : point + 5;
	return strncmp(point, "sdt_", 4) ? NULL : point + 4;
}

/* Adds the definitions of one point: its words, the arguments behind it. */
static void add_defs(struct run *r, char **words, size_t nr, struct pt_made *m)
{
	struct pt_make_req req = { .args = (const char *const *)words + 1,
				   .nr_args = nr - 1,
				   .all = r->a.all,
				   .first = r->a.first,
				   .maxactive = (uint32_t)r->a.maxactive,
				   .module = r->a.module };
	struct pt_err e = PT_ERR_INIT;
	struct pt_dyn *dyn = r->a.dry ? NULL : &r->dyn;
	const char *eq = strchr(words[0], '=');
	size_t notes = m->nr_notes;
	int rc;

	req.marker = marker_of(r, eq ? eq + 1 : words[0]);
	if (req.marker && eq)
		req.point.name = pt_strndup(words[0], (size_t)(eq - words[0]));
	if (!req.marker && pt_point_parse(&req.point, words[0], &e) < 0)
		pt_usage(&tool, "%s", e.msg);
	if (req.marker)
		rc = pt_make_sdt(m, &req, open_target(r), dyn, &e);
	else
		rc = is_known(r) ? pt_make_user(m, &req, open_target(r), dyn, &e) : -1;
	/* Also what the image does not have: functions of modules. */
	if (rc < 0 && !req.marker && (r->image ? e.sys == ENOENT : !is_known(r))) {
		req.no_image = r->image ? NULL : r->no_image.msg;
		rc = pt_make_kernel(m, &req, pt_make_machine(), &e);
	}
	for (; notes < m->nr_notes; notes++)
		pt_warn(&tool, "%s", m->notes[notes]);
	if (rc < 0)
		give_up(r, &e);
	pt_point_deinit(&req.point);
}

/* -- made -- */

static void show_events(struct run *r, const struct pt_events *es, const struct pt_made *m)
{
	if (r->a.json)
		pt_show_events_json(es, m, &r->out);
	else if (r->a.dry)
		pt_show_definitions(es, &r->out);
	else
		pt_show_names(es, &r->out);
}

static void say_names(const struct pt_events *es)
{
	for (size_t i = 0; i < es->nr; i++) {
		const struct pt_new_event *ev = &es->v[i];

		if (ev->wanted && ev->apart)
			pt_warn(&tool,
				"%s:%s: its places fetch other arguments than those of %s:%s",
				ev->group, ev->name, ev->group, ev->wanted);
		else if (ev->wanted)
			pt_warn(&tool, "%s:%s is taken by another probe: this one is %s:%s",
				ev->group, ev->wanted, ev->group, ev->name);
		else if (ev->anew)
			pt_warn(&tool, "%s:%s was there already and has been made anew", ev->group,
				ev->name);
	}
}

static bool of_user(const struct run *r)
{
	return r->a.file != NULL;
}

/* Events of a group that nobody else has; hits are shown under the group's ordinary name. */
static void make_private(struct run *r, struct pt_made *m, char **shown)
{
	*shown = pt_strdup(m->defs[0].group);
	for (size_t i = 0; i < m->nr; i++) {
		free(m->defs[i].group);
		m->defs[i].group = pt_strdup(r->group.data);
	}
}

/* Watches the command with the events that were made; its status. */
static int watch_command(struct run *r, const struct pt_events *es, const char *shown)
{
	struct pt_hits h = { .command = r->command, .json = r->a.json };
	int rc;

	for (size_t i = 0; i < es->nr; i++)
		pt_hits_add(&h, es->v[i].group, es->v[i].name, shown);
	rc = pt_hits_run(&tool, &h);
	pt_hits_deinit(&h);
	return rc;
}

/* Makes all that was gathered; with a command, watches it. */
static int make(struct run *r, struct pt_made *m)
{
	struct pt_events es;
	struct pt_err e = PT_ERR_INIT;
	char *shown = NULL;
	int rc = 0;

	if (r->group.len)
		make_private(r, m, &shown);
	if (pt_events_plan(&es, m->defs, m->nr, r->a.dry ? NULL : &r->dyn, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	m->nr = 0;			/* they are the plan's now */
	if (r->group.len && pt_dyn_own_group(&r->dyn, r->group.data, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (!r->a.dry && pt_events_make(&es, &r->dyn, &e) < 0)
		give_up(r, &e);
	if (r->command) {
		rc = watch_command(r, &es, shown);
	} else {
		say_names(&es);
		show_events(r, &es, m);
		/* An event whose name nobody got would stay for ever. */
		if (!r->a.dry && put_out(r, &e) < 0) {
			for (size_t i = 0; i < es.nr; i++)
				pt_dyn_remove(&r->dyn, es.v[i].group, es.v[i].name, NULL);
			pt_die(&tool, "%s: no probe was made", e.msg);
		}
	}
	pt_events_deinit(&es);
	free(shown);
	return rc;
}

/* -- listed, deleted -- */

static bool matches(const char *pattern, const struct pt_def *def)
{
	char *full = pt_asprintf("%s:%s", def->group, def->event);
	bool yes = pt_text_glob(pattern, strchr(pattern, ':') ? full : def->event);

	free(full);
	return yes;
}

static int list(struct run *r, char **patterns, int nr)
{
	struct pt_lister *ls;
	size_t shown = 0;

	open_dyn(r);
	ls = pt_lister_new(
		&(struct pt_target_opts){ .symfs = r->a.symfs, .debuginfod = r->a.debuginfod });
	for (size_t i = 0; i < r->dyn.nr; i++) {
		const struct pt_def *def = &r->dyn.defs[i];
		struct pt_listed_probe l;
		bool wanted = nr == 0;

		for (int k = 0; k < nr && !wanted; k++)
			wanted = matches(patterns[k], def);
		if (!wanted)
			continue;
		shown++;
		pt_lister_look(ls, def, &l);
		if (r->a.json)
			pt_show_probe_json(def, &l, &r->out);
		else
			pt_show_probe(def, &l, &r->out);
	}
	pt_lister_free(ls);
	if (!shown && nr)
		pt_warn(&tool, "no probe matches %s", patterns[0]);
	return !shown && nr;
}

/* One pattern: what it matches goes; 1 when something could not. */
static int delete_one(struct run *r, const char *pattern)
{
	struct pt_err e = PT_ERR_INIT;
	size_t gone = 0, left = 0;

	for (size_t i = 0; i < r->dyn.nr; ) {
		struct pt_def *def = &r->dyn.defs[i];
		char *group, *event;

		if (!matches(pattern, def)) {
			i++;
			continue;
		}
		group = pt_strdup(def->group);
		event = pt_strdup(def->event);
		/* somebody else was faster */
		if (pt_dyn_remove(&r->dyn, group, event, &e) == 0 || e.sys == ENOENT) {
			gone++;
		} else {
			if (e.sys == EACCES || e.sys == EPERM)
				give_up(r, &e);
			pt_warn(&tool, "%s", e.msg);
			left++;
			while (i < r->dyn.nr && !strcmp(r->dyn.defs[i].group, group) &&
			       !strcmp(r->dyn.defs[i].event, event))
				i++;
		}
		free(group);
		free(event);
	}
	if (!gone && !left)
		pt_warn(&tool, "no probe matches %s", pattern);
	return !gone || left;
}

static int delete_all(struct run *r, const char *const *patterns, size_t nr)
{
	int rc = 0;

	open_dyn(r);
	for (size_t i = 0; i < nr; i++) {	/* "$ev" may be several lines */
		char *text = pt_strdup(patterns[i]), *save = NULL,
		     *one = strtok_r(text, " \t\n,", &save);

		if (!one)
			pt_usage(&tool, "-d: no name");
		for (; one; one = strtok_r(NULL, " \t\n,", &save))
			rc |= delete_one(r, one);
		free(text);
	}
	return rc;
}

/* -- functions, lines, variables -- */

/* Of large files they are many: they go out as they come. */
static void put_some(struct run *r, struct pt_out *out, bool last)
{
	struct pt_err e = PT_ERR_INIT;

	if ((last || r->out.len >= OUT_BYTES) && pt_out_buf(out, &r->out, &e) < 0)
		pt_die(&tool, "%s", e.msg);
}

static void show_functions(struct run *r, struct pt_out *out, const struct pt_functions *fs)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf name = PT_BUF_INIT;
	size_t len;
	const char *text = r->a.json ? NULL : pt_functions_text(fs, &len);

	put_some(r, out, true);
	if (text) {
		if (pt_out_write(out, text, len, &e) < 0)
			pt_die(&tool, "%s", e.msg);
		return;
	}
	for (size_t i = 0; i < fs->nr; i++) {
		struct pt_function f = pt_functions_at(fs, i);

		if (r->a.json) {
			pt_buf_clear(&name);
			pt_buf_add(&name, f.name, f.len);
			pt_show_function_json(name.data, NULL, f.inlined, &r->out);
		} else {
			text = pt_functions_line(fs, i, &len);
			pt_buf_add(&r->out, text, len);
		}
		put_some(r, out, false);
	}
	pt_buf_deinit(&name);
}

static int kernel_funcs(struct run *r, char **patterns, int nr)
{
	struct pt_err e = PT_ERR_INIT;

	for (int k = 0; k < PT_MAX(nr, 1); k++) {
		struct pt_kernel_funcs fs;

		if (pt_kernel_funcs_list(&fs, nr ? patterns[k] : NULL, r->a.module, &e) < 0)
			pt_die(&tool, "%s", e.msg);
		for (size_t i = 0; i < fs.nr; i++)
			if (r->a.json) {
				pt_show_function_json(fs.v[i].name, fs.v[i].module, false, &r->out);
			} else {
				plain(&r->out, fs.v[i].name);
				pt_buf_putc(&r->out, '\n');
			}
		pt_kernel_funcs_deinit(&fs);
	}
	return 0;
}

static int file_funcs(struct run *r, struct pt_out *out, char **patterns, int nr)
{
	struct pt_err e = PT_ERR_INIT;
	size_t shown = 0;

	open_target(r);
	for (int k = 0; k < PT_MAX(nr, 1); k++) {
		struct pt_functions fs;

		if (pt_functions_list(&fs, &r->target, nr ? patterns[k] : NULL, r->a.inlined, &e) <
		    0)
			pt_die(&tool, "%s", e.msg);
		show_functions(r, out, &fs);
		shown += fs.nr;
		pt_functions_deinit(&fs);
	}
	if (!shown)
		pt_warn(&tool, "%s: no function%s%s", r->target.path,
			nr ? " matches " : " is known: it is stripped; name addresses: 0xADDRESS",
			nr ? patterns[0] : "");
	return !shown;
}

static int funcs(struct run *r, char **patterns, int nr)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_out *out;
	int rc;

	if (pt_out_open(&out, NULL, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	rc = r->a.file || r->a.vmlinux || (r->a.module && pt_image_is_file(r->a.module))
		     ? file_funcs(r, out, patterns, nr)
		     : kernel_funcs(r, patterns, nr);
	put_some(r, out, true);
	if (pt_out_close(out, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	return rc;
}

static int lines(struct run *r)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_listing l;

	if (!is_known(r))
		pt_die(&tool, "-L %s: lines are known with debug information: %s", r->a.lines,
		       r->no_image.msg);
	if (pt_listing_make(&l, open_target(r), r->a.lines, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (l.note)
		pt_warn(&tool, "%s", l.note);
	if (r->a.json)
		pt_show_lines_json(&l, &r->out);
	else
		pt_listing_print(&l, &r->out);
	pt_listing_deinit(&l);
	return 0;
}

static int variables(struct run *r)
{
	struct pt_point p;
	struct pt_err e = PT_ERR_INIT;
	int rc;

	if (pt_point_parse(&p, r->a.variables, &e) < 0)
		pt_usage(&tool, "%s", e.msg);
	if (is_known(r))
		rc = pt_show_vars(open_target(r), &p, r->a.json, &r->out, &e);
	else
		rc = pt_show_kernel_vars(&p, r->a.module, pt_make_machine(), r->a.json,
					 r->no_image.msg, &r->out, &e);
	pt_point_deinit(&p);
	if (rc < 0)
		pt_die(&tool, "%s", e.msg);
	return 0;
}

/* -- main -- */

/* Only one thing at a time. */
static void check_modes(const struct args *a, bool command)
{
	const char *const given[] = { a->list ? "-l" : NULL,      a->del.nr ? "-d" : NULL,
				      a->funcs ? "-F" : NULL,     a->lines ? "-L" : NULL,
				      a->variables ? "-V" : NULL, a->add.nr ? "-a" : NULL };
	const char *mode = NULL;

	for (size_t i = 0; i < PT_NR(given); i++) {
		if (given[i] && mode)
			pt_usage(&tool, "%s and %s: one at a time", mode, given[i]);
		mode = given[i] ? given[i] : mode;
	}
	if (mode && !a->add.nr && command)
		pt_usage(&tool, "%s runs no command", mode);
	if (command && a->dry)
		pt_usage(&tool, "-n makes no probe, so there is nothing to watch a command with");
	if ((a->file != NULL) + (a->vmlinux != NULL) + (a->module != NULL) > 1)
		pt_usage(&tool, "-x, -k and -m: one of them");
	if (a->all && a->first)
		pt_usage(&tool, "--all and --first: one of them");
	if (a->inlined && !a->funcs)
		pt_usage(&tool, "--inlined is for -F");
	if (a->maxactive && a->file)
		pt_usage(&tool, "--maxactive is for returns of the kernel's functions");
}

/* "work a b" in one word, as perf takes it, too. */
static void add_words(struct run *r, char **v, size_t nr, struct pt_made *m)
{
	char **words = NULL;
	size_t nr_words = 0, cap = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *s = v[i];

		while (*(s += strspn(s, " \t\n"))) {
			size_t len = nr_words ? strcspn(s, " \t\n") : pt_point_len(s);

			PT_GROW(words, nr_words, cap);
			words[nr_words++] = pt_strndup(s, len);
			s += len;
		}
	}
	if (!nr_words)
		pt_usage(&tool, "an empty point");
	add_defs(r, words, nr_words, m);
	while (nr_words)
		free(words[--nr_words]);
	free(words);
}

static int make_from(struct run *r, char **operands, int nr)
{
	struct pt_made m = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;
	int rc;

	if (!nr && !r->a.add.nr)
		pt_usage_forms(&tool, "what to probe is missing");
	if (!r->a.dry) {
		open_dyn(r);
		if (pt_dyn_allowed(&r->dyn, of_user(r), &e) < 0)
			give_up(r, &e);
	}
	if (nr)
		add_words(r, operands, (size_t)nr, &m);
	for (size_t i = 0; i < r->a.add.nr; i++) {
		char *one = (char *)(uintptr_t)r->a.add.v[i];

		add_words(r, &one, 1, &m);
	}
	rc = make(r, &m);
	pt_made_deinit(&m);
	return rc;
}

static void start_watch(struct run *r)
{
	struct pt_err e = PT_ERR_INIT;

	pt_probe_watch_group(r->a.file, &r->group);
	open_dyn(r);
	if (pt_dyn_allowed(&r->dyn, of_user(r), &e) < 0 ||
	    pt_probe_watch_start(&r->watch, r->group.data, &e) < 0)
		give_up(r, &e);
}

static void tell_limits(const struct pt_target *t)
{
	if (t->object && pt_budget_hit(&t->object->budget))
		pt_warn_limit(&tool, t->object->path, &t->object->budget);
	if (t->debug && t->debug != t->object && pt_budget_hit(&t->debug->budget))
		pt_warn_limit(&tool, t->debug->path, &t->debug->budget);
}

int main(int argc, char **argv)
{
	static struct run r;
	struct pt_err e = PT_ERR_INIT;
	int first, rc, n = 1;

	while (n < argc && strcmp(argv[n], "--"))
		n++;
	if (n < argc) {
		r.command = argv + n + 1;
		argv[n] = NULL;
		argc = n;
	}
	r.argv = argv;
	first = pt_opt_parse(&tool, argc, argv, &r.a);
	if (r.command && !*r.command)
		pt_usage(&tool, "-- and no command");
	check_modes(&r.a, r.command);
	if (r.command)
		start_watch(&r);
	if (r.a.list)
		rc = list(&r, argv + first, argc - first);
	else if (r.a.del.nr)
		rc = delete_all(&r, r.a.del.v, r.a.del.nr) |
		     (first < argc ? delete_all(&r, (const char *const *)argv + first,
						(size_t)(argc - first))
				   : 0);
	else if (r.a.funcs)
		rc = funcs(&r, argv + first, argc - first);
	else if (r.a.lines)
		rc = lines(&r);
	else if (r.a.variables)
		rc = variables(&r);
	else
		rc = make_from(&r, argv + first, argc - first);
	if (r.out.len && put_out(&r, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	pt_probe_watch_end(&r.watch);
	if (r.have_target) {
		tell_limits(&r.target);
		pt_target_deinit(&r.target);
	}
	free(r.image);
	pt_keep_close(r.keep);
	if (r.have_dyn)
		pt_dyn_close(&r.dyn);
	pt_buf_deinit(&r.out);
	pt_buf_deinit(&r.group);
	free(r.a.del.v);
	free(r.a.add.v);
	return rc;
}
