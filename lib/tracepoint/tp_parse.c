#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>

#include "base/mem.h"

/* Parses arguments of a print format: C expressions over REC->field, by precedence climbing. */

enum { MAX_NESTING = 60 };

struct pt_tp_node *pt_tp_parse_fail(struct pt_tp_parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	p->at = "";
	p->failed = (struct pt_tp_node){ .kind = PT_TP_NUM, .bits = 32 };
	return &p->failed;
}

struct pt_tp_node *pt_tp_node(struct pt_tp_parser *p, enum pt_tp_kind kind, struct pt_tp_node *a,
			      struct pt_tp_node *b, struct pt_tp_node *c)
{
	struct pt_tp_node *n, *const parts[] = { a, b, c };
	uint32_t cost = 1, depth = 0;

	for (size_t i = 0; i < PT_NR(parts); i++)
		if (parts[i]) {
			depth = PT_MAX(depth, parts[i]->depth);
			cost += parts[i]->cost;
		}
	if (p->why || ++p->nr_nodes > PT_TP_MAX_NODES)
		return pt_tp_parse_fail(p, "too long");
	if (depth >= PT_TP_MAX_DEPTH || cost > PT_TP_MAX_NODES)
		return pt_tp_parse_fail(p, "nested too deep");
	n = pt_arena_alloc(&p->entry->arena, sizeof(*n));
	*n = (struct pt_tp_node){ .kind = (uint8_t)kind,
				  .bits = 32,
				  .depth = (uint16_t)(depth + 1),
				  .cost = cost,
				  .a = a,
				  .b = b,
				  .c = c };
	return n;
}

struct pt_tp_node *pt_tp_number(struct pt_tp_parser *p, uint64_t value)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_NUM, NULL, NULL, NULL);

	n->value = value;
	return n;
}

static struct pt_tp_node *tp_parse_unary(struct pt_tp_parser *p);

/* Behind "REC". */
static struct pt_tp_node *tp_parse_field(struct pt_tp_parser *p)
{
	const struct pt_tp_field *f;
	struct pt_tp_node *n;

	pt_tp_blanks(p);
	if (strncmp(p->at, "->", 2))
		return pt_tp_parse_fail(p, "REC without a field");
	p->at += 2;
	f = pt_tp_parse_field(p);
	n = pt_tp_node(p, PT_TP_FIELD, NULL, NULL, NULL);
	if (!f)
		return n;
	n->field = f;
	n->bits = (uint8_t)(f->size_bytes <= 8 ? f->size_bytes * 8 : 64);
	n->is_unsigned = !(f->flags & PT_TP_SIGNED);
	return n;
}

/* Enumerators and similar names that old kernels left unresolved in their formats. */
static const struct { const char *name; uint64_t value; } constants[] = {
	{ "true", 1 }, { "false", 0 }, { "NULL", 0 },
	{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5 }, { "IRQ_POLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
};

static struct pt_tp_node *identifier(struct pt_tp_parser *p)
{
	const char *name = p->at;
	size_t i, len = pt_tp_word(p->at);

	p->at += len;
	if (pt_tp_same(name, len, "REC"))
		return tp_parse_field(p);
	if (pt_tp_parse_skip(p, '('))
		return pt_tp_parse_call(p, name, len);
	if (pt_tp_is_type_word(name, len))
		return pt_tp_parse_fail(p, "a type where a value belongs");
	for (i = 0; i < PT_NR(constants); i++)
		if (pt_tp_same(name, len, constants[i].name))
			return pt_tp_number(p, constants[i].value);
	for (i = p->nr_locals; i--; )
		if (p->locals[i].len == len && !memcmp(p->locals[i].name, name, len))
			return p->locals[i].value;
	return pt_tp_node(p, PT_TP_NAME, NULL, NULL, NULL);
}

/* Sets the type of an array's element or of a pointer's target. */
static void set_element(struct pt_tp_node *n)
{
	const struct pt_tp_node *a = n->a;

	n->bits = 8;
	n->is_unsigned = true;
	while (a && !(a->kind == PT_TP_CAST && a->type.pointer && a->type.bits) &&
	       a->kind != PT_TP_FIELD && a->kind != PT_TP_DYN)
		a = a->a;
	if (!a)
		return;
	if (a->kind == PT_TP_CAST) {
		n->bits = a->type.bits;
		n->is_unsigned = a->type.is_unsigned;
	} else if (a->field->elem_bytes <= 8) {
		n->bits = (uint8_t)(a->field->elem_bytes * 8);
		n->is_unsigned = !(a->field->flags & PT_TP_SIGNED);
	}
}

static struct pt_tp_node *tp_parse_element(struct pt_tp_parser *p, struct pt_tp_node *of,
					   struct pt_tp_node *at)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_INDEX, of, at, NULL);

	if (!pt_tp_is_data(of))
		return pt_tp_parse_fail(p, "an element of what is no array of the record");
	set_element(n);
	return n;
}

