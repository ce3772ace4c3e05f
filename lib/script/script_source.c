/* The field srccode: text of the source. */
#include <string.h>

#include "elf/sourcetext.h"
#include "script/script_priv.h"

enum { MAX_SOURCES = 256 };	/* that are kept open */

static const uint64_t none = 1;	/* in the map: it was not found */

void pt_script_sources_free(struct pt_script *s)
{
	struct pt_map_slot *slot;

	for (size_t i = 0; (slot = pt_map_each(&s->sources, &i));)
		if (slot->value != none)
			pt_source_text_free(pt_pointer(slot->value));
	pt_map_deinit(&s->sources);
}

static const struct pt_source_text *
script_source_source_of(struct pt_script *s, const struct pt_place_at *at, const char *file)
{
	uint64_t key = pt_hash_bytes(file, strlen(file)), *text;
	struct pt_frames_code code;
	const char *why;

	if (s->sources.nr >= MAX_SOURCES && !pt_map_get(&s->sources, key))
		pt_script_sources_free(s);
	text = pt_map_put(&s->sources, key);
	if (!*text && pt_frames_code(s->frames, at, &code, &why))
		*text = pt_word_of(pt_source_text_open(code.object, NULL, file));
	if (!*text)
		*text = none;
	return *text == none ? NULL : pt_pointer(*text);
}

void pt_script_source_line(struct pt_script *s, const struct pt_record *rec, uint64_t addr,
			   struct pt_buf *b)
{
	const struct pt_place_at *at = pt_script_place(s, rec, addr);
	const struct pt_source_text *text;
	struct pt_frames_source x;
	const char *line;
	uint64_t *last, now;
	size_t from = b->len, len;

	if (!pt_frames_source(s->frames, at, pt_frames_address(at).vaddr, &x) || !x.file)
		return;
	now = pt_hash_bytes(x.file, strlen(x.file)) ^ x.line;
	last = pt_map_put(&s->last_lines, rec->tid);
	if (*last == now)
		return;
	text = script_source_source_of(s, at, x.file);
	line = text ? pt_source_text_line(text, x.line, &len) : NULL;
	if (!line)
		return;
	*last = now;
	pt_buf_putc(b, '|');
	pt_buf_dec(b, x.line);
	pt_buf_pad_right(b, from, 9);
	pt_buf_putc(b, ' ');
	pt_source_text_add(b, line, len, "\t");
	pt_buf_putc(b, '\n');
}
