/* Names of types in the syntax of C and C++: a declarator (`*`, `[4]`) grows from the inside out
 * until a type with a name is reached. */
#include "probe/value/type_priv.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_DEPTH = 24, MAX_PARAMS = 64, MAX_NAME_BYTES = 4096 };

/* `language`: of types in units without one (dwz's). */
static int language_of(Dwarf_Die *die, int language)
{
	int l = pt_type_language(die);

	return l >= 0 ? l : language;
}

static bool type_name_is_c(int language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_ObjC:
	case DW_LANG_UPC:
		return true;
	default:
		return false;
	}
}

/* With the namespaces and classes around it; in C with "struct ", since the name alone is no type
 * there. */
static void type_name_add_named(Dwarf_Die *die, int language, struct pt_buf *b)
{
	const char *name = pt_type_die_name(die);
	Dwarf_Die path[MAX_DEPTH], at = *die;
	int tag = dwarf_tag(die);

	if (type_name_is_c(language)) {
		pt_buf_puts(b, tag == DW_TAG_structure_type     ? "struct "
			       : tag == DW_TAG_union_type       ? "union "
			       : tag == DW_TAG_enumeration_type ? "enum "
								: "");
	} else if (name) {
		unsigned nr;

		/* a type unit's type: the namespaces are around its declaration */
		pt_die_ref(die, DW_AT_specification, &at);
		nr = pt_type_around(&at, path, MAX_DEPTH);
		for (unsigned i = 0; i + 1 < nr; i++) {
			const char *outer = dwarf_diename(&path[i]);

			if (pt_type_is_scope(dwarf_tag(&path[i])))
				pt_buf_printf(b, "%s::", outer ? outer : "(anonymous)");
		}
	}
	pt_buf_puts(b, name ? name : "{...}");
}

/* NULL: not one of C's or C++'s pointers and references. Rust's have names. */
static const char *pointer_sign(const struct pt_type *t, int language)
{
	Dwarf_Die die = t->die;

	if (t->address_of)
		return "*";
	if (t->none || (language_of(&die, language) == DW_LANG_Rust && pt_type_die_name(&die)))
		return NULL;
	switch (dwarf_tag(&die)) {
	case DW_TAG_pointer_type: return "*";
	case DW_TAG_reference_type: return "&";
	case DW_TAG_rvalue_reference_type: return "&&";
	case DW_TAG_ptr_to_member_type: return "::*";
	default: return NULL;
	}
}

static const char *qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type: return "const";
	case DW_TAG_volatile_type: return "volatile";
	case DW_TAG_restrict_type: return "restrict";
	case DW_TAG_atomic_type: return "_Atomic";
	default: return NULL;
	}
}

/* A pointer to an array or a function needs parentheses. */
static bool binds(struct pt_type t)
{
	int tag = 0;

	for (unsigned i = 0; i < MAX_DEPTH && !t.none && !t.address_of; i++) {
		tag = dwarf_tag(&t.die);
		if (!qualifier(tag))
			break;
		pt_type_of(&t.die, &t);
	}
	return tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type;
}

static void put_around(char **declarator, const char *before, const char *behind)
{
	char *inner = *declarator;

	*declarator = pt_asprintf("%s%s%s", before, inner, behind);
	free(inner);
}

static void add_type(struct pt_type t, int language, unsigned depth, struct pt_buf *b);

static void put_params(char **declarator, Dwarf_Die *die, int language, unsigned depth)
{
	struct pt_buf b = PT_BUF_INIT;
	unsigned nr = 0, left = 4096;
	struct pt_type p;

	pt_buf_putc(&b, '(');
	for (Dwarf_Die d = { 0 }; nr < MAX_PARAMS && b.len <= MAX_NAME_BYTES &&
				  pt_die_next(die, &d, &left); ) {
		if (dwarf_tag(&d) != DW_TAG_formal_parameter)
			continue;
		pt_buf_puts(&b, nr++ ? ", " : "");
		pt_type_of(&d, &p);
		add_type(p, language, depth + 4, &b);
	}
	pt_buf_putc(&b, ')');
	put_around(declarator, "", b.data);
	pt_buf_deinit(&b);
}

static void add_type(struct pt_type t, int language, unsigned depth, struct pt_buf *b)
{
	char *declarator = pt_strdup(""), text[32];
	struct pt_type_info i;

	for (bool named = false; !named; depth++) {
		const char *sign = pointer_sign(&t, language), *word;
		struct pt_type at = t;
		Dwarf_Die die = t.die;
		int tag = t.none ? 0 : dwarf_tag(&die);

		if (depth > MAX_DEPTH || b->len + strlen(declarator) > MAX_NAME_BYTES) {
			pt_buf_puts(b, "...");
			break;
		}
		if (t.address_of)
			t.address_of--;
		else if (tag)
			pt_type_of(&die, &t);
		if (sign) {
			put_around(&declarator, sign, "");
			if (binds(t))
				put_around(&declarator, "(", ")");
		} else if (!tag) {
			pt_buf_puts(b, "void");
			named = true;
		} else if ((word = qualifier(tag)) && pointer_sign(&t, language)) {
			snprintf(text, sizeof(text), *declarator == '*' ? " %s " : " %s", word);
			put_around(&declarator, text, "");	/* int * const * */
		} else if (word) {
			pt_buf_printf(b, "%s ", word);
		} else if (tag == DW_TAG_array_type) {
			pt_type_info(&at, &i);
			if (i.kind == PT_TYPE_ARRAY)
				t = i.target;
			snprintf(text, sizeof(text), "[%llu]", (unsigned long long)i.nr);
			put_around(&declarator, "", i.nr ? text : "[]");
		} else if (tag == DW_TAG_subroutine_type) {
			put_params(&declarator, &die, language, depth);
		} else {
			type_name_add_named(&die, language_of(&die, language), b);
			named = true;
		}
	}
	if (*declarator)
		pt_buf_printf(b, " %s", declarator);
	free(declarator);
}

void pt_type_name(const struct pt_type *t, int language, struct pt_buf *b)
{
	size_t from = b->len;

	if (t->btf) {
		pt_type_btf_name(t, b);
		for (unsigned i = 0; i < t->address_of; i++)
			pt_buf_puts(b, b->data[b->len - 1] == '*' ? "*" : " *");
	} else {
		add_type(*t, language, 0, b);
	}
	if (b->len == from)
		pt_buf_putc(b, '?');
}
