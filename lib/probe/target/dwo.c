#include "probe/target/dwo.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

/* Columns of the indexes; LOC is .debug_loc of version 2 and .debug_loclists of 5. */
enum { SECT_INFO = 1, SECT_TYPES = 2, SECT_ABBREV = 3, SECT_LOC = 5, SECT_STR_OFFSETS = 6, SECT_RNGLISTS = 8 };
enum { MAX_TYPES = 1 << 16, MAX_ATTRS = 1 << 12, MAX_BYTES = 1 << 30 };

struct pt_dwo {
	Dwarf *dw;
	Dwarf_Die cu;
};

/* Abbreviations and strings of one .dwo file that went into the package. */
struct table {
	uint32_t abbrev_off, str_off;	/* in the package */
	struct pt_bytes abbrevs;
	struct pt_map codes;		/* where the code's declaration goes on, + 1 */
	uint64_t abbrev_at, str_base;	/* in the image */
};

struct build {
	struct pt_dw_file *f;
	struct pt_dw_unit *cu;
	struct table *tables;		/* the first one is the unit's own */
	size_t nr_tables, cap_tables;
	uint64_t *types;		/* signatures of type units */
	size_t nr_types, cap_types;
	struct pt_map seen;
	struct pt_buf info, type_info, abbrev, str, str_offsets, loc, rnglists;
	bool bad;
};

/* ---- writing ---- */

static void put(struct pt_buf *b, uint64_t v, unsigned bytes, bool swap)
{
	uint8_t raw[8];
	unsigned i;

	for (i = 0; i < bytes; i++)
		raw[i] = (uint8_t)(v >> 8 * ((swap == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) ? i : bytes - 1 - i));
	pt_buf_add(b, raw, bytes);
}

static void put_uleb(struct pt_buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		pt_buf_putc(b, (char)(v | 128));
	pt_buf_putc(b, (char)v);
}

static void put_sleb(struct pt_buf *b, int64_t v)	/* no negative ones here */
{
	for (; v > 63; v >>= 7)
		pt_buf_putc(b, (char)(v | 128));
	pt_buf_putc(b, (char)v);
}

struct section { const char *name; const struct pt_buf *data; };

static bool add_section(Elf *elf, const char *name, const void *data, size_t len, uint32_t type, struct pt_buf *names)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	if (!d || !gelf_getshdr(scn, &sh))
		return false;
	sh.sh_name = (uint32_t)names->len;
	sh.sh_type = type;
	pt_buf_add(names, name, strlen(name) + 1);
	if (type == SHT_STRTAB) {	/* the table of names itself */
		data = names->data;
		len = names->len;
	}
	*d = (Elf_Data){ .d_buf = (void *)(uintptr_t)data, .d_size = len, .d_type = ELF_T_BYTE, .d_align = 1, .d_version = EV_CURRENT };
	return gelf_update_shdr(scn, &sh) != 0;
}

/* An ELF file of sections, in memory; -1: errno, or libelf's word. */
static int write_elf(const struct pt_object *like, const struct section *v, size_t nr, struct pt_err *e)
{
	struct pt_buf names = PT_BUF_INIT;
	int fd = memfd_create("pt-dwo", MFD_CLOEXEC);
	bool big = like->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), ok;
	Elf *elf = NULL;
	GElf_Ehdr eh;
	size_t i;

	if (fd < 0)
		return pt_err_sys(e, errno, "memory for a unit of the package");
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ok = elf && gelf_newehdr(elf, like->is64 ? ELFCLASS64 : ELFCLASS32) && gelf_getehdr(elf, &eh);
	if (ok) {
		eh.e_ident[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
		eh.e_type = ET_REL;
		eh.e_machine = like->machine;
		eh.e_version = EV_CURRENT;
		pt_buf_putc(&names, '\0');
		for (i = 0; ok && i < nr; i++)
			ok = !v[i].data->len || add_section(elf, v[i].name, v[i].data->data, v[i].data->len, SHT_PROGBITS, &names);
		ok = ok && add_section(elf, ".shstrtab", NULL, 0, SHT_STRTAB, &names);
		for (i = 1; ok && elf_getscn(elf, i); i++)
			eh.e_shstrndx = (uint16_t)i;
		ok = ok && gelf_update_ehdr(elf, &eh) && elf_update(elf, ELF_C_WRITE) > 0;
	}
	if (!ok)
		pt_err_set(e, "a unit of the package: libelf: %s", elf_errmsg(-1));
	elf_end(elf);
	pt_buf_deinit(&names);
	if (ok)
		return fd;
	close(fd);
	return -1;
}

