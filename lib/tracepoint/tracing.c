#include "tracepoint/tracing.h"
#include "tracepoint/tp_priv.h"

#include <stdlib.h>

#include "base/mem.h"

enum { MAX_NAME = 256, MAX_EVENTS = 1 << 17 };

static const void *sized(struct pt_bytes *b, uint64_t size)
{
	if (size > pt_bytes_left(b)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	return pt_bytes_take(b, (size_t)size);
}

int pt_tracing_read_header(struct pt_tracing *t, struct pt_bytes *b, struct pt_err *e)
{
	const size_t magic_bytes = sizeof(PT_TRACING_MAGIC) - 1;
	const void *magic = pt_bytes_take(b, magic_bytes);
	uint8_t big, word;

	if (!magic || memcmp(magic, PT_TRACING_MAGIC, magic_bytes))
		return pt_err_set(e, "tracing data does not start with its magic");
	strncpy(t->version, pt_bytes_str(b, sizeof(t->version)), sizeof(t->version) - 1);
	big = pt_bytes_u8(b);
	word = pt_bytes_u8(b);
	if (!b->bad && (big > 1 || (word != 4 && word != 8)))
		return pt_err_set(e, "tracing data has byte order %u and %u bytes a long", big,
				  word);
	t->swap = b->swap = (big == 1) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->long_bytes = word;
	t->page_bytes = pt_bytes_u32(b);
	return b->bad ? pt_err_set(e, "tracing data is cut short in its header") : 0;
}

static const char *named(struct pt_bytes *b, const char *name, uint64_t *size, struct pt_err *e)
{
	const char *have = pt_bytes_str(b, MAX_NAME);

	if (!b->bad && strcmp(have, name)) {
		pt_err_set(e, "tracing data: \"%s\" where \"%s\" belongs", have, name);
		b->bad = true;
		return NULL;
	}
	*size = pt_bytes_u64(b);
	return sized(b, *size);
}

/* The page's format: "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;". */
static void read_headers(struct pt_tracing *t, struct pt_bytes *b, struct pt_err *e)
{
	uint64_t size = 0;
	const char *text = named(b, "header_page", &size, e), *at;
	char *copy = text ? pt_strndup(text, size) : NULL;

	at = copy ? strstr(copy, " commit;") : NULL;
	at = at ? strstr(at, "size:") : NULL;
	t->kernel_long_bytes = at ? at[5] - '0' : 0;
	free(copy);
	if (!b->bad)
		named(b, "header_event", &size, e);
}

/* A damaged format is left out; the first reason is kept. */
static void tracepoint_tracing_read_events(struct pt_tracing *t, struct pt_bytes *b,
					   const char *system)
{
	uint32_t i, n = pt_bytes_u32(b);

	for (i = 0; i < n && !b->bad; i++) {
		uint64_t size = pt_bytes_u64(b);
		const char *text = sized(b, size);

		if (text && t->db->nr < MAX_EVENTS &&
		    pt_tp_db_add_format(t->db, system, text, (size_t)size,
					t->bad ? NULL : &t->first_bad) < 0)
			t->bad++;
	}
}

static void read_systems(struct pt_tracing *t, struct pt_bytes *b)
{
	uint32_t n = pt_bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *system = pt_bytes_str(b, MAX_NAME);

		tracepoint_tracing_read_events(t, b, system);
	}
}

int pt_tracing_read_part(struct pt_tracing *t, enum pt_tracing_part part, struct pt_bytes *b,
			 struct pt_err *e)
{
	struct pt_err why = PT_ERR_INIT;
	const char *text;
	uint64_t size;

	switch (part) {
	case PT_TRACING_HEADERS: read_headers(t, b, &why); break;
	case PT_TRACING_FTRACE: tracepoint_tracing_read_events(t, b, "ftrace"); break;
	case PT_TRACING_EVENTS: read_systems(t, b); break;
	default:
		size = part == PT_TRACING_CMDLINES ? pt_bytes_u64(b) : pt_bytes_u32(b);
		text = sized(b, size);
		if (text && part == PT_TRACING_KALLSYMS)
			pt_tp_db_add_kallsyms(t->db, text, (size_t)size);
		else if (text && part == PT_TRACING_PRINTK)
			pt_tp_db_add_printk(t->db, text, (size_t)size);
		else if (text)
			t->cmdlines = text, t->cmdlines_len = (size_t)size;
	}
	if (!b->bad)
		return 0;
	return pt_err_set(e, "%s", *why.msg ? why.msg : "tracing data is cut short");
}

int pt_tracing_check(const struct pt_tracing *t, struct pt_err *e)
{
	if (!t->bad)
		return 0;
	return pt_err_set(e, "tracing data: %u format%s cannot be read, the first: %s", t->bad,
			  t->bad > 1 ? "s" : "", t->first_bad.msg);
}

int pt_tp_db_add_tracing_data(struct pt_tp_db *db, const void *data, size_t len, struct pt_err *e)
{
	struct pt_bytes b = pt_bytes(data, len, false);
	struct pt_tracing t = { .db = db, .first_bad = PT_ERR_INIT };
	int parts = PT_TRACING_NR;

	if (pt_tracing_read_header(&t, &b, e) < 0)
		return -1;
	if (t.version[0] != '0' || t.version[1] != '.' || t.version[2] < '0' ||
	    t.version[2] > '6' || t.version[3])
		return pt_err_set(e, "tracing data has version %s, known are up to 0.6", t.version);
	db->swap = t.swap;
	db->long_bytes = t.long_bytes;
	if (t.version[2] < '6')
		parts = PT_TRACING_CMDLINES;
	for (int part = 0; part < parts; part++)
		if (pt_tracing_read_part(&t, (enum pt_tracing_part)part, &b, e) < 0)
			return -1;
	return pt_tracing_check(&t, e);
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
