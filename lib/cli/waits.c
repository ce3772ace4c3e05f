#include "cli/waits.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/remark.h"
#include "base/smallfile.h"
#include "record/watch/live.h"
#include "task/waiting.h"

enum { MAX_FRAMES = 64, KTHREADD = 2 };

const char pt_waits_not_ended[] = "[not ended]";

struct throughout {
	const struct pt_analysis *an;
	const struct pt_offcpu *offcpu;
	struct pt_names *names;
	const char *mark;
	void (*each)(void *ctx, const struct pt_waits_thread *t);
	void *ctx;
	uint64_t ns, nr;
};

/* Adds the functions of lines such as "[<0>] futex_wait_queue+0x64/0x90 [module]". */
static size_t add_kernel_frames(const struct throughout *t, char *text, const char **frames,
				size_t nr)
{
	struct pt_buf b = PT_BUF_INIT;
	char *save = NULL, *line, *name;

	for (line = strtok_r(text, "\n", &save); line && nr < MAX_FRAMES;
	     line = strtok_r(NULL, "\n", &save)) {
		name = strstr(line, "] ");
		if (!name)
			continue;
		name += 2;
		pt_buf_clear(&b);
		pt_buf_printf(&b, "%.*s%s", (int)strcspn(name, "+ "), name, t->mark);
		frames[nr++] = pt_names_add(t->names, b.data, b.len);
	}
	pt_buf_deinit(&b);
	return nr;
}

static void see_waiting(void *ctx, uint32_t pid, uint32_t tid, const struct pt_proc *p)
{
	struct throughout *t = ctx;
	const char *frames[MAX_FRAMES + 2] = { pt_waits_not_ended };
	char path[64], text[4096];
	bool of_kernel = pid == KTHREADD || p->parent == KTHREADD;
	size_t nr;

	if (pt_offcpu_seen(t->offcpu, tid) || pid == (uint32_t)getpid() ||
	    (of_kernel && p->state != 'D') ||
	    !pt_choose_task(t->an->choose, pid, tid, p->comm))
		return;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stack", pid, tid);
	pt_file_text(path, text, sizeof(text));		/* empty where this user may not */
	nr = add_kernel_frames(t, text, frames, 1);
	if (!of_kernel)
		frames[nr++] = pt_names_add(t->names, "[unknown]", SIZE_MAX);
	t->nr++;
	t->each(t->ctx, &(struct pt_waits_thread){ pid, tid, p->comm, frames, nr, t->ns });
}

/* When the events were enabled: ticks are counted from then. */
static uint64_t begin_ns(const struct pt_analysis *an)
{
	uint64_t due_ns, nr = pt_session_tick(pt_source_session(an->src), &due_ns);

	return due_ns - nr * an->watch->watch.interval_ns;
}

uint64_t pt_waits_throughout(const struct pt_analysis *an, const struct pt_offcpu *o,
			     struct pt_names *names, const char *mark,
			     void (*each)(void *ctx, const struct pt_waits_thread *t), void *ctx)
{
	const struct pt_watch *w = &an->watch->watch;
	struct throughout t = { .an = an, .offcpu = o, .names = names, .mark = mark,
				.each = each, .ctx = ctx };
	uint64_t end_ns;

	if (!an->live || w->nr_cpus || w->cgroup || w->start_disabled)
		return 0;
	end_ns = pt_analysis_end_ns(an);
	t.ns = end_ns - PT_MIN(end_ns, begin_ns(an));
	pt_waiting_each(w, see_waiting, &t);
	return t.nr;
}

/* The chosen threads that a recording of switches names and that no switch is of. */
static uint64_t unseen(const struct pt_analysis *an, const struct pt_offcpu *o)
{
	bool has_switches = false;
	uint32_t pid, tid;
	const char *comm;
	uint64_t nr = 0;

	for (size_t i = 0; i < pt_source_nr_events(an->src) && !has_switches; i++)
		has_switches = !strcmp(pt_source_event(an->src, i)->name, "sched:sched_switch");
	if (an->live || !has_switches)
		return 0;
	for (size_t i = 0; pt_tasks_each(an->tasks, &i, &pid, &tid, &comm); )
		nr += !pt_offcpu_seen(o, tid) && pt_choose_task(an->choose, pid, tid, comm);
	return nr;
}

void pt_waits_say(const struct pt_analysis *an, const struct pt_offcpu *o, uint64_t throughout)
{
	struct pt_offcpu_counts c = pt_offcpu_counts(o);
	const struct pt_remark rows[] = {
		{ c.open, "wait has", "waits have", { " not ended: the innermost frame is ",
						      pt_waits_not_ended } },
		{ throughout, "more thread has", "more threads have",
		  { " waited throughout: of those there are only the kernel's functions; "
		    "pt-stack --once -p PID shows the program's" } },
		{ unseen(an, o), "thread has", "threads have",
		  { " no switch in the recording; a thread that waited throughout is among "
		    "these, and not shown (pt-stack --once -p PID shows where it is now)" } },
		{ c.gaps, "wait is", "waits are", { " left out: switches were lost meanwhile" } },
	};
	struct pt_buf note = PT_BUF_INIT;
	size_t i = 0;

	if (!c.switches && !throughout)
		pt_warn(an->tool, "no sched:sched_switch among the samples: no waits");
	while (pt_remark_next(rows, PT_NR(rows), &i, &note)) {
		pt_warn(an->tool, "%s", pt_buf_str(&note));
		pt_buf_clear(&note);
	}
	pt_buf_deinit(&note);
}
