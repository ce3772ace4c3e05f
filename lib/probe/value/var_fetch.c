#include "probe/value/var_priv.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "elf/symtab.h"
#include "probe/tracefs/def.h"

enum { MAX_ELEMENTS = 64 };		/* the kernel's MAX_ARRAY_LEN */

static const char OPTIMISED_OUT[] = "it is optimised out here";
static const char NOT_ONE_REGISTER[] = "it does not end in one register";

struct fetch {
	const struct pt_var_scope *s;
	const struct pt_obj *o;
	struct pt_type_info i;		/* of o->type */
	struct pt_buf *b;		/* where the text goes */
	struct pt_err *e;
};

struct want {				/* how a number is to be shown */
	char letter;			/* u, s, x; c: char */
	unsigned bytes;
};


/* The kernel's own variables: relative to a symbol, since the kernel moves with each boot. */
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

/* What a chain begins with. The kernel takes a program's @+OFF as a file offset and turns it into
 * an address by the distance between the probe's offset and address. The distance of the variable
 * from the probe therefore counts, wherever it is in the file, or if it is not there at all. */
static int chain_base(const struct pt_var_scope *s, const struct pt_chain *c, struct pt_buf *b,
		      struct pt_err *e)
{
	const char *reg;

	switch (c->base) {
	case PT_BASE_REG:
		reg = pt_loc_reg(s->machine, c->reg);
		pt_buf_printf(b, "%%%s", reg ? reg : "?");
		break;
	case PT_BASE_RETVAL:
		pt_buf_puts(b, "$retval");
		break;
	case PT_BASE_NONE:
		pt_buf_printf(b, "@0x%" PRIx64,
			      s->word_bytes == 4 ? (uint64_t)(uint32_t)c->off[0]
						 : (uint64_t)c->off[0]);
		break;
	case PT_BASE_OBJECT:
		if (s->kernel)
			return kernel_base(s, c->off[0], b, e);
		pt_buf_printf(b, "@+%" PRId64,
			      (int64_t)((uint64_t)c->off[0] - s->vaddr + s->file_off));
		break;
	}
	return 0;
}

/* Appends the text that reads the memory `off` bytes behind the chain's address. */
static int memory(const struct fetch *f, struct pt_chain c, uint64_t off)
{
	const struct pt_var_scope *s = f->s;
	struct pt_buf inner = PT_BUF_INIT, outer = PT_BUF_INIT;
	bool base_reads = c.base == PT_BASE_NONE || c.base == PT_BASE_OBJECT;
	int r;

	if (c.bits < s->word_bytes * 8)
		return pt_err_set(f->e, "it is at an address that is computed");
	if (c.nr_reads && s->word_bytes != sizeof(long))
		return pt_err_set(f->e, "it lies behind a pointer in memory, of which this kernel "
					"would read %zu bytes: the program's have %u",
				  sizeof(long), s->word_bytes);
	c.off[c.nr_reads] = (int64_t)((uint64_t)c.off[c.nr_reads] + off);
	r = chain_base(s, &c, &inner, f->e);
	for (unsigned i = base_reads; !r && i <= c.nr_reads; i++) {
		uint64_t size = c.off[i] < 0 ? 0 - (uint64_t)c.off[i] : (uint64_t)c.off[i];

		pt_buf_clear(&outer);
		pt_buf_printf(&outer, "%c%s%" PRIu64 "(%s)", c.off[i] < 0 ? '-' : '+',
			      c.user_reads >> i & 1 ? "u" : "", size, inner.data);
		pt_buf_clear(&inner);
		pt_buf_puts(&inner, outer.data);
	}
	if (!r)
		pt_buf_puts(f->b, inner.data);
	pt_buf_deinit(&inner);
	pt_buf_deinit(&outer);
	return r;
}


static void put_type(const struct fetch *f, struct want w)
{
	if (w.letter == 'c')
		pt_buf_puts(f->b, ":char");
	else
		pt_buf_printf(f->b, ":%c%u", w.letter, w.bytes * 8);
}

static int constant(const struct fetch *f, uint64_t v, struct want w)
{
	if (w.bytes < 8)
		v &= ~0ull >> (64 - 8 * w.bytes);
	if (w.letter == 's' && v >> (8 * w.bytes - 1))
		pt_buf_printf(f->b, "\\%" PRId64,
			      (int64_t)(w.bytes < 8 ? v | ~0ull << 8 * w.bytes : v));
	else if (w.letter == 'x')
		pt_buf_printf(f->b, "\\0x%" PRIx64, v);
	else
		pt_buf_printf(f->b, "\\%" PRIu64, v);
	put_type(f, w);
	return 0;
}

