#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void pt_tp_entry_free(struct pt_tp_entry *t)
{
	if (!t)
		return;
	if (t->tp.prog)
		free(t->tp.prog->ops);
	free(t->tp.prog);
	free((void *)t->tp.fields);
	pt_arena_deinit(&t->arena);
	free(t);
}

struct span {
	const char *at, *end;
};

static struct span trim(struct span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.at < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

static bool starts(struct span s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s.end - s.at) >= n && !memcmp(s.at, word, n);
}

/* The span up to `c`, which is stepped over; false when there is none. */
static bool cut(struct span *rest, char c, struct span *piece)
{
	const char *p =
		rest->at < rest->end ? memchr(rest->at, c, (size_t)(rest->end - rest->at)) : NULL;

	if (!p)
		return false;
	*piece = (struct span){ rest->at, p };
	rest->at = p + 1;
	return true;
}

/* A number after "KEY:" in the span up to the next ";". */
static bool number_of(struct span *rest, const char *key, uint64_t max, uint64_t *v)
{
	struct span piece;
	uint64_t n = 0;

	if (!cut(rest, ';', &piece))
		return false;
	piece = trim(piece);
	if (!starts(piece, key))
		return false;
	piece.at += strlen(key);
	piece = trim(piece);
	if (piece.at == piece.end)
		return false;
	for (; piece.at < piece.end; piece.at++) {
		if (*piece.at < '0' || *piece.at > '9')
			return false;
		n = n * 10 + (uint64_t)(*piece.at - '0');
		if (n > max)
			return false;
	}
	*v = n;
	return true;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Does the type hold this word (or these words, one blank apart)? */
static bool has_word(const char *type, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = strstr(type, word); p; p = strstr(p + 1, word))
		if ((p == type || !is_word(p[-1])) && !is_word(p[n]))
			return true;
	return false;
}

