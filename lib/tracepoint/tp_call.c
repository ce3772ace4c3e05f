#include "tracepoint/tp_tree_priv.h"

#include <stdlib.h>

#include "base/mem.h"

/* Everything that looks like a call in a print format: the kernel's __print_*() and __get_*()
 * macros, sizeof, and compiler builtins left from expanded macros. Each parser starts behind "("
 * and ends behind ")". */

enum { MAX_TABLE = 1 << 14 };

static struct pt_tp_node *closed(struct pt_tp_parser *p, struct pt_tp_node *n)
{
	return pt_tp_parse_skip(p, ')')
		       ? n
		       : pt_tp_parse_fail(p, "too many arguments, or no closing parenthesis");
}

static struct pt_tp_node *tp_call_argument(struct pt_tp_parser *p)
{
	struct pt_tp_node *n = pt_tp_parse_expr(p);

	return pt_tp_parse_skip(p, ',') ? n : pt_tp_parse_fail(p, "too few arguments");
}

/* Bytes of a field, their number, or a mask. */
static struct pt_tp_node *of_field(struct pt_tp_parser *p, int kind)
{
	const struct pt_tp_field *f = pt_tp_parse_field(p);
	struct pt_tp_node *n = pt_tp_node(p, (enum pt_tp_kind)kind, NULL, NULL, NULL), *which;

	if (!f)
		return n;
	n->field = f;
	if (pt_tp_parse_skip(p, '[')) {		/* __get_str(args[2]): one of several strings */
		which = pt_tp_parse_expr(p);
		if (which->kind != PT_TP_NUM || which->value >= f->size_bytes / 4 ||
		    !(f->flags & PT_TP_DYNAMIC) || !pt_tp_parse_skip(p, ']'))
			return pt_tp_parse_fail(
				p, "one of several strings that the field does not have");
		n->op = (uint16_t)which->value;
	}
	n->bits = kind == PT_TP_DYN ? (uint8_t)(p->entry->tp.db->long_bytes * 8) : 32;
	n->is_unsigned = kind == PT_TP_DYN;
	return closed(p, n);
}

/* "{ value, "name" }, ...". Entries of another shape ({ -1, NULL } ends a table, { } is none) name
 * nothing. */
static void table_entries(struct pt_tp_parser *p, struct pt_tp_table *t)
{
	struct pt_tp_node *value, *name;

	while (pt_tp_parse_skip(p, '{')) {
		if (!pt_tp_parse_skip(p, '}')) {
			value = tp_call_argument(p);
			name = pt_tp_parse_expr(p);
			if (!pt_tp_parse_skip(p, '}') || t->nr == MAX_TABLE) {
				pt_tp_parse_fail(p, "a table of names that is not understood");
				return;
			}
			if (value->kind == PT_TP_NUM && name->kind == PT_TP_STR) {
				PT_GROW(t->items, t->nr, t->cap);
				t->items[t->nr] = (struct pt_tp_value_name){
					value->value, (uint32_t)t->nr, name->len, name->text
				};
				t->nr++;
			}
		}
		if (!pt_tp_parse_skip(p, ','))
			return;
	}
}

/* The table grows on the heap, then moves to the format's memory. */
static struct pt_tp_table table(struct pt_tp_parser *p)
{
	struct pt_tp_table t = { NULL, 0, 0 };
	struct pt_tp_value_name *items;

	table_entries(p, &t);
	items = t.items;
	if (t.nr)
		t.items = pt_arena_memdup(&p->entry->arena, items, t.nr * sizeof(*items));
	free(items);
	return t;
}

static int tp_call_by_value(const void *a, const void *b)
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
		qsort(t->items, t->nr, sizeof(*t->items), tp_call_by_value);
	for (i = 0; i < t->nr; i++)
		if (!n || t->items[i].value != t->items[n - 1].value)
			t->items[n++] = t->items[i];
	t->nr = n;
}

static struct pt_tp_node *tp_call_print_flags(struct pt_tp_parser *p, int is_u64)
{
	struct pt_tp_node *value = tp_call_argument(p), *delim = tp_call_argument(p),
			  *n = pt_tp_node(p, PT_TP_FLAGS, value, NULL, NULL);

