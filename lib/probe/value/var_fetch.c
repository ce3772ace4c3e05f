#include "probe/value/var_priv.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/symtab.h"
#include "probe/tracefs/def.h"

enum { MAX_ELEMENTS = 64 };	/* the kernel's MAX_ARRAY_LEN */

struct want {				/* how a scalar is to be shown */
	char letter;			/* u, s, x; c: char */
	unsigned bytes;
};

/* ---- addresses ---- */

/* The kernel's own variables: by symbol, since it moves with each boot. */
static int kernel_base(const struct pt_var_scope *s, int64_t vaddr, struct pt_buf *b,
		       struct pt_err *e)
{
	struct pt_section sec;
	uint64_t text;

	if (s->module)
		return pt_err_set(
			e,
			"it is a variable of a module, which the debug information does not place; take @SYMBOL");
	if (!s->object || !pt_symtab_named(pt_symtab_of(s->object), "_text", &text))
		return pt_err_set(
			e,
			"it is a global variable, and the image does not tell where the kernel begins (no symbol _text)");
	if (pt_object_section(s->object, ".data..percpu", &sec) &&
	    (uint64_t)vaddr - sec.vaddr < sec.len_bytes)
		return pt_err_set(
			e,
			"there is one on each CPU, and the kernel cannot tell which is this one's");
	pt_buf_printf(b, "@_text%+" PRId64, (int64_t)((uint64_t)vaddr - text));
	return 0;
}

/* The first read of a chain that begins at an address of the object. Of programs the kernel takes
 * file offsets and turns them into addresses by the distance between the probe's offset and its
 * address: so the distance of the variable from the probe is what counts, wherever it is (or is
 * not) in the file. */
static int object_base(const struct pt_var_scope *s, int64_t vaddr, struct pt_buf *b,
		       struct pt_err *e)
{
	if (s->kernel)
		return kernel_base(s, vaddr, b, e);
	pt_buf_printf(b, "@+%" PRId64, (int64_t)((uint64_t)vaddr - s->vaddr + s->file_off));
	return 0;
}

/* What stands at the chain's address. */
static int memory(const struct pt_var_scope *s, const struct pt_chain *c, struct pt_buf *b,
		  struct pt_err *e)
{
	struct pt_buf inner = PT_BUF_INIT, outer = PT_BUF_INIT;
	unsigned i = 0;

	if (c->bits < s->word_bytes * 8)
		return pt_err_set(e, "it is at an address that is computed");
	if (c->nr_reads && s->word_bytes != (s->kernel_word_bytes ? s->kernel_word_bytes : 8))
		return pt_err_set(
			e,
			"it lies behind a pointer in memory, of which this kernel would read 8 bytes: the program's have %u",
			s->word_bytes);
	switch (c->base) {
	case PT_BASE_REG:
		pt_buf_printf(&inner, "%%%s",
			      pt_loc_reg(s->machine, c->reg) ? pt_loc_reg(s->machine, c->reg)
							     : "?");
		break;
	case PT_BASE_RETVAL:
		pt_buf_puts(&inner, "$retval");
		break;
	case PT_BASE_NONE:
		pt_buf_printf(&inner, "@0x%" PRIx64,
			      s->word_bytes == 4 ? (uint64_t)(uint32_t)c->off[0]
						 : (uint64_t)c->off[0]);
		i = 1;
		break;
	case PT_BASE_OBJECT:
		if (object_base(s, c->off[0], &inner, e) < 0)
			return -1;
		i = 1;
		break;
	}
	for (; i <= c->nr_reads; i++) {
		pt_buf_clear(&outer);
		pt_buf_printf(&outer, "%c%s%" PRIu64 "(%s)", c->off[i] < 0 ? '-' : '+',
			      c->user_reads >> i & 1 ? "u" : "",
			      c->off[i] < 0 ? 0 - (uint64_t)c->off[i] : (uint64_t)c->off[i],
			      inner.data);
		pt_buf_clear(&inner);
		pt_buf_puts(&inner, outer.data);
	}
	pt_buf_puts(b, inner.data);
	pt_buf_deinit(&inner);
	pt_buf_deinit(&outer);
	return 0;
}

/* ---- scalars ---- */

static void type_name(const struct want *w, struct pt_buf *b)
{
	if (w->letter == 'c')
		pt_buf_puts(b, ":char");
	else
		pt_buf_printf(b, ":%c%u", w->letter, w->bytes * 8);
}

