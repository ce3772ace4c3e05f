/* The split units (.dwo files) of a target as libdw reads them.
 *
 * libdw opens the file that a skeleton unit names, whatever that is; debug information must not
 * choose it (base/untrusted.h). So libdw gets a skeleton of pt's own, in memory, which names the
 * .dwo file that pt opened as /proc/self/fd/N. Sources: DWARF 5 sections 3.1.2, 3.1.3;
 * gcc.gnu.org/wiki/DebugFission. */
#include "probe/target/target_priv.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_SECTIONS = 3 };

struct pt_split {
	struct pt_buf image;		/* an ELF file, which dw reads */
	Elf *elf;
	Dwarf *dw;
	Dwarf_Die cu;
};

struct section {
	const char *name;
	struct pt_bytes data;
};

static struct pt_bytes target_split_bytes_of(const struct pt_buf *b)
{
	return pt_bytes(b->data, b->len, false);
}

/* Makes an ELF file of these sections. libdw ignores its class. */
static void write_image(struct pt_buf *b, uint16_t machine, const struct section *v, unsigned nr)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shoff = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(nr + 2),
		.e_shstrndx = (uint16_t)(nr + 1),
	};
	Elf64_Shdr sections[MAX_SECTIONS + 2] = { { .sh_name = 0 } }, *s = sections + 1;
	struct pt_buf names = PT_BUF_INIT;
	uint64_t off = sizeof(h) + (nr + 2) * sizeof(*s);

	pt_buf_putc(&names, '\0');
	for (unsigned i = 0; i < nr; i++, s++) {
		*s = (Elf64_Shdr){ .sh_name = (uint32_t)names.len,
				   .sh_type = SHT_PROGBITS,
				   .sh_offset = off,
				   .sh_size = pt_bytes_left(&v[i].data),
				   .sh_addralign = 1 };
		off += s->sh_size;
		pt_buf_add(&names, v[i].name, strlen(v[i].name) + 1);
	}
	*s = (Elf64_Shdr){ .sh_name = (uint32_t)names.len, .sh_type = SHT_STRTAB, .sh_offset = off,
			   .sh_size = names.len + sizeof(".shstrtab"), .sh_addralign = 1 };
	pt_buf_add(&names, ".shstrtab", sizeof(".shstrtab"));
	pt_buf_add(b, &h, sizeof(h));
	pt_buf_add(b, sections, (nr + 2) * sizeof(*s));
	for (unsigned i = 0; i < nr; i++)
		pt_buf_add(b, v[i].data.at, pt_bytes_left(&v[i].data));
	pt_buf_join(b, &names);
	pt_buf_deinit(&names);
}

static struct pt_split *open_image(uint16_t machine, const struct section *v, unsigned nr)
{
	struct pt_split *s = pt_alloc(sizeof(*s));

	write_image(&s->image, machine, v, nr);
	elf_version(EV_CURRENT);
	s->elf = elf_memory(s->image.data, s->image.len);
	s->dw = s->elf ? dwarf_begin_elf(s->elf, DWARF_C_READ, NULL) : NULL;
	return s;
}

struct pt_split *pt_split_nothing(const struct pt_object *like, Dwarf **dw)
{
	const struct section info = { ".debug_info", pt_bytes("", 1, false) };
	struct pt_split *s = open_image(like->machine, &info, 1);

	*dw = s->dw;
	return s;
}

void pt_split_free(struct pt_split *s)
{
	if (!s)
		return;
	dwarf_end(s->dw);
	elf_end(s->elf);
	pt_buf_deinit(&s->image);
	free(s);
}

/* In this machine's byte order. */
static void target_split_put(struct pt_buf *b, uint64_t v, unsigned bytes)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	for (unsigned i = 0; i < bytes; i++)
		pt_buf_putc(b, (char)(v >> 8 * (big ? bytes - 1 - i : i)));
}

/* The addresses of the split unit from index 0 on. */
static struct pt_bytes addresses(const struct pt_dw_unit *skeleton)
{
	uint64_t base = skeleton->addr_base, len = UINT64_MAX,
		 header = skeleton->offset_bytes == 8 ? 16 : 8;
	struct pt_bytes r;

	if (skeleton->version >= 5 && base >= header) {
		r = pt_dw_bytes(skeleton->file, PT_DW_ADDR, base - header, header);
		len = pt_bytes_u32(&r);
		len = header == 16 ? pt_bytes_u64(&r) : len;
		len -= PT_MIN(len, 4u);	/* version and sizes */
	}
	return pt_dw_bytes(skeleton->file, PT_DW_ADDR, base, len);
}

/* Writes a skeleton unit that names the split unit's file. */
static void write_skeleton(const struct pt_dw_unit *split, struct pt_buf *unit,
			   struct pt_buf *abbrev)
{
	const struct pt_dw_unit *u = split->skeleton;
	const bool v5 = split->version >= 5;
	const uint16_t attrs[][2] = {
		{ v5 ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_string },
		{ DW_AT_low_pc, DW_FORM_addr },
		{ v5 ? DW_AT_addr_base : DW_AT_GNU_addr_base, DW_FORM_sec_offset },
		{ DW_AT_GNU_dwo_id, DW_FORM_data8 },	/* in DWARF 5 it is in the header */
	};
	struct pt_buf b = PT_BUF_INIT;
	unsigned k;

