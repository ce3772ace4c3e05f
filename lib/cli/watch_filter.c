/* watch_filter.c - filters of live events on values that the kernel reads through a pointer. */
#include "cli/watch.h"

#include "base/text.h"
#include "record/format/record.h"

/* A field in the event's filter that the kernel may be unable to read; NULL: none. `rec`: only one
 * that was not readable in this sample. */
static const struct pt_tp_field *guarded_in_filter(const struct pt_event_spec *s,
						   const struct pt_record *rec)
{
	for (size_t k = 0; s->filter && s->tp && k < s->tp->nr_fields; k++) {
		const struct pt_tp_field *f = &s->tp->fields[k];

		if (f->nr_guards && pt_text_has_word(s->filter, f->name) &&
		    (!rec || pt_tp_faulted(f, rec->sample.raw, rec->sample.raw_len, rec->swap)))
			return f;
	}
	return NULL;
}

/* Kernel filters compare a field's bytes, which are older ones if the value could not be read, and
 * no operator sees a guard's length. Analyses drop such samples (pt_watch_leaves_out()); counting
 * in the kernel cannot. */
void pt_watch_check_filter(const struct pt_tool *tool, const struct pt_watch *w)
{
	for (size_t i = 0; i < w->events.nr; i++) {
		const struct pt_event_spec *s = &w->events.specs[i];
		const struct pt_tp_field *f = guarded_in_filter(s, NULL);

		if (f && w->counting)
			pt_usage(
				tool,
				"%s: --filter: %s is read through a pointer; where the kernel cannot "
				"read it, the filter would see an older value: pt-script --filter leaves such "
				"samples out, count its lines",
				s->name, f->name);
		else if (f && tool->runs_command) /* pt-record does not look into samples */
			pt_warn(tool,
				"%s: --filter: %s is read through a pointer; where the kernel cannot read it, "
				"the filter sees an older value (samples show " PT_TP_FAULT ")",
				s->name, f->name);
	}
}

bool pt_watch_filters_values(const struct pt_watch *w)
{
	for (size_t i = 0; i < w->events.nr; i++)
		if (guarded_in_filter(&w->events.specs[i], NULL))
			return true;
	return false;
}

bool pt_watch_leaves_out(const struct pt_watch *w, const struct pt_record *rec)
{
	if (rec->type != PERF_RECORD_SAMPLE || !rec->event || !rec->event->tp)
		return false;
	for (size_t i = 0; i < w->events.nr; i++)
		if (w->events.specs[i].tp == rec->event->tp &&
		    guarded_in_filter(&w->events.specs[i], rec))
			return true;
	return false;
}
