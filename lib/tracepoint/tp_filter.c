#include "tracepoint/tp_filter.h"
#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { MAX_NODES = 1000, MAX_NESTING = 100 };

char *pt_tp_filter_kernel(const char *text)
{
	struct pt_buf out = PT_BUF_INIT;
	char word[32], quote = 0;
	size_t n;

	for (const char *at = text; *at; at += n) {
		uint64_t bytes;

		n = 1;
		if (!quote && isdigit((unsigned char)*at) && (at == text || !pt_tp_is_word(at[-1])))
			while (pt_tp_is_word(at[n]))
				n++;
		if (*at == '"' || *at == '\'')
			quote = !quote ? *at : quote == *at ? 0 : quote;
		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		if (n > 1 && n < sizeof(word) && strchr("KMG", at[n - 1]) &&
		    pt_num_size(word, UINT64_MAX, &bytes, NULL) == 0)
			pt_buf_dec(&out, bytes);
		else
			pt_buf_add(&out, at, n);
	}
	return out.data ? out.data : pt_strdup("");
}

enum op { AND, OR, NOT, EQ, NE, LE, GE, LT, GT, BITS, GLOB };

/* Of AND and OR `a` and `b`, of NOT `a`: earlier nodes. All else compares a field. */
struct node {
	enum op op;
	size_t a, b;
	char *field, *text;		/* text: NULL, the value is a number */
	uint64_t value;
	bool is_cpu;			/* the sample's, not a field */
};

struct pt_tp_filter {
	struct node *nodes;
	size_t nr, cap, root;
	/* the fields of the nodes in the event that came last */
	const struct pt_tp *tp;
	const struct pt_tp_field **fields;
	const char *missing;		/* of that event; NULL: it has all */
	bool fitted;			/* some event had all */
	const char *first_missing;
};

struct parser {
	struct pt_tp_filter *f;
	const char *at;
	int nesting;
	struct pt_err *e;
};

static size_t tp_filter_add_node(struct parser *p, struct node n)
{
	PT_GROW(p->f->nodes, p->f->nr, p->f->cap);
	p->f->nodes[p->f->nr] = n;
	return p->f->nr++;
}

static bool tp_filter_take(struct parser *p, const char *word)
{
	p->at += strspn(p->at, " \t\n");
	if (strncmp(p->at, word, strlen(word)))
		return false;
	p->at += strlen(word);
	return true;
}

static int read_op(struct parser *p, struct node *n)
{
	static const struct { const char *text; enum op op; } ops[] = {
		{ "==", EQ }, { "!=", NE }, { "<=", LE }, { ">=", GE },
		{ "<", LT }, { ">", GT }, { "&", BITS }, { "~", GLOB },
	};

	for (size_t i = 0; i < PT_NR(ops); i++)
		if (tp_filter_take(p, ops[i].text)) {
			n->op = ops[i].op;
			return 0;
		}
	return pt_err_set(p->e, "an operator is missing at \"%.40s\"", p->at);
}

/* "text", 'text', or a number. */
static int tp_filter_read_value(struct parser *p, struct node *n)
{
	const char *end;
	char *behind;

	p->at += strspn(p->at, " \t\n");
	if (*p->at == '"' || *p->at == '\'') {
		end = strchr(p->at + 1, *p->at);
		if (!end)
			return pt_err_set(p->e, "a quote has no end");
		if (n->op != EQ && n->op != NE && n->op != GLOB)
			return pt_err_set(p->e, "text is compared by == != ~");
		n->text = pt_strndup(p->at + 1, (size_t)(end - p->at - 1));
		p->at = end + 1;
		return 0;
	}
	errno = 0;
	n->value = *p->at == '-' ? (uint64_t)strtoll(p->at, &behind, 0)
				 : strtoull(p->at, &behind, 0);
	if (behind == p->at || errno || pt_tp_is_word(*behind) || n->op == GLOB)
		return pt_err_set(p->e, "no number, nor text in quotes: \"%.40s\"", p->at);
	p->at = behind;
	return 0;
}

static int read_test(struct parser *p, size_t *out)
{
	struct node n = { .op = EQ };
	size_t len = 0;

	p->at += strspn(p->at, " \t\n");
	while (pt_tp_is_word(p->at[len]))
		len++;
	if (!len || isdigit((unsigned char)*p->at))
		return pt_err_set(p->e, "a field is missing at \"%.40s\"", p->at);
	n.field = pt_strndup(p->at, len);
	n.is_cpu = !strcasecmp(n.field, "cpu");
	p->at += len;
	*out = tp_filter_add_node(p, n);
	if (read_op(p, &n) < 0 || tp_filter_read_value(p, &n) < 0)
		return -1;
	p->f->nodes[*out] = n;
	return 0;
}

