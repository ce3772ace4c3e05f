#include "count/counting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/open.h"

/* -- events -- */

/* Returns the first event that is another instance of this one (on a PMU of several instances). */
static int same_as(const struct pt_event_list *l, size_t event)
{
	for (size_t k = 0; k < event; k++)
		if (l->specs[k].origin == l->specs[event].origin &&
		    !strcmp(l->specs[k].name, l->specs[event].name))
			return (int)k;
	return (int)event;
}

static void new_counts(struct pt_counting *c)
{
	c->counts = pt_counts_new(&c->opts, c->events, c->nr);
}

/* Takes names and attributes as they were opened (":u" where this user may not count the kernel).
 */
static void know_events(struct pt_counting *c, struct pt_session *session)
{
	const struct pt_event_list *l = &c->watch->events;

	c->nr = c->no_events ? 0 : l->nr;
	c->events = pt_alloc_array(c->nr, sizeof(*c->events));
	c->attrs = pt_alloc_array(c->nr, sizeof(*c->attrs));
	for (size_t i = 0; i < c->nr; i++) {
		const struct pt_session_event_info *info = pt_session_event(session, i);
		const struct pt_event_spec *spec = &l->specs[i];
		struct pt_counts_event *ev = &c->events[i];

		c->attrs[i] = info->attr;
		*ev = (struct pt_counts_event){
			.name = pt_strdup(info->spec->name),
			.unit = "",
			.scale = 1,
			.attr = &c->attrs[i],
			.same_as = c->no_merge ? (int)i : same_as(l, i),
			.cgroup = spec->cgroup ? spec->cgroup : c->watch->cgroup,
		};
		c->style.cgroups |= ev->cgroup != NULL;
		if (pt_event_is_clock(&info->attr)) {
			ev->unit = "msec";
			ev->scale = 1e-6;
		} else if (spec->tool) {
			ev->unit = "ns";
			ev->own = true;
		} else if (spec->event) {
			ev->unit = spec->event->unit ? spec->event->unit : "";
			ev->scale = spec->event->scale;
			ev->last = spec->event->snapshot;
		}
	}
	new_counts(c);
}

/* Notes a group that needs more counters than there are, of which the kernel refuses the last
 * events. */
static void note_groups(struct pt_counting *c, struct pt_session *session)
{
	const struct pt_event_list *l = &c->watch->events;

	for (size_t i = 0; i < c->nr && !c->group_said; i++) {
		size_t leader = (size_t)l->specs[i].leader;
		char *text;

		if (leader == i || pt_session_unsupported(session, i) != EINVAL ||
		    pt_session_unsupported(session, leader))
			continue;
		text = pt_asprintf(
			"%s: does not fit on the counters together with its group ({%s,...}); smaller groups, or add :W",
			c->events[i].name, c->events[leader].name);
		c->say(c->ctx, text);
		free(text);
		c->group_said = true;
	}
}

/* Notes an event that happens only in the kernel and was opened without the kernel. */
static void note_kernel_event(struct pt_counting *c, struct pt_session *session)
{
	for (size_t i = 0; i < c->nr; i++) {
		bool asked = c->attrs[i].flags & PT_ATTR_EXCLUDE_KERNEL;
		char *text;

		if (pt_session_unsupported(session, i) != EACCES)
			continue;
		text = pt_asprintf(
			"%s happens within the kernel, %s: not counted", c->events[i].name,
			asked ? "which :u leaves out"
			      : "which this user may not watch (kernel.perf_event_paranoid; pt-doctor tells)");
		c->say(c->ctx, text);
		free(text);
		return;
	}
}

/* -- readings -- */

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void read_times(struct pt_counting *c, const struct pt_session *session)
{
	const struct rusage *used = pt_session_usage(session);

	c->times.user_s = seconds(&used->ru_utime);
	c->times.sys_s = seconds(&used->ru_stime);
}

/* How long nothing was counted, behind and between -D's ranges, until so long after the start. */
static uint64_t paused_ns(const struct pt_watch *w, uint64_t until_ns)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < w->nr_switches; i += 2) {
		uint64_t on = i + 1 < w->nr_switches ? w->switches_ns[i + 1] : until_ns;

		if (w->switches_ns[i] < until_ns)
			sum += PT_MIN(on, until_ns) - w->switches_ns[i];
	}
	return sum;
}

