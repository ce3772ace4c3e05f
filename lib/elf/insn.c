#include "elf/insn.h"

#include <elf.h>

#ifdef PT_WITH_ZYDIS
#include <Zydis/Zydis.h>

static bool x86_read(bool is64, const uint8_t *p, size_t len, ZydisDecodedInstruction *insn)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder,
			 is64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, p, len, insn));
}

static size_t x86_len(bool is64, const uint8_t *p, size_t len)
{
	ZydisDecodedInstruction insn;

	return x86_read(is64, p, len, &insn) ? insn.length : 0;
}

static bool x86_is_branch(bool is64, const uint8_t *p, size_t len)
{
	ZydisDecodedInstruction insn;

	if (!x86_read(is64, p, len, &insn))
		return false;
	switch (insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_UNCOND_BR: return true;
	default: return false;
	}
}
#else
static size_t x86_len(bool is64, const uint8_t *p, size_t len)
{
	(void)is64, (void)p, (void)len;
	return 0;
}

static bool x86_is_branch(bool is64, const uint8_t *p, size_t len)
{
	(void)is64, (void)p, (void)len;
	return false;
}
#endif

size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len)
{
	switch (machine) {
	case EM_X86_64: return x86_len(true, p, len);
	case EM_386: return x86_len(false, p, len);
	case EM_AARCH64: return len >= 4 ? 4 : 0;
	}
	return 0;
}

bool pt_insn_is_branch(uint16_t machine, const uint8_t *p, size_t len)
{
	switch (machine) {
	case EM_X86_64: return x86_is_branch(true, p, len);
	case EM_386: return x86_is_branch(false, p, len);
	}
	return false;
}
