#include "probe/where/insn.h"

#include <elf.h>
#include <stdbool.h>

enum { MAX_X86 = 15 };

struct insn {
	const uint8_t *p;
	size_t len, at;
	bool is64, op16, addr_short, wide;	/* prefixes: 66, 67, REX.W */
};

enum operands {				/* follow the opcode */
	NONE = 0, MODRM = 1, IMM8 = 2, IMM16 = 4, IMMZ = 8,	/* Z: 4 bytes, 2 with 66 */
	IMMV = 16,			/* as wide as the operand: up to 8 bytes */
	MOFFS = 32, FAR = 64,
	IMM4 = 128,			/* 4 bytes with any prefix */
	BAD = 256
};

static unsigned one_byte(const struct insn *x, uint8_t op)
{
	static const uint16_t alu[8] = { MODRM, MODRM, MODRM, MODRM, IMM8, IMMZ, NONE, NONE };

	if (op < 0x40)
		return (op & 7) >= 6 && x->is64 ? BAD : alu[op & 7];
	if (op < 0x60 || (op >= 0x90 && op <= 0x9f && op != 0x9a) || (op >= 0xa4 && op <= 0xa7) ||
	    (op >= 0xaa && op <= 0xaf) || op == 0x6c || op == 0x6d || op == 0x6e || op == 0x6f)
		return NONE;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe7) || (op >= 0xb0 && op <= 0xb7))
		return IMM8;
	if (op >= 0xb8 && op <= 0xbf)
		return IMMV;
	if ((op >= 0xd8 && op <= 0xdf) || (op >= 0xd0 && op <= 0xd3) || (op >= 0x84 && op <= 0x8f))
		return MODRM;
	switch (op) {
	case 0x60:
	case 0x61:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0xce:
		return x->is64 ? BAD : NONE;
	case 0x62: case 0xc4: case 0xc5: return x->is64 ? BAD : MODRM;
	case 0x63: case 0xfe: case 0xff: return MODRM;
	case 0x68: case 0xa9: return IMMZ;
	case 0xe8: case 0xe9: return x->is64 ? IMM4 : IMMZ;
	case 0x69: case 0x81: case 0xc7: return MODRM | IMMZ;
	case 0x6a: case 0xa8: case 0xcd: case 0xeb: return IMM8;
	case 0x6b:
	case 0x80:
	case 0x82:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6:
		return MODRM | IMM8;
	case 0x9a: case 0xea: return x->is64 ? BAD : FAR;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3: return MOFFS;
	case 0xc2: case 0xca: return IMM16;
	case 0xc8: return IMM16 | IMM8;
	case 0xd4: case 0xd5: return x->is64 ? BAD : IMM8;
	case 0xf6: case 0xf7: return MODRM;	/* some have immediates: see below */
	case 0xc3:
	case 0xc9:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xd6:
	case 0xd7:
	case 0xec:
	case 0xed:
	case 0xee:
	case 0xef:
	case 0xf1:
	case 0xf4:
	case 0xf5:
	case 0xf8: case 0xf9: case 0xfa: case 0xfb: case 0xfc: case 0xfd: return NONE;
	}
	return BAD;
}

static unsigned two_bytes(const struct insn *x, uint8_t op)
{
	if (op >= 0x80 && op <= 0x8f)
		return x->is64 ? IMM4 : IMMZ;
	if ((op >= 0x30 && op <= 0x37) || (op >= 0xc8 && op <= 0xcf))
		return NONE;
	switch (op) {
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x0b:
	case 0x0e:
	case 0x77:
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa8:
	case 0xa9:
	case 0xaa:
		return NONE;
	case 0x0f:
	case 0x70:
	case 0x71:
	case 0x72:
	case 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4:
	case 0xc5:
	case 0xc6:
		return MODRM | IMM8;
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x24:
	case 0x25:
	case 0x26:
	case 0x27:
	case 0x36:
	case 0x39:
	case 0x3b:
	case 0x3c:
	case 0x3d:
	case 0x3e:
	case 0x3f:
	case 0x7a: case 0x7b: case 0xa6: case 0xa7: return BAD;
	}
	return MODRM;
}

