/* dwarf/dwarf_section.c: compressed sections: whole, damaged, and longer or shorter than they say. */
#include "test.h"

#include <elf.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "dwarf/dwarf.h"

enum { SMALL = 600 << 10, LARGE = 9 << 20, HEADERS = 64, SECTIONS = 4 };

static uint8_t *text(size_t len)
{
	uint8_t *p = pt_alloc(len);
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = i % 64 < 16 ? x * 1664525 + 1013904223 : x;
		p[i] = (uint8_t)(x >> 24 >> (i % 64 < 16 ? 4 : 0));
	}
	return p;
}

/* A file whose .debug_info is `in` as zlib packs it, said to have `says` bytes, with the byte at `damage` of what was packed changed (0: none). */
static struct pt_object *object_of(const uint8_t *in, size_t len, size_t says, size_t damage)
{
	static const char names[] = "\0.debug_info\0.names";
	uLongf packed = compressBound(len);
	uint8_t *image = pt_alloc(4096 + packed);
	struct pt_object *o = NULL;
	struct pt_err e;
	Elf64_Chdr *c = (Elf64_Chdr *)(image + 1024);
	Elf64_Shdr *s = (Elf64_Shdr *)(image + 512);
	Elf64_Ehdr *h = (Elf64_Ehdr *)image;

	CHECK_INT(compress2((uint8_t *)(c + 1), &packed, in, len, 1), Z_OK);
	if (damage)
		((uint8_t *)(c + 1))[damage % packed] ^= 0xff;
	*c = (Elf64_Chdr){ .ch_type = ELFCOMPRESS_ZLIB, .ch_size = says, .ch_addralign = 1 };
	memcpy(image + 256, names, sizeof(names));
	s[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED, .sh_offset = 1024, .sh_size = sizeof(*c) + packed, .sh_addralign = 1 };
	s[2] = (Elf64_Shdr){ .sh_name = 13, .sh_type = SHT_STRTAB, .sh_offset = 256, .sh_size = sizeof(names), .sh_addralign = 1 };
	memcpy(h->e_ident, ELFMAG "\2\1\1", 7);
	h->e_type = ET_DYN, h->e_machine = EM_X86_64, h->e_version = 1, h->e_shoff = 512, h->e_ehsize = sizeof(*h);
	h->e_shentsize = sizeof(*s), h->e_shnum = 3, h->e_shstrndx = 2;
	if (pt_object_open_memory(&o, pt_test_guarded(image, 1024 + sizeof(*c) + packed), 1024 + sizeof(*c) + packed, "image", &e) < 0)
		FAIL("%s", e.msg);
	free(image);
	return o;
}

/* The section's bytes, or none. */
static void check(const uint8_t *in, size_t len, size_t says, size_t damage)
{
	struct pt_object *o = object_of(in, len, says, damage);
	struct pt_dwarf *d = pt_dwarf_new(o);
	struct pt_bytes b;

	CHECK(d);
	b = pt_dw_bytes(d->main, PT_DW_INFO, 1, UINT64_MAX);
	if (damage || says != len) {
		CHECK(b.bad);
		CHECK_INT(d->main->sections[PT_DW_INFO].len, 0);
	} else {
		CHECK_INT(pt_bytes_left(&b), len - 1);
		CHECK(!memcmp(b.at, in + 1, len - 1));
	}
	pt_dwarf_free(d);
	pt_object_put(o);
}

TEST(whole)
{
	uint8_t *small = text(SMALL), *large = text(LARGE);

	check(small, SMALL, SMALL, 0);
	check(small, 3, 3, 0);
	check(large, LARGE, LARGE, 0);
	free(small);
	free(large);
}

/* libdw unpacks all sections at once. */
TEST(more_than_the_budget)
{
	uint8_t *small = text(SMALL);
	struct pt_object *o = object_of(small, SMALL, SMALL, 0);
	struct pt_dwarf *d = pt_dwarf_new(o);

	o->budget.memory.left = SMALL - 1;
	CHECK(!pt_dw_may_unpack(d->main));
	o->budget.memory.left = SMALL;
	CHECK(pt_dw_may_unpack(d->main));
	CHECK_INT(o->budget.memory.left, SMALL);
	pt_dwarf_free(d);
	pt_object_put(o);
	free(small);
}

TEST(of_another_length)
{
	uint8_t *small = text(SMALL);

	check(small, SMALL, SMALL + 5, 0);
	check(small, SMALL, SMALL - 5, 0);
	check(small, SMALL, 1, 0);
	free(small);
}

TEST(damaged)
{
	uint8_t *small = text(SMALL);
	size_t at;

	for (at = 2; at < SMALL; at = at * 3 + 1)
		check(small, SMALL, SMALL, at);
	free(small);
}
