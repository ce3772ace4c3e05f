/* References to functions, in images made by hand: code at 0x1000, data at 0x2000; the function stands at 0x1080. */
#include "test.h"

#include <elf.h>
#include <string.h>

#include "probe/where/call_sites.h"

enum { CODE = 0x1000, DATA = 0x2000, F = 0x1080, CODE_BYTES = 0x100, DATA_BYTES = 0x80 };

static struct image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	Elf64_Shdr sh[4];
	char names[32];
	uint8_t code[CODE_BYTES], data[DATA_BYTES];
} im;

static void begin(uint16_t type, uint16_t machine)
{
	im = (struct image){
		.eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = type,
			.e_machine = machine,
			.e_version = EV_CURRENT,
			.e_entry = CODE,
			.e_phoff = offsetof(struct image, ph),
			.e_shoff = offsetof(struct image, sh),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 4,
			.e_shstrndx = 3 },
		.ph = { { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_offset = offsetof(struct image, code),
			  .p_vaddr = CODE,
			  .p_filesz = CODE_BYTES,
			  .p_memsz = CODE_BYTES },
			{ .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_W,
			  .p_offset = offsetof(struct image, data),
			  .p_vaddr = DATA,
			  .p_filesz = DATA_BYTES,
			  .p_memsz = DATA_BYTES } },
		.sh = { { .sh_type = SHT_NULL },
			{ .sh_name = 1,
			  .sh_type = SHT_PROGBITS,
			  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			  .sh_addr = CODE,
			  .sh_offset = offsetof(struct image, code),
			  .sh_size = CODE_BYTES },
			{ .sh_name = 7,
			  .sh_type = SHT_PROGBITS,
			  .sh_flags = SHF_ALLOC | SHF_WRITE,
			  .sh_addr = DATA,
			  .sh_offset = offsetof(struct image, data),
			  .sh_size = DATA_BYTES },
			{ .sh_name = 13,
			  .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct image, names),
			  .sh_size = sizeof(im.names) } },
		.names = "\0.text\0.data\0.shstrtab",
	};
	memset(im.code, 0xcc, sizeof(im.code));
}

static void at(uint64_t vaddr, const void *bytes, size_t len)
{
	memcpy(vaddr < DATA ? im.code + (vaddr - CODE) : im.data + (vaddr - DATA), bytes, len);
}

static void word(uint64_t vaddr, uint64_t v, size_t len) { at(vaddr, &v, len); }

/* An instruction that ends in a displacement. */
static void refer(uint64_t vaddr, const char *opcode, size_t len, uint64_t to)
{
	at(vaddr, opcode, len);
	word(vaddr + len, to - (vaddr + len + 4), 4);
}

static uint64_t calls[PT_CALL_SITES_MAX];

static unsigned number(void)
{
	struct pt_object *o;
	unsigned nr;

	if (pt_object_open_memory(&o, &im, sizeof(im), "image", NULL) < 0)
		FAIL("no image");
	nr = pt_call_sites(o, F, calls);
	CHECK_INT(pt_call_sites(o, F, calls), nr);
	pt_object_put(o);
	return nr;
}

TEST(direct_calls)
{
	begin(ET_DYN, EM_X86_64);
	CHECK_INT(number(), 0);
	refer(0x1010, "\xe8", 1, F);
	CHECK_INT(number(), 1);
	CHECK_INT(calls[0], 0x1010);
	refer(0x10c1, "\xe8", 1, F);
	CHECK_INT(number(), 2);
	CHECK_INT(calls[0], 0x1010);
	CHECK_INT(calls[1], 0x10c1);
	for (unsigned i = 0; i < 7; i++)
		refer(0x1020 + i * 5, "\xe8", 1, F);
	CHECK_INT(number(), 0);		/* too many to follow */
	begin(ET_DYN, EM_AARCH64);
	refer(0x1010, "\xe8", 1, F);
	CHECK_INT(number(), 0);
	begin(ET_DYN, EM_X86_64);
	refer(0x1010, "\xe8", 1, F);
	im.eh.e_entry = F;
	CHECK_INT(number(), 0);
	im.eh.e_entry = CODE;
	CHECK_INT(number(), 1);
	im.sh[2].sh_type = 0x60000002;	/* relocations that are packed */
	CHECK_INT(number(), 0);
	im.sh[2].sh_type = SHT_PROGBITS;
	im.eh.e_shnum = 0;
	im.eh.e_shoff = 0;
	CHECK_INT(number(), 0);
}

/* With a call that is known, anything else makes it unknown. */
static unsigned besides(void (*make)(void))
{
	begin(ET_DYN, EM_X86_64);
	refer(0x1010, "\xe8", 1, F);
	make();
	return number();
}

static void jump(void) { refer(0x1020, "\xe9", 1, F); }
static void branch(void) { refer(0x1020, "\x0f\x84", 2, F); }
static void near_jump(void) { at(0x1070, "\xeb\x0e", 2); }
static void near_branch(void) { at(0x1090, "\x75\xee", 2); }
static void lea(void) { refer(0x1020, "\x48\x8d\x3d", 3, F); }
static void lea_before(void) { refer(F - 7, "\x48\x8d\x3d", 3, F); }
static void jump_before(void) { refer(F - 5, "\xe9", 1, F); }
static void branch_before(void) { refer(F - 6, "\x0f\x8f", 2, F); }
static void filler(void) { at(F - 7, "\x0f\x1f\x80\0\0\0\0", 7); }
static void filler_with_index(void) { at(F - 8, "\x0f\x1f\x84\0\0\0\0\0", 8); }
static void address(void) { word(DATA + 3, F, 8); }
static void relative(void) { word(DATA + 9, F - (DATA + 9), 4); }
static void half(void) { word(DATA + 9, F, 4); word(DATA + 13, 0x77777777, 4); }

TEST(other_references)
{
	CHECK_INT(besides(jump), 0);
	CHECK_INT(besides(branch), 0);
	CHECK_INT(besides(near_jump), 0);
	CHECK_INT(besides(near_branch), 0);
	CHECK_INT(besides(lea), 0);
	CHECK_INT(besides(lea_before), 0);
	CHECK_INT(besides(jump_before), 0);
	CHECK_INT(besides(branch_before), 0);
	CHECK_INT(besides(address), 0);
	CHECK_INT(besides(relative), 0);
	CHECK_INT(besides(half), 1);	/* no address of a program that may be loaded anywhere */
	im.eh.e_type = ET_EXEC;
	CHECK_INT(number(), 0);
	CHECK_INT(besides(filler), 1);
	CHECK_INT(besides(filler_with_index), 1);
}

TEST(from_the_global_offset_table)
{
	begin(ET_DYN, EM_X86_64);
	refer(0x1010, "\xe8", 1, F);
	memcpy(im.names, "\0.text\0.got\0\0.shstrtab", 23);
	CHECK_INT(number(), 1);
	word(DATA + 0x20, (uint64_t)F - DATA, 8);
	CHECK_INT(number(), 0);
}
