#include "probe/value/var_fetch_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "probe/tracefs/def.h"
#include "tracepoint/tp.h"

enum { MAX_ELEMENTS = 64 };		/* the kernel's MAX_ARRAY_LEN */

/* Appends the text that reads from an array's first element on, or what a pointer points to. */
static int elements(const struct fetch *f)
{
	const struct pt_loc_piece *p;
	struct pt_chain c;
	uint64_t off;

	if (f->i.kind != PT_TYPE_ARRAY && f->i.kind != PT_TYPE_STRUCT)
		return pt_obj_pointer(f->o, f->s, &c, f->e) < 0 ? -1 : fetch_memory(f, c, 0);
	p = pt_obj_piece(f->o, PT_MAX(f->i.size_bytes, 1u), &off, f->e);
	if (!p)
		return -1;
	if (p->kind == PT_LOC_COMPUTED)
		return pt_obj_no_value(p, f->e);
	return p->kind == PT_LOC_MEMORY ? fetch_memory(f, p->chain, off)
					: pt_err_set(f->e, "it is not in memory here");
}

static int var_fetch_string(const struct fetch *f, const char *type, unsigned array)
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

/* Characters of a program's text: `char` itself, since bytes are declared as its other kinds. */
static bool var_fetch_is_text(const struct fetch *f, const struct pt_type *target)
{
	struct pt_type_info t;
	const char *name;

	pt_type_info(target, &t);
	if (f->s->kernel || t.bare.btf || !t.is_char || t.size_bytes != 1)
		return false;
	name = pt_type_die_name(&t.bare.die);
	return name && !strcmp(name, "char");
}

static void set_companion(const struct fetch *f, const char *prefix, const char *text)
{
	f->v->companion = prefix;
	f->v->companion_fetch = pt_strdup(text);
}

/* The text of `v->fetch` of a member of a member. */
static int fetch_inner(const struct fetch *f, const char *const *names, const char *type,
		       struct pt_buf *b)
{
	struct pt_var v = { .name = NULL };
	struct pt_obj o = *f->o;	/* members of a structure have its location */

	for (; *names; names++)
		if (pt_obj_member(&o, f->s, *names, f->e) < 0)
			return -1;
	if (pt_obj_fetch(&o, f->s, type, 0, &v, f->e) < 0)
		return -1;
	pt_buf_puts(b, v.fetch);
	free(v.fetch);
	free(v.companion_fetch);
	return 0;
}

/* std::string and std::string_view as GNU's library has them. 1: it is none. */
static int string_object(const struct fetch *f)
{
	static const struct {
		const char *begins, *data[3], *length[2];
	} rows[] = {
		{ "basic_string<char,", { "_M_dataplus", "_M_p" }, { "_M_string_length" } },
		{ "basic_string_view<char,", { "_M_str" }, { "_M_len" } },
	};
	const char *name = f->i.bare.btf ? NULL : pt_type_die_name((Dwarf_Die *)&f->i.bare.die);
	struct pt_buf length = PT_BUF_INIT;
	int rc = 1;

	for (size_t i = 0; i < PT_NR(rows) && name; i++) {
		const char *const of_data[] = { rows[i].data[0], rows[i].data[1], NULL };
		const char *const of_length[] = { rows[i].length[0], NULL };

		if (strncmp(name, rows[i].begins, strlen(rows[i].begins)))
			continue;
		rc = fetch_inner(f, of_data, "ustring", f->b);
		if (rc == 0)
			rc = fetch_inner(f, of_length, NULL, &length);
		if (rc == 0)
			set_companion(f, PT_TP_LENGTH_OF, length.data);
		break;
	}
	pt_buf_deinit(&length);
	return rc;
}

/* An array may be full, without a zero byte at its end. */
static int char_array(const struct fetch *f)
{
	char length[24];

	if (var_fetch_string(f, "string", 0) < 0)
		return -1;
	snprintf(length, sizeof(length), "\\%" PRIu64 ":u32", f->i.nr);
	if (f->i.nr)
		set_companion(f, PT_TP_LENGTH_OF, length);
	return 0;
}

