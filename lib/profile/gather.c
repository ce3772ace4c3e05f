#include "profile/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/foldline.h"
#include "base/map.h"
#include "base/mem.h"
#include "event/cgroup.h"
#include "profile/naming.h"
#include "profile/window.h"
#include "task/tasks.h"
#include "tracepoint/tp.h"

enum {
	OF_FRAMES = ~0u << PT_KEY_DSO,
	OF_CODE = 1u << PT_KEY_COMM | 1u << PT_KEY_DSO | 1u << PT_KEY_SYM,
	OF_LINES = 1u << PT_KEY_COMM | 1u << PT_KEY_SYM,
	WALL_PARTS = 1000,		/* of a period, since it is divided */
};

struct part {
	const struct pt_event *event;
	struct pt_profile *profile;
	struct pt_window *window;	/* what it is made of; NULL: without opts.turns */
	struct pt_profile *wall;	/* NULL: without opts.wall */
};

struct pt_gather {
	struct pt_gather_opts opts;
	struct pt_tasks *tasks;
	struct pt_frames *frames;
	struct pt_naming *naming;
	struct part *parts;		/* by the event's index */
	size_t nr_parts;
	struct pt_names *names;		/* frames of folded lines, paths of control groups */
	struct pt_map cgroups;		/* id: path */
	struct pt_map running;		/* with opts.wall: ids of the tasks that have a CPU */
	uint64_t *times;		/* by place: samples that have it */
	size_t nr_times;
	struct pt_buf who, text;
	uint64_t nr_rounded;
};

static void learn_cgroup(void *gather, uint64_t id, const char *path)
{
	struct pt_gather *g = gather;

	*pt_map_put(&g->cgroups, id) =
		(uint64_t)(uintptr_t)pt_names_add(g->names, path, SIZE_MAX);
}

struct pt_gather *pt_gather_new(const struct pt_gather_opts *o)
{
	struct pt_gather *g = pt_alloc(sizeof(*g));

	g->opts = *o;
	g->names = pt_names_new();
	g->tasks = pt_tasks_new();
	g->frames = o->frames ? pt_frames_new(o->frames) : NULL;
	/* a live session tells of new ones alone */
	if (o->frames && o->frames->live && o->keys & 1u << PT_KEY_CGROUP)
		pt_cgroups_each(learn_cgroup, g);
	return g;
}

void pt_gather_free(struct pt_gather *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr_parts; i++) {
		pt_profile_free(g->parts[i].profile);
		pt_window_free(g->parts[i].window);
		pt_profile_free(g->parts[i].wall);
	}
	free(g->parts);
	pt_naming_free(g->naming);
	pt_frames_free(g->frames);
	pt_tasks_free(g->tasks);
	pt_names_free(g->names);
	pt_map_deinit(&g->cgroups);
	pt_map_deinit(&g->running);
	pt_buf_deinit(&g->who);
	pt_buf_deinit(&g->text);
	free(g->times);
	free(g);
}

/* -- profiles -- */

static bool has_stacks(const struct pt_event *event)
{
	return event->attr.sample_type &
	       (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK);
}

/* All events print something: that is of interest, not where they are. */
static bool all_print(const struct pt_source *src)
{
	for (size_t i = 0; i < pt_source_nr_events(src); i++) {
		const struct pt_event *event = pt_source_event(src, i);

		if (!event->side_band && !event->tp)
			return false;
	}
	return true;
}

static unsigned usual_keys(const struct pt_source *src)
{
	if (!src)
		return OF_LINES;
	return all_print(src) ? 1u << PT_KEY_TRACE : OF_CODE;
}

static struct pt_window *new_window(const struct pt_gather *g)
{
	size_t turns = g->opts.turns;

	return turns ? pt_window_new(turns == PT_ALL_TURNS ? 0 : turns) : NULL;
}

static struct pt_profile *new_profile(const struct pt_gather *g, const struct pt_event *event,
				      const struct pt_source *src, uint64_t parts)
{
	struct pt_profile_opts o = { .keys = g->opts.keys ? g->opts.keys : usual_keys(src),
				     .children = g->opts.callers == PT_CALLERS_ALWAYS,
				     .counted = !event,
				     .parts = parts,
				     .parent = g->opts.parent };

	if (g->opts.callers == PT_CALLERS_USUAL)
		o.children = o.keys & OF_FRAMES && (!event || has_stacks(event));
	return pt_profile_new(&o);
}

