/* session.h - a live session: events opened for a command, tasks, CPUs or the machine, their rings,
 * the command itself. pt-record writes its rings to a file as they are; live.c makes a source of
 * it.
 *
 *     pt_watch -> pt_session_open -> pt_session_start -> { pt_session_wait, walk the rings } ... ->
 *             pt_session_stop -> last walk -> free
 *
 * One thread. Ctrl-C and SIGTERM come through a signalfd of the session (so does SIGCHLD); signals
 * 32 and 33 and the command's own mask are put right before the command runs. The command starts
 * with exec only when all is open (enable_on_exec). */
#ifndef PT_RECORD_SESSION_H
#define PT_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/name.h"

struct pt_control;

/* What to watch: filled by cli/watch.c from options, or by hand. Strings and lists stay the
 * filler's until the session is freed. */
struct pt_watch {
	struct pt_event_list events;
	bool all_cpus;			/* -a */
	int *cpus; size_t nr_cpus;	/* -C; none: all */
	int *pids; size_t nr_pids;	/* -p: all threads, also those born while attaching */
	int *tids; size_t nr_tids;	/* -t */
	const char *cgroup;		/* -G: a path below the cgroup file system */
	char **command;			/* argv, ends in NULL; NULL: none */
	bool no_inherit;		/* -i of perf record: children are not followed */
	bool counting; /* no samples, no rings: counts, read by pt_session_read(). One counter a
			* task, and on each CPU for the rest. An event that this machine does not
			* have is no error then (pt_session_unsupported) */
	uint64_t period;		/* -c; 0: not given */
	/* -F in Hz; 0: not given. Neither: default_freq for clocks and hardware, period 1 for
	 * tracepoints */
	uint64_t freq;
	uint64_t default_freq;
	uint64_t delay_ns;		/* -D */
	bool start_disabled;		/* -D -1: until the control says enable */
	/* who commands from outside (record/control.h); NULL: nobody */
	struct pt_control *control;
	uint64_t duration_ns;		/* --for; 0: until the command ends or Ctrl-C */
	uint64_t interval_ns;		/* ticks; 0: none */
	/* counting: after so many readings nothing is waited for; 0: no end */
	uint64_t interval_count;
	/* -m: of each ring, a power of two; 0: chosen to lose nothing at ordinary rates, within the
	 * mlock limit */
	uint32_t ring_pages;
	int clockid;			/* CLOCK_MONOTONIC unless -k says another */
	/* PERF_SAMPLE_* beside the ones always there (IDENTIFIER, IP, TID, TIME, CPU, PERIOD; RAW
	 * for tracepoints) */
	uint64_t sample_type;
	uint32_t stack_bytes;		/* with STACK_USER */
	uint64_t branch_sample_type, regs_user;
	uint16_t max_stack;
	/* MMAP2, KSYMBOL, BPF_EVENT, TEXT_POKE for symbols; else only COMM, FORK, EXIT, NAMESPACES
	 */
	bool want_maps;
	/* live, with maps: the kernel's own is not told (to find it takes as long as reading all
	 * kernel symbols) */
	bool no_kernel_map;
	/* with maps: also those without code (perf's DWARF unwinder asks for them; addresses of
	 * data) */
	bool want_data_maps;
	bool want_build_ids; /* with maps: MMAP2 with build-ids (attr.build_id), where that does no
			      * harm to other recorders (event/build_ids.h); else they hold device,
			      * inode and generation */
	bool want_switches;		/* PERF_RECORD_SWITCH */
	/* it looks names up as it goes, and no other thread does, which may keep it from the rings
	 * for a second: larger ones */
	bool slow_reader;
	/* the tool's own process by kernel filter: all but scheduler events (common_pid != self) */
	bool exclude_self;
	bool command_stdout_to_stderr;	/* a tool whose own stdout is data */
};

struct pt_session;
int pt_session_open(struct pt_session **s, const struct pt_watch *w, struct pt_err *e);
/* ends a command that still runs: SIGTERM, waits a second, SIGKILL */
void pt_session_free(struct pt_session *s);
/* enables (after the delay), lets the command go */
int pt_session_start(struct pt_session *s, struct pt_err *e);

