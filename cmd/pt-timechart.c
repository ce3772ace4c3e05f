/* pt-timechart - CPUs and tasks over time as a picture: from a recording or a live session. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/opt.h"
#include "cli/pairs.h"
#include "cli/switches.h"
#include "cli/title.h"
#include "draw/timechart.h"
#include "event/preset.h"
#include "lat/lat.h"
#include "sched/timeline.h"

enum { DEFAULT_WIDTH = 1200, DEFAULT_TASKS = 30, MAX_TASKS = 2000 };

struct args {
	uint64_t width, tasks;
	bool cpus_only, tasks_only;
	int by_start;
	enum pt_theme theme;
	const char *title, *output;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word orders[] = { PT_WORD("run", false), PT_WORD("start", true), { 0 } };

static const struct pt_opt own[] = {
	PT_ROW('n', "tasks", "N",
	       "rows for the N tasks that ran most (30); one row for the rest", PT_OPT_U64,
	       tasks, .max = MAX_TASKS),
	PT_ROW(0, "proc-num", "N", NULL, PT_OPT_U64, tasks, .max = MAX_TASKS),
	PT_ROW('w', "width", "PIXELS", "width of the picture (1200)", PT_OPT_U64, width,
	       .min = PT_TIMECHART_MIN_WIDTH, .max = PT_TIMECHART_MAX_WIDTH),
	PT_ROW(0, "sort", "BY", "order of the tasks: run (default) or start", PT_OPT_WORD, by_start,
	       .words = orders),
	PT_ROW_FLAG('P', "cpus-only", "no rows of tasks", cpus_only),
	PT_ROW_FLAG('T', "tasks-only", "no rows of CPUs", tasks_only),
	PT_ROW(0, "theme", "THEME", "light, dark, or auto (as the viewer prefers)", PT_OPT_WORD,
	       theme, .words = pt_theme_words),
	PT_ROW(0, "title", "TEXT", "title (default: command, host and date of the recording)",
	       PT_OPT_STR, title),
	PT_ROW_OUTPUT,
	{ 0 }
};
static const struct pt_tool tool = {
	.name = "pt-timechart",
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Picture", own),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-timechart -- make -j4 > make.svg",
		"pt-record --sched --block -o io.data -- fio job.fio; pt-timechart io.data > io.svg",
		"pt-timechart --time 8103.25,8103.5 -n 60 io.data > closer.svg"),
};

/* What samples of an event are used for. */
enum use { USE_UNKNOWN, USE_MARK, USE_NOTHING, USE_BLOCK };

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_timeline *timeline;
	struct pt_timechart *chart;
	struct pt_lat *requests;	/* of disks; NULL: none was recorded */
	struct pt_buf text;
	uint8_t *uses;			/* by pt_event.index: enum use */
	size_t nr_uses;
	uint64_t last_ns;
	bool over;			/* --time's end has passed */
	uint64_t switches;		/* that are chosen */
};

static struct pt_timechart_task as_task(const struct run *r, const struct pt_sched_task *t)
{
	return (struct pt_timechart_task){ .id = t->nr,
					   .pid = t->pid,
					   .tid = t->tid,
					   .comm = t->comm,
					   .other = pt_choose_tasks(&r->a->choose) &&
						    !pt_choose_task(&r->a->choose, t->pid, t->tid,
								    t->comm) };
}

