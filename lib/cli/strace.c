#include "cli/strace.h"

#include <string.h>

#include "syscall/sums.h"

#define INSTEAD PT_ROW_INSTEAD	/* the argument as strace has it */
#define NOTHING(letter_, name_) PT_ROW_HABIT(letter_, name_, NULL)

static const char never_stops[] = "pt-trace stops and changes nothing: strace does that";
static const char whole[] = "structures are printed in short: strace prints them whole";

const struct pt_opt pt_opts_strace[] = {
	INSTEAD('A', "output-append-mode", NULL, "pt-trace ... >> FILE appends"),
	INSTEAD('b', "detach-on", "CALL", "nothing is attached; --for SECONDS ends it"),
	INSTEAD('d', "debug", NULL, "pt-doctor tells what can be traced here"),
	INSTEAD('E', "env", "VAR", "pt-trace -- env VAR=VALUE COMMAND"),
	INSTEAD('k', NULL, NULL, "strace's -k is -g here; --absolute-timestamps chooses the clock"),
	INSTEAD('O', "summary-syscall-overhead", "TIME", "durations are without overhead"),
	INSTEAD(0, "user", "USER", "pt-trace -- runuser -u USER -- COMMAND"),
	INSTEAD('U', "summary-columns", "COLUMNS", "-j has the columns by name"),
	INSTEAD('v', "no-abbrev", NULL, whole),
	INSTEAD('V', NULL, NULL, "--version"),
	NOTHING('w', "summary-wall-clock"),
	INSTEAD('x', "strings-in-hex", "[WHICH]", "what is not printable is octal; -j has it all"),
	INSTEAD('X', "const-print-style", "STYLE", "constants have their names"),
	INSTEAD('Y', "decode-pids", NULL, "numbers of processes are the machine's; -j has them"),
	INSTEAD(0, "attach", "PID", "-p PID"),
	INSTEAD(0, "daemonize", "[HOW]", "pt-trace ... &"),
	INSTEAD(0, "argv0", "NAME", "pt-trace -- bash -c 'exec -a NAME COMMAND'"),
	INSTEAD(0, "fault", "CALLS", never_stops),
	INSTEAD(0, "inject", "CALLS", never_stops),
	INSTEAD(0, "instruction-pointer", NULL, "-g prints where each call comes from"),
	INSTEAD(0, "interruptible", "WHEN", "signals end pt-trace, never the watched processes"),
	INSTEAD(0, "kill-on-exit", NULL, "a command ends with pt-trace"),
	INSTEAD(0, "seccomp-bpf", NULL, "calls that -e leaves out cost next to nothing without it"),
	INSTEAD(0, "secontext", "[WHAT]", "contexts of SELinux are not printed"),
	INSTEAD(0, "stack-traces", "[HOW]", "-g"),
	INSTEAD(0, "syscall-limit", "N", "pt-trace ... | head -n N"),
	INSTEAD(0, "tips", "[WHICH]", "pt-trace --help has examples"),
	INSTEAD(0, "verbose", "CALLS", whole),
	{ 0 }
};

const char *pt_strace_hint(char letter)
{
	switch (letter) {
	case 'a': return "strace's -a is --columns here";
	case 'C': return "strace's -C is -S here";
	case 'D': return "instead of strace's -D run pt-trace ... & here";
	case 'i': return "strace's -i is -g here";
	case 'I': return "strace's -I is not needed: signals never end what is watched";
	case 'S': return "strace's -S is --summary-sort-by here";
	case 'u': return "strace's -u is: pt-trace -- runuser -u USER -- COMMAND";
	case 's': return "perf trace's -s is -c here, its -S is -S";
	case 't': return "strace's -t is --absolute-timestamps here; -tt and -ttt are the same";
	default: return NULL;
	}
}

void pt_strace_check(const struct pt_tool *tool, bool all_cpus, bool sums,
		     const struct pt_operands *operands)
{
	const char *word = operands->nr ? operands->v[0] : "";
	struct pt_err e;
	int value;

	if (operands->dashes || !*word)
		return;
	if (all_cpus && !word[strspn(word, "0123456789")])
		pt_usage(tool, "-a %s: %s", word, pt_strace_hint('a'));
	if (sums && pt_word_value(pt_sums_sorts, word, &value, &e) == 0)
		pt_usage(tool, "-S %s: %s", word, pt_strace_hint('S'));
}
