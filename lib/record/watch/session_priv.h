/* session_priv.h - what session.c, counter.c, attach.c and their like share. Nobody else includes
 * it (but their unit test).
 *
 * Each CPU has two rings, one for samples and one for the side-band. Both belong to a dummy event
 * of this very process on that CPU, which never counts: rings then outlive threads, closed counters
 * and CPUs that go away, and any event on that CPU may be redirected to them. */
#ifndef PT_RECORD_SESSION_PRIV_H
#define PT_RECORD_SESSION_PRIV_H

#include "base/clock.h"
#include "base/map.h"
#include "event/open.h"
#include "event/ring.h"
#include "record/format/pages.h"
#include "record/format/tracering.h"
#include "record/watch/session.h"
#include "record/watch/workload.h"

struct session_ring {
	struct pt_ring ring;		/* first: refill() has this one only */
	uint64_t last_head;		/* at the last wait, to see how fast it fills */
	/* rings_tracefs.c, with a pt_ring that has refill() */
	struct pt_session *session;
	uint64_t taken_bytes;		/* bytes of tracefs' pages that were taken */
	uint64_t last_ns;		/* of the last event taken */
	uint64_t told_lost;		/* losses that LOST records have reported so far */
	bool lost_told;
};

struct session_cpu {
	int cpu;
	bool online;
	/* not one of -C: tasks' names and mappings are followed there, nothing is sampled */
	bool side_only;
	struct session_ring *data, *side;	/* side_only: data is NULL */
};

struct session_target {
	int pid;			/* -1: all tasks of the CPU; a cgroup's directory */
	int owner;			/* -p, -t: index into watched[]; else -1 */
	bool gone;
	/* its data events were opened between these times; to_ns 0: not yet */
	uint64_t from_ns, to_ns;
	uint32_t tries;			/* how often its data events were opened */
	/* CPU time after which a child that it was making has appeared; 0: not known yet */
	uint64_t enough_ns;
	bool settled;			/* that child has appeared, or there was none */
};

struct session_counter {
	int fd;
	int cpu;
	uint32_t target;
};

struct session_event {
	struct pt_event_spec spec;	/* a copy: the name may have gained ":u" */
	char *filter;			/* what the kernel is given */
	struct pt_session_event_info info;
	struct session_counter *counters;
	size_t nr_counters, cap_counters;
	uint64_t *ids;
	size_t cap_ids;
	struct pt_session_reading *readings;	/* of a counting session: one a counter */
	size_t cap_readings;
	int unsupported;		/* errno; of a counting session */
	bool in_group;			/* one of several: the leader reads for all */
	/* enabled by the last command; counters that are opened later follow it */
	bool on;
	int cgroup_fd;			/* of spec.cgroup; -1: it is the targets' */
	bool owns_cgroup_fd;
};

struct session_watched {		/* an operand of -p or -t */
	int pid;
	bool whole;			/* -p: with all threads */
	/* readable when the task is gone; -1: its end must be looked for */
	int pidfd;
	bool gone;
};

/* Functions that run at each tick are placed together in the program: a tick meets cold caches,
 * where each page of code costs a microsecond. */
#define SESSION_HOT __attribute__((hot))

struct session_marks;

/* Readings of a counting session as the kernel gave them: the time; then for each counter that is
 * read, the result of read() and its bytes. */
struct session_kept {
	struct session_read { int fd; uint32_t bytes; } *reads;
	size_t nr_reads;
	bool stale;			/* counters came or went */
	/* in the memory after reads[]: max + 1 readings; the last is for pt_session_read() */
	uint64_t *words;
	size_t reading_words, max, nr, taken;
	uint64_t first_due_ns;		/* due time of the first reading that is kept */
	uint64_t count;			/* readings made so far */
};

struct pt_session {
	const struct pt_watch *w;
	struct pt_kernel kernel;
	struct pt_workload work;
	sigset_t old_mask;
	bool masked;
	int signal_fd, epoll_fd, cgroup_fd;
	unsigned long open_flags;	/* PERF_FLAG_PID_CGROUP */
	enum pt_open_target kind;