static void take_interval(void *arg, const struct pt_interval *i)
{
	static const enum pt_timechart_state states[] = {
		[PT_INTERVAL_WAITS] = PT_TIMECHART_WAITS,
		[PT_INTERVAL_BLOCKED] = PT_TIMECHART_BLOCKED,
		[PT_INTERVAL_SLEEPS] = PT_TIMECHART_SLEEPS,
	};
	struct run *r = arg;
	struct pt_timechart_wake wake;
	struct pt_timechart_task t;

	if ((i->kind == PT_INTERVAL_RUNS || i->kind == PT_INTERVAL_GAP) &&
	    !pt_choose_cpu(&r->a->choose, i->cpu))
		return;
	if (i->kind == PT_INTERVAL_GAP) {
		pt_timechart_gap(r->chart, (uint32_t)i->cpu, i->from_ns, i->to_ns);
		return;
	}
	t = as_task(r, i->task);
	if (i->kind == PT_INTERVAL_RUNS) {
		pt_timechart_run(r->chart, (uint32_t)i->cpu, &t, i->from_ns, i->to_ns);
		return;
	}
	wake = (struct pt_timechart_wake){ i->from_ns, i->waker_nr, i->waker_tid,
					   (uint32_t)i->waker_cpu };
	pt_timechart_off(r->chart, &t, states[i->kind], i->from_ns, i->to_ns,
			 i->woken ? &wake : NULL);
}

/* Not marked: the scheduler's events, which the rows show already, and those of idle CPUs. */
static enum use find_use(const struct pt_event *ev)
{
	const struct pt_tp *tp = ev->tp;

	if (ev->side_band)
		return USE_NOTHING;
	if (!tp)
		return USE_MARK;
	if (pt_preset_has("sched", tp->system, tp->name) ||
	    (!strcmp(tp->system, "sched") && !strcmp(tp->name, "sched_stat_runtime")))
		return USE_NOTHING;
	return pt_preset_has("block", tp->system, tp->name) ? USE_BLOCK : USE_MARK;
}

static enum use use_of(struct run *r, const struct pt_event *ev)
{
	PT_GROW_TO(r->uses, r->nr_uses, ev->index);
	if (r->uses[ev->index] == USE_UNKNOWN)
		r->uses[ev->index] = (uint8_t)find_use(ev);
	return (enum use)r->uses[ev->index];
}

static enum pt_timechart_io io_of(const char *op)
{
	return strchr(op, 'R')   ? PT_TIMECHART_READ
	       : strchr(op, 'W') ? PT_TIMECHART_WRITE
				 : PT_TIMECHART_OTHER_IO;
}

static void request(struct run *r, const struct pt_record *rec)
{
	struct pt_lat_opts o = { .kind = PT_LAT_BLOCK };
	struct pt_latency lat;
	enum pt_timechart_io io;

	if (!r->requests)
		r->requests = pt_lat_new(&o, r->an.src);
	/* Events that cannot be paired make no row of requests. */
	if (pt_lat_feed(r->requests, rec, &lat, NULL) <= 0)
		return;
	pt_buf_clear(&r->text);
	pt_lat_by(r->requests, "op", &lat, rec, &r->text);
	io = io_of(pt_buf_str(&r->text));
	pt_buf_clear(&r->text);
	pt_lat_by(r->requests, "dev", &lat, rec, &r->text);
	pt_timechart_request(r->chart, pt_buf_str(&r->text), io, lat.start_ns, lat.end_ns);
}

/* Handles a sample of an event that is not the scheduler's. */
static void mark(struct run *r, const struct pt_record *rec)
{
	struct pt_choose *c = &r->a->choose;
	enum use use = use_of(r, rec->event);
	const char *comm;

	if (use == USE_BLOCK)
		request(r, rec);
	if (use != USE_MARK ||
	    (c->nr_cpus && (!(rec->has & PERF_SAMPLE_CPU) || !pt_choose_cpu(c, (int)rec->cpu))))
		return;
	if (pt_choose_tasks(c)) {
		struct pt_sched_task *t =
			rec->has & PERF_SAMPLE_TID
				? pt_sched_find(pt_timeline_sched(r->timeline), rec->tid)
				: NULL;

		comm = t ? t->comm : NULL;
		if (!(rec->has & PERF_SAMPLE_TID) || !pt_choose_task(c, rec->pid, rec->tid, comm))
			return;
	}
	pt_timechart_mark(r->chart, rec->event->name, rec->time_ns, 1);
}