/* `nr` bits from bit `lsb` on of the register or word that the text so far names. */
static int some_bits(const struct fetch *f, uint64_t lsb, unsigned nr, unsigned word_bits,
		     char letter)
{
	unsigned as = nr <= 8 ? 8 : nr <= 16 ? 16 : nr <= 32 ? 32 : 64;

	if (letter == 's')
		return pt_err_set(
			f->e,
			"it is in %u bits, which the kernel shows without sign; as such they may be had by :u%u",
			nr, as);
	if (lsb > 63 || lsb + nr > word_bits)
		return pt_err_set(f->e, "%s", NOT_ONE_REGISTER);
	pt_buf_printf(f->b, ":b%u@%u/%u", nr, (unsigned)lsb, word_bits);
	return 0;
}

/* A number that begins `off` bytes into what a register holds. */
static int in_register(const struct fetch *f, const struct pt_loc_piece *p, uint64_t off,
		       struct want w)
{
	const struct pt_var_scope *s = f->s;
	const struct pt_obj *o = f->o;
	char reg[32] = "$retval";
	uint64_t whole = p->size_bytes ? p->size_bytes : o->whole_bytes, lsb = off * 8;
	unsigned word_bits = s->word_bytes * 8u;

	if (p->chain.base == PT_BASE_REG)
		pt_loc_reg_text(s->machine, p->chain.reg, reg, sizeof(reg));
	if (whole > s->word_bytes && (off || w.bytes > s->word_bytes || !p->size_bytes))
		return pt_err_set(f->e, "it is wider than %s, and the rest of it is not told", reg);
	if (off >= 8 || w.bytes > s->word_bytes)
		return pt_err_set(f->e, "%s", NOT_ONE_REGISTER);
	pt_buf_puts(f->b, reg);
	if (o->bits) {
		lsb += o->bit_bytes_off;
		if (s->big_endian)
			lsb = (whole ? whole : s->word_bytes) * 8 - lsb - o->bits;
		return some_bits(f, lsb, o->bits, word_bits, w.letter);
	}
	if (s->big_endian)
		lsb = (PT_MAX(whole, off + w.bytes) - off - w.bytes) * 8;
	if (lsb)
		return some_bits(f, lsb, w.bytes * 8, word_bits, w.letter == 'c' ? 'u' : w.letter);
	put_type(f, w);
	return 0;
}

/* The bytes of the aligned (else unaligned) word that holds all bits from `first` on, and where it
 * starts; 0: none of up to 8 bytes does. */
static unsigned container(uint64_t first, unsigned bits, bool aligned, uint64_t *start)
{
	for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
		*start = aligned ? first / 8 / bytes * bytes : first / 8;
		if (first + bits <= (*start + bytes) * 8)
			return bytes;
	}
	return 0;
}

/* A bit field in memory, in the word that it has in its structure if it is in one. */
static int bit_field(const struct fetch *f, const struct pt_chain *c, uint64_t off, char letter)
{
	const struct pt_obj *o = f->o;
	uint64_t first = off * 8 + o->bit_bytes_off, start;
	unsigned bytes = container(first, o->bits, true, &start), lsb;

	if (!bytes)
		bytes = container(first, o->bits, false, &start);
	if (!bytes)
		return pt_err_set(f->e, "it spans more than 8 bytes");
	lsb = (unsigned)(first - start * 8);
	if (f->s->big_endian)
		lsb = bytes * 8 - lsb - o->bits;
	if (memory(f, *c, start) < 0)
		return -1;
	if (o->bits != bytes * 8)
		return some_bits(f, lsb, o->bits, bytes * 8, letter);
	put_type(f, (struct want){ letter, bytes });
	return 0;
}

/* A number or bit field within known bytes. */
static int known(const struct fetch *f, const uint8_t *bytes, uint64_t len, uint64_t off,
		 struct want w)
{
	const struct pt_obj *o = f->o;
	unsigned n = o->bits ? (o->bit_bytes_off + o->bits + 7) / 8 : w.bytes;
	uint64_t v;

	if (n > 8 || off > len || len - off < n)
		return pt_err_set(f->e, "%s", OPTIMISED_OUT);
	v = pt_obj_number(f->s, bytes + off, n);
	if (o->bits) {
		v >>= f->s->big_endian ? n * 8 - o->bit_bytes_off - o->bits : o->bit_bytes_off;
		v &= ~0ull >> (64 - o->bits);
		if (w.letter == 's' && v >> (o->bits - 1))
			v |= ~0ull << (o->bits - 1);
	}
	return constant(f, v, w);
}

