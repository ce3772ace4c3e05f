#include "cli/opt_priv.h"

#include <string.h>

/* One row an option: the tools, its letter, name and argument as perf has them, and what is said of
 * it. ALWAYS: accepted in silence. NO_EFFECT: accepted with a warning. INSTEAD: refused. */
#define ALWAYS(tools_, ...) { .tools = (tools_), .opt = PT_ROW_HABIT(__VA_ARGS__) }
#define NO_EFFECT(tools_, ...) { .tools = (tools_), .opt = PT_ROW_NO_EFFECT(__VA_ARGS__) }
#define INSTEAD(tools_, ...) { .tools = (tools_), .opt = PT_ROW_INSTEAD(__VA_ARGS__) }

#define READERS "script report annotate"
#define SCHED "schedmap schedlat timehist"

static const char dump[] = "pt-script --show-mmap-events --show-task-events prints records; "
			   "perf script -D has their bytes";
static const char no_aux[] = "traces of the processor (AUX: Intel PT, ARM SPE) are perf's: pt "
			     "records samples";
static const char no_guest[] = "code of virtual machines' guests has no names here: perf kvm";
static const char switched[] = "--time FROM,TO chooses a part of the recording";
static const char in_tool[] = "no effect: the tool's own lists of names are used";
static const char by_itself[] = "no effect: symbols come from the files that were mapped; --vmlinux "
				"FILE for the kernel's";
static const char objdump[] = "no effect: instructions are decoded by a library, or the objdump on "
			      "PATH";
static const char screen[] = "a table is printed; pt-top FILE shows it on a screen";
static const char one_thread[] = "no effect: one thread drains all rings";
static const char maps_in_time[] = "no effect: /proc/PID/maps is read at a task's first sample";
static const char source_path[] = "no effect: pt-annotate --prefix and --prefix-strip change paths "
				  "of source files";
static const char no_buckets[] = "no effect: percentages are of all samples, as perf's 'absolute'";
static const char branches[] = "pt-record -b records branches, pt-script -F brstack prints them";