static int see(struct run *r, const struct pt_record *rec)
{
	struct pt_sched_event ev;
	int kind;
	bool sample = rec->type == PERF_RECORD_SAMPLE && rec->has & PERF_SAMPLE_TIME;
	bool chosen = !sample || pt_choose_time(&r->a->choose, rec->time_ns);

	if (r->over)
		return 0;
	if (r->an.starts)
		r->chart = pt_timechart_new(r->a->choose.from_ns, r->a->choose.to_ns,
					    (uint32_t)r->a->width);
	if (!chosen && rec->time_ns > r->a->choose.to_ns) {
		r->over = true;
		pt_timeline_end(r->timeline, r->a->choose.to_ns);
		return 0;
	}
	if (sample) {
		r->last_ns = PT_MAX(r->last_ns, rec->time_ns);
		pt_timechart_time(r->chart, rec->time_ns);
	}
	kind = pt_timeline_feed(r->timeline, rec, &ev, &r->an.err);
	if (kind < 0)
		return -1;
	r->switches += kind == PT_SCHED_SWITCH && pt_switches_chosen(&r->a->choose, &ev);
	if (kind == PT_SCHED_LOST) {
		if (r->requests)
			pt_lat_feed(r->requests, rec, &(struct pt_latency){ 0 }, NULL);
		if (r->chart)
			pt_timechart_lost(r->chart,
					  rec->has & PERF_SAMPLE_TIME ? rec->time_ns : r->last_ns,
					  ev.nr_lost);
	} else if (kind == PT_SCHED_NOTHING && sample && rec->event) {
		mark(r, rec);
	}
	return 0;
}

/* Builds the command that the picture shows for drawing a part of the recording: this one, without
 * --time and with another output file. */
static void describe(const struct args *a, struct pt_buf *command)
{
	size_t i;

	pt_buf_puts(command, "pt-timechart");
	if (a->tasks != DEFAULT_TASKS)
		pt_buf_printf(command, " -n %llu", (unsigned long long)a->tasks);
	if (a->width != DEFAULT_WIDTH)
		pt_buf_printf(command, " -w %llu", (unsigned long long)a->width);
	pt_buf_puts(command, a->cpus_only ? " -P" : a->tasks_only ? " -T" : "");
	if (a->by_start)
		pt_buf_puts(command, " --sort start");
	for (i = 0; i < a->choose.comms.nr; i++) {
		pt_buf_puts(command, " --comm ");
		pt_text_shell(command, a->choose.comms.v[i]);
	}
	for (i = 0; i < a->choose.nr_pids; i++)
		pt_buf_printf(command, " --pid %d", a->choose.pids[i]);
	for (i = 0; i < a->choose.nr_tids; i++)
		pt_buf_printf(command, " --tid %d", a->choose.tids[i]);
	for (i = 0; i < a->choose.nr_cpus; i++)
		pt_buf_printf(command, i ? ",%d" : " --cpu %d", a->choose.cpus[i]);
}

/* The end of that command: the files that were read. False: they cannot be read again. */
static bool put_files(const struct run *r, struct pt_buf *behind)
{
	const struct pt_operands *o = &r->an.operands;
	const char *file = o->nr ? o->v[0] : r->a->input.file;

	if (pt_source_info(r->an.src)->live || (file && !strcmp(file, "-")) ||
	    (!file && pt_input_is_piped()))
		return false;
	for (int i = 0; i < PT_MAX(o->nr, 1); i++) {
		pt_buf_putc(behind, ' ');
		pt_text_shell(behind, o->nr ? o->v[i] : file ? file : "perf.data");
	}
	pt_buf_puts(behind, " > part.svg");
	return true;
}

