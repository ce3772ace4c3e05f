#include "dwarf/dwarf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>
#ifdef PT_WITH_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "base/mem.h"
#include "elf/packed.h"

enum { UNPACK_STEP = 256 << 10, STRING_STEP = 1024, MAX_STRING = 1 << 20 };

/* libdeflate takes half of zlib's time, but unpacks all or nothing: it is used if the section is
 * small or a quarter of it is needed. */
enum { WHOLE_BYTES = 8 << 20, WHOLE_SHARE = 4 };

enum { PAID_AT_ONCE = 1 << 20 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* Linux 5.14 */
#endif

struct pt_dw_packed {
	bool zstd;
	z_stream z;
	ZSTD_DStream *s;
	ZSTD_inBuffer in;		/* for zlib from behind its header on */
	bool tried;			/* to unpack all at once */
	uint8_t *out;			/* a mapping as long as the section will be */
	uint64_t len;
};

static const char *const names[PT_DW_NR_SECTIONS] = {
	[PT_DW_INFO] = "info", [PT_DW_TYPES] = "types",       [PT_DW_ABBREV] = "abbrev",
	[PT_DW_STR] = "str",   [PT_DW_LINE_STR] = "line_str", [PT_DW_STR_OFFSETS] = "str_offsets",
	[PT_DW_ADDR] = "addr", [PT_DW_RNGLISTS] = "rnglists", [PT_DW_RANGES] = "ranges",
	[PT_DW_LINE] = "line", [PT_DW_ARANGES] = "aranges",   [PT_DW_CU_INDEX] = "cu_index",
	[PT_DW_LOC] = "loc",   [PT_DW_LOCLISTS] = "loclists",
};

/* Frees what unpacking takes, and with `data` the section, too. */
static void packed_free(struct pt_dw_section *s, bool data)
{
	struct pt_dw_packed *p = s->packed;

	if (!p)
		return;
	if (p->zstd)
		ZSTD_freeDStream(p->s);
	else
		inflateEnd(&p->z);
	p->s = NULL;
	p->z = (z_stream){ .zalloc = NULL };
	if (!data)
		return;
	munmap(p->out, p->len);
	free(p);
	*s = (struct pt_dw_section){ .data = NULL };
}

static void packed_new(struct pt_dwarf *d, struct pt_dw_section *s, const uint8_t *data,
		       uint64_t in_bytes, uint64_t len, bool zstd)
{
	struct pt_dw_packed *p;
	void *out;

	if (!len || !pt_packed_sane(in_bytes, len) || len > d->unpack_left)
		return;
	out = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (out == MAP_FAILED)
		return;
	madvise(out, len, MADV_HUGEPAGE);
	d->unpack_left -= len;
	d->budget += len * 4;
	p = pt_alloc(sizeof(*p));
	*p = (struct pt_dw_packed){ .zstd = zstd, .out = out, .len = len };
	*s = (struct pt_dw_section){ out, len, 0, p };
	if (zstd) {
		p->s = ZSTD_createDStream();
		p->in = (ZSTD_inBuffer){ data, in_bytes, 0 };
	} else { /* without zlib's header there is no checksum, which takes a sixth of the time */
		p->in = (ZSTD_inBuffer){ data + 2, in_bytes - 2, 0 };
		p->z.next_in = (uint8_t *)data + 2;
		p->z.avail_in = (unsigned)PT_MIN(in_bytes - 2, (uint64_t)UINT32_MAX);
	}
	if (zstd ? !p->s : inflateInit2(&p->z, -MAX_WBITS) != Z_OK)
		packed_free(s, true);
}

/* Unpacks a whole zlib section. False: it is damaged (zlib finds how far it is good), or libdeflate
 * is not built in. */
static bool unpack_whole(struct pt_dw_section *s)
{
#ifdef PT_WITH_LIBDEFLATE
	struct pt_dw_packed *p = s->packed;
	struct libdeflate_decompressor *x = libdeflate_alloc_decompressor();
	size_t nr = 0;

	p->tried = true;
	madvise(p->out, p->len, MADV_POPULATE_WRITE);	/* all pages at once */
	if (x &&
	    libdeflate_deflate_decompress(x, p->in.src, p->in.size, p->out, p->len, &nr) ==
		    LIBDEFLATE_SUCCESS &&
	    nr == p->len)
		s->ready = s->len;
	libdeflate_free_decompressor(x);
	return s->ready == p->len;
#else
	s->packed->tried = true;
	return false;
#endif
}

uint64_t pt_dw_need(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t to)
{
	struct pt_dw_section *s = &f->sections[id];
	struct pt_dw_packed *p = s->packed;

	to = PT_MIN(to, s->len);
	if (s->ready >= to || !p || (!p->s && p->zstd) || (!p->zstd && !p->z.state))
		return PT_MIN(s->ready, s->len);
	to = PT_MIN((to + UNPACK_STEP - 1) / UNPACK_STEP * UNPACK_STEP, s->len);
	if (!pt_dw_take(f, to - s->ready)) {
		s->len = s->ready;
		packed_free(s, false);
		return s->ready;
	}
	if (!p->zstd && !p->tried && (s->len <= WHOLE_BYTES || to > s->len / WHOLE_SHARE) &&
	    unpack_whole(s))
		to = s->ready;
	while (s->ready < to) {
		uint64_t before = s->ready, step = PT_MIN(to - before, (uint64_t)1 << 30);
		bool end;

		if (p->zstd) {
			ZSTD_outBuffer out = { p->out + before, step, 0 };
			size_t rc = ZSTD_decompressStream(p->s, &out, &p->in);

			end = ZSTD_isError(rc) || (!out.pos && p->in.pos == p->in.size);
			s->ready += out.pos;
		} else {
			p->z.next_out = p->out + before;
			p->z.avail_out = (unsigned)step;
			end = inflate(&p->z, Z_NO_FLUSH) != Z_OK;
			s->ready += step - p->z.avail_out;
		}
		if (end || s->ready == before)
			break;
	}
	if (s->ready < to)
		s->len = s->ready;	/* damaged: this is all there is */
	if (s->ready == s->len)
		packed_free(s, false);
	return s->ready;
}

struct pt_bytes pt_dw_bytes(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off,
			    uint64_t want)
{
	const struct pt_dw_section *s = &f->sections[id];
	uint64_t to = off + want < off ? UINT64_MAX : off + want, ready = pt_dw_need(f, id, to);
	struct pt_bytes b;

	if (off > ready || !s->data) {
		b = pt_bytes("", 0, f->swap);
		b.bad = true;
		return b;
	}
	return pt_bytes(s->data + off, PT_MIN(ready, to) - off, f->swap);
}

const char *pt_dw_string_at(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off)
{
	uint64_t step;

	for (step = STRING_STEP; step <= MAX_STRING; step *= 32) {
		struct pt_bytes b = pt_dw_bytes(f, id, off, step);
		size_t left = pt_bytes_left(&b);

		if (left && memchr(b.at, 0, left))
			return (const char *)b.at;
		if (left < step)
			break;
	}
	return NULL;
}

static void load(struct pt_dw_file *f, enum pt_dw_section_id id, const struct pt_section *s, bool z)
{
	struct pt_dw_section *to = &f->sections[id];
	struct pt_bytes b = pt_bytes(s->data, s->len_bytes, f->object->swap);
	struct pt_packed p;
	uint64_t len;

	if (z) {			/* .zdebug_: "ZLIB", length in big endian */
		const char *magic = pt_bytes_take(&b, 4);

		b.swap = __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__;
		len = pt_bytes_u64(&b);
		if (!b.bad && !memcmp(magic, "ZLIB", 4))
			packed_new(f->dwarf, to, b.at, pt_bytes_left(&b), len, false);
	} else if (s->flags & SHF_COMPRESSED) {
		if (pt_packed_head(s->data, s->len_bytes, f->object->is64, f->object->swap, &p))
			packed_new(f->dwarf, to, p.data, p.data_bytes, p.len_bytes, p.zstd);
	} else {
		*to = (struct pt_dw_section){ s->data, s->len_bytes, s->len_bytes, NULL };
	}
}

/* Each type unit of a .dwo has a section of the same name; they are joined here, up to the file's
 * size. */
static void join(struct pt_dw_file *f, enum pt_dw_section_id id, const struct pt_section *s)
{
	struct pt_dw_section *to = &f->sections[id];
	struct pt_buf *b = &f->joined[id == PT_DW_TYPES];

	if ((id != PT_DW_INFO && id != PT_DW_TYPES) || !f->dwo || to->packed ||
	    s->flags & SHF_COMPRESSED || to->len + s->len_bytes > f->object->file.len_bytes)
		return;
	if (!b->len)
		pt_buf_add(b, to->data, to->len);
	pt_buf_add(b, s->data, s->len_bytes);
	*to = (struct pt_dw_section){ (const uint8_t *)b->data, b->len, b->len, NULL };
}

bool pt_dw_may_unpack(const struct pt_dw_file *f)
{
	uint64_t bytes = 0;
	bool may;

	for (int id = 0; id < PT_DW_NR_SECTIONS; id++)
		bytes += f->sections[id].packed ? f->sections[id].packed->len : 0;
	may = pt_budget_take(&f->object->budget, bytes);
	if (may)
		pt_budget_give(&f->object->budget, bytes);
	return may;
}

struct pt_dw_file *pt_dw_file_new(struct pt_dwarf *d, struct pt_object *o, bool dwo)
{
	struct pt_dw_file *f = pt_alloc(sizeof(*f));
	struct pt_section s;
	const char *name;
	size_t i;
	int id;