	struct session_cpu *cpus;
	size_t nr_cpus, cap_cpus;
	struct session_ring **rings;	/* in the order of pt_session_ring() */
	size_t nr_rings, cap_rings;
	uint32_t data_pages, side_pages;

	struct session_target *targets;
	size_t nr_targets, cap_targets;
	struct session_watched *watched;
	size_t nr_watched;
	struct pt_map known;		/* thread ids that are targets */
	struct session_marks *marks;	/* while attaching to threads */

	struct session_event *events;	/* the list's, then the side-band dummy */
	size_t nr_events;

	struct tracefs_instance *tracering;	/* NULL: perf's rings have the samples */
	struct pt_pages pages;
	uint8_t *page;			/* one page as read from tracefs */
	/* pages of tracefs are taken up to events of this time; UINT64_MAX: all */
	uint64_t horizon_ns;

	bool on_exec;			/* the command's exec enables them */
	bool started, stopped, interrupted;
	bool told_child, ended_by_us;
	bool coarse;			/* the kernel waits for whole milliseconds only */
	bool ticks_look;		/* ticks come so often that nothing else needs to wake us */
	uint32_t bits;			/* PT_SESSION_* to be returned by the next wait */
	/* 0: never */
	uint64_t switch_at_ns, end_at_ns, give_up_at_ns, repeat_at_ns;
	uint64_t repeat_after_ns;
	size_t nr_switched;		/* of pt_watch.switches_ns */
	bool waited_twice;		/* for the command to end */
	uint64_t drain_every_ns, drain_at_ns, look_every_ns, look_at_ns;
	uint64_t start_ns, interval_ns, tick, tick_due_ns;
	struct pt_clock clock;
	struct session_kept kept;
};

static inline bool session_of_tasks(const struct pt_session *s)
{
	return s->kind == PT_OPEN_TASK;
}

static inline bool session_command_runs(const struct pt_session *s)
{
	return s->work.pid && s->work.status == -1;
}

static inline const char *session_event_name(const struct session_event *ev)
{
	return ev->info.side_band ? "side-band" : ev->spec.name;
}

/* Is it enabled when it is opened? Members of a group are: they count when their leader does. */
static inline bool session_opens_on(const struct session_event *ev)
{
	return !(ev->info.attr.flags & PT_ATTR_DISABLED);
}

/* session.c: the wait also ends when this descriptor is readable. `what`: one of these; from
 * SESSION_ON_WATCHED on: an index into watched[]. */
enum {
	SESSION_ON_SIGNAL,
	SESSION_ON_CHILD,
	SESSION_ON_CONTROL,
	SESSION_ON_RING,
	SESSION_ON_WATCHED
};
int session_listen(struct pt_session *s, int fd, uint64_t what, struct pt_err *e);

/* session_due.c: what happens by the clock */
void session_init_clock(struct pt_session *s);
void session_start_clock(struct pt_session *s);	/* the session starts now */
/* Enables or disables the events of this name; NULL: all. False: there is none. */
bool session_enable(struct pt_session *s, const char *name, bool on);
/* Asks the command to end. The session is over when it has ended, at the latest a second later. */
void session_end_command(struct pt_session *s, uint64_t now_ns);
/* --for is over, or the control says stop. */
void session_end(struct pt_session *s, uint64_t now_ns);
/* How long nothing is due. */
uint64_t session_until_due_ns(const struct pt_session *s, uint64_t now_ns);
/* Does all that is due. */
int session_see_clock(struct pt_session *s, uint64_t now_ns, struct pt_err *e);
/* Sets the next drain to before the fastest ring is an eighth full. */
void session_pace(struct pt_session *s, uint64_t now_ns);

/* counter.c, counter_open.c: events on targets and CPUs */
int session_events_init(struct pt_session *s, struct pt_err *e);
void session_events_deinit(struct pt_session *s);
enum session_part { SESSION_SIDE, SESSION_DATA };
/* Opens these events for the target on a CPU and redirects them to its ring. 1: the task or the CPU
 * is gone. */
