/* -F: the fields of lines, in perf script's words. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "script/script.h"
#include "script/script_priv.h"

#define WORD(name, word) word,
static const char *const fields[] = { FIELDS(WORD) };	/* by bit */
#undef WORD
#define WORD(name, word) word " "
const char pt_script_field_list[] = FIELDS(WORD);
#undef WORD

static const struct { const char *name, *shown; uint64_t invalid; } types[NR_TYPES] = {
	[TYPE_HARDWARE] = { "hw", "hardware", F_TRACE | F_BPF_OUTPUT },
	[TYPE_SOFTWARE] = { "sw", "software", F_TRACE },
	[TYPE_TRACEPOINT] = { "trace", "tracepoint", 0 },
	[TYPE_CACHE] = { NULL, "hardware-cache", F_TRACE | F_BPF_OUTPUT },
	[TYPE_RAW] = { "raw", "raw", F_TRACE | F_BPF_OUTPUT },
	[TYPE_BREAKPOINT] = { "break", "breakpoint", F_TRACE | F_BPF_OUTPUT },
	[TYPE_OTHER] = { NULL, "other", F_TRACE | F_BPF_OUTPUT },
};

const char *pt_script_type_name(int type)
{
	return types[type].shown;
}

const char *pt_script_field_name(uint64_t bits)
{
	return fields[__builtin_ctzll(bits)];
}

bool pt_script_wants_symbols(const struct pt_script *s)
{
	return s->symbols;
}

bool pt_script_wants_lines(const struct pt_script *s)
{
	return s->lines;
}

static int no_such(const char *what, const char *name, struct pt_err *e)
{
	struct pt_buf shown = PT_BUF_INIT;

	pt_text_plain(&shown, name, strnlen(name, 64));
	pt_err_set(e, "--fields: no %s %s", what, pt_buf_str(&shown));
	pt_buf_deinit(&shown);
	return -1;
}

static int find_field(const char *name, uint64_t *field, struct pt_err *e)
{
	static const struct { const char *name, *why; } others[] = {
		{ "metric", "metrics are not computed of samples; pt-stat prints those of counts" },
		{ "machine_pid", "pt does not name the code of virtual machines' guests" },
		{ "vcpu", "pt does not name the code of virtual machines' guests" },
	};
	size_t i, d, best = 3, at = 0;

	for (i = 0; i < PT_NR(others); i++)
		if (!strcmp(others[i].name, name))
			return pt_err_set(e, "--fields %s: %s", name, others[i].why);
	for (i = 0; i < PT_NR(fields); i++) {
		if (!strcmp(fields[i], name)) {
			*field = 1ull << i;
			return 0;
		}
		d = pt_text_distance(name, fields[i], 2);
		if (d < best)
			best = d, at = i;
	}
	no_such("field", name, e);
	if (best < 3) {
		pt_err_advice(e, "; did you mean %s?", fields[at]);
	} else {
		pt_err_advice(e, "; there are");
		for (i = 0; i < PT_NR(fields); i++)
			pt_err_advice(e, "%s %s", i ? "," : "", fields[i]);
	}
	return -1;
}

static int script_fields_find_type(const char *name, int *type, struct pt_err *e)
{
	if (!strcmp(name, "tracepoint"))
		name = "trace";
	for (*type = 0; *type < NR_TYPES; ++*type)
		if (types[*type].name && !strcmp(types[*type].name, name))
			return 0;
	no_such("event type", name, e);
	pt_err_advice(e, "; there are hw, sw, trace, raw, break");
	return -1;
}

static void script_fields_change(struct pt_script *s, int type, uint64_t field, bool remove)
{
	s->types[type].set = true;
	if (remove) {
		s->types[type].fields &= ~field;
		s->types[type].asked &= ~field;
	} else {
		s->types[type].fields |= field;
		s->types[type].asked |= field;
	}
}

/* Applies one word of the list with its + or -. `type` -1: all types that can have it. */
static int script_fields_apply(struct pt_script *s, int type, const char *word, struct pt_err *e)
{
	bool remove = *word == '-';
	uint64_t field = 0;
	int t;

	if (find_field(word + (*word == '+' || *word == '-'), &field, e) < 0)
		return -1;
	if (type >= 0 && types[type].invalid & field)
		return pt_err_set(e, "--fields: %s events have no %s", types[type].shown,
				  pt_script_field_name(field));
	if (field & F_DSOFF && !remove)
		field |= F_DSO;
	s->symbols |= !remove && field & (F_SYM | F_DSO | F_SYMOFF | F_FROM_FILES);
	s->lines |= !remove && field & (F_SRCLINE | F_SRCCODE);
	for (t = 0; t < NR_TYPES; t++)
		if (type == t || (type < 0 && !(types[t].invalid & field)))
			script_fields_change(s, t, field, remove);
	return 0;
}

int pt_script_fields(struct pt_script *s, const char *text, struct pt_err *e)
{
	char *copy = pt_strdup(text), *list = copy, *colon = strchr(copy, ':'), *word, *save = NULL;
	int type = -1, rc = 0, t, how = 0;

	if (colon) {
		*colon = '\0';
		list = colon + 1;
		rc = script_fields_find_type(copy, &type, e);
	} else if (!*list) {
		rc = pt_err_set(e, "--fields: none for all types would leave nothing");
	}
	if (rc == 0 && *list != '+' && *list != '-')	/* a new list */
		for (t = 0; t < NR_TYPES; t++)
			if (type == t || type < 0) {
				s->types[t].fields = s->types[t].asked = 0;
				s->types[t].set = true;
				s->types[t].by_type = type >= 0;
			}
	for (word = strtok_r(list, ",", &save); word && rc == 0;
	     word = strtok_r(NULL, ",", &save)) {
		int now = *word == '+' || *word == '-' ? 2 : 1;

		if (how && how != now)
			rc = pt_err_set(
				e, "--fields: +FIELD and -FIELD cannot be mixed with plain fields");
		else
			rc = script_fields_apply(s, type, word, e);
		how = now;
	}
	free(copy);
	return rc;
}