/* ---- tables ---- */

static struct pt_bytes part(struct build *b, enum pt_dw_section_id id, const struct pt_dw_part *p)
{
	struct pt_bytes r = pt_dw_bytes(b->f, id, p->off, p->len);

	if (pt_bytes_left(&r) != p->len || !p->there || !pt_dw_pay(b->f->dwarf, p->len)) {
		r = pt_bytes("", 0, b->f->swap);
		r.bad = true;
	}
	return r;
}

struct attr { uint64_t name, form; int64_t implicit; };

static bool next_attr(struct pt_bytes *r, struct attr *a)
{
	a->name = pt_bytes_uleb(r);
	a->form = pt_bytes_uleb(r);
	a->implicit = a->form == DW_FORM_implicit_const ? pt_bytes_sleb(r) : 0;
	return !r->bad && (a->name || a->form);
}

/* Notes where declarations stand and copies them; those of type units tell where their strings begin, if that is not where libdw looks. */
static void copy_abbrevs(struct build *b, struct table *t)
{
	bool own = t != b->tables;
	struct pt_bytes r = t->abbrevs;
	struct attr a;
	uint64_t code, tag;
	const uint8_t *from;

	while ((code = pt_bytes_uleb(&r)) && !r.bad) {
		*pt_map_put(&t->codes, code) = (uint64_t)(r.at - t->abbrevs.at) + 1;
		from = r.at;
		tag = pt_bytes_uleb(&r);
		pt_bytes_u8(&r);
		while (next_attr(&r, &a))
			;
		if (r.bad || r.at - from < 2)
			break;
		put_uleb(&b->abbrev, code);
		pt_buf_add(&b->abbrev, from, (size_t)(r.at - from) - 2);
		if (own && tag == DW_TAG_type_unit) {
			put_uleb(&b->abbrev, DW_AT_str_offsets_base);
			put_uleb(&b->abbrev, DW_FORM_implicit_const);
			put_sleb(&b->abbrev, (int64_t)t->str_base);
		}
		pt_buf_add(&b->abbrev, "\0", 2);
	}
	b->bad |= r.bad;
	pt_buf_putc(&b->abbrev, '\0');
}

/* A table of offsets, with its header if there is one, and the strings that it names. */
static void copy_strings(struct build *b, struct table *t, struct pt_bytes r)
{
	unsigned header = b->cu->version < 5 ? 0 : b->cu->offset_bytes == 8 ? 16 : 8, bytes = b->cu->offset_bytes;
	const uint8_t *h = pt_bytes_take(&r, header);
	uint64_t off;
	const char *s;

	if (h)
		pt_buf_add(&b->str_offsets, h, header);
	t->str_base = b->str_offsets.len;
	while (!r.bad && pt_bytes_left(&r) >= bytes) {
		off = bytes == 8 ? pt_bytes_u64(&r) : pt_bytes_u32(&r);
		s = pt_dw_string_at(b->f, PT_DW_STR, off);
		put(&b->str_offsets, s ? b->str.len : 0, bytes, b->f->swap);
		if (!s)
			continue;
		if (b->str.len > MAX_BYTES || !pt_dw_pay(b->f->dwarf, strlen(s) + 1)) {
			b->bad = true;
			return;
		}
		pt_buf_add(&b->str, s, strlen(s) + 1);
	}
}

/* The tables of a row of an index: made at its first use. */
static struct table *table_of(struct build *b, const struct pt_dw_part *parts)
{
	struct table *t;
	size_t i;

	for (i = 0; i < b->nr_tables; i++)
		if (b->tables[i].abbrev_off == parts[SECT_ABBREV].off && b->tables[i].str_off == parts[SECT_STR_OFFSETS].off)
			return &b->tables[i];
	PT_GROW(b->tables, b->nr_tables, b->cap_tables);
	t = &b->tables[b->nr_tables++];
	*t = (struct table){ .abbrev_off = parts[SECT_ABBREV].off, .str_off = parts[SECT_STR_OFFSETS].off, .abbrevs = part(b, PT_DW_ABBREV, &parts[SECT_ABBREV]), .abbrev_at = b->abbrev.len };
	if (parts[SECT_STR_OFFSETS].there)
		copy_strings(b, t, part(b, PT_DW_STR_OFFSETS, &parts[SECT_STR_OFFSETS]));
	copy_abbrevs(b, t);
	return t;
}

/* ---- type units ---- */

