#include "cli/opt_priv.h"

#include <string.h>

/* One row an option: the tools, its letter, name and argument as perf has them, and what is said of
 * it. ALWAYS: accepted in silence. NO_EFFECT: accepted with a warning. INSTEAD: refused. */
#define HABIT(kind_, tools_, letter_, name_, arg_, hint_) \
	{ .tools = (tools_), .letter = (letter_), .name = (name_), .arg = (arg_), \
	  .hint = (hint_), .kind = (kind_) }
#define ALWAYS(...) HABIT(PT_OPT_HABIT, __VA_ARGS__, NULL)
#define NO_EFFECT(...) HABIT(PT_OPT_NO_EFFECT, __VA_ARGS__)
#define INSTEAD(...) HABIT(PT_OPT_INSTEAD, __VA_ARGS__)

#define READERS "script report annotate"
#define SCHED "schedmap schedlat timehist"

static const char dump[] = "type pt-script --dump-raw-trace";
static const char no_aux[] =
	"pt records samples only; for traces of the processor (Intel PT, ARM SPE) use perf "
	"record and perf script";
static const char no_guest[] =
	"pt does not name the code of virtual machines' guests; use perf kvm";
static const char switched[] =
	"events do not switch the output on or off; --time FROM,TO chooses a part of the "
	"recording";
static const char in_tool[] = "no effect: arguments are always printed by pt's own tables";
static const char by_itself[] =
	"no effect: symbols are read from the files that were mapped; --vmlinux FILE names the "
	"kernel's file";
static const char objdump[] = "no effect: the objdump that is first on PATH is used";
static const char screen[] =
	"this tool prints text only; pt-top FILE shows the profile on a full screen";
static const char one_thread[] = "no effect: one thread reads the rings of all CPUs";
static const char maps_in_time[] =
	"no effect: the maps of a process are read when its first sample comes, without a time "
	"limit";
static const char source_path[] = "no effect: pt-annotate --prefix and --prefix-strip change paths "
				  "of source files";
static const char no_buckets[] =
	"no effect: percentages are always of all samples, as with perf's 'absolute'";
static const char branches[] =
	"this tool does not evaluate branches; pt-record -b records them, pt-script -F brstack "
	"prints them";

