/* Every field of every record, both byte orders, and cut at every length in front of an unmapped page. */
#include "rec.h"
#include "record/format/decode.h"
#include "test.h"

#define ALL_FIELDS ((PT_SAMPLE_WEIGHT_STRUCT << 1) - 1)

static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER, 0x401020 };

static struct pt_attr full_attr(void)
{
	return (struct pt_attr){
		.type = PERF_TYPE_RAW, .size = PT_ATTR_SIZE_VER8, .sample_type = ALL_FIELDS & ~PT_SAMPLE_WEIGHT_STRUCT,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PT_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
		.flags = PT_ATTR_SAMPLE_ID_ALL, .branch_sample_type = 1u << 17, .sample_regs_user = 0x5, .sample_regs_intr = 0x30001,
		.sample_stack_user = 16,
	};
}

/* All fields but WEIGHT_STRUCT, which shares WEIGHT's place. */
static void put_full_sample(struct rec *r)
{
	rec_begin(r, PERF_RECORD_SAMPLE, 2);
	rec_u64(r, 77);					/* IDENTIFIER */
	rec_u64(r, 0x401020);				/* IP */
	rec_u32(r, 100), rec_u32(r, 101);		/* TID */
	rec_u64(r, 5000000001);				/* TIME */
	rec_u64(r, 0x7fff0008);				/* ADDR */
	rec_u64(r, 77);					/* ID */
	rec_u64(r, 78);					/* STREAM_ID */
	rec_u32(r, 3), rec_u32(r, 0);			/* CPU */
	rec_u64(r, 1000);				/* PERIOD */
	rec_u64(r, 2), rec_u64(r, 900), rec_u64(r, 800);	/* READ: nr, enabled, running */
	rec_u64(r, 11), rec_u64(r, 77), rec_u64(r, 1);
	rec_u64(r, 22), rec_u64(r, 79), rec_u64(r, 0);
	rec_u64(r, 4), rec_u64s(r, 4, chain);		/* CALLCHAIN */
	rec_u32(r, 12), rec_bytes(r, "raw bytes !", 12);	/* RAW */
	rec_u64(r, 1), rec_u64(r, 9);			/* BRANCH_STACK: nr, hw_idx */
	rec_u64(r, 0x10), rec_u64(r, 0x20), rec_u64(r, r->swap ? 0x4500000000000000 : 0x50002);	/* predicted, 0x5000 cycles */
	rec_u64(r, 2), rec_u64(r, 0xaa), rec_u64(r, 0xbb);	/* REGS_USER */
	rec_u64(r, 16), rec_bytes(r, "stack of 16 byte", 16), rec_u64(r, 9);	/* STACK_USER */
	rec_u64(r, 0x0003000200000001);			/* WEIGHT */
	rec_u64(r, 0x42);				/* DATA_SRC */
	rec_u64(r, 0x43);				/* TRANSACTION */
	rec_u64(r, 2), rec_u64(r, 1), rec_u64(r, 2), rec_u64(r, 3);	/* REGS_INTR */
	rec_u64(r, 0x44);				/* PHYS_ADDR */
	rec_u64(r, 0x45);				/* CGROUP */
	rec_u64(r, 4096), rec_u64(r, 2 << 20);		/* page sizes */
	rec_u64(r, 8), rec_bytes(r, "aux data", 8);	/* AUX */
	rec_end(r);
}

struct fixture {
	struct pt_evtable *events;
	struct pt_tally tally;
	struct pt_decoder d;
	struct pt_event *ev;
};

static void set_up(struct fixture *f, const struct pt_attr *a, bool swap)
{
	memset(f, 0, sizeof(*f));
	f->events = pt_evtable_new();
	f->ev = pt_evtable_add(f->events, a, NULL, NULL, NULL);
	pt_evtable_add_id(f->events, f->ev, 77);
	pt_decoder_init(&f->d, f->events, &f->tally, swap, false);
}

static void tear_down(struct fixture *f)
{
	pt_decoder_deinit(&f->d);
	pt_evtable_free(f->events);
}

