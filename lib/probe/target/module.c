#include "probe/target/module.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "elf/packed.h"
#include "probe/target/module_priv.h"

enum { MAX_SECTIONS = 1 << 16, MAX_ALIGN = 1 << 16, FIRST_VADDR = 0x10000, MAX_GROWTH = 1 << 30 };

enum how { SET, ADD, SUB, PC_RELATIVE };

/* Relocation types in sections of debug information. */
static const struct { uint16_t machine, type; uint8_t bytes; enum how how; } relocations[] = {
	{ EM_X86_64, R_X86_64_64, 8, SET }, { EM_X86_64, R_X86_64_32, 4, SET }, { EM_X86_64, R_X86_64_32S, 4, SET }, { EM_X86_64, R_X86_64_PC32, 4, PC_RELATIVE },
	{ EM_X86_64, R_X86_64_PC64, 8, PC_RELATIVE }, { EM_386, R_386_32, 4, SET }, { EM_386, R_386_PC32, 4, PC_RELATIVE },
	{ EM_AARCH64, R_AARCH64_ABS64, 8, SET }, { EM_AARCH64, R_AARCH64_ABS32, 4, SET }, { EM_AARCH64, R_AARCH64_PREL32, 4, PC_RELATIVE },
	{ EM_AARCH64, R_AARCH64_PREL64, 8, PC_RELATIVE }, { EM_S390, R_390_32, 4, SET }, { EM_S390, R_390_64, 8, SET }, { EM_S390, R_390_PC32, 4, PC_RELATIVE },
	{ EM_S390, R_390_PC64, 8, PC_RELATIVE }, { EM_PPC64, R_PPC64_ADDR64, 8, SET }, { EM_PPC64, R_PPC64_ADDR32, 4, SET }, { EM_PPC64, R_PPC64_REL32, 4, PC_RELATIVE },
	{ EM_RISCV, R_RISCV_64, 8, SET }, { EM_RISCV, R_RISCV_32, 4, SET }, { EM_RISCV, R_RISCV_SET8, 1, SET }, { EM_RISCV, R_RISCV_SET16, 2, SET },
	{ EM_RISCV, R_RISCV_SET32, 4, SET }, { EM_RISCV, R_RISCV_ADD8, 1, ADD }, { EM_RISCV, R_RISCV_ADD16, 2, ADD }, { EM_RISCV, R_RISCV_ADD32, 4, ADD },
	{ EM_RISCV, R_RISCV_ADD64, 8, ADD }, { EM_RISCV, R_RISCV_SUB8, 1, SUB }, { EM_RISCV, R_RISCV_SUB16, 2, SUB }, { EM_RISCV, R_RISCV_SUB32, 4, SUB },
	{ EM_RISCV, R_RISCV_SUB64, 8, SUB },
};

/* A section header and its offset. */
struct section { uint64_t at, off, len, vaddr, flags, align; uint32_t name, type, link, info; };

struct image {
	struct pt_buf b;
	bool is64, swap;
	uint16_t machine;
	struct section *v;
	size_t nr;
};

/* -- numbers in the image; outside of it reads give 0 and writes are dropped -- */

static bool within(const struct image *i, uint64_t at, uint64_t len)
{
	return at <= i->b.len && len <= i->b.len - at;
}

static uint64_t get(const struct image *i, uint64_t at, unsigned bytes)
{
	const char *p = i->b.data + at;

	if (!within(i, at, bytes))
		return 0;
	switch (bytes) {
	case 1: return *(const uint8_t *)p;
	case 2: return pt_load16(p, i->swap);
	case 4: return pt_load32(p, i->swap);
	default: return pt_load64(p, i->swap);
	}
}

static void set(struct image *i, uint64_t at, unsigned bytes, uint64_t v)
{
	uint8_t b[8];
	bool big = i->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	if (!within(i, at, bytes))
		return;
	for (unsigned n = 0; n < bytes; n++)
		b[n] = (uint8_t)(v >> 8 * (big ? bytes - 1 - n : n));
	memcpy(i->b.data + at, b, bytes);
}

/* A word of the class. */
static unsigned word(const struct image *i)
{
	return i->is64 ? 8 : 4;
}

/* -- sections -- */