	n->table = table(p);
	n->is_u64 = is_u64;
	n->cost += (uint32_t)n->table.nr;
	n->text = delim->kind == PT_TP_STR ? delim->text : "";
	n->len = delim->kind == PT_TP_STR ? delim->len : 0;
	return closed(p, n);
}

static struct pt_tp_node *tp_call_print_symbolic(struct pt_tp_parser *p, int is_u64)
{
	struct pt_tp_node *value = tp_call_argument(p),
			  *n = pt_tp_node(p, PT_TP_SYMBOLIC, value, NULL, NULL);

	n->table = table(p);
	n->is_u64 = is_u64;
	sort_table(&n->table);
	return closed(p, n);
}

static struct pt_tp_node *tp_call_print_hex(struct pt_tp_parser *p, int between)
{
	struct pt_tp_node *data = tp_call_argument(p), *len = pt_tp_parse_expr(p),
			  *n = pt_tp_node(p, PT_TP_HEX, data, len, NULL);

	if (!pt_tp_is_data(data))
		return pt_tp_parse_fail(p, "__print_hex of what is no array of the record");
	n->text = between ? " " : "";
	return closed(p, n);
}

static struct pt_tp_node *tp_call_print_array(struct pt_tp_parser *p, int none)
{
	struct pt_tp_node *data = tp_call_argument(p), *count = tp_call_argument(p),
			  *size = pt_tp_parse_expr(p);

	(void)none;
	if (!pt_tp_is_data(data))
		return pt_tp_parse_fail(p, "__print_array of what is no array of the record");
	return closed(p, pt_tp_node(p, PT_TP_ARRAY_OF, data, count, size));
}

static struct pt_tp_node *tp_call_size_of(struct pt_tp_parser *p, int none)
{
	int long_bytes = p->entry->tp.db->long_bytes;
	struct pt_tp_node *n = pt_tp_number(p, 0), *of;
	const char *end = p->at;
	struct pt_tp_type t;

	(void)none;
	while (pt_tp_is_word(*end) || *end == ' ' || *end == '*')
		end++;
	t = pt_tp_parse_type(p->at, (size_t)(end - p->at), long_bytes);
	n->bits = (uint8_t)(long_bytes * 8);
	n->is_unsigned = true;
	if (*end == ')' && (t.bits || t.pointer)) {
		n->value = t.pointer ? (uint64_t)long_bytes : t.bits / 8u;
		p->at = end;
		return closed(p, n);
	}
	of = pt_tp_parse_expr(p);
	if (of->kind == PT_TP_FIELD)
		n->value = of->field->size_bytes;
	else if (of->kind == PT_TP_INDEX)
		n->value = of->bits / 8u;
	else
		return pt_tp_parse_fail(p, "sizeof of an unknown type");
	return closed(p, n);
}

static struct pt_tp_node *expect(struct pt_tp_parser *p, int none)
{
	struct pt_tp_node *n = tp_call_argument(p);

	(void)none;
	pt_tp_parse_expr(p);
	return closed(p, n);
}

static struct pt_tp_node *tp_call_choose(struct pt_tp_parser *p, int none)
{
	struct pt_tp_node *cond = tp_call_argument(p), *yes = tp_call_argument(p),
			  *no = pt_tp_parse_expr(p);

	(void)none;
	return cond->kind == PT_TP_NUM ? closed(p, cond->value ? yes : no)
				       : pt_tp_parse_fail(p, "a choice that is no constant");
}

/* Whether it is a constant does not matter: the macros give the same value in both cases. */
static struct pt_tp_node *constant_p(struct pt_tp_parser *p, int none)
{
	(void)none;
	pt_tp_parse_expr(p);
	return closed(p, pt_tp_number(p, 1));
}

static struct pt_tp_node *swab(struct pt_tp_parser *p, int bits)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_SWAB, pt_tp_parse_expr(p), NULL, NULL);

	n->op = true;
	n->bits = (uint8_t)bits;
	n->is_unsigned = true;
	return closed(p, n);
}

