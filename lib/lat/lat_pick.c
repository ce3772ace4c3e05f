/* Chooses the events to pair, from the recording's or as the user said, and finds their fields. */
#include "lat/lat_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/sysnr.h"

enum { MAX_LISTED = 16 };

/* The known events: the source's, or the one at hand. */
struct known {
	const struct pt_source *source;
	const struct pt_event *one;
};

static size_t nr_known(const struct known *k)
{
	return k->source ? pt_source_nr_events(k->source) : 1;
}

static const struct pt_event *known_at(const struct known *k, size_t i)
{
	return k->source ? pt_source_event(k->source, i) : k->one;
}

/* "system:name" or "name" is this event. */
static bool is(const struct pt_event *event, const char *text)
{
	const char *colon = strchr(text, ':'), *name = strchr(event->name, ':');

	if (!strcmp(event->name, text))
		return true;
	if (!event->tp)
		return !colon && name && !strcmp(name + 1, text);
	if (!colon)
		return !strcmp(event->tp->name, text);
	return !strncmp(event->tp->system, text, (size_t)(colon - text)) &&
	       !event->tp->system[colon - text] && !strcmp(event->tp->name, colon + 1);
}

static const struct pt_event *find(const struct known *k, const char *text)
{
	for (size_t i = 0; i < nr_known(k); i++)
		if (is(known_at(k, i), text))
			return known_at(k, i);
	return NULL;
}

static const char *bare_name(const struct pt_event *event)
{
	const char *colon = strchr(event->name, ':');

	return event->tp ? event->tp->name : colon ? colon + 1 : event->name;
}

static void list_events(const struct known *k, struct pt_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < nr_known(k); i++) {
		if (known_at(k, i)->side_band)
			continue;
		if (n++ < MAX_LISTED)
			pt_buf_printf(b, "%s%s", n > 1 ? ", " : "", known_at(k, i)->name);
	}
	if (n > MAX_LISTED)
		pt_buf_printf(b, " and %zu more", n - MAX_LISTED);
	if (!n)
		pt_buf_puts(b, "none");
}

static bool lacks_formats(const struct known *k)
{
	for (size_t i = 0; i < nr_known(k); i++)
		if (known_at(k, i)->attr.type == PERF_TYPE_TRACEPOINT && !known_at(k, i)->tp)
			return true;
	return false;
}

/* -1: "WHAT; the events here: a, b". */
static int no_events(const struct known *k, const char *what, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;

	list_events(k, &b);
	pt_err_set(
		e, "%s; the events here: %s%s", what, pt_buf_str(&b),
		lacks_formats(k)
			? " (the recording lacks the formats of its tracepoints: was it cut short?)"
			: "");
	pt_buf_deinit(&b);
	return -1;
}

static bool has_wakeups(const struct known *k)
{
	return find(k, "sched:sched_waking") || find(k, "sched:sched_wakeup") ||
	       find(k, "sched:sched_wakeup_new");
}

/* "read" for syscalls:sys_enter_read; NULL: it is no such event; *enter: entry or exit. */
static const char *call_name(const struct pt_event *event, bool *enter)
{
	const char *name = bare_name(event);

	if (strncmp(event->tp ? event->tp->system : event->name, "syscalls", 8))
		return NULL;
	*enter = !strncmp(name, "sys_enter_", 10);
	if (*enter)
		return name + 10;
	return strncmp(name, "sys_exit_", 9) ? NULL : name + 9;
}

static bool has_raw_calls(const struct known *k)
{
	return find(k, "raw_syscalls:sys_enter") && find(k, "raw_syscalls:sys_exit");
}

static bool has_named_calls(const struct known *k)
{
	bool enter = false, have_enter = false, have_exit = false;

	for (size_t i = 0; i < nr_known(k); i++) {
		if (!call_name(known_at(k, i), &enter))
			continue;
		have_enter |= enter;
		have_exit |= !enter;
	}
	return have_enter && have_exit;
}

enum probe { NO_PROBE, ENTRY, RETURN };

static enum probe probe_of(const struct pt_event *event)
{
	if (!event->tp)
		return NO_PROBE;
	return pt_tp_field(event->tp, "__probe_func") ? RETURN
	       : pt_tp_field(event->tp, "__probe_ip") ? ENTRY
						      : NO_PROBE;
}

