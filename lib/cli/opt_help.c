#include "cli/opt_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/manuals.h"

enum { COLUMNS = 80, HELP_AT = 28 };

void pt_help_forms(const struct pt_tool *tool, struct pt_buf *b)
{
	const char *const *f;

	for (f = tool->forms; *f; f++)
		pt_buf_printf(b, "%s %s %s\n", f == tool->forms ? "Usage:" : "      ", tool->name,
			      *f);
}

/* Appends the words of `text` from column `at` on, wrapped and indented to column `indent`. */
static void wrap(struct pt_buf *b, const char *text, size_t at, size_t indent)
{
	bool fresh = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!fresh && at + 1 + len > COLUMNS - 1) {
			pt_buf_printf(b, "\n%*s", (int)indent, "");
			at = indent;
			fresh = true;
		}
		if (!fresh)
			pt_buf_putc(b, ' '), at++;
		pt_buf_add(b, text, len);
		at += len;
		fresh = false;
		text += len;
		text += strspn(text, " ");
	}
	pt_buf_putc(b, '\n');
}

static void opt_help_row(struct pt_buf *b, const struct pt_opt *o)
{
	size_t from = b->len, len;
	bool optional = o->arg && *o->arg == '[';

	if (o->letter && o->name)
		pt_buf_printf(b, "  -%c, --%s", o->letter, o->name);
	else if (o->letter)
		pt_buf_printf(b, "  -%c", o->letter);
	else
		pt_buf_printf(b, "      --%s", o->name);
	if (optional)
		pt_buf_printf(b, "[%s%s", o->name ? "=" : "", o->arg + 1);
	else if (o->arg)
		pt_buf_printf(b, " %s", o->arg);
	len = b->len - from;
	if (len + 2 > HELP_AT) {
		pt_buf_printf(b, "\n%*s", HELP_AT, "");
		wrap(b, o->help, HELP_AT, HELP_AT);
		return;
	}
	pt_buf_pad_right(b, from, HELP_AT);
	wrap(b, o->help, HELP_AT, HELP_AT);
}

static bool opt_help_is_shown(const struct pt_opt *o)
{
	return o->help && (o->letter || o->name);
}

static const char *purpose(const struct pt_tool *tool)
{
	const struct pt_manual *m = pt_manuals;

	if (tool->purpose)
		return tool->purpose;
	while (m->name && strcmp(m->name, tool->name))
		m++;
	return m->name ? m->purpose : "";
}

void pt_help_print(const struct pt_tool *tool, FILE *f)
{
	struct pt_buf b = PT_BUF_INIT;
	const struct pt_opt_group *group = NULL;
	const char *const *line;
	struct pt_opt_row *rows;
	size_t from, nr;

	pt_help_forms(tool, &b);
	from = b.len;
	wrap(&b, purpose(tool), 0, 0);
	b.data[from] = (char)toupper((unsigned char)b.data[from]);
	rows = pt_opt_rows(tool, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!opt_help_is_shown(&rows[i].opt))
			continue;
		if (rows[i].group != group)
			pt_buf_printf(&b, "\n%s:\n", rows[i].group->title);
		group = rows[i].group;
		opt_help_row(&b, &rows[i].opt);
	}
	free(rows);
	pt_buf_puts(&b, "\nExamples:\n");
	for (line = tool->examples; *line; line++)
		pt_buf_printf(&b, "  %s\n", *line);
	fwrite(b.data, 1, b.len, f);
	pt_buf_deinit(&b);
}

/* A line: the option, its argument, and the words that the argument may be. */
static void complete(FILE *f, const struct pt_opt *o, const char *dashes, const char *name)
{
	const struct pt_word *word;

	fprintf(f, "%s%s%s%s", dashes, name, o->arg ? " " : "", o->arg ? o->arg : "");
	for (word = o->words; word && word->name; word++)
		if (!word->other)
			fprintf(f, " %s", word->name);
	if (o->list)
		fputc(' ', f);
	for (const char *p = o->list; p && *p; p++)
		if (*p != ',')
			fputc(*p, f);
	fputc('\n', f);
}

void pt_help_complete(const struct pt_tool *tool, FILE *f)
{
	size_t nr;
	struct pt_opt_row *rows = pt_opt_rows(tool, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct pt_opt *o = &rows[i].opt;

		if (opt_help_is_shown(o) && o->letter)
			complete(f, o, "-", (char[]){ o->letter, '\0' });
		if (opt_help_is_shown(o) && o->name)
			complete(f, o, "--", o->name);
	}
	free(rows);
}
