#include "dwarf/dwarf.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>
#ifdef PT_WITH_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "base/mem.h"
#include "base/thread.h"
#include "elf/packed.h"

enum { UNPACK_STEP = 256 << 10, STRING_STEP = 1024, MAX_STRING = 1 << 20 };

/* libdeflate takes half of zlib's time, but all or nothing: it is asked where a section is small,
 * or a quarter of it is wanted already. */
enum { WHOLE_BYTES = 8 << 20, WHOLE_SHARE = 4, THREAD_BYTES = 1 << 20 };

enum { PAID_AT_ONCE = 1 << 20 };
enum { PAGE = 64 << 10, HUGE_PAGE = 2 << 20, IMAGE_HEAD = 4096, IMAGE_COPY = 64 << 20 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* Linux 5.14 */
#endif

struct pt_dw_packed {
	bool zstd;
	z_stream z;
	ZSTD_DStream *s;
	ZSTD_inBuffer in;		/* zlib's from behind its header on */
	bool tried;			/* to unpack all at once */
	uint8_t *out;			/* in the file's image, as long as the section will be */
	uint64_t len;
};

static const char *const names[PT_DW_NR_SECTIONS] = {
	[PT_DW_INFO] = "info", [PT_DW_TYPES] = "types",       [PT_DW_ABBREV] = "abbrev",
	[PT_DW_STR] = "str",   [PT_DW_LINE_STR] = "line_str", [PT_DW_STR_OFFSETS] = "str_offsets",
	[PT_DW_ADDR] = "addr", [PT_DW_RNGLISTS] = "rnglists", [PT_DW_RANGES] = "ranges",
	[PT_DW_LINE] = "line", [PT_DW_ARANGES] = "aranges",   [PT_DW_CU_INDEX] = "cu_index",
	[PT_DW_LOC] = "loc",   [PT_DW_LOCLISTS] = "loclists",
};

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
	free(p);
	s->packed = NULL;
}

static bool packed_new(struct pt_dwarf *d, struct pt_dw_section *s, const uint8_t *data,
		       uint64_t in_bytes, uint64_t len, bool zstd)
{
	struct pt_dw_packed *p;

	if (!pt_packed_sane(in_bytes, len) || len > d->unpack_left)
		return false;
	d->unpack_left -= len;
	d->budget += len * 4;
	p = pt_alloc(sizeof(*p));
	p->zstd = zstd;
	p->len = len;
	if (zstd) {
		p->s = ZSTD_createDStream();
		p->in = (ZSTD_inBuffer){ data, in_bytes, 0 };
	} else { /* without zlib's header: then it takes no checksum, a sixth of the time */
		p->in = (ZSTD_inBuffer){ data + 2, in_bytes - 2, 0 };
		p->z.next_in = (uint8_t *)data + 2;
		p->z.avail_in = (unsigned)PT_MIN(in_bytes - 2, (uint64_t)UINT32_MAX);
	}
	*s = (struct pt_dw_section){ data, len, 0, p };	/* until it has its place in the image */
	if (zstd ? p->s != NULL : inflateInit2(&p->z, -MAX_WBITS) == Z_OK)
		return true;
	free(p);
	*s = (struct pt_dw_section){ .data = NULL };
	return false;
}

/* All of a zlib section at once. False: it is damaged (zlib tells how far it is good), or this
 * build cannot. */
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
		s->len = s->ready;	/* damaged: what came is all there is */
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

/* Each type unit of a .dwo has a section of the same name; here they are one. No more than the file
 * has in all. */
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

static uint64_t up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

/* Sections that are packed get their places, all in one mapping: behind room for headers, and in
 * front of room for those that are not packed (see pt_dw_image()). */
static void place_packed(struct pt_dw_file *f)
{
	uint64_t at = IMAGE_HEAD, places[PT_DW_NR_SECTIONS] = { 0 };
	bool any = false;
	int id;

	for (id = 0; id < PT_DW_NR_SECTIONS; id++)
		if (f->sections[id].packed) {
			places[id] = at =
				up(at, f->sections[id].len >= HUGE_PAGE ? HUGE_PAGE : PAGE);
			at += f->sections[id].len;
			any = true;
		}
	if (!any)
		return;
	f->image_used = up(at, PAGE);
	f->mapped_bytes = f->image_used + IMAGE_COPY + HUGE_PAGE;
	f->mapped = mmap(NULL, f->mapped_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->mapped == MAP_FAILED)
		f->mapped = NULL;
	f->image = f->mapped ? (uint8_t *)f->mapped + -(uintptr_t)f->mapped % HUGE_PAGE : NULL;
	if (f->image)
		madvise(f->image, f->image_used, MADV_HUGEPAGE);
	for (id = 0; id < PT_DW_NR_SECTIONS; id++)
		if (f->sections[id].packed && f->image) {
			f->sections[id].packed->out = f->image + places[id];
			f->sections[id].data = f->image + places[id];
		} else if (f->sections[id].packed) {
			packed_free(&f->sections[id], false);
			packed_free(&f->sections[id], true);
			f->sections[id] = (struct pt_dw_section){ .data = NULL };
		}
}

