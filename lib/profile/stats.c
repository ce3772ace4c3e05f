#include "profile/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "record/format/record.h"

enum { NO_TASK = UINT32_MAX };		/* also what the kernel gives as pid of none */

struct task {
	uint32_t pid, tid;
	uint32_t parent;		/* a tid; NO_TASK: not known */
	const char *comm;
	/* of pt_stats_tasks(): indexes, from 1 on */
	size_t first_child, next_child, level;
	bool printed;
};

struct pt_stats {
	uint64_t types[PT_RECORD_HEADER_ATTR];
	struct pt_map samples;		/* index of the event: samples */
	struct pt_map ids;		/* tid: index into tasks, from 1 */
	struct task *tasks;
	size_t nr, cap;
	struct pt_names *names;
};

/* A new one has the name of the task that it belongs to, if that is known. */
static struct task *stats_task_of(struct pt_stats *s, uint32_t pid, uint32_t tid, uint32_t like)
{
	uint64_t *id = pt_map_put(&s->ids, tid);
	const uint64_t *other = pt_map_get(&s->ids, like);
	struct task *t;

	if (!*id) {
		PT_GROW(s->tasks, s->nr, s->cap);
		s->tasks[s->nr++] = (struct task){ .parent = NO_TASK };
		*id = s->nr;
	}
	t = &s->tasks[*id - 1];
	if (!t->comm && other && *other)
		t->comm = s->tasks[*other - 1].comm;
	t->pid = pid;
	t->tid = tid;
	return t;
}

struct pt_stats *pt_stats_new(void)
{
	struct pt_stats *s = pt_alloc(sizeof(*s));

	s->names = pt_names_new();
	stats_task_of(s, 0, 0, 0)->comm = "swapper";
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

/* The tid may be that of a task which is gone: nothing of that one stays. */
static void stats_see_fork(struct pt_stats *s, const struct pt_record *rec)
{
	uint32_t pid = rec->u.task.pid, tid = rec->u.task.tid, parent = rec->u.task.ptid;

	stats_task_of(s, rec->u.task.ppid, parent, rec->u.task.ppid);
	stats_task_of(s, pid, tid, tid)->comm = NULL;
	stats_task_of(s, pid, tid, parent)->parent = parent;
}

void pt_stats_see(struct pt_stats *s, const struct pt_record *rec)
{
	if (rec->type < PT_NR(s->types))
		s->types[rec->type]++;
	if (rec->type == PERF_RECORD_SAMPLE && rec->event)
		++*pt_map_put(&s->samples, rec->event->index);
	if (rec->type == PERF_RECORD_SAMPLE && rec->has & PERF_SAMPLE_TID && rec->tid != NO_TASK)
		stats_task_of(s, rec->pid, rec->tid, rec->pid);
	if (rec->type == PERF_RECORD_FORK)
		stats_see_fork(s, rec);
	if (rec->type == PERF_RECORD_COMM)
		stats_task_of(s, rec->u.comm.pid, rec->u.comm.tid, 0)->comm =
			pt_names_add(s->names, rec->u.comm.comm, SIZE_MAX);
}

/* As perf names them here. */
static const char *type_name(uint32_t type)
{
	const char *name = pt_record_type_name(type);

	return strncmp(name, "HEADER_", 7) ? name : name + 7;
}

/* `share`: percent of all; negative: not given. */
static void stats_put_count(const char *key, const char *name, uint64_t nr, double share, bool json,
			    struct pt_buf *b)
{
	if (json) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, key, name);
		pt_json_u64(b, "count", nr);
		pt_json_close(b, '}');
	} else {
		pt_buf_printf(b, "%16s events: %10llu", name, (unsigned long long)nr);
		if (share >= 0)
			pt_buf_printf(b, "  (%4.1f%%)", share);
	}
	pt_buf_putc(b, '\n');
}

void pt_stats_print(const struct pt_stats *s, const struct pt_source *src, bool json,
		    struct pt_buf *b)
{
	const struct pt_tally *tally = pt_source_tally(src);
	uint64_t types[PT_NR(s->types) + PT_NR(tally->own_records)], total = 0;

