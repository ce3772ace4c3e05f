/* Functions made at run time: perf-PID.map and jitdump files, by hand. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "unwind/cfi.h"
#include "stack/jitcode.h"
#include "stack/jitdump.h"
#include "rec.h"
#include "test.h"
#include "stack/frames.h"

static const char *name_at(struct pt_jitcodes *c, uint64_t addr)
{
	int64_t i = pt_jitcodes_find(c, addr, UINT64_MAX, NULL);

	return i == PT_JIT_NONE ? "-" : pt_jitcodes_at(c, (size_t)i)->name;
}

TEST(maps_are_read)
{
	static const char text[] =
		"6000 7fff00000000 huge\n"
		"7f0000001000 20 py::main:/tmp/a b.py\r\n"
		"0x7f0000001020 0X10 LazyCompile:~x y\n"
		"7f00 zz bad\n" "zz 10 bad\n" "7f00 10\n" "7f00 10 \n" "\n" " 7f00 10 bad\n"
		"12345678901234567 10 too long\n" "fffffffffffffff0 20 wraps\n" "fffffffffffffff0 f last\n"
		"5000 0 nothing\n"
		"6010\t10\ttabs\n" "7000 10 a\0b\n" "8000 10 \x1b[31m\n" "9000 10 cut";
	static const struct { uint64_t addr; const char *name; } want[] = {
		{ 0x7f0000001000, "py::main:/tmp/a b.py" }, { 0x7f000000101f, "py::main:/tmp/a b.py" }, { 0x7f0000001020, "LazyCompile:~x y" },
		{ 0x7f000000102f, "LazyCompile:~x y" }, { 0x7f00, "huge" }, { 0x7f0000001030, "huge" }, { 0x5000, "nothing" }, { 0x5001, "-" }, { 0x5fff, "-" },
		{ 0x6000, "huge" }, { 0x7ffe00000000, "huge" }, { 0x7fff00006000, "-" }, { 0x6010, "tabs" }, { 0x601f, "tabs" }, { 0x6020, "huge" },
		{ 0x7000, "a" }, { 0x8001, "\x1b[31m" }, { 0x7010, "huge" }, { 0x9000, "huge" }, { 0xfffffffffffffff0, "last" }, { 0xffffffffffffffff, "-" },
	};
	struct pt_jitcodes *c = pt_jitcodes_new();
	size_t i, got, len = sizeof(text) - 1;
	const char *p = pt_test_guarded(text, len);

	got = pt_jitcodes_read_map(c, p, len, false);
	CHECK_INT(got, len - strlen("9000 10 cut"));
	for (i = 0; i < PT_NR(want); i++)
		if (strcmp(name_at(c, want[i].addr), want[i].name))
			FAIL("at %llx: %s, not %s", (unsigned long long)want[i].addr, name_at(c, want[i].addr), want[i].name);
	CHECK_INT(pt_jitcodes_read_map(c, p + got, len - got, true), len - got);
	CHECK_STR(name_at(c, 0x9000), "cut");
	pt_jitcodes_free(c);
}

/* In any pieces, the later of two that overlap wins, wherever they begin and however large they are. */
TEST(later_lines_win)
{
	struct pt_buf text = PT_BUF_INIT;
	enum { LINES = 3000, SPAN = 1 << 16 };
	static int16_t want[SPAN];
	struct pt_jitcodes *c = pt_jitcodes_new();
	size_t i, k, from = 0, step;
	uint32_t seed = 5;

	memset(want, -1, sizeof(want));
	for (i = 0; i < LINES; i++) {
		uint32_t start, bytes;

		seed = seed * 1103515245 + 12345;
		start = seed >> 8 & (SPAN - 1);
		seed = seed * 1103515245 + 12345;
		bytes = 1 + (seed >> 8) % (i % 50 ? 200 : 20000);
		pt_buf_printf(&text, "%x %x n%zu\n", start, bytes, i);
		for (k = start; k < start + bytes && k < SPAN; k++)
			want[k] = (int16_t)i;
	}
	while (from < text.len) {
		seed = seed * 1103515245 + 12345;
		step = PT_MIN(text.len - from, (size_t)(seed >> 8) % 5000 + 50);
		from += pt_jitcodes_read_map(c, text.data + from, step, false);
	}
	CHECK_INT(pt_jitcodes_nr(c), LINES);
	for (k = 0; k < SPAN; k++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", want[k]);
		CHECK_STR(name_at(c, k), want[k] < 0 ? "-" : name);
	}
	pt_jitcodes_free(c);
	pt_buf_deinit(&text);
}