/* Numbers in network order on the recorded machine. */
static struct pt_tp_node *swab_on_little(struct pt_tp_parser *p, int bits)
{
	struct pt_tp_node *n = swab(p, bits);

	if (n->kind == PT_TP_SWAB)
		n->op = p->entry->tp.db->swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return n;
}

/* Seconds, or the remaining nanoseconds. */
static struct pt_tp_node *of_billion(struct pt_tp_parser *p, int op)
{
	struct pt_tp_node *of = pt_tp_parse_expr(p),
			  *n = pt_tp_node(p, PT_TP_BINARY, of, pt_tp_number(p, 1000000000), NULL);

	n->op = (uint16_t)op;
	n->bits = 64;
	n->is_unsigned = true;
	return closed(p, n);
}

static const struct {
	const char *name;
	struct pt_tp_node *(*parse)(struct pt_tp_parser *p, int arg);
	int arg;
} calls[] = {
	{ "__print_flags", tp_call_print_flags, false },
	{ "__print_flags_u64", tp_call_print_flags, true },
	{ "__print_symbolic", tp_call_print_symbolic, false },
	{ "__print_symbolic_u64", tp_call_print_symbolic, true },
	{ "__print_hex", tp_call_print_hex, ' ' },
	{ "__print_hex_str", tp_call_print_hex, 0 },
	{ "__print_array", tp_call_print_array, 0 },
	{ "__print_dynamic_array", of_field, PT_TP_DYN },
	{ "__get_dynamic_array", of_field, PT_TP_DYN },
	{ "__get_rel_dynamic_array", of_field, PT_TP_DYN },
	{ "__get_str", of_field, PT_TP_DYN },
	{ "__get_rel_str", of_field, PT_TP_DYN },
	{ "__get_sockaddr", of_field, PT_TP_DYN },
	{ "__get_rel_sockaddr", of_field, PT_TP_DYN },
	{ "__get_dynamic_array_len", of_field, PT_TP_DYN_LEN },
	{ "__get_rel_dynamic_array_len", of_field, PT_TP_DYN_LEN },
	{ "__get_bitmask", of_field, PT_TP_BITMASK },
	{ "__get_rel_bitmask", of_field, PT_TP_BITMASK },
	{ "__get_cpumask", of_field, PT_TP_CPUMASK },
	{ "__get_rel_cpumask", of_field, PT_TP_CPUMASK },
	{ "sizeof", tp_call_size_of, 0 },
	{ "__builtin_expect", expect, 0 },
	{ "__builtin_choose_expr", tp_call_choose, 0 },
	{ "__builtin_constant_p", constant_p, 0 },
	{ "__builtin_bswap16", swab, 16 },
	{ "__builtin_bswap32", swab, 32 },
	{ "__builtin_bswap64", swab, 64 },
	{ "__fswab16", swab, 16 },
	{ "__fswab32", swab, 32 },
	{ "__fswab64", swab, 64 },
	{ "__swab16", swab, 16 },
	{ "__swab32", swab, 32 },
	{ "__swab64", swab, 64 },
	{ "ntohs", swab_on_little, 16 },
	{ "htons", swab_on_little, 16 },
	{ "ntohl", swab_on_little, 32 },
	{ "htonl", swab_on_little, 32 },
	{ "be16_to_cpu", swab_on_little, 16 },
	{ "be32_to_cpu", swab_on_little, 32 },
	{ "be64_to_cpu", swab_on_little, 64 },
	{ "__be16_to_cpu", swab_on_little, 16 },
	{ "__be32_to_cpu", swab_on_little, 32 },
	{ "__be64_to_cpu", swab_on_little, 64 },
	{ "__print_ns_to_secs", of_billion, '/' },
	{ "__print_ns_without_secs", of_billion, '%' },
};

struct pt_tp_node *pt_tp_parse_call(struct pt_tp_parser *p, const char *name, size_t len)
{
	for (size_t i = 0; i < PT_NR(calls); i++)
		if (pt_tp_same(name, len, calls[i].name))
			return calls[i].parse(p, calls[i].arg);
	return pt_tp_parse_fail(p, "a function that only the kernel has");
}
