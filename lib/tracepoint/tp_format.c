#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define PRINT_FMT "print fmt:"

enum { MAX_ID = 100000000, MAX_DIGITS = 9 };

void pt_tp_entry_free(struct pt_tp_entry *t)
{
	if (!t)
		return;
	if (t->prog)
		free(t->prog->ops);
	free(t->prog);
	free((void *)t->tp.fields);
	pt_arena_deinit(&t->arena);
	free(t);
}

/* Bytes of an array's element; 0: the type's name does not tell. libtraceevent takes the last
 * number within the brackets as the number of elements, "u32 words[MANY(2) + 1]", and does not know
 * all types of dynamic arrays. */
static uint32_t bytes_by_name(const char *type, int long_bytes)
{
	struct pt_tp_type t = pt_tp_parse_type(type, strlen(type), long_bytes);

	return t.pointer ? (uint32_t)long_bytes : t.bits / 8;
}

/* libtraceevent takes arrays of u8 for strings, and "long long" and pointers to longs for longs. */
static uint32_t tp_format_flags_of(const struct tep_format_field *from)
{
	bool pointer = from->flags & TEP_FIELD_IS_POINTER;
	uint32_t flags = 0;

	if (from->flags & TEP_FIELD_IS_SIGNED)
		flags |= PT_TP_SIGNED;
	if (from->flags & TEP_FIELD_IS_DYNAMIC)
		flags |= PT_TP_DYNAMIC | PT_TP_ARRAY;
	if (from->flags & TEP_FIELD_IS_RELATIVE)
		flags |= PT_TP_RELATIVE;
	if (from->flags & TEP_FIELD_IS_ARRAY)
		flags |= PT_TP_ARRAY;
	else if (pointer && !(flags & PT_TP_DYNAMIC))
		flags |= PT_TP_POINTER;
	if ((from->flags & TEP_FIELD_IS_LONG) && !pointer &&
	    !pt_text_has_word(from->type, "long long"))
		flags |= PT_TP_LONG;
	if ((flags & PT_TP_ARRAY) && pt_text_has_word(from->type, "char") &&
	    !strchr(from->type, '*') && !pt_text_has_word(from->type, "unsigned") &&
	    !pt_text_has_word(from->type, "signed"))
		flags |= PT_TP_STRING;
	return flags;
}

/* False: the field's offset or size is impossible. */
static bool copy_field(struct pt_tp_entry *t, const struct tep_format_field *from,
		       struct pt_tp_field *f)
{
	size_t type_len = strlen(from->type);

	if (from->offset < 0 || from->offset > PT_TP_MAX_RECORD || from->size < 0 ||
	    from->size > PT_TP_MAX_RECORD || !*from->name || !type_len)
		return false;
	f->flags = tp_format_flags_of(from);
	/* "char[16]" is 16 of "char"; "__data_loc char[]" stays. */
	if ((f->flags & PT_TP_ARRAY) && !(f->flags & PT_TP_DYNAMIC))
		type_len = strcspn(from->type, "[");
	f->type = pt_arena_strndup(&t->arena, from->type, type_len);
	f->name = pt_arena_strndup(&t->arena, from->name, strlen(from->name));
	f->off = (uint32_t)from->offset;
	f->size_bytes = (uint32_t)from->size;
	f->elem_bytes = f->size_bytes;
	if (f->flags & PT_TP_ARRAY) {
		f->elem_bytes = bytes_by_name(f->type, t->tp.db->long_bytes);
		if (!f->elem_bytes)
			f->elem_bytes = PT_MAX(from->elementsize, 1);
	}
	/* "__data_loc char[][3]": a probe's strings, one u32 each. */
	return !(f->flags & PT_TP_DYNAMIC) || (f->size_bytes && f->size_bytes % 4 == 0);
}

/* Kernels before 2.6.33 do not say if a field is signed. */
static bool looks_signed(const char *type, int long_bytes)
{
	struct pt_tp_type t = pt_tp_parse_type(type, strlen(type), long_bytes);

	return t.bits && !t.is_unsigned && !t.pointer;
}

static const char *next_field_line(const char *at)
{
	at = strstr(at, "\n\tfield");
	return at ? at + 1 : NULL;
}

static bool tells_sign(const char *line)
{
	return memmem(line, strcspn(line, "\n"), "\tsigned:", 8) != NULL;
}

