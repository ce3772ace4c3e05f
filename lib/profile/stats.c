#include "profile/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/typename.h"

enum { NR_TYPES = 128, NO_TASK = -1 };

struct task {
	uint32_t pid, tid;
	int64_t ppid;			/* process of its parent; NO_TASK: not known */
	int64_t above;			/* the same, if it is among the tasks */
	const char *comm;
	bool printed;
};

struct pt_stats {
	uint64_t types[NR_TYPES], total;	/* types[0]: of all others */
	struct pt_map samples;		/* index of the event: samples */
	struct pt_map ids;		/* tid: index into tasks, from 1 */
	struct task *tasks;
	size_t nr, cap;
	struct pt_names *names;
};

struct pt_stats *pt_stats_new(void)
{
	struct pt_stats *s = pt_alloc(sizeof(*s));

	s->names = pt_names_new();
	return s;
}

void pt_stats_free(struct pt_stats *s)
{
	if (!s)
		return;
	pt_map_deinit(&s->samples);
	pt_map_deinit(&s->ids);
	pt_names_free(s->names);
	free(s->tasks);
	free(s);
}

/* A new one gets its process's name, if that is known. */
static struct task *task_of(struct pt_stats *s, uint32_t pid, uint32_t tid)
{
	uint64_t *id = pt_map_put(&s->ids, tid);
	const uint64_t *process = pid != tid ? pt_map_get(&s->ids, pid) : NULL;
	struct task *t;

	if (!*id) {
		PT_GROW(s->tasks, s->nr, s->cap);
		s->tasks[s->nr++] = (struct task){
			.pid = pid, .tid = tid, .ppid = NO_TASK,
			.comm = process ? s->tasks[*process - 1].comm : NULL };
		*id = s->nr;
	}
	t = &s->tasks[*id - 1];
	t->pid = pid;
	return t;
}

static void see_fork(struct pt_stats *s, const struct pt_record *rec)
{
	struct task *t = task_of(s, rec->u.task.pid, rec->u.task.tid);
	const uint64_t *parent = pt_map_get(&s->ids, rec->u.task.ptid);

	t->ppid = rec->u.task.ppid;
	if (parent)
		t->comm = s->tasks[*parent - 1].comm;
}

void pt_stats_see(struct pt_stats *s, const struct pt_record *rec)
{
	s->total++;
	s->types[rec->type < NR_TYPES ? rec->type : 0]++;
	if (rec->type == PERF_RECORD_SAMPLE && rec->event)
		++*pt_map_put(&s->samples, rec->event->index);
	if (rec->type == PERF_RECORD_SAMPLE && rec->has & PERF_SAMPLE_TID)
		task_of(s, rec->pid, rec->tid);
	if (rec->type == PERF_RECORD_FORK)
		see_fork(s, rec);
	if (rec->type == PERF_RECORD_COMM)
		task_of(s, rec->u.comm.pid, rec->u.comm.tid)->comm =
			pt_names_add(s->names, rec->u.comm.comm, SIZE_MAX);
}

static void put_count(struct pt_buf *b, const char *name, uint64_t nr)
{
	pt_buf_printf(b, "%16s events: %10llu", name, (unsigned long long)nr);
}

void pt_stats_print(const struct pt_stats *s, const struct pt_source *src, struct pt_buf *b)
{
	pt_buf_puts(b, "Aggregated stats:\n");
	put_count(b, "TOTAL", s->total);
	pt_buf_putc(b, '\n');
	for (uint32_t i = 0; i < NR_TYPES; i++) {
		if (!s->types[i])
			continue;
		put_count(b, i ? pt_record_type_name(i) : "other", s->types[i]);
		pt_buf_printf(b, "  (%4.1f%%)\n",
			      100.0 * (double)s->types[i] / (double)s->total);
	}
	for (size_t i = 0; i < pt_source_nr_events(src); i++) {
		const struct pt_event *event = pt_source_event(src, i);
		const uint64_t *nr = pt_map_get(&s->samples, event->index);

		if (event->side_band && !nr)
			continue;
		pt_text_plain(b, event->name, strlen(event->name));
		pt_buf_puts(b, " stats:\n");
		put_count(b, "SAMPLE", nr ? *nr : 0);
		pt_buf_putc(b, '\n');
	}
}

/* -- tasks -- */

static int by_parent(const void *x, const void *y)
{
	const struct task *a = x, *b = y;

	if (a->above != b->above)
		return a->above < b->above ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* The first of the tasks below one, sorted; nr: there is none behind it. */
static size_t first_below(const struct pt_stats *s, int64_t above)
{
	size_t from = 0, to = s->nr;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (s->tasks[mid].above < above)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void put_task(const struct task *t, size_t level, struct pt_buf *b)
{
	pt_buf_printf(b, "%10d %8d %8lld |%*s", (int)t->pid, (int)t->tid, (long long)t->ppid,
		      (int)level, "");
	if (t->comm)
		pt_text_plain(b, t->comm, strlen(t->comm));
	else
		pt_buf_printf(b, t->tid ? ":%u" : "swapper", t->tid);
	pt_buf_putc(b, '\n');
}

struct place {
	size_t at, level;
};

/* A task, and all that are below it. A parent may be its own child's child: ids are used again. */
static void put_tree(struct pt_stats *s, size_t root, struct place *todo, struct pt_buf *b)
{
	size_t nr = 0;

	todo[nr++] = (struct place){ root, 0 };
	while (nr) {
		struct place x = todo[--nr];
		struct task *t = &s->tasks[x.at];
		size_t end = first_below(s, t->tid + 1ll);

		if (t->printed)
			continue;
		t->printed = true;
		put_task(t, x.level, b);
		for (size_t i = end; i-- > first_below(s, t->tid);)
			todo[nr++] = (struct place){ i, x.level + 1 };
	}
}

void pt_stats_tasks(struct pt_stats *s, struct pt_buf *b)
{
	struct place *todo = pt_alloc_array(s->nr + 1, sizeof(*todo));

	for (size_t i = 0; i < s->nr; i++) {
		struct task *t = &s->tasks[i];

		t->above = t->ppid != t->tid && pt_map_get(&s->ids, (uint64_t)t->ppid)
				   ? t->ppid : NO_TASK;
	}
	if (s->nr)
		qsort(s->tasks, s->nr, sizeof(*s->tasks), by_parent);
	pt_buf_puts(b, "#      pid      tid     ppid  comm\n");
	for (size_t i = 0; i < s->nr; i++)
		put_tree(s, i, todo, b);
	free(todo);
}
