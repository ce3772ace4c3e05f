#include "tracepoint/tp_tree_priv.h"

#include <stdlib.h>

#include "base/mem.h"

/* Everything that looks like a call in a print format: the kernel's __print_*() and __get_*()
 * macros, sizeof, and compiler builtins left from expanded macros. Each parser starts behind "("
 * and ends behind ")". */

enum { MAX_TABLE = 1 << 14 };

static struct pt_tp_node *closed(struct pt_tp_parser *p, struct pt_tp_node *n)
{
	if (!n)
		return NULL;
	return pt_tp_parse_skip(p, ')')
		       ? n
		       : pt_tp_parse_fail(p, "too many arguments, or no closing parenthesis");
}

static bool comma(struct pt_tp_parser *p)
{
	return pt_tp_parse_skip(p, ',') || pt_tp_parse_fail(p, "too few arguments");
}

static struct pt_tp_node *argument(struct pt_tp_parser *p)
{
	struct pt_tp_node *n = pt_tp_parse_expr(p);

	return n && pt_tp_parse_skip(p, ',') ? n : pt_tp_parse_fail(p, "too few arguments");
}

/* The name of a dynamic field. */
static const struct pt_tp_field *field_name(struct pt_tp_parser *p)
{
	const struct pt_tp_field *f;
	char name[256];
	size_t len;

	pt_tp_blanks(p);
	len = pt_tp_word(p->at, p->end);
	if (!len || len >= sizeof(name)) {
		pt_tp_parse_fail(p, "no name of a field where one belongs");
		return NULL;
	}
	memcpy(name, p->at, len);
	name[len] = '\0';
	p->at += len;
	f = pt_tp_field_or_guard(&p->entry->tp, name);
	if (!f)
		pt_tp_parse_fail(p, "a field that the format does not have");
	return f;
}

static struct pt_tp_node *of_field(struct pt_tp_parser *p, enum pt_tp_kind kind)
{
	const struct pt_tp_field *f = field_name(p);
	struct pt_tp_node *n = f ? pt_tp_node(p, kind, NULL, NULL, NULL) : NULL, *which;

	if (!n)
		return NULL;
	n->field = f;
	if (pt_tp_parse_skip(p, '[')) {		/* __get_str(args[2]): one of several strings */
		which = pt_tp_parse_expr(p);
		if (!which || which->kind != PT_TP_NUM || which->value >= f->size_bytes / 4 ||
		    !(f->flags & PT_TP_DYNAMIC) || !pt_tp_parse_skip(p, ']'))
			return pt_tp_parse_fail(
				p, "one of several strings that the field does not have");
		n->op = (uint16_t)which->value;
	}
	n->bits = kind == PT_TP_DYN ? (uint8_t)(p->entry->tp.db->long_bytes * 8) : 32;
	n->is_unsigned = kind == PT_TP_DYN;
	return closed(p, n);
}

/* "{ value, "name" }". Entries of another shape ({ -1, NULL } ends a table) name nothing. */
static bool table_entry(struct pt_tp_parser *p, struct pt_tp_table *t)
{
	struct pt_tp_node *value = pt_tp_parse_expr(p), *name;

	if (!value || !comma(p))
		return false;
	name = pt_tp_parse_expr(p);
	if (!name)
		return false;
	if (!pt_tp_parse_skip(p, '}'))
		return pt_tp_parse_fail(p, "a brace is not closed") != NULL;
	if (value->kind != PT_TP_NUM || name->kind != PT_TP_STR)
		return true;
	if (t->nr == MAX_TABLE)
		return pt_tp_parse_fail(p, "a table of names is too long") != NULL;
	PT_GROW(t->items, t->nr, t->cap);
	t->items[t->nr] =
		(struct pt_tp_value_name){ value->value, (uint32_t)t->nr, name->len, name->text };
	t->nr++;
	return true;
}

static bool table_entries(struct pt_tp_parser *p, struct pt_tp_table *t)
{
	while (pt_tp_parse_skip(p, '{')) {
		/* "{ }" is a table without entries. */
		if (!pt_tp_parse_skip(p, '}') && !table_entry(p, t))
			return false;
		if (!pt_tp_parse_skip(p, ','))
			break;
	}
	return !p->why;
}

/* The table grows on the heap, then moves to the format's memory. */
static bool table(struct pt_tp_parser *p, struct pt_tp_table *to)
{
	struct pt_tp_table t = { NULL, 0, 0 };
	bool good = table_entries(p, &t);

	if (good && t.nr) {
		to->items = pt_arena_zalloc(&p->entry->arena, t.nr * sizeof(*t.items));
		memcpy(to->items, t.items, t.nr * sizeof(*t.items));
		to->nr = t.nr;
	}
	free(t.items);
	return good;
}