	pt_buf_putc(abbrev, 1);
	pt_buf_putc(abbrev, v5 ? DW_TAG_skeleton_unit : DW_TAG_compile_unit);
	pt_buf_putc(abbrev, DW_CHILDREN_no);
	for (unsigned i = 0; i < PT_NR(attrs) - v5; i++)
		for (k = 0; k < 2; k++) {
			if (attrs[i][k] > 127)	/* ULEB128 */
				pt_buf_putc(abbrev, (char)(attrs[i][k] | 128));
			pt_buf_putc(abbrev,
				    (char)(attrs[i][k] > 127 ? attrs[i][k] >> 7 : attrs[i][k]));
		}
	pt_buf_add(abbrev, "\0\0", 3);
	target_split_put(&b, split->version, 2);
	if (v5) {
		pt_buf_putc(&b, DW_UT_skeleton);
		pt_buf_putc(&b, (char)u->address_bytes);
	}
	target_split_put(&b, 0, 4);			/* of its abbreviations */
	target_split_put(&b, v5 ? split->id : u->address_bytes, v5 ? 8 : 1);
	pt_buf_putc(&b, 1);
	pt_buf_printf(&b, "/proc/self/fd/%d", split->file->object->file.fd);
	pt_buf_putc(&b, '\0');
	target_split_put(&b, u->has_low ? u->low_pc : 0, u->address_bytes);
	target_split_put(&b, 0, 4);			/* of its addresses */
	target_split_put(&b, split->id, v5 ? 0 : 8);
	target_split_put(unit, b.len, 4);
	pt_buf_join(unit, &b);
	pt_buf_deinit(&b);
}

static int target_split_refuse(const struct pt_dw_unit *split, struct pt_err *e)
{
	const char *path = split->file->object->path;

	if (split->file == split->file->dwarf->package)
		return pt_err_set(
			e,
			"%s: a package of split debug information (.dwp), of which libdw does not "
			"read variables; move it away and keep the .dwo files, or build without "
			"-gsplit-dwarf",
			path);
	if (split->file->grouped)
		return pt_err_set(
			e,
			"%s: libdw does not read type units in split debug information; build "
			"without -fdebug-types-section or without -gsplit-dwarf",
			path);
	if (split->file->swap)
		return pt_err_set(e,
				  "%s: split debug information of the other byte order is not read",
				  path);
	return 0;
}

static int open_unit(struct pt_split **s, const struct pt_dw_unit *split, struct pt_err *e)
{
	struct pt_buf unit = PT_BUF_INIT, abbrev = PT_BUF_INIT;
	struct section v[] = { { .name = ".debug_info" },
			       { .name = ".debug_abbrev" },
			       { .name = ".debug_addr" } };
	Dwarf_Die skeleton;
	Dwarf_CU *c = NULL;

	*s = NULL;
	if (target_split_refuse(split, e) < 0)
		return -1;
	v[2].data = addresses(split->skeleton);
	if (!pt_dw_pay(split->file->dwarf, pt_bytes_left(&v[2].data)))
		return pt_err_set(e, "%s: too large", split->file->object->path);
	write_skeleton(split, &unit, &abbrev);
	v[0].data = target_split_bytes_of(&unit);
	v[1].data = target_split_bytes_of(&abbrev);
	*s = open_image(split->file->object->machine, v, PT_NR(v));
	pt_buf_deinit(&unit);
	pt_buf_deinit(&abbrev);
	/* libdw looks for the split unit only once: here */
	if ((*s)->dw && !dwarf_get_units((*s)->dw, NULL, &c, NULL, NULL, &skeleton, &(*s)->cu) &&
	    (*s)->cu.addr)
		return 0;
	pt_split_free(*s);
	*s = NULL;
	return pt_err_set(e, "%s: libdw does not read it (is there a /proc?)",
			  split->file->object->path);
}

int pt_target_split(struct pt_target *t, struct pt_dw_unit *split, Dwarf_Die *cu, struct pt_err *e)
{
	uint64_t *slot = pt_map_put(&t->splits, pt_word_of(split));
	struct pt_split *s = pt_pointer(*slot);

	if (!s && open_unit(&s, split, e) < 0)
		return -1;
	*slot = pt_word_of(s);
	*cu = s->cu;
	return 0;
}

bool pt_target_split_of(struct pt_target *t, Dwarf_Die *skeleton, Dwarf_Die *cu)
{
	struct pt_dw_unit *u =
		t->dwarf ? pt_dw_unit_at(t->dwarf->main, false, dwarf_dieoffset(skeleton)) : NULL;

	u = u ? pt_dw_unit_split(u) : NULL;
	return u && u->skeleton && !pt_target_split(t, u, cu, NULL);
}
