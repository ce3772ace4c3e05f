/* marks.c - finds out which threads have inherited all counters of their maker; see threads.c.
 *
 * A mark is a dummy event that reports its thread's switches. It is opened on a thread after all
 * its counters and inherited with them. Inheritance copies a thread's events at one moment, so a
 * child with the mark has everything that was opened before it. A child that runs shows its mark:
 * its switch records have the mark's id. Marks have rings of their own and exist only while
 * attaching. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "record/watch/session_priv.h"

enum { RING_PAGES = 64 };

static struct pt_attr mark_attr(const struct pt_session *s, uint64_t flags)
{
	struct pt_attr a = pt_dummy_attr(PT_ATTR_SAMPLE_ID_ALL | PT_ATTR_USE_CLOCKID |
					 PT_ATTR_WATERMARK | flags);

	a.sample_period = 1;
	a.clockid = s->w->clockid;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID;
	return a;
}

void session_marks_close(struct pt_session *s, struct session_marks *m)
{
	for (size_t i = 0; i < m->nr; i++)
		close(m->list[i].fd);
	for (size_t i = 0; m->rings && i < s->nr_cpus; i++) {
		pt_ring_close(&m->rings[i]);
		if (m->rings[i].fd >= 0)
			close(m->rings[i].fd);
	}
	free(m->rings);
	free(m->list);
	pt_map_deinit(&m->ids);
	pt_map_deinit(&m->seen);
	*m = (struct session_marks){ 0 };
}

/* Without marks (no memory or files, an old kernel) times must decide. */
void session_marks_open(struct pt_session *s, struct session_marks *m)
{
	struct pt_attr a = mark_attr(s, PT_ATTR_DISABLED);

	*m = (struct session_marks){ 0 };
	m->rings = pt_alloc_array(s->nr_cpus, sizeof(*m->rings));
	for (size_t i = 0; i < s->nr_cpus; i++)
		m->rings[i].fd = -1;
	for (size_t i = 0; i < s->nr_cpus; i++) {
		int fd = pt_perf_open(&a, 0, s->cpus[i].cpu, -1, 0);

		if (fd < 0 || pt_ring_open(&m->rings[i], fd, RING_PAGES, NULL) < 0) {
			if (fd >= 0)
				close(fd);
			session_marks_close(s, m);
			return;
		}
	}
	m->good = true;
}

static int mark_cpu(struct pt_session *s, struct session_marks *m, uint32_t target, size_t cpu)
{
	struct pt_attr a = mark_attr(s, PT_ATTR_INHERIT | PT_ATTR_CONTEXT_SWITCH);
	int fd = pt_perf_open(&a, s->targets[target].pid, s->cpus[cpu].cpu, -1, 0);
	uint64_t id;

	if (fd == -ESRCH)
		return 0;
	if (fd < 0)
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, m->rings[cpu].fd) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0) {
		close(fd);
		return -1;
	}
	PT_GROW(m->list, m->nr, m->cap);
	m->list[m->nr].fd = fd;
	m->list[m->nr++].target = target;
	*pt_map_put(&m->ids, id) = target;
	return 0;
}

void session_mark(struct pt_session *s, struct session_marks *m, uint32_t target)
{
	for (size_t i = 0; m->good && i < s->nr_cpus; i++)
		if (mark_cpu(s, m, target, i) < 0)
			m->good = false;
}

void session_unmark(struct session_marks *m, uint32_t target)
{
	struct pt_map_slot *slot;
	size_t kept = 0;

	for (size_t i = 0; i < m->nr; i++) {
		if (m->list[i].target == target)
			close(m->list[i].fd);
		else
			m->list[kept++] = m->list[i];
	}
	m->nr = kept;
	/* Forgets the closed marks' ids. A deletion moves others, so the search begins again. */
	for (size_t i = 0; (slot = pt_map_each(&m->ids, &i)); )
		if (slot->value == target) {
			pt_map_del(&m->ids, slot->key);
			i = 0;
		}
}

/* Reads the switches since the last time, to see which threads have a mark. */
void session_marks_read(struct pt_session *s, struct session_marks *m)
{
	for (size_t i = 0; m->good && i < s->nr_cpus; i++) {
		struct pt_ring *r = &m->rings[i];
		uint64_t head = pt_ring_head(r);
		const struct {
			struct perf_event_header h;
			uint32_t pid, tid;
			uint64_t id;
		} *rec;

		for (; (rec = (const void *)pt_ring_peek(r, head)); pt_ring_skip(r, rec->h.size))
			if (rec->h.type == PERF_RECORD_SWITCH && rec->h.size == sizeof(*rec))
				*pt_map_put(&m->seen, rec->tid) = rec->id;
		pt_ring_release(r);
	}
}

bool session_marked(const struct session_marks *m, uint32_t tid)
{
	const uint64_t *id = pt_map_get(&m->seen, tid);

	return id && pt_map_get(&m->ids, *id);
}

bool session_run_ns(uint32_t tid, uint64_t *run_ns)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/%u/schedstat", tid);
	return !pt_file_text(path, text, sizeof(text)) && sscanf(text, "%" SCNu64, run_ns) == 1;
}