	f->dwarf = d;
	f->object = o;
	f->swap = o->swap;
	f->dwo = dwo;
	f->index = (unsigned)d->nr_files;
	PT_GROW(d->files, d->nr_files, d->cap_files);
	d->files[d->nr_files++] = f;
	if (d->main)
		pt_budget_of_part(&o->budget, o->budget.real_bytes, o->stamp ? o->stamp->dev : 0,
				  o->stamp ? o->stamp->ino : 0, &d->main->object->budget);
	d->budget += o->budget.real_bytes * 64;
	for (i = 1; i < pt_object_nr_sections(o); i++) {
		bool z;
		size_t len;

		if (!pt_object_section_at(o, i, &s, &name) || !s.data)
			continue;
		z = !strncmp(name, ".zdebug_", 8);
		if (!z && strncmp(name, ".debug_", 7))
			continue;
		name += z ? 8 : 7;
		len = strlen(name);
		if (len > 4 && !strcmp(name + len - 4, ".dwo")) {
			if (!dwo)
				continue;
			len -= 4;
		}
		for (id = 0; id < PT_DW_NR_SECTIONS; id++)
			if (strlen(names[id]) == len && !strncmp(names[id], name, len)) {
				f->grouped |= dwo && s.flags & SHF_GROUP;
				if (f->sections[id].data)
					join(f, (enum pt_dw_section_id)id, &s);
				else
					load(f, (enum pt_dw_section_id)id, &s, z);
			}
	}
	return f;
}

static void file_free(struct pt_dw_file *f)
{
	struct pt_map_slot *s;
	size_t i;

	for (i = 0; (s = pt_map_each(&f->abbrevs, &i)); )
		pt_dw_abbrevs_free((struct pt_dw_abbrevs *)(uintptr_t)s->value);
	for (i = 0; i < f->nr_units; i++)
		free(f->units[i]);
	for (i = 0; i < f->nr_type_units; i++)
		free(f->type_units[i]);
	for (i = 0; i < PT_DW_NR_SECTIONS; i++)
		packed_free(&f->sections[i], true);
	pt_budget_give(&f->object->budget, f->taken);
	pt_buf_deinit(&f->joined[0]);
	pt_buf_deinit(&f->joined[1]);
	pt_map_deinit(&f->abbrevs);
	pt_map_deinit(&f->signatures);
	free(f->units);
	free(f->type_units);
	pt_object_put(f->object);
	free(f);
}

bool pt_dw_take(struct pt_dw_file *f, uint64_t bytes)
{
	bool good = pt_budget_take(&f->object->budget, bytes);

	f->taken += good ? bytes : 0;
	return good;
}

bool pt_dw_pay(struct pt_dwarf *d, uint64_t cost)
{
	struct pt_budget *all = &d->main->object->budget;

	d->unpaid += cost;
	if (d->unpaid >= PAID_AT_ONCE) {
		if (all->up && !pt_budget_work(all->up, d->unpaid)) {
			all->hit = all->hit ? all->hit : PT_LIMIT_WORK;
			d->budget = 0;
		}
		d->unpaid = 0;
	}
	if (d->budget < cost) {
		d->budget = 0;
		all->hit = all->hit ? all->hit : PT_LIMIT_WORK;
		return false;
	}
	d->budget -= cost;
	return true;
}

struct pt_dwarf *pt_dwarf_new(struct pt_object *o)
{
	struct pt_dwarf *d = pt_alloc(sizeof(*d));

	d->budget = 1 << 20;
	d->unpack_left = 4ull << 30;
	d->main = pt_dw_file_new(d, pt_object_get(o), false);
	if (d->main->sections[PT_DW_INFO].data)
		return d;
	pt_dwarf_free(d);
	return NULL;
}

void pt_dwarf_free(struct pt_dwarf *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->nr_files; i++)
		file_free(d->files[i]);
	pt_map_deinit(&d->names);
	pt_map_deinit(&d->by_inode);
	free(d->name_list);
	free(d->files);
	free(d);
}
