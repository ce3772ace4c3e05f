/* rings.c - a session's rings: two for each CPU, owned by dummy events of this process; their size
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/watch/session_priv.h"

enum { LEAST_PAGES = 1 };

/* Room for 60 ms of the fastest event (a uprobe hit each microsecond, 80 bytes each) on small
 * machines; at most 1/32 of the memory in all. */
static void choose_pages(struct pt_session *s, size_t nr_cpus)
{
	struct sysinfo si;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE), most, data, side;

	data = nr_cpus <= 8 ? 16 << 20 : nr_cpus <= 32 ? 8 << 20 : 4 << 20;
	if (s->w->slow_reader)
		data *= 4;
	side = nr_cpus > 32 ? 512 << 10 : s->w->want_maps ? 2 << 20 : 1 << 20;
	if (s->w->tracefs && s->w->want_switches)
		side = data / 4;	/* two records a switch, beside its events */
	if (!sysinfo(&si)) {
		most = (uint64_t)si.totalram * si.mem_unit / 32 / PT_MAX(nr_cpus, 1);
		while (data > most && data > 64 * page_bytes)
			data /= 2;
		while (side > data)
			side /= 2;
	}
	if (s->w->counting) {		/* only births matter, while attaching */
		data = page_bytes;
		side = 256 << 10;
	} else if (s->w->no_samples && !s->w->want_switches) {
		data = page_bytes;
	}
	s->data_pages = s->w->ring_pages && !s->w->counting ? s->w->ring_pages
							    : (uint32_t)(data / page_bytes);
	s->side_pages = (uint32_t)(side / page_bytes);
	if (s->w->ring_pages && !s->w->counting && s->side_pages > s->w->ring_pages)
		s->side_pages = PT_MAX(s->w->ring_pages, 16);
}

static int owner_fd(struct pt_session *s, int cpu, uint32_t pages, bool backward, struct pt_err *e)
{
	struct pt_attr a = pt_dummy_attr(PT_ATTR_DISABLED | PT_ATTR_USE_CLOCKID |
					 PT_ATTR_WATERMARK |
					 (backward ? PT_ATTR_WRITE_BACKWARD : 0));
	int fd;

	a.clockid = s->w->clockid;
	a.wakeup_events = (uint32_t)((uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4);
	fd = pt_perf_open(&a, 0, cpu, -1, 0);
	return fd < 0 ? pt_open_error(e, -fd, "ring", &a, PT_OPEN_TASK) : fd;
}

static struct session_ring *ring_new(struct pt_session *s, int cpu, uint32_t pages, bool side_band,
				     struct pt_err *e)
{
	struct session_ring *r = pt_alloc(sizeof(*r));
	int fd;

	r->ring.backward = s->w->overwrites && !side_band;
	fd = owner_fd(s, cpu, pages, r->ring.backward, e);
	if (fd < 0 || pt_ring_open(&r->ring, fd, pages, e) < 0) {
		if (fd >= 0)
			close(fd);
		free(r);
		return NULL;
	}
	r->ring.cpu = cpu;
	r->ring.side_band = side_band;
	r->ring.own_head = s->tracering;	/* session_tracefs_look() */
	return r;
}

static void ring_free(struct session_ring *r)
{
	if (!r)
		return;
	if (r->ring.refill)
		free(r->ring.data);
	pt_ring_close(&r->ring);
	close(r->ring.fd);
	free(r);
}

static int map_cpu(struct pt_session *s, struct session_cpu *c, struct pt_err *e)
{
	if (c->side_only)
		c->data = NULL;
	else if (s->tracering)
		c->data = session_tracefs_ring(s, c->cpu, e);
	else
		c->data = ring_new(s, c->cpu, s->data_pages, false, e);
	c->side = c->data || c->side_only ? ring_new(s, c->cpu, s->side_pages, true, e) : NULL;
	if (c->side)
		return 0;
	ring_free(c->data);
	c->data = NULL;
	return -1;
}

static bool smaller(struct pt_session *s)
{
	if (s->w->ring_pages || (s->data_pages <= LEAST_PAGES && s->side_pages <= LEAST_PAGES))
		return false;
	s->data_pages = PT_MAX(s->data_pages / 2, LEAST_PAGES);
	s->side_pages = PT_MAX(s->side_pages / 2, LEAST_PAGES);
	return true;
}

static int list_ring(struct pt_session *s, struct session_ring *r, struct pt_err *e)
{
	if (!r->ring.backward && session_listen(s, r->ring.fd, SESSION_ON_RING, e) < 0)
		return -1;
	PT_GROW(s->rings, s->nr_rings, s->cap_rings);
	s->rings[s->nr_rings++] = r;
	return 0;
}

int session_rings_init(struct pt_session *s, struct pt_err *e)
{
	struct pt_err mine = PT_ERR_INIT;

	choose_pages(s, s->nr_cpus);
	if (s->w->tracefs && session_tracefs_init(s, e) < 0)
		return -1;
again:
	for (size_t i = 0; i < s->nr_cpus; i++) {
		if (!map_cpu(s, &s->cpus[i], &mine))
			continue;
		session_rings_close(s);
		if (mine.sys == EPERM && smaller(s))
			goto again;
		if (e)
			*e = mine;
		return -1;
	}
	for (size_t i = 0; i < 2 * s->nr_cpus; i++) {
		struct session_cpu *c = &s->cpus[i % s->nr_cpus];

		struct session_ring *r = i < s->nr_cpus ? c->data : c->side;

		if (r && list_ring(s, r, e) < 0)
			return -1;
	}
	return 0;
}

int session_add_cpu(struct pt_session *s, int cpu, struct pt_err *e)
{
	struct session_cpu c = { .cpu = cpu, .online = true, .side_only = s->w->nr_cpus };
	struct pt_err bad = PT_ERR_INIT;

	while (!s->w->counting && map_cpu(s, &c, &bad) < 0)
		if (bad.sys != EPERM || !smaller(s)) {
			if (e)
				*e = bad;
			return -1;
		}
	PT_GROW(s->cpus, s->nr_cpus, s->cap_cpus);
	s->cpus[s->nr_cpus++] = c;
	if (s->w->counting)
		return 0;
	return c.data && list_ring(s, c.data, e) < 0 ? -1 : list_ring(s, c.side, e);
}

void session_rings_close(struct pt_session *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++) {
		ring_free(s->cpus[i].data);
		ring_free(s->cpus[i].side);
		s->cpus[i].data = s->cpus[i].side = NULL;
	}
	free(s->rings);
	s->rings = NULL;
	s->nr_rings = s->cap_rings = 0;
}

void session_rings_deinit(struct pt_session *s)
{
	session_rings_close(s);
	free(s->cpus);
}

size_t pt_session_nr_rings(const struct pt_session *s)
{
	return s->nr_rings;
}

struct pt_ring *pt_session_ring(struct pt_session *s, size_t i)
{
	return &s->rings[i]->ring;
}
