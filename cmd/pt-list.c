/* pt-list - events that exist, and which of them can be opened here and now. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/tty.h"
#include "count/metric.h"
#include "elf/sdt.h"
#include "event/catalog.h"

enum { NAME_WIDTH = 44, KIND_WIDTH = 10 };

struct args {
	bool json, detailed, all, umasks;
	struct pt_strs files;
	const char *root, *output;
};

static const struct pt_opt own[] = {
	PT_ROW('x', "exec", "FILE", "list the SDT markers of a program or library", PT_OPT_LIST,
	       files),
	PT_ROW_FLAG(0, "all", "also list events that cannot be opened here", all),
	PT_ROW_FLAG(0, "umasks", "list vendors' events with each of their unit masks", umasks),
	PT_ROW_FLAG('l', "long", "table of kind, description, terms of PMUs, fields of tracepoints",
		    detailed),
	PT_ROW_OUTPUT,
	PT_ROW_JSON("one JSON object per line; with -l also terms and fields"),
	PT_ROW(0, "sysroot", "DIR", "list the PMUs of another machine, whose /sys is below DIR",
	       PT_OPT_STR, root),
	PT_ROW_FLAG('v', "details", NULL, detailed),
	PT_ROW_FLAG(0, "long-desc", NULL, detailed),
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-list",
	.forms = PT_LINES(
		"[OPTION...] [KIND | GLOB]...",
		"[OPTION...] -x FILE [GLOB...]"),
	.groups = PT_GROUPS(PT_OWN("Output", own)),
	.examples = PT_LINES(
		"pt-list                            all events: a table, or names if piped",
		"pt-list hw cache                   hardware and cache events",
		"pt-list 'block:*'                  tracepoints by glob",
		"pt-list -l sched:sched_switch      its fields",
		"pt-list -x libc.so.6               SDT markers"),
};

struct lister {
	const struct args *a;
	struct pt_catalog c;
	struct pt_catalog_opts o;
	struct pt_buf out;
	struct pt_map markers;		/* name -> index + 1: a marker may be at several places */
	size_t shown;
	bool said;			/* the reason why nothing is shown */
	size_t columns;			/* of the terminal; 0: none, or lines may be long */
};

/* -- SDT markers -- */

static void add_marker(void *arg, const struct pt_sdt *sdt)
{
	struct lister *l = arg;
	struct pt_catalog_event *ev;
	struct pt_buf name = PT_BUF_INIT;
	uint64_t *at;

	/* perf's and tracefs' name of it, which is not always valid in -e */
	pt_buf_printf(&name, "sdt_%s:%s", sdt->provider, sdt->name);
	if (pt_catalog_wants(&l->c, PT_KIND_SDT, name.data)) {
		at = pt_map_put(&l->markers, pt_hash_bytes(name.data, name.len));
		if (*at && !strcmp(l->c.v[*at - 1].name, name.data)) {
			l->c.v[*at - 1].instances++;
		} else {
			ev = pt_catalog_add(&l->c, PT_KIND_SDT, name.data, "");
			ev->terms = pt_strdup(sdt->args);
			ev->how = "read from the file";
			*at = l->c.nr;
		}
	}
	pt_buf_deinit(&name);
}

/* `file`: a path, a program on PATH, or a library's soname. */
static void add_markers(struct lister *l, const char *file)
{
	struct pt_buf path = PT_BUF_INIT;
	struct pt_object *o;
	struct pt_err e;
	size_t before = l->c.nr;

	if (access(file, F_OK) && !strchr(file, '/') && pt_program_find(file, &path))
		pt_library_find(file, &path);
	if (pt_object_open(&o, path.len ? pt_buf_str(&path) : file, &e) < 0)
		pt_die(&tool, "%s", e.msg);
	if (!pt_sdt_each(o, add_marker, l)) {
		pt_warn(&tool, "%s has no SDT markers", file);
		l->said = true;
	}
	for (size_t i = before; i < l->c.nr; i++) {
		free(l->c.v[i].what);
		l->c.v[i].what = l->c.v[i].instances > 1
					 ? pt_asprintf("marker at %zu places", l->c.v[i].instances)
					 : pt_strdup("marker");
	}
	pt_object_put(o);
	pt_buf_deinit(&path);
}

