/* counts.c - a session that counts: attributes without samples, and reading. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/session_impl.h"

enum { MAX_GROUP = 256 };	/* the kernel reads 16 KB at once at most */

void session_count_attr(const struct pt_session *s, size_t event, struct pt_attr *a)
{
	const struct session_event *ev = &s->events[event];

	*a = ev->spec.attr;
	a->size = sizeof(*a);
	a->sample_period = 0;
	a->sample_type = 0;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | (ev->in_group ? PERF_FORMAT_GROUP : 0);
	a->flags &= ~(uint64_t)PT_ATTR_FREQ;
	if (s->kind == PT_OPEN_TASK && !s->w->no_inherit)
		a->flags |= PT_ATTR_INHERIT;
	if (ev->spec.leader == (int)event)		/* the others of a group go with it, and only it may be pinned */
		a->flags |= PT_ATTR_DISABLED | (s->on_exec ? PT_ATTR_ENABLE_ON_EXEC : 0);
	else
		a->flags &= ~(PT_ATTR_PINNED | PT_ATTR_EXCLUSIVE);
}

/* Events that every kernel has, and that need no counter of the machine's. */
static bool may_lead(const struct pt_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT || (a->type == PERF_TYPE_SOFTWARE && a->config <= PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/* Software events always run, alone or in a group; in a group they are read in one system call, and with one interrupt of the CPU that they are on. */
void session_group_software(struct pt_session *s)
{
	size_t nr = 0;
	int lead = -1;

	for (size_t i = 0; i + 1 < s->nr_events; i++) {
		struct session_event *ev = &s->events[i];
		const struct pt_attr *a = &ev->spec.attr;

		if (ev->in_group || (a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT))
			continue;
		if (lead >= 0 && nr < MAX_GROUP) {
			ev->spec.leader = lead;
			ev->in_group = s->events[lead].in_group = true;
			nr++;
		} else if (may_lead(a)) {
			lead = (int)i;
			nr = 1;
		}
	}
}

bool session_not_supported(int sys)
{
	switch (sys) {
	case ENOENT:			/* no PMU has it */
	case EOPNOTSUPP:
	case ENXIO:
	case ENOSYS:
	case ENODEV:
	case EINVAL:			/* of a group: more than there are counters */
		return true;
	}
	return false;
}

static int refused(const struct session_event *ev, struct pt_err *e)
{
	return pt_err_sys(e, errno, "%s: count", ev->spec.name);
}

static int read_one(struct session_event *ev, size_t k, struct pt_err *e)
{
	uint64_t v[4];			/* value, time enabled, time running, id */
	ssize_t n = read(ev->counters[k].fd, v, sizeof(v));

	if (n < 0)
		return refused(ev, e);
	if (n < (ssize_t)sizeof(v))
		return 0;		/* its CPU is off line: it keeps what it had */
	ev->readings[k].value = v[0];
	ev->readings[k].enabled_ns = v[1];
	ev->readings[k].running_ns = v[2];
	return 0;
}

/* The k-th counter of a group's leader brings the values of all: value and id of each behind the number of them and the two times. */
static int read_group(struct pt_session *s, size_t leader, size_t k, uint64_t *v, size_t nr_words, struct pt_err *e)
{
	struct session_event *lead = &s->events[leader];
	ssize_t n = read(lead->counters[k].fd, v, nr_words * sizeof(*v));
	uint64_t at, i;

	if (n < 0)
		return refused(lead, e);
	for (at = 0; n >= 24 && at < v[0] && 3 + 2 * at + 1 < (uint64_t)n / 8; at++) {
		for (i = leader; i + 1 < s->nr_events; i++) {
			struct session_event *ev = &s->events[i];
			size_t j, guess = PT_MIN(k, ev->nr_counters);

			if (ev->spec.leader != (int)leader)
				continue;
			for (j = guess; j < ev->nr_counters && ev->ids[j] != v[4 + 2 * at]; j++)
				;
			for (; j == ev->nr_counters && guess; )
				if (ev->ids[--guess] == v[4 + 2 * at])
					j = guess;
			if (j == ev->nr_counters)
				continue;
			ev->readings[j].value = v[3 + 2 * at];
			ev->readings[j].enabled_ns = v[1];
			ev->readings[j].running_ns = v[2];
			break;
		}
	}
	return 0;
}

int pt_session_read(struct pt_session *s, struct pt_err *e)
{
	size_t nr_words = 3 + 2 * s->nr_events, i, k;
	uint64_t *v = pt_alloc_array(nr_words, sizeof(*v));
	int rc = 0;

	for (i = 0; i + 1 < s->nr_events && rc == 0; i++) {
		struct session_event *ev = &s->events[i];

		if (ev->in_group && ev->spec.leader != (int)i)
			continue;
		for (k = 0; k < ev->nr_counters && rc == 0; k++)
			rc = ev->in_group ? read_group(s, i, k, v, nr_words, e) : read_one(ev, k, e);
	}
	free(v);
	return rc;
}

const struct pt_session_reading *pt_session_readings(const struct pt_session *s, size_t event, size_t *nr)
{
	*nr = s->events[event].nr_counters;
	return s->events[event].readings;
}

int pt_session_unsupported(const struct pt_session *s, size_t event)
{
	return s->events[event].unsupported;
}