static void begin(struct rec *r, uint32_t id, uint64_t time_ns)
{
	r->begun = r->b.len;
	rec_u32(r, id);
	rec_u32(r, 0);
	rec_u64(r, time_ns);
}

static void end(struct rec *r)
{
	uint32_t len = (uint32_t)(r->b.len - r->begun);

	len = r->swap ? __builtin_bswap32(len) : len;
	memcpy(r->b.data + r->begun + 4, &len, 4);
}

static void head(struct rec *r, uint64_t flags)
{
	rec_u32(r, 0x4a695444);
	rec_u32(r, 1);
	rec_u32(r, 40);
	rec_u32(r, EM_X86_64);
	rec_u32(r, 0);
	rec_u32(r, 77);
	rec_u64(r, 1);
	rec_u64(r, flags);
}

static void load(struct rec *r, uint64_t time_ns, uint64_t addr, uint64_t bytes, uint64_t index, const char *name)
{
	static const uint8_t code[256] = { 0x55, 0x90 };

	begin(r, 0, time_ns);
	rec_u32(r, 77);
	rec_u32(r, 77);
	rec_u64(r, addr);
	rec_u64(r, addr);
	rec_u64(r, bytes);
	rec_u64(r, index);
	rec_bytes(r, name, strlen(name) + 1);
	rec_bytes(r, code, PT_MIN(bytes, sizeof(code)));
	end(r);
}

static void move(struct rec *r, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t bytes, uint64_t index)
{
	begin(r, 1, time_ns);
	rec_u32(r, 77);
	rec_u32(r, 77);
	rec_u64(r, to);
	rec_u64(r, from);
	rec_u64(r, to);
	rec_u64(r, bytes);
	rec_u64(r, index);
	end(r);
}

static void lines(struct rec *r, uint64_t addr)
{
	static const struct { uint64_t off; uint32_t line; const char *file; } at[] = { { 0, 10, "a.py" }, { 4, 11, "\xff" }, { 8, 3, "b.py" } };
	size_t i;

	begin(r, 2, 0);
	rec_u64(r, addr);
	rec_u64(r, PT_NR(at));
	for (i = 0; i < PT_NR(at); i++) {
		rec_u64(r, addr + at[i].off);
		rec_u32(r, at[i].line);
		rec_u32(r, 0);
		rec_bytes(r, at[i].file, strlen(at[i].file) + 1);
	}
	end(r);
}

/* CIE and FDE of `sub $8,%rsp` at 4 and `add` at 10 of a function of `bytes` bytes, the frame section beginning `behind` it; and a header of 20 bytes. */
static void unwinding(struct rec *r, int32_t behind, uint32_t bytes, bool header_first)
{
	static const uint8_t header[20] = { 1, 0x1b, 3, 0x3b };

	begin(r, 4, 0);
	rec_u64(r, 48 + 20);
	rec_u64(r, 20);
	rec_u64(r, 0);
	if (header_first)
		rec_bytes(r, header, sizeof(header));
	rec_u32(r, 20);
	rec_u32(r, 0);
	rec_bytes(r, "\1zR\0\1\x78\x10\1\x1b\x0c\7\x8\x90\1\0\0", 16);
	rec_u32(r, 20);
	rec_u32(r, 28);
	rec_u32(r, (uint32_t)-(32 + (int32_t)bytes + behind));
	rec_u32(r, bytes);
	rec_bytes(r, "\0\x44\x0e\x10\x46\x0e\x8\0\0\0\0\0", 8);
	if (!header_first)
		rec_bytes(r, header, sizeof(header));
	end(r);
}

