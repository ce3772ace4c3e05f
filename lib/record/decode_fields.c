/* decode_fields.c - the sample fields without a fixed place: counters, call chains, raw data,
 * branches, registers, stacks */
#include "record/decode_priv.h"

#include "base/mem.h"

#define BRANCH_HW_INDEX (1u << 17)	/* of branch_sample_type */
#define BRANCH_COUNTERS (1u << 19)

const uint64_t *decode_words(struct pt_decoder *d, struct pt_bytes *b, uint64_t n)
{
	const uint8_t *p = n <= pt_bytes_left(b) / 8 ? pt_bytes_take(b, (size_t)n * 8) : NULL;
	uint64_t *to = d->scratch + d->used;
	size_t i;

	if (!p) {
		b->bad = true;
		return NULL;
	}
	if (!b->swap && !((uintptr_t)p & 7))
		return (const uint64_t *)p;
	for (i = 0; i < n; i++)
		to[i] = pt_load64(p + 8 * i, b->swap);
	d->used += n;
	return to;
}

const struct pt_read_value *decode_values(struct pt_decoder *d, struct pt_bytes *b, uint64_t format,
					  uint32_t *nr, uint64_t *enabled_ns, uint64_t *running_ns)
{
	struct pt_read_value *v = (struct pt_read_value *)(d->scratch + d->used);
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

/* A branch's flags are bit fields, whose order depends on the machine's byte order. */
static uint64_t foreign_branch_flags(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t out = 0;
	unsigned i, low = 0;

	for (i = 0; i < PT_NR(widths); low += widths[i++])
		out |= (v >> (64 - low - widths[i]) & ((1ull << widths[i]) - 1)) << low;
	return out;
}

static void read_branches(struct pt_decoder *d, struct pt_bytes *b, const struct pt_attr *a,
			  struct pt_sample *s)
{
	uint64_t i;

	s->nr_branches = pt_bytes_u64(b);
	s->branch_hw_idx = a->branch_sample_type & BRANCH_HW_INDEX ? pt_bytes_u64(b) : ~0ull;
	if (s->nr_branches > pt_bytes_left(b) / sizeof(*s->branches)) {
		b->bad = true;
		return;
	}
	s->branches = (const struct pt_branch *)decode_words(d, b, s->nr_branches * 3);
	if (b->swap)
		for (i = 0; i < s->nr_branches; i++) {
			/* a copy in the scratch buffer */
			struct pt_branch *to = (struct pt_branch *)&s->branches[i];

			to->flags = foreign_branch_flags(to->flags);
		}
	if (a->branch_sample_type & BRANCH_COUNTERS)
		pt_bytes_take(b, s->nr_branches * 8);
}

static const uint64_t *read_regs(struct pt_decoder *d, struct pt_bytes *b, uint64_t mask,
				 uint64_t *abi)
{
	*abi = pt_bytes_u64(b);
	return *abi ? decode_words(d, b, (uint64_t)__builtin_popcountll(mask)) : NULL;
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

void decode_fields(struct pt_decoder *d, struct pt_bytes *b, const struct pt_evt *v, uint64_t f)
{
	const struct pt_attr *a = &v->ev.attr;
	struct pt_sample *s = &d->rec.sample;

	if (f & PERF_SAMPLE_READ)
		s->read = decode_values(d, b, a->read_format, &s->nr_read, &s->time_enabled_ns,
					&s->time_running_ns);
	if (f & PERF_SAMPLE_CALLCHAIN) {
		s->nr_callchain = pt_bytes_u64(b);
		s->callchain = decode_words(d, b, s->nr_callchain);
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
		s->transaction = pt_bytes_u64(b);
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
