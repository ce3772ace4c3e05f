#include "cli/stacknote.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/losses.h"
#include "cli/symbols.h"
#include "elf/debugpackage.h"
#include "elf/files.h"

enum { MAX_NEXT = 2 };		/* modules named after the one with most frames without a name */

/* Languages whose programs give their functions' names if they are asked to. */
static const struct language {
	const char *runs;		/* how functions of the interpreter are called */
	const char *named[2];		/* how the language's own are then */
	const char *advice;
} languages[PT_STACKNOTE_LANGUAGES] = {
	{ "_PyEval_EvalFrame", { "py::" },
	  "Python's functions have no names: run it with -X perf (Python 3.12 and later)" },
	{ "Builtins_", { "JS:", "LazyCompile:" },
	  "JavaScript's functions have no names: run node with --perf-basic-prof --interpreted-frames-native-stack" },
};

void pt_stacknote_deinit(struct pt_stacknote *n)
{
	free(n->unresolved.v);
	free(n->broken.v);
}

static void stacknote_count(struct pt_stacknote_list *l, const char *module, bool has_file,
			    uint64_t times)
{
	size_t i = l->last;

	if (i >= l->nr || l->v[i].module != module || l->v[i].has_file != has_file)
		for (i = 0;
		     i < l->nr && (l->v[i].module != module || l->v[i].has_file != has_file);)
			i++;
	if (i == l->nr) {
		PT_GROW(l->v, l->nr, l->cap);
		l->v[l->nr++] = (struct pt_stacknote_module){ module, has_file, 0 };
	}
	l->v[i].count += times;
	l->last = i;
}

void pt_stacknote_stack(struct pt_stacknote *n, const struct pt_frames_how *how)
{
	int end = how->unwind.end;
	bool cut = how->cut || (how->unwound && end == PT_UNWIND_DEPTH);

	n->note.known = true;
	n->note.samples++;
	n->stray += how->stray;
	n->note.truncated += cut || (how->unwound && end != PT_UNWIND_COMPLETE);
	if (cut) {
		n->deep++;
	} else if (!how->unwound) {
		return;
	} else if (how->no_copy) {
		n->no_copy++;
	} else if (how->chain_is_full && (how->elsewhere || end == PT_UNWIND_STACK)) {
		++*(how->larger_copy_helps ? &n->full_for_copy : &n->full_chain);
	} else if (how->elsewhere) {
		n->elsewhere++;
	} else if (end == PT_UNWIND_STACK) {
		n->short_copy++;
	} else if (end == PT_UNWIND_NO_RULE || end == PT_UNWIND_LOOP || end == PT_UNWIND_NO_CODE) {
		++*(end == PT_UNWIND_NO_CODE ? &n->no_code : &n->no_rule);
		stacknote_count(&n->broken, how->module, true, 1);
	}
}

static bool begins_with(const char *name, const char *with)
{
	return with && !strncmp(name, with, strlen(with));
}

static void see_language(struct pt_stacknote *n, const struct pt_named_frame *x, uint64_t times)
{
	for (size_t i = 0; i < PT_NR(languages) && x->kind != PT_FRAME_KERNEL; i++) {
		const struct language *l = &languages[i];

		if (begins_with(x->name, l->runs))
			n->languages[i].runs += times;
		else if (begins_with(x->name, l->named[0]) || begins_with(x->name, l->named[1]))
			n->languages[i].named += times;
	}
}

void pt_stacknote_frame(struct pt_stacknote *n, const struct pt_named_frame *x, bool has_file,
			uint64_t times)
{
	n->note.frames += times;
	if (x->name && !x->is_address) {
		see_language(n, x, times);
		return;
	}
	n->note.unresolved += times;
	stacknote_count(&n->unresolved, x->module, has_file, times);
}