int session_open_counters(struct pt_session *s, uint32_t target, struct session_cpu *c,
			  enum session_part part, struct pt_err *e);
void session_close_target(struct pt_session *s, uint32_t target, enum session_part part);
/* Enables or disables the events of this name; NULL: all but the side-band. False: there is none.
 * Members of a group count when their leader does. */
bool session_switch(struct pt_session *s, const char *name, bool on);
void session_switch_again(struct pt_session *s);	/* repeats the last command */
void session_disable(struct pt_session *s);	/* disables all */

/* An event follows children as the session does, unless its name says otherwise (inherit=). In a
 * group only the leader may be pinned. */
void session_own_flags(const struct pt_session *s, const struct pt_event_spec *spec, size_t index,
		       struct pt_attr *a);

/* counts.c: a counting session */
void session_group_software(struct pt_session *s);
void session_count_attr(const struct pt_session *s, size_t event, struct pt_attr *a);
/* Does this errno mean that the machine lacks the event? */
bool session_not_supported(int sys);
/* Reads all counters at a tick and keeps the reading. Sets PT_SESSION_TICK when the readings must
 * be handed out. */
int session_keep(struct pt_session *s, uint64_t now_ns, struct pt_err *e);

/* attach.c: who is watched, on which CPUs */
int session_attach(struct pt_session *s, struct pt_err *e);
void session_add_target(struct pt_session *s, int pid, int owner);
int session_open_target(struct pt_session *s, uint32_t target, enum session_part part,
			struct pt_err *e);
bool session_watched_gone(struct pt_session *s);
/* Opens rings and events of CPUs that came on line. */
int session_cpus_now(struct pt_session *s, const int *cpus, size_t nr, struct pt_err *e);
int session_read_online(int **cpus, size_t *nr, struct pt_err *e);

/* threads.c: all threads of the processes in watched[], also those that are born meanwhile; each
 * one once */
int session_attach_threads(struct pt_session *s, struct pt_err *e);

/* marks.c: who has inherited all counters of a target */
struct session_marks {
	bool good;			/* all marks could be opened; if not, times must decide */
	struct pt_ring *rings;		/* one a CPU */
	struct { int fd; uint32_t target; } *list;
	size_t nr, cap;
	struct pt_map ids;		/* id of a mark -> index of its target */
	struct pt_map seen;		/* thread -> id of the mark it has */
};
void session_marks_open(struct pt_session *s, struct session_marks *m);
void session_marks_close(struct pt_session *s, struct session_marks *m);
void session_mark(struct pt_session *s, struct session_marks *m, uint32_t target);
void session_unmark(struct session_marks *m, uint32_t target);
void session_marks_read(struct pt_session *s, struct session_marks *m);
bool session_marked(const struct session_marks *m, uint32_t tid);
/* CPU time of the thread. False: it is gone, or the kernel does not tell. */
bool session_run_ns(uint32_t tid, uint64_t *run_ns);

/* rings.c */
int session_rings_init(struct pt_session *s, struct pt_err *e);
int session_add_cpu(struct pt_session *s, int cpu, struct pt_err *e);
void session_rings_deinit(struct pt_session *s);
void session_rings_close(struct pt_session *s);	/* the rings alone: the CPUs stay */

/* rings_tracefs.c: tracefs' ring in place of perf's, for the samples */
int session_tracefs_init(struct pt_session *s, struct pt_err *e);
void session_tracefs_deinit(struct pt_session *s);
/* counter_open.c: the events' filters in the instance */
int session_tracefs_filters(struct pt_session *s, struct pt_err *e);
struct session_ring *session_tracefs_ring(struct pt_session *s, int cpu, struct pt_err *e);
/* Learns from the side-band which process each new thread belongs to. The consumer may then take
 * events of tracefs up to `until_ns`. */
void session_tracefs_look(struct pt_session *s, uint64_t until_ns);

#endif
