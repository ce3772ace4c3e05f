#include "probe/show.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "tracepoint/tp.h"

static void plain(struct pt_buf *b, const char *s)
{
	pt_text_plain(b, s, strlen(s));
}

void pt_show_names(const struct pt_events *es, struct pt_buf *b)
{
	for (size_t i = 0; i < es->nr; i++)
		pt_buf_printf(b, "%s:%s\n", es->v[i].group, es->v[i].name);
}

void pt_show_definitions(const struct pt_events *es, struct pt_buf *b)
{
	struct pt_buf line = PT_BUF_INIT;

	for (size_t i = 0; i < es->nr_defs; i++) {
		pt_buf_clear(&line);
		pt_def_text(&es->defs[i], &line);
		plain(b, line.data);
		pt_buf_putc(b, '\n');
	}
	pt_buf_deinit(&line);
}

static void event_json(const struct pt_events *es, const struct pt_new_event *ev,
		       const struct pt_made *m, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_json_open(b, NULL, '{');
	pt_buf_printf(&text, "%s:%s", ev->group, ev->name);
	pt_json_str(b, "event", text.data);
	pt_json_open(b, "places", '[');
	for (size_t i = ev->first; i < ev->first + ev->nr; i++) {
		const struct pt_def *def = &es->defs[i];
		const struct pt_made_place *p = pt_made_place(m, def);

		pt_json_open(b, NULL, '{');
		pt_buf_clear(&text);
		pt_def_text(def, &text);
		pt_json_str(b, "definition", pt_buf_str(&text));
		if (p) {
			pt_json_addr(b, "address", p->vaddr);
			pt_json_str(b, "function", p->func);
			pt_json_str(b, "within", p->inlined ? p->outer : NULL);
			pt_json_str(b, "file", p->file);
			if (p->line)
				pt_json_u64(b, "line", p->line);
		}
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
	pt_buf_deinit(&text);
}

void pt_show_events_json(const struct pt_events *es, const struct pt_made *m, struct pt_buf *b)
{
	for (size_t i = 0; i < es->nr; i++)
		event_json(es, &es->v[i], m, b);
}

void pt_show_probe_json(const struct pt_def *def, const struct pt_listed_probe *l, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_json_open(b, NULL, '{');
	pt_buf_printf(&text, "%s:%s", def->group, def->event);
	pt_json_str(b, "event", text.data);
	pt_json_str(b, "kind",
		    def->user          ? def->kind == 'r' ? "uretprobe" : "uprobe"
		    : def->kind == 'r' ? "kretprobe"
				       : "kprobe");
	pt_json_str(b, "path", l->path);
	pt_json_str(b, "symbol", l->symbol);
	if (l->symbol)
		pt_json_u64(b, "offset", l->symbol_off);
	pt_json_str(b, "file", l->file);
	if (l->line)
		pt_json_u64(b, "line", l->line);
	pt_json_str(b, "note", l->note);
	pt_json_open(b, "args", '[');
	for (size_t i = 0; i < def->nr_args; i++) {
		if (pt_tp_is_guard(def->args[i].name))
			continue;
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", def->args[i].name);
		pt_json_str(b, "fetch", def->args[i].fetch);
		pt_json_str(b, "type", def->args[i].type);
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
	pt_buf_clear(&text);
	pt_def_text(def, &text);
	pt_json_str(b, "definition", text.data);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
	pt_buf_deinit(&text);
}

void pt_show_probe(const struct pt_def *def, const struct pt_listed_probe *l, struct pt_buf *b)
{
	size_t from = b->len;

	pt_buf_printf(b, "%s:%s", def->group, def->event);
	pt_buf_pad_right(b, from, 24);
	pt_buf_puts(b, "  (on ");
	if (l->symbol) {
		plain(b, l->symbol);
		if (l->symbol_off)
			pt_buf_printf(b, "+%llu", (unsigned long long)l->symbol_off);
	} else {
		pt_buf_printf(b, "0x%llx", (unsigned long long)def->off);
	}
	if (def->kind == 'r')
		pt_buf_puts(b, "%return");
	if (l->file) {
		pt_buf_putc(b, '@');
		plain(b, strrchr(l->file, '/') ? strrchr(l->file, '/') + 1 : l->file);
		pt_buf_printf(b, ":%u", l->line);
	}
	if (l->path) {
		pt_buf_puts(b, " in ");
		plain(b, l->path);
	}
	for (size_t i = 0; i < def->nr_args; i++) {
		if (pt_tp_is_guard(def->args[i].name))
			continue;
		pt_buf_puts(b, i ? " " : " with ");
		plain(b, def->args[i].name);
		pt_buf_putc(b, '=');
		plain(b, def->args[i].fetch);
		if (def->args[i].type) {
			pt_buf_putc(b, ':');
			plain(b, def->args[i].type);
		}
	}
	pt_buf_putc(b, ')');
	if (l->note)
		pt_buf_printf(b, " [%s]", l->note);
	pt_buf_putc(b, '\n');
}

void pt_show_function_json(const char *name, const char *module, bool inlined, struct pt_buf *b)
{
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "function", name);
	pt_json_str(b, "module", module);
	pt_json_bool(b, "inlined", inlined);
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

void pt_show_lines_json(const struct pt_listing *l, struct pt_buf *b)
{
	for (size_t i = 0; i < l->nr; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "file", l->path ? l->path : l->file);
		pt_json_str(b, "function", l->func);
		pt_json_u64(b, "line", l->v[i].line);
		pt_json_u64(b, "number", l->v[i].line - l->first);
		pt_json_bool(b, "probeable", l->v[i].probeable);
		if (l->v[i].text)
			pt_json_strn(b, "text", l->v[i].text, l->v[i].len);
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	}
}