const struct pt_habit pt_habits[] = {
	/* of many tools */
	ALWAYS("record stat script probe annotate top trace schedmap schedlat timehist", 'v',
	       "verbose", NULL),
	ALWAYS(READERS " trace " SCHED, 'f', "force", NULL),
	ALWAYS("top", 0, "force", NULL),
	ALWAYS("report annotate", 'q', "quiet", NULL),
	ALWAYS("report annotate top", 0, "stdio", NULL),
	ALWAYS("annotate", 0, "stdio2", NULL),
	INSTEAD("report annotate", 0, "tui", NULL, screen),
	INSTEAD("report annotate", 0, "gtk", NULL, screen),
	ALWAYS("top", 0, "tui", NULL),
	NO_EFFECT("report annotate", 0, "stdio-color", "MODE", "no effect: tables have no colors"),
	INSTEAD("report annotate top " SCHED, 0, "dump-raw-trace", NULL, dump),
	INSTEAD(READERS " record", 0, "itrace", "[OPTS]", no_aux),
	ALWAYS(READERS " probe top", 0, "demangle", NULL),
	NO_EFFECT(READERS " probe top", 0, "demangle-kernel", NULL,
		  "no effect: kernel symbols are shown as they are in the kernel's symbol table"),
	ALWAYS("report script", 0, "inline", NULL),
	NO_EFFECT("report annotate", 0, "modules", NULL, by_itself),
	NO_EFFECT("report annotate top", 0, "ignore-vmlinux", NULL, by_itself),
	NO_EFFECT("report annotate top", 0, "objdump", "PATH", objdump),
	NO_EFFECT("report script", 0, "full-source-path", NULL, source_path),
	NO_EFFECT("report top", 0, "prefix", "PREFIX", source_path),
	NO_EFFECT("report top", 0, "prefix-strip", "N", source_path),
	INSTEAD("report top", 'M', "disassembler-style", "SYNTAX",
		"this tool shows no instructions as text; type pt-annotate -M SYNTAX"),
	INSTEAD("report top", 0, "asm-raw", NULL,
		"this tool shows no bytes of instructions; type pt-annotate --asm-raw"),
	ALWAYS("report annotate top", 0, "source", NULL),
	INSTEAD("report top script trace", 0, "switch-on", "EVENT", switched),
	INSTEAD("report top script trace", 0, "switch-off", "EVENT", switched),
	NO_EFFECT("report top script trace", 0, "show-on-off-events", NULL,
		  "no effect: pt does not have --switch-on and --switch-off"),
	NO_EFFECT("report top script", 0, "stitch-lbr", NULL,
		  "no effect: call chains that the hardware recorded (LBR) are shown as they are"),
	NO_EFFECT("report top", 0, "percentage", "HOW", no_buckets),
	NO_EFFECT("report top", 0, "group-sort-idx", "N",
		  "no effect: rows are sorted by the first event of the group"),
	NO_EFFECT("report top", 0, "ignore-callees", "REGEX",
		  "no effect: call chains are not cut here; pt-fold reshapes folded stacks, see "
		  "pt-fold --help"),
	NO_EFFECT("report top", 0, "raw-trace", NULL,
		  "no effect: -s trace always prints the fields as the event's format says"),
	NO_EFFECT("record top trace", 0, "proc-map-timeout", "MS", maps_in_time),
	NO_EFFECT("record top", 0, "num-thread-synthesize", "N", one_thread),
	NO_EFFECT("record top", 'r', "realtime", "PRIORITY",
		  "no effect: the tool keeps its priority; put chrt -f PRIORITY before the "
		  "command line"),
	ALWAYS("top", 0, "all-cgroups", NULL),
	ALWAYS("record top", 0, "namespaces", NULL),
	ALWAYS("top", 0, "no-bpf-event", NULL),
	NO_EFFECT("record", 0, "no-bpf-event", NULL,
		  "no effect: BPF programs are always recorded, so that their code has names"),
	INSTEAD("top", 0, "overwrite", NULL,
		"the latest events alone: pt-top --window SECONDS keeps them"),

	INSTEAD("record stat top", 0, "pfm-events", "EVENTS",
		"give names of libpfm4 to -e, as -e pfm:NAME"),

	/* perf record */
	ALWAYS("record", 'P', "period", NULL),
	ALWAYS("record", 'T', "timestamp", NULL),
	ALWAYS("record", 0, "sample-cpu", NULL),
	ALWAYS("record", 0, "sample-identifier", NULL),
	ALWAYS("record", 0, "running-time", NULL),
	ALWAYS("record", 0, "exclude-perf", NULL),
	ALWAYS("record", 0, "buildid-all", NULL),
	ALWAYS("record", 0, "buildid-mmap", NULL),
	ALWAYS("record", 'N', "no-buildid-cache", NULL),
	INSTEAD("record", 'S', NULL, "[OPTS]", no_aux),
	INSTEAD("record", 0, "aux-sample", "[OPTS]", no_aux),
	NO_EFFECT("record", 0, "per-thread", NULL,
		  "no effect: each CPU has one ring, and each sample names its thread"),
	NO_EFFECT("record", 0, "affinity", "WHERE", one_thread),
	NO_EFFECT("record", 0, "threads", "[SPEC]", one_thread),
	NO_EFFECT("record", 0, "aio", "[N]",
		  "no effect: the file is written without asynchronous I/O"),
	NO_EFFECT("record", 0, "mmap-flush", "BYTES",
		  "no effect: rings are read ten times a second, and earlier if they fill up"),
	NO_EFFECT("record", 0, "no-buffering", NULL,
		  "no effect: rings are read ten times a second; pt-script -e EVENT prints events "
		  "as they come"),
	INSTEAD("record", 0, "clang-opt", "OPTIONS",
		"pt does not compile BPF programs, so it passes no options to clang"),
	INSTEAD("record", 0, "clang-path", "PATH",
		"pt does not compile BPF programs, so it passes no options to clang"),
	NO_EFFECT("record", 0, "debuginfod", "[URLS]",
		  "no effect: give --debuginfod to the tool that reads the recording"),
	INSTEAD("record", 0, "kcore", NULL,
		"recordings do not hold the kernel's code; pt-annotate reads that of the "
		"running kernel from /proc/kcore"),
	NO_EFFECT("record", 0, "strict-freq", NULL,
		  "no effect: a frequency above the kernel's limit is always an error"),
	NO_EFFECT("record", 0, "synth", "WHAT",
		  "no effect: tasks that run already, and their maps, are always recorded"),
	NO_EFFECT("record", 0, "tail-synthesize", NULL,
		  "no effect: a task that runs already is recorded when its first sample comes"),
	NO_EFFECT("record", 0, "timestamp-boundary", NULL,
		  "no effect: --time of the tools that read works without it"),
	INSTEAD("record", 0, "timestamp-filename", NULL,
		"the name is the one that -o gives; type -o perf.data.$(date +%Y%m%d%H%M%S)"),
	NO_EFFECT("record", 0, "vmlinux", "FILE",
		  "no effect: give --vmlinux to the tool that reads the recording"),

	/* perf stat */
	ALWAYS("stat", 'B', "big-num", NULL),
	INSTEAD("stat", 'T', "transaction", NULL,
		"transactions are counted by name: -e tx-start,tx-commit,tx-abort (on CPUs that "
		"have them)"),
	INSTEAD("stat", 0, "cputype", "TYPE",
		"the event itself names the kind of CPU: -e cpu_core/cycles/"),
	NO_EFFECT("stat", 0, "hybrid-merge", NULL, "no effect: each kind of CPU has its own line"),
	INSTEAD("stat", 0, "iostat", "[PORTS]",
		"pt does not count traffic on PCIe ports; pt-lat --block prints the latencies "
		"of disks"),
	NO_EFFECT("stat", 0, "metric-no-group", NULL,
		  "no effect: the hardware events of a metric are one group"),
	NO_EFFECT("stat", 0, "metric-no-merge", NULL,
		  "no effect: events of several metrics are counted once"),
	NO_EFFECT("stat", 0, "metric-no-threshold", NULL,
		  "no effect: figures are shown whatever their value"),
	INSTEAD("stat", 0, "percore-show-thread", NULL,
		"the threads of a core are not printed beside its sum; -A prints each CPU, "
		"--per-core the sums"),
	INSTEAD("stat", 0, "smi-cost", NULL,
		"the cost of SMIs is not computed; -a -e msr/smi/,msr/aperf/ counts what it is "
		"made of"),
	NO_EFFECT("stat", 0, "td-level", "N",
		  "no effect: --topdown prints every level that the CPU counts"),
	INSTEAD("stat", 0, "bpf-counters", NULL,
		"pt does not count by BPF programs; leave the option out to count by the "
		"kernel's counters"),
	INSTEAD("stat", 'b', "bpf-prog", "IDS",
		"pt does not count for BPF programs; use bpftool prog profile"),
	INSTEAD("stat", 0, "bpf-attr-map", "PATH",
		"pt does not count by BPF programs; leave the option out to count by the "
		"kernel's counters"),

	/* perf script */
	INSTEAD("script", 'g', "gen-script", "LANG",
		"pt writes no templates; pt-script -s FILE.py runs a script, perf script -g writes one"),
	INSTEAD("script", 'l', "list", NULL,
		"scripts are run by their file, as pt-script -s FILE.py; perf script -l lists perf's"),
	INSTEAD("script", 0, "dlfilter", "FILE",
		"pt loads no filters; pipe JSON lines into a program: pt-script -j | FILTER"),
	INSTEAD("script", 0, "dlarg", "ARG",
		"pt loads no filters; pipe JSON lines into a program: pt-script -j | FILTER"),
	INSTEAD("script", 0, "list-dlfilters", NULL,
		"pt loads no filters; pipe JSON lines into a program: pt-script -j | FILTER"),
	INSTEAD("script", 'L', "Latency", NULL, "pt-lat prints latencies"),
	NO_EFFECT("script", 'd', "debug-mode", NULL, "no effect: lost events are always reported"),
	INSTEAD("report", 'I', "show-info", NULL, "type --header"),
	INSTEAD("script", 0, "dump-unsorted-raw-trace", NULL,
		"records are printed in order of time; type pt-script --dump-raw-trace"),
	INSTEAD("script", 0, "addr-range", "BYTES",
		"samples are not grouped by ranges of addresses; pipe them into awk: pt-script "
		"-F comm,time,ip,sym | awk"),
	INSTEAD("script", 0, "call-trace", "[OPTS]", no_aux),
	INSTEAD("script", 0, "call-ret-trace", "[OPTS]", no_aux),
	INSTEAD("script", 0, "insn-trace", "[HOW]", no_aux),
	INSTEAD("script", 0, "xed", NULL, "instructions are printed as bytes; pt-annotate "
		"prints their text"),
	INSTEAD("script", 0, "graph-function", "NAMES",
		"calls are not traced; pt-lat --probe ENTRY,RETURN measures the calls of a "
		"function"),
	INSTEAD("script", 0, "guest-code", NULL, no_guest),
	INSTEAD("script", 0, "guestkallsyms", "FILE", no_guest),
	INSTEAD("script", 0, "guestmodules", "FILE", no_guest),
	INSTEAD("script", 0, "guestmount", "DIR", no_guest),
	INSTEAD("script", 0, "guestvmlinux", "FILE", no_guest),
	INSTEAD("script", 0, "per-event-dump", NULL,
		"all events are printed together; for a file of each type pt-script | grep "
		"EVENT: > FILE"),
	NO_EFFECT("script", 0, "show-kernel-path", NULL,
		  "no effect: the kernel is always shown as [kernel.kallsyms]"),
	NO_EFFECT("script", 0, "show-round-events", NULL,
		  "no effect: pt sorts by time and has no use for these records"),
	NO_EFFECT("script", 0, "show-text-poke-events", NULL,
		  "no effect: changes of the kernel's code are not printed"),
	INSTEAD("script", 0, "stop-bt", "NAMES",
		"call chains do not end at names; --max-stack N cuts them by length"),

	/* perf report */
	INSTEAD("report", 'b', "branch-stack", NULL, branches),
	INSTEAD("report", 0, "branch-history", NULL, branches),
	INSTEAD("report", 0, "total-cycles", NULL, branches),
	INSTEAD("report", 'T', "threads", NULL,
		"counts by thread are not printed; -s tid,comm shows the samples of each "
		"thread, pt-stat --per-thread counts"),
	INSTEAD("report", 'U', "hide-unresolved", NULL,
		"rows without a name are always shown; to leave them out type pt-report | grep "
		"-v '\\[unknown\\]'"),
	INSTEAD("report", 'x', "exclude-other", NULL,
		"rows without a matching parent are always shown; -s parent --parent REGEX "
		"makes them one row, [other]"),
	NO_EFFECT("report", 0, "disable-order", NULL,
		  "no effect: records are always sorted by time"),
	INSTEAD("report", 0, "header-only", NULL, "type pt-script --header-only"),
	INSTEAD("report", 0, "mem-mode", NULL,
		"there is no table of memory accesses; pt-script -F addr,weight,data_src prints "
		"each one"),
	INSTEAD("report", 0, "mmaps", NULL, "type pt-script --show-mmap-events"),
	NO_EFFECT("report", 0, "ns", NULL,
		  "no effect: -s time has one row for each --time-quantum"),
	NO_EFFECT("report", 0, "percent-type", "TYPE",
		  "no effect: this is an option of pt-annotate"),
	NO_EFFECT("report", 0, "pretty", "KEY",
		  "no effect: there is one form of tables; -t SEP separates columns for programs"),
	NO_EFFECT("report", 0, "samples", "N",
		  "no effect: rows do not keep single samples; pt-script prints them"),
	INSTEAD("report", 0, "show-cpu-utilization", NULL,
		"times of CPUs are not printed; -s cpu has a row for each CPU, pt-stat -a counts"),
	NO_EFFECT("report", 0, "show-ref-call-graph", NULL,
		  "no effect: each event shows its own call chains"),
	ALWAYS("report", 0, "skip-empty", NULL),
	INSTEAD("report", 0, "socket-filter", "N", "choose by CPU: --cpu CPUS"),
	INSTEAD("report", 0, "symbol-filter", "TEXT", "choose by a pattern: -S '*TEXT*'"),

	/* What the tools that read recordings have, given to those that read text */
	INSTEAD("fold flame diff", 'i', "input", "FILE", "files are operands, without an option"),
	INSTEAD("diff", 0, "time", "FROM,TO",
		"pt-report --base OLD --time FROM,TO NEW compares recordings"),

	/* perf diff, which is --base */
	INSTEAD("report", 0, "baseline-only", NULL,
		"with --base, functions that one profile alone has are always shown"),
	INSTEAD("report", 0, "compute", "HOW",
		"--base OLD prints differences of percentages, as perf's delta-abs"),
	INSTEAD("report", 0, "cycles-hist", NULL, branches),
	INSTEAD("report", 0, "formula", NULL,
		"--base OLD prints differences of percentages, as perf's delta-abs"),
	INSTEAD("report", 0, "order", "N", "with --base, the largest change is first"),
	INSTEAD("report", 0, "period", NULL, "type --show-total-period"),
	INSTEAD("report", 0, "stream", NULL, branches),

	/* perf annotate */
	INSTEAD("annotate", 0, "group", NULL,
		"events are not shown side by side; -e EVENT chooses one"),
	INSTEAD("annotate", 0, "percent-limit", "PERCENT",
		"functions are not chosen by their share; -s NAME chooses by name"),
	NO_EFFECT("annotate", 0, "show-total-period", NULL,
		  "no effect: periods are not printed; -n prints numbers of samples"),
	ALWAYS("annotate", 'P', "full-paths", NULL),
	ALWAYS("annotate", 0, "skip-missing", NULL),

	/* perf top */
	INSTEAD("top", 'b', "branch-any", NULL, branches),
	INSTEAD("top", 'j', "branch-filter", "FILTER", branches),
	INSTEAD("top", 0, "dump-symtab", NULL,
		"symbol tables are not printed; pt-probe -x FILE -F lists functions"),
	INSTEAD("top", 'f', "count-filter", "N",
		"rows are not left out by their share; -E N shows the first N rows"),
	INSTEAD("top", 0, "percent-limit", "PERCENT",
		"rows are not left out by their share; -E N shows the first N rows"),
	ALWAYS("top", 0, "children", NULL),
	INSTEAD("top", 0, "fields", "FIELDS",
		"columns are not chosen by name; -s KEYS and -n choose what is shown"),
	INSTEAD("top", 'w', "column-widths", "WIDTHS",
		"columns are as wide as they need to be; for fixed widths use pt-report -w "
		"WIDTHS"),
	INSTEAD("top", 0, "hierarchy", NULL,
		"this tool shows no hierarchy; use pt-report --hierarchy"),
	INSTEAD("top", 0, "group", NULL,
		"events are not shown side by side; use pt-report --group"),
	INSTEAD("top", 0, "comms", "NAMES", "type --comm NAMES"),
	INSTEAD("top", 0, "dsos", "FILES",
		"files are not chosen by name; -s dso has a row for each file"),
	INSTEAD("top", 0, "symbols", "NAMES",
		"functions are not chosen by name; use pt-report -S NAMES"),
	INSTEAD("top", 0, "sym-annotate", "NAME",
		"press Enter on a function's row to see its code, or type pt-annotate -s NAME"),
	NO_EFFECT("top", 0, "show-total-period", NULL,
		  "no effect: periods are not shown; -n shows numbers of samples"),
	NO_EFFECT("top", 0, "no-inherit", NULL,
		  "no effect: new children are watched too; -t TIDS watches single threads"),
	INSTEAD("top", 0, "hide_kernel_symbols", NULL, "type -K"),
	INSTEAD("top", 0, "hide_user_symbols", NULL, "type -U"),

	/* perf trace */
	INSTEAD("trace", 0, "event", "EVENTS",
		"this tool shows system calls only, chosen by -e CALLS; pt-script -e EVENTS "
		"prints other events"),
	INSTEAD("trace", 'F', "pf", "WHICH",
		"this tool shows system calls only; for page faults type pt-script -e "
		"page-faults,major-faults"),
	INSTEAD("trace", 0, "errno-summary", NULL,
		"errors are not counted by their number; -c counts failed calls, --errno ERRORS "
		"chooses calls by error"),
	INSTEAD("trace", 0, "filter", "EXPR",
		"calls are not chosen by expressions; -e CALLS, -P PATH, --errno and --duration "
		"choose them"),
	INSTEAD("trace", 0, "filter-pids", "PIDS",
		"processes are not left out by number; type pt-trace | grep -v"),
	INSTEAD("trace", 0, "kernel-syscall-graph", NULL,
		"the kernel's part of call chains is not shown; -g prints the caller's stack"),
	INSTEAD("trace", 0, "map-dump", "MAP",
		"pt does not print BPF maps; type bpftool map dump name MAP"),
	INSTEAD("trace", 0, "max-events", "N",
		"the number of lines is not limited; type pt-trace | head -n N"),
	INSTEAD("trace", 0, "min-stack", "N",
		"short stacks are not left out; --max-stack N cuts long ones"),
	INSTEAD("trace", 0, "sched", NULL,
		"waits for a CPU are not shown; use pt-timehist, or pt-stack --off-cpu"),
	NO_EFFECT("trace", 0, "no-inherit", NULL,
		  "no effect: new children are watched too; -t TIDS watches single threads"),
	NO_EFFECT("trace", 0, "libtraceevent_print", NULL, in_tool),
	NO_EFFECT("trace", 0, "print-sample", NULL,
		  "no effect: -j prints all that is known of a call"),
	INSTEAD("trace", 0, "with-summary", NULL,
		"type -S for calls and the table, --summary-only for the table alone"),
	ALWAYS("trace", 0, "sort-events", NULL),
	ALWAYS("trace", 0, "syscalls", NULL),
	NO_EFFECT("trace", 0, "tool_stats", NULL, "no effect: lost events are always reported"),

	/* perf probe */
	INSTEAD("probe", 0, "bootconfig", NULL,
		"boot configurations are not written; -n prints definitions as tracefs takes "
		"them"),
	INSTEAD("probe", 0, "cache", NULL,
		"probes are not kept on disk; leave the option out, places are looked up each "
		"time"),

	/* perf list */
	ALWAYS("list", 'd', "desc", NULL),
	ALWAYS("list", 0, "no-desc", NULL),
	INSTEAD("list", 0, "cputype", "TYPE", "choose by a pattern; type pt-list 'cpu_core/*'"),
	ALWAYS("list", 0, "unit", "NAME"),
	NO_EFFECT("list", 0, "debug", NULL,
		"no effect: pt-doctor tells which events can be opened, and what prevents others"),
	ALWAYS("list", 0, "deprecated", NULL),

	/* perf sched timehist, latency */
	ALWAYS("timehist", 0, "call-graph", NULL),
	INSTEAD("schedlat", 0, "CPU", "N", "choose by CPU: --cpu CPUS"),
	{ 0 }
};

bool pt_habit_is_of(const struct pt_habit *h, const char *tool)
{
	const char *name = strncmp(tool, "pt-", 3) ? tool : tool + 3;
	size_t len = strlen(name);

	for (const char *at = h->tools; (at = strstr(at, name)); at += len)
		if ((at == h->tools || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}