/* event and src NULL: of folded lines. */
static struct part *gather_part_of(struct pt_gather *g, const struct pt_event *event,
				     const struct pt_source *src)
{
	size_t index = event ? event->index : 0, nr = g->nr_parts;

	if (index >= nr) {
		g->nr_parts = index + 1;
		g->parts = pt_realloc(g->parts, g->nr_parts, sizeof(*g->parts));
		memset(g->parts + nr, 0, (g->nr_parts - nr) * sizeof(*g->parts));
	}
	if (!g->parts[index].profile)
		g->parts[index] = (struct part){
			.event = event,
			.profile = new_profile(g, event, src, 1),
			.window = new_window(g),
			.wall = g->opts.wall ? new_profile(g, event, src, WALL_PARTS) : NULL };
	return &g->parts[index];
}

/* -- samples -- */

/* What a sample does not say is "?". */
static void gather_add_number(struct pt_gather *g, bool known, uint32_t number, const char *comm)
{
	pt_buf_clear(&g->text);
	if (known)
		pt_buf_dec(&g->text, number);
	else
		pt_buf_putc(&g->text, '?');
	if (comm) {
		pt_buf_putc(&g->text, ':');
		pt_buf_puts(&g->text, comm);
	}
	pt_profile_who(&g->who, g->text.data);
}

static void add_cgroup(struct pt_gather *g, const struct pt_record *rec)
{
	const uint64_t *path = NULL;

	if (rec->has & PERF_SAMPLE_CGROUP)
		path = pt_map_get(&g->cgroups, rec->sample.cgroup);
	pt_profile_who(&g->who, path ? (const char *)(uintptr_t)*path : "N/A");
}

static void gather_add_time(struct pt_gather *g, const struct pt_record *rec)
{
	pt_buf_clear(&g->text);
	pt_buf_usec(&g->text, rec->time_ns - rec->time_ns % g->opts.quantum_ns);
	pt_profile_who(&g->who, rec->has & PERF_SAMPLE_TIME ? g->text.data : "?");
}

static void gather_add_trace(struct pt_gather *g, const struct pt_record *rec)
{
	pt_buf_clear(&g->text);
	if (rec->event->tp && rec->has & PERF_SAMPLE_RAW)
		pt_tp_print(rec->event->tp, rec->sample.raw, rec->sample.raw_len, &g->text);
	pt_profile_who(&g->who, pt_buf_str(&g->text));
}

/* The sample's keys. */
static const char *who_is(struct pt_gather *g, const struct pt_record *rec, const char *comm,
			  unsigned keys)
{
	pt_buf_clear(&g->who);
	if (keys & 1u << PT_KEY_COMM)
		pt_profile_who(&g->who, comm);
	if (keys & 1u << PT_KEY_PID)
		gather_add_number(g, rec->has & PERF_SAMPLE_TID, rec->pid, comm);
	if (keys & 1u << PT_KEY_TID)
		gather_add_number(g, rec->has & PERF_SAMPLE_TID, rec->tid, comm);
	if (keys & 1u << PT_KEY_CPU)
		gather_add_number(g, rec->has & PERF_SAMPLE_CPU, rec->cpu, NULL);
	if (keys & 1u << PT_KEY_CGROUP)
		add_cgroup(g, rec);
	if (keys & 1u << PT_KEY_TIME)
		gather_add_time(g, rec);
	if (keys & 1u << PT_KEY_TRACE)
		gather_add_trace(g, rec);
	return pt_buf_str(&g->who);
}

static void count_places(struct pt_gather *g, const struct pt_place_at *const *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t index = pt_frames_index(places[i]), nr = g->nr_times;

		if (index >= nr) {
			g->nr_times = PT_MAX(index + 1, nr * 2);
			g->times = pt_realloc(g->times, g->nr_times, sizeof(*g->times));
			memset(g->times + nr, 0, (g->nr_times - nr) * sizeof(*g->times));
		}
		g->times[index]++;
	}
}

