#include "cli/analysis.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/watch/live.h"
#include "stack/archive.h"
#include "stack/defer.h"

void pt_analysis_parse(struct pt_analysis *an, int argc, char **argv, void *args)
{
	an->operands = pt_opt_parse(an->tool, argc, argv, args);
}

static bool runs_command(const struct pt_analysis *an)
{
	return an->operands.nr && (an->operands.dashes || an->tool->runs_command);
}

static void check_choice(const struct pt_analysis *an)
{
	if (an->choose->descendants && !runs_command(an))
		pt_usage(an->tool, "--of-command goes with a command: -- COMMAND");
}

void pt_analysis_open(struct pt_analysis *an, const char *default_events)
{
	struct pt_watch_args *w = an->watch;
	const struct pt_info *info;

	an->err = (struct pt_err)PT_ERR_INIT;
	pt_analysis_choose(an);
	if (!w->watch.interval_ns)		/* output and progress go on without events */
		w->watch.interval_ns = PT_OUT_PACE_NS;
	if (an->choose) {
		check_choice(an);
		an->choose->met = &an->met;
	}
	if (pt_input_open(an->tool, &an->src, w, an->input, &an->operands, default_events,
			  &an->err) < 0)
		exit(pt_finish(an->tool, NULL, NULL, -1, &an->err));
	info = pt_source_info(an->src);
	an->live = info->live;
	an->filters = an->live ? pt_watch_filters_values(&w->watch) : w->filter != NULL;
	if (!an->live && w->filter) {
		an->filter = pt_tp_filter_new(w->filter, &an->err);
		if (!an->filter)
			pt_usage(an->tool, "%s", an->err.msg);
	}
	if (an->choose && an->choose->descendants)
		pt_choose_add_pid(an->choose,
				  pt_session_command_pid(pt_source_session(an->src)));
	an->interrupt = pt_interrupt_new();
	pt_progress_begin(&an->progress, an->tool, an->live && w->watch.command);
	if (!an->live)
		pt_interrupt_reading(an->interrupt, an->src, info->stream && pt_input_is_piped());
}

/* The kernel's symbols in the first archive that has them. Somebody else may have made it. */
static void find_kallsyms(struct pt_analysis *an)
{
	const struct pt_owner root_or_we = { .uid = 0 };

	for (size_t i = 0; i < an->archives.nr && !an->archive_kallsyms; i++) {
		char *path = pt_asprintf("%s/kallsyms", an->archives.v[i]);
		int fd = pt_untrusted_open(NULL, path, PT_UNTRUSTED_USER | PT_UNTRUSTED_NO_LINK,
					   &root_or_we);

		/* open until the tool ends: the path may lead elsewhere by then */
		if (fd >= 0)
			an->archive_kallsyms = pt_asprintf("/proc/self/fd/%d", fd);
		free(path);
	}
}

void pt_analysis_archives(struct pt_analysis *an, struct pt_frames_opts *o)
{
	const struct pt_operands *operands = &an->operands;

	if (an->live)
		return;
	for (int i = 0; i < operands->nr; i++)
		pt_archive_find(operands->v[i], &an->archives);
	if (an->input->file)
		pt_archive_find(an->input->file, &an->archives);
	else if (!operands->nr && !pt_input_is_piped())
		pt_archive_find(PT_INPUT_DEFAULT, &an->archives);
	o->archives = an->archives.v;
	o->nr_archives = an->archives.nr;
	if (!o->kallsyms && !o->vmlinux) {
		find_kallsyms(an);
		o->kallsyms = an->archive_kallsyms;
	}
}

void pt_analysis_frames(struct pt_analysis *an, struct pt_frames_opts *o)
{
	o->live = an->live;
	pt_analysis_archives(an, o);
	an->frames = pt_frames_new(o);
	pt_frames_set_enough(an->frames, pt_interrupt_came, an->interrupt);
	if (an->last)
		pt_frames_feed(an->frames, an->src, an->last);
}

const char *pt_analysis_comm(struct pt_analysis *an, const struct pt_record *rec)
{
	return rec->has & PERF_SAMPLE_TID ? pt_tasks_comm(an->tasks, rec->tid) : "?";
}

/* A recording is not overwritten while it is read. */
static void check_output(const struct pt_analysis *an, const char *path)
{
	bool same = an->input->file && pt_out_is_file(path, an->input->file);

	for (int i = 0; i < an->operands.nr && !runs_command(an); i++)
		same |= pt_out_is_file(path, an->operands.v[i]);
	if (same)
		pt_usage(an->tool, "-o %s: this file is read, it would be overwritten", path);
}

void pt_analysis_output(struct pt_analysis *an, const char *path)
{
	int status;

	check_output(an, path);
	if (pt_out_open(&an->out, path, &an->err) < 0) {
		status = pt_finish(an->tool, an->src, NULL, -1, &an->err);
		pt_source_free(an->src);	/* a command does not run on, unwatched */
		exit(status);
	}
	if (an->live)
		pt_out_live(an->out, 0);
}

void pt_analysis_output_later(struct pt_analysis *an, const char *path)
{
	an->err = (struct pt_err)PT_ERR_INIT;
	check_output(an, path);
	if (pt_out_check(path, &an->err) < 0)
		exit(pt_finish(an->tool, NULL, NULL, -1, &an->err));
}

void pt_analysis_fail(struct pt_analysis *an, const struct pt_err *e)
{
	if (an->rc >= 0)
		an->err = *e;
	an->rc = -1;
}

void pt_analysis_document(struct pt_analysis *an, const char *path, const struct pt_buf *text)
{
	struct pt_err e = PT_ERR_INIT;

	if (pt_out_open(&an->out, path, &e) < 0 ||
	    pt_out_write(an->out, text->data, text->len, &e) < 0)
		pt_analysis_fail(an, &e);
}