static const char *dump_name(struct pt_jitdump *d, uint64_t addr, uint64_t time_ns)
{
	int64_t i = pt_jitdump_find(d, addr, time_ns, NULL);

	return i == PT_JIT_NONE ? "-" : pt_jitdump_code(d, (size_t)i)->name;
}

static void whole(struct rec *r)
{
	head(r, 0);
	load(r, 100, 0x1000, 0x100, 1, "first");
	lines(r, 0x1000);
	load(r, 200, 0x1080, 0x40, 2, "over it");
	move(r, 300, 0x1080, 0x2000, 0x40, 2);
	begin(r, 99, 310);			/* of a later version */
	rec_u64(r, 5);
	end(r);
	load(r, 400, 0x1000, 0x100, 3, "second");
	load(r, 410, 0x5000, 0, 4, "empty");
	begin(r, 3, 500);
	end(r);
}

static void check_whole(struct pt_jitdump *d)
{
	static const struct { uint64_t addr, time_ns; const char *name; } want[] = {
		{ 0x1000, 99, "-" }, { 0x1000, 100, "first" }, { 0x10ff, 250, "first" }, { 0x1100, 250, "-" }, { 0x1080, 199, "first" },
		{ 0x1080, 200, "over it" }, { 0x10bf, 299, "over it" }, { 0x10c0, 299, "first" }, { 0x1080, 300, "first" }, { 0x2000, 299, "-" },
		{ 0x2000, 300, "over it" }, { 0x203f, 999, "over it" }, { 0x1000, 399, "first" }, { 0x1000, 400, "second" }, { 0x1080, UINT64_MAX, "second" },
		{ 0x2000, UINT64_MAX, "over it" }, { 0x5000, 999, "-" },
	};
	size_t i;

	for (i = 0; i < PT_NR(want); i++)
		if (strcmp(dump_name(d, want[i].addr, want[i].time_ns), want[i].name))
			FAIL("%llx at %llu: %s, not %s", (unsigned long long)want[i].addr, (unsigned long long)want[i].time_ns,
			     dump_name(d, want[i].addr, want[i].time_ns), want[i].name);
}

static void check_lines(struct pt_jitdump *d)
{
	static const struct { uint64_t addr, time_ns; uint32_t line; const char *file; } want[] = {
		{ 0x1080, 200, 10, "a.py" }, { 0x1083, 200, 10, "a.py" }, { 0x1084, 200, 11, "a.py" }, { 0x1087, 200, 11, "a.py" }, { 0x1088, 200, 3, "b.py" },
		{ 0x2005, 300, 11, "a.py" },
	};
	uint32_t line;
	const char *file;
	size_t i, len;

	for (i = 0; i < PT_NR(want); i++) {
		int64_t n = pt_jitdump_find(d, want[i].addr, want[i].time_ns, NULL);

		CHECK(pt_jitdump_line(d, (size_t)n, want[i].addr, &file, &len, &line));
		CHECK_INT(line, want[i].line);
		CHECK(len == strlen(want[i].file) && !memcmp(file, want[i].file, len));
	}
	CHECK(!pt_jitdump_line(d, (size_t)pt_jitdump_find(d, 0x1000, 400, NULL), 0x1000, &file, &len, &line));
	CHECK(!pt_jitdump_line(d, 999, 0x1000, &file, &len, &line));
}