/* Of what has passed since the delay, the time in which events were counted. */
static uint64_t counted_ns(const struct pt_watch *w, uint64_t elapsed_ns)
{
	return elapsed_ns - paused_ns(w, elapsed_ns + pt_watch_delay_ns(w));
}

/* duration_time, user_time, system_time. The last two are known once the command has ended. They
 * are shown once: in the row of the first CPU or task. */
static void feed_time(struct pt_counting *c, const struct pt_session *session, size_t event,
		      uint64_t elapsed_ns)
{
	const struct pt_watch *w = c->watch;
	struct pt_session_reading r = { .cpu = -1, .tid = -1 };

	if (c->opts.by == PT_BY_THREAD)
		r.tid = w->nr_tids ? w->tids[0] : w->nr_pids ? w->pids[0] : -1;
	else if (c->opts.by != PT_BY_ALL)
		r.cpu = w->nr_cpus ? w->cpus[0] : 0;
	read_times(c, session);
	switch (w->events.specs[event].tool) {
	case PT_TOOL_DURATION_TIME:
		r.value = counted_ns(w, elapsed_ns);
		break;
	case PT_TOOL_USER_TIME:
		r.value = (uint64_t)llround(c->times.user_s * 1e9);
		break;
	case PT_TOOL_SYSTEM_TIME:
		r.value = (uint64_t)llround(c->times.sys_s * 1e9);
		break;
	case PT_TOOL_NONE:
		break;
	}
	r.enabled_ns = r.running_ns = r.value;
	pt_counts_feed(c->counts, event, 0, &r);
}

static void take_reading(struct pt_counting *c, struct pt_session *session, uint64_t elapsed_ns)
{
	if (!c->nr)
		return;
	pt_counts_take(c->counts, session);
	for (size_t i = 0; i < c->nr; i++)
		if (c->events[i].own)
			feed_time(c, session, i, elapsed_ns);
}

static int read_now(struct pt_counting *c, struct pt_session *session, uint64_t elapsed_ns,
		    struct pt_err *e)
{
	if (c->nr && pt_session_read(session, e) < 0)
		return -1;
	take_reading(c, session, elapsed_ns);
	return 0;
}

/* -- output -- */

static int counting_write_out(struct pt_counting *c, struct pt_err *e)
{
	int rc = c->out.len ? c->write(c->ctx, &c->out, e) : 0;

	pt_buf_clear(&c->out);
	return rc;
}

static void print_interval(struct pt_counting *c, uint64_t start_ns, uint64_t now_ns,
			   uint64_t last_ns)
{
	/* its readers expect totals since the start */
	if (c->style.form == PT_COUNTS_OPENMETRICS) {
		if (c->replaces)
			pt_buf_clear(&c->out);
		c->style.elapsed_ns = (double)(now_ns - start_ns);
		pt_counts_print(c->counts, PT_COUNTS_TOTAL, &c->style, &c->out);
		return;
	}
	c->style.time_ns = now_ns - start_ns;
	c->style.elapsed_ns = (double)(now_ns - last_ns);
	if (c->clear_screen)
		pt_buf_puts(&c->out, "\033[H\033[2J");
	if (!c->head_printed || c->clear_screen)
		pt_counts_print_head(c->counts, &c->style, &c->out);
	c->head_printed = true;
	pt_counts_print(c->counts, PT_COUNTS_INTERVAL, &c->style, &c->out);
}

int pt_counting_print(struct pt_counting *c, struct pt_err *e)
{
	bool titled = c->style.form == PT_COUNTS_TABLE && !c->style.intervals;

	c->style.elapsed_ns = c->times.elapsed.n ? c->times.elapsed.mean : c->last_elapsed_ns;
	if (!c->style.intervals || c->summary) {
		if (titled)
			pt_counts_print_title(c->watch, &c->times, &c->out);
		if (pt_counts_in_columns(&c->style) && !c->head_printed)
			pt_counts_print_head(c->counts, &c->style, &c->out);
		pt_counts_print(c->counts, PT_COUNTS_TOTAL, &c->style, &c->out);
		if (titled)
			pt_counts_print_times(c->watch, &c->times, &c->out);
	}
	return counting_write_out(c, e);
}