enum pt_session_event { /* bits */
			PT_SESSION_DRAIN = 1, /* time to walk the rings */
			/* an interval has passed, or several (pt_session_tick); counting: there are
			   readings (pt_session_next) */
			PT_SESSION_TICK = 2,
			PT_SESSION_CHILD = 4, /* the command ended (pt_session_status) */
			/* Ctrl-C, --for, all watched tasks are gone, or the command ended: stop,
			   walk once more */
			PT_SESSION_OVER = 8,
			/* rings came or went (a CPU came on line): ask for their number again */
			PT_SESSION_RINGS = 16,
};
/* Waits for the next of these, at most 100 ms; bits, or -1. Looks for new threads and CPUs on the
 * way. */
int pt_session_wait(struct pt_session *s, struct pt_err *e);
/* Stops counting (events stay readable), so that what the rings hold is final. */
void pt_session_stop(struct pt_session *s);
bool pt_session_interrupted(const struct pt_session *s);
/* Of the command, as waitpid gives it; -1: none, or it still runs. SIGTERM when a signal to the
 * tool has it ended, also while it has not. 0 when --for ended it. 127 or 126 as exit status when
 * it could not be run. */
int pt_session_status(const struct pt_session *s);
/* the command could not be run: what pt_session_start() said is all there is to say */
bool pt_session_not_run(const struct pt_session *s);
uint64_t pt_session_clock_ns(const struct pt_session *s);	/* now, on the session's clock */
/* number of the last tick and its due time */
uint64_t pt_session_tick(const struct pt_session *s, uint64_t *due_ns);
pid_t pt_session_command_pid(const struct pt_session *s);

/* Rings: data rings first come, side-band rings (MMAP, COMM, FORK ...) apart. */
struct pt_ring;				/* event/ring.h */
size_t pt_session_nr_rings(const struct pt_session *s);
struct pt_ring *pt_session_ring(struct pt_session *s, size_t i);

/* The events as opened: attributes with all that the session set; ids known once open (more with
 * threads and CPUs that come later). */
struct pt_session_event_info {
	const struct pt_event_spec *spec;	/* NULL: the side-band dummy */
	struct pt_attr attr;
	const uint64_t *ids;
	size_t nr_ids;
	bool side_band;
};
size_t pt_session_nr_events(const struct pt_session *s);
const struct pt_session_event_info *pt_session_event(const struct pt_session *s, size_t i);

/* After stop: what the kernel counted and lost of an event, over all its descriptors. `exact`: of
 * fixed period with count 1, so that count - samples - lost is what the kernel never delivered (not
 * of clocks and frequencies). */
struct pt_session_count {
	uint64_t count, lost;
	bool has_lost;			/* the kernel has PERF_FORMAT_LOST (6.0) */
	bool exact;
};
int pt_session_count(struct pt_session *s, size_t i, struct pt_session_count *c, struct pt_err *e);

/* Of a counting session: what each counter of each event shows since it was opened. A group is read
 * at once. Times in ns: enabled, and how much of it on the machine's counters (less, when there are
 * more events than counters). A counter whose CPU or task is gone keeps what it had. */
struct pt_session_reading {
	int cpu;			/* -1: of a task, wherever it runs */
	/* of the task (and what it inherits to); -1: all tasks of the CPU */
	int tid;
	uint64_t value, enabled_ns, running_ns;
};
int pt_session_read(struct pt_session *s, struct pt_err *e);
/* With interval_ns pt_session_wait() reads the counters itself at each tick, keeps what the kernel
 * gave, and tells of it when 100 ms have passed since the first: at short intervals each wake-up
 * meets cold caches, and what may wait should be done ten times at once. At other events (the end,
 * CPUs that come) all that is kept is told of, too. Gives one reading after the other: true, false
 * (no more). What is left at the next wait is dropped. */
bool pt_session_next(struct pt_session *s, uint64_t *time_ns);
/* Of the last of those two; good until the next one and pt_session_wait(). */
const struct pt_session_reading *pt_session_readings(const struct pt_session *s, size_t event,
						     size_t *nr);
/* Why an event could not be opened at all (an errno); 0: it was. */
int pt_session_unsupported(const struct pt_session *s, size_t event);

#endif