static int refuse_sum(const struct fetch *f, const struct pt_chain *c)
{
	char what[64] = "a value in memory";

	if (!c->nr_reads && c->base == PT_BASE_REG)
		pt_loc_reg_text(f->s->machine, c->reg, what, sizeof(what));
	return pt_err_set(f->e, "it is computed (%s %+" PRId64 "), and stands nowhere: the kernel "
				"can fetch, not add",
			  what, c->off[c->nr_reads]);
}

/* A value that is the chain itself: a constant, a register, a word in memory. */
static int in_value(const struct fetch *f, const struct pt_loc_piece *p, uint64_t off,
		    struct want w)
{
	const struct pt_var_scope *s = f->s;
	const struct pt_obj *o = f->o;
	const struct pt_chain *c = &p->chain;
	unsigned valid = PT_MIN(c->bits, s->word_bytes * 8u) / 8;
	struct pt_chain at = *c;
	struct pt_loc_piece reg = *p;

	if (c->base == PT_BASE_NONE && !c->nr_reads) {
		unsigned len = PT_MIN(PT_MAX(o->whole_bytes, w.bytes), 8u);
		uint8_t bytes[8];

		for (unsigned i = 0; i < len; i++)
			bytes[i] = (uint8_t)((uint64_t)c->off[0] >>
					     8 * (s->big_endian ? len - 1 - i : i));
		return known(f, bytes, len, off, w);
	}
	if (c->base == PT_BASE_OBJECT && !c->nr_reads && s->object && s->object->type == ET_EXEC &&
	    !s->kernel && !off && !o->bits)
		return constant(f, (uint64_t)c->off[0], w);
	if (c->base == PT_BASE_OBJECT && !c->nr_reads)
		return pt_err_set(f->e, "it is the address of something, which is known when the "
					"program runs only");
	if (c->off[c->nr_reads])
		return refuse_sum(f, c);
	/* Above its valid bits the value is known to have copies of the sign, or zeros. */
	if (off + w.bytes > valid) {
		if (off || o->bits || w.bytes > s->word_bytes || w.letter == 'c' ||
		    c->bits >= s->word_bytes * 8 || c->bits % 8 || (valid & (valid - 1)))
			return pt_err_set(f->e, "it is computed");
		if (w.letter == 'x' && c->sign_extended)
			return pt_err_set(f->e, "it is computed: a sign is extended");
		w.bytes = valid;
		if (c->sign_extended)
			w.letter = 's';
		else if (w.letter != 'x')
			w.letter = 'u';
	}
	if (!c->nr_reads) {
		reg.kind = PT_LOC_REGISTER;
		if (!reg.size_bytes)
			reg.size_bytes = o->whole_bytes <= s->word_bytes ? o->whole_bytes : 0;
		return in_register(f, &reg, off, w);
	}
	at.nr_reads--;
	at.bits = 64;
	if (o->bits && s->big_endian)
		return pt_err_set(f->e, "it is computed");
	if (o->bits)
		return bit_field(f, &at, off, w.letter);
	if (memory(f, at, s->big_endian ? valid - off - w.bytes : off) < 0)
		return -1;
	put_type(f, w);
	return 0;
}

static int number(const struct fetch *f, struct want w)
{
	const struct pt_obj *o = f->o;
	uint64_t off, len = o->bits ? (o->bit_bytes_off + o->bits + 7) / 8 : w.bytes;
	const struct pt_loc_piece *p = pt_obj_piece(o, len, &off, f->e);

	if (!p)
		return -1;
	switch (p->kind) {
	case PT_LOC_MEMORY:
		if (o->bits)
			return bit_field(f, &p->chain, off, w.letter);
		if (memory(f, p->chain, off) < 0)
			return -1;
		put_type(f, w);
		return 0;
	case PT_LOC_REGISTER:
		return in_register(f, p, off, w);
	case PT_LOC_VALUE:
		return in_value(f, p, off, w);
	case PT_LOC_BYTES:
		return known(f, p->bytes, p->nr_bytes, off, w);
	default:
		return pt_obj_no_value(p, f->e);
	}
}