/* Opcode maps: VEX and EVEX 1 to 3 (0f, 0f 38, 0f 3a), EVEX also 5 and 6, XOP 8 to 10. */
static unsigned vector_map(const struct insn *x, unsigned map, uint8_t op)
{
	switch (map) {
	case 1: return two_bytes(x, op) & (MODRM | IMM8 | BAD);
	case 2: case 5: case 6: case 9: return MODRM;
	case 3: case 8: return MODRM | IMM8;
	case 10: return MODRM | IMM4;
	}
	return BAD;
}

static bool is_prefix(struct insn *x, uint8_t c)
{
	switch (c) {
	case 0x66:
		x->op16 = true;
		return true;
	case 0x67:
		x->addr_short = true;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return false;
}

/* The next byte; 0 behind the end, where the length is too great anyway. */
static uint8_t peek(const struct insn *x, size_t ahead)
{
	return x->at + ahead < x->len ? x->p[x->at + ahead] : 0;
}

/* C4, C5, 62 and 8F as prefixes. False: here they are plain opcodes. */
static bool vector(struct insn *x, uint8_t op, unsigned *what)
{
	uint8_t next = peek(x, 0);
	unsigned map;

	if (op == 0x8f ? (next & 0x1f) < 8 : !x->is64 && next < 0xc0)
		return false;
	if (op == 0xc5) {
		map = 1;
		x->at += 1;
	} else {
		map = op == 0x62 ? next & 7 : next & 0x1f;
		x->at += op == 0x62 ? 3 : 2;
	}
	*what = vector_map(x, map, peek(x, 0));
	x->at++;
	return true;
}

static unsigned opcode(struct insn *x)
{
	uint8_t op = peek(x, 0);
	unsigned what;

	x->at++;
	if ((op == 0xc4 || op == 0xc5 || op == 0x62 || op == 0x8f) && vector(x, op, &what))
		return what;
	if (op != 0x0f) {
		what = one_byte(x, op);
		if ((op == 0xf6 || op == 0xf7) && (peek(x, 0) & 0x38) <= 8)	/* test */
			what |= op == 0xf6 ? IMM8 : IMMZ;
		return what;
	}
	op = peek(x, 0);
	x->at++;
	if (op == 0x38 || op == 0x3a) {
		x->at++;
		return op == 0x38 ? MODRM : MODRM | IMM8;
	}
	return two_bytes(x, op);
}

static void modrm(struct insn *x)
{
	uint8_t c = peek(x, 0), mod = c >> 6, rm = c & 7;

	x->at++;
	if (mod == 3)
		return;
	if (x->addr_short && !x->is64) {
		x->at += mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
		return;
	}
	if (rm == 4) {
		rm = peek(x, 0) & 7;
		x->at++;
		x->at += mod == 0 && rm == 5 ? 4 : 0;
	} else if (mod == 0 && rm == 5) {
		x->at += 4;
	}
	x->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

static size_t x86(bool is64, const uint8_t *p, size_t len)
{
	struct insn x = { .p = p, .len = len < MAX_X86 ? len : MAX_X86, .is64 = is64 };
	unsigned what;

	while (x.at < x.len && is_prefix(&x, p[x.at]))
		x.at++;
	if (is64 && (peek(&x, 0) & 0xf0) == 0x40) {
		x.wide = peek(&x, 0) & 8;
		x.at++;
	}
	what = opcode(&x);
	if (what & BAD)
		return 0;
	if (what & MODRM)
		modrm(&x);
	x.at += (what & IMM8 ? 1 : 0) + (what & IMM16 ? 2 : 0) + (what & IMM4 ? 4 : 0);
	if (what & (IMMZ | IMMV))
		x.at += what & IMMV && x.wide ? 8 : x.op16 && !x.wide ? 2 : 4;
	if (what & MOFFS)
		x.at += is64 ? (x.addr_short ? 4 : 8) : x.addr_short ? 2 : 4;
	if (what & FAR)
		x.at += x.op16 ? 4 : 6;
	return x.at <= x.len ? x.at : 0;
}

size_t pt_insn_len(uint16_t machine, const uint8_t *p, size_t len)
{
	switch (machine) {
	case EM_X86_64: return x86(true, p, len);
	case EM_386: return x86(false, p, len);
	case EM_AARCH64: return len >= 4 ? 4 : 0;
	}
	return 0;
}
