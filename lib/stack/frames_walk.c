/* frames_walk.c - the stack of a sample, from its call chain, branches, or registers and a stack
 * copy */
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "elf/gotable.h"
#include "stack/frames_priv.h"
#include "unwind/cfi.h"

enum { REREADS_A_SECOND = 20, KERNEL_MAX_STACK = 127 };

static const uint64_t SECOND_NS = 1000000000, REREAD_AFTER_NS = 500000000;

static void frames_walk_add_place(struct pt_frames *f, uint64_t ip, uint64_t shown, uint64_t past,
				  const struct pt_place_at *place)
{
	if (f->nr >= f->max)
		return;
	f->shown[f->nr] = (struct pt_frames_shown){ place, ip, shown, (uint32_t)past };
	f->stack[f->nr++] = place;
}

/* Stacks of a recording are made of few addresses. With jitdumps, places depend on the time. */
static void add_user(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	struct seen_place *x = NULL, now = { .pc = pc, .maps = f->maps, .pid = f->pid };
	const struct pt_mapping *m;

	if (f->seen && !f->has_dumps) {
		x = &f->seen[pt_hash64(pc ^ (uint64_t)f->pid << 48) % PT_SEEN_PLACES];
		if (x->pc == pc && x->maps == f->maps && x->pid == f->pid) {
			frames_walk_add_place(f, ip, ip + x->shown, ip - pc, x->place);
			return;
		}
	}
	m = pt_frames_mapping(f, pc);
	now.shown = pt_frames_shown_in(m, ip) - ip;
	now.place = pt_frames_user_place(f, m, pc);
	if (x)
		*x = now;
	frames_walk_add_place(f, ip, ip + now.shown, ip - pc, now.place);
}

static void frames_walk_add_frame(struct pt_frames *f, const struct pt_frame *x)
{
	const struct pt_mapping *m = x->user ? x->user : pt_frames_mapping(f, x->pc);

	frames_walk_add_place(f, x->ip, pt_frames_shown_in(m, x->pc), 0,
			      pt_frames_user_place(f, m, x->pc));
}

static void add_kernel(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	frames_walk_add_place(f, ip, ip, ip - pc, pt_frames_kernel_place(f, pc));
}

/* The address to look up for a return address: the byte before it, but in the vdso's signal
 * trampoline, which is returned to at its start, itself. */
static uint64_t called_from(struct pt_frames *f, const struct pt_arch *a, uint64_t ip)
{
	const struct pt_mapping *m = a && a->lr != a->ip ? pt_frames_mapping(f, ip) : NULL;
	uint8_t code[8];
	size_t i;

	if (m && !strcmp(m->file->path, "[vdso]") &&
	    pt_frames_unwind_ops.read(f, ip, code, sizeof(code)))
		for (i = 0; i < a->nr_trampolines; i++)
			if (a->trampolines[i].in_vdso &&
			    !memcmp(code, a->trampolines[i].code, a->trampolines[i].code_bytes))
				return ip;
	return ip - 1;
}

/* Frame-pointer call chains skip the caller of a function without a frame: its return address is
 * still in the link register (arm64), if CFI says so and the register was recorded. 0: it is not.
 */
