/* Names of types in the syntax of C and C++: the part in front of a declarator and the part behind
 * it ("int (*", ")[4]"). */
#include "probe/value/type_priv.h"

#include <dwarf.h>

enum { MAX_DEPTH = 24, MAX_PARAMS = 64, MAX_NAME_BYTES = 4096 };

struct name {
	struct pt_buf b;
	int language;			/* for types in units without a language (dwz's) */
};

static void front(const struct pt_type *t, struct name *n, unsigned depth);
static void back(const struct pt_type *t, struct name *n, unsigned depth);

static int language(Dwarf_Die *die, const struct name *n)
{
	int l = pt_type_language(die);

	return l >= 0 ? l : n->language;
}

static bool of_rust(Dwarf_Die *die, const struct name *n)
{
	return language(die, n) == DW_LANG_Rust;
}

static bool of_c(Dwarf_Die *die, const struct name *n)
{
	switch (language(die, n)) {
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

/* "struct " in C; nothing in languages where the name alone is the type. */
static const char *keyword(Dwarf_Die *die, const struct name *n)
{
	int tag = dwarf_tag(die);

	if (!of_c(die, n))
		return "";
	return tag == DW_TAG_structure_type     ? "struct "
	       : tag == DW_TAG_union_type       ? "union "
	       : tag == DW_TAG_enumeration_type ? "enum "
						: "";
}

/* With the namespaces and classes around it. */
static void named(Dwarf_Die *die, struct name *n)
{
	struct pt_buf *b = &n->b;
	const char *name = pt_type_die_name(die);
	Dwarf_Die path[MAX_DEPTH], at = *die;
	Dwarf_Attribute a;
	unsigned nr, i;

	pt_buf_puts(b, keyword(die, n));
	if (name && !of_c(die, n)) {
		/* a type unit's type: the namespaces are around its declaration */
		if (dwarf_attr(die, DW_AT_specification, &a))
			dwarf_formref_die(&a, &at);
		nr = pt_type_around(&at, path, MAX_DEPTH);
		for (i = 0; i + 1 < nr; i++) {
			int tag = dwarf_tag(&path[i]);
			const char *outer = dwarf_diename(&path[i]);

			if (tag != DW_TAG_namespace && tag != DW_TAG_structure_type &&
			    tag != DW_TAG_class_type && tag != DW_TAG_union_type)
				continue;
			pt_buf_puts(b, outer ? outer : "(anonymous)");
			pt_buf_puts(b, "::");
		}
	}
	pt_buf_puts(b, name ? name : "{...}");
}

/* A pointer to an array or a function needs parentheses. */
static bool binds(const struct pt_type *t)
{
	struct pt_type u = *t;
	unsigned steps = 0;

	for (; !u.none && !u.address_of && steps < MAX_DEPTH; steps++) {
		switch (dwarf_tag(&u.die)) {
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			pt_type_of(&u.die, &u);
			continue;
		case DW_TAG_array_type: case DW_TAG_subroutine_type:
			return true;
		default:
			return false;
		}
	}
	return false;
}

static bool pointer(const struct pt_type *t, struct pt_type *to, const char **sign)
{
	if (t->address_of) {
		*to = *t;
		to->address_of--;
		*sign = "*";
		return true;
	}
	switch (dwarf_tag((Dwarf_Die *)&t->die)) {
	case DW_TAG_pointer_type: *sign = "*"; break;
	case DW_TAG_reference_type: *sign = "&"; break;
	case DW_TAG_rvalue_reference_type: *sign = "&&"; break;
	case DW_TAG_ptr_to_member_type: *sign = "::*"; break;
	default: return false;
	}
	pt_type_of((Dwarf_Die *)&t->die, to);
	return true;
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

static void front(const struct pt_type *t, struct name *n, unsigned depth)
{
	struct pt_buf *b = &n->b;
	Dwarf_Die die = t->die;
	struct pt_type to;
	const char *q;

	if (b->len > MAX_NAME_BYTES)
		return;
	if (depth > MAX_DEPTH) {
		pt_buf_puts(b, "...");
		return;
	}
	if (pointer(t, &to, &q)) {
		if (!t->address_of && of_rust(&die, n) && pt_type_die_name(&die)) {
			pt_buf_puts(b, pt_type_die_name(&die));
			return;
		}
		front(&to, n, depth + 1);
		if (b->len && b->data[b->len - 1] != '*' && b->data[b->len - 1] != '(')
			pt_buf_putc(b, ' ');
		pt_buf_puts(b, binds(&to) ? "(" : "");
		pt_buf_puts(b, q);
		return;
	}
	if (t->none) {
		pt_buf_puts(b, "void");
		return;
	}
	q = qualifier(dwarf_tag(&die));
	if (q) {
		struct pt_type inner;
		const char *sign;

		pt_type_of(&die, &to);
		if (!to.none && pointer(&to, &inner, &sign)) {	/* int *const */
			front(&to, n, depth + 1);
			pt_buf_puts(b, " ");
			pt_buf_puts(b, q);
		} else {
			pt_buf_puts(b, q);
			pt_buf_puts(b, " ");
			front(&to, n, depth + 1);
		}
		return;
	}
	switch (dwarf_tag(&die)) {
	case DW_TAG_array_type: case DW_TAG_subroutine_type:
		pt_type_of(&die, &to);
		front(&to, n, depth + 1);
		return;
	default:
		named(&die, n);
	}
}

static void params(Dwarf_Die *die, struct name *n, unsigned depth)
{
	struct pt_buf *b = &n->b;
	Dwarf_Die d;
	struct pt_type p;
	unsigned nr = 0, left = 4096;

	pt_buf_putc(b, '(');
	if (!dwarf_child(die, &d)) {
		do {
			if (dwarf_tag(&d) != DW_TAG_formal_parameter)
				continue;
			pt_buf_puts(b, nr++ ? ", " : "");
			pt_type_of(&d, &p);
			front(&p, n, depth + 4);
			back(&p, n, depth + 4);
		} while (nr < MAX_PARAMS && b->len <= MAX_NAME_BYTES && --left &&
			 !dwarf_siblingof(&d, &d));
	}
	pt_buf_putc(b, ')');
}

static void back(const struct pt_type *t, struct name *n, unsigned depth)
{
	struct pt_buf *b = &n->b;
	Dwarf_Die die = t->die;
	struct pt_type to;
	struct pt_type_info i;
	const char *sign;

	if (depth > MAX_DEPTH || b->len > MAX_NAME_BYTES)
		return;
	if (pointer(t, &to, &sign)) {
		if (!t->address_of && of_rust(&die, n) && pt_type_die_name(&die))
			return;
		pt_buf_puts(b, binds(&to) ? ")" : "");
		back(&to, n, depth + 1);
		return;
	}
	if (t->none)
		return;
	if (qualifier(dwarf_tag(&die))) {
		pt_type_of(&die, &to);
		back(&to, n, depth + 1);
	} else if (dwarf_tag(&die) == DW_TAG_array_type) {
		pt_type_info(t, &i);
		if (b->len && b->data[b->len - 1] != ')' && b->data[b->len - 1] != ']')
			pt_buf_putc(b, ' ');
		if (i.kind == PT_TYPE_ARRAY && i.nr)
			pt_buf_printf(b, "[%llu]", (unsigned long long)i.nr);
		else
			pt_buf_puts(b, "[]");
		if (i.kind == PT_TYPE_ARRAY)
			back(&i.target, n, depth + 1);
	} else if (dwarf_tag(&die) == DW_TAG_subroutine_type) {
		params(&die, n, depth);
		pt_type_of(&die, &to);
		back(&to, n, depth + 1);
	}
}

void pt_type_name(const struct pt_type *t, int language_of_unit, struct pt_buf *b)
{
	struct name n = { .b = PT_BUF_INIT, .language = language_of_unit };

	if (t->btf) {
		pt_type_btf_name(t, &n.b);
		for (unsigned i = 0; i < t->address_of; i++)
			pt_buf_puts(&n.b, n.b.data[n.b.len - 1] == '*' ? "*" : " *");
	} else {
		front(t, &n, 0);
		back(t, &n, 0);
	}
	pt_buf_puts(b, n.b.len ? n.b.data : "?");
	pt_buf_deinit(&n.b);
}
