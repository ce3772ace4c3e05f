/* script_choose.c - samples chosen by the function or the file that they are in */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/script_priv.h"

static bool script_choose_matches(const struct pt_strs *patterns, const char *name)
{
	for (size_t i = 0; name && i < patterns->nr; i++)
		if (pt_text_glob(patterns->v[i], name))
			return true;
	return false;
}

/* 0xADDR: the sample's own, or where its function starts. */
static bool has_address(const struct pt_strs *list, uint64_t ip, uint64_t start)
{
	for (size_t i = 0; i < list->nr; i++) {
		uint64_t addr = strncmp(list->v[i], "0x", 2) ? 0 : strtoull(list->v[i], NULL, 16);

		if (addr && (addr == ip || addr == start))
			return true;
	}
	return false;
}

bool pt_script_chosen(struct pt_script *s, const struct pt_record *rec)
{
	const struct pt_script_opts *o = &s->o;
	const struct pt_named_frame *x;

	if (!o->symbols.nr && !o->dsos.nr)
		return true;
	if (!s->frames || !(rec->has & PERF_SAMPLE_IP))
		return false;
	x = pt_script_function(s, rec, rec->sample.ip);
	if (!x)
		return false;
	return (!o->symbols.nr || script_choose_matches(&o->symbols, x->name) ||
		has_address(&o->symbols, rec->sample.ip, rec->sample.ip - x->offset)) &&
	       (!o->dsos.nr || script_choose_matches(&o->dsos, x->module) ||
		(x->module && script_choose_matches(&o->dsos, pt_text_base(x->module))));
}
