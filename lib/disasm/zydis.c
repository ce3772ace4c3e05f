/* zydis.c - x86 code, by Zydis. Its AT&T text is laid out as objdump's: the mnemonic padded to six
 * characters, no blank behind commas. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "disasm/disasm_priv.h"

#ifdef PT_WITH_ZYDIS
#include <Zydis/Zydis.h>

static enum pt_insn_kind kind_of(const ZydisDecodedInstruction *x)
{
	switch (x->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
		return PT_INSN_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return PT_INSN_CALL;
	case ZYDIS_CATEGORY_RET:
		return PT_INSN_RETURN;
	default:
		return PT_INSN_OTHER;
	}
}

static void add_text(const char *text, struct pt_buf *b)
{
	size_t len = strcspn(text, " ");

	pt_buf_clear(b);
	pt_buf_add(b, text, len);
	text += len + (text[len] == ' ');
	if (*text)
		pt_buf_pad_right(b, 0, 6);
	if (*text)
		pt_buf_putc(b, ' ');
	for (; *text; text++)
		if (*text != ' ' || text[-1] != ',')
			pt_buf_putc(b, *text);
}

static void add_bad(struct pt_insns *in, uint64_t vaddr, uint8_t byte)
{
	char text[32];
	int len = snprintf(text, sizeof(text), ".byte  0x%02x", byte);

	pt_insns_add(in, vaddr, 1, text, (size_t)len)->kind = PT_INSN_BAD;
}

bool pt_disasm_zydis(struct pt_insns *in, const struct pt_disasm_code *code)
{
	bool wide = !strcmp(code->arch, "x86_64");
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction x;
	ZydisFormatter formatter;
	ZydisDecoder decoder;
	struct pt_buf b = PT_BUF_INIT;
	char text[256];

	if (!wide && strcmp(code->arch, "i386") && strcmp(code->arch, "i686"))
		return false;
	ZydisDecoderInit(&decoder,
			 wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	ZydisFormatterInit(&formatter,
			   code->intel ? ZYDIS_FORMATTER_STYLE_INTEL : ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
	for (size_t at = 0; at < code->len_bytes; at += x.length) {
		uint64_t vaddr = code->vaddr + at;
		struct pt_insn *new;

		if (ZYAN_FAILED(ZydisDecoderDecodeFull(
			    &decoder, code->bytes + at, code->len_bytes - at, &x, operands)) ||
		    ZYAN_FAILED(ZydisFormatterFormatInstruction(
			    &formatter, &x, operands, x.operand_count_visible, text, sizeof(text),
			    vaddr, NULL))) {
			add_bad(in, vaddr, code->bytes[at]);
			x.length = 1;
			continue;
		}
		add_text(text, &b);
		new = pt_insns_add(in, vaddr, x.length, b.data, b.len);
		new->kind = kind_of(&x);
		if (x.operand_count_visible && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    operands[0].imm.is_relative)
			new->has_target = ZYAN_SUCCESS(
				ZydisCalcAbsoluteAddress(&x, &operands[0], vaddr, &new->target));
	}
	in->by = "Zydis";
	pt_buf_deinit(&b);
	return true;
}
#else
bool pt_disasm_zydis(struct pt_insns *in, const struct pt_disasm_code *code)
{
	(void)in, (void)code;
	return false;
}
#endif