/* The entry for a return: "foo" for "foo__return"; or the only entry, if there is one of each. */
static const struct pt_event *entry_of(const struct known *k, const struct pt_event *ret)
{
	const struct pt_event *only = NULL;
	size_t len = strlen(ret->tp->name), nr_entries = 0, nr_returns = 0;

	for (size_t i = 0; i < nr_known(k); i++) {
		const struct pt_event *event = known_at(k, i);
		enum probe p = probe_of(event);

		nr_entries += p == ENTRY;
		nr_returns += p == RETURN;
		if (p != ENTRY)
			continue;
		only = event;
		if (!strcmp(event->tp->system, ret->tp->system) && len > 8 &&
		    !strcmp(ret->tp->name + len - 8, "__return") &&
		    strlen(event->tp->name) == len - 8 &&
		    !strncmp(event->tp->name, ret->tp->name, len - 8))
			return event;
	}
	return nr_entries == 1 && nr_returns == 1 ? only : NULL;
}

/* Without the user's choice: the only possible pair, or an error that names all. */
static int choose_kind(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	struct pt_buf choices = PT_BUF_INIT;
	const struct pt_event *entry, *from = NULL, *to = NULL;
	unsigned nr = 0;

#define CHOICE(k_, ...) (l->kind = (k_), pt_buf_puts(&choices, nr++ ? ", " : ""), pt_buf_printf(&choices, __VA_ARGS__))
	if (find(k, "block:block_rq_complete") &&
	    (find(k, "block:block_rq_issue") || find(k, "block:block_rq_insert")))
		CHOICE(PT_LAT_BLOCK, "--block");
	if (find(k, "sched:sched_switch") && has_wakeups(k))
		CHOICE(PT_LAT_SCHED, "--sched");
	if (has_raw_calls(k) || has_named_calls(k))
		CHOICE(PT_LAT_SYSCALL, "--syscall");
	for (size_t i = 0; i < nr_known(k) && nr < MAX_LISTED; i++) {
		if (probe_of(known_at(k, i)) != RETURN || !(entry = entry_of(k, known_at(k, i))))
			continue;
		from = entry;
		to = known_at(k, i);
		CHOICE(PT_LAT_PROBE, "--probe %s,%s", from->name, to->name);
	}
#undef CHOICE
	if (nr > 1)
		pt_err_set(e, "several pairs of events could be meant; choose one: %s",
			   pt_buf_str(&choices));
	else if (!nr)
		no_events(
			k,
			"no pair of events is known here; name two: --from EVENT --to EVENT [--key FIELD]",
			e);
	else if (l->kind == PT_LAT_PROBE) {
		l->from = pt_strdup(from->name);
		l->to = pt_strdup(to->name);
	}
	pt_buf_deinit(&choices);
	return nr == 1 ? 0 : -1;
}

static int start_block(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	bool insert = find(k, "block:block_rq_insert"), issue = find(k, "block:block_rq_issue");

	if (!k->source)
		insert = issue = true;
	else if (!find(k, "block:block_rq_complete"))
		return no_events(k, "requests of disks need block:block_rq_complete", e);
	if (l->o.queued && !insert)
		return no_events(k, "--queued needs block:block_rq_insert", e);
	if (!insert && !issue)
		return no_events(k, "requests of disks need block:block_rq_issue", e);
	if (!issue)
		l->o.queued = true;
	l->merge_events = find(k, "block:block_rq_merge");
	snprintf(l->title, sizeof(l->title), "block_rq_%s -> block_rq_complete",
		 l->o.queued ? "insert" : "issue");
	return 0;
}

static int start_sched(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	if (k->source && (!find(k, "sched:sched_switch") || !has_wakeups(k)))
		return no_events(
			k,
			"--sched needs sched:sched_switch and sched:sched_waking or sched_wakeup",
			e);
	snprintf(l->title, sizeof(l->title), "wake-up%s -> run",
		 l->o.preempted ? " or preemption" : "");
	return 0;
}

/* The numbers of the wanted calls on the recorded machine. */
static int want_calls(struct pt_lat *l, struct pt_err *e)
{
	char *text = pt_strdup(l->o.syscalls), *save = NULL, *name;
	size_t cap = 0;
	int rc = 0;

	for (name = strtok_r(text, ", ", &save); name && !rc; name = strtok_r(NULL, ", ", &save)) {
		int64_t nr = pt_sysnr_find(l->arch, name);

		if (nr < 0) {
			rc = pt_err_set(
				e, "no system call is named %s%s%s", name,
				l->arch ? " on "
					: "; the recording does not say its machine: give numbers",
				l->arch ? l->arch : "");
			break;
		}
		PT_GROW(l->wanted, l->nr_wanted, cap);
		l->wanted[l->nr_wanted++] = nr;
	}
	free(text);
	return rc;
}