static int read_or(struct parser *p, size_t *out);

static int tp_filter_read_one(struct parser *p, size_t *out)
{
	size_t a;

	if (++p->nesting > MAX_NESTING || p->f->nr > MAX_NODES)
		return pt_err_set(p->e, "too long, or too deep");
	if (tp_filter_take(p, "!")) {
		if (tp_filter_read_one(p, &a) < 0)
			return -1;
		*out = tp_filter_add_node(p, (struct node){ .op = NOT, .a = a });
	} else if (tp_filter_take(p, "(")) {
		if (read_or(p, out) < 0)
			return -1;
		if (!tp_filter_take(p, ")"))
			return pt_err_set(p->e, "a parenthesis has no end");
	} else if (read_test(p, out) < 0) {
		return -1;
	}
	p->nesting--;
	return 0;
}

static int read_and(struct parser *p, size_t *out)
{
	size_t b;

	if (tp_filter_read_one(p, out) < 0)
		return -1;
	while (tp_filter_take(p, "&&")) {
		if (tp_filter_read_one(p, &b) < 0)
			return -1;
		*out = tp_filter_add_node(p, (struct node){ .op = AND, .a = *out, .b = b });
	}
	return 0;
}

static int read_or(struct parser *p, size_t *out)
{
	size_t b;

	if (read_and(p, out) < 0)
		return -1;
	while (tp_filter_take(p, "||")) {
		if (read_and(p, &b) < 0)
			return -1;
		*out = tp_filter_add_node(p, (struct node){ .op = OR, .a = *out, .b = b });
	}
	return 0;
}

static struct pt_tp_filter *tp_filter_parse(const char *text, struct pt_err *e)
{
	struct pt_tp_filter *f = pt_alloc(sizeof(*f));
	char *kernel = pt_tp_filter_kernel(text);
	struct parser p = { .f = f, .at = kernel, .e = e };
	int rc = read_or(&p, &f->root);

	if (rc == 0 && (tp_filter_take(&p, " "), *p.at))
		rc = pt_err_set(e, "nothing can follow \"%.*s\"", (int)(p.at - kernel), kernel);
	free(kernel);
	if (rc < 0) {
		pt_tp_filter_free(f);
		return NULL;
	}
	f->fields = pt_alloc_array(f->nr, sizeof(*f->fields));
	return f;
}

struct pt_tp_filter *pt_tp_filter_new(const char *text, struct pt_err *e)
{
	struct pt_tp_filter *f = tp_filter_parse(text, e);

	if (!f)
		pt_err_context(e, "--filter");
	return f;
}

void pt_tp_filter_free(struct pt_tp_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++) {
		free(f->nodes[i].field);
		free(f->nodes[i].text);
	}
	free(f->nodes);
	free(f->fields);
	free(f);
}

static void look_up_fields(struct pt_tp_filter *f, const struct pt_tp *tp)
{
	f->tp = tp;
	f->missing = NULL;
	for (size_t i = 0; i < f->nr; i++) {
		struct node *n = &f->nodes[i];
		const struct pt_tp_field *field = n->field ? pt_tp_field(tp, n->field) : NULL;

		f->fields[i] = field;
		if (!n->field || f->missing || (!field && n->is_cpu && !n->text))
			continue;
		if (!field || (n->text ? !(field->flags & PT_TP_STRING) : !pt_tp_is_number(field) ||
			       field->flags & PT_TP_FLOAT))
			f->missing = n->field;
	}
	f->fitted |= !f->missing;
	if (!f->first_missing)
		f->first_missing = f->missing;
}

static bool tp_filter_compare(enum op op, uint64_t v, uint64_t with, bool is_signed)
{
	int64_t s = (int64_t)v, t = (int64_t)with;

	switch (op) {
	case EQ: return v == with;
	case NE: return v != with;
	case LE: return is_signed ? s <= t : v <= with;
	case GE: return is_signed ? s >= t : v >= with;
	case LT: return is_signed ? s < t : v < with;
	case GT: return is_signed ? s > t : v > with;
	default: return v & with;
	}
}

