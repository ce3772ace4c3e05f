#include "elf/insn.h"

#include <elf.h>

struct shape { size_t len_bytes; bool is_branch; };	/* zeros: unknown */

#ifdef PT_WITH_ZYDIS
#include <Zydis/Zydis.h>

static bool is_branch(ZydisInstructionCategory c)
{
	return c == ZYDIS_CATEGORY_CALL || c == ZYDIS_CATEGORY_COND_BR ||
	       c == ZYDIS_CATEGORY_INTERRUPT || c == ZYDIS_CATEGORY_RET ||
	       c == ZYDIS_CATEGORY_SYSCALL || c == ZYDIS_CATEGORY_SYSRET ||
	       c == ZYDIS_CATEGORY_UNCOND_BR;
}

static struct shape x86(bool is64, const uint8_t *p, size_t len)
{
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder,
			 is64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, p, len, &insn)))
		return (struct shape){ 0 };
	return (struct shape){ insn.length, is_branch(insn.meta.category) };
}
#else
static struct shape x86(bool is64, const uint8_t *p, size_t len)
{
	(void)is64, (void)p, (void)len;
	return (struct shape){ 0 };
}
#endif

static struct shape shape_of(uint16_t machine, const uint8_t *p, size_t len)
{
	switch (machine) {
	case EM_X86_64: return x86(true, p, len);
	case EM_386: return x86(false, p, len);
	case EM_AARCH64: return (struct shape){ len >= 4 ? 4 : 0, false };
	}
	return (struct shape){ 0 };
}

size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len)
{
	return shape_of(machine, p, len).len_bytes;
}

bool pt_insn_is_branch(uint16_t machine, const uint8_t *p, size_t len)
{
	return shape_of(machine, p, len).is_branch;
}
