/* One ring buffer of BPF a CPU. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "syscall/collect_priv.h"

enum {
	RINGS_BYTES = 64 << 20,		/* all CPUs together */
	RING_MIN = 1 << 20, RING_MAX = 16 << 20,
};

/* A page with the reader's position, one with the writer's, then the bytes, mapped twice. Source:
 * kernel/bpf/ringbuf.c. Each record has 8 bytes in front: its length with two flags. */
struct pt_bpf_ring {
	struct pt_run run;
	int fd;
	uint64_t *read_at;
	const uint64_t *written_to;
	const uint8_t *data;
	size_t mask;
	uint64_t at;			/* of the record that the run is */
};

static uint32_t ring_bytes(const struct pt_collect *c)
{
	uint32_t bytes = RING_MAX;

	if (c->o.ring_bytes)
		return PT_MAX(c->o.ring_bytes, (uint32_t)c->page);
	while (bytes > RING_MIN && (uint64_t)bytes * (uint64_t)c->nr_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static int new_ring(struct pt_collect *c, uint32_t cpu, struct pt_err *e)
{
	struct pt_bpf_ring *r = &c->rings[cpu];
	struct epoll_event ee = { .events = EPOLLIN | EPOLLET };
	size_t bytes = r->mask + 1;
	void *p;

	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "pt_ring", 0, 0, (uint32_t)bytes, NULL);
	if (r->fd < 0)
		return pt_err_sys(e, -r->fd, "BPF map pt_ring");
	p = mmap(NULL, c->page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED)
		return pt_err_sys(e, errno, "mapping a BPF ring");
	r->read_at = p;
	p = mmap(NULL, c->page + 2 * bytes, PROT_READ, MAP_SHARED, r->fd, (off_t)c->page);
	if (p == MAP_FAILED)
		return pt_err_sys(e, errno, "mapping a BPF ring");
	r->written_to = p;
	r->data = (const uint8_t *)p + c->page;
	epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, r->fd, &ee);
	return bpf_map_update_elem(c->p.maps.rings, &cpu, &r->fd, 0) < 0
		       ? pt_err_sys(e, errno, "BPF ring")
		       : 0;
}

int pt_collect_new_rings(struct pt_collect *c, struct pt_err *e)
{
	uint32_t bytes = ring_bytes(c);
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	c->p.wake_bytes = bytes / 8;
	c->rings = pt_alloc_array((size_t)c->nr_cpus, sizeof(*c->rings));
	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		c->rings[cpu] = (struct pt_bpf_ring){ .fd = -1, .mask = bytes - 1 };
	/* The kernel wants to see a ring of the kind that the map will hold. */
	opts.inner_map_fd = (uint32_t)bpf_map_create(BPF_MAP_TYPE_RINGBUF, "pt_ring", 0, 0, bytes,
						     NULL);
	c->p.maps.rings = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "pt_rings", 4, 4,
					 (uint32_t)c->nr_cpus, &opts);
	close((int)opts.inner_map_fd);
	if (c->p.maps.rings < 0)
		return pt_err_sys(e, -c->p.maps.rings, "BPF rings");
	for (int cpu = 0; cpu < c->nr_cpus; cpu++)
		if (new_ring(c, (uint32_t)cpu, e) < 0)
			return -1;
	return 0;
}

/* The run is the next record that is complete, if there is one. */
static bool next_record(struct pt_bpf_ring *r)
{
	uint64_t end = __atomic_load_n(r->written_to, __ATOMIC_ACQUIRE);

	while (r->at < end) {
		const uint32_t *header = (const uint32_t *)(r->data + (r->at & r->mask));
		uint32_t len = __atomic_load_n(header, __ATOMIC_ACQUIRE);

		if (len & BPF_RINGBUF_BUSY_BIT)
			return false;
		if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
			r->run.at = (const uint8_t *)header + BPF_RINGBUF_HDR_SZ;
			r->run.end = r->run.at + len;
			return true;
		}
		r->at += ((len & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
	}
	return false;
}

static bool collect_rings_ring_more(struct pt_run *run)
{
	struct pt_bpf_ring *r = (struct pt_bpf_ring *)run;
	const uint32_t *header = (const uint32_t *)(r->data + (r->at & r->mask));

	r->at += (*header + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
	__atomic_store_n(r->read_at, r->at, __ATOMIC_RELEASE);
	return next_record(r);
}

uint64_t pt_collect_take_rings(struct pt_collect *c, struct pt_stream *st)
{
	struct epoll_event ee[16];
	uint64_t most = 0;

	epoll_wait(c->epoll_fd, ee, PT_NR(ee), 0);
	for (int cpu = 0; c->rings && cpu < c->nr_cpus; cpu++) {
		struct pt_bpf_ring *r = &c->rings[cpu];
		uint64_t used = __atomic_load_n(r->written_to, __ATOMIC_ACQUIRE) - r->at;

		most = PT_MAX(most, used * 256 / (r->mask + 1));
		if (!r->run.queued && next_record(r)) {
			r->run.more = collect_rings_ring_more;
			r->run.seq = (uint64_t)cpu;
			pt_order_add(st->order, &r->run);
		}
	}
	return most;
}

void pt_collect_free_rings(struct pt_collect *c)
{
	for (int cpu = 0; c->rings && cpu < c->nr_cpus; cpu++) {
		struct pt_bpf_ring *r = &c->rings[cpu];

		if (r->read_at)
			munmap(r->read_at, c->page);
		if (r->written_to)
			munmap((void *)r->written_to, c->page + 2 * (r->mask + 1));
		if (r->fd >= 0)
			close(r->fd);
	}
	free(c->rings);
}