static void check_full_sample(const struct pt_record *r, const struct pt_event *ev)
{
	const struct pt_sample *s = &r->sample;

	CHECK_INT(r->type, PERF_RECORD_SAMPLE);
	CHECK_INT(r->misc, 2);
	CHECK(r->event == ev);
	CHECK((r->has & PERF_SAMPLE_ID) && (r->has & PERF_SAMPLE_AUX));
	CHECK_INT(r->id, 77);
	CHECK_INT(r->stream_id, 78);
	CHECK_INT(r->pid, 100);
	CHECK_INT(r->tid, 101);
	CHECK_INT(r->time_ns, 5000000001);
	CHECK_INT(r->cpu, 3);
	CHECK_INT(s->ip, 0x401020);
	CHECK_INT(s->addr, 0x7fff0008);
	CHECK_INT(s->period, 1000);
	CHECK_INT(s->nr_read, 2);
	CHECK_INT(s->time_enabled_ns, 900);
	CHECK_INT(s->time_running_ns, 800);
	CHECK_INT(s->read[0].value, 11);
	CHECK_INT(s->read[0].id, 77);
	CHECK_INT(s->read[0].lost, 1);
	CHECK_INT(s->read[1].value, 22);
	CHECK_INT(s->read[1].id, 79);
	CHECK_INT(s->read[1].lost, 0);
	CHECK_INT(s->nr_callchain, 4);
	CHECK_MEM(s->callchain, chain, sizeof(chain));
	CHECK_INT(s->raw_len, 12);
	CHECK_MEM(s->raw, "raw bytes !", 12);
	CHECK_INT(s->nr_branches, 1);
	CHECK_INT(s->branches[0].from, 0x10);
	CHECK_INT(s->branches[0].to, 0x20);
	CHECK_INT(s->branches[0].flags, 0x50002);
	CHECK_INT(s->user_abi, 2);
	CHECK_INT(s->user_mask, 5);
	CHECK_INT(s->user_regs[0], 0xaa);
	CHECK_INT(s->user_regs[1], 0xbb);
	CHECK_INT(s->stack_len, 9);
	CHECK_MEM(s->stack, "stack of ", 9);
	CHECK_INT(s->weight, 0x0003000200000001);
	CHECK_INT(s->data_src, 0x42);
	CHECK_INT(s->intr_abi, 2);
	CHECK_INT(s->intr_regs[2], 3);
	CHECK_INT(s->phys_addr, 0x44);
	CHECK_INT(s->cgroup, 0x45);
	CHECK_INT(s->data_page_size, 4096);
	CHECK_INT(s->code_page_size, 2 << 20);
	CHECK_INT(s->aux_len, 8);
	CHECK_MEM(s->aux, "aux data", 8);
}

/* Cut to every length, with the size put right: the last byte lies in front of an unmapped page. */
static void cut_everywhere(struct fixture *f, const struct rec *r, int want)
{
	const uint8_t *end = (uint8_t *)pt_test_guarded(r->b.data, r->b.len) + r->b.len;
	const char *why = NULL;
	uint16_t len, size;
	int rc;

	for (len = 8; len < r->b.len; len++) {
		uint8_t *p = memcpy((uint8_t *)end - len, r->b.data, len);

		size = r->swap ? bswap_16(len) : len;
		memcpy(p + 6, &size, 2);
		rc = pt_decode(&f->d, p, 0, &why);
		if (want <= 0 && rc != want && !(rc == 0 && len < 16))
			FAIL("a record cut to %u bytes gave %d", len, rc);
	}
}

static void full(bool swap)
{
	struct pt_attr a = full_attr();
	struct rec r = REC(swap);
	const char *why = NULL;
	struct fixture f;

	set_up(&f, &a, swap);
	put_full_sample(&r);
	CHECK_INT(pt_decode(&f.d, pt_test_guarded(r.b.data, r.b.len), 123, &why), 1);
	check_full_sample(&f.d.rec, f.ev);
	CHECK_INT(f.d.rec.off, 123);
	cut_everywhere(&f, &r, -1);
	tear_down(&f);
	rec_free(&r);
}

TEST(every_field) { full(false); }
TEST(every_field_of_the_other_byte_order) { full(true); }

