#include "probe/where/insn.h"

#include <elf.h>
#include <stdbool.h>

#ifdef PT_WITH_ZYDIS
#include <Zydis/Zydis.h>

static size_t x86_len(bool is64, const uint8_t *p, size_t len)
{
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder,
			 is64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, p, len, &insn))
		       ? insn.length
		       : 0;
}
#else
static size_t x86_len(bool is64, const uint8_t *p, size_t len)
{
	(void)is64, (void)p, (void)len;
	return 0;
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