static void constant(uint64_t v, const struct want *w, struct pt_buf *b)
{
	if (w->bytes < 8)
		v &= ~0ull >> (64 - 8 * w->bytes);
	if (w->letter == 's' && v >> (8 * w->bytes - 1))
		pt_buf_printf(b, "\\%" PRId64,
			      (int64_t)(w->bytes < 8 ? v | ~0ull << 8 * w->bytes : v));
	else if (w->letter == 'x')
		pt_buf_printf(b, "\\0x%" PRIx64, v);
	else
		pt_buf_printf(b, "\\%" PRIu64, v);
	type_name(w, b);
}

/* Bits of a register or a word: `lsb` from the least significant one on. The kernel's type of bits
 * has no sign. */
static int some_bits(const char *text, unsigned lsb, unsigned nr, unsigned word_bits, char letter,
		     struct pt_buf *b, struct pt_err *e)
{
	if (letter == 's')
		return pt_err_set(
			e,
			"it is in %u bits, which the kernel shows without sign; as such they may be had by :u%u",
			nr,
			nr <= 8    ? 8
			: nr <= 16 ? 16
			: nr <= 32 ? 32
				   : 64);
	if (lsb + nr > word_bits)
		return pt_err_set(e, "it does not end in one register");
	pt_buf_printf(b, "%s:b%u@%u/%u", text, nr, lsb, word_bits);
	return 0;
}

/* A part of a register: `off` bytes into what the whole `len` bytes of are there. */
static int in_register(const struct pt_var_scope *s, const struct pt_obj *o,
		       const struct pt_loc_piece *p, uint64_t off, const struct want *w,
		       struct pt_buf *b, struct pt_err *e)
{
	char reg[32] = "$retval";
	uint64_t whole = p->size_bytes ? p->size_bytes : o->whole_bytes, lsb;
	unsigned word_bits = s->word_bytes * 8u;

	if (p->chain.base == PT_BASE_REG)
		pt_loc_reg_text(s->machine, p->chain.reg, reg, sizeof(reg));
	if (whole > s->word_bytes && (off || w->bytes > s->word_bytes || !p->size_bytes))
		return pt_err_set(e, "it is wider than %s, and the rest of it is not told", reg);
	if (off >= 8 || w->bytes > s->word_bytes)
		return pt_err_set(e, "it does not end in one register");
	lsb = s->big_endian ? (PT_MAX(whole, off + w->bytes) - off - w->bytes) * 8 : off * 8;
	if (o->bits) {
		lsb = s->big_endian ? (whole ? whole : s->word_bytes) * 8 - off * 8 -
					      o->bit_bytes_off - o->bits
				    : off * 8 + o->bit_bytes_off;
		return lsb > 63
			       ? pt_err_set(e, "it does not end in one register")
			       : some_bits(reg, (unsigned)lsb, o->bits, word_bits, w->letter, b, e);
	}
	if (lsb)
		return some_bits(reg, (unsigned)lsb, w->bytes * 8, word_bits,
				 w->letter == 'c' ? 'u' : w->letter, b, e);
	pt_buf_puts(b, reg);
	type_name(w, b);
	return 0;
}

/* Bits in memory: a container that has them all, where it would stand in a structure, else at the
 * first byte. */
static int bit_field(const struct pt_var_scope *s, const struct pt_obj *o, struct pt_chain c,
		     uint64_t off, char letter, struct pt_buf *b, struct pt_err *e)
{
	uint64_t first = off * 8 + o->bit_bytes_off, start = 0;
	unsigned bytes, lsb;
	bool fits = false;
	struct pt_buf text = PT_BUF_INIT;
	int r;

	for (bytes = 1; !fits && bytes <= 8; bytes *= 2) {
		start = first / 8 / bytes * bytes;
		fits = first + o->bits <= (start + bytes) * 8;
		if (fits)
			break;
	}
	for (bytes = fits ? bytes : 1; !fits && bytes <= 8; bytes *= 2) {
		start = first / 8;
		fits = first + o->bits <= (start + bytes) * 8;
		if (fits)
			break;
	}
	if (!fits)
		return pt_err_set(e, "it spans more than 8 bytes");
	lsb = (unsigned)(first - start * 8);
	if (s->big_endian)
		lsb = bytes * 8 - lsb - o->bits;
	c.off[c.nr_reads] = (int64_t)((uint64_t)c.off[c.nr_reads] + start);
	r = memory(s, &c, &text, e);
	if (!r && o->bits == bytes * 8)
		pt_buf_printf(b, "%s:%c%u", text.data, letter, o->bits);
	else if (!r)
		r = some_bits(text.data, lsb, o->bits, bytes * 8, letter, b, e);
	pt_buf_deinit(&text);
	return r;
}