/* -- metrics of pt-stat -M -- */

static void add_metric_group(struct lister *l, const char *group)
{
	struct pt_buf members = PT_BUF_INIT;

	for (int id = 0; id < PT_METRIC_END; id++) {
		const struct pt_metric_name *m = pt_metric_name(id);

		if (m && !strcmp(m->group, group))
			pt_buf_printf(&members, "%s%s", members.len ? ", " : "", m->name);
	}
	pt_catalog_add(&l->c, PT_KIND_METRIC_GROUP, group, pt_buf_str(&members));
	pt_buf_deinit(&members);
}

/* -e does not take them: they are listed if their kind is asked for. */
static void add_metrics(struct lister *l, enum pt_event_kind kind)
{
	const char *group = "";

	for (int id = 0; id < PT_METRIC_END && l->o.kinds & 1u << kind; id++) {
		const struct pt_metric_name *m = pt_metric_name(id);

		if (!m)
			continue;
		if (kind == PT_KIND_METRIC && (pt_catalog_wants(&l->c, kind, m->name) ||
					       (m->also && pt_catalog_wants(&l->c, kind, m->also))))
			pt_catalog_add(&l->c, kind, m->name, m->what)->alias = m->also;
		/* those of a group stand together */
		if (kind == PT_KIND_METRIC_GROUP && strcmp(m->group, group) &&
		    pt_catalog_wants(&l->c, kind, m->group))
			add_metric_group(l, m->group);
		group = m->group;
	}
}

/* -- as text -- */

static const struct pt_tp *format_of(struct lister *l, const struct pt_catalog_event *ev)
{
	size_t at = l->c.names.nr;

	if ((ev->kind != PT_KIND_TRACEPOINT && ev->kind != PT_KIND_PROBE) ||
	    pt_event_list_add(&l->c.names, ev->name, NULL) < 0)
		return NULL;
	return l->c.names.specs[at].tp;
}

static void details(struct lister *l, const struct pt_catalog_event *ev)
{
	const struct pt_tp *tp = format_of(l, ev);
	struct pt_buf *b = &l->out;

	if (ev->terms && *ev->terms && ev->kind != PT_KIND_PMU) {
		pt_buf_puts(b, "        ");
		pt_text_puts(b, ev->terms);
		pt_buf_putc(b, '\n');
	}
	for (size_t i = tp ? tp->nr_common : 0; tp && i < tp->nr_fields; i++) {
		pt_buf_puts(b, "        ");
		pt_text_puts(b, tp->fields[i].type);
		pt_buf_putc(b, ' ');
		pt_text_puts(b, tp->fields[i].name);
		if (tp->fields[i].flags & PT_TP_DYNAMIC)
			pt_buf_puts(b, "[]");
		else if (tp->fields[i].flags & PT_TP_ARRAY)
			pt_buf_printf(b, "[%u]",
				      tp->fields[i].size_bytes / (tp->fields[i].elem_bytes
									  ? tp->fields[i].elem_bytes
									  : 1));
		pt_buf_putc(b, '\n');
	}
	if (ev->event && (ev->event->scale != 1 || ev->event->per_pkg || ev->event->snapshot))
		pt_buf_printf(b, "        counts times %g%s%s\n", ev->event->scale,
			      ev->event->per_pkg ? ", of a whole package" : "",
			      ev->event->snapshot ? ", a reading, not a sum" : "");
	if (!ev->of)
		return;
	if (ev->instances > 1)
		pt_buf_printf(b, "        on %zu PMUs, the first is %s\n", ev->instances, ev->pmu);
	for (size_t i = 0; ev->pattern && i < ev->of->nr_formats; i++) {
		pt_buf_puts(b, "        ");
		pt_text_puts(b, ev->of->formats[i].name);
		pt_buf_printf(b, "= 0..0x%llx (",
			      (unsigned long long)pt_pmu_format_max(&ev->of->formats[i]));
		pt_text_puts(b, ev->of->formats[i].text);
		pt_buf_puts(b, ")\n");
	}
}

