#include "record/format/decode.h"

#include <stdlib.h>

#include "base/mem.h"

/* A record has at most 64 KB, and 8 bytes of it become at most one pt_read_value. */
enum { SCRATCH_WORDS = 65536 / 8 * 3 + 64 };

#define BRANCH_HW_INDEX (1u << 17)	/* of branch_sample_type */
#define BRANCH_COUNTERS (1u << 19)

static const char too_short[] = "it is too short for its fields";

static int decode_damaged(const char **why, const char *text)
{
	*why = text;
	return -1;
}

void pt_decoder_init(struct pt_decoder *d, struct pt_evtable *events, struct pt_tally *tally,
		     bool swap, bool own_records)
{
	*d = (struct pt_decoder){
		.events = events, .tally = tally, .swap = swap, .own_records = own_records
	};
	d->rec.swap = swap;
}

void pt_decoder_deinit(struct pt_decoder *d) { free(d->scratch); }

/* Most recordings need none, and of thousands that are read as one, each has a decoder. */
static uint64_t *scratch_of(struct pt_decoder *d)
{
	if (!d->scratch)
		d->scratch = pt_alloc_array(SCRATCH_WORDS, sizeof(*d->scratch));
	return d->scratch + d->used;
}

/* The next `n` times `each` words of the record: in place, or converted in scratch. NULL, and b is
 * bad: they are not there. */
PT_INLINE const void *decode_words(struct pt_decoder *d, struct pt_bytes *b, uint64_t n,
				   size_t each)
{
	bool fits = n <= pt_bytes_left(b) / 8 / each;
	const uint8_t *p = fits ? pt_bytes_take(b, (size_t)n * each * 8) : NULL;
	uint64_t *to;

	b->bad |= !fits;
	if (!p || (!b->swap && !((uintptr_t)p & 7)))
		return p;
	to = scratch_of(d);
	for (size_t i = 0; i < n * each; i++)
		to[i] = pt_load64(p + 8 * i, b->swap);
	d->used += n * each;
	return to;
}

/* Reads a struct read_format (linux/perf_event.h) into scratch. */
static const struct pt_read_value *decode_values(struct pt_decoder *d, struct pt_bytes *b,
						 uint64_t format, uint32_t *nr,
						 uint64_t *enabled_ns, uint64_t *running_ns)
{
	struct pt_read_value *v = (struct pt_read_value *)scratch_of(d);
	uint64_t n = 1, i,
		 each = 8 + (format & PERF_FORMAT_ID ? 8 : 0) + (format & PT_FORMAT_LOST ? 8 : 0);
	bool group = format & PERF_FORMAT_GROUP;

	if (group)
		n = pt_bytes_u64(b);
	else
		v->value = pt_bytes_u64(b);
	*enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? pt_bytes_u64(b) : 0;
	*running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? pt_bytes_u64(b) : 0;
	if (group && n > pt_bytes_left(b) / each) {
		b->bad = true;
		n = 0;
	}
	for (i = 0; i < n; i++) {
		if (group)
			v[i].value = pt_bytes_u64(b);
		v[i].id = format & PERF_FORMAT_ID ? pt_bytes_u64(b) : 0;
		v[i].lost = format & PT_FORMAT_LOST ? pt_bytes_u64(b) : 0;
	}
	*nr = (uint32_t)n;
	d->used += n * (sizeof(*v) / 8);
	return v;
}

static void read_branches(struct pt_decoder *d, struct pt_bytes *b, const struct pt_attr *a,
			  struct pt_sample *s)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };	/* of the flags */

	s->nr_branches = pt_bytes_u64(b);
	if (a->branch_sample_type & BRANCH_HW_INDEX)
		pt_bytes_u64(b);
	s->branches = decode_words(d, b, s->nr_branches, 3);
	for (uint64_t i = 0; b->swap && s->branches && i < s->nr_branches; i++) {
		/* a copy in the scratch buffer */
		struct pt_branch *to = (struct pt_branch *)&s->branches[i];

		to->flags = pt_bits_turned(to->flags, widths, PT_NR(widths));
	}
	if (s->branches && a->branch_sample_type & BRANCH_COUNTERS)
		pt_bytes_take(b, s->nr_branches * 8);
}