static uint64_t bytes_value(const struct pt_var_scope *s, const uint8_t *p, unsigned len)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < len; i++)
		v |= (uint64_t)p[i] << 8 * (s->big_endian ? len - 1 - i : i);
	return v;
}

/* Known bytes: a constant, or bits of one. */
static int known(const struct pt_var_scope *s, const struct pt_obj *o, const uint8_t *bytes,
		 uint64_t len, uint64_t off, const struct want *w, struct pt_buf *b,
		 struct pt_err *e)
{
	uint64_t v;
	unsigned n;

	if (!o->bits) {
		if (off > len || len - off < w->bytes)
			return pt_err_set(e, "it is optimised out here");
		constant(bytes_value(s, bytes + off, w->bytes), w, b);
		return 0;
	}
	n = (o->bit_bytes_off + o->bits + 7) / 8;
	if (n > 8 || off > len || len - off < n)
		return pt_err_set(e, "it is optimised out here");
	v = bytes_value(s, bytes + off, n) >>
	    (s->big_endian ? n * 8 - o->bit_bytes_off - o->bits : o->bit_bytes_off);
	v &= ~0ull >> (64 - o->bits);
	if (w->letter == 's' && v >> (o->bits - 1))
		v |= ~0ull << (o->bits - 1);
	constant(v, w, b);
	return 0;
}

static int computed(const struct pt_var_scope *s, const struct pt_chain *c, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_chain inner = *c;
	char text[64] = "";

	if (c->base == PT_BASE_OBJECT && !c->nr_reads)
		return pt_err_set(
			e,
			"it is the address of something, which is known when the program runs only");
	if (!c->nr_reads && c->base == PT_BASE_REG) {
		pt_loc_reg_text(s->machine, c->reg, text, sizeof(text));
	} else if (c->nr_reads) {
		inner.nr_reads--;
		inner.bits = 64;
		if (!memory(s, &inner, &b, NULL) && b.len < sizeof(text))
			memcpy(text, b.data, b.len + 1);
		pt_buf_deinit(&b);
	}
	return pt_err_set(e,
			  "it is computed (%s %c %" PRIu64
			  "), and stands nowhere: the kernel can fetch, not add",
			  *text ? text : "a register", c->off[c->nr_reads] < 0 ? '-' : '+',
			  c->off[c->nr_reads] < 0 ? 0 - (uint64_t)c->off[c->nr_reads]
						  : (uint64_t)c->off[c->nr_reads]);
}

/* A value that is a chain itself: constants, registers, words in memory. */
static int in_value(const struct pt_var_scope *s, const struct pt_obj *o,
		    const struct pt_loc_piece *p, uint64_t off, const struct want *w,
		    struct pt_buf *b, struct pt_err *e)
{
	const struct pt_chain *c = &p->chain;
	unsigned valid = PT_MIN(c->bits, s->word_bytes * 8u) / 8;
	struct pt_chain at = *c;
	struct pt_loc_piece reg = *p;
	struct want part = *w;
	uint8_t bytes[8];
	unsigned i;

