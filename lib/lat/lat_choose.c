/* Chooses the kind and the events to pair: the recording's only ones, or what the user said. */
#include "lat/lat_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/sysnr.h"

enum { MAX_LISTED = 16 };

/* The pairs that are known by name: an option, their events ("*" matches any text), and the words
 * for them. A new one whose events agree in fields needs no more than a row at the end of these
 * (kind PT_LAT_FIELDS, and the fields). */
static const struct lat_pair pairs[] = {
	{ PT_LAT_BLOCK, "block", { "block:block_rq_issue", "block:block_rq_insert" }, "block:block_rq_complete", NULL, "issue", "issues", "completion", "completions" },
	{ PT_LAT_SCHED, "sched", { "sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new" }, "sched:sched_switch", NULL, "wake-up", "wake-ups", "switch to a task", "switches to a task" },
	{ PT_LAT_SYSCALL, "syscall", { "raw_syscalls:sys_enter" }, "raw_syscalls:sys_exit", NULL, "call", "calls", "return", "returns" },
	{ PT_LAT_SYSCALL, "syscall", { "syscalls:sys_enter_*" }, "syscalls:sys_exit_*", NULL, "call", "calls", "return", "returns" },
	{ PT_LAT_PROBE, NULL, { NULL }, NULL, NULL, "entry", "entries", "return", "returns" },
	{ PT_LAT_FIELDS, NULL, { NULL }, NULL, NULL, "start", "starts", "end", "ends" },
};

bool pt_lat_preset(const char *preset, struct pt_lat_opts *o)
{
	for (size_t i = 0; i < PT_NR(pairs); i++)
		if (pairs[i].preset && !strcmp(pairs[i].preset, preset)) {
			o->kind = pairs[i].kind;
			o->preset = pairs[i].preset;
			o->key = pairs[i].key;
			o->from = o->kind == PT_LAT_FIELDS ? pairs[i].from[0] : NULL;
			o->to = o->kind == PT_LAT_FIELDS ? pairs[i].to : NULL;
			return true;
		}
	return false;
}

static bool is_of(const struct lat_pair *p, const struct pt_lat *l)
{
	return p->kind == l->kind &&
	       (!l->o.preset || (p->preset && !strcmp(p->preset, l->o.preset)));
}

const struct lat_pair *lat_pair(const struct pt_lat *l)
{
	size_t i = 0;

	while (i < PT_NR(pairs) - 1 && !is_of(&pairs[i], l))
		i++;
	return &pairs[i];
}

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

bool lat_is(const struct pt_event *event, const char *pattern)
{
	const char *colon = strchr(event->name, ':'), *name = colon ? colon + 1 : event->name;
	char full[256];

	snprintf(full, sizeof(full), "%s", event->name);
	if (event->tp) {
		name = event->tp->name;
		snprintf(full, sizeof(full), "%s:%s", event->tp->system, name);
	}
	return pt_text_glob(pattern, full) || !strcmp(pattern, event->name) ||
	       (!strchr(pattern, ':') && pt_text_glob(pattern, name));
}

static const struct pt_event *lat_choose_find(const struct known *k, const char *pattern)
{
	for (size_t i = 0; i < nr_known(k); i++)
		if (lat_is(known_at(k, i), pattern))
			return known_at(k, i);
	return NULL;
}

static bool has_pair(const struct known *k, const struct lat_pair *p)
{
	bool from = false;

	for (size_t i = 0; i < PT_NR(p->from) && p->from[i]; i++)
		from |= lat_choose_find(k, p->from[i]) != NULL;
	return from && lat_choose_find(k, p->to);
}

/* -1: "WHAT; the events here: a, b". */
static int no_events(const struct known *k, const char *what, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < nr_known(k); i++) {
		const struct pt_event *event = known_at(k, i);

		if (!event->side_band && n++ < MAX_LISTED)
			pt_buf_printf(&b, "%s%s", n > 1 ? ", " : "", event->name);
	}
	if (n > MAX_LISTED)
		pt_buf_printf(&b, " and %zu more", n - MAX_LISTED);
	pt_err_set(e, "%s; the events here: %s", what, n ? pt_buf_str(&b) : "none");
	pt_buf_deinit(&b);
	return -1;
}

