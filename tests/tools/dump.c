/* dump [-q] [-n TIMES] FILE|-: every record of a recording as one line, all its fields, then the tally; for tests of reading.
 * -q: only reads. -n: that often, and prints the least time of one reading a record. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "record/read/source.h"

static struct pt_buf b;

static void text(const char *s)
{
	pt_text_puts(&b, s);
}

static void bytes(const void *p, uint64_t len)
{
	const uint8_t *at = p;
	uint32_t sum = 2166136261u;
	uint64_t i;

	for (i = 0; i < len; i++)
		sum = (sum ^ at[i]) * 16777619u;
	pt_buf_printf(&b, "%" PRIu64 "/%08x", len, sum);
}

static void words(const char *name, const uint64_t *v, uint64_t n)
{
	uint64_t i;

	pt_buf_printf(&b, " %s=", name);
	for (i = 0; i < n; i++)
		pt_buf_printf(&b, "%s%" PRIx64, i ? "," : "", v[i]);
}

static void values(const struct pt_read_value *v, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		pt_buf_printf(&b, " value=%" PRIu64 "/%" PRIu64 "/%" PRIu64, v[i].value, v[i].id, v[i].lost);
}

static void sample(const struct pt_record *r)
{
	const struct pt_sample *s = &r->sample;

	if (r->has & PERF_SAMPLE_IP)
		pt_buf_printf(&b, " ip=%" PRIx64, s->ip);
	if (r->has & PERF_SAMPLE_ADDR)
		pt_buf_printf(&b, " addr=%" PRIx64, s->addr);
	if (r->has & PERF_SAMPLE_PERIOD)
		pt_buf_printf(&b, " period=%" PRIu64, s->period);
	if (r->has & PERF_SAMPLE_READ) {
		pt_buf_printf(&b, " enabled=%" PRIu64 " running=%" PRIu64, s->time_enabled_ns, s->time_running_ns);
		values(s->read, s->nr_read);
	}
	if (r->has & PERF_SAMPLE_CALLCHAIN)
		words("chain", s->callchain, s->nr_callchain);
	if (r->has & PERF_SAMPLE_RAW) {
		pt_buf_puts(&b, " raw=");
		bytes(s->raw, s->raw_len);
		if (r->event->tp) {
			pt_buf_puts(&b, " text=");
			pt_tp_print(r->event->tp, s->raw, s->raw_len, &b);
		}
	}
	if (r->has & PERF_SAMPLE_BRANCH_STACK)
		words("branches", (const uint64_t *)s->branches, s->nr_branches * 3);
	if (r->has & PERF_SAMPLE_REGS_USER && s->user_abi)
		words("user", s->user_regs, (uint64_t)__builtin_popcountll(s->user_mask));
	if (r->has & PERF_SAMPLE_STACK_USER) {
		pt_buf_puts(&b, " stack=");
		bytes(s->stack, s->stack_len);
	}
	if (r->has & (PERF_SAMPLE_WEIGHT | PT_SAMPLE_WEIGHT_STRUCT))
		pt_buf_printf(&b, " weight=%" PRIx64, s->weight);
	if (r->has & PERF_SAMPLE_DATA_SRC)
		pt_buf_printf(&b, " data_src=%" PRIx64, s->data_src);
	if (r->has & PERF_SAMPLE_REGS_INTR && s->intr_abi)
		words("intr", s->intr_regs, (uint64_t)__builtin_popcountll(s->intr_mask));
	if (r->has & PERF_SAMPLE_PHYS_ADDR)
		pt_buf_printf(&b, " phys=%" PRIx64, s->phys_addr);
	if (r->has & PT_SAMPLE_CGROUP)
		pt_buf_printf(&b, " cgroup=%" PRIu64, s->cgroup);
	if (r->has & PT_SAMPLE_DATA_PAGE_SIZE)
		pt_buf_printf(&b, " data_page=%" PRIu64, s->data_page_size);
	if (r->has & PT_SAMPLE_CODE_PAGE_SIZE)
		pt_buf_printf(&b, " code_page=%" PRIu64, s->code_page_size);
	if (r->has & PERF_SAMPLE_AUX) {
		pt_buf_puts(&b, " aux=");
		bytes(s->aux, s->aux_len);
	}
}

static void side(const struct pt_record *r)
{
	uint64_t i;

	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		pt_buf_printf(&b, " %d/%d [%" PRIx64 "(%" PRIx64 ") @ %" PRIx64 " %02x:%02x %" PRIu64 " %" PRIu64 "] prot=%x flags=%x build_id=",
			      (int)r->u.mmap.pid, (int)r->u.mmap.tid, r->u.mmap.addr, r->u.mmap.len_bytes, r->u.mmap.pgoff, r->u.mmap.maj,
			      r->u.mmap.min, r->u.mmap.ino, r->u.mmap.ino_generation, r->u.mmap.prot, r->u.mmap.flags);
		for (i = 0; i < r->u.mmap.build_id_len; i++)
			pt_buf_printf(&b, "%02x", r->u.mmap.build_id[i]);
		pt_buf_putc(&b, ' ');
		text(r->u.mmap.path);
		break;
	case PERF_RECORD_COMM:
		pt_buf_printf(&b, " %d/%d ", (int)r->u.comm.pid, (int)r->u.comm.tid);
		text(r->u.comm.comm);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		pt_buf_printf(&b, " %d/%d from %d/%d", (int)r->u.task.pid, (int)r->u.task.tid, (int)r->u.task.ppid, (int)r->u.task.ptid);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		pt_buf_printf(&b, " id=%" PRIu64 " lost=%" PRIu64, r->u.lost.id, r->u.lost.lost);
		break;
	case PERF_RECORD_READ:
		pt_buf_printf(&b, " %d/%d", (int)r->u.read.pid, (int)r->u.read.tid);
		values(r->u.read.values, r->u.read.nr);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		pt_buf_printf(&b, " %d/%d", (int)r->u.sw.pid, (int)r->u.sw.tid);
		break;
	case PERF_RECORD_NAMESPACES:
		pt_buf_printf(&b, " %d/%d", (int)r->u.namespaces.pid, (int)r->u.namespaces.tid);
		for (i = 0; i < r->u.namespaces.nr; i++)
			pt_buf_printf(&b, " %" PRIx64 "/%" PRIx64, r->u.namespaces.links[i].dev, r->u.namespaces.links[i].ino);
		break;
	case PERF_RECORD_KSYMBOL:
		pt_buf_printf(&b, " %" PRIx64 " %x %u %x ", r->u.ksymbol.addr, r->u.ksymbol.len_bytes, r->u.ksymbol.kind, r->u.ksymbol.flags);
		text(r->u.ksymbol.name);
		break;
	case PERF_RECORD_BPF_EVENT:
		pt_buf_printf(&b, " %u %x %u ", r->u.bpf.kind, r->u.bpf.flags, r->u.bpf.id);
		bytes(r->u.bpf.tag, 8);
		break;
	case PERF_RECORD_CGROUP:
		pt_buf_printf(&b, " %" PRIu64 " ", r->u.cgroup.id);
		text(r->u.cgroup.path);
		break;
	case PT_RECORD_CALLCHAIN_DEFERRED:
		pt_buf_printf(&b, " %" PRIx64, r->u.deferred.cookie);
		words("chain", r->u.deferred.ips, r->u.deferred.nr);
		break;
	}
}

static void record(const struct pt_record *r)
{
	pt_buf_clear(&b);
	pt_buf_printf(&b, "0x%" PRIx64 " %u/%x ", r->off, r->type, r->misc);
	text(r->event ? r->event->name : "-");
	if (r->has & PERF_SAMPLE_TIME)
		pt_buf_printf(&b, " time=%" PRIu64, r->time_ns);
	if (r->has & PERF_SAMPLE_TID)
		pt_buf_printf(&b, " pid=%d tid=%d", (int)r->pid, (int)r->tid);
	if (r->has & PERF_SAMPLE_CPU)
		pt_buf_printf(&b, " cpu=%u", r->cpu);
	if (r->has & PERF_SAMPLE_ID)
		pt_buf_printf(&b, " id=%" PRIu64, r->id);
	if (r->has & PERF_SAMPLE_STREAM_ID)
		pt_buf_printf(&b, " stream=%" PRIu64, r->stream_id);
	if (r->type == PERF_RECORD_SAMPLE)
		sample(r);
	else
		side(r);
	pt_buf_putc(&b, '\n');
	fwrite(b.data, 1, b.len, stdout);
}

static void tally(const struct pt_source *s)
{
	const struct pt_tally *t = pt_source_tally(s);
	size_t i;

	for (i = 0; i < pt_source_nr_events(s); i++) {
		const struct pt_event *ev = pt_source_event(s, i);
		struct pt_event_tally one = pt_source_event_tally(s, ev);

		pt_buf_clear(&b);
		text(ev->name);
		printf("event %zu %s samples=%" PRIu64 " lost=%" PRIu64 "\n", i, pt_buf_str(&b), one.samples, one.lost);
	}
	printf("tally samples=%" PRIu64 " lost=%" PRIu64 " lost_unknown=%" PRIu64 " late=%" PRIu64 " throttled=%" PRIu64
	       " unknown=%" PRIu64 "/%u no_event=%" PRIu64 "\n", t->samples, t->lost, t->lost_unknown, t->late, t->throttled,
	       t->unknown_records, t->unknown_type, t->no_event);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t least = UINT64_MAX, started, nr = 0;
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *s;
	bool quiet = false;
	int opt, times = 1, i, rc = 0;

	while ((opt = getopt(argc, argv, "qn:")) != -1) {
		if (opt == 'q')
			quiet = true;
		else if (opt == 'n')
			times = atoi(optarg);
		else
			return 2;
	}
	if (optind != argc - 1)
		return 2;
	for (i = 0; i < times && rc >= 0; i++) {
		nr = 0;
		started = now();
		rc = pt_source_open(&s, argv[optind], NULL, &e);
		if (rc < 0)
			break;
		while ((rc = pt_source_next(s, &rec, &e)) > 0) {
			nr++;
			if (!quiet)
				record(rec);
		}
		least = now() - started < least ? now() - started : least;
		if (!quiet)
			tally(s);
		pt_source_free(s);
	}
	if (times > 1 && nr)
		printf("%" PRIu64 " records, %.3f ms, %.1f ns a record\n", nr, (double)least / 1e6, (double)least / (double)nr);
	pt_buf_deinit(&b);
	if (rc < 0) {
		fflush(stdout);
		fprintf(stderr, "dump: %s\n", e.msg);
	}
	return rc < 0;
}