TEST(unaligned)
{
	struct pt_attr a = full_attr();
	struct rec r = REC(false);
	const char *why = NULL;
	struct fixture f;
	uint8_t *p;

	set_up(&f, &a, false);
	put_full_sample(&r);
	p = (uint8_t *)pt_test_guarded(r.b.data, r.b.len + 4);
	memmove(p + 4, r.b.data, r.b.len);
	CHECK_INT(pt_decode(&f.d, p + 4, 0, &why), 1);
	check_full_sample(&f.d.rec, f.ev);
	tear_down(&f);
	rec_free(&r);
}

/* Counts in the record that no record can hold. */
TEST(hostile_counts)
{
	static const uint64_t hostile[] = { 1, 1000, 8192, 1ull << 32, 1ull << 60, 1ull << 61, UINT64_MAX / 8, UINT64_MAX };
	struct pt_attr a = full_attr();
	struct rec r = REC(false);
	const char *why;
	struct fixture f;
	size_t i, at;

	set_up(&f, &a, false);
	put_full_sample(&r);
	for (at = 80; at + 8 <= r.b.len; at += 4)
		for (i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
			uint64_t was;

			memcpy(&was, r.b.data + at, 8);
			memcpy(r.b.data + at, &hostile[i], 8);
			pt_decode(&f.d, (const uint8_t *)r.b.data, 0, &why);	/* the sanitizers look on */
			memcpy(r.b.data + at, &was, 8);
		}
	tear_down(&f);
	rec_free(&r);
}

TEST(read_without_group)
{
	struct pt_attr a = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ,
			     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID | PT_FORMAT_LOST };
	struct rec r = REC(false);
	const char *why;
	struct fixture f;

	set_up(&f, &a, false);
	rec_begin(&r, PERF_RECORD_SAMPLE, 0);
	rec_u64s(&r, 5, (const uint64_t[]){ 77, 5, 6, 7, 8 });
	rec_end(&r);
	CHECK_INT(pt_decode(&f.d, (uint8_t *)r.b.data, 0, &why), 1);
	CHECK_INT(f.d.rec.sample.nr_read, 1);
	CHECK_INT(f.d.rec.sample.read->value, 5);
	CHECK_INT(f.d.rec.sample.time_enabled_ns, 6);
	CHECK_INT(f.d.rec.sample.read->id, 7);
	CHECK_INT(f.d.rec.sample.read->lost, 8);
	tear_down(&f);
	rec_free(&r);
}

TEST(tracepoint_raw_data)
{
	struct pt_attr a = { .type = PERF_TYPE_TRACEPOINT, .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW };
	struct rec r = REC(false);
	const char *why;
	struct fixture f;
	uint8_t *p;

	set_up(&f, &a, false);
	rec_begin(&r, PERF_RECORD_SAMPLE, 0);
	rec_u64(&r, 77), rec_u64(&r, 5), rec_u32(&r, 4), rec_bytes(&r, "abcd", 4);
	rec_end(&r);
	p = pt_test_guarded(r.b.data, r.b.len);
	CHECK_INT(pt_decode(&f.d, p, 0, &why), 1);
	CHECK_INT(f.d.rec.sample.raw_len, 4);
	CHECK_MEM(f.d.rec.sample.raw, "abcd", 4);
	p[24]++;
	CHECK_INT(pt_decode(&f.d, p, 0, &why), -1);
	p[24] = 0, p[27] = 0xff;
	CHECK_INT(pt_decode(&f.d, p, 0, &why), -1);
	cut_everywhere(&f, &r, -1);
	tear_down(&f);
	rec_free(&r);
}

static void trailer_fields(struct rec *r)
{
	rec_u32(r, 100), rec_u32(r, 101), rec_u64(r, 6000), rec_u64(r, 78), rec_u32(r, 2), rec_u32(r, 0), rec_u64(r, 77);
}

static void trailer(struct rec *r)
{
	trailer_fields(r);
	rec_end(r);
}