static int start_syscall(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	const struct pt_info *info = k->source ? pt_source_info(k->source) : NULL;
	bool raw = k->source ? has_raw_calls(k) : !strncmp(k->one->name, "raw_", 4),
	     named = !raw || has_named_calls(k);

	l->arch = info && info->arch ? info->arch : NULL;
	if (k->source && !raw && !has_named_calls(k))
		return no_events(
			k,
			"--syscall needs raw_syscalls:sys_enter and sys_exit, or syscalls:sys_enter_NAME and sys_exit_NAME",
			e);
	l->calls = raw && !(named && l->o.syscalls) ? CALLS_RAW : CALLS_NAMED;
	snprintf(l->title, sizeof(l->title), "system call -> return%s%.100s",
		 l->o.syscalls ? ": " : "", l->o.syscalls ? l->o.syscalls : "");
	return l->calls == CALLS_RAW && l->o.syscalls ? want_calls(l, e) : 0;
}

/* "a,b=c": field a of both events; b of the first, c of the second */
static int cut_keys(struct pt_lat *l, struct pt_err *e)
{
	char *save = NULL, *name;

	l->key_text = pt_strdup(l->o.key ? l->o.key : "tid");
	for (name = strtok_r(l->key_text, ", ", &save); name; name = strtok_r(NULL, ", ", &save)) {
		char *eq = strchr(name, '=');

		if (l->nr_keys == LAT_KEYS)
			return pt_err_set(e, "--key: at most %d fields", LAT_KEYS);
		if (eq)
			*eq++ = '\0';
		l->key_from[l->nr_keys] = name;
		l->key_to[l->nr_keys++] = eq ? eq : name;
	}
	return l->nr_keys ? 0 : pt_err_set(e, "--key: no field");
}

static int start_pair(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	const char *names[] = { l->from, l->to };
	char what[256];

	for (size_t i = 0; i < 2; i++) {
		if (!names[i])
			return pt_err_set(e, "two events make a pair: --from EVENT --to EVENT");
		snprintf(what, sizeof(what), "no event %.150s", names[i]);
		if (k->source && !find(k, names[i]))
			return no_events(k, what, e);
	}
	snprintf(l->title, sizeof(l->title), "%.70s -> %.70s", l->from, l->to);
	return l->kind == PT_LAT_FIELDS ? cut_keys(l, e) : 0;
}

int lat_choose(struct pt_lat *l, const struct pt_event *first, struct pt_err *e)
{
	struct known k = { l->source, first };

	if (l->kind == PT_LAT_CHOOSE && choose_kind(l, &k, e) < 0)
		return -1;
	switch (l->kind) {
	case PT_LAT_BLOCK: return start_block(l, &k, e);
	case PT_LAT_SCHED: return start_sched(l, &k, e);
	case PT_LAT_SYSCALL: return start_syscall(l, &k, e);
	case PT_LAT_PROBE:
	case PT_LAT_FIELDS: return start_pair(l, &k, e);
	case PT_LAT_CHOOSE: break;
	}
	return pt_err_set(e, "no kind of pair");
}

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

static bool is_number(const struct pt_tp_field *f)
{
	return f && !(f->flags & (PT_TP_ARRAY | PT_TP_STRING | PT_TP_DYNAMIC)) &&
	       (f->size_bytes == 1 || f->size_bytes == 2 || f->size_bytes == 4 ||
		f->size_bytes == 8);
}

static struct lat_field place(const struct pt_tp_field *f, struct lat_event *ev)
{
	struct lat_field lf = { f->off, f->size_bytes, f->flags & PT_TP_SIGNED };

	/* Formats are untrusted: sums of their offsets must not wrap. */
	if (f->off > 65535 || f->size_bytes > 65535)
		return (struct lat_field){ 0, 0, false };
	ev->need_bytes = PT_MAX(ev->need_bytes, f->off + f->size_bytes);
	return lf;
}

/* An event of a preset and its fields: 's' a string of fixed length, 'n' a number, '?' optional. */
struct role {
	const char *name;
	lat_feed *feed;
	struct { const char *name; char kind; bool optional; int slot; } fields[LAT_FIELDS];
};

