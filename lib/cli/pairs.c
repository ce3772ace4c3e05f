#include "cli/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Also two lines, as pt-probe prints them. */
static int opt_probe(void *group, const char *arg, struct pt_err *e)
{
	static const char between[] = ", \n\t";
	struct pt_pairs_args *p = group;
	const char *entry = arg + strspn(arg, between), *ret;
	size_t entry_len = strcspn(entry, between), ret_len;

	ret = entry + entry_len + strspn(entry + entry_len, between);
	ret_len = strcspn(ret, between);
	if (!entry_len || !ret_len || ret[ret_len + strspn(ret + ret_len, between)])
		return pt_err_set(
			e,
			"two events, of the entry and the return: --probe probe:foo,probe:foo__return");
	p->entry = pt_strndup(entry, entry_len);
	p->ret = pt_strndup(ret, ret_len);
	return 0;
}

#define ROW(...) PT_ROW_OF(struct pt_pairs_args, __VA_ARGS__)
const struct pt_opt pt_opts_pairs[] = {
	ROW(0, "queued", NULL,
		  "disk requests: measure from insert into the queue, not from issue", PT_OPT_FLAG,
		  queued),
	ROW(0, "preempted", NULL,
		  "with --sched: also waits of preempted tasks", PT_OPT_FLAG,
		  preempted),
	ROW(0, "from", "EVENT", "pair this event ...", PT_OPT_STR,
		  from),
	ROW(0, "to", "EVENT",
		  "... with the next one of this that has the same key", PT_OPT_STR, to),
	ROW(0, "key", "FIELDS",
		"fields that must be equal: dev,sector or pid=next_pid; also tid (default), pid, cpu",
		PT_OPT_STR, key),
	ROW(0, "op", "OPS", "disk requests: only these operations: WS, or 'R*' for all reads",
	    PT_OPT_NAMES, ops),
	PT_ROW_CALL(0, "probe", "ENTRY,RETURN",
		    "pair entries and returns of a function, by thread (may be nested)", opt_probe),
	{ 0 }
};

/* Notes the first and the last option that say which pair is meant. */
static void pairs_note(const char **first, const char **last, bool used, const char *option)
{
	if (!used)
		return;
	if (!*first)
		*first = option;
	*last = option;
}

void pt_pairs_ready(const struct pt_tool *tool, struct pt_pairs_args *p,
		    const struct pt_watch_args *w, struct pt_lat_opts *o)
{
	const char *implied = p->queued ? "block" : p->preempted ? "sched" : "",
		   *preset = w->preset ? w->preset : implied, *first = NULL, *last = NULL;
	char *option = pt_asprintf("--%s", preset);

	o->kind = PT_LAT_CHOOSE;
	pairs_note(&first, &last, p->queued, "--queued");
	pairs_note(&first, &last, p->preempted, "--preempted");
	pairs_note(&first, &last, strcmp(preset, implied), option);
	pairs_note(&first, &last, p->from || p->to || p->key,
		   p->from ? "--from"
		   : p->to ? "--to"
		     : "--key");
	pairs_note(&first, &last, p->entry, "--probe");
	if (first != last)
		pt_usage(tool, "%s and %s: one pair at a time", first, last);
	o->queued = p->queued;
	o->preempted = p->preempted;
	o->syscalls = w->preset_names;
	if (pt_lat_preset(preset, o)) {
		p->events = strcmp(preset, "syscall") ? pt_strdup(preset) : NULL;
	} else if (p->entry) {
		o->kind = PT_LAT_PROBE;
		o->from = p->entry;
		o->to = p->ret;
	} else if (first) {
		if (!p->from || !p->to)
			pt_usage(tool, "%s: two events make a pair, --from EVENT and --to EVENT",
				 first);
		o->kind = PT_LAT_FIELDS;
		o->from = p->from;
		o->to = p->to;
		o->key = p->key;
	}
	if (o->from && !p->events)
		p->events = !strcmp(o->from, o->to) ? pt_strdup(o->from)
						    : pt_asprintf("%s,%s", o->from, o->to);
	free(option);
}

/* Other latencies than those of disks have no operation, and --op leaves them out. */
static bool has_op(struct pt_pairs_args *p, struct pt_lat *l, const struct pt_latency *lat,
		   const struct pt_record *rec)
{
	struct pt_buf op = PT_BUF_INIT;
	bool is = false;

	if (pt_lat_by(l, "op", lat, rec, &op)) {
		for (size_t i = 0; i < p->ops.nr && !is; i++)
			is = pt_text_glob(p->ops.v[i], pt_buf_str(&op));
		pt_offer_note(&p->ops_there, pt_buf_str(&op), is);
	}
	pt_buf_deinit(&op);
	return is;
}

bool pt_pairs_choose(struct pt_pairs_args *p, const struct pt_choose *c,
		     struct pt_lat *l, const struct pt_latency *lat, const struct pt_record *rec)
{
	if (p->ops.nr && !has_op(p, l, lat, rec))
		return false;
	return !c->given ||
	       (pt_choose_time(c, lat->end_ns) &&
		pt_choose_cpu(c, lat->cpu == UINT32_MAX ? -1 : (int)lat->cpu) &&
		pt_choose_task(c, lat->pid, lat->tid, lat->comm[0] ? lat->comm : NULL));
}

void pt_pairs_usage_by(const struct pt_tool *tool, const char *by, const struct pt_lat *l,
		       struct pt_source *session)
{
	pt_source_free(session);	/* with its command, which would run on, unwatched */
	pt_usage(tool,
		 "--by %s: not known for %s (all: comm, pid, tid, cpu; disks: dev, op; system calls: syscall; --key: key)",
		 by, pt_lat_title(l));
}

void pt_pairs_say(const struct pt_tool *tool, const struct pt_lat *l)
{
	struct pt_buf note = PT_BUF_INIT;

	for (size_t i = 0; pt_lat_note(l, &i, &note); pt_buf_clear(&note))
		pt_warn(tool, "%s", pt_buf_str(&note));
	pt_buf_deinit(&note);
}
