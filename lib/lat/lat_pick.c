/* Which function takes an event's records, and where the fields are that it needs. */
#include "lat/lat_priv.h"

#include <string.h>

#include "base/mem.h"

static int lacks(const struct pt_event *event, const char *field, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;

	for (size_t i = event->tp->nr_common; i < event->tp->nr_fields; i++)
		pt_buf_printf(&b, "%s%s", b.len ? ", " : "", event->tp->fields[i].name);
	pt_err_set(e, "%s has no field %s that can be used here; its fields: %s", event->name,
		   field, b.len ? b.data : "none");
	pt_buf_deinit(&b);
	return -1;
}

/* An event of a preset and its fields: 's' a string of fixed length, 'n' a number, '?' optional. */
struct role {
	const char *name;
	lat_feed *feed;
	struct { const char *name; char kind; bool optional; int slot; } fields[LAT_FIELDS];
};

#define BLOCK_FIELDS \
	{ "dev", 'n', false, F_DEV }, { "sector", 'n', false, F_SECTOR }, \
	{ "nr_sector", 'n', false, F_NR }, { "rwbs", 's', true, F_RWBS }
static const struct role roles[] = {
	{ "block:block_rq_insert", lat_block_insert, { BLOCK_FIELDS, { "comm", 's', true, F_COMM } } },
	{ "block:block_rq_issue", lat_block_issue, { BLOCK_FIELDS, { "comm", 's', true, F_COMM } } },
	{ "block:block_rq_complete", lat_block_complete, { BLOCK_FIELDS, { "error", 'n', true, F_ERROR } } },
	{ "block:block_rq_requeue", lat_block_requeue, { BLOCK_FIELDS } },
	{ "block:block_rq_merge", lat_block_merge, { BLOCK_FIELDS } },
	{ "raw_syscalls:sys_enter", lat_call_enter, { { "id", 'n', false, F_ID } } },
	{ "raw_syscalls:sys_exit", lat_call_exit, { { "id", 'n', false, F_ID }, { "ret", 'n', true, F_RET } } },
};

static int lat_pick_take_fields(const struct pt_event *event, const struct role *r,
				struct lat_event *ev, struct pt_err *e)
{
	if (!event->tp)
		return pt_err_set(e, "%s: the recording does not have its format (tracing data)",
				  event->name);
	for (size_t i = 0; i < LAT_FIELDS && r->fields[i].name; i++) {
		const struct pt_tp_field *f = pt_tp_field(event->tp, r->fields[i].name);
		bool fits = r->fields[i].kind == 'n'
				    ? pt_tp_is_number(f)
				    : f && f->flags & PT_TP_STRING && !(f->flags & PT_TP_DYNAMIC);

		if (fits)
			ev->f[r->fields[i].slot] = pt_tp_place(f, &ev->need_bytes);
		if (!ev->f[r->fields[i].slot].size_bytes && !r->fields[i].optional)
			return lacks(event, r->fields[i].name, e);
	}
	ev->feed = r->feed;
	return 0;
}

static int pick_preset(const struct pt_event *event, const char *system, struct lat_event *ev,
		       struct pt_err *e)
{
	for (size_t i = 0; i < PT_NR(roles); i++)
		if (!strncmp(roles[i].name, system, strlen(system)) &&
		    lat_is(event, roles[i].name))
			return lat_pick_take_fields(event, &roles[i], ev, e);
	return 0;
}

static int pick_block(const struct pt_lat *l, const struct pt_event *event, struct lat_event *ev,
		      struct pt_err *e)
{
	if (pick_preset(event, "block:", ev, e) < 0)
		return -1;
	if (l->o.queued && ev->feed == lat_block_issue)
		ev->feed = lat_block_issue_queued;
	if (!l->o.queued && (ev->feed == lat_block_insert || ev->feed == lat_block_merge))
		ev->feed = NULL;
	return 0;
}

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name), n;

	for (; *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, ", ");
		if (n == len && !strncmp(list, name, n))
			return true;
	}
	return false;
}