TEST(dumps_are_read)
{
	int swap;

	for (swap = 0; swap < 2; swap++) {
		struct pt_jitdump *d = pt_jitdump_new();
		struct pt_err e = PT_ERR_INIT;
		struct rec r = REC(swap);
		bool others;

		whole(&r);
		/* The lines were given for 0x1000 and belong to what was loaded at 0x1080. */
		CHECK_INT(pt_jitdump_read(d, pt_test_guarded(r.b.data, r.b.len), r.b.len, &e), 1);
		check_whole(d);
		CHECK(!pt_jitdump_arch_clock(d));
		CHECK(pt_jitdump_closed(d));
		CHECK_INT(pt_jitdump_last_ns(d), 500);
		CHECK_INT(pt_jitdump_counts(d).loads, 3);
		CHECK_INT(pt_jitdump_counts(d).moves, 1);
		CHECK_INT(pt_jitdump_counts(d).bad, 0);
		pt_jitdump_find(d, 0x1000, UINT64_MAX, &others);
		CHECK(others);
		pt_jitdump_find(d, 0x2000, UINT64_MAX, &others);
		CHECK(!others);
		check_lines(d);
		CHECK(!swap == !!pt_jitdump_object(d, 0, EM_NONE));
		pt_jitdump_free(d);
		rec_free(&r);
	}
}

/* The writer's time namespace added 100 to its clock. */
TEST(dump_of_a_time_namespace)
{
	struct pt_jitdump *d = pt_jitdump_new();
	struct pt_err e = PT_ERR_INIT;
	struct rec r = REC(false);

	whole(&r);
	pt_jitdump_offset(d, 100);
	CHECK_INT(pt_jitdump_read(d, pt_test_guarded(r.b.data, r.b.len), r.b.len, &e), 1);
	CHECK_INT(pt_jitdump_last_ns(d), 400);
	rec_free(&r);
	pt_jitdump_free(d);
}

/* A file that grows byte by byte ends as the same; each length on its own reads what is whole in it. */
TEST(dumps_grow)
{
	struct pt_jitdump *d = pt_jitdump_new(), *part;
	struct pt_err e = PT_ERR_INIT;
	struct rec r = REC(false);
	size_t len;

	whole(&r);
	for (len = 0; len <= r.b.len; len++) {
		const void *p = r.b.data;

		part = pt_jitdump_new();
		CHECK(pt_jitdump_read(d, p, len, &e) >= 0);
		CHECK(pt_jitdump_read(part, p, len, &e) >= 0);
		CHECK_INT(pt_jitdump_counts(part).loads, pt_jitdump_counts(d).loads);
		pt_jitdump_free(part);
	}
	check_whole(d);
	check_lines(d);
	pt_jitdump_free(d);
	rec_free(&r);
}

TEST(rules_come_with_the_code)
{
	static const struct { uint32_t bytes; int32_t behind; bool header_first; } ways[] = {
		{ 11, 5, false }, { 24, 8, false }, { 11, 0, false }, { 11, 25, true }, { 32, 0, false },
	};
	size_t i;

	for (i = 0; i < PT_NR(ways); i++) {
		struct pt_jitdump *d = pt_jitdump_new();
		struct pt_err e = PT_ERR_INIT;
		struct rec r = REC(false);
		const struct pt_row *row;
		struct pt_object *o;
		const uint8_t *code;

		head(&r, 1);
		unwinding(&r, ways[i].behind, ways[i].bytes, ways[i].header_first);
		load(&r, 5, 0x7000, ways[i].bytes, 1, "f");
		load(&r, 6, 0x8000, ways[i].bytes, 2, "without");
		CHECK_INT(pt_jitdump_read(d, pt_test_guarded(r.b.data, r.b.len), r.b.len, &e), 1);
		CHECK(pt_jitdump_arch_clock(d));
		o = pt_jitdump_object(d, 0, EM_NONE);
		CHECK(o && o == pt_jitdump_object(d, 0, EM_NONE));
		CHECK_INT(o->machine, EM_X86_64);
		row = pt_cfi_row(o, PT_JITDUMP_VADDR + 6);
		if (!row)
			FAIL("way %zu: no row", i);
		CHECK_INT(row->cfa_off, 16);
		CHECK_INT(pt_cfi_row(o, PT_JITDUMP_VADDR)->cfa_off, 8);
		code = pt_object_bytes(o, PT_JITDUMP_VADDR, ways[i].bytes, false);
		CHECK(code && code[0] == 0x55);
		o = pt_jitdump_object(d, 1, EM_NONE);
		CHECK(o && !pt_cfi_row(o, PT_JITDUMP_VADDR));
		CHECK(pt_jitdump_object(d, 2, EM_NONE) == NULL);
		pt_jitdump_free(d);
		rec_free(&r);
	}
}

