#include "event/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/open.h"

enum { SCRATCH_BYTES = 64 << 10 };	/* a record's size has 16 bits */

int pt_ring_open(struct pt_ring *r, int fd, uint32_t pages, struct pt_err *e)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	if (!pages || pages & (pages - 1) || pages > UINT32_MAX / 2)
		return pt_err_set(e, "a ring of %u pages: it takes a power of two", pages);
	p = mmap(NULL, ((size_t)pages + 1) * page_bytes,
		 r->backward ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return pt_mmap_error(e, errno, pages);
	r->fd = fd;
	r->page = p;
	r->data = (uint8_t *)p + page_bytes;
	r->size_bytes = (uint64_t)pages * page_bytes;
	r->at = r->released = 0;
	r->scratch = NULL;
	r->broken = false;
	return 0;
}

void pt_ring_close(struct pt_ring *r)
{
	if (r->page)
		munmap(r->page, (size_t)r->size_bytes + (size_t)(r->data - (uint8_t *)r->page));
	free(r->scratch);
	r->page = NULL;
	r->data = NULL;
	r->scratch = NULL;
}

uint64_t pt_ring_head(struct pt_ring *r)
{
	if (r->own_head)
		return r->head;
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

const uint8_t *pt_ring_peek(struct pt_ring *r, uint64_t head)
{
	uint64_t off = r->at & (r->size_bytes - 1), left = head - r->at,
		 first = r->size_bytes - off;
	const struct perf_event_header *h;
	uint32_t size;

	if (!left || left > r->size_bytes)
		return NULL;
	/* Records are multiples of 8 bytes, so a header never wraps. */
	h = (const struct perf_event_header *)(r->data + off);
	size = h->size;
	if (size < sizeof(*h) || size % 8 || size > left) {
		r->broken = true;
		r->at = head;
		return NULL;
	}
	if (size <= first)
		return (const uint8_t *)h;
	if (!r->scratch)
		r->scratch = pt_alloc(SCRATCH_BYTES);
	memcpy(r->scratch, h, first);
	memcpy(r->scratch + first, r->data, size - first);
	return r->scratch;
}

void pt_ring_skip(struct pt_ring *r, uint32_t size_bytes)
{
	r->at += size_bytes;
}

void pt_ring_release(struct pt_ring *r)
{
	if (r->released == r->at || r->backward)
		return;
	if (r->page)
		__atomic_store_n(&r->page->data_tail, r->at, __ATOMIC_RELEASE);
	r->released = r->at;
}

bool pt_ring_more(struct pt_ring *r, uint64_t *head)
{
	if (!r->refill || r->at != r->head || !r->refill(r))
		return false;
	*head = r->head;
	return true;
}

int pt_ring_parts(struct pt_ring *r, uint64_t head, uint8_t *part[2], size_t len[2])
{
	uint64_t off = r->at & (r->size_bytes - 1), left = head - r->at,
		 first = PT_MIN(left, r->size_bytes - off);

	if (!left || left > r->size_bytes)
		return 0;
	part[0] = r->data + off;
	len[0] = (size_t)first;
	part[1] = r->data;
	len[1] = (size_t)(left - first);
	return len[1] ? 2 : 1;
}