static int pick_call(struct pt_lat *l, const struct pt_event *event, struct lat_event *ev,
		     struct pt_err *e)
{
	const struct pt_tp_field *f;
	const char *name;
	bool enter = false;

	ev->has |= PERF_SAMPLE_TID;
	if (l->calls == CALLS_RAW)
		return pick_preset(event, "raw_syscalls:", ev, e);
	name = lat_call_name(event, &enter);
	if (!name || (l->o.syscalls && !in_list(l->o.syscalls, name)))
		return 0;
	ev->name = pt_names_add(l->names, name, strlen(name));
	ev->call = (int64_t)(pt_hash_bytes(name, strlen(name)) & 0x7fffffff);
	f = event->tp ? pt_tp_field(event->tp, "__syscall_nr") : NULL;
	if (pt_tp_is_number(f))
		ev->f[F_ID] = pt_tp_place(f, &ev->need_bytes);
	f = event->tp && !enter ? pt_tp_field(event->tp, "ret") : NULL;
	if (pt_tp_is_number(f))
		ev->f[F_RET] = pt_tp_place(f, &ev->need_bytes);
	ev->feed = enter ? lat_call_enter : lat_call_exit;
	return 0;
}

static int pick_keys(struct pt_lat *l, const struct pt_event *event, const char *const *names,
		     struct lat_key *keys, struct lat_event *ev, struct pt_err *e)
{
	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct pt_tp_field *f = event->tp ? pt_tp_field(event->tp, names[i]) : NULL;
		struct lat_key *k = &keys[i];

		k->name = names[i];
		if (f) {
			k->kind = pt_tp_is_number(f) ? LAT_KEY_NUMBER : LAT_KEY_BYTES;
			k->tp_field = f;
			k->f = pt_tp_place(f, &ev->need_bytes);
			if (!k->f.size_bytes)
				return lacks(event, names[i], e);
			ev->has |= PERF_SAMPLE_RAW;
		} else if (!strcmp(names[i], "tid") || !strcmp(names[i], "pid")) {
			k->kind = names[i][0] == 't' ? LAT_KEY_TID : LAT_KEY_PID;
			ev->has |= PERF_SAMPLE_TID;
		} else if (!strcmp(names[i], "cpu")) {
			k->kind = LAT_KEY_CPU;
			ev->has |= PERF_SAMPLE_CPU;
		} else if (!event->tp) {
			return pt_err_set(
				e,
				"%s: no field %s is known (no tracepoint, or a recording without its format); tid, pid and cpu are",
				event->name, names[i]);
		} else {
			return lacks(event, names[i], e);
		}
	}
	return 0;
}

static int pick_pair(struct pt_lat *l, const struct pt_event *event, struct lat_event *ev,
		     struct pt_err *e)
{
	bool from = lat_is(event, l->from), to = lat_is(event, l->to);

	ev->has = PERF_SAMPLE_TIME;
	if (!from && !to)
		return 0;
	if (l->kind == PT_LAT_PROBE) {
		ev->has |= PERF_SAMPLE_TID;
		ev->feed = from ? lat_probe_entry : lat_probe_return;
		return 0;
	}
	ev->feed = lat_fields;
	ev->is_from = from;
	ev->is_to = to;
	if (from && pick_keys(l, event, l->key_from, ev->from, ev, e) < 0)
		return -1;
	return to ? pick_keys(l, event, l->key_to, ev->to, ev, e) : 0;
}

int lat_pick(struct pt_lat *l, const struct pt_event *event, struct lat_event *ev, struct pt_err *e)
{
	int rc;

	ev->has = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	switch (l->kind) {
	case PT_LAT_BLOCK: rc = pick_block(l, event, ev, e); break;
	case PT_LAT_SCHED: rc = 0; break;		/* the state machine knows them */
	case PT_LAT_SYSCALL: rc = pick_call(l, event, ev, e); break;
	default: rc = pick_pair(l, event, ev, e); break;
	}
	if (!rc && ev->feed && event->attr.sample_type &&
	    !(event->attr.sample_type & PERF_SAMPLE_TIME))
		return pt_err_set(e, "%s was recorded without times: record with -T", event->name);
	return rc;
}
