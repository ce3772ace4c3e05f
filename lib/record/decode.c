#include "record/decode_priv.h"

#include <stdlib.h>

#include "base/mem.h"

/* A record has at most 64 KB, and 8 bytes of it become at most one pt_read_value. */
enum { SCRATCH_WORDS = 65536 / 8 * 3 + 64 };

void pt_decoder_init(struct pt_decoder *d, struct pt_evtable *events, struct pt_tally *tally,
		     bool swap, bool own_records)
{
	*d = (struct pt_decoder){
		.events = events, .tally = tally, .swap = swap, .own_records = own_records
	};
	d->rec.swap = swap;
	d->scratch = pt_alloc_array(SCRATCH_WORDS, sizeof(*d->scratch));
}

void pt_decoder_deinit(struct pt_decoder *d)
{
	free(d->scratch);
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
	if (len - PT_HEADER_BYTES < v->fixed_len) {
		*why = "the sample is too short for its fields";
		return -1;
	}
	r->event = &v->ev;
	r->has = f & PERF_SAMPLE_IDENTIFIER ? f | PERF_SAMPLE_ID : f;
	if (f & PERF_SAMPLE_IDENTIFIER)
		r->id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_IP)
		s->ip = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_TID)
		r->pid = pt_load32(at, swap), r->tid = pt_load32(at + 4, swap), at += 8;
	if (f & PERF_SAMPLE_TIME)
		r->time_ns = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_ADDR)
		s->addr = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_ID)
		r->id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_STREAM_ID)
		r->stream_id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_CPU)
		r->cpu = pt_load32(at, swap), at += 8;
	if (f & PERF_SAMPLE_PERIOD)
		s->period = pt_load64(at, swap), at += 8;
	f &= ~PT_FIXED_FIELDS;
	if (f == PERF_SAMPLE_RAW) {	/* tracepoints */
		size_t left = (size_t)(p + len - at);

		s->raw_len = left >= 4 ? pt_load32(at, swap) : UINT32_MAX;
		s->raw = at + 4;
		if (left < 4 || s->raw_len > left - 4) {
			*why = "the sample's raw data does not lie within it";
			return -1;
		}
	} else if (f) {
		struct pt_bytes b = pt_bytes(at, (size_t)(p + len - at), swap);

		decode_fields(d, &b, v, f);
		if (b.bad) {
			*why = "the sample is too short for its fields";
			return -1;
		}
	}
	v->samples++;
	return 1;
}

/* Reads the sample_id that sample_id_all appends to other records: the last v->trailer_len bytes.
 */
static void read_trailer(struct pt_record *r, const struct pt_evt *v, const uint8_t *at, bool swap)
{
	uint64_t f = v->trailer;

	r->has = f & PERF_SAMPLE_IDENTIFIER ? f | PERF_SAMPLE_ID : f;
	if (f & PERF_SAMPLE_TID)
		r->pid = pt_load32(at, swap), r->tid = pt_load32(at + 4, swap), at += 8;
	if (f & PERF_SAMPLE_TIME)
		r->time_ns = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_ID)
		r->id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_STREAM_ID)
		r->stream_id = pt_load64(at, swap), at += 8;
	if (f & PERF_SAMPLE_CPU)
		r->cpu = pt_load32(at, swap), at += 8;
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