static void table_row(struct lister *l, const struct pt_catalog_event *ev)
{
	struct pt_buf *b = &l->out;
	size_t at, from = b->len, cut;

	pt_buf_puts(b, ev->can == PT_CAN_NOT ? "- " : ev->why ? "? " : "  ");
	at = b->len;
	pt_text_puts(b, ev->name);
	if (ev->alias) {
		pt_buf_puts(b, " OR ");
		pt_text_puts(b, ev->alias);
	}
	pt_buf_pad_right(b, at, NAME_WIDTH);
	pt_buf_puts(b, "  ");
	at = b->len;
	pt_buf_puts(b, pt_kind_name(ev->kind));
	if (*ev->what || ev->why || ev->can == PT_CAN_OPEN_USER) {
		pt_buf_pad_right(b, at, KIND_WIDTH);
		pt_buf_puts(b, "  ");
	}
	pt_text_puts(b, ev->what);
	if (ev->why)
		pt_buf_printf(b, "%s[%s]", *ev->what ? " " : "", ev->why);
	if (ev->can == PT_CAN_OPEN_USER)
		pt_buf_printf(b, "%s[outside the kernel only]", *ev->what ? " " : "");
	cut = from + l->columns;
	if (l->columns && b->len > cut) {	/* keep to one line of the terminal */
		while (cut > from && (b->data[cut] & 0xc0) == 0x80)
			cut--;
		b->len = cut;
	}
	pt_buf_putc(b, '\n');
	if (l->a->detailed)
		details(l, ev);
	l->shown++;
}

/* Prints what -e takes. */
static void name_row(struct lister *l, const struct pt_catalog_event *ev)
{
	if (ev->pattern || (ev->can == PT_CAN_NOT && !l->a->all))
		return;
	pt_text_puts(&l->out, ev->name);
	pt_buf_putc(&l->out, '\n');
	l->shown++;
}

/* -- as JSON -- */

static void json_word(struct pt_buf *b, const char *key, const char *s)
{
	if (s && *s)
		pt_json_str(b, key, s);
}

static void json_formats(struct pt_buf *b, const struct pt_pmu *pmu)
{
	pt_json_open(b, "formats", '{');
	for (size_t i = 0; i < pmu->nr_formats; i++)
		pt_json_str(b, pmu->formats[i].name, pmu->formats[i].text);
	pt_json_close(b, '}');
}

