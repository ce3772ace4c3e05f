#include "cli/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "stack/archive.h"
#include "stack/defer.h"

void pt_analysis_parse(struct pt_analysis *an, int argc, char **argv, void *args)
{
	an->operands = pt_opt_parse(an->tool, argc, argv, args);
}

void pt_analysis_open(struct pt_analysis *an, const char *default_events)
{
	struct pt_watch_args *w = an->watch;
	const struct pt_info *info;

	an->err = (struct pt_err)PT_ERR_INIT;
	pt_analysis_choose(an);
	if (pt_input_open(an->tool, &an->src, w, an->input, &an->operands, default_events,
			  &an->err) < 0)
		exit(pt_finish(an->tool, NULL, NULL, -1, &an->err));
	info = pt_source_info(an->src);
	an->live = info->live;
	an->filters_values = an->live && pt_watch_filters_values(&w->watch);
	if (!an->live && w->filter) {
		an->filter = pt_tp_filter_new(w->filter, &an->err);
		if (!an->filter)
			pt_usage(an->tool, "%s", an->err.msg);
	}
	an->defer = pt_defer_new();
	an->interrupt = pt_interrupt_new();
	if (!an->live)
		pt_interrupt_reading(an->interrupt, an->src, info->stream && pt_input_is_piped());
}

/* The recording's archive, if there is one. */
static void add_archive(struct pt_analysis *an, const char *recording, struct pt_frames_opts *o)
{
	char *archive = pt_archive_of(recording), *kallsyms;

	if (!archive)
		return;
	pt_strs_add(&an->archives, archive);
	kallsyms = pt_asprintf("%s/kallsyms", archive);
	if (!an->archive_kallsyms && !o->vmlinux && access(kallsyms, R_OK) == 0)
		an->archive_kallsyms = kallsyms;
	else
		free(kallsyms);
}

void pt_analysis_archives(struct pt_analysis *an, struct pt_frames_opts *o)
{
	const struct pt_operands *operands = &an->operands;

	if (an->live)
		return;
	for (int i = 0; i < operands->nr; i++)
		add_archive(an, operands->v[i], o);
	if (an->input->file)
		add_archive(an, an->input->file, o);
	else if (!operands->nr && !pt_input_is_piped())
		add_archive(an, PT_INPUT_DEFAULT, o);
	o->archives = an->archives.v;
	o->nr_archives = an->archives.nr;
	if (!o->kallsyms)
		o->kallsyms = an->archive_kallsyms;
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

void pt_analysis_output(struct pt_analysis *an, const char *path)
{
	if (pt_out_open(&an->out, path, &an->err) < 0)
		exit(pt_finish(an->tool, an->src, NULL, -1, &an->err));
	if (an->live)
		pt_out_live(an->out, 0);
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
	if (an->filters_values && pt_watch_leaves_out(&an->watch->watch, rec))
		return true;
	return an->filter && rec->type == PERF_RECORD_SAMPLE &&
	       !(rec->event && rec->event->tp && rec->has & PERF_SAMPLE_RAW &&
		 pt_tp_filter_holds(an->filter, rec->event->tp, rec->sample.raw,
				    rec->sample.raw_len, rec->cpu));
}

/* At the end: a field that no event has is a mistake. */
static void check_filter(struct pt_analysis *an)
{
	const char *missing = an->filter ? pt_tp_filter_missing(an->filter) : NULL;
	struct pt_err e = PT_ERR_INIT;

	if (!missing)
		return;
	pt_err_set(&e, "--filter: no event of the recording has all of its fields, compared so: \"%s\"",
		   missing);
	pt_analysis_fail(an, &e);
}

bool pt_analysis_next(struct pt_analysis *an, const struct pt_record **rec)
{
	if (an->rc >= 0 && an->last && an->out)
		an->rc = pt_out_paced(an->out, &an->text, an->last, &an->err);
	an->last = NULL;
	if (an->rc < 0)
		return false;
	do
		an->rc = pt_defer_next(an->defer, an->src, rec, &an->err);
	while (an->rc > 0 && leaves_out(an, *rec));
	if (an->rc > 0)
		an->rc = see_start(an, *rec);
	if (an->rc <= 0) {
		pt_interrupt_naming(an->interrupt);
		return false;
	}
	pt_interrupt_follow(an->interrupt, an->src);
	an->last = *rec;
	if (an->frames)
		pt_frames_feed(an->frames, an->src, *rec);
	if (an->tasks && (*rec)->type != PERF_RECORD_SAMPLE)
		pt_tasks_see(an->tasks, *rec);
	return true;
}

void pt_analysis_print(struct pt_analysis *an)
{
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
	pt_interrupt_free(an->interrupt);
	status = pt_finish(an->tool, an->src, an->out, an->rc, &an->err);
	pt_frames_free(an->frames);
	pt_tasks_free(an->tasks);
	pt_defer_free(an->defer);
	pt_tp_filter_free(an->filter);
	for (size_t i = 0; i < an->archives.nr; i++)
		free((char *)(uintptr_t)an->archives.v[i]);
	free(an->archives.v);
	free(an->archive_kallsyms);
	pt_buf_deinit(&an->text);
	pt_source_free(an->src);
	if (an->choose)
		pt_choose_deinit(an->choose);
	if (an->watch)
		pt_watch_args_deinit(an->watch);
	return status;
}