static void refer(struct build *b, uint64_t signature)
{
	uint64_t *slot = pt_map_put(&b->seen, signature);

	if (*slot || b->nr_types == MAX_TYPES)
		return;
	*slot = 1;
	PT_GROW(b->types, b->nr_types, b->cap_types);
	b->types[b->nr_types++] = signature;
}

/* The signatures of types that a unit's entries refer to; they are read one after the other, whatever their nesting. */
static void references(struct build *b, const struct table *t, struct pt_dw_unit *u, struct pt_bytes r)
{
	struct pt_bytes decl;
	struct attr a;
	uint64_t *at, code, v;

	while (!r.bad && pt_bytes_left(&r)) {
		code = pt_bytes_uleb(&r);
		if (!code)
			continue;
		at = pt_map_get(&t->codes, code);
		if (!at || !pt_dw_pay(b->f->dwarf, 8))
			return;
		decl = t->abbrevs;
		pt_bytes_take(&decl, *at - 1);
		pt_bytes_uleb(&decl);
		pt_bytes_u8(&decl);
		while (next_attr(&decl, &a)) {
			if (a.form == DW_FORM_ref_sig8)
				refer(b, pt_bytes_u64(&r));
			else if (!pt_dw_form_read(u, &r, a.form, a.implicit, &v))
				return;
		}
	}
}

/* A type unit: as it is, but for where its abbreviations are. */
static void add_type(struct build *b, uint64_t signature)
{
	struct pt_dw_part parts[PT_DW_PARTS] = { { 0, 0, false } }, *mine;
	bool types = b->cu->version < 5;
	struct pt_buf *to = types ? &b->type_info : &b->info;
	size_t at;
	struct pt_dw_unit *u;
	struct table *t;
	struct pt_bytes r;
	uint16_t version;

	if (!pt_dw_parts(b->f, PT_DW_TU_INDEX, signature, &version, parts))
		return;
	mine = &parts[types ? SECT_TYPES : SECT_INFO];
	u = mine->there ? pt_dw_unit_at(b->f, types, mine->off) : NULL;
	if (!u || u->off != mine->off || u->bad || u->id != signature || u->offset_bytes != b->cu->offset_bytes || (u->version >= 5) != (b->cu->version >= 5) || u->end - u->off > mine->len)
		return;
	r = part(b, types ? PT_DW_TYPES : PT_DW_INFO, mine);
	t = table_of(b, parts);
	if (r.bad || b->bad || (u->abbrev_off && t != b->tables))
		return;
	at = (u->offset_bytes == 8 ? 12 : 4) + (types ? 2 : 4);
	pt_buf_add(to, r.at, at);
	put(to, t->abbrev_at + u->abbrev_off, u->offset_bytes, b->f->swap);
	at += u->offset_bytes;
	pt_buf_add(to, r.at + at, (size_t)(u->end - u->off) - at);
	if (to->len > MAX_BYTES)
		b->bad = true;
	pt_bytes_take(&r, u->first - u->off);
	references(b, t, u, r);
}

/* ---- the two files ---- */

/* 0, or -1 and e. */
static int gather(struct build *b, struct pt_err *e)
{
	struct pt_dw_part parts[PT_DW_PARTS] = { { 0, 0, false } };
	struct pt_bytes info, loc, rnglists;
	struct table *t;
	uint16_t version;
	size_t i;

	if (!pt_dw_parts(b->f, PT_DW_CU_INDEX, b->cu->id, &version, parts) || parts[SECT_INFO].off != b->cu->off)
		return pt_err_set(e, "the package (.dwp) is damaged: its index does not have the unit");
	info = part(b, PT_DW_INFO, &parts[SECT_INFO]);
	t = table_of(b, parts);
	if (info.bad || b->bad)
		return pt_err_set(e, "the package (.dwp) is damaged, or too large");
	pt_buf_add(&b->info, info.at, pt_bytes_left(&info));
	loc = part(b, b->cu->version < 5 ? PT_DW_LOC : PT_DW_LOCLISTS, &parts[SECT_LOC]);
	pt_buf_add(&b->loc, loc.at, pt_bytes_left(&loc));
	if (b->cu->version >= 5) {
		rnglists = part(b, PT_DW_RNGLISTS, &parts[SECT_RNGLISTS]);
		pt_buf_add(&b->rnglists, rnglists.at, pt_bytes_left(&rnglists));
	}
	if (b->f->sections[PT_DW_TU_INDEX].data) {
		pt_bytes_take(&info, b->cu->first - b->cu->off);
		references(b, t, b->cu, info);
		for (i = 0; i < b->nr_types && !b->bad; i++)
			add_type(b, b->types[i]);
	}
	return b->bad ? pt_err_set(e, "the package (.dwp) is damaged, or too large") : 0;
}