static void read_mmap(struct pt_decoder *d, struct pt_bytes *b)
{
	struct pt_record *r = &d->rec;
	const void *p;

	r->u.mmap.pid = pt_bytes_u32(b);
	r->u.mmap.tid = pt_bytes_u32(b);
	r->u.mmap.addr = pt_bytes_u64(b);
	r->u.mmap.len_bytes = pt_bytes_u64(b);
	r->u.mmap.pgoff = pt_bytes_u64(b);
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
			p = pt_bytes_take(b, sizeof(r->u.mmap.build_id));
			if (p)
				memcpy(r->u.mmap.build_id, p, sizeof(r->u.mmap.build_id));
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

static void read_namespaces(struct pt_decoder *d, struct pt_bytes *b)
{
	struct pt_record *r = &d->rec;

	r->u.namespaces.pid = pt_bytes_u32(b);
	r->u.namespaces.tid = pt_bytes_u32(b);
	r->u.namespaces.nr = pt_bytes_u64(b);
	if (r->u.namespaces.nr > pt_bytes_left(b) / 16)
		b->bad = true;
	else
		r->u.namespaces.links =
			(const struct pt_ns_link *)decode_words(d, b, r->u.namespaces.nr * 2);
}

/* LOST counts a ring's losses. LOST_SAMPLES with a time is the kernel's (the hardware's buffer);
 * without one it is the total that perf read when it closed the event, which includes LOST. With
 * the highest bit of misc it counts samples that a BPF filter dropped, which are no loss. */
static void count_lost(struct pt_decoder *d, struct pt_evt *v)
{
	struct pt_record *r = &d->rec;

	if (r->type == PERF_RECORD_LOST) {
		d->tally->lost_chunks++;
		v = pt_evtable_lookup(d->events, r->u.lost.id);
	}
	r->event = v ? &v->ev : NULL;
	if (r->type == PERF_RECORD_LOST_SAMPLES && r->misc & PERF_RECORD_MISC_EXT_RESERVED)
		return;
	if (!v)
		d->tally->lost_unknown += r->u.lost.lost;
	else if (r->type == PERF_RECORD_LOST)
		v->lost_ring += r->u.lost.lost;
	else if (r->has & PERF_SAMPLE_TIME && r->time_ns)
		v->lost_hw += r->u.lost.lost;
	else
		v->lost_final += r->u.lost.lost;
}

static void read_small(struct pt_decoder *d, struct pt_bytes *b)
{
	struct pt_record *r = &d->rec;
	const void *p;

	switch (r->type) {
	case PERF_RECORD_ITRACE_START:
		r->u.itrace.pid = pt_bytes_u32(b);
		r->u.itrace.tid = pt_bytes_u32(b);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->u.sw.pid = pt_bytes_u32(b);
		r->u.sw.tid = pt_bytes_u32(b);
		break;
	case PERF_RECORD_KSYMBOL:
		r->u.ksymbol.addr = pt_bytes_u64(b);
		r->u.ksymbol.len_bytes = pt_bytes_u32(b);
		r->u.ksymbol.kind = pt_bytes_u16(b);
		r->u.ksymbol.flags = pt_bytes_u16(b);
		r->u.ksymbol.name = pt_bytes_str(b, SIZE_MAX);
		break;
	case PERF_RECORD_BPF_EVENT:
		r->u.bpf.kind = pt_bytes_u16(b);
		r->u.bpf.flags = pt_bytes_u16(b);
		r->u.bpf.id = pt_bytes_u32(b);
		p = pt_bytes_take(b, sizeof(r->u.bpf.tag));
		if (p)
			memcpy(r->u.bpf.tag, p, sizeof(r->u.bpf.tag));
		break;
	case PERF_RECORD_CGROUP:
		r->u.cgroup.id = pt_bytes_u64(b);
		r->u.cgroup.path = pt_bytes_str(b, SIZE_MAX);
		break;
	case PERF_RECORD_TEXT_POKE:
		r->u.text_poke.addr = pt_bytes_u64(b);
		r->u.text_poke.old_len = pt_bytes_u16(b);
		r->u.text_poke.new_len = pt_bytes_u16(b);
		r->u.text_poke.bytes =
			pt_bytes_take(b, (size_t)r->u.text_poke.old_len + r->u.text_poke.new_len);
		break;
	case PT_RECORD_AUX_OUTPUT_HW_ID:
		r->u.aux_hw_id.hw_id = pt_bytes_u64(b);
		break;
	case PT_RECORD_CALLCHAIN_DEFERRED:
		r->u.deferred.cookie = pt_bytes_u64(b);
		r->u.deferred.nr = pt_bytes_u64(b);
		r->u.deferred.ips = decode_words(d, b, r->u.deferred.nr);
		break;
	}
}

static void read_body(struct pt_decoder *d, struct pt_bytes *b, struct pt_evt *v)
{
	struct pt_record *r = &d->rec;

	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mmap(d, b);
		break;
	case PERF_RECORD_COMM:
		r->u.comm.pid = pt_bytes_u32(b);
		r->u.comm.tid = pt_bytes_u32(b);
		r->u.comm.comm = pt_bytes_str(b, SIZE_MAX);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		r->u.task.pid = pt_bytes_u32(b);
		r->u.task.ppid = pt_bytes_u32(b);
		r->u.task.tid = pt_bytes_u32(b);
		r->u.task.ptid = pt_bytes_u32(b);
		r->u.task.time_ns = pt_bytes_u64(b);
		break;
	case PERF_RECORD_LOST:
		r->u.lost.id = pt_bytes_u64(b);
		r->u.lost.lost = pt_bytes_u64(b);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->u.lost.lost = pt_bytes_u64(b);
		r->u.lost.id = r->has & PERF_SAMPLE_ID ? r->id : 0;
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		r->u.throttle.time_ns = pt_bytes_u64(b);
		r->u.throttle.id = pt_bytes_u64(b);
		r->u.throttle.stream_id = pt_bytes_u64(b);
		break;
	case PERF_RECORD_READ:
		r->u.read.pid = pt_bytes_u32(b);
		r->u.read.tid = pt_bytes_u32(b);
		r->u.read.values =
			decode_values(d, b, v ? v->ev.attr.read_format : 0, &r->u.read.nr,
				      &r->u.read.time_enabled_ns, &r->u.read.time_running_ns);
		break;
	case PERF_RECORD_AUX:
		r->u.aux.off = pt_bytes_u64(b);
		r->u.aux.len_bytes = pt_bytes_u64(b);
		r->u.aux.flags = pt_bytes_u64(b);
		break;
	case PERF_RECORD_NAMESPACES:
		read_namespaces(d, b);
		break;
	default:
		read_small(d, b);
	}
}