TEST(bad_dumps)
{
	struct pt_jitdump *d = pt_jitdump_new();
	struct pt_err e = PT_ERR_INIT;
	struct rec r = REC(false);
	uint32_t none = 7;

	CHECK_INT(pt_jitdump_read(d, "ELF", 3, &e), 0);
	rec_u32(&r, 0x12345678);
	while (r.b.len < 40)
		rec_u32(&r, 0);
	CHECK_INT(pt_jitdump_read(d, r.b.data, r.b.len, &e), -1);
	CHECK_HAS(e.msg, "no jitdump");
	r.b.len = 0;
	pt_jitdump_free(d);
	d = pt_jitdump_new();
	head(&r, 0);
	move(&r, 1, 0x10, 0x20, 4, 9);		/* of nothing */
	load(&r, 2, UINT64_MAX - 3, 8, 1, "wraps");
	begin(&r, 0, 3);			/* too short for its fields */
	rec_u64(&r, 1);
	end(&r);
	load(&r, 4, 0x1000, 16, 2, "good");
	rec_u32(&r, 0);
	rec_bytes(&r, &none, 4);		/* its length is less than its head's */
	rec_u64(&r, 5);
	load(&r, 6, 0x2000, 16, 3, "behind");
	CHECK_INT(pt_jitdump_read(d, pt_test_guarded(r.b.data, r.b.len), r.b.len, &e), 1);
	CHECK_INT(pt_jitdump_counts(d).bad, 4);
	CHECK_STR(dump_name(d, 0x1000, 9), "good");
	CHECK_STR(dump_name(d, 0x2000, 9), "-");
	pt_jitdump_free(d);
	rec_free(&r);
}

/* ---- times ---- */

/* A program's jitdump: at 0x10000 `one` until its counter was at 5,000,000,000, `two` from then on. */
static void write_dump(const char *path, uint64_t flags)
{
	struct rec r = REC(false);
	FILE *f = fopen(path, "w");

	head(&r, flags);
	load(&r, 1000, 0x10000, 32, 1, "one");
	load(&r, 5000000000u, 0x10000, 32, 2, "two");
	CHECK(f && fwrite(r.b.data, 1, r.b.len, f) == r.b.len && !fclose(f));
	rec_free(&r);
}

struct timed { uint64_t flags; int clockid; bool conv; uint64_t zero_ns, shift, mult; };

