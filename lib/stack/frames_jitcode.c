/* Code made at run time: which function an address is in at a sample's time; its name, code and
 * source lines. */
#include "stack/frames_jit_priv.h"

#include <time.h>

#include "base/clock.h"

#define PENDING (1ull << 63)		/* in a tag: the dump did not reach to the sample's time */

/* The sample's time on the dump's clock; UINT64_MAX: unknown, use the latest code. */
static uint64_t dump_time(const struct pt_frames *f, const struct pt_jit *j, uint64_t time_ns)
{
	uint64_t t, mult = f->clock.mult;

	if (!pt_jitdump_arch_clock(j->dump))
		return f->clock.clockid == CLOCK_MONOTONIC ? time_ns : UINT64_MAX;
	if (f->clock.clockid >= 0 || !mult || f->clock.shift >= 64 || time_ns == UINT64_MAX)
		return UINT64_MAX;
	/* the counter ran before the kernel did, so zero is negative */
	t = time_ns - f->clock.zero;
	if (t >> 63)
		return 0;
	return ((t / mult) << f->clock.shift) + ((t % mult) << f->clock.shift) / mult;
}

static int64_t find_in_dump(struct pt_frames *f, const struct pt_jit *j, uint64_t addr,
			    uint64_t time_ns)
{
	uint64_t when = dump_time(f, j, time_ns);
	bool others;
	int64_t i = pt_jitdump_find(j->dump, addr, when, &others);

	f->counts.jit_timeless += when == UINT64_MAX && time_ns != UINT64_MAX && others;
	f->counts.jit_counter |= f->counts.jit_timeless && pt_jitdump_arch_clock(j->dump);
	return i;
}

static uint64_t now(const struct pt_frames *f)
{
	struct pt_clock clock = pt_clock(f->clock.clockid);

	return pt_clock_now_ns(&clock);
}

/* The program of the sample at hand, its dump read up to the sample's time. */
static struct pt_jit *of_sample(struct pt_frames *f)
{
	struct pt_jit *j = pt_jit_of(f, f->pid, pt_spaces_generation(f->spaces, f->pid));

	if (j->dump_path && !j->dump_done && f->time_ns > j->looked_ns) {
		j->looked_ns = j->live ? now(f) : UINT64_MAX;
		pt_jit_read_dump(f, j);
	}
	return j;
}

static struct pt_object *frames_jitcode_object_of(const struct pt_frames *f, struct pt_jit *j,
						  size_t i)
{
	const struct pt_arch *a = pt_frames_arch(f, PERF_SAMPLE_REGS_ABI_64);

	return pt_jitdump_object(j->dump, i, a ? a->machine : 0);
}

struct pt_object *pt_jit_object(struct pt_frames *f, uint64_t addr, uint64_t *bias)
{
	struct pt_jit *j;
	int64_t i;

	if (!f->has_dumps && !f->opts.live)
		return NULL;
	j = of_sample(f);
	if (!j->dump ||
	    (i = pt_jitdump_find(j->dump, addr, dump_time(f, j, f->time_ns), NULL)) == PT_JIT_NONE)
		return NULL;
	*bias = pt_jitdump_code(j->dump, (size_t)i)->start - PT_JITDUMP_VADDR;
	return frames_jitcode_object_of(f, j, (size_t)i);
}

uint64_t pt_jit_tag(struct pt_frames *f, uint64_t addr)
{
	struct pt_jit *j;
	int64_t i;

	if (!f->has_dumps && !f->opts.live)
		return 0;
	j = of_sample(f);		/* live: look at the process while it exists */
	if (!j->dump_path)
		return 0;
	if (j->live && f->time_ns != UINT64_MAX &&
	    !(j->dump && (j->dump_done || pt_jitdump_closed(j->dump) ||
			  pt_jitdump_last_ns(j->dump) >= f->time_ns)))
		return PENDING | ((j->readings << 32 ^ f->time_ns >> 32) & ~PENDING);
	if (!j->dump)
		return 0;
	i = find_in_dump(f, j, addr, f->time_ns);
	return i == PT_JIT_NONE ? 0 : (uint64_t)i + 1;
}

/* The code that a place is in, and its number. NULL: none. */
static const struct pt_jitcode *code_in_dump(struct pt_frames *f, const struct pt_jit *j,
					     const struct pt_place_at *at, size_t *i)
{
	if (!at->jit || !j->dump)
		return NULL;
	*i = at->jit & PENDING ? (size_t)find_in_dump(f, j, at->vaddr, at->time_ns)
			       : (size_t)at->jit - 1;
	return pt_jitdump_code(j->dump, *i);	/* none has the number PT_JIT_NONE */
}