/* Is this READ record of no task? pt-record writes one for each event at the end (record/write.h).
 */
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
		if (v->trailer_len > pt_bytes_left(&b)) {
			*why = "the record is too short for its fields";
			return -1;
		}
		b.end -= v->trailer_len;
		read_trailer(r, v, b.end, d->swap);
	}
	read_body(d, &b, v);
	if (b.bad) {
		*why = "the record is too short for its fields";
		return -1;
	}
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

static int own(struct pt_decoder *d, const uint8_t *p, uint32_t len, const char **why)
{
	struct pt_record *r = &d->rec;
	struct pt_bytes b = pt_bytes(p + PT_HEADER_BYTES, len - PT_HEADER_BYTES, d->swap);
	uint64_t value, id;
	struct pt_event *ev;

	r->has = PERF_SAMPLE_TIME;
	r->event = NULL;
	r->time_ns = pt_bytes_u64(&b);
	value = pt_bytes_u64(&b);
	id = pt_bytes_u64(&b);
	if (b.bad) {
		*why = "the record is too short for its fields";
		return -1;
	}
	switch (r->type) {
	case PT_RECORD_TICK:
		r->u.tick.nr = value;
		break;
	case PT_RECORD_LOSS:
		ev = id ? pt_evtable_by_id(d->events, id) : NULL;
		r->event = ev;
		r->u.lost.id = id;
		r->u.lost.lost = value;
		break;
	case PT_RECORD_CHILD_EXIT:
		r->u.child.status = (int)value;
		break;
	}
	return 1;
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
	if (len < PT_HEADER_BYTES) {
		*why = "its size is impossible";
		return -1;
	}
	if (type == PERF_RECORD_SAMPLE)
		return sample(d, p, len, swap, why);
	if (type && type <= PT_RECORD_CALLCHAIN_DEFERRED)
		return other(d, p, len, why);
	if (d->own_records && type >= PT_RECORD_TICK && type <= PT_RECORD_CHILD_EXIT)
		return own(d, p, len, why);
	if (!d->tally->unknown_records++)
		d->tally->unknown_type = type;
	return 0;
}

int pt_decode(struct pt_decoder *d, const uint8_t *p, uint64_t off, const char **why)
{
	return d->swap ? decode(d, p, off, true, why) : decode(d, p, off, false, why);
}