static const uint64_t *read_regs(struct pt_decoder *d, struct pt_bytes *b, uint64_t mask,
				 uint64_t *abi)
{
	*abi = pt_bytes_u64(b);
	return *abi ? decode_words(d, b, (uint64_t)__builtin_popcountll(mask), 1) : NULL;
}

static void read_stack(struct pt_bytes *b, struct pt_sample *s)
{
	uint64_t room = pt_bytes_u64(b), copied;

	s->stack = NULL;
	s->stack_len = 0;
	if (!room)
		return;
	s->stack = pt_bytes_take(b, room);
	copied = pt_bytes_u64(b);
	s->stack_len = PT_MIN(room, copied);
}

/* Reads the fields behind the fixed ones, in their order. b->bad: they do not fit. */
static void decode_fields(struct pt_decoder *d, struct pt_bytes *b, const struct pt_evt *v,
			  uint64_t f)
{
	const struct pt_attr *a = &v->ev.attr;
	struct pt_sample *s = &d->rec.sample;

	if (f & PERF_SAMPLE_READ)
		s->read = decode_values(d, b, a->read_format, &s->nr_read, &s->time_enabled_ns,
					&s->time_running_ns);
	if (f & PERF_SAMPLE_CALLCHAIN) {
		s->nr_callchain = pt_bytes_u64(b);
		s->callchain = decode_words(d, b, s->nr_callchain, 1);
	}
	if (f & PERF_SAMPLE_RAW) {
		s->raw_len = pt_bytes_u32(b);
		s->raw = pt_bytes_take(b, s->raw_len);
	}
	if (f & PERF_SAMPLE_BRANCH_STACK)
		read_branches(d, b, a, s);
	if (f & PERF_SAMPLE_REGS_USER) {
		s->user_mask = a->sample_regs_user;
		s->user_regs = read_regs(d, b, s->user_mask, &s->user_abi);
	}
	if (f & PERF_SAMPLE_STACK_USER)
		read_stack(b, s);
	if (f & (PERF_SAMPLE_WEIGHT | PT_SAMPLE_WEIGHT_STRUCT))
		s->weight = pt_bytes_u64(b);
	if (f & PERF_SAMPLE_DATA_SRC)
		s->data_src = pt_bytes_u64(b);
	if (f & PERF_SAMPLE_TRANSACTION)
		pt_bytes_u64(b);
	if (f & PERF_SAMPLE_REGS_INTR) {
		s->intr_mask = a->sample_regs_intr;
		s->intr_regs = read_regs(d, b, s->intr_mask, &s->intr_abi);
	}
	if (f & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = pt_bytes_u64(b);
	if (f & PT_SAMPLE_CGROUP)
		s->cgroup = pt_bytes_u64(b);
	if (f & PT_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = pt_bytes_u64(b);
	if (f & PT_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = pt_bytes_u64(b);
	if (f & PERF_SAMPLE_AUX) {
		s->aux_len = pt_bytes_u64(b);
		s->aux = pt_bytes_take(b, s->aux_len);
	}
}

/* Reads the fields that samples and trailers share, in this order (ADDR: samples alone). */
PT_INLINE const uint8_t *read_common(struct pt_record *r, uint64_t f, const uint8_t *at, bool swap)
{
	if (f & PERF_SAMPLE_TID)
		r->pid = pt_load32(at, swap), r->tid = pt_load32(at + 4, swap), at += 8;
	if (f & PERF_SAMPLE_TIME)
		r->time_ns = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_ADDR)
		r->sample.addr = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_ID)
		r->id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_STREAM_ID)
		r->stream_id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_CPU)
		r->cpu = pt_load32(at, swap), at += 8;
	return at;
}

