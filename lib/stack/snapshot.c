#include "stack/snapshot.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "task/halt.h"

struct pt_snapshot {
	struct pt_snapshot_opts opts;
	struct pt_frames *frames, *second;	/* second: the other unwinder's, or NULL */
	struct pt_halted h;
	uint64_t stacks, same;
};

struct pt_snapshot *pt_snapshot_new(const struct pt_frames_opts *f,
				    const struct pt_snapshot_opts *o)
{
	struct pt_snapshot *s = pt_alloc(sizeof(*s));
	struct pt_frames_opts opts = *f;

	s->opts = *o;
	opts.live = true;
	s->frames = pt_frames_new(&opts);
	pt_frames_set_enough(s->frames, o->enough, o->ctx);
	pt_frames_settle(s->frames);	/* no rings fill up: names may take their time */
	if (o->second) {
		opts.by = o->second;
		s->second = pt_frames_new(&opts);
	}
	return s;
}

void pt_snapshot_free(struct pt_snapshot *s)
{
	if (!s)
		return;
	pt_halted_deinit(&s->h);
	pt_frames_free(s->frames);
	pt_frames_free(s->second);
	free(s);
}

void pt_snapshot_agreement(const struct pt_snapshot *s, uint64_t *stacks, uint64_t *same)
{
	*stacks = s->stacks;
	*same = s->same;
}

static void add_text(struct pt_buf *out, const char *before, const char *text)
{
	pt_buf_puts(out, before);
	pt_text_puts(out, text);
}

static void snapshot_add_frame(struct pt_snapshot *s, uint32_t pid, size_t i,
			       const struct pt_named_frame *x, struct pt_buf *out)
{
	struct pt_frames_module m;
	/* `shown` is the looked-up place in the file, at the same offset in its page */
	uint64_t pc = x->ip - ((x->shown ^ x->ip) & 0xfff ? 1 : 0);
	char id[PT_BUILD_ID_TEXT];

	pt_buf_printf(out, "#%-2zu 0x%016llx", i, (unsigned long long)x->ip);
	if (x->name)
		add_text(out, " ", x->name);
	if (x->kind == PT_FRAME_INLINED)
		pt_buf_puts(out, " [inlined]");
	if (s->opts.modules && x->module)
		add_text(out, " - ", x->module);
	pt_buf_putc(out, '\n');
	if (s->opts.build_ids && pt_frames_module_at(s->frames, pid, pc, &m) && m.build_id.len) {
		pt_buf_printf(out, "    [%s]@0x%llx+0x%llx\n",
			      pt_build_id_text(&m.build_id, id), (unsigned long long)m.base,
			      (unsigned long long)(pc - m.base));
	}
	if (x->file) {
		add_text(out, "    ", x->file);
		pt_buf_printf(out, ":%u\n", x->line);
	}
}

static void snapshot_add_stack(struct pt_snapshot *s, uint32_t pid,
			       const struct pt_named_frame *frames, size_t nr, struct pt_buf *out)
{
	size_t i;

	for (i = 0; i < nr; i++)
		snapshot_add_frame(s, pid, i, &frames[i], out);
}

/* The next frame from i on that is a call. */
static size_t next_call(const struct pt_named_frame *x, size_t nr, size_t i)
{
	while (i < nr && x[i].kind == PT_FRAME_INLINED)
		i++;
	return i;
}

static bool same_calls(const struct pt_named_frame *a, size_t nr_a, const struct pt_named_frame *b,
		       size_t nr_b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		i = next_call(a, nr_a, i);
		k = next_call(b, nr_b, k);
		if (i == nr_a || k == nr_b)
			return i == nr_a && k == nr_b;
		if (a[i].ip != b[k].ip)
			return false;
	}
}

static void add_note(struct pt_buf *notes, const char *fmt, uint32_t tid, const char *text)
{
	pt_buf_printf(notes, fmt, tid);
	pt_text_puts(notes, text);
	pt_buf_putc(notes, '\n');
}

static struct pt_record sample_of(const struct pt_halted *h, uint32_t pid, uint32_t tid)
{
	struct pt_record rec = {
		.type = PERF_RECORD_SAMPLE, .pid = pid, .tid = tid, .misc = PERF_RECORD_MISC_USER
	};

	rec.has = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	rec.sample.user_abi = h->abi;
	rec.sample.user_mask = h->regs_mask;
	rec.sample.user_regs = h->regs;
	rec.sample.stack = h->stack;
	rec.sample.stack_len = h->stack_len;
	return rec;
}

static void second_opinion(struct pt_snapshot *s, const struct pt_record *rec,
			   const struct pt_named_frame *frames, size_t nr, struct pt_buf *out)
{
	const struct pt_named_frame *others;
	size_t nr_others = pt_frames_named(s->second, &others);

	s->stacks++;
	if (same_calls(frames, nr, others, nr_others)) {
		s->same++;
		return;
	}
	pt_buf_printf(out, "TID %u, by %s:\n", rec->tid, s->opts.second->name);
	snapshot_add_stack(s, rec->pid, others, nr_others, out);
}