/* --time counts from the first sample */
static int see_start(struct pt_analysis *an, const struct pt_record *rec)
{
	an->starts = !an->started && rec->type == PERF_RECORD_SAMPLE;
	if (!an->starts)
		return 1;
	an->started = true;
	if (an->choose && pt_choose_start(an->choose, an->src, rec->time_ns, &an->err) < 0)
		return -1;
	return 1;
}

/* Samples alone are filtered: names of tasks and the like stay. */
static bool leaves_out(struct pt_analysis *an, const struct pt_record *rec)
{
	if (an->live && pt_watch_leaves_out(&an->watch->watch, rec))
		return true;
	if (!an->filter || rec->type != PERF_RECORD_SAMPLE)
		return false;
	if (rec->event && rec->event->tp && rec->has & PERF_SAMPLE_RAW &&
	    pt_tp_filter_holds(an->filter, rec->event->tp, rec->sample.raw, rec->sample.raw_len,
			       rec->cpu)) {
		an->filter_held = true;
		return false;
	}
	an->nr_left_out++;
	return true;
}

/* At the end: a field that no event has is a mistake. */
static void check_filter(struct pt_analysis *an)
{
	const char *missing = an->filter ? pt_tp_filter_missing(an->filter) : NULL;
	struct pt_err e = PT_ERR_INIT;

	if (!missing && an->nr_left_out && !an->filter_held)
		pt_warn(an->tool, "--filter chooses none of %llu samples",
			(unsigned long long)an->nr_left_out);
	if (!missing)
		return;
	pt_err_set(&e, "--filter: no event of the recording has all of its fields, compared so: \"%s\"",
		   missing);
	pt_analysis_fail(an, &e);
}

static void progress(struct pt_analysis *an)
{
	const struct pt_info *info = pt_source_info(an->src);
	struct pt_progress_facts facts = { pt_source_tally(an->src), an->len_bytes, -1 };

	if (!an->live && info->data_len_bytes && an->last->off >= info->data_off) {
		facts.percent = 100.0 * (double)(an->last->off - info->data_off) /
				(double)info->data_len_bytes;
		facts.len_bytes = 0;
	}
	pt_progress_draw(&an->progress, &facts);
}

/* Lines that come out by and by show on a terminal that it goes on. */
static int put_lines(struct pt_analysis *an)
{
	if (!an->progress.off && pt_out_is_terminal(an->out))
		pt_progress_end(&an->progress);
	return pt_out_paced(an->out, &an->text, an->last, &an->err);
}

/* The next record that is not left out; NULL: the end, or an error. */
static const struct pt_record *analysis_take(struct pt_analysis *an)
{
	const struct pt_record *rec;

	do {
		an->rc = pt_defer_next(&an->defer, an->src, &rec, &an->err);
		if (an->rc <= 0)
			return NULL;
	} while (an->filters && leaves_out(an, rec));
	if ((!an->started || an->starts) && (an->rc = see_start(an, rec)) <= 0)
		return NULL;
	return rec;
}

bool pt_analysis_next(struct pt_analysis *an, const struct pt_record **next)
{
	size_t enough = an->live ? 1 : PT_OUT_PACED_BYTES;
	const struct pt_record *rec;

	if (an->text.len >= enough && an->rc >= 0 && an->last && an->out)
		an->rc = put_lines(an);
	an->last = NULL;
	if (an->rc < 0)
		return false;
	rec = analysis_take(an);
	if (!rec) {
		pt_progress_end(&an->progress);
		pt_interrupt_naming(an->interrupt);
		return false;
	}
	if (an->live)
		pt_interrupt_follow(an->interrupt, an->src);
	*next = an->last = rec;
	an->len_bytes += rec->len_bytes;
	if (rec->has & PERF_SAMPLE_TIME)
		an->last_ns = PT_MAX(an->last_ns, rec->time_ns);
	if (pt_progress_due(&an->progress))
		progress(an);
	if (an->frames)
		pt_frames_feed(an->frames, an->src, rec);
	if (rec->type == PERF_RECORD_SAMPLE)
		return true;
	if (an->tasks)
		pt_tasks_see(an->tasks, rec);
	if (rec->type == PERF_RECORD_FORK && an->choose && an->choose->descendants)
		pt_choose_follow(an->choose, rec);
	return true;
}

uint64_t pt_analysis_end_ns(const struct pt_analysis *an)
{
	return an->live ? pt_session_clock_ns(pt_source_session(an->src)) : an->last_ns;
}

void pt_analysis_print(struct pt_analysis *an)
{
	pt_progress_end(&an->progress);
	if (an->out && pt_out_buf(an->out, &an->text, an->rc < 0 ? NULL : &an->err) < 0)
		an->rc = -1;
}

bool pt_analysis_gone(const struct pt_analysis *an)
{
	return an->err.sys == EPIPE;
}

int pt_analysis_end(struct pt_analysis *an)
{
	int status;

	check_filter(an);
	pt_analysis_print(an);
	if (an->choose && !pt_analysis_gone(an))
		pt_choose_say(an->tool, an->choose);
	pt_interrupt_free(an->interrupt);
	status = pt_finish(an->tool, an->src, an->out, an->rc, &an->err);
	pt_frames_free(an->frames);
	pt_tasks_free(an->tasks);
	pt_defer_free(an->defer);
	pt_tp_filter_free(an->filter);
	pt_strs_deinit(&an->archives);
	free(an->archive_kallsyms);
	pt_buf_deinit(&an->text);
	pt_source_free(an->src);
	if (an->choose)
		pt_choose_deinit(an->choose);
	if (an->watch)
		pt_watch_args_deinit(an->watch);
	return status;
}