/* A .dwo: as it is, but where it has several sections of one name, of which libdw sees one at most, they are one. */
static int gather_all(struct build *b, struct pt_err *e)
{
	static const struct { enum pt_dw_section_id id; size_t to; } all[] = {
		{ PT_DW_INFO, offsetof(struct build, info) }, { PT_DW_TYPES, offsetof(struct build, type_info) }, { PT_DW_ABBREV, offsetof(struct build, abbrev) },
		{ PT_DW_STR, offsetof(struct build, str) }, { PT_DW_STR_OFFSETS, offsetof(struct build, str_offsets) }, { PT_DW_RNGLISTS, offsetof(struct build, rnglists) },
	};
	struct pt_bytes r;
	size_t i;

	for (i = 0; i <= PT_NR(all); i++) {
		r = pt_dw_bytes(b->f, i < PT_NR(all) ? all[i].id : b->cu->version < 5 ? PT_DW_LOC : PT_DW_LOCLISTS, 0, MAX_BYTES);
		pt_buf_add(i < PT_NR(all) ? (struct pt_buf *)((char *)b + all[i].to) : &b->loc, r.at, pt_bytes_left(&r));
	}
	return b->info.len ? 0 : pt_err_set(e, "%s: damaged", b->f->object->path);
}

static int write_split(struct build *b, struct pt_err *e)
{
	const struct section v[] = {
		{ ".debug_info.dwo", &b->info }, { ".debug_types.dwo", &b->type_info }, { ".debug_abbrev.dwo", &b->abbrev }, { ".debug_str.dwo", &b->str },
		{ ".debug_str_offsets.dwo", &b->str_offsets }, { b->cu->version < 5 ? ".debug_loc.dwo" : ".debug_loclists.dwo", &b->loc }, { ".debug_rnglists.dwo", &b->rnglists },
	};

	return write_elf(b->f->object, v, PT_NR(v), e);
}

/* The addresses that the split unit counts from index 0 on: to where they end, or where the section does. */
static void addresses(const struct pt_dw_unit *skeleton, struct pt_buf *to)
{
	struct pt_dw_file *f = skeleton->file;
	uint64_t base = skeleton->addr_base, want = UINT64_MAX, header = skeleton->offset_bytes == 8 ? 16 : 8;
	struct pt_bytes r;

	if (skeleton->version >= 5 && base >= header) {
		r = pt_dw_bytes(f, PT_DW_ADDR, base - header, header);
		want = header == 8 ? pt_bytes_u32(&r) : pt_bytes_u32(&r) ? pt_bytes_u64(&r) : 0;
		want = want > 4 ? want - 4 : 0;
	}
	r = pt_dw_bytes(f, PT_DW_ADDR, base, want);
	if (!r.bad && pt_bytes_left(&r) <= MAX_BYTES)
		pt_buf_add(to, r.at, pt_bytes_left(&r));
}

/* A skeleton that names the split unit's file. */
static int write_skeleton(const struct pt_dw_unit *split, int split_fd, struct pt_err *e)
{
	const struct pt_dw_unit *u = split->skeleton;
	struct pt_buf info = PT_BUF_INIT, abbrev = PT_BUF_INIT, addr = PT_BUF_INIT, head = PT_BUF_INIT;
	bool v5 = split->version >= 5, swap = u->file->swap;
	const unsigned attrs[][2] = {
		{ v5 ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_string }, { DW_AT_low_pc, DW_FORM_addr }, { v5 ? DW_AT_addr_base : DW_AT_GNU_addr_base, DW_FORM_sec_offset },
		{ v5 ? 0 : DW_AT_GNU_dwo_id, v5 ? 0 : DW_FORM_data8 }, { 0, 0 },
	};
	const struct section v[] = { { ".debug_info", &head }, { ".debug_abbrev", &abbrev }, { ".debug_addr", &addr } };
	size_t i;
	int fd;

	put_uleb(&abbrev, 1);
	put_uleb(&abbrev, v5 ? DW_TAG_skeleton_unit : DW_TAG_compile_unit);
	pt_buf_putc(&abbrev, DW_CHILDREN_no);
	for (i = 0; i < PT_NR(attrs) - v5; i++) {
		put_uleb(&abbrev, attrs[i][0]);
		put_uleb(&abbrev, attrs[i][1]);
	}
	pt_buf_putc(&abbrev, '\0');
	addresses(u, &addr);
	put(&info, split->version, 2, swap);
	if (v5) {
		put(&info, DW_UT_skeleton, 1, swap);
		put(&info, u->address_bytes, 1, swap);
	}
	put(&info, 0, 4, swap);		/* abbreviations */
	if (v5)
		put(&info, split->id, 8, swap);
	else
		put(&info, u->address_bytes, 1, swap);
	put_uleb(&info, 1);
	pt_buf_printf(&info, "/proc/self/fd/%d", split_fd);
	pt_buf_putc(&info, '\0');
	put(&info, u->has_low ? u->low_pc : 0, u->address_bytes, swap);
	put(&info, 0, 4, swap);		/* addresses */
	if (!v5)
		put(&info, split->id, 8, swap);
	put(&head, info.len, 4, swap);
	pt_buf_add(&head, info.data, info.len);
	fd = write_elf(u->file->object, v, PT_NR(v), e);
	pt_buf_deinit(&info);
	pt_buf_deinit(&abbrev);
	pt_buf_deinit(&addr);
	pt_buf_deinit(&head);
	return fd;
}