static int read_header(struct image *i, const char *path, struct pt_err *e)
{
	const uint8_t *ident = (const uint8_t *)i->b.data;
	uint64_t shoff, nr;
	unsigned size;

	if (i->b.len < 64 || memcmp(ident, ELFMAG, SELFMAG) ||
	    (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32))
		return pt_err_set(e, "%s: no ELF file", path);
	i->is64 = ident[EI_CLASS] == ELFCLASS64;
	i->swap = (ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	i->machine = (uint16_t)get(i, 18, 2);
	if (get(i, 16, 2) != ET_REL)
		return pt_err_set(e, "%s: no kernel module: it is linked", path);
	shoff = get(i, i->is64 ? 40 : 32, word(i));
	size = (unsigned)get(i, i->is64 ? 58 : 46, 2);
	nr = get(i, i->is64 ? 60 : 48, 2);
	if (!within(i, shoff, 1))
		return pt_err_set(e, "%s: cut short: %zu bytes, its section headers are at %llu",
				  path, i->b.len, (unsigned long long)shoff);
	if (size < (i->is64 ? 64u : 40u))
		return pt_err_set(e, "%s: section headers of %u bytes", path, size);
	if (!nr)			/* a number that does not fit is in the first header */
		nr = get(i, shoff + (i->is64 ? 32 : 20), word(i));
	i->nr = (size_t)PT_MIN(PT_MIN(nr, (uint64_t)MAX_SECTIONS), (i->b.len - shoff) / size);
	i->v = pt_alloc_array(i->nr, sizeof(*i->v));
	for (size_t n = 0; n < i->nr; n++)
		i->v[n].at = shoff + n * size;
	return 0;
}

static void read_section(const struct image *i, struct section *s)
{
	unsigned w = word(i);
	uint64_t at = s->at + 8;

	s->name = (uint32_t)get(i, s->at, 4);
	s->type = (uint32_t)get(i, s->at + 4, 4);
	s->flags = get(i, at, w);
	s->vaddr = get(i, at += w, w);
	s->off = get(i, at += w, w);
	s->len = get(i, at += w, w);
	s->link = (uint32_t)get(i, at += w, 4);
	s->info = (uint32_t)get(i, at + 4, 4);
	s->align = get(i, at + 8, w);
	if (s->type != SHT_NOBITS && !within(i, s->off, s->len))
		s->off = s->len = 0;
}

/* Gives addresses to loaded sections in the file's order. */
static void lay_out(struct image *i)
{
	uint64_t next = FIRST_VADDR;

	for (size_t n = 1; n < i->nr; n++) {
		struct section *s = &i->v[n];
		uint64_t align = s->align && s->align <= MAX_ALIGN && !(s->align & (s->align - 1))
					 ? s->align
					 : 1;

		if (!(s->flags & SHF_ALLOC) || s->len > MAX_GROWTH || next > UINT32_MAX / 2)
			continue;
		/* Leaves a gap: a symbol at the end of a section must not seem to be in the next
		 * one. */
		s->vaddr = next = (next + align) & ~(align - 1);
		next += s->len + 1;
		set(i, s->at + 8 + word(i), word(i), s->vaddr);
	}
}

/* -- compressed sections: their relocations are for the unpacked bytes, which go to the end of the
 * image -- */

static void unpack_section(struct image *i, struct section *s)
{
	unsigned w = word(i);
	struct pt_packed p;
	uint64_t at;
	uint8_t *out;

	if (!(s->flags & SHF_COMPRESSED) || s->type == SHT_NOBITS ||
	    !pt_packed_head((const uint8_t *)i->b.data + s->off, s->len, i->is64, i->swap, &p) ||
	    p.len_bytes > MAX_GROWTH || i->b.len > MAX_GROWTH)
		return;
	out = pt_packed_all(&p);
	if (out) {
		at = i->b.len;
		pt_buf_add(&i->b, out, p.len_bytes);
		s->off = at;
		s->len = p.len_bytes;
		s->flags &= ~(uint64_t)SHF_COMPRESSED;
		set(i, s->at + 8, w, s->flags);
		set(i, s->at + 8 + 2 * w, w, s->off);
		set(i, s->at + 8 + 3 * w, w, s->len);
	}
	free(out);
}

/* -- symbols and relocations -- */

static unsigned symbol_bytes(const struct image *i)
{
	return i->is64 ? 24 : 16;
}

static void move_symbols(struct image *i, const struct section *s)
{
	for (uint64_t at = s->off; s->len - (at - s->off) >= symbol_bytes(i);
	     at += symbol_bytes(i)) {
		uint64_t value = at + (i->is64 ? 8 : 4),
			 section = get(i, at + (i->is64 ? 6 : 14), 2);

		if (section && section < i->nr && section < SHN_LORESERVE)
			set(i, value, word(i), get(i, value, word(i)) + i->v[section].vaddr);
	}
}

static void relocate_one(struct image *i, const struct section *to, const struct section *symbols,
			 uint64_t at, bool rela)
{
	unsigned w = word(i), n;
	uint64_t place = get(i, at, w), info = get(i, at + w, w),
		 v = rela ? get(i, at + 2 * w, w) : 0, symbol = i->is64 ? info >> 32 : info >> 8,
		 old;
	uint32_t type = (uint32_t)(i->is64 ? info & 0xffffffff : info & 0xff);

	for (n = 0; n < PT_NR(relocations) &&
		    (relocations[n].machine != i->machine || relocations[n].type != type);
	     n++)
		;
	if (n == PT_NR(relocations) || place > to->len || to->len - place < relocations[n].bytes ||
	    symbol >= symbols->len / symbol_bytes(i))
		return;
	old = get(i, to->off + place, relocations[n].bytes);
	v += get(i, symbols->off + symbol * symbol_bytes(i) + (i->is64 ? 8 : 4), w);
	v += rela ? 0 : old;
	switch (relocations[n].how) {
	case SET:
		break;
	case ADD:
		v = old + v;
		break;
	case SUB:
		v = old - v;
		break;
	case PC_RELATIVE:
		v -= to->vaddr + place;
		break;
	}
	set(i, to->off + place, relocations[n].bytes, v);
}

/* Relocates sections that are not loaded. */
static void relocate(struct image *i, const struct section *s)
{
	bool rela = s->type == SHT_RELA;
	unsigned one = word(i) * (rela ? 3 : 2);
	const struct section *to, *symbols;

	if (!s->info || s->info >= i->nr || s->link >= i->nr)
		return;
	to = &i->v[s->info];
	symbols = &i->v[s->link];
	if (to->flags & SHF_ALLOC || to->type == SHT_NOBITS || symbols->type != SHT_SYMTAB)
		return;
	for (uint64_t at = s->off; s->len - (at - s->off) >= one; at += one)
		relocate_one(i, to, symbols, at, rela);
}

static void link_image(struct image *i)
{
	for (size_t n = 1; n < i->nr; n++)
		read_section(i, &i->v[n]);
	for (size_t n = 1; n < i->nr; n++)
		if (!(i->v[n].flags & SHF_ALLOC))
			unpack_section(i, &i->v[n]);
	lay_out(i);
	for (size_t n = 1; n < i->nr; n++)
		if (i->v[n].type == SHT_SYMTAB)
			move_symbols(i, &i->v[n]);
	for (size_t n = 1; n < i->nr; n++)
		if (i->v[n].type == SHT_RELA || i->v[n].type == SHT_REL)
			relocate(i, &i->v[n]);
	set(i, 16, 2, ET_DYN);		/* nothing is left to be relocated */
}

/* -- as an object -- */

static void add_segments(struct pt_object *o, const struct image *i)
{
	o->segments = pt_realloc(o->segments, i->nr + 1, sizeof(*o->segments));
	o->nr_segments = 0;
	for (size_t n = 1; n < i->nr; n++) {
		const struct section *s = &i->v[n];

		if (s->vaddr && s->flags & SHF_ALLOC)
			o->segments[o->nr_segments++] = (struct pt_segment){
				.vaddr = s->vaddr,
				.off = s->off,
				.mem_bytes = s->len,
				.file_bytes = s->type == SHT_NOBITS ? 0 : s->len,
				.flags = PF_R | (s->flags & SHF_WRITE ? PF_W : 0) |
					 (s->flags & SHF_EXECINSTR ? PF_X : 0),
			};
	}
}

/* "name=dummy" of .modinfo, else from the file's name. */
static char *name_of(const struct pt_object *o, const char *path)
{
	const char *base = strrchr(path, '/');
	struct pt_section s;
	char *name;

	if (pt_object_section(o, ".modinfo", &s) && s.data)
		for (const char *p = (const char *)s.data, *end = p + s.len_bytes; p < end; ) {
			size_t len = strnlen(p, (size_t)(end - p));

			if (len > 5 && len < 64 && !memcmp(p, "name=", 5) &&
			    len < (size_t)(end - p) && !strpbrk(p, " \t\n:/+"))
				return pt_strdup(p + 5);
			p += len + 1;
		}
	base = base ? base + 1 : path;
	name = pt_strndup(base, strcspn(base, "."));
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

bool pt_module_is(int fd)
{
	uint8_t head[18];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < (ssize_t)sizeof(head))
		return false;
	return module_is_packed(head, (size_t)n) ||
	       (!memcmp(head, ELFMAG, SELFMAG) &&
		head[head[EI_DATA] == ELFDATA2MSB ? 17 : 16] == ET_REL &&
		!head[head[EI_DATA] == ELFDATA2MSB ? 16 : 17]);
}

int pt_module_open(struct pt_module *m, struct pt_object **o, int fd, const char *path,
		   struct pt_err *e)
{
	struct image i = { .nr = 0 };
	int rc = module_read(fd, path, &i.b, e);

	close(fd);
	if (rc == 0)
		rc = read_header(&i, path, e);
	if (rc == 0) {
		link_image(&i);
		rc = pt_object_open_memory(o, i.b.data, i.b.len, path, e);
	}
	if (rc == 0) {
		(*o)->type = ET_REL;
		add_segments(*o, &i);
		*m = (struct pt_module){ (uint8_t *)i.b.data, i.b.len, name_of(*o, path) };
	} else {
		pt_buf_deinit(&i.b);
	}
	free(i.v);
	return rc;
}

void pt_module_deinit(struct pt_module *m)
{
	free(m->data);
	free(m->name);
	*m = (struct pt_module){ .data = NULL };
}

const char *pt_module_section(const struct pt_object *o, uint64_t vaddr, uint64_t *start)
{
	struct pt_section s;
	const char *name;

	for (size_t n = 1; n < pt_object_nr_sections(o); n++)
		if (pt_object_section_at(o, n, &s, &name) && s.flags & SHF_ALLOC &&
		    vaddr >= s.vaddr && vaddr - s.vaddr < s.len_bytes) {
			*start = s.vaddr;
			return name;
		}
	return NULL;
}