/* -- runs -- */

/* Prints the readings of one or several ticks. 1: those were all that were asked for. */
static int print_ticks(struct pt_counting *c, struct pt_session *session, uint64_t start_ns,
		       uint64_t *last_ns, struct pt_err *e)
{
	uint64_t now_ns, most = c->watch->interval_count;

	while ((!most || c->nr_intervals < most) && pt_session_next(session, &now_ns)) {
		take_reading(c, session, now_ns - start_ns);
		print_interval(c, start_ns, now_ns, *last_ns);
		*last_ns = now_ns;
		c->nr_intervals++;
	}
	if (counting_write_out(c, e) < 0)
		return -1;
	return most && c->nr_intervals == most;
}

static int watch_session(struct pt_counting *c, struct pt_session *session, uint64_t start_ns,
			 uint64_t *end_ns, struct pt_err *e)
{
	uint64_t last_ns = start_ns;
	int bits = 0, enough = 0;

	c->nr_intervals = 0;
	while (!(bits & PT_SESSION_OVER) && !enough) {
		bits = pt_session_wait(session, e);
		if (bits < 0)
			return -1;
		if (bits & PT_SESSION_TICK)
			enough = print_ticks(c, session, start_ns, &last_ns, e);
		if (enough < 0)
			return -1;
	}
	/* The command may have ended before the delay was over. */
	*end_ns = enough ? last_ns : PT_MAX(pt_session_clock_ns(session), start_ns);
	pt_session_stop(session);
	if (enough)
		return 0;		/* the total is what the intervals showed */
	if (read_now(c, session, *end_ns - start_ns, e) < 0)
		return -1;
	if (c->style.intervals)
		print_interval(c, start_ns, *end_ns, last_ns);
	return counting_write_out(c, e);
}

static int run_session(struct pt_counting *c, struct pt_session *session, struct pt_err *e)
{
	uint64_t delay_ns = pt_watch_delay_ns(c->watch), start_ns, end_ns = 0;
	int rc;

	if (!c->counts)
		know_events(c, session);
	/* Read the names of threads while all threads exist. */
	if (c->opts.by == PT_BY_THREAD && read_now(c, session, 0, e) < 0)
		return -1;
	note_groups(c, session);
	note_kernel_event(c, session);
	start_ns = pt_session_clock_ns(session) + delay_ns;
	rc = pt_session_start(session, e);
	if (rc == 0)
		rc = watch_session(c, session, start_ns, &end_ns, e);
	c->status = pt_session_status(session);
	c->not_run = pt_session_not_run(session);
	c->over = rc < 0 || pt_session_interrupted(session);
	if (rc < 0)
		return -1;
	read_times(c, session);
	c->last_elapsed_ns = (double)counted_ns(c->watch, end_ns - start_ns);
	pt_counts_stat_add(&c->times.elapsed, c->last_elapsed_ns);
	PT_GROW(c->times.each_s, c->times.nr_each, c->cap_each);
	c->times.each_s[c->times.nr_each++] = c->last_elapsed_ns / 1e9;
	return 1;
}

int pt_counting_run(struct pt_counting *c, struct pt_err *e)
{
	struct pt_session *session;
	int rc = 0;

	if (pt_session_open(&session, c->watch, e) < 0)
		return -1;
	/* From here on the session takes the signals. */
	c->over = *c->interrupted;
	if (!c->over)
		rc = run_session(c, session, e);
	pt_session_free(session);
	return rc;
}

void pt_counting_restart(struct pt_counting *c)
{
	pt_counts_free(c->counts);
	new_counts(c);
	c->times.elapsed = (struct pt_counts_stat){ .n = 0 };
	c->times.nr_each = 0;
}

void pt_counting_deinit(struct pt_counting *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free((char *)c->events[i].name);
	free(c->events);
	free(c->attrs);
	free(c->times.each_s);
	pt_buf_deinit(&c->out);
	pt_counts_free(c->counts);
}
