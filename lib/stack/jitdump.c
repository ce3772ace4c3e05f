#include "stack/jitdump.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "unwind/cfi.h"

enum {
	MAGIC = 0x4a695444,
	HEADER = 40,
	RECORD = 16,
	ARCH_CLOCK = 1,
	MAX_UNWIND = 1 << 20,
	MAX_CODE = 16 << 20
};
enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING };

struct part { uint64_t off, bytes; };	/* of the file */

struct extra {				/* of a code, by its number */
	struct part code, unwinding, lines;
	uint64_t header;		/* bytes of unwinding data that are not frames */
	/* the code's address when its lines were written */
	uint64_t lines_at;
	uint64_t nr_lines;
	struct pt_object *object;
	uint8_t *image;			/* the object's bytes */
	bool tried;
};

struct pt_jitdump {
	const uint8_t *data;
	uint64_t len, at;
	bool begun, swap, closed, stopped;
	uint16_t machine;
	uint64_t flags, last_ns;
	int64_t offset_ns;		/* pt_jitdump_offset() */
	struct pt_jitcodes *codes;
	struct extra *extra;
	size_t cap_extra;
	struct pt_map by_index;		/* code_index -> number of its last place, + 1 */
	struct extra next;		/* of the next function */
	struct pt_jitdump_counts counts;
};

struct pt_jitdump *pt_jitdump_new(void)
{
	struct pt_jitdump *d = pt_alloc(sizeof(*d));

	d->codes = pt_jitcodes_new();
	return d;
}

void pt_jitdump_limit(struct pt_jitdump *d, struct pt_budget *b)
{
	pt_jitcodes_limit(d->codes, b);
}

void pt_jitdump_free(struct pt_jitdump *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < pt_jitcodes_nr(d->codes); i++) {
		pt_object_put(d->extra[i].object);
		free(d->extra[i].image);
	}
	pt_jitcodes_free(d->codes);
	pt_map_deinit(&d->by_index);
	free(d->extra);
	free(d);
}

static int jitdump_read_header(struct pt_jitdump *d, struct pt_err *e)
{
	struct pt_bytes b = pt_bytes(d->data, d->len, false);
	uint32_t magic, version, bytes;

	if (d->len < HEADER)
		return 0;
	magic = pt_bytes_u32(&b);
	d->swap = b.swap = magic == __builtin_bswap32(MAGIC);
	version = pt_bytes_u32(&b);
	bytes = pt_bytes_u32(&b);
	d->machine = (uint16_t)pt_bytes_u32(&b);
	pt_bytes_take(&b, 16);
	d->flags = pt_bytes_u64(&b);
	if (magic != MAGIC && !d->swap)
		return pt_err_set(e, "no jitdump: it begins otherwise");
	if (!version || version > 2 || bytes < HEADER)
		return pt_err_set(
			e, "a jitdump of version %u, whose header has %u bytes: not known here",
			version, bytes);
	d->at = bytes;
	d->begun = true;
	return 1;
}

static struct part jitdump_part_of(const struct pt_jitdump *d, struct pt_bytes *b, uint64_t bytes)
{
	const uint8_t *p = pt_bytes_take(b, bytes);

	return p ? (struct part){ (uint64_t)(p - d->data), bytes } : (struct part){ 0, 0 };
}

static void set_extra(struct pt_jitdump *d, int64_t i, const struct extra *x)
{
	PT_GROW(d->extra, (size_t)i, d->cap_extra);
	d->extra[i] = *x;
}

static bool read_load(struct pt_jitdump *d, struct pt_bytes *b, uint64_t time_ns)
{
	uint64_t addr, bytes, index;
	struct extra x = d->next;
	const char *name;
	int64_t i;

	d->next = (struct extra){ .tried = false };
	pt_bytes_take(b, 16);		/* pid, tid, vma */
	addr = pt_bytes_u64(b);
	bytes = pt_bytes_u64(b);
	index = pt_bytes_u64(b);
	name = (const char *)b->at;
	pt_bytes_str(b, SIZE_MAX);
	if (b->bad)
		return false;
	i = pt_jitcodes_add(d->codes, addr, bytes, time_ns, name,
			    (size_t)(b->at - (const uint8_t *)name));
	if (i == PT_JIT_NONE)
		return !bytes;		/* empty functions are allowed */
	if (bytes <= pt_bytes_left(b))
		x.code = jitdump_part_of(d, b, bytes);
	set_extra(d, i, &x);
	*pt_map_put(&d->by_index, index) = (uint64_t)i + 1;
	d->counts.loads++;
	return true;
}

