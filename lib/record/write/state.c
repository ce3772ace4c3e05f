#include "record/write/state.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cover.h"
#include "base/map.h"
#include "base/mem.h"
#include "record/format/evtable.h"

enum {
	MAX_MAPS = 1 << 16,		/* of one process */
	UNTIDY = 64,			/* so many more mappings may be covered by others */
	PID_AT = 8,			/* of COMM, MMAP, MMAP2; tid behind it */
	MAP_AT = 16			/* address and length of MMAP and MMAP2 */
};

struct kept {				/* a record; shared by processes that inherited it */
	unsigned refs;
	uint32_t len_bytes;
	uint64_t time_ns, nr;		/* while it waits to be settled: the order */
	uint8_t data[];
};

struct process {
	uint32_t pid;
	uint32_t nr_threads;
	struct kept **maps;
	size_t nr, cap;
	size_t nr_tidy;			/* so many were left when covered ones were dropped */
};

struct thread {
	uint32_t pid, tid;
	struct kept *fork;		/* NULL: it was there before the session */
	struct kept *comm;
	struct kept *namespaces;
};

struct pt_state {
	size_t time_end;		/* the time is so many bytes before a record's end */
	uint32_t trailer_len;
	struct process kernel;
	struct pt_map processes, threads;
	/* KSYMBOL, BPF_EVENT and CGROUP, by what they are about */
	struct pt_map others;
	struct kept **waiting;
	size_t nr_waiting, cap_waiting, waiting_bytes;
	uint64_t nr_seen;
};

struct pt_state *pt_state_new(uint64_t sample_type)
{
	struct pt_state *s = pt_alloc(sizeof(*s));
	uint64_t from_time = sample_type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_IDENTIFIER);

	if (sample_type & PERF_SAMPLE_TIME)
		s->time_end = 8 * (size_t)__builtin_popcountll(from_time);
	s->trailer_len = 8 * (uint32_t)__builtin_popcountll(sample_type & PT_TRAILER_FIELDS);
	s->kernel.pid = UINT32_MAX;
	return s;
}

static void drop_kept(void *kept)
{
	struct kept *k = kept;

	if (k && !--k->refs)
		free(k);
}

/* Takes over the new one. */
static void replace_kept(struct kept **slot, struct kept *k)
{
	drop_kept(*slot);
	*slot = k;
}

static struct kept *share_kept(struct kept *k)
{
	if (k)
		k->refs++;
	return k;
}

static void drop_maps(struct process *p)
{
	for (size_t i = 0; i < p->nr; i++)
		drop_kept(p->maps[i]);
	p->nr = p->nr_tidy = 0;
}

static void free_process(void *process)
{
	struct process *p = process;

	drop_maps(p);
	free(p->maps);
	free(p);
}

static void free_thread(void *thread)
{
	struct thread *t = thread;

	drop_kept(t->fork);
	drop_kept(t->comm);
	drop_kept(t->namespaces);
	free(t);
}

void pt_state_free(struct pt_state *s)
{
	if (!s)
		return;
	pt_map_deinit_each(&s->processes, free_process);
	pt_map_deinit_each(&s->threads, free_thread);
	pt_map_deinit_each(&s->others, drop_kept);
	for (size_t i = 0; i < s->nr_waiting; i++)
		drop_kept(s->waiting[i]);
	drop_maps(&s->kernel);
	free(s->kernel.maps);
	free(s->waiting);
	free(s);
}

static uint32_t state_word_at(const struct kept *k, size_t at)
{
	return pt_load32(k->data + at, false);
}
static uint64_t state_number_at(const struct kept *k, size_t at)
{
	return pt_load64(k->data + at, false);
}

/* -- tasks -- */

static struct process *find_process(const struct pt_state *s, uint32_t pid)
{
	return pt_map_get_pointer(&s->processes, pid);
}

static struct process *state_process_of(struct pt_state *s, uint32_t pid)
{
	uint64_t *slot = pt_map_put(&s->processes, pid);
	struct process *p = pt_pointer(*slot);

	if (!p) {
		p = pt_alloc(sizeof(*p));
		p->pid = pid;
		*slot = pt_word_of(p);
	}
	return p;
}

