#include "syscall/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "syscall/flags.h"

#include "spec.def.h"		/* spec_def: its text */

static void spec_take_count(struct pt_arg *a, const char *text)
{
	a->counted = true;
	if (!strncmp(text, "ret", 3)) {
		a->count = PT_COUNT_RET;
		return;
	}
	a->count_arg = text[*text < '0' || *text > '9'] - '0';
	if (*text != '=')
		a->count = *text == '*' ? PT_COUNT_POINTED : PT_COUNT_ARG;
}

/* One argument, from `text` to `end`. */
static bool parse_argument(struct pt_arg *a, const char *text, const char *end, bool compat)
{
	const char *colon = memchr(text, ':', (size_t)(end - text)), *type, *stop;
	char table[24];

	*a = (struct pt_arg){ .count = PT_COUNT_ONE };
	if (!colon)
		return false;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)(colon - text), text);
	type = colon + 1;
	if (*type == '<' || *type == '>' || *type == '=')
		a->direction = *type++;
	stop = type + strcspn(type, "@*/ \n");
	if (*stop == '@')
		spec_take_count(a, stop + 1);
	if (*type == '|' || *type == '#') {
		a->constant = *type == '#';
		snprintf(table, sizeof(table), "%.*s", (int)(stop - type - 1), type + 1);
		a->table = pt_flags_table(table);
		a->size = *stop == '/' ? (uint16_t)(stop[1] - '0') : 4;
		return a->table;
	}
	a->type = pt_type_find(type, (size_t)(stop - type), compat);
	if (a->type)
		a->size = a->type->size * (*stop == '*' ? (uint16_t)atoi(stop + 1) : 1);
	return a->type;
}

static bool parse_result(struct pt_spec *s, const char *name)
{
	const struct pt_result *r = pt_results;
	size_t len = strcspn(name, "\n");

	while (r->name && (strlen(r->name) != len || memcmp(r->name, name, len)))
		r++;
	s->result = r;
	return r->name;
}

/* The arguments of a line, or the members of a structure. */
static bool spec_parse(struct pt_spec *s, const char *text, int max, bool compat)
{
	*s = (struct pt_spec){ .compat = compat };
	for (const char *end; *text && *text != '\n'; text = end + strspn(end, " ")) {
		end = text + strcspn(text, " \n");
		if (!strncmp(text, "-> ", 3))
			return parse_result(s, text + 3);
		if (s->nr == max || !parse_argument(&s->args[s->nr++], text, end, compat))
			return false;
	}
	return true;
}

static const char *spec_next_line(const char *line)
{
	return strchr(line, '\n') + 1;
}

/* What is behind the name of a row, NAME or NAME/MACHINE; NULL: there is no such row. */
static const char *spec_find_row(const char *name, size_t len, const char *machine)
{
	size_t machine_len = machine ? 1 + strlen(machine) : 0;

	for (const char *line = spec_def; *line; line = spec_next_line(line)) {
		const char *end = line + len + machine_len;

		if (*line != *name || strncmp(line, name, len))
			continue;
		if (machine && (line[len] != '/' ||
				strncmp(line + len + 1, machine, machine_len - 1)))
			continue;
		if (*end == ' ' || *end == '\n')
			return end + strspn(end, " ");
	}
	return NULL;
}

/* The row of a call of 32-bit programs that is another call's; *compat is false where it has the
 * types of other programs. */
static const char *find_compat_row(const char *name, bool *compat)
{
	static const char *const endings[] = { "_time64", "64", "32" };
	size_t len = strlen(name), end;
	const char *row = NULL;

	for (size_t i = 0; i < PT_NR(endings) && !row; i++) {
		end = strlen(endings[i]);
		if (len > end && !strcmp(name + len - end, endings[i])) {
			row = spec_find_row(name, len - end, NULL);
			*compat = strcmp(endings[i], "32") == 0;
		}
	}
	return row;
}

bool pt_spec_parse(const char *name, const char *machine, struct pt_spec *s)
{
	bool compat = machine && !strcmp(machine, PT_SPEC_COMPAT);
	const char *row = NULL;

	s->nr = 0;
	if (!name)
		return false;
	if (machine)
		row = spec_find_row(name, strlen(name), machine);
	if (!row)
		row = spec_find_row(name, strlen(name), NULL);
	if (!row && compat)
		row = find_compat_row(name, &compat);
	return row && spec_parse(s, row, PT_CALL_ARGS, compat);
}

/* A structure has the greatest of its members. */
static size_t alignment(const struct pt_arg *a)
{
	struct pt_spec s;
	size_t most = 0;

	if (a->table)
		return a->size;
	if (!a->type->members)
		return a->type->alignment;
	spec_parse(&s, a->type->members, PT_MEMBERS, false);
	for (int i = 0; i < s.nr; i++)
		most = PT_MAX(most, alignment(&s.args[i]));
	return most;
}

bool pt_spec_parse_members(const struct pt_type *type, struct pt_spec *s)
{
	size_t at = 0, size;

	if (!spec_parse(s, type->members, PT_MEMBERS, false))
		return false;
	for (int i = 0; i < s->nr; i++) {
		size = alignment(&s->args[i]);
		at = size ? (at + size - 1) / size * size : at;
		s->args[i].at = (uint16_t)at;
		at += s->args[i].size;
	}
	return true;
}

static uint8_t when(const struct pt_arg *a)
{
	return a->direction == '<' ? PT_AT_EXIT
	       : a->direction == '>' ? PT_AT_ENTRY
				     : PT_AT_ENTRY | PT_AT_EXIT;
}

void pt_spec_plan(const struct pt_spec *s, uint16_t text_max, struct pt_plan *plan)
{
	size_t nr = 0;

	for (int i = 0; i < s->nr; i++) {
		struct pt_arg a = s->args[i];
		struct pt_fetch f = { .item = (uint8_t)i };

		if (!a.direction || !a.type)
			continue;
		plan->reads = 1;
		f.when = when(&a);
		f.kind = a.type->fetch ? a.type->fetch : PT_FETCH_BYTES;
		f.address_at = (uint8_t)pt_call_arg_at(i);
		f.count = (uint8_t)a.count;
		if (a.count != PT_COUNT_ONE)
			f.count_at = (uint8_t)pt_call_arg_at(a.count_arg);
		f.unit = a.type->size == UINT16_MAX ? 0 : a.type->size;
		if (a.count == PT_COUNT_ONE && a.counted)
			f.unit = (uint16_t)(f.unit * a.count_arg);
		f.max = a.counted && a.type->size == 1 ? text_max : PT_PIECE_MAX;
		if (a.type->size == 1 && !a.counted) {	/* a string that is no path */
			f.kind = PT_FETCH_TEXT;
			f.max = text_max;
		}
		if (f.kind == PT_FETCH_MESSAGE)
			f.unit = s->compat ? 8 : 16;
		if (f.kind == PT_FETCH_POINTERS || f.kind == PT_FETCH_DIRENTS)
			plan->tally = f;
		else if (f.kind >= PT_FETCH_STRINGS)
			plan->vector = f;
		else if (nr < PT_FETCHES)
			plan->fetch[nr++] = f;
		/* the struct itself, beside what it points to */
		if ((f.kind == PT_FETCH_MESSAGE || f.kind == PT_FETCH_IOVECS) && nr < PT_FETCHES) {
			f.kind = PT_FETCH_BYTES;
			f.unit = a.type->size;
			f.max = 16 * 16;
			plan->fetch[nr++] = f;
		}
	}
}
