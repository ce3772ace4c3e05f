/* unwind-speed FILE: how fast the unwinder is on the stack copies of a recording (--call-graph=dwarf), names left out. One line of words:
 *
 *     stacks N frames N mixed N warm-frame-ns N cold-row-ns N rows N truncated N missing N
 *
 * mixed: samples a second and core at the first pass, files opened and rows compiled as they are met. warm-frame-ns: of the second pass, all rows known, each stack
 * unwound many times over. cold-row-ns: a row asked for by an address that was not asked for before, in objects opened anew. missing: stacks whose copy was too short.
 * Times are the thread's CPU time. What it takes to read that clock is in them: it is as much as ten warm frames, no two readings cost the same, and what is taken off
 * for it may be more than it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/mem.h"
#include "unwind/cfi.h"
#include "unwind/unwind.h"
#include "record/read/source.h"
#include "stack/frames.h"

enum { MANY = 64 };

struct site { char *path; uint64_t vaddr; };

static struct pass { double ns; uint64_t stacks, frames, incomplete, missing; } now;
static struct pt_unwinder *unwinder;
static struct pt_map seen;		/* hash of path and vaddr */
static struct site *sites;
static size_t nr_sites, cap_sites;
static bool gather;
static int times = 1;			/* each stack is unwound */

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void remember(const struct pt_frame *f)
{
	uint64_t *slot;

	if (!f->object || f->object->path[0] != '/')
		return;
	slot = pt_map_put(&seen, pt_hash64(f->vaddr) ^ (uint64_t)(uintptr_t)f->object);
	if (*slot)
		return;
	*slot = 1;
	PT_GROW(sites, nr_sites, cap_sites);
	sites[nr_sites++] = (struct site){ strdup(f->object->path), f->vaddr };
}

static size_t timed(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx, const struct pt_regs *regs, struct pt_frame *frames, size_t max,
		    struct pt_unwind_result *result)
{
	double from = cpu_ns();
	size_t n = 0, i;
	int k;

	for (k = 0; k < times; k++)
		n = pt_unwind(unwinder, a, ops, ctx, regs, frames, max, result);
	now.ns += (cpu_ns() - from) / times;
	now.stacks++;
	now.frames += n;
	now.incomplete += result->end != PT_UNWIND_COMPLETE;
	now.missing += result->end == PT_UNWIND_STACK;
	for (i = 0; i < n && gather; i++)
		remember(&frames[i]);
	return n;
}

static struct pass pass(struct pt_frames *f, const char *path)
{
	const struct pt_place_at *const *places;
	const struct pt_record *rec;
	struct pt_frames_how how;
	struct pt_source *src;
	struct pt_err e = PT_ERR_INIT;
	int rc;

	now = (struct pass){ 0 };
	if (pt_source_open(&src, path, NULL, &e) < 0) {
		fprintf(stderr, "unwind-speed: %s\n", e.msg);
		exit(1);
	}
	while ((rc = pt_source_next(src, &rec, &e)) > 0) {
		pt_frames_feed(f, src, rec);
		if (rec->type == PERF_RECORD_SAMPLE && rec->event && !rec->event->side_band)
			pt_frames_places(f, rec, &places, &how);
	}
	if (rc < 0) {
		fprintf(stderr, "unwind-speed: %s\n", e.msg);
		exit(1);
	}
	pt_source_free(src);
	return now;
}

static int by_path(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);

	return c ? c : a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/* Of each object the rows that the recording needed, in another object of the same file. The first one opens its table and is not counted. */
static double cold_rows(size_t *nr)
{
	struct pt_object *o = NULL;
	double ns = 0, from;
	size_t i, first;

	*nr = 0;
	qsort(sites, nr_sites, sizeof(*sites), by_path);
	for (first = 0; first < nr_sites; first = i) {
		for (i = first; i < nr_sites && !strcmp(sites[i].path, sites[first].path); i++)
			;
		if (pt_object_open(&o, sites[first].path, NULL) < 0)
			continue;
		pt_cfi_row(o, sites[first].vaddr);
		from = cpu_ns();
		for (size_t k = first + 1; k < i; k++)
			pt_cfi_row(o, sites[k].vaddr);
		ns += cpu_ns() - from;
		*nr += i - first - 1;
		pt_object_put(o);
	}
	return ns;
}

int main(int argc, char **argv)
{
	static const struct pt_unwind_by by = { "timed", timed };
	struct pt_frames_opts opts = { .by = &by };
	struct pt_frames *f;
	struct pass first, second;
	double rows_ns;
	size_t rows, i;

	if (argc != 2) {
		fprintf(stderr, "usage: unwind-speed FILE\n");
		return 2;
	}
	unwinder = pt_unwinder_new();
	f = pt_frames_new(&opts);
	first = pass(f, argv[1]);
	times = MANY;
	second = pass(f, argv[1]);
	times = 1;
	gather = true;
	pass(f, argv[1]);
	rows_ns = cold_rows(&rows);
	printf("stacks %llu frames %llu mixed %.0f warm-frame-ns %.1f cold-row-ns %.1f rows %zu truncated %llu missing %llu\n", (unsigned long long)first.stacks,
	       (unsigned long long)first.frames, first.ns > 0 ? (double)first.stacks / first.ns * 1e9 : 0, second.frames ? second.ns / (double)second.frames : 0,
	       rows ? rows_ns / (double)rows : 0, rows, (unsigned long long)first.incomplete, (unsigned long long)first.missing);
	for (i = 0; i < nr_sites; i++)
		free(sites[i].path);
	free(sites);
	pt_map_deinit(&seen);
	pt_frames_free(f);
	pt_unwinder_free(unwinder);
	return 0;
}
