#include "tracepoint/tp_priv.h"

#include <stdlib.h>

#include "base/mem.h"

/* The tracing data of a recording, all numbers in the recorded machine's byte order:
 *
 *     17 08 44 "tracing"  VERSION\0  u8 big endian?  u8 bytes of a long  u32 page size
 *     "header_page\0"  u64 size, text      "header_event\0"  u64 size, text
 *     u32 count of ftrace's own events, each: u64 size, format text
 *     u32 count of systems, each: NAME\0, u32 count of events, each: u64 size, format text
 *     u32 size, kallsyms text      u32 size, printk formats      since version 0.6: u64 size, saved
 *                                  task names
 *
 * Source: the layout that tools/perf/util/trace-event-info.c writes (trace-cmd.dat.v6(5) has it in
 * words). */

enum { MAX_NAME = 256, MAX_EVENTS = 1 << 17 };

static const char magic[] = "\x17\x08\x44tracing";

static const void *sized(struct pt_bytes *b, uint64_t size)
{
	if (size > pt_bytes_left(b)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	return pt_bytes_take(b, (size_t)size);
}

static int read_header(struct pt_tp_db *db, struct pt_bytes *b, int *version, struct pt_err *e)
{
	const void *m = pt_bytes_take(b, sizeof(magic) - 1);
	const char *text;
	uint8_t big, word;

	if (!m || memcmp(m, magic, sizeof(magic) - 1))
		return pt_err_set(e, "tracing data does not start with its magic");
	text = pt_bytes_str(b, 16);
	big = pt_bytes_u8(b);
	word = pt_bytes_u8(b);
	if (b->bad)
		return pt_err_set(e, "tracing data is cut short in its header");
	if (text[0] != '0' || text[1] != '.' || text[2] < '0' || text[2] > '6' || text[3])
		return pt_err_set(e, "tracing data has version %.15s, known are up to 0.6", text);
	if (big > 1 || (word != 4 && word != 8))
		return pt_err_set(e, "tracing data has byte order %u and %u bytes a long", big,
				  word);
	*version = text[2] - '0';
	db->swap = b->swap = (big == 1) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	db->long_bytes = word;
	pt_bytes_u32(b);
	return 0;
}

static int skip_named(struct pt_bytes *b, const char *name, struct pt_err *e)
{
	const char *have = pt_bytes_str(b, MAX_NAME);

	if (!b->bad && strcmp(have, name))
		return pt_err_set(e, "tracing data: \"%s\" where \"%s\" belongs", have, name);
	sized(b, pt_bytes_u64(b));
	return 0;
}

/* A damaged format is left out; the first reason is kept. */
static void read_events(struct pt_tp_db *db, struct pt_bytes *b, const char *system, int *bad,
			struct pt_err *first)
{
	uint32_t i, n = pt_bytes_u32(b);

	for (i = 0; i < n && !b->bad; i++) {
		uint64_t size = pt_bytes_u64(b);
		const char *text = sized(b, size);

		if (text && db->nr < MAX_EVENTS &&
		    pt_tp_db_add_format(db, system, text, (size_t)size, *bad ? NULL : first) < 0)
			(*bad)++;
	}
}

static void read_tail(struct pt_tp_db *db, struct pt_bytes *b, int version)
{
	uint32_t size = pt_bytes_u32(b);
	const char *text = sized(b, size);

	if (text)
		pt_tp_db_add_kallsyms(db, text, size);
	size = pt_bytes_u32(b);
	text = sized(b, size);
	if (text)
		pt_tp_db_add_printk(db, text, size);
	if (version >= 6)
		sized(b, pt_bytes_u64(b));
}

int pt_tp_db_add_tracing_data(struct pt_tp_db *db, const void *data, size_t len, struct pt_err *e)
{
	struct pt_bytes b = pt_bytes(data, len, false);
	struct pt_err first = PT_ERR_INIT;
	int version = 0, bad = 0;
	uint32_t i, n;

	if (read_header(db, &b, &version, e) < 0)
		return -1;
	if (skip_named(&b, "header_page", e) < 0 || skip_named(&b, "header_event", e) < 0)
		return -1;
	read_events(db, &b, "ftrace", &bad, &first);
	n = pt_bytes_u32(&b);
	for (i = 0; i < n && !b.bad; i++) {
		const char *system = pt_bytes_str(&b, MAX_NAME);

		read_events(db, &b, system, &bad, &first);
	}
	if (!b.bad)
		read_tail(db, &b, version);
	if (b.bad)
		return pt_err_set(e, "tracing data is cut short");
	if (bad)
		return pt_err_set(e, "tracing data: %d format%s cannot be read, the first: %s", bad,
				  bad > 1 ? "s" : "", first.msg);
	return 0;
}

void pt_tp_db_add_printk(struct pt_tp_db *db, const char *text, size_t len)
{
	char *copy = pt_strndup(text, len), *save, *line, *from, *end, *to;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t addr = strncmp(line, "0x", 2) ? 0 : strtoull(line, &from, 16);

		end = line + strlen(line) - 1;
		if (!addr)
			continue;
		from += strspn(from, " :");
		if (*from++ != '"' || end < from || *end != '"')
			continue;
		for (to = line; from < end; from++) {
			bool escaped = *from == '\\' && from + 1 < end;

			from += escaped;
			*to++ = !escaped      ? *from
				: *from == 'n' ? '\n'
				: *from == 't' ? '\t'
					       : *from;
		}
		*pt_map_put(&db->printk, addr) = (uintptr_t)pt_names_add(
			db->names, line, (size_t)(to - line));
	}
	free(copy);
}