static struct pt_tp_node *tp_parse_postfix(struct pt_tp_parser *p, struct pt_tp_node *n)
{
	struct pt_tp_node *at;

	while (pt_tp_parse_skip(p, '[')) {
		at = pt_tp_parse_expr(p);
		if (!pt_tp_parse_skip(p, ']'))
			return pt_tp_parse_fail(p, "a bracket is not closed");
		n = tp_parse_element(p, n, at);
	}
	pt_tp_blanks(p);
	return *p->at == '.' || !strncmp(p->at, "->", 2)
		       ? pt_tp_parse_fail(p, "a member of a structure")
		       : n;
}

/* Folds a node whose operands are constant. */
static struct pt_tp_node *tp_parse_fold(const struct pt_tp_parser *p, struct pt_tp_node *n)
{
	const struct pt_tp_rec none = { .raw = NULL,
					.long_bytes = (uint8_t)p->entry->tp.db->long_bytes };
	uint64_t v = pt_tp_eval(n, &none);

	*n = (struct pt_tp_node){ .kind = PT_TP_NUM,
				  .bits = n->bits,
				  .is_unsigned = n->is_unsigned,
				  .depth = 1,
				  .cost = 1,
				  .value = v };
	return n;
}

static struct pt_tp_node *tp_parse_as_type(struct pt_tp_parser *p, struct pt_tp_type t,
					   struct pt_tp_node *of)
{
	struct pt_tp_node *n = pt_tp_node(p, PT_TP_CAST, of, NULL, NULL);

	n->type = t;
	n->bits = t.pointer ? (uint8_t)(p->entry->tp.db->long_bytes * 8)
		  : t.bits  ? t.bits
			    : of->bits;
	n->is_unsigned = t.pointer || (t.bits ? t.is_unsigned : of->is_unsigned);
	return of->kind == PT_TP_NUM ? tp_parse_fold(p, n) : n;
}

static struct pt_tp_node *cast(struct pt_tp_parser *p, size_t type_len)
{
	struct pt_tp_type t = pt_tp_parse_type(p->at, type_len, p->entry->tp.db->long_bytes);

	p->at += type_len + 1;
	pt_tp_blanks(p);
	if (*p->at == '{')
		return pt_tp_parse_fail(p, "a compound literal");
	return tp_parse_as_type(p, t, tp_parse_unary(p));
}

/* Skips "TYPE NAME = " in front of a statement. False: it is no declaration. */
static bool declaration(struct pt_tp_parser *p, struct pt_tp_type *type, struct pt_tp_local *local)
{
	const char *s = p->at, *name = NULL;
	size_t n, len = 0;
	int words = 0;

	for (; pt_tp_is_word(*s) || *s == '*' || isspace((unsigned char)*s); s += n ? n : 1) {
		n = pt_tp_word(s);
		if (!n)
			continue;
		words++;
		name = s;
		len = n;
	}
	if (words < 2 || s[0] != '=' || s[1] == '=')
		return false;
	*type = pt_tp_parse_type(p->at, (size_t)(name - p->at), p->entry->tp.db->long_bytes);
	local->name = name;
	local->len = len;
	p->at = s + 1;
	return true;
}