static int by_value(const void *a, const void *b)
{
	const struct pt_tp_value_name *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts for searching; of two names for a value the first one counts. */
static void sort_table(struct pt_tp_table *t)
{
	size_t i, n = 0;

	if (t->nr)
		qsort(t->items, t->nr, sizeof(*t->items), by_value);
	for (i = 0; i < t->nr; i++)
		if (!n || t->items[i].value != t->items[n - 1].value)
			t->items[n++] = t->items[i];
	t->nr = n;
}

static struct pt_tp_node *print_flags(struct pt_tp_parser *p, bool is_u64)
{
	struct pt_tp_node *value = argument(p), *delim = value ? argument(p) : NULL, *n;

	if (!delim)
		return NULL;
	n = pt_tp_node(p, PT_TP_FLAGS, value, NULL, NULL);
	if (!n || !table(p, &n->table))
		return NULL;
	n->is_u64 = is_u64;
	n->cost += (uint32_t)n->table.nr;
	n->text = "";
	if (delim->kind == PT_TP_STR)
		n->text = delim->text, n->len = delim->len;
	return closed(p, n);
}

static struct pt_tp_node *print_symbolic(struct pt_tp_parser *p, bool is_u64)
{
	struct pt_tp_node *value = argument(p), *n;

	if (!value)
		return NULL;
	n = pt_tp_node(p, PT_TP_SYMBOLIC, value, NULL, NULL);
	if (!n || !table(p, &n->table))
		return NULL;
	n->is_u64 = is_u64;
	sort_table(&n->table);
	return closed(p, n);
}

static struct pt_tp_node *print_hex(struct pt_tp_parser *p, const char *between)
{
	struct pt_tp_node *data = argument(p), *len = data ? pt_tp_parse_expr(p) : NULL, *n;

	if (!len)
		return NULL;
	if (!pt_tp_is_data(data))
		return pt_tp_parse_fail(p, "__print_hex of what is no array of the record");
	n = pt_tp_node(p, PT_TP_HEX, data, len, NULL);
	if (!n)
		return NULL;
	n->text = between;
	return closed(p, n);
}

static struct pt_tp_node *print_array(struct pt_tp_parser *p)
{
	struct pt_tp_node *data = argument(p), *count = data ? argument(p) : NULL,
			  *size = count ? pt_tp_parse_expr(p) : NULL;

	if (!size)
		return NULL;
	if (!pt_tp_is_data(data))
		return pt_tp_parse_fail(p, "__print_array of what is no array of the record");
	return closed(p, pt_tp_node(p, PT_TP_ARRAY_OF, data, count, size));
}

static struct pt_tp_node *size_of(struct pt_tp_parser *p)
{
	int long_bytes = p->entry->tp.db->long_bytes;
	const char *end = p->at;
	struct pt_tp_node *n, *of;
	struct pt_tp_type t;

	while (end < p->end && (pt_tp_is_word(*end) || *end == ' ' || *end == '*'))
		end++;
	n = pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL);
	if (!n)
		return NULL;
	n->bits = (uint8_t)(long_bytes * 8);
	n->is_unsigned = true;
	t = pt_tp_parse_type(p->at, (size_t)(end - p->at), long_bytes);
	if (end < p->end && *end == ')' && (t.bits || t.pointer)) {
		n->value = t.pointer ? (uint64_t)long_bytes : t.bits / 8u;
		p->at = end;
		return closed(p, n);
	}
	of = pt_tp_parse_expr(p);
	if (!of)
		return NULL;
	if (of->kind == PT_TP_FIELD)
		n->value = of->field->size_bytes;
	else if (of->kind == PT_TP_INDEX)
		n->value = of->bits / 8u;
	else
		return pt_tp_parse_fail(p, "sizeof of an unknown type");
	return closed(p, n);
}

static struct pt_tp_node *expect(struct pt_tp_parser *p)
{
	struct pt_tp_node *n = argument(p);

	return n && pt_tp_parse_expr(p) ? closed(p, n) : NULL;
}

static struct pt_tp_node *choose(struct pt_tp_parser *p)
{
	struct pt_tp_node *cond = argument(p), *yes = cond ? argument(p) : NULL,
			  *no = yes ? pt_tp_parse_expr(p) : NULL;

	if (!no)
		return NULL;
	return cond->kind == PT_TP_NUM ? closed(p, cond->value ? yes : no)
				       : pt_tp_parse_fail(p, "a choice that is no constant");
}

/* Whether it is a constant does not matter: the macros give the same value in both cases. */
static struct pt_tp_node *constant_p(struct pt_tp_parser *p)
{
	struct pt_tp_node *of = pt_tp_parse_expr(p),
			  *n = of ? pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL) : NULL;

	if (n)
		n->value = 1;
	return closed(p, n);
}

/* Numbers in network order on the recorded machine. */
static struct pt_tp_node *swab(struct pt_tp_parser *p, int bits, bool always)
{
	struct pt_tp_node *of = pt_tp_parse_expr(p), *n;
	bool little = p->entry->tp.db->swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	if (!of)
		return NULL;
	n = pt_tp_node(p, PT_TP_SWAB, of, NULL, NULL);
	if (!n)
		return NULL;
	n->op = always || little;
	n->bits = (uint8_t)bits;
	n->is_unsigned = true;
	return closed(p, n);
}

