/* script_choose.c - samples chosen by the function or the file that they are in */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "script/script_priv.h"

static bool matches(const struct pt_strs *patterns, const char *name)
{
	for (size_t i = 0; name && i < patterns->nr; i++)
		if (!fnmatch(patterns->v[i], name, 0))
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
	const struct pt_named_frame *frames, *x;
	const char *file, *slash;
	size_t nr;

	if (!o->symbols.nr && !o->dsos.nr)
		return true;
	if (!s->frames || !(rec->has & PERF_SAMPLE_IP))
		return false;
	nr = pt_frames_name(s->frames,
			    pt_frames_place(s->frames, rec->pid, pt_record_in_kernel(rec),
					    rec->sample.ip, pt_script_time(rec)),
			    &frames);
	if (!nr)
		return false;
	x = &frames[nr - 1];		/* not a function that is inlined into it */
	file = x->module;
	slash = file ? strrchr(file, '/') : NULL;
	return (!o->symbols.nr || matches(&o->symbols, x->name) ||
		has_address(&o->symbols, rec->sample.ip, rec->sample.ip - x->offset)) &&
	       (!o->dsos.nr || matches(&o->dsos, file) || (slash && matches(&o->dsos, slash + 1)));
}