/* The names of samples at these times, "-" without one; what was counted. */
static struct pt_frames_counts names_at(const struct timed *t, const uint64_t *times_ns, size_t nr, const char **names)
{
	struct rec_event ev = { .attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct pt_attr), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME } };
	struct pt_frames *f = pt_frames_new(&(struct pt_frames_opts){ .live = false });
	struct rec d = REC(false), file = REC(false);
	const struct pt_named_frame *x;
	struct pt_frames_counts counts;
	const struct pt_record *rec;
	struct pt_frames_how how;
	struct pt_source *s;
	struct pt_err e;
	char path[300];
	size_t i, n = 0;

	snprintf(path, sizeof(path), "%s/jit-77.dump", pt_test_dir());
	write_dump(path, t->flags);
	if (t->clockid >= 0)
		ev.attr.flags |= PT_ATTR_USE_CLOCKID, ev.attr.clockid = t->clockid;
	if (t->conv)
		rec_begin(&d, PT_RECORD_TIME_CONV, 0), rec_u64s(&d, 3, (const uint64_t[]){ t->shift, t->mult, t->zero_ns }), rec_end(&d);
	rec_begin(&d, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	rec_u32(&d, 77), rec_u32(&d, 77), rec_u64s(&d, 3, (const uint64_t[]){ 0x8000, 0x1000, 0 }), rec_str(&d, path), rec_end(&d);
	rec_begin(&d, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	rec_u32(&d, 77), rec_u32(&d, 77), rec_u64s(&d, 3, (const uint64_t[]){ 0x10000, 0x1000, 0 }), rec_str(&d, "//anon"), rec_end(&d);
	for (i = 0; i < nr; i++)
		rec_begin(&d, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER), rec_u64(&d, 0x10008), rec_u32(&d, 77), rec_u32(&d, 77), rec_u64(&d, times_ns[i]), rec_end(&d);
	rec_file(&file, &ev, 1, &d, NULL, 0);
	s = rec_open(&file);
	while (pt_source_next(s, &rec, &e) > 0) {
		pt_frames_feed(f, s, rec);
		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		CHECK_INT(pt_frames_of(f, rec, &x, &how), 1);
		names[n++] = !x->name ? "-" : strcmp(x->name, "one") ? "two" : "one";
	}
	CHECK_INT(n, nr);
	counts = pt_frames_counts(f);
	pt_source_free(s);
	pt_frames_free(f);
	rec_free(&d);
	rec_free(&file);
	return counts;
}

/* A counter of 2.5 GHz: 5,000,000,000 of it are two seconds behind its zero. */
TEST(clocks)
{
	enum { COUNTER = 1, SEC = 1000000000 };
	static const struct { struct timed t; uint64_t times_ns[3]; const char *want[3]; bool timeless, counter; } cases[] = {
		{ { COUNTER, -1, true, 7ull * SEC, 30, 429496730 }, { 7ull * SEC + 1000, 9ull * SEC - 2000, 9ull * SEC + 2000 }, { "one", "one", "two" }, false, false },
		{ { COUNTER, -1, true, -(1ull * SEC), 30, 429496730 }, { 1, 1ull * SEC - 2000, 1ull * SEC + 2000 }, { "one", "one", "two" }, false, false },
		{ { COUNTER, -1, true, 7ull * SEC, 30, 429496730 }, { 1, 7ull * SEC - 1, 6ull * SEC }, { "-", "-", "-" }, false, false },
		{ { COUNTER, -1, true, 0, 30, 0 }, { 1, 2, 3 }, { "two", "two", "two" }, true, true },
		{ { COUNTER, -1, true, 0, 64, 1 }, { 1, 2, 3 }, { "two", "two", "two" }, true, true },
		{ { COUNTER, -1, false, 0, 0, 0 }, { 1, 2, 3 }, { "two", "two", "two" }, true, true },
		{ { COUNTER, CLOCK_MONOTONIC, true, 0, 30, 429496730 }, { 2000, 1ull * SEC, 3ull * SEC }, { "two", "two", "two" }, true, true },
		{ { 0, CLOCK_MONOTONIC, false, 0, 0, 0 }, { 2000, 5ull * SEC - 1, 5ull * SEC }, { "one", "one", "two" }, false, false },
		{ { 0, -1, true, 0, 30, 429496730 }, { 2000, 1ull * SEC, 6ull * SEC }, { "two", "two", "two" }, true, false },
		{ { 0, CLOCK_MONOTONIC_RAW, false, 0, 0, 0 }, { 2000, 1ull * SEC, 6ull * SEC }, { "two", "two", "two" }, true, false },
	};
	const char *names[3];
	size_t i, k;

	for (i = 0; i < PT_NR(cases); i++) {
		struct pt_frames_counts c = names_at(&cases[i].t, cases[i].times_ns, 3, names);

		for (k = 0; k < 3; k++)
			if (strcmp(names[k], cases[i].want[k]))
				FAIL("case %zu: at %llu %s, not %s", i, (unsigned long long)cases[i].times_ns[k], names[k], cases[i].want[k]);
		CHECK_INT(c.jit_timeless != 0, cases[i].timeless);
		CHECK_INT(c.jit_counter, cases[i].counter);
	}
}
