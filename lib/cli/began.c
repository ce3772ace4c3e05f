#include "cli/began.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "syscall/spec.h"

/* More different starts than that have no note, and more requests than that no inserter. */
enum { MAX_NOTES = 1 << 16, MAX_INSERTED = 1 << 20, NO_FD = UINT16_MAX };

/* A note is text: who inserted the request, if another task issued it, or the call's first
 * argument; then, each behind a newline, the functions of the stack, innermost first. */
struct pt_began {
	bool stacks, some_stack;
	struct pt_analysis *an;
	struct pt_names *names;
	size_t nr_notes;
	struct pt_map inserted;		/* hash of device and sector: the inserter's text */
	struct pt_buf text;
};

struct pt_began *pt_began_new(struct pt_analysis *an, bool stacks)
{
	struct pt_began *b = pt_alloc(sizeof(*b));

	b->an = an;
	b->stacks = stacks;
	b->names = pt_names_new();
	return b;
}

void pt_began_free(struct pt_began *b)
{
	if (!b)
		return;
	pt_names_free(b->names);
	pt_map_deinit(&b->inserted);
	pt_buf_deinit(&b->text);
	free(b);
}

/* A number of the event; 0: it has no such field. */
static uint64_t began_number(const struct pt_record *rec, const char *field)
{
	const struct pt_tp_field *f = pt_tp_field(rec->event->tp, field);
	uint64_t v = 0;

	if (f)
		pt_tp_value(f, rec->sample.raw, rec->sample.raw_len, rec->swap, &v);
	return v;
}

static uint64_t request_key(const struct pt_record *rec)
{
	return pt_hash64(began_number(rec, "dev")) ^ began_number(rec, "sector");
}

static bool is_sample_of(const struct pt_record *rec, const char *name)
{
	return rec->type == PERF_RECORD_SAMPLE && rec->event && rec->event->tp &&
	       rec->has & PERF_SAMPLE_RAW && !strcmp(rec->event->tp->name, name);
}

/* Interns b->text; NULL: there are too many. */
static const char *keep_text(struct pt_began *b)
{
	const char *known = pt_names_find(b->names, pt_buf_str(&b->text), SIZE_MAX);

	if (known)
		return known;
	if (b->nr_notes >= MAX_NOTES)
		return NULL;
	b->nr_notes++;
	return pt_names_add(b->names, pt_buf_str(&b->text), b->text.len);
}

static void add_stack(struct pt_began *b, const struct pt_record *rec)
{
	const struct pt_named_frame *frames;
	struct pt_frames_how how;
	size_t nr = pt_frames_of(b->an->frames, rec, &frames, &how);

	if (how.ip_alone)
		return;
	b->some_stack |= nr;
	for (size_t i = 0; i < nr; i++) {
		const struct pt_named_frame *f = &frames[i];

		pt_buf_puts(&b->text, f->name || f->module ? "\n" : "\n[unknown]");
		pt_text_puts(&b->text, f->name ? f->name : f->module ? f->module : "");
		if (f->kind == PT_FRAME_INLINED)
			pt_buf_puts(&b->text, " (inlined)");
	}
}

void pt_began_see(struct pt_began *b, const struct pt_record *rec)
{
	const struct pt_tp_field *comm;
	const void *name;
	size_t len;

	if (!is_sample_of(rec, "block_rq_insert") || !(rec->has & PERF_SAMPLE_TID))
		return;
	if (b->inserted.nr >= MAX_INSERTED)
		pt_map_clear(&b->inserted);
	pt_buf_clear(&b->text);
	pt_buf_dec(&b->text, rec->tid);
	comm = pt_tp_field(rec->event->tp, "comm");
	if (comm &&
	    pt_tp_data(comm, rec->sample.raw, rec->sample.raw_len, rec->swap, &name, &len)) {
		pt_buf_putc(&b->text, ' ');
		pt_text_plain(&b->text, name, len);
	}
	if (b->stacks)
		add_stack(b, rec);
	*pt_map_put(&b->inserted, request_key(rec)) = pt_word_of(keep_text(b));
}

