#include "elf/object.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"

enum { MAX_SEGMENTS = 4096, MAX_SECTIONS = 1 << 20, SECTION_NAME_MAX = 256 };

/* A word of the object's class. */
static uint64_t object_word(struct pt_bytes *b, bool is64)
{
	return is64 ? pt_bytes_u64(b) : pt_bytes_u32(b);
}

void pt_stamp_of(const struct stat *st, struct pt_stamp *s)
{
	memset(s, 0, sizeof(*s));
	s->dev = st->st_dev;
	s->ino = st->st_ino;
	s->owner = st->st_uid;
	s->bytes = (uint64_t)st->st_size;
	s->changed_ns = (uint64_t)st->st_ctim.tv_sec * 1000000000u + (uint64_t)st->st_ctim.tv_nsec;
}

bool pt_object_stamp(const struct pt_object *o, struct pt_stamp *s)
{
	if (!o->stamp)
		return false;
	*s = *o->stamp;
	s->id = o->build_id;
	return true;
}

const char *pt_stamp_text(const struct pt_stamp *s, char text[PT_STAMP_TEXT])
{
	char id[PT_BUILD_ID_TEXT];

	snprintf(text, PT_STAMP_TEXT, "%s-%016llx", pt_build_id_text(&s->id, id),
		 (unsigned long long)pt_hash_bytes(s, sizeof(*s)));
	return text;
}

/* The file's bytes [off, off + len), NULL if some are missing. */
static const uint8_t *file_bytes(const struct pt_object *o, uint64_t off, uint64_t len)
{
	if (off > o->file.len_bytes || len > o->file.len_bytes - off)
		return NULL;
	return o->file.data + off;
}