/* libdw looks for the split unit once: here, while its file has the name. */
static int join(struct pt_dwo *d, int skeleton_fd, struct pt_err *e)
{
	Dwarf_CU *c = NULL;
	Dwarf_Die skeleton;

	d->dw = dwarf_begin(skeleton_fd, DWARF_C_READ);
	if (!d->dw || dwarf_get_units(d->dw, NULL, &c, NULL, NULL, &skeleton, &d->cu))
		return pt_err_set(e, "a split unit: libdw: %s", dwarf_errmsg(-1));
	elf_cntl(dwarf_getelf(d->dw), ELF_C_FDDONE);
	return d->cu.addr ? 0 : pt_err_set(e, "a split unit cannot be opened again through /proc/self/fd");
}

Dwarf *pt_dwo_nothing(const struct pt_object *like)
{
	static const char zeros[16];
	struct pt_buf info = PT_BUF_INIT;
	const struct section v[] = { { ".debug_info", &info } };
	Dwarf *dw = NULL;
	int fd;

	pt_buf_add(&info, zeros, sizeof(zeros));
	fd = write_elf(like, v, PT_NR(v), NULL);
	pt_buf_deinit(&info);
	if (fd >= 0 && (dw = dwarf_begin(fd, DWARF_C_READ)))
		elf_cntl(dwarf_getelf(dw), ELF_C_FDREAD);
	if (fd >= 0)
		close(fd);
	return dw;
}

bool pt_dwo_needed(const struct pt_dw_unit *u)
{
	return u->skeleton;
}

uint64_t pt_dwo_base(const struct pt_dw_unit *u)
{
	return u->file == u->file->dwarf->package ? u->off : 0;
}

struct pt_dwo *pt_dwo_new(struct pt_dw_unit *split, struct pt_err *e)
{
	struct build b = { .f = split->file, .cu = split };
	struct pt_dwo *d = pt_alloc(sizeof(*d));
	int split_fd = (split->file == split->file->dwarf->package ? gather(&b, e) : gather_all(&b, e)) < 0 ? -1 : write_split(&b, e), skeleton_fd = split_fd < 0 ? -1 : write_skeleton(split, split_fd, e), r = -1;
	size_t i;

	if (skeleton_fd >= 0)
		r = join(d, skeleton_fd, e);
	if (split_fd >= 0)
		close(split_fd);
	if (skeleton_fd >= 0)
		close(skeleton_fd);
	for (i = 0; i < b.nr_tables; i++)
		pt_map_deinit(&b.tables[i].codes);
	pt_map_deinit(&b.seen);
	free(b.tables);
	free(b.types);
	pt_buf_deinit(&b.info);
	pt_buf_deinit(&b.type_info);
	pt_buf_deinit(&b.abbrev);
	pt_buf_deinit(&b.str);
	pt_buf_deinit(&b.str_offsets);
	pt_buf_deinit(&b.loc);
	pt_buf_deinit(&b.rnglists);
	if (!r)
		return d;
	pt_dwo_free(d);
	return NULL;
}

void pt_dwo_unit(const struct pt_dwo *d, Dwarf_Die *cu)
{
	*cu = d->cu;
}

void pt_dwo_free(struct pt_dwo *d)
{
	if (!d)
		return;
	dwarf_end(d->dw);
	free(d);
}
