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
	const char *file;
	bool is;

	if (!o->symbols.nr && !o->dsos.nr)
		return true;
	if (!s->frames || !(rec->has & PERF_SAMPLE_IP))
		return false;
	x = pt_script_function(s, rec, rec->sample.ip);
	if (!x)
		return false;
	if (o->symbols.nr) {
		is = script_choose_matches(&o->symbols, x->name) ||
		     has_address(&o->symbols, rec->sample.ip, rec->sample.ip - x->offset);
		if (!pt_offer_note(&s->symbols_there, x->name, is))
			return false;
	}
	if (!o->dsos.nr)
		return true;
	file = x->module ? pt_text_base(x->module) : NULL;
	is = script_choose_matches(&o->dsos, x->module) || script_choose_matches(&o->dsos, file);
	return pt_offer_note(&s->dsos_there, file, is);
}

const struct pt_offer *pt_script_symbols_there(const struct pt_script *s)
{
	return &s->symbols_there;
}

const struct pt_offer *pt_script_dsos_there(const struct pt_script *s)
{
	return &s->dsos_there;
}