static void json_fields(struct pt_buf *b, const struct pt_tp *tp)
{
	pt_json_s64(b, "id", tp->id);
	pt_json_open(b, "fields", '[');
	for (size_t i = tp->nr_common; i < tp->nr_fields; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", tp->fields[i].name);
		json_word(b, "type", tp->fields[i].type);
		pt_json_u64(b, "bytes", tp->fields[i].size_bytes);
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
}

static void json_unit(struct pt_buf *b, const struct pt_pmu_event *event)
{
	json_word(b, "unit", event->unit);
	if (event->scale != 1)
		pt_json_number(b, "scale", event->scale);
	if (event->per_pkg)
		pt_json_bool(b, "per_package", true);
	if (event->snapshot)
		pt_json_bool(b, "snapshot", true);
}

static void json_row(struct lister *l, const struct pt_catalog_event *ev)
{
	struct pt_buf *b = &l->out;
	const struct pt_tp *tp;

	pt_json_open(b, NULL, '{');
	pt_json_str(b, "name", ev->name);
	json_word(b, "kind", pt_kind_name(ev->kind));
	json_word(b, "alias", ev->alias);
	if (ev->pattern)
		pt_json_bool(b, "pattern", true);
	json_word(b, "description", ev->what);
	json_word(b, "pmu", ev->pmu);
	json_word(b,
		  ev->kind == PT_KIND_PROBE ? "definition"
		  : ev->kind == PT_KIND_SDT ? "arguments"
					    : "terms",
		  ev->terms);
	if (ev->instances > 1)
		pt_json_u64(b, "instances", ev->instances);
	if (ev->event)
		json_unit(b, ev->event);
	if (ev->can != PT_CAN_UNKNOWN)
		pt_json_bool(b, "opens", ev->can != PT_CAN_NOT);
	if (ev->can == PT_CAN_OPEN_USER)
		pt_json_bool(b, "user_only", true);
	json_word(b, "why", ev->why);
	json_word(b, "how", ev->how);
	if (l->a->detailed && ev->of && ev->pattern)
		json_formats(b, ev->of);
	if (l->a->detailed && (tp = format_of(l, ev)))
		json_fields(b, tp);
	pt_json_end_line(b);
	l->shown++;
}

/* Sorts the operands into kinds and patterns. */
static void read_operands(struct lister *l, const struct pt_operands *operands)
{
	l->o.patterns = pt_alloc_array((size_t)operands->nr + 1, sizeof(char *));
	for (int i = 0; i < operands->nr; i++) {
		char *word = operands->v[i];
		enum pt_event_kind kind = pt_kind_find(word);

		if (kind != PT_KIND_END)
			l->o.kinds |= 1u << kind;
		else if (!*word)
			pt_usage(&tool, "an empty pattern");
		else
			l->o.patterns[l->o.nr_patterns++] = word;
	}
	if (l->a->files.nr)
		l->o.kinds |= 1u << PT_KIND_SDT;
	/* To the kernel, events made of markers are probes. */
	else if (l->o.kinds & 1u << PT_KIND_SDT)
		l->o.kinds |= 1u << PT_KIND_PROBE;
	l->o.root = l->a->root;
	l->o.umasks = l->a->umasks;
}

/* Warns of unknown names in the words of -e, which suggest similar ones. */
static bool say_nearest(struct lister *l)
{
	bool said = false;

	for (size_t i = 0; i < l->o.nr_patterns && !l->a->files.nr && !l->a->root; i++) {
		struct pt_err e = PT_ERR_INIT;

		if (strpbrk(l->o.patterns[i], "*?[,{/") ||
		    pt_event_list_add(&l->c.names, l->o.patterns[i], &e) == 0 || e.sys ||
		    strchr(e.msg, '\n'))
			continue;
		pt_warn(&tool, "%s", e.msg);
		said = true;
	}
	return said;
}

/* Says why nothing was listed; returns the exit status. */
static int say_nothing(struct lister *l)
{
	const struct pt_catalog *c = &l->c;

	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].can == PT_CAN_NOT) {
			pt_warn(&tool,
				"none of %zu events can be opened here (%s: %s); --all lists them",
				c->nr_not, c->v[i].name, c->v[i].why);
			return 1;
		}
	if (l->o.kinds & 1u << PT_KIND_SDT && !l->a->files.nr)
		pt_warn(&tool,
			"there are no probes at SDT markers; -x FILE lists the markers of a program");
	else if (!c->nr_missing && !l->said && !say_nearest(l))
		pt_warn(&tool, "no such events");
	return 1;
}

int main(int argc, char **argv)
{
	static struct args a;
	struct pt_operands operands = pt_opt_parse(&tool, argc, argv, &a);
	struct lister l = { .a = &a, .out = PT_BUF_INIT, .markers = PT_MAP_INIT };
	void (*row)(struct lister *, const struct pt_catalog_event *) =
		a.json                                ? json_row
		: a.detailed || (!a.output && isatty(STDOUT_FILENO)) ? table_row
						      : name_row;
	int rc;
	struct pt_err e = PT_ERR_INIT;

	l.o.quick = row == name_row;
	l.columns = row == table_row && !a.detailed ? pt_tty_columns(NULL) : 0;
	read_operands(&l, &operands);
	pt_catalog_read(&l.c, &l.o);
	for (size_t i = 0; i < a.files.nr; i++)
		add_markers(&l, a.files.v[i]);
	add_metrics(&l, PT_KIND_METRIC);
	add_metrics(&l, PT_KIND_METRIC_GROUP);
	for (size_t i = 0; i < l.c.nr; i++)
		row(&l, &l.c.v[i]);
	rc = pt_finish_text(&tool, a.output, &l.out, 0, &e);
	for (size_t i = 0; i < l.c.nr_missing; i++)
		pt_warn(&tool, "%s", l.c.missing[i]);
	if (!l.shown)
		rc |= say_nothing(&l);
	free(l.o.patterns);
	free(a.files.v);
	pt_map_deinit(&l.markers);
	pt_catalog_deinit(&l.c);
	return rc;
}