static void forget_process(struct pt_state *s, uint32_t pid)
{
	struct process *p = find_process(s, pid);

	if (!p)
		return;
	free_process(p);
	pt_map_del(&s->processes, pid);
}

static struct thread *find_thread(const struct pt_state *s, uint32_t tid)
{
	return pt_map_get_pointer(&s->threads, tid);
}

/* The last thread takes its process along. */
static void forget_thread(struct pt_state *s, uint32_t tid)
{
	struct thread *t = find_thread(s, tid);
	struct process *p;

	if (!t)
		return;
	p = state_process_of(s, t->pid);
	if (p->nr_threads)
		p->nr_threads--;
	if (!p->nr_threads)
		forget_process(s, t->pid);
	pt_map_del(&s->threads, tid);
	free_thread(t);
}

static struct thread *state_thread_of(struct pt_state *s, uint32_t pid, uint32_t tid)
{
	struct thread *t = find_thread(s, tid);

	if (t && t->pid == pid)
		return t;
	forget_thread(s, tid);		/* the tid is used again, and the end was not seen */
	t = pt_alloc(sizeof(*t));
	t->pid = pid;
	t->tid = tid;
	state_process_of(s, pid)->nr_threads++;
	*pt_map_put(&s->threads, tid) = pt_word_of(t);
	return t;
}

/* pid, ppid, tid, ptid, time. A process that was there before the session has its mappings from
 * records of its own. */
static void state_see_fork(struct pt_state *s, struct kept *k)
{
	uint32_t pid = state_word_at(k, 8), ppid = state_word_at(k, 12), tid = state_word_at(k, 16),
		 ptid = state_word_at(k, 20);
	const struct thread *parent;
	const struct process *from;
	struct process *p;
	struct thread *t;

	if (pid == tid && pid != ppid)
		forget_process(s, pid);
	forget_thread(s, tid);
	t = state_thread_of(s, pid, tid);
	t->fork = share_kept(k);
	parent = find_thread(s, ptid);
	if (parent) {
		t->comm = share_kept(parent->comm);
		t->namespaces = share_kept(parent->namespaces);
	}
	from = find_process(s, ppid);
	if (pid == ppid || !k->time_ns || !from)
		return;
	p = find_process(s, pid);
	for (size_t i = 0; i < from->nr; i++) {
		PT_GROW(p->maps, p->nr, p->cap);
		p->maps[p->nr++] = share_kept(from->maps[i]);
	}
	p->nr_tidy = from->nr_tidy;
}

static void state_see_exit(struct pt_state *s, uint32_t pid, uint32_t tid)
{
	const struct process *p;

	forget_thread(s, tid);
	p = find_process(s, pid);
	if (p && !p->nr_threads)	/* only its mappings were there to be read */
		forget_process(s, pid);
}

static void see_comm(struct pt_state *s, struct kept *k)
{
	struct perf_event_header *h = (struct perf_event_header *)(void *)k->data;
	uint32_t pid = state_word_at(k, PID_AT), tid = state_word_at(k, PID_AT + 4);
	struct thread *t = state_thread_of(s, pid, tid);

	if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
		drop_maps(state_process_of(s, pid));
	h->misc &= (uint16_t)~PERF_RECORD_MISC_COMM_EXEC;
	replace_kept(&t->comm, share_kept(k));
}

/* -- mappings -- */

/* Drops mappings that later ones cover. */
static void tidy(struct process *p)
{
	struct pt_range *ranges = pt_alloc_array(p->nr, sizeof(*ranges));
	size_t i, kept = 0;

	for (i = 0; i < p->nr; i++) {
		uint64_t start = state_number_at(p->maps[i], MAP_AT),
			 len = state_number_at(p->maps[i], MAP_AT + 8);

		ranges[i].start = start;
		ranges[i].end = start + PT_MIN(len, UINT64_MAX - start);
	}
	pt_cover(ranges, p->nr);
	for (i = 0; i < p->nr; i++)
		if (ranges[i].covered || kept == MAX_MAPS)
			drop_kept(p->maps[i]);
		else
			p->maps[kept++] = p->maps[i];
	p->nr = p->nr_tidy = kept;
	free(ranges);
}