static const struct pt_record *side(struct fixture *f, struct rec *r)
{
	const char *why = "";

	if (pt_decode(&f->d, pt_test_guarded(r->b.data, r->b.len), 0, &why) != 1)
		FAIL("record of type %u: %s", f->d.rec.type, why);
	CHECK(f->d.rec.event == f->ev);
	CHECK_INT(f->d.rec.pid, 100);
	CHECK_INT(f->d.rec.tid, 101);
	CHECK_INT(f->d.rec.time_ns, 6000);
	CHECK_INT(f->d.rec.cpu, 2);
	CHECK_INT(f->d.rec.stream_id, 78);
	CHECK_INT(f->d.rec.id, 77);
	cut_everywhere(f, r, 1);
	pt_decode(&f->d, (const uint8_t *)r->b.data, 0, &why);
	pt_buf_clear(&r->b);
	return &f->d.rec;
}

static void all_types(bool swap)
{
	struct pt_attr a = { .type = 1, .flags = PT_ATTR_SAMPLE_ID_ALL, .read_format = PERF_FORMAT_ID, .sample_type = PERF_SAMPLE_IDENTIFIER |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU };
	struct rec r = REC(swap);
	const struct pt_record *rec;
	struct fixture f;
	unsigned i;

	set_up(&f, &a, swap);
	rec_begin(&r, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA);
	rec_u32(&r, 0xffffffff), rec_u32(&r, 0), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 }), rec_str(&r, "[kernel]");
	trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.mmap.pid, 0xffffffff);
	CHECK_INT(rec->u.mmap.addr, 0x1000);
	CHECK_INT(rec->u.mmap.len_bytes, 0x2000);
	CHECK_INT(rec->u.mmap.pgoff, 0x3000);
	CHECK_INT(rec->u.mmap.prot, 1);
	CHECK_INT(rec->u.mmap.build_id_len, 0);

	rec_begin(&r, PERF_RECORD_MMAP2, 0);
	rec_u32(&r, 5), rec_u32(&r, 6), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 });
	rec_u32(&r, 8), rec_u32(&r, 1), rec_u64(&r, 1234), rec_u64(&r, 9), rec_u32(&r, 5), rec_u32(&r, 2), rec_str(&r, "/bin/true");
	trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.mmap.tid, 6);
	CHECK_INT(rec->u.mmap.maj, 8);
	CHECK_INT(rec->u.mmap.min, 1);
	CHECK_INT(rec->u.mmap.ino, 1234);
	CHECK_INT(rec->u.mmap.ino_generation, 9);
	CHECK_INT(rec->u.mmap.prot, 5);
	CHECK_INT(rec->u.mmap.flags, 2);

	/* as Linux 3.12 wrote it: without prot and flags */
	rec_begin(&r, PERF_RECORD_MMAP2, 0);
	rec_u32(&r, 5), rec_u32(&r, 6), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 });
	rec_u32(&r, 8), rec_u32(&r, 1), rec_u64(&r, 1234), rec_u64(&r, 9), rec_str(&r, "/bin/true");
	trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.mmap.ino_generation, 9);
	CHECK_INT(rec->u.mmap.prot, 5);
	CHECK_STR(rec->u.mmap.path, "/bin/true");

	/* The bit counts in records of an event that asked for build-ids only, whatever the bytes look like. */
	for (i = 0; i < 2; i++) {
		f.ev->attr.flags |= i ? PT_ATTR_BUILD_ID : 0;
		rec_begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
		rec_u32(&r, 5), rec_u32(&r, 6), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 });
		rec_u8(&r, 20), rec_bytes(&r, "\0\0\0abcdefghijklmnopqrst", 23);
		rec_u32(&r, 5), rec_u32(&r, 2), rec_str(&r, "/bin/true");
		trailer(&r), rec = side(&f, &r);
		CHECK_INT(rec->u.mmap.build_id_len, i ? 20 : 0);
		if (i)
			CHECK_MEM(rec->u.mmap.build_id, "abcdefghijklmnopqrst", 20);
		CHECK_INT(rec->u.mmap.ino != 0, !i);
	}
	f.ev->attr.flags &= ~PT_ATTR_BUILD_ID;

	/* The bit of a kernel whose other user asked: device 254:0 it is, also where its number could be a length. */
	for (i = 0; i < 3; i++) {
		const uint32_t maj[] = { 254, 8, 0 };

		rec_begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
		rec_u32(&r, 5), rec_u32(&r, 6), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 });
		rec_u32(&r, maj[i]), rec_u32(&r, 0), rec_u64(&r, 1234), rec_u64(&r, 0), rec_u32(&r, 5), rec_u32(&r, 2), rec_str(&r, "/bin/true");
		trailer(&r), rec = side(&f, &r);
		CHECK_INT(rec->u.mmap.build_id_len, 0);
		CHECK_INT(rec->u.mmap.maj, maj[i]);
		CHECK_INT(rec->u.mmap.ino, 1234);
		CHECK_STR(rec->u.mmap.path, "/bin/true");
	}

	/* Build-ids of another length are believed where they were asked for. */
	for (i = 0; i < 2; i++) {
		f.ev->attr.flags |= i ? PT_ATTR_BUILD_ID : 0;
		rec_begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
		rec_u32(&r, 5), rec_u32(&r, 6), rec_u64s(&r, 3, (const uint64_t[]){ 0x1000, 0x2000, 0x3000 });
		rec_u8(&r, 8), rec_bytes(&r, "\0\0\0abcdefgh\0\0\0\0\0\0\0\0\0\0\0\0", 23), rec_u32(&r, 5), rec_u32(&r, 2), rec_str(&r, "/bin/true");
		trailer(&r), rec = side(&f, &r);
		CHECK_INT(rec->u.mmap.build_id_len, i ? 8 : 0);
	}
	f.ev->attr.flags &= ~PT_ATTR_BUILD_ID;

	rec_begin(&r, PERF_RECORD_LOST, 0), rec_u64(&r, 77), rec_u64(&r, 9), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.lost.id, 77);
	CHECK_INT(rec->u.lost.lost, 9);
	rec_begin(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC), rec_u32(&r, 5), rec_u32(&r, 6), rec_str(&r, "a name"), trailer(&r);
	rec = side(&f, &r);
	CHECK_INT(rec->u.comm.pid, 5);
	CHECK_INT(rec->u.comm.tid, 6);
	rec_begin(&r, PERF_RECORD_FORK, 0), rec_u32(&r, 1), rec_u32(&r, 2), rec_u32(&r, 3), rec_u32(&r, 4), rec_u64(&r, 5), trailer(&r);
	rec = side(&f, &r);
	CHECK_INT(rec->u.task.pid, 1);
	CHECK_INT(rec->u.task.ppid, 2);
	CHECK_INT(rec->u.task.tid, 3);
	CHECK_INT(rec->u.task.ptid, 4);
	CHECK_INT(rec->u.task.time_ns, 5);
	rec_begin(&r, PERF_RECORD_THROTTLE, 0), rec_u64s(&r, 3, (const uint64_t[]){ 7, 8, 9 }), trailer(&r), rec = side(&f, &r);
	rec_begin(&r, PERF_RECORD_READ, 0), rec_u32(&r, 1), rec_u32(&r, 2), rec_u64(&r, 33), rec_u64(&r, 77), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.read.nr, 1);
	CHECK_INT(rec->u.read.values->value, 33);
	CHECK_INT(rec->u.read.values->id, 77);
	rec_begin(&r, PERF_RECORD_AUX, 0), rec_u64s(&r, 3, (const uint64_t[]){ 7, 8, 9 }), trailer(&r), rec = side(&f, &r);
	rec_begin(&r, PERF_RECORD_ITRACE_START, 0), rec_u32(&r, 1), rec_u32(&r, 2), trailer(&r), rec = side(&f, &r);
	rec_begin(&r, PERF_RECORD_LOST_SAMPLES, 0), rec_u64(&r, 4), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.lost.lost, 4);
	CHECK_INT(rec->u.lost.id, 77);
	rec_begin(&r, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->misc, PERF_RECORD_MISC_SWITCH_OUT);
	rec_begin(&r, PERF_RECORD_SWITCH_CPU_WIDE, 0), rec_u32(&r, 1), rec_u32(&r, 2), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.sw.pid, 1);
	CHECK_INT(rec->u.sw.tid, 2);
	rec_begin(&r, PERF_RECORD_NAMESPACES, 0), rec_u32(&r, 1), rec_u32(&r, 2), rec_u64s(&r, 5, (const uint64_t[]){ 2, 3, 4, 5, 6 }), trailer(&r);
	rec = side(&f, &r);
	CHECK_INT(rec->u.namespaces.nr, 2);
	CHECK_INT(rec->u.namespaces.links[1].dev, 5);
	CHECK_INT(rec->u.namespaces.links[1].ino, 6);
	rec_begin(&r, PERF_RECORD_KSYMBOL, 0), rec_u64(&r, 0xffff), rec_u32(&r, 10), rec_u16(&r, 1), rec_u16(&r, 0), rec_str(&r, "bpf_prog"), trailer(&r);
	rec = side(&f, &r);
	CHECK_INT(rec->u.ksymbol.addr, 0xffff);
	CHECK_INT(rec->u.ksymbol.len_bytes, 10);
	CHECK_INT(rec->u.ksymbol.kind, 1);
	rec_begin(&r, PERF_RECORD_BPF_EVENT, 0), rec_u16(&r, 1), rec_u16(&r, 2), rec_u32(&r, 3), rec_bytes(&r, "8 bytes!", 8), trailer(&r);
	rec = side(&f, &r);
	CHECK_INT(rec->u.bpf.id, 3);
	CHECK_MEM(rec->u.bpf.tag, "8 bytes!", 8);
	rec_begin(&r, PERF_RECORD_CGROUP, 0), rec_u64(&r, 55), rec_str(&r, "/system.slice"), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.cgroup.id, 55);
	rec_begin(&r, PERF_RECORD_TEXT_POKE, 0), rec_u64(&r, 0xf0), rec_u16(&r, 2), rec_u16(&r, 4), rec_bytes(&r, "oonnnn..", 8), trailer(&r);
	rec = side(&f, &r);
	rec_begin(&r, PERF_RECORD_AUX_OUTPUT_HW_ID, 0), rec_u64(&r, 66), trailer(&r), rec = side(&f, &r);
	rec_begin(&r, PT_RECORD_CALLCHAIN_DEFERRED, 0), rec_u64s(&r, 4, (const uint64_t[]){ 99, 2, 0x10, 0x20 }), trailer(&r), rec = side(&f, &r);
	CHECK_INT(rec->u.deferred.cookie, 99);
	CHECK_INT(rec->u.deferred.nr, 2);
	tear_down(&f);
	rec_free(&r);
}