static const char *end_text(const struct pt_frames_how *how)
{
	if (how->cut)
		return "it is longer than --max-stack";
	switch (how->unwind.end) {
	case PT_UNWIND_STACK: return "memory that it needs cannot be read";
	case PT_UNWIND_NO_CODE: return "a return address is no code";
	case PT_UNWIND_LOOP: return "it leads back to itself";
	default: return "there is no rule to go on from there";
	}
}

/* Unwinds a thread's stack: 1 good, 0 it is gone, -1 e. */
static int unwind_thread(struct pt_snapshot *s, uint32_t pid, struct pt_record *rec,
			 struct pt_frames_how *how, struct pt_err *e)
{
	const struct pt_place_at *const *places;
	struct pt_frames *const both[] = { s->frames, s->second };
	struct pt_frames_how other;
	bool held;
	size_t i;
	int rc = pt_halt_begin(&s->h, pid, rec->tid, e);

	pt_halt_end(&s->h);
	if (rc <= 0)
		return rc;
	*rec = sample_of(&s->h, pid, rec->tid);
	/* opens the files that it needs, while the thread runs */
	pt_frames_places(s->frames, rec, &places, how);
	/* a handler on its own stack, a very long stack, or code newer than the maps */
	held = how->unwound && how->unwind.end != PT_UNWIND_COMPLETE &&
	       how->unwind.end != PT_UNWIND_DEPTH;
	for (i = 0; held && i < PT_NR(both); i++)
		if (both[i]) {
			pt_frames_read_maps(both[i], pid);
			pt_frames_set_memory(both[i], pt_halt_read, &s->h);
		}
	if (held && (rc = pt_halt_begin(&s->h, pid, rec->tid, e)) > 0) {
		*rec = sample_of(&s->h, pid, rec->tid);
		pt_frames_places(s->frames, rec, &places, how);
	}
	if (rc > 0 && s->second)
		pt_frames_places(s->second, rec, &places, &other);
	pt_halt_end(&s->h);
	for (i = 0; held && i < PT_NR(both); i++)
		if (both[i])
			pt_frames_set_memory(both[i], NULL, NULL);
	return rc;
}

static int add_thread(struct pt_snapshot *s, uint32_t pid, uint32_t tid, struct pt_buf *out,
		      struct pt_buf *notes, struct pt_err *e)
{
	const struct pt_named_frame *frames;
	struct pt_record rec = { .tid = tid };
	struct pt_frames_how how;
	int rc = unwind_thread(s, pid, &rec, &how, e);
	size_t nr;

	if (rc <= 0)
		return rc;
	nr = pt_frames_named(s->frames, &frames);
	pt_buf_printf(out, "TID %u:\n", tid);
	snapshot_add_stack(s, pid, frames, nr, out);
	if (s->second)
		second_opinion(s, &rec, frames, nr, out);
	if (how.unwound && how.unwind.end != PT_UNWIND_COMPLETE)
		add_note(notes, "the stack of thread %u ends too early: ", tid,
			 s->h.on_file ? "it lies in a mapped file, which is not read"
				      : end_text(&how));
	return 1;
}

int pt_snapshot_process(struct pt_snapshot *s, uint32_t pid, uint32_t tid, struct pt_buf *out,
			struct pt_buf *notes, struct pt_err *e)
{
	uint32_t *tids = NULL;
	size_t nr = 0, i, from = out->len, good = 0, left = 0;
	struct pt_err why = PT_ERR_INIT;
	int status = 0, rc;

	if (pt_halt_check(pid, e) < 0)
		return -1;
	if (!pt_frames_read_maps(s->frames, pid) ||
	    (s->second && !pt_frames_read_maps(s->second, pid)) ||
	    pt_proc_list(pid, &tids, &nr, e) < 0)
		return pt_err_set(e, "process %u has ended", pid);
	pt_buf_printf(out, "PID %u - process\n", pid);
	for (i = 0; i < nr; i++) {
		if (tid && tids[i] != tid)
			continue;
		if (s->opts.stop && s->opts.stop(s->opts.ctx)) {
			left = tid ? 1 : nr - i;
			break;
		}
		rc = add_thread(s, pid, tids[i], out, notes, &why);
		good += rc > 0;
		if (rc < 0) {
			add_note(notes, "process %u: ", pid, why.msg);
			status = 1;
		}
	}
	free(tids);
	if (left) {
		pt_buf_printf(notes, "process %u: ended by a signal, %zu of %zu threads left out\n",
			      pid, left, tid ? 1 : nr);
		status = 1;
	}
	if (good || status) {
		if (!good)
			out->len = from;
		return status;
	}
	out->len = from;
	return tid ? pt_err_set(e, "thread %u has ended", tid)
		   : pt_err_set(e, "process %u has ended", pid);
}