	if (c->base == PT_BASE_NONE && !c->nr_reads) {
		unsigned len = PT_MIN(PT_MAX(o->whole_bytes, w->bytes), 8u);

		for (i = 0; i < len; i++)
			bytes[i] = (uint8_t)((uint64_t)c->off[0] >>
					     8 * (s->big_endian ? len - 1 - i : i));
		return known(s, o, bytes, len, off, w, b, e);
	}
	if (c->base == PT_BASE_OBJECT && !c->nr_reads && s->object && s->object->type == ET_EXEC &&
	    !s->kernel && !off && !o->bits) {
		constant((uint64_t)c->off[0], w, b);
		return 0;
	}
	if (c->off[c->nr_reads])
		return computed(s, c, e);
	/* what is above is known to be copies of the sign, or zeros */
	if (off + w->bytes > valid) {
		if (off || o->bits || w->bytes > s->word_bytes || w->letter == 'c' ||
		    c->bits >= s->word_bytes * 8 || c->bits % 8 || (valid & (valid - 1)))
			return pt_err_set(e, "it is computed");
		part.bytes = valid;
		part.letter = c->sign_extended ? 's' : w->letter == 'x' ? 'x' : 'u';
		if (w->letter == 'x' && c->sign_extended)
			return pt_err_set(e, "it is computed: a sign is extended");
	}
	if (!c->nr_reads) {
		reg.kind = PT_LOC_REGISTER;
		if (!reg.size_bytes)
			reg.size_bytes = o->whole_bytes <= s->word_bytes ? o->whole_bytes : 0;
		return in_register(s, o, &reg, off, &part, b, e);
	}
	at.nr_reads--;
	at.bits = 64;
	if (o->bits && s->big_endian)
		return pt_err_set(e, "it is computed");
	if (o->bits)
		return bit_field(s, o, at, off, w->letter, b, e);
	if (s->big_endian)
		off = valid - off - part.bytes;
	at.off[at.nr_reads] = (int64_t)((uint64_t)at.off[at.nr_reads] + off);
	if (memory(s, &at, b, e) < 0)
		return -1;
	type_name(&part, b);
	return 0;
}

static int scalar(const struct pt_obj *o, const struct pt_var_scope *s, const struct want *w,
		  struct pt_buf *b, struct pt_err *e)
{
	uint64_t off, len = o->bits ? (o->bit_bytes_off + o->bits + 7) / 8 : w->bytes;
	const struct pt_loc_piece *p = pt_obj_piece(o, len, &off, e);
	struct pt_chain c;

	if (!p)
		return -1;
	switch (p->kind) {
	case PT_LOC_MEMORY:
		c = p->chain;
		if (o->bits)
			return bit_field(s, o, c, off, w->letter, b, e);
		c.off[c.nr_reads] = (int64_t)((uint64_t)c.off[c.nr_reads] + off);
		if (memory(s, &c, b, e) < 0)
			return -1;
		type_name(w, b);
		return 0;
	case PT_LOC_REGISTER:
		return in_register(s, o, p, off, w, b, e);
	case PT_LOC_VALUE:
		return in_value(s, o, p, off, w, b, e);
	case PT_LOC_BYTES:
		return known(s, o, p->bytes, p->nr_bytes, off, w, b, e);
	case PT_LOC_POINTER:
		return pt_err_set(
			e,
			"it points to something that is optimised out of memory; what that holds may be had through it");
	case PT_LOC_COMPUTED:
		return pt_err_set(e, "%s", p->why);
	default:
		return pt_err_set(e, "it is optimised out here");
	}
}

/* ---- memory as a whole: arrays, strings ---- */

/* The address of the first element: of an array where it is, of a pointer what it points to. */
static int elements(const struct pt_obj *o, const struct pt_var_scope *s,
		    const struct pt_type_info *i, struct pt_chain *c, struct pt_err *e)
{
	const struct pt_loc_piece *p;
	uint64_t off;

	if (i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_STRUCT)
		return pt_obj_pointer(o, s, c, e);
	p = pt_obj_piece(o, PT_MAX(i->size_bytes, 1u), &off, e);
	if (!p)
		return -1;
	if (p->kind == PT_LOC_COMPUTED)
		return pt_err_set(e, "%s", p->why);
	if (p->kind != PT_LOC_MEMORY)
		return pt_err_set(e, "it is not in memory here");
	*c = p->chain;
	c->off[c->nr_reads] = (int64_t)((uint64_t)c->off[c->nr_reads] + off);
	return 0;
}

static int string(const struct pt_obj *o, const struct pt_var_scope *s,
		  const struct pt_type_info *i, const char *type, unsigned array, struct pt_buf *b,
		  struct pt_err *e)
{
	struct pt_type_info t = { .kind = PT_TYPE_UNKNOWN };
	struct pt_chain c;

