/* A recording of any form and content: read to its end, all that a record points to is touched, text is made of tracepoints. */
#include <sys/mman.h>
#include <unistd.h>

#include "record/read/source.h"
#include "replay.h"

static volatile uint8_t sink;

static void touch(const void *p, uint64_t len)
{
	const uint8_t *at = p;

	if (len)
		sink = (uint8_t)(at[0] + at[len - 1]);
}

static void record(const struct pt_record *r, struct pt_buf *b)
{
	const struct pt_sample *s = &r->sample;
	uint64_t i;

	touch(r->data, r->len_bytes);
	if (r->type != PERF_RECORD_SAMPLE)
		return;
	if (r->has & PERF_SAMPLE_RAW) {
		touch(s->raw, s->raw_len);
		pt_buf_clear(b);
		if (r->event->tp)
			pt_tp_print(r->event->tp, s->raw, s->raw_len, b);
	}
	if (r->has & PERF_SAMPLE_CALLCHAIN)
		for (i = 0; i < s->nr_callchain; i++)
			sink = (uint8_t)s->callchain[i];
	if (r->has & PERF_SAMPLE_BRANCH_STACK)
		touch(s->branches, s->nr_branches * sizeof(*s->branches));
	if (r->has & PERF_SAMPLE_READ)
		touch(s->read, s->nr_read * sizeof(*s->read));
	if (r->has & PERF_SAMPLE_STACK_USER)
		touch(s->stack, s->stack_len);
	if (r->has & PERF_SAMPLE_AUX)
		touch(s->aux, s->aux_len);
	if (r->has & PERF_SAMPLE_REGS_USER && s->user_abi)
		touch(s->user_regs, 8 * (uint64_t)__builtin_popcountll(s->user_mask));
	if (r->has & PERF_SAMPLE_REGS_INTR && s->intr_abi)
		touch(s->intr_regs, 8 * (uint64_t)__builtin_popcountll(s->intr_mask));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)
		return 0;
	if (pt_source_open_fd(&s, fd, "fuzz", NULL, &e) < 0)
		return 0;
	while (pt_source_next(s, &rec, &e) > 0)
		record(rec, &b);
	pt_source_tally(s);
	pt_source_free(s);
	pt_buf_deinit(&b);
	return 0;
}