static bool read_move(struct pt_jitdump *d, struct pt_bytes *b, uint64_t time_ns)
{
	uint64_t from, to, bytes, index, *known;
	const struct pt_jitcode *old;
	struct extra x;
	int64_t i;

	pt_bytes_take(b, 16);		/* pid, tid, vma */
	from = pt_bytes_u64(b);
	to = pt_bytes_u64(b);
	bytes = pt_bytes_u64(b);
	index = pt_bytes_u64(b);
	known = pt_map_get(&d->by_index, index);
	old = known ? pt_jitcodes_at(d->codes, *known - 1) : NULL;
	if (b->bad || !old || old->start != from || !bytes || bytes > old->end - old->start)
		return false;
	x = d->extra[*known - 1];
	x.object = NULL;
	x.image = NULL;
	x.tried = false;
	pt_jitcodes_end(d->codes, *known - 1, time_ns);
	i = pt_jitcodes_add(d->codes, to, bytes, time_ns, old->name, SIZE_MAX);
	if (i == PT_JIT_NONE)
		return false;
	x.code.bytes = PT_MIN(x.code.bytes, bytes);
	set_extra(d, i, &x);
	*known = (uint64_t)i + 1;
	d->counts.moves++;
	return true;
}

static bool jitdump_read_lines(struct pt_jitdump *d, struct pt_bytes *b)
{
	d->next.lines_at = pt_bytes_u64(b);
	d->next.nr_lines = pt_bytes_u64(b);
	d->next.lines = jitdump_part_of(d, b, pt_bytes_left(b));
	return !b->bad;
}

static bool read_unwinding(struct pt_jitdump *d, struct pt_bytes *b)
{
	uint64_t all = pt_bytes_u64(b), header = pt_bytes_u64(b);

	pt_bytes_u64(b);		/* the mapped part */
	d->next.unwinding = (struct part){ 0, 0 };
	if (b->bad || header > all || all > pt_bytes_left(b) || all > MAX_UNWIND)
		return false;
	/* a header alone has no rules: use frame pointers */
	if (all > header)
		d->next.unwinding = jitdump_part_of(d, b, all);
	d->next.header = header;
	return true;
}

static bool read_record(struct pt_jitdump *d, uint32_t id, uint64_t time_ns, struct pt_bytes *b)
{
	switch (id) {
	case LOAD: return read_load(d, b, time_ns);
	case MOVE: return read_move(d, b, time_ns);
	case DEBUG_INFO: return jitdump_read_lines(d, b);
	case UNWINDING: return read_unwinding(d, b);
	case CLOSE: d->closed = true; return true;
	}
	return true;			/* of a later version: skipped by its length */
}

static uint64_t host_time(const struct pt_jitdump *d, uint64_t time_ns)
{
	if (d->offset_ns > 0 && time_ns < (uint64_t)d->offset_ns)
		return 0;
	return time_ns - (uint64_t)d->offset_ns;
}

int pt_jitdump_read(struct pt_jitdump *d, const void *data, size_t len, struct pt_err *e)
{
	int rc;
	bool more = false;

	d->data = data;
	d->len = len;
	if (!d->begun && (rc = jitdump_read_header(d, e)) <= 0)
		return rc;
	while (!d->stopped && !d->closed && d->at <= len && len - d->at >= RECORD) {
		struct pt_bytes b = pt_bytes(d->data + d->at, len - d->at, d->swap), body;
		uint32_t id = pt_bytes_u32(&b), bytes = pt_bytes_u32(&b);
		uint64_t time_ns = pt_bytes_u64(&b);

		if (bytes < RECORD) {
			d->stopped = bytes || id;	/* zeros may be unwritten yet */
			d->counts.bad += d->stopped;
			break;
		}
		if (bytes > len - d->at)
			break;
		if (!pt_jitdump_arch_clock(d))
			time_ns = host_time(d, time_ns);
		body = pt_bytes_sub(&b, bytes - RECORD);
		d->counts.bad += !read_record(d, id, time_ns, &body);
		d->last_ns = PT_MAX(d->last_ns, time_ns);
		d->at += bytes;
		more = true;
	}
	return more;
}

void pt_jitdump_offset(struct pt_jitdump *d, int64_t offset_ns)
{
	d->offset_ns = offset_ns;
}

bool pt_jitdump_arch_clock(const struct pt_jitdump *d)
{
	return d->flags & ARCH_CLOCK;
}

uint64_t pt_jitdump_last_ns(const struct pt_jitdump *d)
{
	return d->last_ns;
}

bool pt_jitdump_closed(const struct pt_jitdump *d)
{
	return d->closed || d->stopped;
}