/* Seconds, or the remaining nanoseconds. */
static struct pt_tp_node *of_billion(struct pt_tp_parser *p, char op)
{
	struct pt_tp_node *of = pt_tp_parse_expr(p),
			  *billion = pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL), *n;

	if (!of || !billion)
		return NULL;
	billion->value = 1000000000;
	n = pt_tp_node(p, PT_TP_BINARY, of, billion, NULL);
	if (!n)
		return NULL;
	n->op = (uint16_t)op;
	n->bits = 64;
	n->is_unsigned = true;
	return closed(p, n);
}

enum call {
	FLAGS,
	FLAGS64,
	SYMBOLIC,
	SYMBOLIC64,
	HEX,
	HEX_STR,
	ARRAY,
	DYN,
	DYN_LEN,
	BITMASK,
	CPUMASK,
	SIZEOF,
	EXPECT,
	CHOOSE,
	CONSTANT_P,
	SWAB16,
	SWAB32,
	SWAB64,
	NTOH16,
	NTOH32,
	NTOH64,
	SECS,
	WITHOUT_SECS,
};

static const struct { const char *name; enum call call; } calls[] = {
	{ "__print_flags", FLAGS }, { "__print_flags_u64", FLAGS64 }, { "__print_symbolic", SYMBOLIC }, { "__print_symbolic_u64", SYMBOLIC64 },
	{ "__print_hex", HEX }, { "__print_hex_str", HEX_STR }, { "__print_array", ARRAY },
	{ "__print_dynamic_array", DYN }, { "__get_dynamic_array", DYN }, { "__get_rel_dynamic_array", DYN },
	{ "__get_str", DYN }, { "__get_rel_str", DYN }, { "__get_sockaddr", DYN }, { "__get_rel_sockaddr", DYN },
	{ "__get_dynamic_array_len", DYN_LEN }, { "__get_rel_dynamic_array_len", DYN_LEN },
	{ "__get_bitmask", BITMASK }, { "__get_rel_bitmask", BITMASK }, { "__get_cpumask", CPUMASK }, { "__get_rel_cpumask", CPUMASK },
	{ "sizeof", SIZEOF }, { "__builtin_expect", EXPECT }, { "__builtin_choose_expr", CHOOSE }, { "__builtin_constant_p", CONSTANT_P },
	{ "__builtin_bswap16", SWAB16 }, { "__builtin_bswap32", SWAB32 }, { "__builtin_bswap64", SWAB64 },
	{ "__fswab16", SWAB16 }, { "__fswab32", SWAB32 }, { "__fswab64", SWAB64 },
	{ "__swab16", SWAB16 }, { "__swab32", SWAB32 }, { "__swab64", SWAB64 },
	{ "ntohs", NTOH16 }, { "htons", NTOH16 }, { "ntohl", NTOH32 }, { "htonl", NTOH32 }, { "be16_to_cpu", NTOH16 }, { "be32_to_cpu", NTOH32 },
	{ "be64_to_cpu", NTOH64 }, { "__be16_to_cpu", NTOH16 }, { "__be32_to_cpu", NTOH32 }, { "__be64_to_cpu", NTOH64 },
	{ "__print_ns_to_secs", SECS }, { "__print_ns_without_secs", WITHOUT_SECS },
};

static struct pt_tp_node *dispatch(struct pt_tp_parser *p, enum call call)
{
	switch (call) {
	case FLAGS: return print_flags(p, false);
	case FLAGS64: return print_flags(p, true);
	case SYMBOLIC: return print_symbolic(p, false);
	case SYMBOLIC64: return print_symbolic(p, true);
	case HEX: return print_hex(p, " ");
	case HEX_STR: return print_hex(p, "");
	case ARRAY: return print_array(p);
	case DYN: return of_field(p, PT_TP_DYN);
	case DYN_LEN: return of_field(p, PT_TP_DYN_LEN);
	case BITMASK: return of_field(p, PT_TP_BITMASK);
	case CPUMASK: return of_field(p, PT_TP_CPUMASK);
	case SIZEOF: return size_of(p);
	case EXPECT: return expect(p);
	case CHOOSE: return choose(p);
	case CONSTANT_P: return constant_p(p);
	case SWAB16: return swab(p, 16, true);
	case SWAB32: return swab(p, 32, true);
	case SWAB64: return swab(p, 64, true);
	case NTOH16: return swab(p, 16, false);
	case NTOH32: return swab(p, 32, false);
	case NTOH64: return swab(p, 64, false);
	case SECS: return of_billion(p, '/');
	case WITHOUT_SECS: return of_billion(p, '%');
	}
	return NULL;
}

struct pt_tp_node *pt_tp_parse_call(struct pt_tp_parser *p, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < PT_NR(calls); i++)
		if (pt_tp_same(name, len, calls[i].name))
			return dispatch(p, calls[i].call);
	return pt_tp_parse_fail(p, "a function that only the kernel has");
}
