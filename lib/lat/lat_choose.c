/* Chooses the kind and the events to pair: the recording's only ones, or what the user said. */
#include "lat/lat_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

bool lat_is(const struct pt_event *event, const char *text)
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
		if (lat_is(known_at(k, i), text))
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

const char *lat_call_name(const struct pt_event *event, bool *enter)
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
		if (!lat_call_name(known_at(k, i), &enter))
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
		int64_t nr = pt_sysnr_find(l->call_names, name);

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
	l->call_names = pt_sysnr_new(l->arch);
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