PT_INLINE int sample(struct pt_decoder *d, const uint8_t *p, uint32_t len, bool swap,
		     const char **why)
{
	struct pt_evt *v = pt_evtable_of_sample(d->events, p, len, swap);
	struct pt_record *r = &d->rec;
	struct pt_sample *s = &r->sample;
	const uint8_t *at = p + PT_HEADER_BYTES;
	uint64_t f;

	if (!v) {
		d->tally->no_event++;
		return 0;
	}
	f = v->fields;
	if (len - PT_HEADER_BYTES < v->fixed_len)
		return decode_damaged(why, too_short);
	if (v->muted) {
		v->samples++;
		return 0;
	}
	r->event = &v->ev;
	r->has = f & PERF_SAMPLE_IDENTIFIER ? f | PERF_SAMPLE_ID : f;
	if (f & PERF_SAMPLE_IDENTIFIER)
		r->id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_IP)
		s->ip = pt_load64(at, swap), at += 8;
	at = read_common(r, f, at, swap);
	if (f & PERF_SAMPLE_PERIOD)
		s->period = pt_load64(at, swap), at += 8;
	f &= ~PT_FIXED_FIELDS;
	if (f == PERF_SAMPLE_RAW) {	/* tracepoints */
		size_t left = (size_t)(p + len - at);

		s->raw_len = left >= 4 ? pt_load32(at, swap) : UINT32_MAX;
		s->raw = at + 4;
		if (left < 4 || s->raw_len > left - 4)
			return decode_damaged(why, "its raw data does not lie within it");
	} else if (f) {
		struct pt_bytes b = pt_bytes(at, (size_t)(p + len - at), swap);

		decode_fields(d, &b, v, f);
		if (b.bad)
			return decode_damaged(why, too_short);
	}
	v->samples++;
	return 1;
}

/* Reads what sample_id_all appends to other records: the last v->trailer_len bytes. */
static void read_trailer(struct pt_record *r, const struct pt_evt *v, const uint8_t *at, bool swap)
{
	uint64_t f = v->trailer;

	r->has = f & PERF_SAMPLE_IDENTIFIER ? f | PERF_SAMPLE_ID : f;
	at = read_common(r, f, at, swap);
	if (f & PERF_SAMPLE_IDENTIFIER)
		r->id = pt_load64(at, swap);
}

/* Does a build-id follow? Some kernels leave the bit set in records of events that did not ask for
 * build-ids (event/build_ids.h); these hold device and inode. A record without an event was made by
 * a tool: it is believed if any event asked, or if the id looks usual. */
