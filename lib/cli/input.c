#include "cli/input.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/program.h"
#include "record/watch/live.h"

const struct pt_opt pt_opts_input[] = {
	PT_ROW_OF(struct pt_input_args, 'i', "input", "FILE",
		  "read this recording, like the operand FILE; -: standard input", PT_OPT_STR,
		  file),
	{ 0 }
};

const char *const pt_input_forms[] = { "[OPTION...] [FILE... | -]",
				       "[OPTION...] [-a | -p PID] [-- COMMAND [ARG...]]", NULL };

bool pt_input_is_piped(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISREG(st.st_mode));
}

static void input_once(int sig)
{
	(void)sig;
}

void pt_input_hold_interrupt(void)
{
	struct sigaction old,
		sa = { .sa_handler = input_once, .sa_flags = (int)SA_RESETHAND | SA_RESTART };

	if (!sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGINT, &sa, NULL);
}

/* Is the operand meant as a program to run? It is on PATH and no file here, or executable and no
 * recording. */
static bool is_program(const char *operand)
{
	char magic[8] = "";
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(operand, &st) < 0)
		return !strchr(operand, '/') && !pt_program_find(operand, NULL);
	if (!S_ISREG(st.st_mode) || access(operand, X_OK) < 0 ||
	    (fd = open(operand, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0)
		return false;
	n = read(fd, magic, sizeof(magic));
	close(fd);
	return n > 2 && (!memcmp(magic, "#!", 2) || (n > 4 && !memcmp(magic, "\177ELF", 4)));
}

static void input_check_operand(const struct pt_tool *tool, const struct pt_watch_args *w,
				const char *operand)
{
	if (!is_program(operand))
		return;
	if (!w)
		pt_usage(tool, "'%s' is a program, not a recording", operand);
	pt_usage(tool, "'%s' is not a recording; did you mean -- %s?", operand, operand);
}

/* `perf TOOL record COMMAND`, `perf TOOL report` */
static void input_check_word(const struct pt_tool *tool, const struct pt_operands *operands)
{
	const char *word = operands->nr ? operands->v[0] : "";

	if ((!strcmp(word, "record") || !strcmp(word, "report")) && access(word, F_OK))
		pt_usage(tool, "'%s': pt-record makes recordings, %s FILE reads them", word,
			 tool->name);
}

/* Each operand is a recording. */
static void check_operands(const struct pt_tool *tool, const struct pt_watch_args *w,
			   const struct pt_operands *operands)
{
	char **v = operands->v;

	input_check_word(tool, operands);
	for (int i = 0; i < operands->nr; i++) {
		if (i && w && is_program(v[i]))
			pt_usage(tool, "'%s' and '%s': a recording or a command, not both (a command goes alone, after --)",
				 v[0], v[i]);
		if (strcmp(v[i], "-"))
			input_check_operand(tool, w, v[i]);
		else if (operands->nr > 1)
			pt_usage(tool, "'%s' and '%s': standard input is read alone", v[0], v[1]);
	}
}

/* The input: a path (the first of several), "-", or NULL for a live session. */
static const char *input_choose(const struct pt_tool *tool, const struct pt_watch_args *w,
				const struct pt_input_args *in, const struct pt_operands *operands)
{
	const char *file = in ? in->file : NULL, *live = w ? pt_watch_asked(w) : NULL, *hint;
	char **v = operands->v;
	int nr = operands->nr;

	if (nr && (operands->dashes || tool->runs_command)) {
		if (file)
			pt_usage(
				tool,
				"-i %s and a command ('%s'): a recording or a live session, not both",
				file, v[0]);
		if (!w)
			pt_usage(tool, "'%s': this tool runs no commands", v[0]);
		return NULL;
	}
	if (!nr && operands->dashes)
		pt_usage(tool, "-- without a command");
	if (nr && file)
		pt_usage(tool, "-i %s and '%s': several recordings go without -i", file, v[0]);
	if (nr) {
		file = v[0];
		check_operands(tool, w, operands);
	}
	hint = live && live[1] != '-' && tool->hint ? tool->hint(live[1]) : NULL;
	if (file && live)
		pt_usage(tool, "'%s' and %s: a recording or a live session, not both%s%s", file,
			 live, hint ? "; " : "", hint ? hint : "");
	if (file || live)
		return file;
	if (pt_input_is_piped())
		return "-";
	if (w && w->preset)	/* a preset implies -a */
		return NULL;
	if (!access(PT_INPUT_DEFAULT, F_OK))
		return PT_INPUT_DEFAULT;
	pt_usage_forms(
		tool,
		"nothing to read: no recording is named, standard input is not a pipe, and there is no " PT_INPUT_DEFAULT
		" here");
}

int pt_input_open(const struct pt_tool *tool, struct pt_source **s, struct pt_watch_args *w,
		  const struct pt_input_args *in, const struct pt_operands *operands,
		  const char *default_events, struct pt_err *e)
{
	const char *file = input_choose(tool, w, in, operands);
	struct pt_source_opts o = { .start = in ? in->start : NULL,
				    .start_len = in ? in->start_len : 0 };

	if (!file) {
		if (pt_watch_ready(tool, w, operands, default_events, e) < 0)
			return -1;
		w->watch.exclude_self = true;
		if (w->watch.command_output == PT_COMMAND_AS_IS && !w->command_as_is)
			w->watch.command_output = PT_COMMAND_TO_STDERR;
		return pt_source_open_live(s, &w->watch, e);
	}
	if (!strcmp(file, "-")) {
		if (isatty(STDIN_FILENO))
			pt_usage(tool,
				 "standard input is a terminal, and a recording cannot be typed");
		pt_input_hold_interrupt();
	}
	if (operands->nr > 1)
		return pt_source_open_several(s, (const char *const *)operands->v,
					      (size_t)operands->nr, e);
	return pt_source_open(s, file, &o, e);
}
