/* ring.h - one mapped ring of the kernel, read in place.
 *
 *     head = pt_ring_head(r);                     // load-acquire: all before it is written
 *     while ((p = pt_ring_peek(r, head))) { ... pt_ring_skip(r, size of p); }
 *     pt_ring_release(r);                         // the kernel may write there again
 *
 * A record that wraps at the end of the ring is put together in scratch memory, valid until the
 * next peek. pt_ring_parts() gives the bytes as they are. Source: struct perf_event_mmap_page in
 * the kernel's header. */
#ifndef PT_EVENT_RING_H
#define PT_EVENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pt_ring {
	int fd;				/* the event that owns the ring; belongs to the opener */
	int cpu;			/* -1: of a task */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size_bytes;		/* of data, a power of two */
	uint64_t at;			/* the reading position */
	uint64_t released;		/* the tail that was given to the kernel */
	uint8_t *scratch;
	bool side_band;
	/* Set before pt_ring_open(), for an event with PT_ATTR_WRITE_BACKWARD: the kernel goes on
	 * when the ring is full, over the oldest records, and writes each record in front of the
	 * one before it. So peek and skip go from the newest, at pt_ring_head(), to older ones.
	 * Nothing is given back to the kernel. */
	bool backward;
	/* The owner says in `head` up to where it may be read. */
	bool own_head;
	uint64_t head;
	/* No kernel's ring: `page` is NULL, and this fills an empty one from the start, up to what
	 * there was at a time that the owner chose. False: there is no more. NULL: the kernel
	 * fills it. */
	bool (*refill)(struct pt_ring *r);
	/* a record of impossible size was met: the rest up to head is lost */
	bool broken;
};

int pt_ring_open(struct pt_ring *r, int fd, uint32_t pages, struct pt_err *e);
void pt_ring_close(struct pt_ring *r);		/* unmaps; does not close the fd */
uint64_t pt_ring_head(struct pt_ring *r);
const uint8_t *pt_ring_peek(struct pt_ring *r, uint64_t head);	/* NULL: nothing before head */
void pt_ring_skip(struct pt_ring *r, uint32_t size_bytes);
void pt_ring_release(struct pt_ring *r);
/* Is there more to read than `*head`, now that all before it was read and released? Renews it. */
bool pt_ring_more(struct pt_ring *r, uint64_t *head);
/* The bytes between the reading position and head, as one or two pieces; returns their number. */
int pt_ring_parts(struct pt_ring *r, uint64_t head, uint8_t *part[2], size_t len[2]);

#endif