static void say(struct run *r, struct pt_buf *note)
{
	struct pt_buf line = PT_BUF_INIT;
	size_t i;

	for (i = 0; pt_sched_note(pt_timeline_sched(r->timeline), &i, &line); pt_buf_clear(&line)) {
		pt_warn(&tool, "%s", pt_buf_str(&line));
		if (note->len)
			pt_buf_putc(note, '\n');
		pt_buf_join(note, &line);
	}
	pt_buf_deinit(&line);
	if (r->requests)
		pt_pairs_say(&tool, r->requests);
}

static int draw(struct run *r, struct pt_buf *b, struct pt_err *e)
{
	const struct args *a = r->a;
	struct pt_timechart_opts o = {
		.title = a->title,
		.theme = a->theme,
		.width = (unsigned)a->width,
		.tasks = a->tasks,
		.by_start = a->by_start,
		.no_tasks = a->cpus_only,
		.no_cpus = a->tasks_only,
	};
	struct pt_buf note = PT_BUF_INIT, command = PT_BUF_INIT, behind = PT_BUF_INIT;
	struct pt_buf title = PT_BUF_INIT;
	int rc;

	if (r->an.rc < 0)
		pt_buf_puts(&note, "the recording is damaged or cut: this is what could be read");
	say(r, &note);
	o.note = pt_buf_str(&note);
	if (!o.title) {
		pt_title_add(&title, "CPUs and tasks: ", &r->an);
		o.title = title.len ? title.data : NULL;
	}
	if (put_files(r, &behind)) {
		describe(a, &command);
		o.command = pt_buf_str(&command);
		o.behind = pt_buf_str(&behind);
	}
	o.switches = r->switches;
	rc = r->chart ? pt_timechart_svg(r->chart, b, &o) : -1;
	if (rc == 0 && r->an.rc == 0 && !pt_sched_counts(pt_timeline_sched(r->timeline)).switches)
		pt_warn(&tool, "no sched:sched_switch among the events: what ran where is not known (pt-record --sched records it)");
	if (rc < 0 && a->choose.time_text)
		pt_err_set(e, "nothing to draw: no time passes within --time %s",
			   a->choose.time_text);
	else if (rc < 0)
		pt_err_set(e, "nothing to draw: there are no events");
	pt_buf_deinit(&note);
	pt_buf_deinit(&title);
	pt_buf_deinit(&command);
	pt_buf_deinit(&behind);
	return rc;
}

int main(int argc, char **argv)
{
	static struct args a = { .width = DEFAULT_WIDTH, .tasks = DEFAULT_TASKS };
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf picture = PT_BUF_INIT;
	const struct pt_record *rec;

	pt_analysis_parse(&r.an, argc, argv, &a);
	if (a.cpus_only && a.tasks_only)
		pt_usage(&tool, "--cpus-only and --tasks-only leave nothing");
	a.watch.also = "sched";
	/* A session of single tasks would see only half of each switch. */
	pt_analysis_watch_all(&r.an);
	pt_analysis_output_later(&r.an, a.output);
	pt_analysis_open(&r.an, "sched");
	/* It needs all records from the first one on: names precede samples. */
	r.timeline = pt_timeline_new(take_interval, &r);
	while (pt_analysis_next(&r.an, &rec))
		if (see(&r, rec) < 0)
			r.an.rc = -1;
	if (r.chart && !r.over)
		pt_timeline_end(r.timeline, r.last_ns);
	/* Draw what could be read; the exit status tells if that was not all. */
	if (r.chart || !r.an.rc) {
		if (draw(&r, &picture, &e) < 0)
			pt_analysis_fail(&r.an, &e);
		else
			pt_analysis_document(&r.an, a.output, &picture);
	}
	pt_timeline_free(r.timeline);
	pt_timechart_free(r.chart);
	pt_lat_free(r.requests);
	pt_buf_deinit(&r.text);
	pt_buf_deinit(&picture);
	free(r.uses);
	return pt_analysis_end(&r.an);
}