static uint64_t caller_in_register(struct pt_frames *f, const struct pt_arch *a, uint64_t ip)
{
	const struct pt_sample *s = &f->rec->sample;
	struct pt_unwind_result result;
	struct pt_frame frames[2];
	struct pt_regs regs;

	if (!a || a->lr == a->ip || !(f->rec->has & PERF_SAMPLE_REGS_USER) ||
	    s->user_abi != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	pt_arch_regs(a, s->user_mask, s->user_regs, &regs);
	if (!(regs.valid >> a->lr & 1))
		return 0;
	f->stack_start = 0;
	regs.r[a->ip] = ip;
	regs.r[a->sp] = a->word_bytes;	/* any: there is no memory */
	regs.valid = 1ull << a->ip | 1ull << a->sp | 1ull << a->lr;
	return pt_unwind(f->unwinder, a, &pt_frames_unwind_ops, f, &regs, frames, 2, &result) ==
				       2 &&
			       !result.guessed
		       ? frames[1].ip
		       : 0;
}

/* Adds a recorded call chain, by its marks. `user` false: only the kernel's part. */
static void frames_walk_add_chain(struct pt_frames *f, const uint64_t *ips, uint64_t nr, bool user)
{
	bool kernel = pt_record_in_kernel(f->rec), first = true;
	const struct pt_arch *a = pt_frames_arch(f, PERF_SAMPLE_REGS_ABI_64);
	uint64_t i, pc, caller;

	for (i = 0; i < nr; i++) {
		uint64_t ip = ips[i];

		if (ip == PT_CONTEXT_USER_DEFERRED)	/* see stack/defer.h; a cookie follows */
			break;
		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL ||
				 ip == (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
			first = true;
			continue;
		}
		if (kernel)
			add_kernel(f, ip, first ? ip : ip - 1);
		else if (user)
			add_user(f, ip, first ? ip : called_from(f, a, ip));
		if (!kernel && user && first && (caller = caller_in_register(f, a, ip))) {
			pc = called_from(f, a, caller);
			add_user(f, pc, pc);	/* counts as unwound */
		}
		first = false;
	}
}

/* Reads the process's maps again, after lost map records or where an address has no mapping (munmap
 * and mremap have no event). Limited in rate: it takes nearly a millisecond while rings fill. */
static bool reread(struct pt_frames *f)
{
	uint64_t now_ns = f->rec->time_ns, *slot;

	if (!f->opts.live || !(f->rec->has & PERF_SAMPLE_TIME))
		return false;
	if (now_ns / SECOND_NS != f->second) {
		f->second = now_ns / SECOND_NS;
		f->rereads = 0;
	}
	slot = pt_map_put(&f->reread, f->pid);
	if (f->rereads >= REREADS_A_SECOND || (*slot && now_ns - *slot < REREAD_AFTER_NS))
		return false;
	*slot = now_ns;
	f->rereads++;
	return pt_spaces_reread(f->spaces, f->pid);
}

static void see_loss(struct pt_frames *f)
{
	uint64_t *last = f->loss_ns ? pt_map_get(&f->reread, f->pid) : NULL;

	if (f->loss_ns && (!last || *last < f->loss_ns))
		reread(f);
}

static size_t unwind(struct pt_frames *f, const struct pt_arch *a, struct pt_frames_how *how)
{
	const struct pt_sample *s = &f->rec->sample;
	struct pt_regs regs;

	pt_arch_regs(a, s->user_mask, s->user_regs, &regs);
	f->stack_start = regs.r[a->sp];
	if (s->stack_len && regs.valid >> a->sp & 1) {
		regs.stack = s->stack;
		regs.stack_addr = f->stack_start;
		regs.stack_len = s->stack_len;
	}
	return f->opts.by ? f->opts.by->unwind(a, &pt_frames_unwind_ops, f, &regs, f->raw, f->max,
					       &how->unwind)
			  : pt_unwind(f->unwinder, a, &pt_frames_unwind_ops, f, &regs, f->raw,
				      f->max, &how->unwind);
}

/* Branch records of a CPU with a call stack: the innermost place, then the address of each call.
 * They replace the user part of the chain; a sample in the kernel has none. */
static void frames_walk_add_branches(struct pt_frames *f)
{
	const struct pt_sample *s = &f->rec->sample;
	uint64_t i;

	add_user(f, s->branches[0].to, s->branches[0].to);
	for (i = 0; i < s->nr_branches; i++)
		add_user(f, s->branches[i].from, s->branches[i].from);
}

bool pt_frames_uses_branches(const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	uint64_t i;

	if (!rec->event || !(rec->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) ||
	    !(rec->has & PERF_SAMPLE_BRANCH_STACK) || !s->nr_branches)
		return false;
	for (i = 0; (rec->has & PERF_SAMPLE_CALLCHAIN) && i < s->nr_callchain; i++)
		if (s->callchain[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return !(rec->has & PERF_SAMPLE_CALLCHAIN);
}

/* A frame, or the place of the next one, has no known mapping. */
static bool hit_nothing(const struct pt_frames *f, size_t n, enum pt_unwind_end end)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!f->raw[i].user)
			return true;
	return end == PT_UNWIND_NO_CODE;
}

static bool is_outermost(const struct pt_place_at *at)
{
	const struct pt_row *row = at->object ? pt_cfi_row(at->object, at->vaddr) : NULL;

	for (unsigned i = 0; row && i < row->nr_rules; i++)
		if (row->rules[i].reg == row->ra_reg)
			return row->rules[i].rule == PT_RULE_UNDEFINED;
	return false;
}

/* How many of the chain's entries from `from` on are of frames that were unwound: all in front of
 * the first other one. 0: they do not reach the last three of those frames (a chain skips what a
 * signal interrupted). Fewer do where C code without unwind data ran on behalf of a goroutine: it
 * mostly leaves the frame pointer alone. */
static uint64_t nr_common(const struct pt_frames *f, uint64_t from, uint64_t nr, size_t n,
			  enum pt_unwind_end end)
{
	const uint64_t *chain = f->rec->sample.callchain;
	struct pt_object *o = f->raw[n - 1].object;
	bool c_of_go = end == PT_UNWIND_NO_RULE && o && pt_gotable_of(o);
	size_t k = 0, at;
	uint64_t i;

	for (i = from; i < nr; i++, k = at + 1) {
		for (at = k; at < n && f->raw[at].ip != chain[i]; at++)
			;
		if (at == n)
			break;
	}
	return k + 2 >= n || c_of_go ? i - from : 0;
}

/* The kernel had no room for more callers: kernel.perf_event_max_stack, unless that was changed. */
static bool chain_is_full(const struct pt_record *rec)
{
	uint16_t max = rec->event ? rec->event->attr.sample_max_stack : 0;
	uint64_t i, nr = 0;

	for (i = 0; i < rec->sample.nr_callchain; i++)
		nr += rec->sample.callchain[i] < (uint64_t)PERF_CONTEXT_MAX;
	return nr == (max ? max : KERNEL_MAX_STACK);
}

/* Goes on by the kernel's call chain: frame pointers lead beyond the copy of the stack, and from
 * the stack of a thread to that of the goroutine which it runs. */
static void go_on_by_chain(struct pt_frames *f, const struct pt_arch *a, size_t n,
			   struct pt_frames_how *how)
{
	const uint64_t *chain = f->rec->sample.callchain;
	uint64_t i = 0, nr = f->rec->has & PERF_SAMPLE_CALLCHAIN ? f->rec->sample.nr_callchain : 0,
		 common;
	size_t before = f->nr;

	while (i < nr && chain[i++] != (uint64_t)PERF_CONTEXT_USER)
		;
	common = nr_common(f, i, nr, n, how->unwind.end);
	for (i = common ? i + common : nr; i < nr; i++) {
		uint64_t pc = called_from(f, a, chain[i]);
		const struct pt_mapping *m = pt_frames_mapping(f, pc);

		if (!m || !(m->prot & PROT_EXEC))
			break;
		add_user(f, chain[i], pc);
	}
	if (f->nr == before)
		return;
	how->unwind.guessed = true;
	how->unwind.end = is_outermost(f->stack[f->nr - 1]) ? PT_UNWIND_COMPLETE : PT_UNWIND_STACK;
	how->chain_is_full = i == nr && chain_is_full(f->rec);
}

static void add_unwound(struct pt_frames *f, struct pt_frames_how *how)
{
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_arch *a = pt_frames_arch(f, s->user_abi);
	size_t n, i;

	if (!a || s->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	see_loss(f);
	n = unwind(f, a, how);
	/* Within exec the registers are still the previous program's, whose memory is gone and
	 * whose maps were not seen. */
	if (pt_record_in_kernel(f->rec) && !s->stack_len && n == 1 && !f->raw[0].user)
		return;
	if (hit_nothing(f, n, how->unwind.end) && reread(f))
		n = unwind(f, a, how);
	for (i = 0; i < n; i++)
		frames_walk_add_frame(f, &f->raw[i]);
	if (n && how->unwind.end != PT_UNWIND_DEPTH)
		go_on_by_chain(f, a, n, how);
	how->unwound = true;
	how->module = n && f->raw[n - 1].user
			      ? ((const struct pt_mapping *)f->raw[n - 1].user)->file->path
			      : NULL;
	how->no_copy = how->unwind.end == PT_UNWIND_STACK && !s->stack_len;
	how->elsewhere = s->stack_len && pt_unwind_goes_elsewhere(&how->unwind, f->stack_start);
	how->larger_copy_helps = s->stack_len && !how->elsewhere &&
				 n * PT_UNWIND_MAX_COPY / s->stack_len > f->nr;
	f->counts.ends[how->unwind.end]++;
}

static bool has_stray_caller(const struct pt_frames *f)
{
	for (size_t i = 1; i < f->nr; i++)
		if (!f->stack[i]->kernel && !f->stack[i]->file)
			return true;
	return false;
}

size_t pt_frames_places(struct pt_frames *f, const struct pt_record *rec,
			const struct pt_place_at *const **places, struct pt_frames_how *how)
{
	const struct pt_sample *s = &rec->sample;
	bool dwarf = (rec->has & PERF_SAMPLE_REGS_USER) && (rec->has & PERF_SAMPLE_STACK_USER),
	     branches = !dwarf && pt_frames_uses_branches(rec);

	*how = (struct pt_frames_how){ .unwound = false };
	f->rec = rec;
	f->pid = rec->pid;
	f->time_ns = rec->has & PERF_SAMPLE_TIME ? rec->time_ns : UINT64_MAX;
	f->nr = 0;
	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		f->maps += pt_spaces_runs(f->spaces, rec->pid);
	if (f->opts.live)
		pt_files_see_process(f->files, rec->pid);
	if (rec->has & PERF_SAMPLE_CALLCHAIN)
		frames_walk_add_chain(f, s->callchain, s->nr_callchain, !dwarf && !branches);
	if (branches)
		frames_walk_add_branches(f);
	if (dwarf)
		add_unwound(f, how);
	if (!f->nr && rec->has & PERF_SAMPLE_IP) {
		how->ip_alone = true;
		if (pt_record_in_kernel(rec))
			add_kernel(f, s->ip, s->ip);
		else
			add_user(f, s->ip, s->ip);
	}
	how->cut = f->nr >= f->max;
	how->stray = !how->unwound && !branches && has_stray_caller(f);
	f->counts.stacks++;
	f->counts.frames += f->nr;
	*places = f->stack;
	return f->nr;
}