static bool holds_build_id(const struct pt_decoder *d, const struct pt_bytes *b)
{
	const struct pt_record *r = &d->rec;
	size_t i;

	if (!(r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || pt_bytes_left(b) < 4 || !b->at[0] ||
	    b->at[0] > sizeof(r->u.mmap.build_id))
		return false;
	if (r->event && (r->has & PERF_SAMPLE_ID ? r->id != 0 : d->events->nr == 1))
		return r->event->attr.flags & PT_ATTR_BUILD_ID;
	for (i = 0; i < d->events->nr; i++)
		if (d->events->evs[i]->ev.attr.flags & PT_ATTR_BUILD_ID)
			return true;
	return !b->at[1] && !b->at[2] && !b->at[3] && (b->at[0] == 16 || b->at[0] == 20);
}

/* Linux 3.12 to 3.15 wrote MMAP2 without prot and flags, so the path follows directly. A path of at
 * least one character never looks like prot, which has three bits. */
static bool is_early_mmap2(const struct pt_bytes *b)
{
	return pt_bytes_left(b) >= 8 && pt_load32(b->at, b->swap) > 7 && b->at[0] > ' ' &&
	       b->at[0] < 0x7f;
}

static void take_copy(struct pt_bytes *b, void *to, size_t len)
{
	const void *p = pt_bytes_take(b, len);

	if (p)
		memcpy(to, p, len);
}

/* What follows the length and offset of a mapping. */
static void read_mmap(struct pt_decoder *d, struct pt_bytes *b)
{
	struct pt_record *r = &d->rec;

	r->u.mmap.maj = r->u.mmap.min = 0;
	r->u.mmap.ino = r->u.mmap.ino_generation = 0;
	r->u.mmap.build_id_len = 0;
	r->u.mmap.flags = 0;
	r->u.mmap.prot =
		r->misc & PERF_RECORD_MISC_MMAP_DATA ? 1 /* PROT_READ */ : 5 /* and PROT_EXEC */;
	if (r->type == PERF_RECORD_MMAP2) {
		if (holds_build_id(d, b)) {
			r->u.mmap.build_id_len = pt_bytes_u8(b);
			pt_bytes_take(b, 3);
			take_copy(b, r->u.mmap.build_id, sizeof(r->u.mmap.build_id));
		} else {
			r->u.mmap.maj = pt_bytes_u32(b);
			r->u.mmap.min = pt_bytes_u32(b);
			r->u.mmap.ino = pt_bytes_u64(b);
			r->u.mmap.ino_generation = pt_bytes_u64(b);
		}
		if (!is_early_mmap2(b)) {
			r->u.mmap.prot = pt_bytes_u32(b);
			r->u.mmap.flags = pt_bytes_u32(b);
		}
	}
	r->u.mmap.path = pt_bytes_str(b, SIZE_MAX);
}

/* LOST counts a ring's losses. LOST_SAMPLES with a time is the kernel's (the hardware's buffer);
 * without one it is the total that perf read when it closed the event, which includes LOST. With
 * the highest bit of misc it counts samples that a BPF filter dropped, which are no loss. */
static void count_lost(struct pt_decoder *d, struct pt_evt *v)
{
	struct pt_record *r = &d->rec;

	if (r->type == PERF_RECORD_LOST)
		v = pt_evtable_lookup(d->events, r->u.lost.id);
	r->event = v ? &v->ev : NULL;
	if (r->type == PERF_RECORD_LOST_SAMPLES && r->misc & PERF_RECORD_MISC_EXT_RESERVED)
		return;
	if (!v)
		d->tally->lost_unknown += r->u.lost.lost;
	else if (r->type == PERF_RECORD_LOST)
		v->lost_ring += r->u.lost.lost;
	else if (r->has & PERF_SAMPLE_TIME && r->time_ns)
		v->lost_hw += r->u.lost.lost;
	else {
		v->lost_final += r->u.lost.lost;
		d->events->has_lost_final = true;
	}
}

/* Where the fields of a record go: numbers as long as the member, and names that end in NUL. */
struct field { uint16_t at; uint8_t size_bytes; };
#define NUMBER(member) \
	{ offsetof(struct pt_record, u.member), sizeof(((struct pt_record *)0)->u.member) }
#define NAME(member) { offsetof(struct pt_record, u.member), 0 }

#define PID_TID(record) NUMBER(record.pid), NUMBER(record.tid)
#define MAPPING PID_TID(mmap), NUMBER(mmap.addr), NUMBER(mmap.len_bytes), NUMBER(mmap.pgoff)
#define TASK \
	NUMBER(task.pid), NUMBER(task.ppid), NUMBER(task.tid), NUMBER(task.ptid), \
	NUMBER(task.time_ns)

static const struct field layouts[][6] = {
	[PERF_RECORD_MMAP] = { MAPPING },
	[PERF_RECORD_MMAP2] = { MAPPING },
	[PERF_RECORD_LOST] = { NUMBER(lost.id), NUMBER(lost.lost) },
	[PERF_RECORD_COMM] = { PID_TID(comm), NAME(comm.comm) },
	[PERF_RECORD_EXIT] = { TASK },
	[PERF_RECORD_FORK] = { TASK },
	[PERF_RECORD_READ] = { PID_TID(read) },
	[PERF_RECORD_LOST_SAMPLES] = { NUMBER(lost.lost) },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { PID_TID(sw) },
	[PERF_RECORD_NAMESPACES] = { PID_TID(namespaces), NUMBER(namespaces.nr) },
	[PERF_RECORD_KSYMBOL] = { NUMBER(ksymbol.addr), NUMBER(ksymbol.len_bytes),
				  NUMBER(ksymbol.kind), NUMBER(ksymbol.flags),
				  NAME(ksymbol.name) },
	[PERF_RECORD_BPF_EVENT] = { NUMBER(bpf.kind), NUMBER(bpf.flags), NUMBER(bpf.id) },
	[PERF_RECORD_CGROUP] = { NUMBER(cgroup.id), NAME(cgroup.path) },
	[PT_RECORD_CALLCHAIN_DEFERRED] = { NUMBER(deferred.cookie), NUMBER(deferred.nr) },
};

static void read_layout(struct pt_record *r, struct pt_bytes *b)
{
	for (const struct field *f = layouts[r->type]; f->at; f++) {
		void *to = (char *)r + f->at;

		switch (f->size_bytes) {
		case 0: *(const char **)to = pt_bytes_str(b, SIZE_MAX); break;
		case 2: *(uint16_t *)to = pt_bytes_u16(b); break;
		case 4: *(uint32_t *)to = pt_bytes_u32(b); break;
		case 8: *(uint64_t *)to = pt_bytes_u64(b); break;
		}
	}
}

/* Reads the record's fields, and what follows them in some types. */
static void read_body(struct pt_decoder *d, struct pt_bytes *b, struct pt_evt *v)
{
	struct pt_record *r = &d->rec;

	read_layout(r, b);
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mmap(d, b);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->u.lost.id = r->has & PERF_SAMPLE_ID ? r->id : 0;
		break;
	case PERF_RECORD_READ:
		r->u.read.values =
			decode_values(d, b, v ? v->ev.attr.read_format : 0, &r->u.read.nr,
				      &r->u.read.time_enabled_ns, &r->u.read.time_running_ns);
		break;
	case PERF_RECORD_NAMESPACES:
		r->u.namespaces.links = decode_words(d, b, r->u.namespaces.nr, 2);
		break;
	case PERF_RECORD_BPF_EVENT:
		take_copy(b, r->u.bpf.tag, sizeof(r->u.bpf.tag));
		break;
	case PT_RECORD_CALLCHAIN_DEFERRED:
		r->u.deferred.ips = decode_words(d, b, r->u.deferred.nr, 1);
		break;
	}
}