static bool name_by_dump(struct pt_frames *f, struct pt_jit *j, const struct pt_place_at *at,
			 struct pt_named_frame *x)
{
	const char *file;
	size_t len, i;
	const struct pt_jitcode *c = code_in_dump(f, j, at, &i);

	if (!c)
		return false;
	x->name = pt_names_add(f->names, c->name, SIZE_MAX);
	x->offset = at->vaddr - c->start;
	x->module = pt_names_add(f->names, j->dump_path, SIZE_MAX);
	if (f->opts.lines && pt_jitdump_line(j->dump, i, at->vaddr, &file, &len, &x->line))
		x->file = pt_names_add(f->names, file, len);
	return true;
}

static bool name_by_map(struct pt_frames *f, struct pt_jit *j, const struct pt_place_at *at,
			struct pt_named_frame *x)
{
	int64_t i = pt_jitcodes_find(j->map, at->vaddr, UINT64_MAX, NULL);
	const struct pt_jitcode *c;

	if (i == PT_JIT_NONE)
		return false;
	c = pt_jitcodes_at(j->map, (size_t)i);
	x->name = pt_names_add(f->names, c->name, SIZE_MAX);
	x->offset = at->vaddr - c->start;
	return true;
}

bool pt_jit_name(struct pt_frames *f, const struct pt_place_at *at, struct pt_named_frame *x)
{
	struct pt_jit *j = pt_jit_of(f, at->pid, at->generation);
	bool found = name_by_dump(f, j, at, x) ||
		     (pt_jit_read_dump(f, j) && name_by_dump(f, j, at, x)) ||
		     name_by_map(f, j, at, x) ||
		     (pt_jit_read_map(f, j) && name_by_map(f, j, at, x));

	if (found)
		x->kind = PT_FRAME_JIT;
	return found;
}

bool pt_jit_code(struct pt_frames *f, const struct pt_place_at *at, struct pt_frames_code *code,
		 const char **why)
{
	struct pt_jit *j = pt_jit_of(f, at->pid, at->generation);
	const struct pt_arch *arch;
	struct pt_object *o;
	size_t i;
	const struct pt_jitcode *c = code_in_dump(f, j, at, &i);

	if (!c) {
		*why = "it was made at run time, and no jitdump file holds its code";
		return false;
	}
	o = frames_jitcode_object_of(f, j, i);
	arch = o ? pt_arch_of_machine(o->machine) : NULL;
	*code = (struct pt_frames_code){
		.name = pt_names_add(f->names, c->name, SIZE_MAX),
		.path = pt_names_add(f->names, j->dump_path, SIZE_MAX),
		.arch = arch ? arch->name : "",
		.start = c->start,
		.end = c->end,
		.object = o,
		.bytes = o ? pt_object_bytes(o, PT_JITDUMP_VADDR, c->end - c->start, false) : NULL,
	};
	if (!code->bytes)
		*why = "the jitdump file does not hold its code";
	else if (!o->inside)
		pt_object_place(o, pt_files_root(f->files, at->pid), j->dump_path);
	return code->bytes;
}

const char *pt_jit_symbol(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
			  uint64_t *offset)
{
	struct pt_jit *j = pt_jit_of(f, at->pid, at->generation);
	int64_t i = j->dump ? pt_jitdump_find(j->dump, addr, dump_time(f, j, at->time_ns), NULL)
			    : PT_JIT_NONE;
	const struct pt_jitcode *c;

	if (i == PT_JIT_NONE)
		return NULL;
	c = pt_jitdump_code(j->dump, (size_t)i);
	*offset = addr - c->start;
	return pt_names_add(f->names, c->name, SIZE_MAX);
}

bool pt_jit_source(struct pt_frames *f, const struct pt_place_at *at, uint64_t addr,
		   struct pt_frames_source *s)
{
	struct pt_jit *j = pt_jit_of(f, at->pid, at->generation);
	const char *file;
	size_t len, i;
	const struct pt_jitcode *c = code_in_dump(f, j, at, &i);

	*s = (struct pt_frames_source){ .depth = 0 };
	if (!c || !pt_jitdump_line(j->dump, i, addr, &file, &len, &s->line) || !s->line)
		return false;
	s->function = pt_names_add(f->names, c->name, SIZE_MAX);
	s->file = pt_names_add(f->names, file, len);
	return true;
}
