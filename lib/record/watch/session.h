/* session.h - a live session: events opened for a command, tasks, CPUs or the machine, their rings,
 * and the command. pt-record writes the rings to a file as they are; live.c turns them into a
 * source.
 *
 *     pt_watch -> pt_session_open -> pt_session_start -> { pt_session_wait, walk the rings } ... ->
 *             pt_session_stop -> last walk -> free
 *
 * A session has one thread. It receives SIGINT, SIGTERM and SIGCHLD through a signalfd. The command
 * gets the original signal mask, and signals 32 and 33, before it runs. It is executed when all
 * events are open, and they are enabled by its exec (enable_on_exec). */
#ifndef PT_RECORD_SESSION_H
#define PT_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/name.h"
#include "record/watch/workload.h"

struct pt_control;
struct pt_collector;

/* What to watch. cli/watch.h fills it from options. Strings and lists belong to the caller and must
 * live until the session is freed. */
struct pt_watch {
	struct pt_event_list events;
	bool all_cpus;			/* -a */
	/* With all_cpus: names and mappings at the start are those of pids and tids, because the
	 * collector gives no records of other tasks. */
	bool collects_tasks;
	int *cpus; size_t nr_cpus;	/* -C; none: all */
	/* -p: all threads, also those born while attaching; -t. With all_cpus everything is
	 * watched until these are gone. */
	int *pids; size_t nr_pids;
	int *tids; size_t nr_tids;
	bool pids_may_end;		/* one that is gone already is no error */
	const char *cgroup;		/* -G: a path below the cgroup file system */
	char **command;			/* argv, ends in NULL; NULL: none */
	bool no_inherit;		/* -i of perf record: children are not followed */
	/* Count only: no samples, no rings; pt_session_read() reads the counts. There is a counter
	 * for each task, or for each CPU. An event that this machine does not have is no error then
	 * (pt_session_unsupported()). */
	bool counting;
	uint64_t period;		/* -c; 0: not given */
	/* -F in Hz; 0: not given. If neither is given: default_freq for clocks and hardware events,
	 * period 1 for tracepoints. */
	uint64_t freq;
	uint64_t default_freq;
	bool no_samples;		/* -n of perf record: names and maps alone */
	/* -D: times after the start when the events are enabled, disabled, enabled ...; none: they
	 * are enabled from the start */
	uint64_t *switches_ns; size_t nr_switches;
	bool start_disabled;		/* -D -1: until the control says enable */
	/* commands from outside (record/watch/control.h); NULL: none */
	struct pt_control *control;
	/* SIGUSR2, and "rotate" of the control, give PT_SESSION_ROTATE */
	bool rotates;
	/* The rings of samples overwrite the oldest ones (pt_ring.backward). With `rotates`,
	 * "snapshot" of the control takes the place of "rotate". */
	bool overwrites;
	uint64_t duration_ns;		/* --for; 0: until the command ends or Ctrl-C */
	uint64_t interval_ns;		/* ticks; 0: none */
	/* counting: end after this many readings; 0: no limit */
	uint64_t interval_count;
	/* -m: pages of each ring, a power of two. 0: large enough for ordinary rates, within the
	 * mlock limit. */
	uint32_t ring_pages;
	int clockid;			/* CLOCK_MONOTONIC unless -k says another */
	/* Samples come from tracefs' own ring (tracering.h), names and mappings from perf's:
	 * for sessions that pt_watch_suits_tracefs(). Their samples have PT_PAGE_FIELDS. */
	bool tracefs;
	/* PERF_SAMPLE_* in addition to IDENTIFIER, IP, TID, TIME, CPU, PERIOD, and RAW for
	 * tracepoints */
	uint64_t sample_type;
	uint32_t stack_bytes;		/* with STACK_USER */
	/* with it, the kernel's own chain of user code, too (stack/frames.h) */
	bool user_chain;
	uint64_t branch_sample_type;
	/* Registers in addition, by perf's numbers: of the program, and of what was interrupted. */
	uint64_t user_regs, intr_regs;
	uint16_t max_stack;
	/* Record MMAP2, KSYMBOL, BPF_EVENT and TEXT_POKE, for symbols. COMM, FORK, EXIT and
	 * NAMESPACES are always recorded. */
	bool want_maps;
	/* Live, with maps: leave out the kernel's own map. Finding it takes as long as reading all
	 * kernel symbols. */
	bool no_kernel_map;
	/* with maps: also those without code, for perf's DWARF unwinder and for data addresses */
	bool want_data_maps;
	/* With maps: MMAP2 records with build-ids (attr.build_id), unless that harms other
	 * recorders (event/build_ids.h); then they have device, inode and generation. */
	bool want_build_ids;
	struct pt_collector *collector;	/* records of another origin; NULL: none */
	/* The session goes on when the command has ended, until collector->busy() is false. */
	bool until_idle;
	bool want_switches;		/* PERF_RECORD_SWITCH */
	/* The tool looks up names between drains, which may take a second: use larger rings. */
	bool slow_reader;
	/* Exclude the tool itself by a kernel filter (common_pid != self, or in an interrupt),
	 * except in scheduler events. */
	bool exclude_self;
	enum pt_command_output command_output;
};

/* CPUs, whatever runs there, rather than tasks. */
static inline bool pt_watch_is_of_cpus(const struct pt_watch *w)
{
	return w->all_cpus || w->cgroup || (w->nr_cpus && !w->nr_pids && !w->nr_tids);
}