/* *at: the line of the last copied field; initially the text. */
static int copy_fields(struct pt_tp_entry *t, const struct tep_format_field *from, size_t *cap,
		       const char **at, struct pt_err *e)
{
	struct pt_tp_field *fields = (struct pt_tp_field *)t->tp.fields;

	for (; from; from = from->next) {
		if (t->tp.nr_fields == PT_TP_MAX_FIELDS)
			return pt_err_set(e, "more than %d fields", PT_TP_MAX_FIELDS);
		PT_GROW(fields, t->tp.nr_fields, *cap);
		t->tp.fields = fields;
		fields[t->tp.nr_fields] = (struct pt_tp_field){ .name = NULL };
		if (!copy_field(t, from, &fields[t->tp.nr_fields]))
			return pt_err_set(e, "%s: field %.200s cannot be: offset %d, size %d",
					  t->tp.name, from->name, from->offset, from->size);
		*at = next_field_line(*at);
		if (!*at)
			return pt_err_set(e, "%s: a field without a line", t->tp.name);
		if (!tells_sign(*at) && looks_signed(from->type, t->tp.db->long_bytes))
			fields[t->tp.nr_fields].flags |= PT_TP_SIGNED;
		if (!strncmp(from->name, "common_", 7) && t->tp.nr_common == t->tp.nr_fields)
			t->tp.nr_common++;
		t->tp.nr_fields++;
	}
	return 0;
}

static int copy_event(struct pt_tp_entry *t, const struct tep_event *event,
		      const char *text, struct pt_err *e)
{
	size_t cap = 0;

	if (!*event->name)
		return pt_err_set(e, "no \"name:\" line");
	t->tp.name = pt_arena_strndup(&t->arena, event->name, strlen(event->name));
	if (event->id <= 0 || event->id > MAX_ID)
		return pt_err_set(e, "%s: no \"ID:\" line with a number", t->tp.name);
	t->tp.id = event->id;
	if (copy_fields(t, event->format.common_fields, &cap, &text, e) < 0 ||
	    copy_fields(t, event->format.fields, &cap, &text, e) < 0)
		return -1;
	/* libtraceevent drops a field that it cannot read and all later ones. */
	if (next_field_line(text))
		return pt_err_set(e, "%s: field %zu cannot be read", t->tp.name,
				  t->tp.nr_fields + 1);
	return 0;
}

static void blank_out(char *from, const char *to) { memset(from, ' ', (size_t)(to - from)); }

/* "__data_loc char[][3] name", a probe's array of strings, which libtraceevent cannot read; the
 * size gives their number, too. */
static void drop_second_brackets(char *text)
{
	char *end;

	while ((text = strstr(text, "[]["))) {
		text += 2;
		end = text + strcspn(text, "]\n");
		blank_out(text, end + (*end == ']'));
	}
}

/* "const char __attribute__((btf_type_tag("user"))) * name" of kernels built by clang. */
static void drop_attributes(char *text)
{
	char *end;
	int depth;

	while ((text = strstr(text, "__attribute__("))) {
		end = strchr(text, '(') + 1;
		for (depth = 1; depth && *end && *end != '\n'; end++)
			depth += (*end == '(') - (*end == ')');
		blank_out(text, end);
	}
}

/* Removes the print format, which reaches to the end: string literals of old kernels may contain
 * raw newlines. */
static void take_print_fmt(struct pt_tp_entry *t, struct pt_buf *text)
{
	char *line, *from, *end;

	pt_buf_putc(text, '\n');
	line = text->data;
	if (strncmp(line, PRINT_FMT, strlen(PRINT_FMT)))
		line = strstr(line, "\n" PRINT_FMT);
	if (line) {
		line += *line == '\n';
		from = line + strlen(PRINT_FMT);
		for (end = text->data + text->len; end > from && isspace((unsigned char)end[-1]); )
			end--;
		while (from < end && isspace((unsigned char)*from))
			from++;
		t->tp.print_fmt = pt_arena_strndup(&t->arena, from, (size_t)(end - from));
		*line = '\0';
		text->len = (size_t)(line - text->data);
	}
	drop_second_brackets(text->data);
	drop_attributes(text->data);
}

/* Skips a literal text; false: something else is there. */
static bool step_over(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n))
		return false;
	*at += n;
	return true;
}

static bool step_over_number(const char **at)
{
	size_t digits = strspn(*at, "0123456789");

	*at += digits;
	return digits && digits <= MAX_DIGITS;
}

