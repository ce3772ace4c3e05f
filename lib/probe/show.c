#include "probe/show.h"

#include "base/json.h"
#include "base/text.h"

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
		pt_text_plain(b, line.data, line.len);
		pt_buf_putc(b, '\n');
	}
	pt_buf_deinit(&line);
}

static void event_json(const struct pt_events *es, const struct pt_new_event *ev,
		       struct pt_buf *b)
{
	struct pt_buf text = PT_BUF_INIT;

	pt_json_open(b, NULL, '{');
	pt_buf_printf(&text, "%s:%s", ev->group, ev->name);
	pt_json_str(b, "event", text.data);
	pt_json_open(b, "places", '[');
	for (size_t i = ev->first; i < ev->first + ev->nr; i++) {
		const struct pt_def *def = &es->defs[i];
		const struct pt_made_place *p = def->made;

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

void pt_show_events_json(const struct pt_events *es, struct pt_buf *b)
{
	for (size_t i = 0; i < es->nr; i++)
		event_json(es, &es->v[i], b);
}