	if (i->kind == PT_TYPE_ARRAY || i->kind == PT_TYPE_POINTER)
		pt_type_info(&i->target, &t);
	if (i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_POINTER &&
	    !(i->kind == PT_TYPE_INTEGER && i->size_bytes == s->word_bytes))
		return pt_err_set(e, "a string is a pointer to characters, or an array of them");
	if (array) {
		if (t.kind != PT_TYPE_POINTER)
			return pt_err_set(e, "strings are an array of pointers to characters");
		if (i->kind == PT_TYPE_ARRAY && i->nr && array > i->nr)
			return pt_err_set(e, "it has %" PRIu64 " elements", i->nr);
	} else if (i->kind != PT_TYPE_INTEGER && t.kind != PT_TYPE_VOID &&
		   !(t.kind == PT_TYPE_INTEGER && t.size_bytes == 1)) {
		return pt_err_set(e, "a string is of characters of one byte");
	}
	if (elements(o, s, i, &c, e) < 0 || memory(s, &c, b, e) < 0)
		return -1;
	pt_buf_printf(b, ":%s", i->to_user && !array ? "ustring" : type);
	if (array)
		pt_buf_printf(b, "[%u]", array);
	return 0;
}

static int array_of(const struct pt_obj *o, const struct pt_var_scope *s,
		    const struct pt_type_info *i, const char *type, unsigned bytes, uint64_t nr,
		    struct pt_buf *b, struct pt_err *e)
{
	struct pt_chain c;

	if (i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_POINTER && i->kind != PT_TYPE_STRUCT)
		return pt_err_set(e, "it is neither array nor pointer");
	if (i->kind != PT_TYPE_POINTER && i->size_bytes && nr * bytes > i->size_bytes)
		return pt_err_set(e, "it has %" PRIu64 " bytes only", i->size_bytes);
	if (elements(o, s, i, &c, e) < 0 || memory(s, &c, b, e) < 0)
		return -1;
	pt_buf_printf(b, ":%s[%" PRIu64 "]", type, nr);
	return 0;
}

/* ---- types ---- */

static int as_it_is(const struct pt_obj *o, const struct pt_var_scope *s,
		    const struct pt_type_info *i, struct pt_buf *b, struct pt_err *e)
{
	struct pt_type_info t;
	struct want w = { .letter = i->is_signed ? 's' : 'u', .bytes = (unsigned)i->size_bytes };
	struct pt_buf members = PT_BUF_INIT;
	char name[8];

	switch (i->kind) {
	case PT_TYPE_POINTER: case PT_TYPE_REFERENCE:
		w.letter = i->is_member ? 's' : 'x';
		/* fall through */
	case PT_TYPE_INTEGER:
		if (w.bytes != 1 && w.bytes != 2 && w.bytes != 4 && w.bytes != 8)
			return pt_err_set(e,
					  "it is %" PRIu64
					  " bytes wide: the kernel has numbers of 1, 2, 4 and 8",
					  i->size_bytes);
		return scalar(o, s, &w, b, e);
	case PT_TYPE_FLOAT:
		return pt_err_set(
			e,
			"it is a floating-point number, which the kernel cannot show (in memory its bits can be had by :x%u)",
			i->size_bytes == 4 ? 32 : 64);
	case PT_TYPE_STRUCT:
		pt_type_members(i, &members, 8);
		pt_err_set(e,
			   members.len ? "it is a %s: name a member (%s)"
				       : "it is a %s, without members",
			   i->is_union ? "union" : "structure", pt_buf_str(&members));
		pt_buf_deinit(&members);
		return -1;
	case PT_TYPE_ARRAY:
		pt_type_info(&i->target, &t);
		if (t.is_char && t.bare.btf)	/* a name, such as task->comm */
			return string(o, s, i, "string", 0, b, e);
		if ((t.kind != PT_TYPE_INTEGER && t.kind != PT_TYPE_POINTER) ||
		    (t.size_bytes != 1 && t.size_bytes != 2 && t.size_bytes != 4 &&
		     t.size_bytes != 8))
			return pt_err_set(e,
					  "it is an array of what is no number: name an element");
		if (!i->nr)
			return pt_err_set(
				e,
				"it is an array, and the number of its elements is not told; name one, or say how many (:%c%u[N])",
				t.is_signed ? 's' : 'u', (unsigned)t.size_bytes * 8);
		if (i->nr > MAX_ELEMENTS)
			return pt_err_set(
				e,
				"it is an array of %" PRIu64
				", and the kernel fetches no more than 64 elements; name one, or say how many (:%c%u[N])%s",
				i->nr, t.is_signed ? 's' : 'u', (unsigned)t.size_bytes * 8,
				t.is_char ? ", or :string" : "");
		snprintf(name, sizeof(name), "%c%u",
			 t.kind == PT_TYPE_POINTER ? 'x'
			 : t.is_signed             ? 's'
						   : 'u',
			 (unsigned)t.size_bytes * 8);
		return array_of(o, s, i, name, (unsigned)t.size_bytes, i->nr, b, e);
	case PT_TYPE_VOID:
		return pt_err_set(e, "it has no type: say one (:x8)");
	default:
		return pt_err_set(e, "its type is none that the kernel can fetch");
	}
}