size_t pt_stacknote_frames(struct pt_stacknote *n, struct pt_frames *f, const struct pt_record *rec,
			   const struct pt_named_frame **frames)
{
	struct pt_frames_how how;
	size_t nr = pt_frames_of(f, rec, frames, &how);

	pt_stacknote_stack(n, &how);
	for (size_t i = 0; i < nr; i++) {
		const char *module = (*frames)[i].module;

		pt_stacknote_frame(n, &(*frames)[i], module && *module == '/', 1);
	}
	return nr;
}

void pt_stacknote_end(struct pt_stacknote *n, const struct pt_source *s)
{
	const struct pt_tally *t = pt_source_tally(s);

	n->note.known = true;
	n->note.lost = t->lost + t->undelivered;
}

static int by_count(const void *x, const void *y)
{
	const struct pt_stacknote_module *a = x, *b = y;

	return PT_COMPARE(b->count, a->count);
}

static void put_module(struct pt_buf *b, const char *module)
{
	if (module)
		pt_text_puts(b, module);
	else
		pt_buf_puts(b, "addresses where nothing is mapped");
}

/* The kernel or one of its modules: "[ath9k]". */
static bool is_kernel(const struct pt_stacknote_module *m)
{
	return !strncmp(m->module, "[kernel", 7) ||
	       (m->module[0] == '[' && m->has_file && strcmp(m->module, "[vdso]"));
}

/* NULL: the file has no symbols. */
static const char *reason(const struct pt_stacknote *n, const struct pt_stacknote_module *m)
{
	if (!m->module)
		return "";
	if (!is_kernel(m) ? n->refused && (m->has_file || !pt_files_is_anonymous(m->module))
			  : n->refused_kernel)
		return " (could not be opened: `ulimit -n`)";
	if (n->unmapped && !is_kernel(m) && !m->has_file && !pt_files_is_anonymous(m->module))
		return " (could not be mapped: `sysctl vm.max_map_count`)";
	if (is_kernel(m))
		return " (its symbols are hidden, see kernel.kptr_restrict, or another kernel's)";
	if (!m->has_file && pt_files_is_anonymous(m->module))
		return " (a JIT compiler's code? it can write /tmp/perf-PID.map)";
	if (!m->has_file)
		return " (the file is gone, cannot be read, or is of another build)";
	return NULL;
}

static void put_advice(struct pt_buf *b, const struct pt_stacknote *n,
		       const struct pt_stacknote_module *m)
{
	const char *why = reason(n, m);

	if (why) {
		pt_buf_puts(b, why);
		return;
	}
	pt_buf_puts(b, " (it has no symbols for them: --debuginfod, or its package ");
	if (!pt_debug_package("", m->module, b))
		pt_buf_puts(b, "-dbgsym or -debuginfo");
	pt_buf_putc(b, ')');
}

/* The next modules after the first. A package is looked up once, which takes as long as a small
 * recording. */
static void put_next(struct pt_buf *b, const struct pt_stacknote *n)
{
	const struct pt_stacknote_list *l = &n->unresolved;
	struct pt_buf package = PT_BUF_INIT;
	bool asked = !reason(n, l->v);

	for (size_t i = 1; i < l->nr && i <= MAX_NEXT; i++) {
		pt_buf_puts(b, i == 1 ? "; then " : ", ");
		put_module(b, l->v[i].module);
		pt_buf_printf(b, " (%.1f %%", 100.0 * (double)l->v[i].count /
						     (double)n->note.unresolved);
		if (!asked && !reason(n, &l->v[i])) {
			asked = true;
			if (pt_debug_package("", l->v[i].module, &package))
				pt_buf_printf(b, ", see package %s", pt_buf_str(&package));
		}
		pt_buf_putc(b, ')');
	}
	pt_buf_deinit(&package);
}

