/* pt - lists the tools, a line each; `pt record ...` runs pt-record. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/input.h"
#include "cli/manuals.h"
#include "event/suggest.h"

static const struct pt_opt none[] = { { 0 } };

static const struct pt_tool tool = {
	.name = "pt",
	.purpose = "The tools; pt TOOL runs pt-TOOL",
	.forms = PT_LINES("[TOOL [ARG...]]"),
	.groups = PT_GROUPS(PT_OWN("Options", none)),
	.examples = PT_LINES(
		"pt                            list the tools",
		"pt record --block -- fio job.fio"),
	.runs_command = true,
};

static int list(void)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;

	for (const struct pt_manual *m = pt_manuals; m->name; m++)
		pt_buf_printf(&b, "%-14s %s\n", m->name, m->purpose);
	pt_buf_puts(&b,
		    "\n`pt TOOL --help` and `man pt-TOOL` tell more; `man pt` is the overview.\n");
	return pt_finish_text(&tool, NULL, &b, 0, &e);
}

/* Words of perf whose tools have other names here. */
static const struct { const char *word, *here; } of_perf[] = {
	{ "sched", "perf sched record is pt record --sched; latency, timehist and map are pt schedlat, pt timehist and pt schedmap" },
	{ "data", "perf data convert is pt convert" },
	{ "archive", "pt record --archive copies what a recording names beside it" },
	{ "evlist", "pt script --header-only shows the events of a recording" },
	{ "ftrace", "pt record --ring tracefs records by ftrace's rings, and pt script reads trace.dat" },
};

static void unknown(const char *name)
{
	struct pt_buf near = PT_BUF_INIT;
	struct pt_suggest s;

	for (size_t i = 0; i < PT_NR(of_perf); i++)
		if (!strcmp(name, of_perf[i].word))
			pt_usage(&tool, "there is no tool %s: %s", name, of_perf[i].here);

	pt_suggest_begin(&s, name);
	for (const struct pt_manual *m = pt_manuals; m->name; m++)
		pt_suggest_look(&s, m->name + strlen("pt-"));
	pt_suggest_end(&s, &near);
	if (near.len)
		pt_usage(&tool, "there is no tool %s; did you mean %s?", name, near.data);
	pt_usage(&tool, "there is no tool %s: `pt` lists them", name);
}

/* Runs the tool beside this program, else the one on PATH. Returns only on failure. */
static void run(const char *name, char **argv)
{
	char self[PATH_MAX], *slash, *path;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	argv[0] = pt_asprintf("pt-%s", name);
	if (len > 0) {
		self[len] = '\0';
		slash = strrchr(self, '/');
		path = pt_asprintf("%.*s/%s", (int)(slash - self), self, argv[0]);
		execv(path, argv);
		free(path);
	}
	execvp(argv[0], argv);
}

int main(int argc, char **argv)
{
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, NULL);
	const char *name;

	if (!operands.nr)
		return list();
	name = operands.v[0];
	if (!strncmp(name, "pt-", strlen("pt-")))
		name += strlen("pt-");
	for (const struct pt_manual *m = pt_manuals; m->name; m++)
		if (!strcmp(m->name + strlen("pt-"), name)) {
			run(name, operands.v);
			pt_die(&tool, "%s: %s", operands.v[0], strerror(errno));
		}
	unknown(name);
}