/* Appends the text that reads from an array's first element on, or what a pointer points to. */
static int elements(const struct fetch *f)
{
	const struct pt_loc_piece *p;
	struct pt_chain c;
	uint64_t off;

	if (f->i.kind != PT_TYPE_ARRAY && f->i.kind != PT_TYPE_STRUCT)
		return pt_obj_pointer(f->o, f->s, &c, f->e) < 0 ? -1 : memory(f, c, 0);
	p = pt_obj_piece(f->o, PT_MAX(f->i.size_bytes, 1u), &off, f->e);
	if (!p)
		return -1;
	if (p->kind == PT_LOC_COMPUTED)
		return pt_obj_no_value(p, f->e);
	return p->kind == PT_LOC_MEMORY ? memory(f, p->chain, off)
					: pt_err_set(f->e, "it is not in memory here");
}

static int string(const struct fetch *f, const char *type, unsigned array)
{
	const struct pt_type_info *i = &f->i;
	struct pt_type_info t = { .kind = PT_TYPE_UNKNOWN };
	bool has_target = i->kind == PT_TYPE_ARRAY || i->kind == PT_TYPE_POINTER;

	if (has_target)
		pt_type_info(&i->target, &t);
	else if (i->kind != PT_TYPE_INTEGER || i->size_bytes != f->s->word_bytes)
		return pt_err_set(f->e, "a string is a pointer to characters, or an array of them");
	if (array) {
		if (t.kind != PT_TYPE_POINTER)
			return pt_err_set(f->e, "strings are an array of pointers to characters");
		if (i->kind == PT_TYPE_ARRAY && i->nr && array > i->nr)
			return pt_err_set(f->e, "it has %" PRIu64 " elements", i->nr);
	} else if (has_target && t.kind != PT_TYPE_VOID &&
		   !(t.kind == PT_TYPE_INTEGER && t.size_bytes == 1)) {
		return pt_err_set(f->e, "a string is of characters of one byte");
	}
	if (elements(f) < 0)
		return -1;
	pt_buf_printf(f->b, ":%s", i->to_user && !array ? "ustring" : type);
	if (array)
		pt_buf_printf(f->b, "[%u]", array);
	return 0;
}

static int array_of(const struct fetch *f, const char *type, unsigned bytes, uint64_t nr)
{
	const struct pt_type_info *i = &f->i;

	if (i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_POINTER && i->kind != PT_TYPE_STRUCT)
		return pt_err_set(f->e, "it is neither array nor pointer");
	if (i->kind != PT_TYPE_POINTER && i->size_bytes && nr * bytes > i->size_bytes)
		return pt_err_set(f->e, "it has %" PRIu64 " bytes only", i->size_bytes);
	if (elements(f) < 0)
		return -1;
	pt_buf_printf(f->b, ":%s[%" PRIu64 "]", type, nr);
	return 0;
}


static int whole_array(const struct fetch *f)
{
	const struct pt_type_info *i = &f->i;
	struct pt_type_info t;
	char type[8];

	pt_type_info(&i->target, &t);
	if (t.is_char && t.bare.btf)	/* a name, such as task->comm */
		return string(f, "string", 0);
	if ((t.kind != PT_TYPE_INTEGER && t.kind != PT_TYPE_POINTER) ||
	    !pt_is_number_size(t.size_bytes))
		return pt_err_set(f->e, "it is an array of what is no number: name an element");
	snprintf(type, sizeof(type), "%c%u", t.is_signed ? 's' : 'u', (unsigned)t.size_bytes * 8);
	if (!i->nr)
		return pt_err_set(
			f->e,
			"it is an array, and the number of its elements is not told; name one, or say how many (:%s[N])",
			type);
	if (i->nr > MAX_ELEMENTS)
		return pt_err_set(
			f->e,
			"it is an array of %" PRIu64
			", and the kernel fetches no more than 64 elements; name one, or say how many (:%s[N])%s",
			i->nr, type, t.is_char ? ", or :string" : "");
	if (t.kind == PT_TYPE_POINTER)
		*type = 'x';
	return array_of(f, type, (unsigned)t.size_bytes, i->nr);
}