#define BLOCK_FIELDS { "dev", 'n', false, F_DEV }, { "sector", 'n', false, F_SECTOR }, { "nr_sector", 'n', false, F_NR }, { "rwbs", 's', true, F_RWBS }
static const struct role roles[] = {
	{ "block:block_rq_insert", lat_block_insert, { BLOCK_FIELDS, { "comm", 's', true, F_COMM } } },
	{ "block:block_rq_issue", lat_block_issue, { BLOCK_FIELDS, { "comm", 's', true, F_COMM } } },
	{ "block:block_rq_complete", lat_block_complete, { BLOCK_FIELDS, { "error", 'n', true, F_ERROR } } },
	{ "block:block_rq_requeue", lat_block_requeue, { BLOCK_FIELDS } },
	{ "block:block_rq_merge", lat_block_merge, { BLOCK_FIELDS } },
	{ "raw_syscalls:sys_enter", lat_call_enter, { { "id", 'n', false, F_ID } } },
	{ "raw_syscalls:sys_exit", lat_call_exit, { { "id", 'n', false, F_ID }, { "ret", 'n', true, F_RET } } },
};

static int take_fields(const struct pt_event *event, const struct role *r, struct lat_event *ev,
		       struct pt_err *e)
{
	if (!event->tp)
		return pt_err_set(e, "%s: the recording does not have its format (tracing data)",
				  event->name);
	for (size_t i = 0; i < LAT_FIELDS && r->fields[i].name; i++) {
		const struct pt_tp_field *f = pt_tp_field(event->tp, r->fields[i].name);
		bool fits = r->fields[i].kind == 'n'
				    ? is_number(f)
				    : f && f->flags & PT_TP_STRING && !(f->flags & PT_TP_DYNAMIC);

		if (fits)
			ev->f[r->fields[i].slot] = place(f, ev);
		if (!ev->f[r->fields[i].slot].size_bytes && !r->fields[i].optional)
			return lacks(event, r->fields[i].name, e);
	}
	ev->feed = r->feed;
	ev->plain = ev->f[F_DEV].size_bytes == 4 && ev->f[F_SECTOR].size_bytes == 8 &&
		    ev->f[F_NR].size_bytes == 4;
	return 0;
}

static int pick_preset(const struct pt_event *event, const char *system, struct lat_event *ev,
		       struct pt_err *e)
{
	for (size_t i = 0; i < PT_NR(roles); i++)
		if (!strncmp(roles[i].name, system, strlen(system)) && is(event, roles[i].name))
			return take_fields(event, &roles[i], ev, e);
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
	name = call_name(event, &enter);
	if (!name || (l->o.syscalls && !in_list(l->o.syscalls, name)))
		return 0;
	ev->name = pt_names_add(l->names, name, strlen(name));
	ev->call = (int64_t)(pt_hash_bytes(name, strlen(name)) & 0x7fffffff);
	f = event->tp ? pt_tp_field(event->tp, "__syscall_nr") : NULL;
	if (is_number(f))
		ev->f[F_ID] = place(f, ev);
	f = event->tp && !enter ? pt_tp_field(event->tp, "ret") : NULL;
	if (is_number(f))
		ev->f[F_RET] = place(f, ev);
	ev->feed = enter ? lat_call_enter : lat_call_exit;
	return 0;
}

static int pick_keys(struct pt_lat *l, const struct pt_event *event, const char *const *names,
		     struct lat_event *ev, struct pt_err *e)
{
	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct pt_tp_field *f = event->tp ? pt_tp_field(event->tp, names[i]) : NULL;
		struct lat_key *k = &ev->keys[i];

		k->name = names[i];
		if (f) {
			k->kind = is_number(f) ? LAT_KEY_NUMBER : LAT_KEY_BYTES;
			k->tp_field = f;
			k->f = place(f, ev);
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
	bool from = is(event, l->from), to = is(event, l->to);

	ev->has = PERF_SAMPLE_TIME;
	if (!from && !to)
		return 0;
	if (l->kind == PT_LAT_PROBE) {
		ev->has |= PERF_SAMPLE_TID;
		ev->feed = from ? lat_probe_entry : lat_probe_return;
		return 0;
	}
	ev->feed = from && to ? lat_fields_both : from ? lat_fields_from : lat_fields_to;
	return pick_keys(l, event, from ? l->key_from : l->key_to, ev, e);
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