	memcpy(types, s->types, sizeof(s->types));
	memcpy(types + PT_NR(s->types), tally->own_records, sizeof(tally->own_records));
	for (uint32_t i = 0; i < PT_NR(types); i++)
		total += types[i];
	if (!json)
		pt_buf_puts(b, "Aggregated stats:\n");
	stats_put_count("type", "TOTAL", total, -1, json, b);
	for (uint32_t i = 0; i < PT_NR(types); i++)
		if (types[i])
			stats_put_count("type", type_name(i), types[i],
					100.0 * (double)types[i] / (double)total, json, b);
	for (size_t i = 0; i < pt_source_nr_events(src); i++) {
		const struct pt_event *event = pt_source_event(src, i);
		const uint64_t *nr = pt_map_get(&s->samples, event->index);

		if (event->side_band)
			continue;
		if (!json) {
			pt_text_puts(b, event->name);
			pt_buf_puts(b, " stats:\n");
		}
		stats_put_count("event", json ? event->name : "SAMPLE", nr ? *nr : 0, -1, json, b);
	}
}

/* -- tasks -- */

static int by_tid(const void *x, const void *y)
{
	const struct task *a = x, *b = y;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Children of each task, the greatest tid first. */
static void find_children(struct pt_stats *s)
{
	qsort(s->tasks, s->nr, sizeof(*s->tasks), by_tid);
	for (size_t i = 0; i < s->nr; i++) {
		struct task *t = &s->tasks[i], *parent;

		parent = bsearch(&(struct task){ .tid = t->parent }, s->tasks, s->nr,
				 sizeof(*s->tasks), by_tid);
		if (!parent)
			continue;
		t->next_child = parent->first_child;
		parent->first_child = i + 1;
	}
}

static void put_task(const struct task *t, bool json, struct pt_buf *b)
{
	char unknown[16];
	const char *comm = t->comm ? t->comm : unknown;
	long long parent = t->parent == NO_TASK ? -1 : (long long)t->parent;

	snprintf(unknown, sizeof(unknown), ":%u", t->tid);
	if (json) {
		pt_json_open(b, NULL, '{');
		pt_json_u64(b, "pid", t->pid);
		pt_json_u64(b, "tid", t->tid);
		pt_json_s64(b, "ppid", parent);
		pt_json_str(b, "comm", comm);
		pt_json_close(b, '}');
	} else {
		pt_buf_printf(b, "%10u %8u %8lld |%*s", t->pid, t->tid, parent, (int)t->level, "");
		pt_text_puts(b, comm);
	}
	pt_buf_putc(b, '\n');
}

/* Prints a task and all below it. Those that a damaged recording makes children of their own
 * children are printed once. */
static void put_tree(struct pt_stats *s, size_t root, bool json, struct pt_buf *b)
{
	size_t *todo = NULL, nr = 0, cap = 0;

	PT_GROW(todo, nr, cap);
	todo[nr++] = root;
	while (nr) {
		struct task *t = &s->tasks[todo[--nr]];

		if (t->printed)
			continue;
		t->printed = true;
		put_task(t, json, b);
		for (size_t i = t->first_child; i; i = s->tasks[i - 1].next_child) {
			s->tasks[i - 1].level = t->level + 1;
			PT_GROW(todo, nr, cap);
			todo[nr++] = i - 1;
		}
	}
	free(todo);
}

void pt_stats_tasks(struct pt_stats *s, bool json, struct pt_buf *b)
{
	find_children(s);
	if (!json)
		pt_buf_puts(b, "#      pid      tid     ppid  comm\n");
	for (size_t i = 0; i < s->nr; i++)
		if (s->tasks[i].parent == NO_TASK)
			put_tree(s, i, json, b);
	for (size_t i = 0; i < s->nr; i++)	/* those that are their own parents' parents */
		put_tree(s, i, json, b);
}