/* Bytes of one element of this type, by its name; 0: not known. */
static uint32_t type_bytes(const char *type, int long_bytes)
{
	static const struct { const char *word; uint32_t bytes; } known[] = {
		{ "char", 1 }, { "bool", 1 }, { "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "int8_t", 1 },
		{ "short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 }, { "__s16", 2 }, { "uint16_t", 2 }, { "int16_t", 2 },
		{ "__le16", 2 }, { "__be16", 2 }, { "__le32", 4 }, { "__be32", 4 }, { "__le64", 8 }, { "__be64", 8 },
		{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "__s64", 8 }, { "uint64_t", 8 }, { "int64_t", 8 }, { "long long", 8 },
		{ "u32", 4 }, { "s32", 4 }, { "__u32", 4 }, { "__s32", 4 }, { "uint32_t", 4 }, { "int32_t", 4 }, { "pid_t", 4 }, { "dma_addr_t", 8 },
	};
	size_t i;

	if (strchr(type, '*'))
		return (uint32_t)long_bytes;
	for (i = 0; i < PT_NR(known); i++)
		if (has_word(type, known[i].word))
			return known[i].bytes;
	if (has_word(type, "long") || has_word(type, "size_t") || has_word(type, "cpumask_t"))
		return (uint32_t)long_bytes;
	if (has_word(type, "int") || has_word(type, "unsigned") || has_word(type, "enum"))
		return 4;
	return 0;
}

/* Kernels before 2.6.33 do not say whether a field is signed. */
static bool looks_signed(const char *type)
{
	static const char *const words[] = { "int", "long", "short", "char",    "s8",    "s16",
					     "s32", "s64",  "pid_t", "ssize_t", "loff_t" };
	size_t i;

	if (has_word(type, "unsigned") || strchr(type, '*'))
		return false;
	for (i = 0; i < PT_NR(words); i++)
		if (has_word(type, words[i]))
			return true;
	return false;
}

/* Elements as declared, "[16]"; 0: none, by name, or an expression. */
static uint32_t declared_elements(struct span brackets)
{
	uint64_t n = 0;
	const char *p = brackets.at + 1;

	while (p < brackets.end && (*p == ' ' || *p == '('))
		p++;
	for (; p < brackets.end && *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > PT_TP_MAX_RECORD)
			return 0;
	}
	while (p < brackets.end && (*p == ' ' || *p == ')'))
		p++;
	return p < brackets.end && *p == ']' ? (uint32_t)n : 0;
}

/* "unsigned long args[6]" -> the type before the name, the name, the brackets behind it (empty:
 * none). */
static bool split_declaration(struct span decl, struct span *type, struct span *name,
			      struct span *brackets)
{
	const char *p;
	int depth = 0;

	decl = trim(decl);
	*brackets = (struct span){ decl.end, decl.end };
	p = decl.end;
	if (p > decl.at && p[-1] == ']') {
		do {			/* back over "[a][b]" */
			p--;
			depth += (*p == ']') - (*p == '[');
		} while (p > decl.at && (depth || p[-1] == ']'));
		if (depth)
			return false;
		brackets->at = p;
	}
	*name = trim((struct span){ decl.at, p });
	for (p = name->end; p > name->at && is_word(p[-1]); )
		p--;
	*type = trim((struct span){ decl.at, p });
	name->at = p;
	return name->at < name->end && type->at < type->end;
}

static void set_kind(struct pt_tp_field *f, struct span brackets, int long_bytes)
{
	uint32_t n;

	if (has_word(f->type, "__data_loc") || has_word(f->type, "__rel_loc")) {
		f->flags |= PT_TP_DYNAMIC | PT_TP_ARRAY;
		if (has_word(f->type, "__rel_loc"))
			f->flags |= PT_TP_RELATIVE;
	} else if (brackets.at < brackets.end) {
		f->flags |= PT_TP_ARRAY;
	} else if (strchr(f->type, '*')) {
		f->flags |= PT_TP_POINTER;
	}
	if (has_word(f->type, "long") && !has_word(f->type, "long long") && !strchr(f->type, '*'))
		f->flags |= PT_TP_LONG;
	if ((f->flags & PT_TP_ARRAY) && has_word(f->type, "char") && !strchr(f->type, '*') &&
	    !has_word(f->type, "unsigned") && !has_word(f->type, "signed"))
		f->flags |= PT_TP_STRING;
	f->elem_bytes = f->size_bytes;
	if (!(f->flags & PT_TP_ARRAY))
		return;
	n = f->flags & PT_TP_DYNAMIC ? 0 : declared_elements(brackets);
	if (n && f->size_bytes && f->size_bytes % n == 0)
		f->elem_bytes = f->size_bytes / n;
	else if (type_bytes(f->type, long_bytes))
		f->elem_bytes = type_bytes(f->type, long_bytes);
	else
		f->elem_bytes = 1;
}

/* "field:TYPE NAME;	offset:N;	size:N;	signed:N;" behind "field:". */
static bool parse_field(struct pt_tp_entry *t, struct span line, int long_bytes,
			struct pt_tp_field *f)
{
	struct span decl, type, name, brackets;
	uint64_t off, size, is_signed;

	if (!cut(&line, ';', &decl) || !split_declaration(decl, &type, &name, &brackets))
		return false;
	if (!number_of(&line, "offset:", PT_TP_MAX_RECORD, &off) ||
	    !number_of(&line, "size:", PT_TP_MAX_RECORD, &size))
		return false;
	f->type = pt_arena_strndup(&t->arena, type.at, (size_t)(type.end - type.at));
	f->name = pt_arena_strndup(&t->arena, name.at, (size_t)(name.end - name.at));
	f->off = (uint32_t)off;
	f->size_bytes = (uint32_t)size;
	if (!number_of(&line, "signed:", 1, &is_signed))
		is_signed = looks_signed(f->type);
	f->flags = is_signed ? PT_TP_SIGNED : 0;
	set_kind(f, brackets, long_bytes);
	/* "__data_loc char[][3]": a probe's strings, one u32 each. */
	return !(f->flags & PT_TP_DYNAMIC) || (size && size % 4 == 0);
}

static int add_field(struct pt_tp_entry *t, size_t *cap, struct span line, int long_bytes,
		     struct pt_err *e)
{
	struct pt_tp_field *fields = (struct pt_tp_field *)t->tp.fields;
	struct pt_tp_field f = { .name = NULL };

	if (t->tp.nr_fields == PT_TP_MAX_FIELDS)
		return pt_err_set(e, "more than %d fields", PT_TP_MAX_FIELDS);
	if (!parse_field(t, line, long_bytes, &f))
		return pt_err_set(e, "no field can be read from \"field:%.*s\"",
				  (int)PT_MIN(line.end - line.at, 200), line.at);
	PT_GROW(fields, t->tp.nr_fields, *cap);
	fields[t->tp.nr_fields++] = f;
	t->tp.fields = fields;
	if (!strncmp(f.name, "common_", 7) && t->tp.nr_common == t->tp.nr_fields - 1)
		t->tp.nr_common++;
	return 0;
}

static int parse_id(struct span s, int *id)
{
	long v = 0;

	s = trim(s);
	if (s.at == s.end)
		return -1;
	for (; s.at < s.end; s.at++) {
		if (*s.at < '0' || *s.at > '9' || v > 100000000)
			return -1;
		v = v * 10 + (*s.at - '0');
	}
	*id = (int)v;
	return 0;
}

static int parse_lines(struct pt_tp_entry *t, struct span rest, int long_bytes, struct pt_err *e)
{
	struct span line;
	size_t cap = 0;
	bool have_id = false;

	while (rest.at < rest.end) {
		if (!cut(&rest, '\n', &line)) {
			line = rest;
			rest.at = rest.end;
		}
		line = trim(line);
		if (starts(line, "print fmt:")) {
			/* To the end of the text: string literals of old kernels may hold raw
			 * newlines. */
			line = trim((struct span){ line.at + strlen("print fmt:"), rest.end });
			t->tp.print_fmt =
				pt_arena_strndup(&t->arena, line.at, (size_t)(line.end - line.at));
			rest.at = rest.end;
		} else if (starts(line, "field:") || starts(line, "field special:")) {
			line.at = (const char *)memchr(line.at, ':', (size_t)(line.end - line.at)) +
				  1;
			if (add_field(t, &cap, line, long_bytes, e) < 0)
				return -1;
		} else if (starts(line, "name:")) {
			line = trim((struct span){ line.at + strlen("name:"), line.end });
			t->tp.name =
				pt_arena_strndup(&t->arena, line.at, (size_t)(line.end - line.at));
		} else if (starts(line, "ID:")) {
			have_id = !parse_id((struct span){ line.at + strlen("ID:"), line.end },
					    &t->tp.id);
		}
	}
	if (!t->tp.name || !*t->tp.name)
		return pt_err_set(e, "no \"name:\" line");
	if (!have_id)
		return pt_err_set(e, "%s: no \"ID:\" line with a number", t->tp.name);
	return 0;
}

struct pt_tp_entry *pt_tp_format_parse(struct pt_tp_db *db, const char *system, const char *text,
				       size_t len, struct pt_err *e)
{
	struct pt_tp_entry *t;

	if (len > PT_TP_MAX_TEXT) {
		pt_err_set(e, "a format of %zu bytes is too long", len);
		return NULL;
	}
	t = pt_alloc(sizeof(*t));
	t->tp.db = db;
	t->tp.system = pt_arena_strndup(&t->arena, system, strlen(system));
	t->tp.print_fmt = "";
	if (parse_lines(t, (struct span){ text, text + strnlen(text, len) }, db->long_bytes, e) <
	    0) {
		pt_tp_entry_free(t);
		return NULL;
	}
	pt_tp_find_guards(&t->tp);
	t->tp.prog = pt_tp_compile(t, NULL);
	return t;
}
