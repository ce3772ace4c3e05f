/* rings_tracefs.c - a session's samples from tracefs' own rings.
 *
 * The pages stay in the kernel's ring until they are wanted: an empty pt_ring takes a few and holds
 * their samples (pages.h). Names, forks and mappings come from perf's side-band as in any session.
 * Its forks are read ahead here, since a page names threads only, and not their processes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "record/watch/session_priv.h"
#include "record/watch/synth.h"

enum { HOLDS_BYTES = 1 << 20 };		/* of samples, small enough for the CPU's cache */

const char *pt_watch_suits_tracefs(const struct pt_watch *w)
{
	if (w->counting)
		return "counting";
	if ((w->nr_pids || w->nr_tids) && (!w->all_cpus || w->collects_tasks))
		return w->nr_pids ? "-p" : "-t";
	if (w->cgroup)
		return "-G";
	if (!w->all_cpus && !w->nr_cpus)
		return "a command's own events (without -a)";
	if (w->sample_type & ~(uint64_t)PT_PAGE_FIELDS || w->user_regs || w->intr_regs)
		return "call chains, addresses and other fields of samples";
	if (w->freq || w->period > 1)
		return "-F and -c";
	if (w->overwrites)
		return "--snapshot";
	if (w->no_samples)
		return "-n";
	if (!pt_tracering_clock(w->clockid))
		return "this clock";
	for (size_t i = 0; i < w->events.nr; i++) {
		const struct pt_event_spec *s = &w->events.specs[i];

		if (!s->tp)
			return "events other than tracepoints";
		if (s->cgroup)
			return "-G";
		if (s->attr.sample_period > 1 || s->attr.flags & PT_ATTR_FREQ || s->sample_read ||
		    s->attr.flags & (PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_USER) ||
		    s->chain > PT_CHAIN_NO || s->implied > PT_CHAIN_NO)
			return "modifiers and terms of events";
		for (size_t k = 0; k < i; k++)
			if (w->events.specs[k].tp == s->tp)
				return "an event given twice";
	}
	return NULL;
}

static uint32_t rings_tracefs_process_of(void *ctx, uint32_t tid)
{
	(void)ctx;
	return (uint32_t)pt_synth_leader((pid_t)tid);
}

int session_tracefs_init(struct pt_session *s, struct pt_err *e)
{
	uint64_t bytes = (uint64_t)s->data_pages * (uint64_t)sysconf(_SC_PAGESIZE);

	s->pages = (struct pt_pages){ .long_bytes = (int)sizeof(long),
				      .page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
				      .process_of = rings_tracefs_process_of,
				      .lost_id = s->nr_events == 2 ? s->events[0].ids[0] : 0 };
	s->page = pt_alloc(s->pages.page_bytes);
	if (pt_pages_init(&s->pages, e) < 0 ||
	    pt_tracering_open(&s->tracering, s->w->clockid, bytes, e) < 0)
		return -1;
	if (s->w->nr_cpus)
		pt_tracering_cpus(s->tracering, s->w->cpus, s->w->nr_cpus);
	return session_tracefs_filters(s, e);
}

void session_tracefs_deinit(struct pt_session *s)
{
	pt_tracering_close(s->tracering);
	pt_pages_deinit(&s->pages);
	free(s->page);
}

/* Learns from FORK records which process each thread belongs to. */
static void see_forks(struct pt_session *s, struct pt_ring *side)
{
	struct pt_ring ahead = *side;		/* a reading position of our own */
	uint64_t head = __atomic_load_n(&side->page->data_head, __ATOMIC_ACQUIRE);
	const uint8_t *p;

	ahead.at = side->head;
	ahead.scratch = NULL;
	while ((p = pt_ring_peek(&ahead, head))) {
		if (pt_load32(p, false) == PERF_RECORD_FORK) {
			uint32_t pid = pt_load32(p + 8, false), tid = pt_load32(p + 16, false);

			*pt_map_put(&s->pages.pids, tid) = pid;
			s->pages.last_tid = UINT32_MAX;
		}
		pt_ring_skip(&ahead, pt_load16(p + 6, false));
	}
	free(ahead.scratch);
	side->head = head;
}

static void look_at_side_band(struct pt_session *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		if (s->cpus[i].side)
			see_forks(s, &s->cpus[i].side->ring);
}

void session_tracefs_look(struct pt_session *s, uint64_t until_ns)
{
	s->horizon_ns = until_ns;
	look_at_side_band(s);
}

/* Adds the losses that no page had room to tell, at the end. */
static void tell_lost(struct session_ring *r)
{
	struct pt_session *s = r->session;
	uint64_t lost = pt_tracering_lost(s->tracering, r->ring.cpu);

	r->lost_told = true;
	if (lost > r->told_lost)
		r->ring.head += pt_pages_put_lost(&s->pages, lost - r->told_lost, r->last_ns,
						  (uint32_t)r->ring.cpu,
						  r->ring.data + r->ring.head);
}

static bool rings_tracefs_refill(struct pt_ring *ring)
{
	struct session_ring *r = (struct session_ring *)ring;
	struct pt_session *s = r->session;
	uint32_t page_bytes = s->pages.page_bytes;
	uint8_t *page = s->page;
	struct pt_pages_out out = { .last_ns = r->last_ns };
	uint64_t told = s->pages.told_lost;

	ring->at = ring->released = ring->head = 0;
	while (out.last_ns < s->horizon_ns &&
	       ring->head + PT_PAGE_GROWTH * page_bytes <= ring->size_bytes) {
		ssize_t n = read(ring->fd, page, page_bytes);

		if (n <= 0)
			break;
		if (ring->head == 0)
			look_at_side_band(s);
		out.at = ring->data + ring->head;
		if (pt_pages_convert(&s->pages, page, (size_t)n, (uint32_t)ring->cpu, &out, NULL) <
		    0)
			ring->broken = true;
		ring->head += out.len_bytes;
		r->taken_bytes += (uint64_t)n;
	}
	r->last_ns = out.last_ns;
	r->told_lost += s->pages.told_lost - told;
	if (!ring->head && s->stopped && !r->lost_told)
		tell_lost(r);
	return ring->head;
}

struct session_ring *session_tracefs_ring(struct pt_session *s, int cpu, struct pt_err *e)
{
	int fd = pt_tracering_cpu(s->tracering, cpu, e);
	struct session_ring *r;

	if (fd < 0)
		return NULL;
	r = pt_alloc(sizeof(*r));
	r->session = s;
	r->ring = (struct pt_ring){ .fd = fd,
				    .cpu = cpu,
				    .data = pt_alloc(HOLDS_BYTES),
				    .size_bytes = HOLDS_BYTES,
				    .own_head = true,
				    .refill = rings_tracefs_refill };
	return r;
}