/* Its bits, which pt's tools show as a number. */
static int floating(const struct fetch *f)
{
	uint64_t size = f->i.size_bytes;

	if (!f->i.is_real || (size != sizeof(float) && size != sizeof(double)))
		return pt_err_set(
			f->e,
			"it is a floating-point number of a kind that cannot be shown: only float and double can");
	if (fetch_number(f, (struct want){ 'x', (unsigned)size }) < 0)
		return -1;
	set_companion(f, PT_TP_FLOAT_OF, "\\1:u8");
	return 0;
}

static int whole_array(const struct fetch *f)
{
	const struct pt_type_info *i = &f->i;
	struct pt_type_info t;
	char type[8];

	pt_type_info(&i->target, &t);
	if (t.is_char && t.bare.btf)	/* a name, such as task->comm */
		return var_fetch_string(f, "string", 0);
	if (var_fetch_is_text(f, &i->target))
		return char_array(f);
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
	int rc;

	switch (i->kind) {
	case PT_TYPE_POINTER: case PT_TYPE_REFERENCE:
		if (i->kind == PT_TYPE_POINTER && !i->is_member && var_fetch_is_text(f, &i->target))
			return var_fetch_string(f, "string", 0);
		w.letter = i->is_member ? 's' : 'x';
		/* fall through */
	case PT_TYPE_INTEGER:
		if (pt_is_number_size(i->size_bytes))
			return fetch_number(f, w);
		return pt_err_set(f->e,
				  "it is %" PRIu64
				  " bytes wide: the kernel has numbers of 1, 2, 4 and 8",
				  i->size_bytes);
	case PT_TYPE_FLOAT:
		return floating(f);
	case PT_TYPE_STRUCT:
		rc = string_object(f);
		if (rc <= 0)
			return rc;
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
					      : fetch_number(f, w);
	if (i->size_bytes && w.bytes > i->size_bytes)
		return pt_err_set(f->e, "it has %" PRIu64 " byte%s only", i->size_bytes,
				  i->size_bytes == 1 ? "" : "s");
	if (!i->size_bytes && i->kind != PT_TYPE_ARRAY && i->kind != PT_TYPE_VOID)
		return pt_err_set(f->e, "its size is not known");
	if (f->s->big_endian && (i->kind == PT_TYPE_INTEGER || i->kind == PT_TYPE_POINTER ||
				 i->kind == PT_TYPE_FLOAT || i->kind == PT_TYPE_REFERENCE))
		low.off += i->size_bytes - w.bytes;
	low_part.o = &low;
	return fetch_number(&low_part, w);
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
	return fetch_number(&part, (struct want){ 'u', bytes });
}

static int var_fetch_as_type(const struct fetch *f, const char *type, unsigned array)
{
	char letter;
	unsigned bytes;

	if (!pt_arg_type(type, &letter, &bytes))
		return pt_err_set(f->e, "no such type: %s", type);
	if (letter == 't' || letter == 'U')
		return var_fetch_string(f, type, array);
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
		 unsigned array, struct pt_var *v, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	struct fetch f = { .s = s, .o = o, .b = &b, .v = v, .e = e };
	int rc;

	pt_type_info(&o->type, &f.i);
	if (f.i.odd)
		return pt_err_set(e, "its elements are not in a row, or are told by a descriptor");
	rc = type ? var_fetch_as_type(&f, type, array) : as_it_is(&f);
	if (rc == 0 && b.len > PT_DEF_ARG_MAX)
		rc = pt_err_set(e, "too long a definition for the kernel (%zu of 63 characters): %s",
				b.len, b.data);
	if (rc == 0)
		v->fetch = pt_strdup(b.data);
	pt_buf_deinit(&b);
	return rc;
}