/* Of the event of any call (its six arguments are an array), or of one call's own event. */
static uint64_t first_argument(const struct pt_record *rec)
{
	const struct pt_tp *tp = rec->event->tp;
	const struct pt_tp_field *f = pt_tp_field(tp, "args");
	uint32_t size = f ? f->size_bytes / 6 : 0;

	for (size_t i = tp->nr_common; i < tp->nr_fields && !size; i++)
		if (strcmp(tp->fields[i].name, "__syscall_nr")) {
			f = &tp->fields[i];
			size = f->size_bytes;
		}
	if (!pt_is_number_size(size) || f->off + (size_t)size > rec->sample.raw_len)
		return UINT64_MAX;
	return pt_load_number((const uint8_t *)rec->sample.raw + f->off, size, false, rec->swap);
}

const void *pt_began_note(void *began, const struct pt_record *rec)
{
	struct pt_began *b = began;
	const char *inserter = NULL;

	if (is_sample_of(rec, "block_rq_issue")) {
		inserter = pt_map_get_pointer(&b->inserted, request_key(rec));
		pt_map_del(&b->inserted, request_key(rec));
	}
	if (inserter && strtoul(inserter, NULL, 10) != rec->tid)
		return inserter;
	pt_buf_clear(&b->text);
	if (rec->event && rec->event->tp && !strncmp(rec->event->tp->name, "sys_enter", 9))
		pt_buf_dec(&b->text, PT_MIN(first_argument(rec), (uint64_t)NO_FD));
	if (b->stacks)
		add_stack(b, rec);
	return b->text.len ? keep_text(b) : NULL;
}

/* The descriptor; -1: the call has none as its first argument. */
static int began_fd(const struct pt_latency *lat)
{
	const char *text = lat->began;
	struct pt_spec spec;
	long fd;

	if (!text || !lat->name || !pt_spec_parse(lat->name, NULL, &spec) || !spec.nr ||
	    !spec.args[0].type || strcmp(spec.args[0].type->name, "fd"))
		return -1;
	fd = strtol(text, NULL, 10);
	return fd < NO_FD ? (int)fd : -1;
}

/* False: it is not known. */
static bool path_of(const struct pt_began *b, const struct pt_latency *lat, int fd,
		    char path[PATH_MAX])
{
	char *link = pt_asprintf("/proc/%u/fd/%d", lat->tid, fd);
	ssize_t n = b->an && b->an->live ? readlink(link, path, PATH_MAX - 1) : -1;

	free(link);
	path[PT_MAX(n, 0)] = '\0';
	return n > 0;
}

/* Who put a request into the queue, if that is not who issued it. */
static size_t inserter_of(const struct pt_latency *lat)
{
	return lat->began && lat->dev ? strcspn(lat->began, "\n") : 0;
}

void pt_began_words(const struct pt_began *b, const struct pt_latency *lat, struct pt_buf *out)
{
	int fd = began_fd(lat);
	char path[PATH_MAX];

	if (fd >= 0)
		pt_buf_printf(out, " fd %d", fd);
	if (fd >= 0 && path_of(b, lat, fd, path)) {
		pt_buf_puts(out, " <");
		pt_text_puts(out, path);
		pt_buf_putc(out, '>');
	}
	if (inserter_of(lat))
		pt_buf_printf(out, " inserted by %.*s", (int)inserter_of(lat),
			      (const char *)lat->began);
}

bool pt_began_some_stack(const struct pt_began *b)
{
	return b->some_stack;
}

static const char *next_function(const char *text, size_t *len)
{
	text = text ? strchr(text, '\n') : NULL;
	*len = text ? strcspn(text + 1, "\n") : 0;
	return text ? text + 1 : NULL;
}

void pt_began_stack(const struct pt_latency *lat, struct pt_buf *out)
{
	size_t len;

	for (const char *f = next_function(lat->began, &len); f; f = next_function(f, &len))
		pt_buf_printf(out, "#     %.*s\n", (int)len, f);
}

void pt_began_json(const struct pt_began *b, const struct pt_latency *lat, struct pt_buf *out)
{
	int fd = began_fd(lat);
	char path[PATH_MAX];
	const char *f;
	size_t len;

	if (fd >= 0)
		pt_json_s64(out, "fd", fd);
	if (fd >= 0 && path_of(b, lat, fd, path))
		pt_json_str(out, "path", path);
	if (inserter_of(lat))
		pt_json_strn(out, "inserted_by", lat->began, inserter_of(lat));
	f = next_function(lat->began, &len);
	if (!f)
		return;
	pt_json_open(out, "stack", '[');
	for (; f; f = next_function(f, &len))
		pt_json_strn(out, NULL, f, len);
	pt_json_close(out, ']');
}