/* Is this READ record of no task? pt-record writes one for each event at the end. */
static bool is_final_count(const struct pt_record *r)
{
	return r->u.read.pid == UINT32_MAX && r->u.read.tid == UINT32_MAX && r->u.read.nr == 1;
}

static int other(struct pt_decoder *d, const uint8_t *p, uint32_t len, const char **why)
{
	struct pt_evt *v = pt_evtable_of_other(d->events, p, len, d->swap);
	struct pt_record *r = &d->rec;
	struct pt_bytes b = pt_bytes(p + PT_HEADER_BYTES, len - PT_HEADER_BYTES, d->swap);

	r->has = 0;
	r->event = v ? &v->ev : NULL;
	if (v && v->trailer_len) {
		if (v->trailer_len > pt_bytes_left(&b))
			return decode_damaged(why, too_short);
		b.end -= v->trailer_len;
		read_trailer(r, v, b.end, d->swap);
	}
	read_body(d, &b, v);
	if (b.bad)
		return decode_damaged(why, too_short);
	if (r->type == PERF_RECORD_LOST || r->type == PERF_RECORD_LOST_SAMPLES)
		count_lost(d, v);
	else if (r->type == PERF_RECORD_THROTTLE)
		d->tally->throttled++;
	else if (r->type == PERF_RECORD_READ && v && is_final_count(r)) {
		v->count = r->u.read.values[0].value;
		v->has_count = true;
	}
	return 1;
}

static int decode_own(struct pt_decoder *d, const uint8_t *p, uint32_t len, const char **why)
{
	struct pt_record *r = &d->rec;
	struct pt_bytes b = pt_bytes(p + PT_HEADER_BYTES, len - PT_HEADER_BYTES, d->swap);
	uint64_t value;

	r->has = PERF_SAMPLE_TIME;
	r->event = NULL;
	r->time_ns = pt_bytes_u64(&b);
	value = pt_bytes_u64(&b);
	if (r->type == PT_RECORD_TICK)
		r->u.tick.nr = value;
	else
		r->u.child.status = (int)value;
	return b.bad ? decode_damaged(why, too_short) : 1;
}

PT_INLINE int decode(struct pt_decoder *d, const uint8_t *p, uint64_t off, bool swap,
		     const char **why)
{
	struct pt_record *r = &d->rec;
	uint32_t len = pt_load16(p + 6, swap), type = pt_load32(p, swap);

	r->type = type;
	r->misc = pt_load16(p + 4, swap);
	r->data = p;
	r->len_bytes = len;
	r->off = off;
	d->used = 0;
	if (len < PT_HEADER_BYTES)
		return decode_damaged(why, "its size is impossible");
	if (type == PERF_RECORD_SAMPLE)
		return sample(d, p, len, swap, why);
	if (type && type <= PT_RECORD_CALLCHAIN_DEFERRED)
		return other(d, p, pt_evtable_len(d->events, p, len, swap), why);
	if (d->own_records && type >= PT_RECORD_TICK && type <= PT_RECORD_CHILD_EXIT)
		return decode_own(d, p, len, why);
	if (!d->tally->unknown_records++)
		d->tally->unknown_type = type;
	return 0;
}

int pt_decode(struct pt_decoder *d, const uint8_t *p, uint64_t off, const char **why)
{
	return d->swap ? decode(d, p, off, true, why) : decode(d, p, off, false, why);
}
