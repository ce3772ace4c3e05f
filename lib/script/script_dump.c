/* Records as perf's --dump-raw-trace prints them: their bytes, then what they say. */
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/text.h"
#include "script/script_priv.h"

enum { ROW_BYTES = 16, THREAD_NAME_BYTES = 16 };

void pt_script_bytes(struct pt_buf *b, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < ROW_BYTES; i++)
		if (i < len)
			pt_buf_printf(b, " %02x", p[i]);
		else
			pt_buf_puts(b, "   ");
	pt_buf_puts(b, "  ");
	for (size_t i = 0; i < PT_MIN(len, (size_t)ROW_BYTES); i++)
		pt_buf_putc(b, p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
}

static void script_dump_add_stamp(struct pt_buf *b, const struct pt_record *rec)
{
	if (rec->has & PERF_SAMPLE_CPU)
		pt_buf_printf(b, "%u ", rec->cpu);
	if (rec->has & PERF_SAMPLE_TIME)
		pt_buf_printf(b, "%llu ", (unsigned long long)rec->time_ns);
}

/* An entry for each event id; a second list, of guests, may follow. */
static void add_id_index(struct pt_bytes *at, struct pt_buf *b)
{
	uint64_t nr = pt_bytes_u64(at);

	pt_buf_printf(b, " nr: %llu", (unsigned long long)nr);
	for (; nr && pt_bytes_left(at) >= 4 * sizeof(uint64_t); nr--) {
		unsigned long long id = pt_bytes_u64(at), index = pt_bytes_u64(at);
		long long cpu = (int64_t)pt_bytes_u64(at), tid = (int64_t)pt_bytes_u64(at);

		pt_buf_printf(b, "\n ... id: %llu  idx: %llu  cpu: %lld  tid: %lld", id, index, cpu,
			      tid);
	}
}

static void add_thread_map(struct pt_bytes *at, struct pt_buf *b)
{
	uint64_t nr = pt_bytes_u64(at);
	const char *separator = "";

	pt_buf_printf(b, " nr: %llu thread%s: ", (unsigned long long)nr, nr == 1 ? "" : "s");
	for (; nr && pt_bytes_left(at) >= sizeof(uint64_t) + THREAD_NAME_BYTES; nr--) {
		pt_buf_printf(b, "%s%lld", separator, (long long)pt_bytes_u64(at));
		pt_bytes_take(at, THREAD_NAME_BYTES);
		separator = ", ";
	}
}

static void add_event_update(struct pt_bytes *at, struct pt_buf *b)
{
	static const char *const names[] = { "unit: ", "scale:", "name: " };
	enum { UNIT, SCALE, NAME };
	uint64_t kind = pt_bytes_u64(at), bits;
	double scale;

	pt_buf_printf(b, "\n... id:    %llu", (unsigned long long)pt_bytes_u64(at));
	if (kind > NAME)
		return;
	pt_buf_printf(b, "\n... %s ", names[kind]);
	if (kind == SCALE) {
		bits = pt_bytes_u64(at);
		memcpy(&scale, &bits, sizeof(scale));
		pt_buf_printf(b, "%f", scale);
	} else {
		pt_text_puts(b, pt_bytes_str(at, SIZE_MAX));
	}
}

static void add_time_conv(struct pt_bytes *at, struct pt_buf *b)
{
	unsigned long long shift = pt_bytes_u64(at), mult = pt_bytes_u64(at),
			   zero = pt_bytes_u64(at);

	pt_buf_printf(b, "\n... Time Shift      %llu\n... Time Multiplier %llu\n... Time Zero       %llu",
		      shift, mult, zero);
}

/* Records of perf's own, and of the kernel's those that say nothing beside their bytes here. */
static void script_dump_add_named(const struct pt_record *rec, struct pt_buf *b)
{
	static const char header[] = "HEADER_";	/* not in the names that perf prints */
	struct pt_bytes at = pt_bytes(rec->data + PT_HEADER_BYTES, rec->len_bytes - PT_HEADER_BYTES,
				      rec->swap);
	const char *name = pt_record_type_name(rec->type);

	pt_buf_puts(b, strncmp(name, header, strlen(header)) ? name : name + strlen(header));
	switch (rec->type) {
	case PT_RECORD_ID_INDEX: add_id_index(&at, b); break;
	case PT_RECORD_THREAD_MAP: add_thread_map(&at, b); break;
	case PT_RECORD_EVENT_UPDATE: add_event_update(&at, b); break;
	case PT_RECORD_TIME_CONV: add_time_conv(&at, b); break;
	}
}

void pt_script_dump(const struct pt_record *rec, struct pt_buf *b)
{
	const struct pt_sample *s = &rec->sample;

	pt_buf_printf(b, "\n%#llx@", (unsigned long long)rec->off);
	pt_text_puts(b, rec->source ? rec->source : "live");
	pt_buf_printf(b, " [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n", rec->len_bytes,
		      rec->type, rec->len_bytes);
	for (size_t i = 0; i < rec->len_bytes; i += ROW_BYTES) {
		size_t len = rec->len_bytes - i;

		pt_buf_printf(b, ".  %04zx: ", i);
		pt_script_bytes(b, rec->data + i, len);
		if (len < ROW_BYTES)
			pt_buf_fill(b, ' ', ROW_BYTES - len);
		pt_buf_putc(b, '\n');
	}
	pt_buf_putc(b, '\n');
	script_dump_add_stamp(b, rec);
	pt_buf_printf(b, "%#llx [%#x]: PERF_RECORD_", (unsigned long long)rec->off, rec->len_bytes);
	if (rec->type == PERF_RECORD_SAMPLE)
		pt_buf_printf(b, "SAMPLE(IP, %#x): %d/%d: %#llx period: %llu addr: %#llx",
			      rec->misc, (int)rec->pid, (int)rec->tid, (unsigned long long)s->ip,
			      (unsigned long long)pt_script_period(rec),
			      (unsigned long long)s->addr);
	else if (rec->type > PT_RECORD_BPF_METADATA)
		pt_buf_dec(b, rec->type);
	else if (!pt_script_side_text(rec, b))
		script_dump_add_named(rec, b);
	pt_buf_putc(b, '\n');
}