const struct pt_habit pt_habits[] = {
	/* of many tools */
	ALWAYS("record stat script probe annotate top trace schedmap schedlat timehist", 'v',
	       "verbose", NULL),
	ALWAYS(READERS " trace probe " SCHED, 'f', "force", NULL),
	ALWAYS("top", 0, "force", NULL),
	ALWAYS("report annotate probe", 'q', "quiet", NULL),
	ALWAYS("report annotate top", 0, "stdio", NULL),
	ALWAYS("annotate", 0, "stdio2", NULL),
	INSTEAD("report annotate", 0, "tui", NULL, screen),
	INSTEAD("report annotate", 0, "gtk", NULL, screen),
	ALWAYS("top", 0, "tui", NULL),
	NO_EFFECT("report annotate", 0, "stdio-color", "MODE", "no effect: tables have no colors"),
	INSTEAD(READERS " top " SCHED, 0, "dump-raw-trace", NULL, dump),
	INSTEAD(READERS " record", 0, "itrace", "[OPTS]", no_aux),
	ALWAYS(READERS " probe top", 0, "demangle", NULL),
	NO_EFFECT(READERS " probe top", 0, "demangle-kernel", NULL,
		  "no effect: kernel symbols are shown as the kernel has them"),
	ALWAYS("report script", 0, "inline", NULL),
	NO_EFFECT("report annotate", 0, "modules", NULL, by_itself),
	NO_EFFECT("report annotate top", 0, "ignore-vmlinux", NULL, by_itself),
	NO_EFFECT("report annotate top", 0, "objdump", "PATH", objdump),
	NO_EFFECT("report script", 0, "full-source-path", NULL, source_path),
	NO_EFFECT("report top", 0, "prefix", "PREFIX", source_path),
	NO_EFFECT("report top", 0, "prefix-strip", "N", source_path),
	INSTEAD("report top", 'M', "disassembler-style", "SYNTAX", "pt-annotate -M SYNTAX"),
	INSTEAD("report top", 0, "asm-raw", NULL, "pt-annotate --asm-raw"),
	ALWAYS("report annotate top", 0, "source", NULL),
	INSTEAD("report top script trace", 0, "switch-on", "EVENT", switched),
	INSTEAD("report top script trace", 0, "switch-off", "EVENT", switched),
	NO_EFFECT("report top script trace", 0, "show-on-off-events", NULL,
		  "no effect without --switch-on, which pt does not have"),
	NO_EFFECT("report top script", 0, "stitch-lbr", NULL, "no effect: chains of LBR are not joined"),
	NO_EFFECT("report top", 0, "percentage", "HOW", no_buckets),
	NO_EFFECT("report top", 0, "group-sort-idx", "N", "no effect: rows go by the group's leader"),
	NO_EFFECT("report top", 0, "ignore-callees", "REGEX",
		  "no effect: pt-fold --help has ways to cut stacks"),
	NO_EFFECT("report top", 0, "raw-trace", NULL, "no effect: -s trace prints fields by their format"),
	NO_EFFECT("record top trace", 0, "proc-map-timeout", "MS", maps_in_time),
	NO_EFFECT("record top", 0, "num-thread-synthesize", "N", one_thread),
	NO_EFFECT("record top", 'r', "realtime", "PRIORITY",
		  "no effect: chrt -f PRIORITY before the tool's name runs it so"),
	INSTEAD("record top", 'u', "uid", "USER", "-p \"$(pgrep -d, -u USER)\""),
	ALWAYS("record top", 0, "all-cgroups", NULL),
	ALWAYS("record top", 0, "namespaces", NULL),
	ALWAYS("top", 0, "no-bpf-event", NULL),
	NO_EFFECT("record", 0, "no-bpf-event", NULL,
		  "no effect: BPF programs are recorded, so that their code has names"),
	INSTEAD("record top", 0, "overwrite", NULL,
		"the latest events alone: pt-top --window SECONDS keeps them"),

	INSTEAD("record stat top", 0, "pfm-events", "EVENTS", "-e pfm:NAME"),

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
	INSTEAD("record", 's', "stat", NULL, "pt-stat --per-thread -p PID counts by thread"),
	INSTEAD("record", 'S', "snapshot", "[OPTS]", no_aux),
	INSTEAD("record", 0, "aux-sample", "[OPTS]", no_aux),
	INSTEAD("record", 'I', "intr-regs", "[REGS]",
		"registers of the kernel are not recorded; perf record -I"),
	INSTEAD("record", 0, "user-regs", "[REGS]", "--call-graph dwarf records the user's registers"),
	NO_EFFECT("record", 0, "per-thread", NULL,
		  "no effect: rings are one a CPU, and each sample names its thread"),
	NO_EFFECT("record", 0, "affinity", "WHERE", one_thread),
	NO_EFFECT("record", 0, "threads", "[SPEC]", one_thread),
	NO_EFFECT("record", 0, "aio", "[N]", "no effect: writes are ordinary ones"),
	NO_EFFECT("record", 0, "mmap-flush", "BYTES", "no effect: rings are drained by time and by fill"),
	NO_EFFECT("record", 0, "no-buffering", NULL,
		  "no effect: rings are drained ten times a second; pt-script -e prints events as they come"),
	INSTEAD("record", 0, "clang-opt", "OPTIONS", "BPF sources are not compiled"),
	INSTEAD("record", 0, "clang-path", "PATH", "BPF sources are not compiled"),
	NO_EFFECT("record", 0, "debuginfod", "[URLS]",
		  "no effect: what reads the recording has --debuginfod"),
	INSTEAD("record", 0, "kcore", NULL,
		"pt-annotate reads the running kernel's code from /proc/kcore"),
	INSTEAD("record", 0, "off-cpu", NULL,
		"pt-stack --off-cpu draws waits; pt-record --sched records them"),
	NO_EFFECT("record", 0, "strict-freq", NULL,
		  "no effect: a frequency that the kernel refuses is always an error"),
	INSTEAD("record", 0, "switch-output", "[WHEN]",
		"one file: --for SECONDS in a loop makes several"),
	INSTEAD("record", 0, "switch-output-event", "EVENT",
		"one file: --for SECONDS in a loop makes several"),
	INSTEAD("record", 0, "switch-max-files", "N", "one file: --for SECONDS in a loop makes several"),
	NO_EFFECT("record", 0, "synth", "WHAT", "no effect: what runs already is always recorded"),
	NO_EFFECT("record", 0, "tail-synthesize", NULL,
		  "no effect: what runs already is recorded at its first sample"),
	NO_EFFECT("record", 0, "timestamp-boundary", NULL,
		  "no effect: --time counts from the first sample also without"),
	INSTEAD("record", 0, "timestamp-filename", NULL, "-o perf.data.$(date +%Y%m%d%H%M%S)"),
	NO_EFFECT("record", 0, "vmlinux", "FILE", "no effect: what reads the recording has --vmlinux"),

	/* perf stat */
	ALWAYS("stat", 'B', "big-num", NULL),
	INSTEAD("stat", 'M', "metrics", "METRICS",
		"vendors' metrics are not known: -d and --topdown have figures of their own"),
	INSTEAD("stat", 'T', "transaction", NULL, "-e tx-start,tx-commit,tx-abort, where the CPU has them"),
	INSTEAD("stat", 0, "cputype", "TYPE", "-e cpu_core/cycles/ names the kind of CPU"),
	NO_EFFECT("stat", 0, "hybrid-merge", NULL, "no effect: each kind of CPU has a line"),
	INSTEAD("stat", 0, "iostat", "[PORTS]", "pt-lat --block has the latencies of disks"),
	NO_EFFECT("stat", 0, "metric-no-group", NULL, "no effect: vendors' metrics are not known"),
	NO_EFFECT("stat", 0, "metric-no-merge", NULL, "no effect: vendors' metrics are not known"),
	NO_EFFECT("stat", 0, "metric-no-threshold", NULL, "no effect: vendors' metrics are not known"),
	INSTEAD("stat", 0, "percore-show-thread", NULL, "-A prints each CPU, --per-core their sums"),
	INSTEAD("stat", 0, "per-cache", "[LEVEL]", "--per-socket or --per-die"),
	INSTEAD("stat", 0, "per-cluster", NULL, "--per-die or --per-core"),
	INSTEAD("stat", 0, "smi-cost", NULL, "-a -e msr/smi/,msr/aperf/ counts them"),
	NO_EFFECT("stat", 0, "td-level", "N", "no effect: --topdown prints all that the PMU tells"),
	INSTEAD("stat", 0, "bpf-counters", NULL, "counters are the kernel's alone"),
	INSTEAD("stat", 'b', "bpf-prog", "IDS", "bpftool prog profile counts for BPF programs"),
	INSTEAD("stat", 0, "bpf-attr-map", "PATH", "counters are the kernel's alone"),

	/* perf script */
	INSTEAD("script", 's', "script", "NAME", "pt-script -j | SCRIPT: an object of JSON a line"),
	INSTEAD("script", 'g', "gen-script", "LANG", "pt-script -j | SCRIPT: an object of JSON a line"),
	INSTEAD("script", 'l', "list", NULL, "pt-script -j | SCRIPT: an object of JSON a line"),
	INSTEAD("script", 0, "dlfilter", "FILE", "pt-script -j | FILTER"),
	INSTEAD("script", 0, "dlarg", "ARG", "pt-script -j | FILTER"),
	INSTEAD("script", 0, "list-dlfilters", NULL, "pt-script -j | FILTER"),
	INSTEAD("script", 'L', "Latency", NULL, "pt-lat has latencies"),
	NO_EFFECT("script", 'd', "debug-mode", NULL, "no effect: losses are always reported"),
	INSTEAD("script report", 'I', "show-info", NULL, "--header"),
	INSTEAD("script", 0, "dump-unsorted-raw-trace", NULL, dump),
	INSTEAD("script", 0, "addr-range", "BYTES", "pt-script -F comm,time,ip,sym | awk"),
	INSTEAD("script", 0, "call-trace", "[OPTS]", no_aux),
	INSTEAD("script", 0, "call-ret-trace", "[OPTS]", no_aux),
	INSTEAD("script", 0, "insn-trace", "[HOW]", no_aux),
	INSTEAD("script", 0, "xed", NULL, "pt-annotate prints instructions"),
	INSTEAD("script", 0, "graph-function", "NAMES", "pt-lat makes latencies of calls and returns"),
	INSTEAD("script", 0, "guest-code", NULL, no_guest),
	INSTEAD("script", 0, "guestkallsyms", "FILE", no_guest),
	INSTEAD("script", 0, "guestmodules", "FILE", no_guest),
	INSTEAD("script", 0, "guestmount", "DIR", no_guest),
	INSTEAD("script", 0, "guestvmlinux", "FILE", no_guest),
	NO_EFFECT("script", 0, "max-blocks", "N", "no effect: blocks of branches are not printed"),
	INSTEAD("script", 0, "per-event-dump", NULL, "pt-script -e EVENT > FILE, once for each event"),
	NO_EFFECT("script", 0, "show-kernel-path", NULL, "no effect: the kernel's file is [kernel.kallsyms]"),
	NO_EFFECT("script", 0, "show-round-events", NULL, "no effect: rounds are no records here"),
	NO_EFFECT("script", 0, "show-text-poke-events", NULL, "no effect: they only name code"),
	INSTEAD("script", 0, "stop-bt", "NAMES", "--max-stack N, or pt-fold on folded stacks"),
	INSTEAD("script", 'S', "symbols", "NAMES", "pt-report -S NAMES, or pt-script | grep"),
	INSTEAD("script", 0, "dsos", "FILES", "pt-report -d FILES, or pt-script | grep"),

	/* perf report */
	INSTEAD("report", 'b', "branch-stack", NULL, branches),
	INSTEAD("report", 0, "branch-history", NULL, branches),
	INSTEAD("report", 0, "total-cycles", NULL, branches),
	INSTEAD("report", 'T', "threads", NULL, "-s tid,comm, or pt-stat --per-thread"),
	INSTEAD("report", 'U', "hide-unresolved", NULL, "pt-report | grep -v '\\[unknown\\]'"),
	INSTEAD("report", 'x', "exclude-other", NULL, "-s parent --parent REGEX, and the row [other] left out"),
	NO_EFFECT("report", 0, "disable-order", NULL, "no effect: records are always in order"),
	INSTEAD("report", 0, "header-only", NULL, "pt-script --header-only"),
	INSTEAD("report", 0, "mem-mode", NULL, "pt-script -F addr,weight,data_src prints accesses"),
	INSTEAD("report", 0, "mmaps", NULL, "pt-script --show-mmap-events"),
	NO_EFFECT("report", 0, "ns", NULL, "no effect: -s time has a row for each --time-quantum"),
	NO_EFFECT("report", 0, "percent-type", "TYPE", "no effect: pt-annotate --percent-type"),
	NO_EFFECT("report", 0, "pretty", "KEY", "no effect: tables are of one kind; -t SEP for programs"),
	NO_EFFECT("report", 0, "samples", "N", "no effect: pt-script prints samples one by one"),
	INSTEAD("report", 0, "show-cpu-utilization", NULL, "-s cpu, or pt-stat -a"),
	NO_EFFECT("report", 0, "show-ref-call-graph", NULL, "no effect: each event has its own stacks"),
	ALWAYS("report", 0, "skip-empty", NULL),
	INSTEAD("report", 0, "socket-filter", "N", "--cpu CPUS"),
	INSTEAD("report", 0, "symbol-filter", "TEXT", "-S '*TEXT*'"),

	/* perf annotate */
	INSTEAD("annotate", 0, "group", NULL, "-e EVENT shows one event"),
	INSTEAD("annotate", 0, "percent-limit", "PERCENT", "-s NAME chooses functions"),
	NO_EFFECT("annotate", 0, "show-total-period", NULL, "no effect: -n prints samples"),
	ALWAYS("annotate", 'P', "full-paths", NULL),
	ALWAYS("annotate", 0, "skip-missing", NULL),

	/* perf top */
	INSTEAD("top", 'b', "branch-any", NULL, branches),
	INSTEAD("top", 'j', "branch-filter", "FILTER", branches),
	INSTEAD("top", 0, "dump-symtab", NULL, "pt-probe -x FILE -F lists functions"),
	INSTEAD("top", 'f', "count-filter", "N", "-E N shows so many rows"),
	INSTEAD("top", 0, "percent-limit", "PERCENT", "-E N shows so many rows"),
	ALWAYS("top", 0, "children", NULL),
	INSTEAD("top", 0, "fields", "FIELDS", "-s KEYS and -n choose columns; pt-report -F"),
	INSTEAD("top", 'w', "column-widths", "WIDTHS", "pt-report -w"),
	INSTEAD("top", 0, "hierarchy", NULL, "pt-report --hierarchy"),
	INSTEAD("top", 0, "group", NULL, "pt-report --group"),
	INSTEAD("top", 0, "comms", "NAMES", "--comm NAMES"),
	INSTEAD("top", 0, "dsos", "FILES", "-s dso has a row for each file"),
	INSTEAD("top", 0, "symbols", "NAMES", "pt-report -S NAMES"),
	INSTEAD("top", 0, "sym-annotate", "NAME", "pt-annotate -s NAME, or Enter on the screen"),
	NO_EFFECT("top", 0, "show-total-period", NULL, "no effect: -n shows samples"),
	NO_EFFECT("top", 0, "no-inherit", NULL, "no effect: -t TIDS watches threads without their children"),
	INSTEAD("top", 0, "hide_kernel_symbols", NULL, "-K"),
	INSTEAD("top", 0, "hide_user_symbols", NULL, "-U"),

	/* perf trace */
	INSTEAD("trace", 0, "event", "EVENTS", "-e CALLS for system calls; pt-script -e EVENTS for events"),
	INSTEAD("trace", 'F', "pf", "WHICH", "pt-script -e page-faults,major-faults"),
	INSTEAD("trace", 0, "errno-summary", NULL, "-c has errors by call; --errno ERRORS chooses calls"),
	INSTEAD("trace", 0, "filter", "EXPR", "-e CALLS, -P PATH, --errno and --duration choose calls"),
	INSTEAD("trace", 0, "filter-pids", "PIDS", "pt-trace | grep -v"),
	INSTEAD("trace", 0, "kernel-syscall-graph", NULL, "-g has the stack of the caller"),
	INSTEAD("trace", 0, "map-dump", "MAP", "bpftool map dump name MAP"),
	INSTEAD("trace", 0, "max-events", "N", "pt-trace ... | head -n N"),
	INSTEAD("trace", 0, "min-stack", "N", "--max-stack N"),
	INSTEAD("trace", 0, "sched", NULL, "pt-timehist, or pt-stack --off-cpu"),
	NO_EFFECT("trace", 0, "no-inherit", NULL, "no effect: -t TIDS watches threads without their children"),
	NO_EFFECT("trace", 0, "libtraceevent_print", NULL, in_tool),
	NO_EFFECT("trace", 0, "print-sample", NULL, "no effect: -j has all that is known of a call"),
	INSTEAD("trace", 0, "with-summary", NULL, "-S; --summary-only is the table alone"),
	ALWAYS("trace", 0, "sort-events", NULL),
	ALWAYS("trace", 0, "syscalls", NULL),
	NO_EFFECT("trace", 0, "tool_stats", NULL, "no effect: losses are always reported"),

	/* perf probe */
	INSTEAD("probe", 0, "bootconfig", NULL, "-n prints definitions as tracefs takes them"),
	INSTEAD("probe", 0, "cache", NULL, "places are looked up each time"),
	INSTEAD("probe", 0, "externs", NULL, "global variables are arguments by their name: pt-probe FUNC NAME"),
	INSTEAD("probe", 0, "range", NULL, "-V POINT tells which variables are known at that point"),
	INSTEAD("probe", 0, "filter", "PATTERN", "-F PATTERN: the pattern is an operand"),
	INSTEAD("probe", 0, "max-probes", "N", "--first makes a single probe"),
	NO_EFFECT("probe", 0, "no-inlines", NULL, "no effect: --first makes a single probe"),
	INSTEAD("probe", 0, "target-ns", "PID", "-x /proc/PID/root/FILE"),

	/* perf list */
	ALWAYS("list", 'd', "desc", NULL),
	ALWAYS("list", 0, "no-desc", NULL),
	INSTEAD("list", 0, "cputype", "TYPE", "pt-list 'cpu_core/*'"),
	ALWAYS("list", 0, "unit", "NAME"),
	NO_EFFECT("list", 0, "debug", NULL, "no effect: pt-doctor tells what can be opened, and why not"),
	ALWAYS("list", 0, "deprecated", NULL),

	/* perf sched timehist, latency */
	ALWAYS("timehist", 0, "call-graph", NULL),
	INSTEAD("schedlat", 0, "CPU", "N", "--cpu CPUS"),
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