const char *lat_call_name(const struct pt_event *event, bool *enter)
{
	const char *colon = strchr(event->name, ':'),
		   *name = event->tp ? event->tp->name : colon ? colon + 1 : "";

	*enter = lat_is(event, "syscalls:sys_enter_*");
	if (!*enter && !lat_is(event, "syscalls:sys_exit_*"))
		return NULL;
	return name + strlen(*enter ? "sys_enter_" : "sys_exit_");
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
static const struct pt_event *lat_choose_entry_of(const struct known *k, const struct pt_event *ret)
{
	const struct pt_event *only = NULL;
	size_t nr_entries = 0, nr_returns = 0;
	char want[256];

	for (size_t i = 0; i < nr_known(k); i++) {
		const struct pt_event *event = known_at(k, i);
		enum probe p = probe_of(event);

		nr_entries += p == ENTRY;
		nr_returns += p == RETURN;
		if (p != ENTRY)
			continue;
		only = event;
		snprintf(want, sizeof(want), "%s__return", event->tp->name);
		if (!strcmp(event->tp->system, ret->tp->system) && !strcmp(ret->tp->name, want))
			return event;
	}
	return nr_entries == 1 && nr_returns == 1 ? only : NULL;
}

/* Without the user's choice: the only possible pair, or an error that names all. */
static int lat_choose_choose_kind(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	struct pt_buf choices = PT_BUF_INIT;
	const struct pt_event *from = NULL, *to = NULL;
	struct pt_lat_opts o = { .kind = PT_LAT_CHOOSE };
	unsigned nr = 0;

	for (size_t i = 0; i < PT_NR(pairs); i++) {
		const char *preset = pairs[i].preset;

		if (!preset || (o.preset && !strcmp(preset, o.preset)) || !has_pair(k, &pairs[i]))
			continue;
		pt_lat_preset(preset, &o);
		pt_buf_printf(&choices, "%s--%s", nr++ ? ", " : "", preset);
	}
	for (size_t i = 0; i < nr_known(k) && nr < MAX_LISTED; i++) {
		const struct pt_event *event = known_at(k, i),
				      *entry = probe_of(event) == RETURN
						       ? lat_choose_entry_of(k, event)
						       : NULL;

		if (!entry)
			continue;
		from = entry;
		to = event;
		o = (struct pt_lat_opts){ .kind = PT_LAT_PROBE,
					  .from = from->name,
					  .to = to->name };
		pt_buf_printf(&choices, "%s--probe %s,%s", nr++ ? ", " : "", from->name, to->name);
	}
	if (nr > 1)
		pt_err_set(e, "several pairs of events could be meant; choose one: %s",
			   pt_buf_str(&choices));
	else if (!nr)
		no_events(
			k,
			"no pair of events is known here; name two: --from EVENT --to EVENT [--key FIELD]",
			e);
	l->kind = o.kind;
	l->o.key = o.key;
	l->o.preset = o.preset;
	l->from = pt_strdup(o.from);
	l->to = pt_strdup(o.to);
	pt_buf_deinit(&choices);
	return nr == 1 ? 0 : -1;
}

/* -1: the events of a pair with a name are not all here. */
static int need_pair(const struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	struct pt_buf what = PT_BUF_INIT;
	bool found = !k->source;

	for (const struct lat_pair *p = pairs; p < pairs + PT_NR(pairs); p++) {
		if (!is_of(p, l))
			continue;
		found |= has_pair(k, p);
		pt_buf_printf(&what, what.len ? ", or" : "--%s needs", p->preset);
		pt_buf_printf(&what, " %s and %s", p->to, p->from[0]);
		for (size_t i = 1; i < PT_NR(p->from) && p->from[i]; i++)
			pt_buf_printf(&what, " or %s", p->from[i]);
	}
	if (!found)
		no_events(k, pt_buf_str(&what), e);
	pt_buf_deinit(&what);
	return found ? 0 : -1;
}

static int start_block(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	if (need_pair(l, k, e) < 0)
		return -1;
	if (k->source && l->o.queued && !lat_choose_find(k, "block:block_rq_insert"))
		return no_events(k, "--queued needs block:block_rq_insert", e);
	l->o.queued |= k->source && !lat_choose_find(k, "block:block_rq_issue");
	l->merge_events = lat_choose_find(k, "block:block_rq_merge");
	snprintf(l->title, sizeof(l->title), "block_rq_%s -> block_rq_complete",
		 l->o.queued ? "insert" : "issue");
	return 0;
}

static int start_sched(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	snprintf(l->title, sizeof(l->title), "wake-up%s -> run",
		 l->o.preempted ? " or preemption" : "");
	return need_pair(l, k, e);
}

/* The numbers of the wanted calls on the recorded machine. */
static int want_calls(struct pt_lat *l, struct pt_err *e)
{
	char *text = pt_strdup(l->o.syscalls), *save = NULL, *name;
	size_t cap = 0;
	int rc = 0;

	for (name = strtok_r(text, ", ", &save); name && !rc; name = strtok_r(NULL, ", ", &save)) {
		PT_GROW(l->wanted, l->nr_wanted, cap);
		l->wanted[l->nr_wanted] = pt_sysnr_find(l->call_names, name);
		if (l->wanted[l->nr_wanted++] < 0)
			rc = pt_err_set(
				e, "no system call is named %s%s%s", name,
				l->arch ? " on "
					: "; the recording does not say its machine: give numbers",
				l->arch ? l->arch : "");
	}
	free(text);
	return rc;
}

static int start_syscall(struct pt_lat *l, const struct known *k, struct pt_err *e)
{
	bool raw = lat_choose_find(k, "raw_syscalls:*"),
	     named = lat_choose_find(k, "syscalls:sys_enter_*");

	l->arch = k->source ? pt_source_info(k->source)->arch : NULL;
	l->call_names = pt_sysnr_new(l->arch);
	l->calls = raw && !(named && l->o.syscalls) ? CALLS_RAW : CALLS_NAMED;
	snprintf(l->title, sizeof(l->title), "system call -> return%s%.100s",
		 l->o.syscalls ? ": " : "", l->o.syscalls ? l->o.syscalls : "");
	if (need_pair(l, k, e) < 0)
		return -1;
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

	if (l->o.preset && need_pair(l, k, e) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		if (!names[i])
			return pt_err_set(e, "two events make a pair: --from EVENT --to EVENT");
		snprintf(what, sizeof(what), "no event %.150s", names[i]);
		if (k->source && !lat_choose_find(k, names[i]))
			return no_events(k, what, e);
	}
	snprintf(l->title, sizeof(l->title), "%.70s -> %.70s", l->from, l->to);
	return l->kind == PT_LAT_FIELDS ? cut_keys(l, e) : 0;
}

int lat_choose(struct pt_lat *l, const struct pt_event *first, struct pt_err *e)
{
	struct known k = { l->source, first };

	if (l->kind == PT_LAT_CHOOSE && lat_choose_choose_kind(l, &k, e) < 0)
		return -1;
	switch (l->kind) {
	case PT_LAT_BLOCK: return start_block(l, &k, e);
	case PT_LAT_SCHED: return start_sched(l, &k, e);
	case PT_LAT_SYSCALL: return start_syscall(l, &k, e);
	default: return start_pair(l, &k, e);
	}
}