static void say_unresolved(const struct pt_stacknote *n, const struct pt_tool *tool)
{
	const struct pt_stacknote_list *l = &n->unresolved;
	struct pt_buf b = PT_BUF_INIT;

	if (!l->nr)
		return;
	qsort(l->v, l->nr, sizeof(*l->v), by_count);
	put_module(&b, l->v->module);
	put_advice(&b, n, l->v);
	put_next(&b, n);
	pt_warn(tool, "%llu of %llu frames have no name, %s %s",
		(unsigned long long)n->note.unresolved, (unsigned long long)n->note.frames,
		l->nr == 1 ? "all in" : "most in", pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static void put_part(struct pt_buf *b, uint64_t nr, const char *what)
{
	if (nr)
		pt_buf_printf(b, "%s %llu %s", b->len ? "," : "", (unsigned long long)nr, what);
}

static void say_truncated(const struct pt_stacknote *n, const struct pt_tool *tool)
{
	const struct pt_stacknote_list *l = &n->broken;
	struct pt_buf b = PT_BUF_INIT;

	if (!n->note.truncated)
		return;
	put_part(&b, n->short_copy,
		 "where the copy of the stack ends (a larger --stack-size helps)");
	put_part(
		&b, n->elsewhere,
		"where the stack continues elsewhere, after a signal's own stack or a coroutine's (--stack-size does not help)");
	put_part(
		&b, n->full_for_copy,
		"beyond the copy, with more callers than the kernel lists (a larger --stack-size helps)");
	put_part(
		&b, n->full_chain,
		"beyond any copy or on another stack, with more callers than the kernel lists (sysctl kernel.perf_event_max_stack=1024 helps)");
	put_part(&b, n->no_copy,
		 "of which the kernel could copy nothing (within exec or a page fault)");
	put_part(&b, n->deep, "longer than --max-stack");
	put_part(&b, n->no_rule, "without unwind information");
	put_part(&b, n->no_code, "at an address that is not code");
	if (l->nr) {
		qsort(l->v, l->nr, sizeof(*l->v), by_count);
		pt_buf_puts(&b, l->nr == 1 ? " (in " : " (most in ");
		put_module(&b, l->v->module);
		if (l->v->module && pt_files_is_anonymous(l->v->module))
			pt_buf_puts(&b, ": code made at run time, without frame pointers");
		if (l->v->module && pt_files_is_anonymous(l->v->module) && n->java)
			pt_buf_puts(&b, "; Java keeps them with -XX:+PreserveFramePointer");
		pt_buf_putc(&b, ')');
	}
	pt_warn(tool, "%llu of %llu stacks are truncated:%s", (unsigned long long)n->note.truncated,
		(unsigned long long)n->note.samples, pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static void say_stray(const struct pt_stacknote *n, const struct pt_tool *tool)
{
	if (n->stray)
		pt_warn(tool,
			"%llu of %llu stacks have callers where nothing is mapped: they come through code without frame pointers; record with --call-graph dwarf, or build that code with -fno-omit-frame-pointer",
			(unsigned long long)n->stray, (unsigned long long)n->note.samples);
}

/* One language in few of the samples is not what the user looks at. */
static void say_languages(const struct pt_stacknote *n, const struct pt_tool *tool)
{
	for (size_t i = 0; i < PT_NR(languages); i++)
		if (n->languages[i].runs > n->note.samples / 20 && !n->languages[i].named)
			pt_warn(tool, "%s", languages[i].advice);
}

void pt_stacknote_say(struct pt_stacknote *n, const struct pt_tool *tool,
		      const struct pt_frames *frames)
{
	struct pt_frames_counts c = pt_frames_counts(frames);

	n->refused = c.refused_files;
	n->refused_kernel = c.refused_kernel;
	n->unmapped = c.unmapped_files;
	n->java = c.jvms;
	pt_warn_stacks(tool, &n->note);
	say_truncated(n, tool);
	say_unresolved(n, tool);
	say_stray(n, tool);
	say_languages(n, tool);
	if (c.jvm_unasked)
		pt_warn(tool, "Java's compiled code has no names: --jvm asks for them, while it runs");
	pt_symbols_tell(tool, frames);
	if (c.no_kernel_names)
		pt_warn(tool, "%s", c.no_kernel_names);
}