struct header {
	uint64_t phoff, shoff;
	uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

static int object_read_header(struct pt_object *o, struct header *h, struct pt_err *e)
{
	const uint8_t *ident = file_bytes(o, 0, EI_NIDENT);
	struct pt_bytes b;

	if (!ident || memcmp(ident, ELFMAG, SELFMAG))
		return pt_err_set(e, "%s: no ELF file", o->path);
	if ((ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return pt_err_set(e, "%s: ELF of class %u, data %u", o->path, ident[EI_CLASS],
				  ident[EI_DATA]);
	o->is64 = ident[EI_CLASS] == ELFCLASS64;
	o->swap = (ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	b = pt_bytes(o->file.data + EI_NIDENT, o->file.len_bytes - EI_NIDENT, o->swap);
	o->type = pt_bytes_u16(&b);
	o->machine = pt_bytes_u16(&b);
	pt_bytes_u32(&b);		/* version */
	o->entry = object_word(&b, o->is64);
	h->phoff = object_word(&b, o->is64);
	h->shoff = object_word(&b, o->is64);
	pt_bytes_u32(&b);		/* flags */
	pt_bytes_u16(&b);		/* ehsize */
	h->phentsize = pt_bytes_u16(&b);
	h->phnum = pt_bytes_u16(&b);
	h->shentsize = pt_bytes_u16(&b);
	h->shnum = pt_bytes_u16(&b);
	h->shstrndx = pt_bytes_u16(&b);
	return b.bad ? pt_err_set(e, "%s: ELF header cut short", o->path) : 0;
}

static void read_segment(struct pt_object *o, struct pt_bytes b)
{
	uint32_t type = pt_bytes_u32(&b);
	struct pt_segment s = { .flags = o->is64 ? pt_bytes_u32(&b) : 0 };
	const uint8_t *notes;
	uint64_t align;

	s.off = object_word(&b, o->is64);
	s.vaddr = object_word(&b, o->is64);
	object_word(&b, o->is64);		/* paddr */
	s.file_bytes = object_word(&b, o->is64);
	s.mem_bytes = object_word(&b, o->is64);
	if (!o->is64)
		s.flags = pt_bytes_u32(&b);
	align = object_word(&b, o->is64);
	if (b.bad)
		return;
	switch (type) {
	case PT_LOAD:
		if (s.vaddr + s.mem_bytes < s.vaddr || s.file_bytes > s.mem_bytes)
			return;
		o->segments[o->nr_segments++] = s;
		break;
	case PT_NOTE:
		notes = file_bytes(o, s.off, s.file_bytes);
		if (notes && !o->build_id.len && pt_budget_work(&o->budget, s.file_bytes))
			pt_build_id_of_notes(pt_notes(notes, s.file_bytes, align, o->swap),
					     &o->build_id);
		break;
	case PT_GNU_EH_FRAME:
		o->eh_frame_hdr_vaddr = s.vaddr;
		o->eh_frame_hdr_bytes = s.file_bytes;
		break;
	}
}

static void object_read_section(const struct pt_object *o, struct pt_bytes b, struct pt_section *s,
				uint32_t *name_off)
{
	uint64_t off;

	*name_off = pt_bytes_u32(&b);
	s->type = pt_bytes_u32(&b);
	s->flags = object_word(&b, o->is64);
	s->vaddr = object_word(&b, o->is64);
	off = object_word(&b, o->is64);
	s->len_bytes = object_word(&b, o->is64);
	s->link = pt_bytes_u32(&b);
	s->info = pt_bytes_u32(&b);
	s->data = s->type == SHT_NOBITS || b.bad ? NULL : file_bytes(o, off, s->len_bytes);
}

/* Bytes of a header of a section, of a segment. */
static size_t section_bytes(const struct pt_object *o) { return o->is64 ? 64 : 40; }
static size_t segment_bytes(const struct pt_object *o) { return o->is64 ? 56 : 32; }

/* The header of section i; empty if there is none. */
static struct pt_bytes section_header(const struct pt_object *o, size_t i)
{
	const uint8_t *p = i < o->nr_sections ? file_bytes(o, o->shoff + i * o->shentsize,
							   section_bytes(o))
					      : NULL;

	return pt_bytes(p, p ? section_bytes(o) : 0, o->swap);
}

static int read_tables(struct pt_object *o, const struct header *h, struct pt_err *e)
{
	uint64_t phnum = h->phnum, i;
	struct pt_section first;
	uint32_t name;

	o->shoff = h->shoff;
	o->shentsize = h->shentsize;
	o->shstrndx = h->shstrndx;
	o->nr_sections = h->shoff && h->shentsize >= section_bytes(o) ? 1 : 0;
	/* Numbers that do not fit are in section 0 (gABI, "Section Header Table"). */
	if (o->nr_sections) {
		object_read_section(o, section_header(o, 0), &first, &name);
		o->nr_sections =
			h->shnum ? h->shnum : PT_MIN(first.len_bytes, (uint64_t)MAX_SECTIONS);
		/* limited by the file's size */
		o->nr_sections =
			PT_MIN(o->nr_sections,
			       (o->file.len_bytes - PT_MIN(h->shoff, (uint64_t)o->file.len_bytes)) /
				       h->shentsize);
		if (h->shstrndx == SHN_XINDEX)
			o->shstrndx = first.link;
		if (phnum == PN_XNUM)
			phnum = first.info;
	}
	if (phnum > MAX_SEGMENTS || (phnum && h->phentsize < segment_bytes(o)))
		return pt_err_set(e, "%s: %llu program headers of %u bytes", o->path,
				  (unsigned long long)phnum, h->phentsize);
	o->segments = pt_alloc_array(phnum, sizeof(*o->segments));
	for (i = 0; i < phnum; i++) {
		const uint8_t *p =
			file_bytes(o, h->phoff + i * h->phentsize, segment_bytes(o));

		if (!p)
			break;
		read_segment(o, pt_bytes(p, segment_bytes(o), o->swap));
	}
	return 0;
}

/* Detached debug files and relocatable files have it only in a section. */
static void find_build_id_section(struct pt_object *o)
{
	struct pt_section s;
	size_t i;

	/* Thousands of headers may refer to the same bytes. */
	for (i = 0; i < o->nr_sections && !o->build_id.len; i++)
		if (pt_object_section_at(o, i, &s, NULL) && s.type == SHT_NOTE && s.data &&
		    pt_budget_work(&o->budget, s.len_bytes))
			pt_build_id_of_notes(pt_notes(s.data, s.len_bytes, 4, o->swap),
					     &o->build_id);
}

static int object_start(struct pt_object **out, struct pt_object *o, struct pt_err *e)
{
	struct header h = { .phoff = 0 };

	if (object_read_header(o, &h, e) < 0 || read_tables(o, &h, e) < 0) {
		pt_object_put(o);
		return -1;
	}
	if (!o->build_id.len)
		find_build_id_section(o);
	*out = o;
	return 0;
}

static int64_t written_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static struct pt_object *object_over(const void *data, size_t len, const char *name)
{
	struct pt_object *o = pt_alloc(sizeof(*o));

	o->refs = 1;
	o->path = pt_strdup(name);
	o->file = (struct pt_mapfile){ .data = data, .len_bytes = len, .slot = -1, .fd = -1 };
	pt_budget_of_file(&o->budget, len);
	return o;
}

int pt_object_open_fd(struct pt_object **out, int fd, const char *path, struct pt_err *e)
{
	struct pt_object *o = object_over(NULL, 0, path);
	struct stat st;

	o->inside = path[0] == '/' ? pt_strdup(path) : NULL;
	if (pt_mapfile_open_fd(&o->file, fd, path, e) < 0) {
		pt_object_put(o);
		return -1;
	}
	if (!fstat(o->file.fd, &st)) {
		o->changed_ns = written_ns(&st);
		o->stamp = pt_alloc(sizeof(*o->stamp));
		pt_stamp_of(&st, o->stamp);
		pt_budget_of_file(&o->budget, pt_budget_real_bytes(&st));
	}
	return object_start(out, o, e);
}

bool pt_object_unchanged(const struct pt_object *o)
{
	struct stat st;

	return !o->changed_ns ||
	       (!fstat(o->file.fd, &st) && o->changed_ns == written_ns(&st) &&
		!pt_mapfile_shrunk(&o->file));
}

int pt_object_open(struct pt_object **out, const char *path, struct pt_err *e)
{
	int fd = pt_untrusted_open(NULL, path, PT_UNTRUSTED_USER, NULL);

	if (fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	if (pt_object_open_fd(out, fd, path, e) < 0)
		return -1;
	if (!(*out)->inside)
		(*out)->inside = realpath(path, NULL);
	return 0;
}

int pt_object_open_named(struct pt_object **out, const struct pt_object *by, struct pt_root *root,
			 const char *path, struct pt_err *e)
{
	struct pt_owner namer = pt_owner_of(by->file.fd);
	char *shown;
	int fd, rc;

	if (by->file.fd < 0 || strlen(path) >= PATH_MAX)
		return pt_err_sys(e, by->file.fd < 0 ? EBADF : ENAMETOOLONG, "%s", path);
	fd = pt_untrusted_open(root, path, 0, &namer);
	if (fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	shown = pt_asprintf("%s%s", root ? root->prefix : "", path);
	rc = pt_object_open_fd(out, fd, shown, e);
	if (rc == 0)
		pt_object_place(*out, root, path);
	free(shown);
	return rc;
}

void pt_object_place(struct pt_object *o, struct pt_root *root, const char *inside)
{
	struct pt_root *before = o->root;

	o->root = pt_root_get(root);
	pt_root_put(before);
	free(o->inside);
	o->inside = pt_strdup(inside);
}

char *pt_object_real_path(const struct pt_object *o)
{
	char *real = o->file.fd < 0 ? NULL : pt_untrusted_real_path(o->root, o->file.fd);

	return real ? real : pt_strdup(o->inside);
}

int pt_object_open_memory(struct pt_object **out, const void *data, size_t len, const char *name,
			  struct pt_err *e)
{
	return object_start(out, object_over(data, len, name), e);
}

struct pt_object *pt_object_of_code(const void *code, size_t len, uint64_t vaddr, uint16_t machine,
				    const struct pt_section *eh_frame, const char *name)
{
	struct pt_object *o = object_over(code, len, name);

	o->machine = machine;
	o->type = ET_DYN;
	o->is64 = true;
	o->segments = pt_alloc(sizeof(*o->segments));
	o->segments[0] = (struct pt_segment){ vaddr, 0, len, len, PF_R | PF_X };
	o->nr_segments = 1;
	o->eh_frame = *eh_frame;
	return o;
}

struct pt_object *pt_object_get(struct pt_object *o)
{
	o->refs++;
	return o;
}

void pt_object_put(struct pt_object *o)
{
	struct pt_object_part *part;

	if (!o || --o->refs)
		return;
	for (part = o->parts; part < o->parts + PT_OBJECT_PARTS; part++)
		if (part->free)
			part->free(part->data);
	pt_mapfile_close(&o->file);
	pt_root_put(o->root);
	free(o->segments);
	free(o->inside);
	free(o->stamp);
	free(o->path);
	free(o);
}

bool pt_object_section_at(const struct pt_object *o, size_t i, struct pt_section *s,
			  const char **name)
{
	struct pt_bytes b = section_header(o, i);
	struct pt_section names;
	uint32_t name_off, none;

	if (!pt_bytes_left(&b))
		return false;
	object_read_section(o, b, s, &name_off);
	if (!name)
		return true;
	*name = "";
	b = section_header(o, o->shstrndx);
	if (!pt_bytes_left(&b))
		return true;
	object_read_section(o, b, &names, &none);
	if (names.data && name_off < names.len_bytes &&
	    memchr(names.data + name_off, 0,
		   PT_MIN(names.len_bytes - name_off, (uint64_t)SECTION_NAME_MAX)))
		*name = (const char *)names.data + name_off;
	return true;
}

bool pt_object_section(const struct pt_object *o, const char *name, struct pt_section *s)
{
	const char *is;
	size_t i;

	for (i = 1; i < o->nr_sections; i++)
		if (pt_object_section_at(o, i, s, &is) && !strcmp(is, name))
			return true;
	return false;
}

bool pt_object_data(const struct pt_object *o, const char *name, struct pt_section *s)
{
	return pt_object_section(o, name, s) && s->data;
}

/* The segment with `len` bytes of the file at a vaddr; NULL: none. */
static const struct pt_segment *segment_at(const struct pt_object *o, uint64_t vaddr, uint64_t len)
{
	const struct pt_segment *s;

	for (s = o->segments; s < o->segments + o->nr_segments; s++)
		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->file_bytes &&
		    len <= s->file_bytes - (vaddr - s->vaddr))
			return s;
	return NULL;
}

const uint8_t *pt_object_from(const struct pt_object *o, uint64_t vaddr, uint64_t *len)
{
	const struct pt_segment *s = segment_at(o, vaddr, 0);

	if (!s)
		return NULL;
	*len = s->file_bytes - (vaddr - s->vaddr);
	return file_bytes(o, s->off + (vaddr - s->vaddr), *len);
}

const uint8_t *pt_object_bytes(const struct pt_object *o, uint64_t vaddr, uint64_t len,
			       bool writable)
{
	const struct pt_segment *s = segment_at(o, vaddr, len);

	return s && (writable || !(s->flags & PF_W))
		       ? file_bytes(o, s->off + (vaddr - s->vaddr), len)
		       : NULL;
}

bool pt_object_map_vaddr(const struct pt_object *o, uint64_t pgoff, bool x, uint64_t *vaddr)
{
	const uint64_t page_bytes = 4096, mask = ~(page_bytes - 1);
	size_t i;

	for (i = 0; i < o->nr_segments; i++) {
		const struct pt_segment *s = &o->segments[i];
		uint64_t from = s->off & mask,
			 to = (s->off + s->file_bytes + page_bytes - 1) & mask;

		if (pgoff < from || pgoff >= to || !!(s->flags & PF_X) != x)
			continue;
		/* may be before s->vaddr, within its page */
		*vaddr = pgoff - s->off + s->vaddr;
		return true;
	}
	return false;
}