/* From the start until the events are enabled. */
static inline uint64_t pt_watch_delay_ns(const struct pt_watch *w)
{
	return w->nr_switches ? w->switches_ns[0] : 0;
}

/* Returns NULL if tracefs' ring can do this, else what it cannot do: "-p". */
const char *pt_watch_suits_tracefs(const struct pt_watch *w);

struct pt_session;
int pt_session_open(struct pt_session **s, const struct pt_watch *w, struct pt_err *e);
/* Ends a command that still runs: SIGTERM, and SIGKILL after a second. */
void pt_session_free(struct pt_session *s);
/* Enables the events (after the delay) and starts the command. */
int pt_session_start(struct pt_session *s, struct pt_err *e);

enum pt_session_event {
	PT_SESSION_DRAIN = 1,		/* time to walk the rings */
	/* One or more intervals have passed (pt_session_tick()). Counting: there are readings
	 * (pt_session_next()). */
	PT_SESSION_TICK = 2,
	PT_SESSION_CHILD = 4,		/* the command ended (pt_session_status()) */
	/* Ctrl-C, --for, no watched task is left, or the command ended: stop, and walk the rings
	 * once more. */
	PT_SESSION_OVER = 8,
	PT_SESSION_ROTATE = 16,		/* somebody asks for a file (pt_watch.rotates) */
};
/* Waits for the next events, at most 100 ms, and looks for new threads and CPUs. Returns their
 * bits, or -1. */
int pt_session_wait(struct pt_session *s, struct pt_err *e);
/* Disables the events, so that the content of the rings is final. Counts stay readable. */
void pt_session_stop(struct pt_session *s);
/* From now on events that are sampled by frequency are sampled so many times a second. */
int pt_session_set_freq(struct pt_session *s, uint64_t hz, struct pt_err *e);
bool pt_session_interrupted(const struct pt_session *s);
/* The command's status as of waitpid(2); -1: there is none, or it runs. SIGTERM if a signal made
 * the session end it, even while it still runs; 0 if --for ended it; exit status 127 or 126 if it
 * could not be run. */
int pt_session_status(const struct pt_session *s);
/* What the command used, with the processes that it waited for; zeros until it has ended. */
const struct rusage *pt_session_usage(const struct pt_session *s);
/* The command could not be run, and pt_session_start() has reported that. */
bool pt_session_not_run(const struct pt_session *s);
uint64_t pt_session_clock_ns(const struct pt_session *s);	/* now, on the session's clock */
/* number of the last tick and its due time */
uint64_t pt_session_tick(const struct pt_session *s, uint64_t *due_ns);
/* The session's wait also ends when this descriptor is readable. */
int pt_session_wake_by(struct pt_session *s, int fd, struct pt_err *e);
pid_t pt_session_command_pid(const struct pt_session *s);
/* Returns the descriptor of an event of all tasks on a CPU; -1: there is none. */
int pt_session_fd_on(const struct pt_session *s, size_t event, int cpu);

/* Rings: of samples, and side-band rings (MMAP, COMM, FORK ...). Each wait may add those of new
 * CPUs. */
struct pt_ring;				/* event/ring.h */
size_t pt_session_nr_rings(const struct pt_session *s);
struct pt_ring *pt_session_ring(struct pt_session *s, size_t i);

/* The events as they were opened, with all attributes that the session set. New threads and CPUs
 * add ids. */
struct pt_session_event_info {
	const struct pt_event_spec *spec;	/* NULL: the side-band dummy */
	struct pt_attr attr;
	const uint64_t *ids;
	size_t nr_ids;
	bool side_band;
};
size_t pt_session_nr_events(const struct pt_session *s);
const struct pt_session_event_info *pt_session_event(const struct pt_session *s, size_t i);

/* After pt_session_stop(): what the kernel counted and lost of an event, over all its descriptors.
 * `exact`: the event has period 1, is no clock, and no wake-up counted by task, so that count -
 * samples - lost is the number of samples that the kernel never delivered. */
struct pt_session_count {
	uint64_t count, lost;
	bool has_lost;			/* the kernel has PERF_FORMAT_LOST (6.0) */
	bool exact;
};
int pt_session_count(struct pt_session *s, size_t i, struct pt_session_count *c, struct pt_err *e);

/* Counting sessions: the value of each counter of each event since it was opened. A group is read
 * at once. enabled_ns: how long the event was enabled; running_ns: how long of that it was on a
 * hardware counter (less if there are more events than counters). A counter whose CPU or task is
 * gone keeps its last value. */
struct pt_session_reading {
	int cpu;			/* -1: of a task, wherever it runs */
	/* of the task (and what it inherits to); -1: all tasks of the CPU */
	int tid;
	uint64_t value, enabled_ns, running_ns;
};
int pt_session_read(struct pt_session *s, struct pt_err *e);
/* With interval_ns, pt_session_wait() reads the counters at each tick and keeps the readings until
 * 100 ms have passed since the first one, or until another event (the end, a new CPU). Batches cost
 * less at short intervals, where each wake-up meets cold caches. This function returns one reading
 * after the other; false: there are no more. The next wait drops what is left. */
bool pt_session_next(struct pt_session *s, uint64_t *time_ns);
/* The counters of that reading; valid until the next call and pt_session_wait(). */
const struct pt_session_reading *pt_session_readings(const struct pt_session *s, size_t event,
						     size_t *nr);
/* The errno with which an event could not be opened; 0: it was opened. */
int pt_session_unsupported(const struct pt_session *s, size_t event);

#endif