struct sample { const void *raw; size_t len; bool swap; uint32_t cpu; };

static bool test_text(const struct node *n, const char *text, size_t len)
{
	char *copy;
	bool same;

	if (n->op != GLOB) {
		same = len == strlen(n->text) && !memcmp(text, n->text, len);
		return same == (n->op == EQ);
	}
	copy = pt_strndup(text, len);
	same = pt_text_glob(n->text, copy);
	free(copy);
	return same;
}

static bool tp_filter_test(const struct pt_tp_filter *f, size_t i, const struct sample *s)
{
	const struct node *n = &f->nodes[i];
	const struct pt_tp_field *field = f->fields[i];
	uint64_t v, with = n->value;
	bool is_signed;
	const void *text;
	size_t len;

	if (n->text)
		return pt_tp_data(field, s->raw, s->len, s->swap, &text, &len) &&
		       test_text(n, text, len);
	if (!field)
		return tp_filter_compare(n->op, s->cpu, with, false);
	if (!pt_tp_value(field, s->raw, s->len, s->swap, &v))
		return false;
	is_signed = field->flags & PT_TP_SIGNED;
	pt_store64(&with, with, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return tp_filter_compare(n->op, v,
				 pt_load_number(&with, field->size_bytes, is_signed,
						__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
				 is_signed);
}

/* A value that the kernel could not read makes all of it false, also behind a `!`. */
static bool unreadable(const struct pt_tp_filter *f, const struct sample *s)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->fields[i] && pt_tp_faulted(f->fields[i], s->raw, s->len, s->swap))
			return true;
	return false;
}

static bool holds(const struct pt_tp_filter *f, size_t i, const struct sample *s)
{
	const struct node *n = &f->nodes[i];

	switch (n->op) {
	case AND: return holds(f, n->a, s) && holds(f, n->b, s);
	case OR: return holds(f, n->a, s) || holds(f, n->b, s);
	case NOT: return !holds(f, n->a, s);
	default: return tp_filter_test(f, i, s);
	}
}

bool pt_tp_filter_holds(struct pt_tp_filter *f, const struct pt_tp *tp, const void *raw, size_t len,
			uint32_t cpu)
{
	struct sample s = { raw, len, pt_tp_db_swap(tp->db), cpu };

	if (tp != f->tp)
		look_up_fields(f, tp);
	return !f->missing && !unreadable(f, &s) && holds(f, f->root, &s);
}

const char *pt_tp_filter_missing(const struct pt_tp_filter *f)
{
	return f->fitted ? NULL : f->first_missing;
}

const char *pt_tp_filter_float(const struct pt_tp *tp, const char *text)
{
	for (size_t i = tp->nr_common; i < tp->nr_fields; i++)
		if (tp->fields[i].flags & PT_TP_FLOAT &&
		    pt_text_has_word(text, tp->fields[i].name))
			return tp->fields[i].name;
	return NULL;
}

bool pt_tp_filter_cpu_bits(const struct pt_tp *tp, const char *text)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_tp_filter *f = tp_filter_parse(text, &e);
	bool any = false;

	for (size_t i = 0; f && i < f->nr; i++)
		any |= f->nodes[i].is_cpu && f->nodes[i].op == BITS &&
		       !pt_tp_field(tp, f->nodes[i].field);
	pt_tp_filter_free(f);
	return any;
}

/* The kernel knows the task's name ("COMM") in any event. */
void pt_tp_filter_explain(const struct pt_tp *tp, const char *text, struct pt_err *e)
{
	/* The kernel's language has more than ours. */
	static const char *const kernels[] = { "CPUS{", ".ustring", ".function" };
	struct pt_err why = PT_ERR_INIT;
	struct pt_tp_filter *f;

	for (size_t i = 0; i < PT_NR(kernels); i++)
		if (strstr(text, kernels[i]))
			return;
	f = tp_filter_parse(text, &why);
	if (!f) {
		pt_err_advice(e, ": %s", why.msg);
		return;
	}
	look_up_fields(f, tp);
	if (f->missing && !pt_tp_field(tp, f->missing) && strcasecmp(f->missing, "comm")) {
		pt_err_advice(e, ": the event has no field \"%s\"; it has", f->missing);
		for (size_t i = tp->nr_common; i < tp->nr_fields; i++)
			pt_err_advice(e, " %s", tp->fields[i].name);
	}
	pt_tp_filter_free(f);
}