int64_t pt_jitdump_find(const struct pt_jitdump *d, uint64_t addr, uint64_t time_ns, bool *others)
{
	return pt_jitcodes_find(d->codes, addr, time_ns, others);
}

const struct pt_jitcode *pt_jitdump_code(const struct pt_jitdump *d, size_t i)
{
	return pt_jitcodes_at(d->codes, i);
}

struct pt_jitdump_counts pt_jitdump_counts(const struct pt_jitdump *d)
{
	return d->counts;
}

static const uint8_t *jitdump_bytes_of(const struct pt_jitdump *d, const struct part *p)
{
	return p->bytes && p->off <= d->len && p->bytes <= d->len - p->off ? d->data + p->off
									   : NULL;
}

/* Contrary to the specification, all writers put frames in front of their header, and the code's
 * address is the next multiple of 8 or 16 behind the code, or directly behind it. The right layout
 * is the one whose only entry leads to the code. */
struct pt_object *pt_jitdump_object(struct pt_jitdump *d, size_t i, uint16_t machine)
{
	static const struct {
		uint64_t align;
		bool header_first;
	} layouts[] = { { 8, false }, { 16, false }, { 1, false }, { 8, true } };
	const struct pt_jitcode *c = pt_jitcodes_at(d->codes, i);
	const uint8_t *code, *frames;
	uint64_t start, end, at, bytes;
	struct extra *x;
	size_t n;

	if (!c)
		return NULL;
	x = &d->extra[i];
	if (x->tried)
		return x->object;
	x->tried = true;
	code = jitdump_bytes_of(d, &x->code);
	frames = jitdump_bytes_of(d, &x->unwinding);
	if (d->swap || !code || x->code.bytes > MAX_CODE)
		return NULL;
	/* copies: the file may change */
	bytes = frames ? x->unwinding.bytes : 0;
	x->image = pt_alloc(x->code.bytes + bytes);
	memcpy(x->image, code, x->code.bytes);
	if (frames)
		memcpy(x->image + x->code.bytes, frames, bytes);
	for (n = 0; n < PT_NR(layouts); n++) {
		uint64_t skip = layouts[n].header_first ? x->header : 0;

		pt_object_put(x->object);
		at = ((PT_JITDUMP_VADDR + x->code.bytes + layouts[n].align - 1) &
		      ~(layouts[n].align - 1)) +
		     skip;
		x->object = pt_object_of_code(
			x->image, x->code.bytes, PT_JITDUMP_VADDR,
			d->machine ? d->machine : machine,
			&(struct pt_section){ .data = x->image + x->code.bytes + skip,
					      .len_bytes = frames ? bytes - x->header : 0,
					      .vaddr = at },
			c->name);
		if (!frames ||
		    (pt_cfi_range(x->object, PT_JITDUMP_VADDR, &start, &end) &&
		     start == PT_JITDUMP_VADDR))
			break;
	}
	return x->object;
}

static bool jitdump_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < ' ')
			return false;
	return len;
}

bool pt_jitdump_line(const struct pt_jitdump *d, size_t i, uint64_t addr, const char **file,
		     size_t *file_len, uint32_t *line)
{
	const struct pt_jitcode *c = pt_jitcodes_at(d->codes, i);
	const struct extra *x = c ? &d->extra[i] : NULL;
	const uint8_t *p = x ? jitdump_bytes_of(d, &x->lines) : NULL;
	const char *last_name = NULL, *name;
	uint64_t n, at, best = 0, want = p ? addr - c->start + x->lines_at : 0;
	size_t last_len = 0, len;
	struct pt_bytes b;
	bool found = false;

	if (!p)
		return false;
	b = pt_bytes(p, x->lines.bytes, d->swap);
	for (n = 0; n < x->nr_lines; n++) {
		uint32_t number;

		at = pt_bytes_u64(&b);
		number = pt_bytes_u32(&b);
		pt_bytes_u32(&b);	/* the column */
		name = (const char *)b.at;
		pt_bytes_str(&b, SIZE_MAX);
		if (b.bad)
			break;
		len = (size_t)((const char *)b.at - name) - 1;
		if (len == 1 && name[0] == (char)0xff)	/* same as the previous one */
			name = last_name, len = last_len;
		/* V8 writes other memory where a script's name is in a string of its embedder's */
		if (!jitdump_is_name(name, len))
			return false;
		last_name = name;
		last_len = len;
		if (at <= want && (!found || at >= best)) {
			found = true;
			best = at;
			*file = name;
			*file_len = len;
			*line = number;
		}
	}
	return found && *file;
}