static int as_it_is(const struct fetch *f)
{
	const struct pt_type_info *i = &f->i;
	struct want w = { .letter = i->is_signed ? 's' : 'u', .bytes = (unsigned)i->size_bytes };
	struct pt_buf members = PT_BUF_INIT;

	switch (i->kind) {
	case PT_TYPE_POINTER: case PT_TYPE_REFERENCE:
		w.letter = i->is_member ? 's' : 'x';
		/* fall through */
	case PT_TYPE_INTEGER:
		if (pt_is_number_size(i->size_bytes))
			return number(f, w);
		return pt_err_set(f->e,
				  "it is %" PRIu64
				  " bytes wide: the kernel has numbers of 1, 2, 4 and 8",
				  i->size_bytes);
	case PT_TYPE_FLOAT:
		return pt_err_set(
			f->e,
			"it is a floating-point number, which the kernel cannot show (in memory its bits can be had by :x%u)",
			i->size_bytes == 4 ? 32 : 64);
	case PT_TYPE_STRUCT:
		pt_type_members(i, &members, 8);
		pt_err_set(f->e,
			   members.len ? "it is a %s: name a member (%s)"
				       : "it is a %s, without members",
			   i->is_union ? "union" : "structure", pt_buf_str(&members));
		pt_buf_deinit(&members);
		return -1;
	case PT_TYPE_ARRAY:
		return whole_array(f);
	case PT_TYPE_VOID:
		return pt_err_set(f->e, "it has no type: say one (:x8)");
	default:
		return pt_err_set(f->e, "its type is none that the kernel can fetch");
	}
}

/* Another width and sign: the low part of a number, the first bytes of anything else. */
static int as_number(const struct fetch *f, struct want w)
{
	const struct pt_type_info *i = &f->i;
	struct pt_obj low = *f->o;
	struct fetch low_part = *f;

	if (low.bits)
		return low.bits > w.bytes * 8 ? pt_err_set(f->e, "it has %u bits", low.bits)
					      : number(f, w);
	if (i->size_bytes && w.bytes > i->size_bytes)
		return pt_err_set(f->e, "it has %" PRIu64 " byte%s only", i->size_bytes,
				  i->size_bytes == 1 ? "" : "s");
	if (!i->size_bytes && i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_VOID)
		return pt_err_set(f->e, "its size is not known");
	if (f->s->big_endian && (i->kind == PT_TYPE_INTEGER || i->kind == PT_TYPE_POINTER ||
				 i->kind == PT_TYPE_FLOAT || i->kind == PT_TYPE_REFERENCE))
		low.off += i->size_bytes - w.bytes;
	low_part.o = &low;
	return number(&low_part, w);
}

/* bWIDTH@OFFSET/CONTAINER */
static int as_bits(const struct fetch *f, const char *type, unsigned bytes)
{
	uint64_t size = f->i.size_bytes;
	struct pt_obj bits = *f->o;
	struct fetch part = *f;
	unsigned long nr = strtoul(type + 1, NULL, 10),
		      at = strtoul(strchr(type, '@') + 1, NULL, 10);

	if (bits.bits)
		return pt_err_set(f->e, "it is a bit field already");
	if (!size || bytes > size)
		return pt_err_set(f->e, "it has %" PRIu64 " bytes only", size);
	if (f->s->big_endian) {
		bits.off += size - bytes;
		at = bytes * 8 - at - nr;
	}
	bits.off += at / 8;
	bits.bit_bytes_off = (uint32_t)(at % 8);
	bits.bits = (uint32_t)nr;
	part.o = &bits;
	return number(&part, (struct want){ 'u', bytes });
}

static int as_type(const struct fetch *f, const char *type, unsigned array)
{
	char letter;
	unsigned bytes;

	if (!pt_arg_type(type, &letter, &bytes))
		return pt_err_set(f->e, "no such type: %s", type);
	if (letter == 't' || letter == 'U')
		return string(f, type, array);
	if (array)
		return bytes ? array_of(f, type, bytes, array)
			     : pt_err_set(f->e, "there are no arrays of this type");
	if (letter == 'b')
		return as_bits(f, type, bytes);
	if (letter != 'y' && letter != 'S')
		return as_number(f, (struct want){ letter, bytes });
	/* symbol, symstr: a word */
	if (as_number(f, (struct want){ 'x', f->s->word_bytes }) < 0)
		return -1;
	if (f->b->data[f->b->len - 4] == ':') {
		f->b->len -= 3;
		pt_buf_puts(f->b, type);
	}
	return 0;
}

int pt_obj_fetch(const struct pt_obj *o, const struct pt_var_scope *s, const char *type,
		 unsigned array, struct pt_buf *b, struct pt_err *e)
{
	struct fetch f = { .s = s, .o = o, .b = b, .e = e };
	size_t from = b->len, len;

	pt_type_info(&o->type, &f.i);
	if (f.i.odd)
		return pt_err_set(e, "its elements are not in a row, or are told by a descriptor");
	if ((type ? as_type(&f, type, array) : as_it_is(&f)) < 0)
		return -1;
	len = b->len - from;
	if (len > PT_DEF_ARG_MAX)
		return pt_err_set(e,
				  "too long a definition for the kernel (%zu of 63 characters): %s",
				  len, b->data + from);
	return 0;
}