TEST(every_type) { all_types(false); }
TEST(every_type_of_the_other_byte_order) { all_types(true); }

/* The kernel states a size with another event's trailer in it; what is there is left from older records. */
static void stated_too_large(bool swap)
{
	struct pt_attr a = { .type = 1, .flags = PT_ATTR_SAMPLE_ID_ALL, .sample_type = PERF_SAMPLE_IDENTIFIER |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU };
	const uint64_t stale[] = { 1, 2, 3, 4, 5 };
	struct rec r = REC(swap);
	const struct pt_record *rec;
	uint64_t time_ns = 0;
	struct fixture f;
	const char *why;

	set_up(&f, &a, swap);
	for (uint32_t type = PERF_RECORD_KSYMBOL; type <= PERF_RECORD_TEXT_POKE; type++) {
		if (type == PERF_RECORD_CGROUP)
			continue;
		rec_begin(&r, type, 0);
		if (type == PERF_RECORD_KSYMBOL)
			rec_u64(&r, 0xffff), rec_u32(&r, 10), rec_u16(&r, 1), rec_u16(&r, 0), rec_str(&r, "bpf_prog");
		else if (type == PERF_RECORD_BPF_EVENT)
			rec_u16(&r, 1), rec_u16(&r, 2), rec_u32(&r, 3), rec_bytes(&r, "8 bytes!", 8);
		else
			rec_u64(&r, 0xf0), rec_u16(&r, 1), rec_u16(&r, 3), rec_bytes(&r, "onnn", 4);
		trailer_fields(&r), rec_u64s(&r, 5, stale), rec_end(&r);
		CHECK_INT(pt_decode(&f.d, (const uint8_t *)r.b.data, 0, &why), 1);
		rec = &f.d.rec;
		CHECK_INT(rec->time_ns, 6000);
		CHECK_INT(rec->cpu, 2);
		CHECK_INT(rec->id, 77);
		CHECK(rec->event == f.ev);
		CHECK(pt_evtable_time_in(f.d.events, (const uint8_t *)r.b.data, type, (uint32_t)r.b.len, swap, &time_ns));
		CHECK_INT(time_ns, 6000);
		pt_buf_clear(&r.b);
	}
	tear_down(&f);
	rec_free(&r);
}