/* Behind "({": declarations, then the value; the kernel's min() and max() expand to this. */
static struct pt_tp_node *statements(struct pt_tp_parser *p)
{
	size_t outer = p->nr_locals;
	struct pt_tp_local local;
	struct pt_tp_node *n;
	struct pt_tp_type t;

	for (pt_tp_blanks(p); declaration(p, &t, &local); pt_tp_blanks(p)) {
		local.value = tp_parse_as_type(p, t, pt_tp_parse_expr(p));
		if (!pt_tp_parse_skip(p, ';') || p->nr_locals == PT_NR(p->locals))
			return pt_tp_parse_fail(p, "a declaration that is not understood");
		p->locals[p->nr_locals++] = local;
	}
	n = pt_tp_parse_expr(p);
	p->nr_locals = outer;
	if (!pt_tp_parse_skip(p, ';') || !pt_tp_parse_skip(p, '}') ||
	    !pt_tp_parse_skip(p, ')'))
		return pt_tp_parse_fail(p, "statements that are not understood");
	return n;
}

static struct pt_tp_node *primary(struct pt_tp_parser *p)
{
	struct pt_tp_node *n;
	size_t type_len;

	pt_tp_blanks(p);
	if (*p->at == '"') {
		n = pt_tp_node(p, PT_TP_STR, NULL, NULL, NULL);
		return pt_tp_parse_text(p, &n->text, &n->len) ? n : &p->failed;
	}
	if (isdigit((unsigned char)*p->at))
		return pt_tp_parse_number(p);
	if (*p->at == '\'')
		return pt_tp_parse_character(p);
	if (pt_tp_word(p->at))
		return identifier(p);
	if (!pt_tp_parse_skip(p, '('))
		return pt_tp_parse_fail(p, "a character that starts no value");
	if (pt_tp_parse_skip(p, '{'))
		return statements(p);
	if (!strncmp(p->at, "REC)", 4)) {
		p->at += 4;
		return tp_parse_field(p);
	}
	type_len = pt_tp_type_in_parens(p);
	if (type_len)
		return cast(p, type_len);
	n = pt_tp_parse_expr(p);
	if (!pt_tp_parse_skip(p, ')'))
		return pt_tp_parse_fail(p, "a parenthesis is not closed");
	return n;
}

static struct pt_tp_node *operation(struct pt_tp_parser *p, enum pt_tp_kind kind, int op,
				    struct pt_tp_node *a, struct pt_tp_node *b);

static struct pt_tp_node *prefixed(struct pt_tp_parser *p)
{
	struct pt_tp_node *of, *n;
	char op;

	pt_tp_blanks(p);
	if (!*p->at || !strchr("!~-+*&", *p->at))
		return tp_parse_postfix(p, primary(p));
	op = *p->at++;
	of = tp_parse_unary(p);
	switch (op) {
	case '+':
		return of;
	case '*':
		return tp_parse_element(p, of, pt_tp_number(p, 0));
	case '&':
		if (of->kind == PT_TP_INDEX) {		/* &a[i] is a + i */
			n = pt_tp_node(p, PT_TP_BINARY, of->a, of->b, NULL);
			n->op = '+';
			return n;
		}
		return of->kind == PT_TP_FIELD ? pt_tp_node(p, PT_TP_ADDR, of, NULL, NULL)
					       : pt_tp_parse_fail(p, "an address of no field");
	}
	return operation(p, PT_TP_UNARY, op, of, NULL);
}

static struct pt_tp_node *nested(struct pt_tp_parser *p,
				 struct pt_tp_node *(*parse)(struct pt_tp_parser *p))
{
	struct pt_tp_node *n;

	if (p->nesting >= MAX_NESTING)
		return pt_tp_parse_fail(p, "nested too deep");
	p->nesting++;
	n = parse(p);
	p->nesting--;
	return n;
}

static struct pt_tp_node *tp_parse_unary(struct pt_tp_parser *p)
{
	return nested(p, prefixed);
}