/* A task runs from one record of a switch to the next, and when it is sampled. Idle tasks: 0. */
static void see_running(struct pt_gather *g, const struct pt_record *rec)
{
	bool switches = rec->type == PERF_RECORD_SWITCH ||
			rec->type == PERF_RECORD_SWITCH_CPU_WIDE;

	if (rec->type == PERF_RECORD_EXIT)
		pt_map_del(&g->running, rec->u.task.tid);
	else if (switches && rec->misc & PERF_RECORD_MISC_SWITCH_OUT)
		pt_map_del(&g->running, rec->tid);
	else if ((switches || rec->type == PERF_RECORD_SAMPLE) && rec->has & PERF_SAMPLE_TID &&
		 rec->tid)
		pt_map_put(&g->running, rec->tid);
}

static void gather_add_stack(struct part *x, const char *keys, const void *const *places, size_t nr,
			     uint64_t period)
{
	if (x->window)
		pt_window_add(x->window, keys, places, nr, period);
	else
		pt_profile_add(x->profile, keys, places, nr, period);
}

static void gather_add_sample(struct pt_gather *g, const struct pt_source *src,
			      const struct pt_record *rec)
{
	const struct pt_gather_opts *o = &g->opts;
	const char *comm =
		rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(g->tasks, rec->tid) : "?";
	const struct pt_place_at *const *places;
	struct pt_frames_how how;
	const char *keys;
	struct part *x;
	size_t n;

	if (o->chosen && !o->chosen(o->ctx, rec, comm))
		return;
	x = gather_part_of(g, rec->event, src);
	n = pt_frames_places(g->frames, rec, &places, &how);
	if (o->stack)
		o->stack(o->ctx, &how);
	count_places(g, places, n);
	keys = who_is(g, rec, comm, pt_profile_keys(x->profile));
	gather_add_stack(x, keys, (const void *const *)places, n, pt_record_period(rec));
	if (x->wall)
		pt_profile_add(x->wall, keys, (const void *const *)places, n,
			       pt_record_period(rec) * WALL_PARTS / PT_MAX(g->running.nr, 1));
}

void pt_gather_feed(struct pt_gather *g, const struct pt_source *src, const struct pt_record *rec)
{
	pt_frames_feed(g->frames, src, rec);
	if (rec->type == PERF_RECORD_CGROUP)
		learn_cgroup(g, rec->u.cgroup.id, rec->u.cgroup.path);
	if (g->opts.wall)
		see_running(g, rec);
	if (rec->type != PERF_RECORD_SAMPLE)
		pt_tasks_see(g->tasks, rec);
	else if (rec->event && !rec->event->side_band)
		gather_add_sample(g, src, rec);
}

bool pt_gather_line(struct pt_gather *g, const char *line, size_t len)
{
	const char **frames = NULL, *at = line, *frame, *end;
	size_t nr = 0, cap = 0, frame_len;
	struct part *x;
	double v[2];
	int n = pt_foldline(line, &len, v);

	if (n <= 0)
		return n == 0;
	g->nr_rounded += v[n - 1] != (double)(uint64_t)v[n - 1];
	x = gather_part_of(g, NULL, NULL);
	end = line + len;
	while ((frame = pt_foldline_frame(&at, end, &frame_len))) {
		PT_GROW(frames, nr, cap);
		frames[nr++] = pt_names_add(g->names, frame, frame_len);
	}
	pt_buf_clear(&g->who);
	if (pt_profile_keys(x->profile) & 1u << PT_KEY_COMM)
		pt_profile_who(&g->who, frames[0]);
	for (size_t i = 1, k = nr - 1; i < k; i++, k--) {	/* innermost first */
		const char *swap = frames[i];

		frames[i] = frames[k];
		frames[k] = swap;
	}
	gather_add_stack(x, pt_buf_str(&g->who), (const void *const *)(frames + 1), nr - 1,
			 (uint64_t)(v[n - 1] + 0.5));
	free(frames);
	return true;
}

uint64_t pt_gather_rounded(const struct pt_gather *g)
{
	return g->nr_rounded;
}

/* -- names -- */