/* ---- as an ELF file ---- */

static void *unpack_rest(void *arg)
{
	struct pt_dw_file *f = arg;
	static const enum pt_dw_section_id ids[] = { PT_DW_ABBREV, PT_DW_STR,      PT_DW_LINE_STR,
						     PT_DW_LINE,   PT_DW_RNGLISTS, PT_DW_RANGES };
	size_t i;

	for (i = 0; i < PT_NR(ids); i++)
		pt_dw_need(f, ids[i], UINT64_MAX);
	return NULL;
}

void pt_dw_unpack(struct pt_dw_file *f)
{
	uint64_t left = 0;
	pthread_t thread;
	int id;

	for (id = 0; id < PT_DW_NR_SECTIONS; id++)
		left += f->sections[id].packed ? f->sections[id].len - f->sections[id].ready : 0;
	if (left < THREAD_BYTES || !f->sections[PT_DW_INFO].packed ||
	    !pt_thread_start(&thread, unpack_rest, f))
		return;
	pt_dw_need(f, PT_DW_INFO, UINT64_MAX);
	pthread_join(thread, NULL);
}

/* What libdw is asked for: entries, types, locations. */
static bool in_image(int id)
{
	return id != PT_DW_LINE && id != PT_DW_ARANGES && id != PT_DW_CU_INDEX;
}

static uint32_t add_name(char *names_at, uint32_t *len, const char *prefix, const char *name)
{
	uint32_t at = *len;

	*len += (uint32_t)sprintf(names_at + at, "%s%s", prefix, name) + 1;
	return at;
}

const void *pt_dw_image(struct pt_dw_file *f, size_t *len)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				      __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB
									     : ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = f->object->type,
			 .e_machine = f->object->machine,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(h),
			 .e_shoff = sizeof(h),
			 .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr sections[PT_DW_NR_SECTIONS + 2] = { { .sh_name = 0 } };
	char text[PT_DW_NR_SECTIONS * 24 + 32] = "";
	uint32_t text_len = 1;
	unsigned nr = 1;
	int id;

	if (!f->image || !f->object->is64 || f->object->swap || f->dwo || f->object->type == ET_REL)
		return NULL;
	*len = f->image_used;
	for (id = 0; id < PT_DW_NR_SECTIONS; id++) {
		struct pt_dw_section *s = &f->sections[id];
		uint64_t wanted = s->len;

		if (!s->data || !in_image(id))
			continue;
		/* damaged: libdw may say how */
		if (pt_dw_need(f, (enum pt_dw_section_id)id, UINT64_MAX) != wanted)
			return NULL;
		if (!s->packed) {
			if (*len - f->image_used + s->len > IMAGE_COPY - PAGE)
				return NULL;
			memcpy(f->image + *len, s->data, s->len);
		}
		sections[nr++] =
			(Elf64_Shdr){ .sh_name = add_name(text, &text_len, ".debug_", names[id]),
				      .sh_type = SHT_PROGBITS,
				      .sh_size = s->len,
				      .sh_addralign = 1,
				      .sh_offset = s->packed ? (uint64_t)(s->packed->out - f->image)
							     : *len };
		*len += s->packed ? 0 : up(s->len, 16);
	}
	h.e_shstrndx = (uint16_t)nr;
	h.e_shnum = (uint16_t)(nr + 1);
	sections[nr] = (Elf64_Shdr){ .sh_name = add_name(text, &text_len, ".shstrtab", ""),
				     .sh_type = SHT_STRTAB,
				     .sh_addralign = 1 };
	sections[nr].sh_offset = sizeof(h) + (nr + 1) * sizeof(*sections);
	sections[nr].sh_size = text_len;
	memcpy(f->image, &h, sizeof(h));
	memcpy(f->image + sizeof(h), sections, (nr + 1) * sizeof(*sections));
	memcpy(f->image + sections[nr].sh_offset, text, text_len);
	return f->image;
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
	place_packed(f);
	return f;
}

void pt_dw_file_free(struct pt_dw_file *f)
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
	if (f->mapped)
		munmap(f->mapped, f->mapped_bytes);
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
		pt_dw_file_free(d->files[i]);
	pt_map_deinit(&d->names);
	pt_map_deinit(&d->by_inode);
	free(d->name_list);
	free(d->files);
	free(d);
}