static const struct { char text[3]; uint16_t op; uint8_t level; } binary_ops[] = {
	{ "||", PT_TP_OR, 1 }, { "&&", PT_TP_AND, 2 }, { "==", PT_TP_EQ, 6 }, { "!=", PT_TP_NE, 6 },
	{ "<<", PT_TP_SHL, 8 }, { ">>", PT_TP_SHR, 8 },
	{ "<=", PT_TP_LE, 7 }, { ">=", PT_TP_GE, 7 }, { "|", '|', 3 }, { "^", '^', 4 },
	{ "&", '&', 5 }, { "<", '<', 7 }, { ">", '>', 7 },
	{ "+", '+', 9 }, { "-", '-', 9 }, { "*", '*', 10 }, { "/", '/', 10 }, { "%", '%', 10 },
};

static size_t next_operator(struct pt_tp_parser *p)
{
	size_t i = 0;

	pt_tp_blanks(p);
	while (i < PT_NR(binary_ops) &&
	       strncmp(p->at, binary_ops[i].text, strlen(binary_ops[i].text)))
		i++;
	return i;
}

static bool is_comparison(int op)
{
	return op == '<' || op == '>' || op == PT_TP_LE || op == PT_TP_GE || op == PT_TP_EQ ||
	       op == PT_TP_NE || op == PT_TP_AND || op == PT_TP_OR;
}

/* C's integer promotions and usual conversions. Constant operands are folded here. */
static struct pt_tp_node *operation(struct pt_tp_parser *p, enum pt_tp_kind kind, int op,
				    struct pt_tp_node *a, struct pt_tp_node *b)
{
	struct pt_tp_node *n = pt_tp_node(p, kind, a, b, NULL);
	bool constant = a->kind == PT_TP_NUM && (!b || b->kind == PT_TP_NUM);

	n->op = (uint16_t)op;
	n->bits = a->bits > 32 ? 64 : 32;
	n->is_unsigned = a->bits >= 32 && a->is_unsigned;
	if (b && op != PT_TP_SHL && op != PT_TP_SHR) {
		bool b_unsigned = b->bits >= 32 && b->is_unsigned;
		uint8_t b_bits = b->bits > 32 ? 64 : 32;

		if (b_bits == n->bits)
			n->is_unsigned |= b_unsigned;
		else if (b_bits > n->bits)
			n->is_unsigned = b_unsigned;
		n->bits = PT_MAX(n->bits, b_bits);
	}
	/* The comparison is done in that type; its value is an int, and 0 and 1 are the same in any
	 * type. */
	if (constant) {
		tp_parse_fold(p, n);
		if (is_comparison(op) || op == '!')
			n->bits = 32, n->is_unsigned = false;
	}
	return n;
}

static struct pt_tp_node *tp_parse_binary(struct pt_tp_parser *p, int least)
{
	struct pt_tp_node *left = tp_parse_unary(p);
	size_t i;

	while ((i = next_operator(p)) < PT_NR(binary_ops) && binary_ops[i].level >= least) {
		p->at += strlen(binary_ops[i].text);
		left = operation(p, PT_TP_BINARY, binary_ops[i].op, left,
				 tp_parse_binary(p, binary_ops[i].level + 1));
	}
	return left;
}

static struct pt_tp_node *conditional(struct pt_tp_parser *p)
{
	struct pt_tp_node *cond = tp_parse_binary(p, 1), *yes, *no, *n;

	if (!pt_tp_parse_skip(p, '?'))
		return cond;
	pt_tp_blanks(p);
	yes = *p->at == ':' ? cond : pt_tp_parse_expr(p);	/* a ?: b */
	if (!pt_tp_parse_skip(p, ':'))
		return pt_tp_parse_fail(p, "? without :");
	no = pt_tp_parse_expr(p);
	n = pt_tp_node(p, PT_TP_COND, cond, yes, no);
	n->bits = PT_MAX(PT_MAX(yes->bits, no->bits), 32);
	n->is_unsigned = (yes->bits == n->bits && yes->is_unsigned) ||
			 (no->bits == n->bits && no->is_unsigned);
	return n;
}

struct pt_tp_node *pt_tp_parse_expr(struct pt_tp_parser *p)
{
	return nested(p, conditional);
}
