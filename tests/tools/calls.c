/* calls ARCH FILE - writes what perf trace record leaves on such a machine, by hand: raw_syscalls of one task, in its byte order, words and numbers. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rec.h"

enum { PID = 77, ENTER = 300, EXIT = 301 };

/* Numbers are those of the machine's asm/unistd.h. */
static const struct machine {
	const char *arch;
	bool big;
	int word;
	struct { int64_t nr; uint64_t args[6]; int64_t ret; } calls[12];
} machines[] = {
	{ "aarch64", false, 8, {
		{ 56, { (uint64_t)-100, 0x1000, 0340000 }, -2 },	/* openat */
		{ 63, { 3, 0x2000, 100 }, 100 },			/* read */
		{ 220, { 0x280011, 0, 0x30, 0x40, 0x50 }, 78 },		/* clone */
		{ 222, { 0, 4096, 0x15, 0x22, (uint64_t)-1, 0 }, 0x7f0000 },	/* mmap, PROT_BTI */
		{ 452, { (uint64_t)-100, 0x1000, 0644, 0x100 }, 0 },	/* fchmodat2 */
		{ 93, { 3 }, 0 },					/* exit, whose end is missing */
	} },
	{ "s390x", true, 8, {
		{ 288, { (uint64_t)-100, 0x1000, 0640000 }, -2 }, { 3, { 3, 0x2000, 100 }, 100 },
		{ 120, { 0, 0x280011, 0x30, 0x40, 0x50 }, 78 }, { 6, { 3 }, 0 },
		{ 380, { 0, 0x1000, 0x2000, 0 }, -22 }, { 90, { 0x3000 }, 0x7f0000 }, { 1, { 3 }, 0 },
	} },
	{ "i686", false, 4, {
		{ 295, { (uint32_t)-100, 0x1000, 0 }, -2 }, { 3, { 3, 0x2000, 100 }, 100 },
		{ 120, { 0x280011, 0, 0x30, 0x40, 0x50 }, 78 }, { 192, { 0, 4096, 1, 0x22, (uint32_t)-1, 1 }, 0x7f0000 },
		{ 140, { 3, 1, 2, 0x1000, 0 }, 0 }, { 180, { 3, 0x1000, 8, 5, 1 }, 8 },
		{ 182, { 0x1000, 0xffff, 1000 }, 0 }, { 212, { 0x1000, 0xffff, 0xffffffff }, 0 }, { 221, { 3, 37, 0x1000 }, 0 },
		{ 0x40000001, { 1, 2 }, -38 }, { 1, { 3 }, 0 },
	} },
};

static void word(struct rec *r, int bytes, uint64_t v)
{
	if (bytes == 8)
		rec_u64(r, v);
	else
		rec_u32(r, (uint32_t)v);
}

static void sized(struct rec *r, const char *text)
{
	rec_u64(r, strlen(text));
	rec_bytes(r, text, strlen(text));
}

static void put_format(struct rec *r, const char *name, int id, int bytes, const char *field, int nr)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_buf_printf(&text, "name: %s\nID: %d\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		      "\tfield:long id;\toffset:8;\tsize:%d;\tsigned:1;\n", name, id, bytes);
	pt_buf_printf(&text, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n\nprint fmt: \"NR %%ld\", REC->id\n", field, 8 + bytes, nr * bytes, nr == 1);
	sized(r, text.data);
	pt_buf_deinit(&text);
}

static void put_formats(struct rec *r, const struct machine *m)
{
	rec_bytes(r, "\x17\x08\x44tracing0.5", 14);
	rec_u8(r, m->big);
	rec_u8(r, (uint8_t)m->word);
	rec_u32(r, 4096);
	rec_bytes(r, "header_page", 12);
	sized(r, "");
	rec_bytes(r, "header_event", 13);
	sized(r, "");
	rec_u32(r, 0);
	rec_u32(r, 1);
	rec_bytes(r, "raw_syscalls", 13);
	rec_u32(r, 2);
	put_format(r, "sys_enter", ENTER, m->word, "unsigned long args[6]", 6);
	put_format(r, "sys_exit", EXIT, m->word, "long ret", 1);
	rec_u32(r, 0);
	rec_u32(r, 0);
}

static void put_sample(struct rec *d, const struct machine *m, bool enter, size_t i)
{
	int values = enter ? 6 : 1, len = 8 + m->word * (1 + values);

	rec_begin(d, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	rec_u64(d, enter ? 1 : 2), rec_u32(d, PID), rec_u32(d, PID);
	rec_u64(d, 1000000000 + i * 1000000 + (enter ? 0 : 250000));
	rec_u32(d, 0), rec_u32(d, 0);
	rec_u32(d, (uint32_t)(len + 7) / 8 * 8 + 4);
	rec_u16(d, enter ? ENTER : EXIT), rec_u16(d, 0), rec_u32(d, PID);
	word(d, m->word, (uint64_t)m->calls[i].nr);
	for (int k = 0; k < values; k++)
		word(d, m->word, enter ? m->calls[i].args[k] : (uint64_t)m->calls[i].ret);
	for (; len % 8; len++)
		rec_u8(d, 0);
	rec_u32(d, 0);
	rec_end(d);
}

int main(int argc, char **argv)
{
	struct rec_event events[2] = { 0 };
	struct pt_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
				.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW };
	const struct machine *m = machines;

	while (argc == 3 && m < machines + PT_NR(machines) && strcmp(m->arch, argv[1]))
		m++;
	if (argc != 3 || m == machines + PT_NR(machines)) {
		fprintf(stderr, "usage: calls aarch64|s390x|i686 FILE\n");
		return 2;
	}
	struct rec d = REC(m->big), f = REC(m->big), arch = REC(m->big), formats = REC(m->big);
	struct rec_section sections[] = { { 1, &formats.b }, { 6, &arch.b } };

	for (int i = 0; i < 2; i++) {
		events[i] = (struct rec_event){ .attr = attr, .ids = { (uint64_t)i + 1 }, .nr_ids = 1 };
		events[i].attr.config = i ? EXIT : ENTER;
	}
	put_formats(&formats, m);
	rec_section_str(&arch, m->arch);
	for (size_t i = 0; m->calls[i].nr; i++) {
		put_sample(&d, m, true, i);
		if (m->calls[i + 1].nr)
			put_sample(&d, m, false, i);
	}
	rec_file(&f, events, 2, &d, sections, 2);
	FILE *out = fopen(argv[2], "we");
	if (!out || fwrite(f.b.data, 1, f.b.len, out) != f.b.len || fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	rec_free(&d), rec_free(&f), rec_free(&arch), rec_free(&formats);
	return 0;
}