/* "TYPE NAME", "TYPE NAME[...]": up to the semicolon. */
static bool step_over_declaration(const char **at)
{
	const char *name, *end = *at + strcspn(*at, ";\n"), *tail = end;
	int depth = 0;

	for (const char *p = *at; p < end; p++) {
		depth += (*p == '[') - (*p == ']');
		if (depth < 0 || depth > 1 || !(pt_tp_is_word(*p) || strchr(" *[]()+-<>.", *p)))
			return false;
	}
	while (tail > *at && tail[-1] == ']')
		while (tail > *at && *--tail != '[')
			;
	for (name = tail; name > *at && pt_tp_is_word(name[-1]); )
		name--;
	if (depth || *end != ';' || !pt_tp_is_word(**at) || name == tail || name == *at ||
	    !strchr(" *", name[-1]))
		return false;
	*at = end;
	return true;
}

/* "\tfield:TYPE NAME;\toffset:N;\tsize:N;\tsigned:N;", the last of them not in old kernels. */
static bool is_field_line(const char *at)
{
	if ((!step_over(&at, "\tfield:") && !step_over(&at, "\tfield special:")) ||
	    !step_over_declaration(&at) || !step_over(&at, ";\toffset:") ||
	    !step_over_number(&at) || !step_over(&at, ";\tsize:") || !step_over_number(&at) ||
	    !step_over(&at, ";"))
		return false;
	if (step_over(&at, "\tsigned:") && (!step_over_number(&at) || !step_over(&at, ";")))
		return false;
	return *at == '\n';
}

/* "name: NAME", "ID: N", "format:" and empty lines. */
static bool is_head_line(const char *at)
{
	if (step_over(&at, "name: ")) {
		while (pt_tp_is_word(*at))
			at++;
		return *at == '\n' && at[-1] != ' ';
	}
	if (step_over(&at, "ID: "))
		return step_over_number(&at) && *at == '\n';
	step_over(&at, "format:");
	return *at == '\n';
}

/* libtraceevent crashes on lines of other shapes ("field:d"), so they are refused first. */
static int check_lines(const char *text, struct pt_err *e)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		if (!is_head_line(text) && !is_field_line(text))
			return pt_err_set(e, "not a line of a format: \"%.*s\"",
					  (int)PT_MIN(strcspn(text, "\n"), (size_t)200), text);
	return 0;
}

/* Reads everything but the print format by libtraceevent, which crashes on damaged print formats
 * (tp_parse.c reads those). */
static int tp_format_parse(struct pt_tp_entry *t, struct pt_buf *text, struct pt_err *e)
{
	struct tep_event *event = NULL;
	struct tep_handle *tep;
	char why[200];
	int rc;

	take_print_fmt(t, text);
	if (check_lines(pt_buf_str(text), e) < 0)
		return -1;
	pt_buf_puts(text, PRINT_FMT " \"\"\n");
	tep = tep_alloc();
	if (!tep)
		return pt_err_set(e, "out of memory");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, t->tp.db->long_bytes);
	rc = (int)tep_parse_format(tep, &event, text->data, text->len, t->tp.system);
	if (rc || !event) {
		tep_strerror(tep, (enum tep_errno)rc, why, sizeof(why));
		rc = pt_err_set(e, "no tracepoint's format: %s", why);
	} else {
		rc = copy_event(t, event, text->data, e);
	}
	tep_free(tep);
	return rc;
}

struct pt_tp_entry *pt_tp_format_parse(struct pt_tp_db *db, const char *system, const char *text,
				       size_t len, struct pt_err *e)
{
	struct pt_buf copy = PT_BUF_INIT;
	struct pt_tp_entry *t;
	int rc;

	if (len > PT_TP_MAX_TEXT) {
		pt_err_set(e, "a format of %zu bytes is too long", len);
		return NULL;
	}
	t = pt_alloc(sizeof(*t));
	t->tp.db = db;
	t->tp.system = pt_arena_strndup(&t->arena, system, strlen(system));
	t->tp.print_fmt = "";
	t->is_ftrace = !strcmp(system, "ftrace");
	pt_buf_add(&copy, text, strnlen(text, len));
	rc = tp_format_parse(t, &copy, e);
	pt_buf_deinit(&copy);
	if (rc < 0) {
		pt_tp_entry_free(t);
		return NULL;
	}
	pt_tp_find_guards(&t->tp);
	return t;
}
