#include "cli/probed.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/losses.h"

#define ROW(...) PT_ROW_OF(struct pt_probed, __VA_ARGS__)

const struct pt_opt pt_opts_probed[] = {
	ROW('x', "exec", "FILE",
	    "a program or library: a path, a program in this directory or on PATH, a library by soname",
	    PT_OPT_STR, subject.file),
	ROW('k', "vmlinux", "FILE",
	    "kernel image with debug information (default: where packages install it)", PT_OPT_STR,
	    subject.vmlinux),
	ROW('m', "module", "MODULE",
	    "a module of the running kernel, or the path of a module's file",
	    PT_OPT_STR, subject.module),
	ROW(0, "target-ns", "PID", "FILE is a path as this process sees it, in a container",
	    PT_OPT_U64, target_ns, .min = 1, .max = INT32_MAX),
	ROW(0, "symfs", "DIR", "look for debug files below DIR", PT_OPT_STR, subject.opts.symfs),
	ROW(0, "debuginfod", NULL, "ask servers for debug files ($DEBUGINFOD_URLS)", PT_OPT_FLAG,
	    subject.opts.debuginfod),
	ROW('s', "source", "DIR", "look for source files in DIR first", PT_OPT_STR,
	    subject.opts.source_dir),
	{ 0 }
};

/* `pt-probe /usr/bin/prog FUNC` */
static void check_file(const struct pt_tool *tool, const struct pt_probed *p,
		       const struct pt_operands *o)
{
	if (o->nr > 1 && *o->v[0] == '/' && !pt_subject_is_file(&p->subject) &&
	    !access(o->v[0], F_OK))
		pt_usage(tool, "%s: the file goes after -x: %s -x %s %s", o->v[0], tool->name,
			 o->v[0], o->v[1]);
}

void pt_probed_ready(const struct pt_tool *tool, struct pt_probed *p,
		     const struct pt_operands *operands)
{
	struct pt_subject *s = &p->subject;

	if ((s->file != NULL) + (s->vmlinux != NULL) + (s->module != NULL) > 1)
		pt_usage(tool, "-x, -k and -m: one of them");
	check_file(tool, p, operands);
	if (!p->target_ns)
		return;
	if (!s->file || *s->file != '/')
		pt_usage(tool, "--target-ns is for -x with a whole path: -x /usr/bin/prog");
	p->path = pt_asprintf("/proc/%llu/root%s", (unsigned long long)p->target_ns, s->file);
	s->file = p->path;
}

void pt_probed_tell(const struct pt_tool *tool, const struct pt_probed *p)
{
	const struct pt_target *t = &p->subject.target;

	if (!p->subject.open)
		return;
	if (pt_budget_hit(&t->object->budget))
		pt_warn_limit(tool, t->object->path, &t->object->budget);
	if (t->debug && t->debug != t->object && pt_budget_hit(&t->debug->budget))
		pt_warn_limit(tool, t->debug->path, &t->debug->budget);
}

void pt_probed_deinit(struct pt_probed *p)
{
	pt_subject_deinit(&p->subject);
	free(p->path);
}
