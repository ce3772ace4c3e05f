#include "probe/show.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tracepoint/tp.h"

static void plain(struct pt_buf *b, const char *s)
{
	pt_text_plain(b, s, strlen(s));
}

void pt_show_string(struct pt_buf *b, const char *key, const char *s)
{
	if (!s)
		return;
	pt_buf_printf(b, "%s\"%s\":\"", b->len && !strchr("{[", b->data[b->len - 1]) ? "," : "", key);
	pt_text_json(b, s, strlen(s));
	pt_buf_putc(b, '"');
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

static void event_json(const struct pt_events *es, const struct pt_new_event *ev, const struct pt_made *m, struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_buf_printf(b, "{\"event\":\"%s:%s\",\"places\":[", ev->group, ev->name);
	for (size_t i = ev->first; i < ev->first + ev->nr; i++) {
		const struct pt_def *def = &es->defs[i];
		const struct pt_made_place *p = pt_made_place(m, def);

		pt_buf_puts(b, i > ev->first ? ",{" : "{");
		pt_buf_clear(&text);
		pt_def_text(def, &text);
		pt_show_string(b, "definition", pt_buf_str(&text));
		if (p) {
			pt_buf_printf(b, ",\"address\":\"0x%llx\"", (unsigned long long)p->vaddr);
			pt_show_string(b, "function", p->func);
			pt_show_string(b, "within", p->inlined ? p->outer : NULL);
			pt_show_string(b, "file", p->file);
			if (p->line)
				pt_buf_printf(b, ",\"line\":%u", p->line);
		}
		pt_buf_putc(b, '}');
	}
	pt_buf_puts(b, "]}\n");
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

	pt_buf_putc(b, '{');
	pt_buf_printf(&text, "%s:%s", def->group, def->event);
	pt_show_string(b, "event", text.data);
	pt_show_string(b, "kind", def->user ? def->kind == 'r' ? "uretprobe" : "uprobe" : def->kind == 'r' ? "kretprobe" : "kprobe");
	pt_show_string(b, "path", l->path);
	pt_show_string(b, "symbol", l->symbol);
	if (l->symbol)
		pt_buf_printf(b, ",\"offset\":%llu", (unsigned long long)l->symbol_off);
	pt_show_string(b, "file", l->file);
	if (l->line)
		pt_buf_printf(b, ",\"line\":%u", l->line);
	pt_show_string(b, "note", l->note);
	pt_buf_puts(b, ",\"args\":[");
	for (size_t i = 0; i < def->nr_args; i++) {
		if (pt_tp_is_guard(def->args[i].name))
			continue;
		pt_buf_puts(b, i ? ",{" : "{");
		pt_show_string(b, "name", def->args[i].name);
		pt_show_string(b, "fetch", def->args[i].fetch);
		pt_show_string(b, "type", def->args[i].type);
		pt_buf_putc(b, '}');
	}
	pt_buf_putc(b, ']');
	pt_buf_clear(&text);
	pt_def_text(def, &text);
	pt_show_string(b, "definition", text.data);
	pt_buf_puts(b, "}\n");
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
	pt_buf_putc(b, '{');
	pt_show_string(b, "function", name);
	pt_show_string(b, "module", module);
	pt_buf_printf(b, ",\"inlined\":%s}\n", inlined ? "true" : "false");
}

void pt_show_lines_json(const struct pt_listing *l, struct pt_buf *b)
{
	for (size_t i = 0; i < l->nr; i++) {
		pt_buf_putc(b, '{');
		pt_show_string(b, "file", l->path ? l->path : l->file);
		pt_show_string(b, "function", l->func);
		pt_buf_printf(b, ",\"line\":%u,\"number\":%u,\"probeable\":%s", l->v[i].line, l->v[i].line - l->first, l->v[i].probeable ? "true" : "false");
		if (l->v[i].text) {
			pt_buf_puts(b, ",\"text\":\"");
			pt_text_json(b, l->v[i].text, l->v[i].len);
			pt_buf_putc(b, '"');
		}
		pt_buf_puts(b, "}\n");
	}
}