/* Another width and sign: the low part, or the first bytes of what is no number. */
static int as_number(const struct pt_obj *o, const struct pt_var_scope *s,
		     const struct pt_type_info *i, struct want w, struct pt_buf *b,
		     struct pt_err *e)
{
	struct pt_obj low = *o;
	bool number = i->kind == PT_TYPE_INTEGER || i->kind == PT_TYPE_POINTER ||
		      i->kind == PT_TYPE_FLOAT || i->kind == PT_TYPE_REFERENCE;

	if (o->bits)
		return o->bits > w.bytes * 8 ? pt_err_set(e, "it has %u bits", o->bits)
					     : scalar(o, s, &w, b, e);
	if (i->size_bytes && w.bytes > i->size_bytes)
		return pt_err_set(e, "it has %" PRIu64 " byte%s only", i->size_bytes,
				  i->size_bytes == 1 ? "" : "s");
	if (!i->size_bytes && i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_VOID)
		return pt_err_set(e, "its size is not known");
	if (number && s->big_endian)
		low.off += i->size_bytes - w.bytes;
	return scalar(&low, s, &w, b, e);
}

static int as_bits(const struct pt_obj *o, const struct pt_var_scope *s,
		   const struct pt_type_info *i, const char *type, unsigned bytes, struct pt_buf *b,
		   struct pt_err *e)
{
	struct pt_obj bits = *o;
	unsigned long nr = strtoul(type + 1, NULL, 10),
		      at = strtoul(strchr(type, '@') + 1, NULL, 10);

	if (o->bits)
		return pt_err_set(e, "it is a bit field already");
	if (!i->size_bytes || bytes > i->size_bytes)
		return pt_err_set(e, "it has %" PRIu64 " bytes only", i->size_bytes);
	if (s->big_endian) {
		bits.off += i->size_bytes - bytes;
		at = bytes * 8 - at - nr;
	}
	bits.off += at / 8;
	bits.bit_bytes_off = (uint32_t)(at % 8);
	bits.bits = (uint32_t)nr;
	return scalar(&bits, s, &(struct want){ 'u', bytes }, b, e);
}

int pt_obj_fetch(const struct pt_obj *o, const struct pt_var_scope *s, const char *type,
		 unsigned array, struct pt_buf *b, struct pt_err *e)
{
	struct pt_type_info i;
	char letter;
	unsigned bytes;
	size_t from = b->len, len;
	int r;

	pt_type_info(&o->type, &i);
	if (i.odd)
		r = pt_err_set(e, "its elements are not in a row, or are told by a descriptor");
	else if (!type)
		r = as_it_is(o, s, &i, b, e);
	else if (!pt_arg_type(type, &letter, &bytes))
		r = pt_err_set(e, "no such type: %s", type);
	else if (letter == 't' || letter == 'U')
		r = string(o, s, &i, type, array, b, e);
	else if (array)
		r = bytes ? array_of(o, s, &i, type, bytes, array, b, e)
			  : pt_err_set(e, "there are no arrays of this type");
	else if (letter == 'b')
		r = as_bits(o, s, &i, type, bytes, b, e);
	else if (letter == 'y' || letter == 'S') {
		r = as_number(o, s, &i, (struct want){ 'x', s->word_bytes }, b, e);
		if (!r && b->data[b->len - 4] == ':') {
			b->len -= 3;
			pt_buf_puts(b, type);
		}
	} else
		r = as_number(o, s, &i, (struct want){ letter, bytes }, b, e);
	if (r < 0)
		return -1;
	len = b->len - from;
	if (len > PT_DEF_ARG_MAX)
		return pt_err_set(e,
				  "too long a definition for the kernel (%zu of 63 characters): %s",
				  len, b->data + from);
	return 0;
}