static size_t gather_name_place(void *ctx, const void *place,
				const struct pt_profile_frame **frames)
{
	const struct pt_named_frame *v;
	struct pt_gather *g = ctx;
	size_t nr = pt_frames_name(g->frames, place, &v);
	uint64_t *times = &g->times[pt_frames_index(place)];

	/* a place that several profiles have is told of once */
	for (size_t i = 0; i < nr && g->opts.frame && *times; i++)
		g->opts.frame(g->opts.ctx, &v[i], pt_frames_has_file(place), *times);
	*times = 0;
	return pt_naming_place(g->naming, place, frames);
}

/* A profile of what is in the window now. */
static void make_anew(struct part *x, pt_profile_namer *name, void *ctx)
{
	struct pt_window_place at = { 0, 0 };
	struct pt_fold_entry entry;

	pt_profile_clear(x->profile);
	while (pt_window_each(x->window, &at, &entry))
		pt_profile_add_named(x->profile, &entry, name, ctx);
}

void pt_gather_name(struct pt_gather *g)
{
	pt_profile_namer *name = g->frames ? gather_name_place : pt_naming_text;
	void *ctx;

	if (g->frames)
		pt_frames_settle(g->frames);
	if (!g->naming)
		g->naming = pt_naming_new(g->frames, g->opts.each_address, g->opts.paths);
	ctx = g->frames ? (void *)g : (void *)g->naming;
	for (size_t i = 0; i < g->nr_parts; i++) {
		if (!g->parts[i].profile)
			continue;
		if (g->parts[i].window)
			make_anew(&g->parts[i], name, ctx);
		pt_profile_name(g->parts[i].profile, name, ctx);
		if (g->parts[i].wall)
			pt_profile_name(g->parts[i].wall, name, ctx);
	}
}

void pt_gather_turn(struct pt_gather *g)
{
	for (size_t i = 0; i < g->nr_parts; i++)
		if (g->parts[i].window)
			pt_window_turn(g->parts[i].window);
}

void pt_gather_forget(struct pt_gather *g, size_t turns)
{
	g->opts.turns = turns;
	for (size_t i = 0; i < g->nr_parts; i++) {
		pt_window_free(g->parts[i].window);
		g->parts[i].window = new_window(g);
	}
}

void pt_gather_rekey(struct pt_gather *g, unsigned keys)
{
	g->opts.keys = keys;
	for (size_t i = 0; i < g->nr_parts; i++) {
		pt_profile_free(g->parts[i].profile);
		pt_window_free(g->parts[i].window);
		g->parts[i] = (struct part){ .event = NULL };
	}
}

struct pt_profile *pt_gather_take(struct pt_gather *g, size_t i)
{
	struct pt_profile *p = g->parts[i].profile;

	g->parts[i].profile = pt_profile_like(p);
	return p;
}

struct pt_codes *pt_gather_codes(const struct pt_gather *g, size_t i)
{
	struct pt_codes *c = pt_codes_new();
	struct pt_window_place at = { 0, 0 };
	struct pt_fold_entry entry;

	while (pt_window_each(g->parts[i].window, &at, &entry))
		pt_codes_add(c, (const struct pt_place_at *const *)entry.frames, entry.nr,
			     (struct pt_weight){ entry.count, entry.times });
	return c;
}

size_t pt_gather_nr(const struct pt_gather *g)
{
	return g->nr_parts;
}

struct pt_profile *pt_gather_profile(const struct pt_gather *g, size_t i,
				     const struct pt_event **event)
{
	*event = g->parts[i].event;
	return g->parts[i].profile;
}

struct pt_profile *pt_gather_wall(const struct pt_gather *g, size_t i)
{
	return g->parts[i].wall;
}

struct pt_profile *pt_gather_same(const struct pt_gather *g, const struct pt_profile *of,
				  const struct pt_event *event)
{
	struct pt_profile *only = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < g->nr_parts; i++) {
		const struct part *x = &g->parts[i];

		if (!x->profile || !event != !x->event ||
		    pt_profile_keys(x->profile) != pt_profile_keys(of))
			continue;
		if (event && !strcmp(event->name, x->event->name))
			return x->profile;
		only = x->profile;
		nr++;
	}
	return nr == 1 ? only : NULL;
}

struct pt_frames *pt_gather_frames(const struct pt_gather *g)
{
	return g->frames;
}
