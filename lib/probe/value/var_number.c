/* Numbers and bit fields in the kernel's syntax, from wherever they are. */
#include "probe/value/var_fetch_priv.h"

#include <elf.h>
#include <inttypes.h>

#include "base/mem.h"
#include "elf/symtab.h"

static const char NOT_ONE_REGISTER[] = "it does not end in one register";

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

int fetch_memory(const struct fetch *f, struct pt_chain c, uint64_t off)
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

static int var_number_constant(const struct fetch *f, uint64_t v, struct want w)
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
	if (fetch_memory(f, *c, start) < 0)
		return -1;
	if (o->bits != bytes * 8)
		return some_bits(f, lsb, o->bits, bytes * 8, letter);
	put_type(f, (struct want){ letter, bytes });
	return 0;
}

/* A number or bit field within known bytes. */
static int var_number_known(const struct fetch *f, const uint8_t *bytes, uint64_t len, uint64_t off,
			    struct want w)
{
	const struct pt_obj *o = f->o;
	unsigned n = o->bits ? (o->bit_bytes_off + o->bits + 7) / 8 : w.bytes;
	uint64_t v;

	if (n > 8 || off > len || len - off < n)
		return pt_err_set(f->e, "it is optimised out here");
	v = pt_obj_number(f->s, bytes + off, n);
	if (o->bits) {
		v >>= f->s->big_endian ? n * 8 - o->bit_bytes_off - o->bits : o->bit_bytes_off;
		v &= ~0ull >> (64 - o->bits);
		if (w.letter == 's' && v >> (o->bits - 1))
			v |= ~0ull << (o->bits - 1);
	}
	return var_number_constant(f, v, w);
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
		return var_number_known(f, bytes, len, off, w);
	}
	if (c->base == PT_BASE_OBJECT && !c->nr_reads && s->object && s->object->type == ET_EXEC &&
	    !s->kernel && !off && !o->bits)
		return var_number_constant(f, (uint64_t)c->off[0], w);
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
	if (fetch_memory(f, at, s->big_endian ? valid - off - w.bytes : off) < 0)
		return -1;
	put_type(f, w);
	return 0;
}

int fetch_number(const struct fetch *f, struct want w)
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
		if (fetch_memory(f, p->chain, off) < 0)
			return -1;
		put_type(f, w);
		return 0;
	case PT_LOC_REGISTER:
		return in_register(f, p, off, w);
	case PT_LOC_VALUE:
		return in_value(f, p, off, w);
	case PT_LOC_BYTES:
		return var_number_known(f, p->bytes, p->nr_bytes, off, w);
	default:
		return pt_obj_no_value(p, f->e);
	}
}