TEST(size_with_the_trailers_of_several_events) { stated_too_large(false); }
TEST(size_with_the_trailers_of_several_events_of_the_other_byte_order) { stated_too_large(true); }

TEST(strings_end_within)
{
	struct pt_attr a = { .type = 1, .sample_type = PERF_SAMPLE_TID };
	struct rec r = REC(false);
	const char *why = NULL;
	struct fixture f;

	set_up(&f, &a, false);
	rec_begin(&r, PERF_RECORD_COMM, 0), rec_u32(&r, 5), rec_u32(&r, 6), rec_bytes(&r, "without!", 8), rec_end(&r);
	CHECK_INT(pt_decode(&f.d, pt_test_guarded(r.b.data, r.b.len), 0, &why), -1);
	rec_free(&r);
	tear_down(&f);
}

TEST(own_types_are_not_believed)
{
	struct pt_attr a = { .type = 1, .sample_type = PERF_SAMPLE_TID };
	struct rec r = REC(false);
	const char *why = NULL;
	struct fixture f;

	set_up(&f, &a, false);
	rec_begin(&r, PT_RECORD_CHILD_EXIT, 0), rec_u64s(&r, 3, (const uint64_t[]){ 5, 6, 7 }), rec_end(&r);
	CHECK_INT(pt_decode(&f.d, (uint8_t *)r.b.data, 0, &why), 0);
	CHECK_INT(f.tally.unknown_records, 1);
	CHECK_INT(f.tally.unknown_type, PT_RECORD_CHILD_EXIT);
	f.d.own_records = true;
	CHECK_INT(pt_decode(&f.d, (uint8_t *)r.b.data, 0, &why), 1);
	CHECK_INT(f.d.rec.u.child.status, 6);
	CHECK_INT(f.d.rec.time_ns, 5);
	rec_free(&r);
	tear_down(&f);
}