/* Readers cut what sticks out, in the order of the list. */
static void see_mapping(struct pt_state *s, struct kept *k)
{
	uint32_t pid = state_word_at(k, PID_AT);
	struct process *p = pid == UINT32_MAX ? &s->kernel : state_process_of(s, pid);

	PT_GROW(p->maps, p->nr, p->cap);
	p->maps[p->nr++] = share_kept(k);
	if (p->nr >= 2 * p->nr_tidy + UNTIDY)
		tidy(p);
}

/* -- others -- */

static void state_see_other(struct pt_state *s, struct kept *k, uint64_t what, bool gone)
{
	uint64_t key = pt_hash64(what) ^ state_word_at(k, 0), *slot;

	if (!gone) {
		slot = pt_map_put(&s->others, key);
		drop_kept(pt_pointer(*slot));
		*slot = pt_word_of(share_kept(k));
	} else if ((slot = pt_map_get(&s->others, key))) {
		drop_kept(pt_pointer(*slot));
		pt_map_del(&s->others, key);
	}
}

static void settle_one(struct pt_state *s, struct kept *k)
{
	struct thread *t;

	switch (state_word_at(k, 0)) {
	case PERF_RECORD_FORK:
		state_see_fork(s, k);
		break;
	case PERF_RECORD_EXIT:
		state_see_exit(s, state_word_at(k, 8), state_word_at(k, 16));
		break;
	case PERF_RECORD_COMM:
		see_comm(s, k);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		see_mapping(s, k);
		break;
	case PERF_RECORD_NAMESPACES:
		t = state_thread_of(s, state_word_at(k, PID_AT), state_word_at(k, PID_AT + 4));
		replace_kept(&t->namespaces, share_kept(k));
		break;
	case PERF_RECORD_KSYMBOL:	/* addr, len, kind, flags */
		state_see_other(s, k, state_number_at(k, 8),
				state_word_at(k, 20) >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
		break;
	case PERF_RECORD_BPF_EVENT:	/* kind, flags, id */
		state_see_other(s, k, state_word_at(k, 12),
				(state_word_at(k, 8) & 0xffff) == PERF_BPF_EVENT_PROG_UNLOAD);
		break;
	case PERF_RECORD_CGROUP:
		state_see_other(s, k, state_number_at(k, 8), false);
		break;
	}
}

/* The fixed part of a record; 0: such records are not kept. */
static size_t fixed_bytes(uint32_t type)
{
	static const uint8_t bytes[] = {
		[PERF_RECORD_MMAP] = 40,
		[PERF_RECORD_MMAP2] = 72,
		[PERF_RECORD_COMM] = 16,
		[PERF_RECORD_FORK] = 32,
		[PERF_RECORD_EXIT] = 32,
		[PERF_RECORD_NAMESPACES] = 24,
		[PERF_RECORD_KSYMBOL] = 24,
		[PERF_RECORD_BPF_EVENT] = 24,
		[PERF_RECORD_CGROUP] = 16,
	};

	return type < PT_NR(bytes) ? bytes[type] : 0;
}

void pt_state_see(struct pt_state *s, const void *record, size_t len)
{
	size_t fixed = fixed_bytes(pt_load32(record, false));
	struct kept *k;

	if (fixed && s->trailer_len)
		len = pt_record_len(record, (uint32_t)len, s->trailer_len, false);
	if (!fixed || len < fixed + s->time_end)
		return;
	k = pt_alloc(sizeof(*k) + len);
	k->refs = 1;
	k->len_bytes = (uint32_t)len;
	memcpy(k->data, record, len);
	memcpy(k->data + offsetof(struct perf_event_header, size), &(uint16_t){ (uint16_t)len }, 2);
	k->time_ns = s->time_end ? state_number_at(k, len - s->time_end) : 0;
	k->nr = s->nr_seen++;
	PT_GROW(s->waiting, s->nr_waiting, s->cap_waiting);
	s->waiting[s->nr_waiting++] = k;
	s->waiting_bytes += sizeof(*k) + len;
}

static int state_by_time(const void *a, const void *b)
{
	const struct kept *x = *(struct kept *const *)a, *y = *(struct kept *const *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void pt_state_settle(struct pt_state *s, uint64_t until_ns)
{
	size_t i, left = 0;

	if (s->nr_waiting)
		qsort(s->waiting, s->nr_waiting, sizeof(struct kept *), state_by_time);
	for (i = 0; i < s->nr_waiting && s->waiting[i]->time_ns < until_ns; i++) {
		settle_one(s, s->waiting[i]);
		s->waiting_bytes -= sizeof(struct kept) + s->waiting[i]->len_bytes;
		drop_kept(s->waiting[i]);
	}
	for (; i < s->nr_waiting; i++)
		s->waiting[left++] = s->waiting[i];
	s->nr_waiting = left;
}

uint64_t pt_state_trim(struct pt_state *s, size_t max_bytes)
{
	uint64_t until_ns;

	if (s->waiting_bytes <= max_bytes || s->nr_waiting < 2)
		return 0;
	qsort(s->waiting, s->nr_waiting, sizeof(struct kept *), state_by_time);
	until_ns = s->waiting[s->nr_waiting / 2]->time_ns;
	pt_state_settle(s, until_ns);
	return until_ns;
}

/* -- out -- */

struct emission {
	size_t time_end;
	void (*put)(void *ctx, const void *record, size_t len_bytes);
	void *ctx;
	uint8_t copy[UINT16_MAX + 1];
};

/* With time 0. `pid`, `tid`: whose it is, which may have inherited it; 0: the record's own. */
static void put_kept(struct emission *out, const struct kept *k, uint32_t pid, uint32_t tid)
{
	if (!k)
		return;
	memcpy(out->copy, k->data, k->len_bytes);
	if (out->time_end)
		memset(out->copy + k->len_bytes - out->time_end, 0, 8);
	if (pid) {
		memcpy(out->copy + PID_AT, &pid, 4);
		memcpy(out->copy + PID_AT + 4, &tid, 4);
	}
	out->put(out->ctx, out->copy, k->len_bytes);
}

/* Processes, then their threads. */
static void put_forks(struct emission *out, const struct pt_state *s)
{
	struct pt_map_slot *slot;
	size_t i;

	for (int leaders = 1; leaders >= 0; leaders--)
		for (i = 0; (slot = pt_map_each(&s->threads, &i)); ) {
			const struct thread *t = pt_pointer(slot->value);

			if ((t->pid == t->tid) == leaders)
				put_kept(out, t->fork, 0, 0);
		}
}

/* Who is whose child goes first, since readers copy the parent's mappings at a fork. */
void pt_state_emit(struct pt_state *s, uint64_t until_ns,
		   void (*to)(void *ctx, const void *record, size_t len_bytes), void *ctx)
{
	struct emission *out = pt_alloc(sizeof(*out));
	struct pt_map_slot *slot;
	size_t i, k;

	*out = (struct emission){ .time_end = s->time_end, .put = to, .ctx = ctx };
	tidy(&s->kernel);
	for (i = 0; i < s->kernel.nr; i++)
		put_kept(out, s->kernel.maps[i], 0, 0);
	for (i = 0; (slot = pt_map_each(&s->others, &i)); )
		put_kept(out, pt_pointer(slot->value), 0, 0);
	put_forks(out, s);
	for (i = 0; (slot = pt_map_each(&s->threads, &i)); ) {
		const struct thread *t = pt_pointer(slot->value);

		put_kept(out, t->namespaces, t->pid, t->tid);
		put_kept(out, t->comm, t->pid, t->tid);
	}
	for (i = 0; (slot = pt_map_each(&s->processes, &i)); ) {
		struct process *p = pt_pointer(slot->value);

		tidy(p);
		for (k = 0; k < p->nr; k++)
			put_kept(out, p->maps[k], p->pid, p->pid);
	}
	for (i = 0; i < s->nr_waiting; i++)
		if (s->waiting[i]->time_ns <= until_ns)
			to(ctx, s->waiting[i]->data, s->waiting[i]->len_bytes);
	free(out);
}