TEST(unknown_id)
{
	struct pt_attr a = { .sample_type = PERF_SAMPLE_IDENTIFIER };
	struct rec r = REC(false);
	const char *why = NULL;
	struct fixture f;

	set_up(&f, &a, false);
	rec_begin(&r, PERF_RECORD_SAMPLE, 0), rec_u64(&r, 1234), rec_end(&r);
	CHECK_INT(pt_decode(&f.d, (uint8_t *)r.b.data, 0, &why), 0);
	CHECK_INT(f.tally.no_event, 1);
	rec_free(&r);
	tear_down(&f);
}

/* Page faults and the like may bear the id of another session's event: whose they are is known where there is one such event. */
TEST(id_of_another_session)
{
	struct pt_attr clock = { .type = PERF_TYPE_SOFTWARE, .sample_type = PERF_SAMPLE_IDENTIFIER }, faults = clock, switches = clock;
	struct rec r = REC(false);
	const char *why = NULL;
	struct fixture f;

	clock.config = PERF_COUNT_SW_CPU_CLOCK, faults.config = PERF_COUNT_SW_PAGE_FAULTS, switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	rec_begin(&r, PERF_RECORD_SAMPLE, 0), rec_u64(&r, 1234), rec_end(&r);
	for (int both = 0; both < 2; both++) {
		struct pt_event *ev;

		set_up(&f, &clock, false);
		ev = pt_evtable_add(f.d.events, &faults, NULL, NULL, NULL);
		if (both)
			pt_evtable_add(f.d.events, &switches, NULL, NULL, NULL);
		CHECK_INT(pt_decode(&f.d, (uint8_t *)r.b.data, 0, &why), !both);
		CHECK(both || f.d.rec.event == ev);
		CHECK_INT(f.tally.no_event, both);
		tear_down(&f);
	}
	rec_free(&r);
}
