#include "view/frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "view/frames_priv.h"

enum { DEFAULT_MAX = 1024, REREADS_A_SECOND = 20, AHEAD_BYTES = 1 << 20 };

static const uint64_t SECOND_NS = 1000000000, REREAD_AFTER_NS = 500000000;

struct pt_frames *pt_frames_new(const struct pt_frames_opts *o)
{
	struct pt_frames *f = pt_alloc(sizeof(*f));

	f->opts = *o;
	f->max = o->max_stack ? (size_t)o->max_stack : DEFAULT_MAX;
	f->spaces = pt_spaces_new();
	f->files = pt_files_new(&(struct pt_files_opts){ .symfs = o->symfs, .live = o->live, .debuginfod = o->debuginfod });
	f->vdsos = pt_vdsos_new();
	f->own_vdso = o->live;
	f->unwinder = pt_unwinder_new();
	f->names = pt_names_new();
	f->raw = pt_alloc_array(f->max, sizeof(*f->raw));
	f->stack = pt_alloc_array(f->max, sizeof(*f->stack));
	f->ips = pt_alloc_array(f->max, sizeof(*f->ips));
	f->shown = pt_alloc_array(f->max, sizeof(*f->shown));
	f->kernel = pt_kernel_new(o->kallsyms, o->vmlinux, o->live);
	f->ksymbols = pt_ksymbols_new();
	f->path_ids = pt_path_ids_new();
	if (!o->live)
		pt_frames_settle(f);
	return f;
}

void pt_frames_settle(struct pt_frames *f)
{
	if (f->keep || !(f->keep = pt_keep_open()))
		return;
	pt_files_use(f->files, f->keep);
	pt_kernel_use(f->kernel, f->keep);
}

static void drop_file(struct pt_mapped_file *file)
{
	free(file->user);
}

void pt_frames_free(struct pt_frames *f)
{
	struct pt_map_slot *s;
	size_t i;

	if (!f)
		return;
	if (f->has_keeper)
		pthread_join(f->keeper, NULL);
	for (i = 0; (s = pt_map_each(&f->modules, &i)); )
		pt_frames_module_free(f, (struct module *)(uintptr_t)s->value);
	pt_arena_deinit(&f->all_places);
	for (i = 0; i < f->nr_named; i++)
		free(f->named[i].frames);
	free(f->named);
	for (i = 0; (s = pt_map_each(&f->jits, &i)); )
		pt_jit_free((struct pt_jit *)(uintptr_t)s->value);
	pt_frames_data_free(f);
	pt_map_deinit(&f->modules);
	pt_map_deinit(&f->places);
	pt_map_deinit(&f->nice);
	pt_map_deinit(&f->jits);
	pt_map_deinit(&f->reread);
	pt_map_deinit(&f->born);
	pt_map_deinit(&f->ended);
	pt_spaces_free(f->spaces, drop_file);
	pt_unwinder_free(f->unwinder);
	pt_vdsos_free(f->vdsos);
	pt_files_free(f->files);
	pt_kernel_free(f->kernel);
	pt_ksymbols_free(f->ksymbols);
	pt_path_ids_free(f->path_ids);
	pt_keep_close(f->keep);
	pt_names_free(f->names);
	pt_names_free(f->jit_names);
	while (f->news_taken < f->nr_news)
		pt_kernel_news_free(f->news[f->news_taken++]);
	free(f->news);
	free(f->fresh);
	free(f->arch);
	free(f->raw);
	free(f->stack);
	free(f->ips);
	free(f->shown);
	free(f->out);
	free(f->all);
	free(f);
}

static bool of_this_kernel(const struct pt_info *info)
{
	struct utsname u;

	return info->arch && info->os_release && !uname(&u) && !strcmp(u.machine, info->arch) && !strcmp(u.release, info->os_release);
}

void pt_frames_kernel_ahead(struct pt_frames *f, const struct pt_source *s)
{
	const struct pt_info *info = pt_source_info(s);
	struct utsname u;
	bool kernel = false;
	size_t i;

	for (i = 0; i < pt_source_nr_events(s); i++)
		kernel |= !pt_source_event(s, i)->side_band && !(pt_source_event(s, i)->attr.flags & PT_ATTR_EXCLUDE_KERNEL);
	if (kernel && !info->live && info->data_len_bytes >= AHEAD_BYTES && of_this_kernel(info) && info->hostname && !uname(&u) && !strcmp(u.nodename, info->hostname))
		pt_kernel_ahead(f->kernel);
}

static void see_source(struct pt_frames *f, const struct pt_info *info)
{
	struct utsname u;

	if (!f->arch) {
		f->arch = pt_strdup(info->arch ? info->arch : "x86_64");
		f->own_vdso = f->opts.live || of_this_kernel(info);
		f->clock.here = info->hostname && !uname(&u) && !strcmp(u.nodename, info->hostname);
	}
	f->clock.clockid = info->clockid;
	f->clock.has_wall = info->has_clock_data;
	f->clock.clock_ns = info->clock_ns;
	f->clock.wall_ns = info->wall_ns;
	if (info->has_time_conv) {
		f->clock.shift = info->time_shift;
		f->clock.mult = info->time_mult;
		f->clock.zero = info->time_zero;
	}
}

static void feed_kernel(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec)
{
	struct pt_kernel_news *n = pt_kernel_note(f->ksymbols, s, rec);

	if (rec->type == PERF_RECORD_KSYMBOL)	/* other places from now on */
		memset(f->kernel_places, 0, sizeof(f->kernel_places));
	if (!n)
		return;
	if (!f->parted) {
		pt_kernel_learn(f->kernel, n);
		return;
	}
	PT_GROW(f->news, f->nr_news, f->cap_news);
	f->news[f->nr_news++] = n;
}

void pt_frames_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec)
{
	if (!f->arch || rec->type != PERF_RECORD_SAMPLE) {
		see_source(f, pt_source_info(s));
		pt_path_ids_see(f->path_ids, s);
	}
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (f->opts.live)
			pt_files_see_process(f->files, rec->u.mmap.pid);
		pt_spaces_feed(f->spaces, rec);
		pt_jit_feed(f, rec);
		feed_kernel(f, s, rec);
		break;
	case PERF_RECORD_FORK:
		if (f->opts.live && rec->u.task.pid != rec->u.task.ppid)
			pt_files_see_fork(f->files, rec->u.task.ppid, rec->u.task.pid);
		pt_jit_feed(f, rec);
		pt_spaces_feed(f->spaces, rec);
		break;
	case PERF_RECORD_COMM:
		if (rec->misc & PERF_RECORD_MISC_COMM_EXEC)
			pt_files_see_change(f->files, rec->u.comm.pid);
		pt_jit_feed(f, rec);
		pt_spaces_feed(f->spaces, rec);
		break;
	case PERF_RECORD_NAMESPACES:
		pt_files_see_change(f->files, rec->u.namespaces.pid);
		break;
	case PERF_RECORD_EXIT:
		pt_jit_feed(f, rec);
		pt_spaces_feed(f->spaces, rec);
		break;
	case PERF_RECORD_LOST:
		if (!rec->event || rec->event->side_band)
			f->loss_ns = rec->time_ns;
		break;
	case PERF_RECORD_KSYMBOL:
		feed_kernel(f, s, rec);
		break;
	}
}

/* What is behind a mapping: found once a file. */
struct resolved { struct pt_object *object; bool anonymous, vdso; };

/* What has no build-id is known by its inode, which stays when a linker writes over the file: then it must be older than the first sample in it. */
static bool written_since(const struct pt_frames *f, const struct pt_object *o)
{
	uint64_t now = f->opts.live || f->opts.symfs || !f->clock.here ? 0 : pt_frames_wall(f, f->time_ns);

	return now && o->changed_ns > 0 && (uint64_t)o->changed_ns > now;
}

static const struct resolved *resolve(struct pt_frames *f, const struct pt_mapping *m)
{
	struct pt_mapped_file *file = m->file;
	struct resolved *r = file->user;
	struct pt_file_query q = {
		.path = file->path, .pid = f->opts.live ? f->pid : file->pid, .start = m->start, .end = m->end,
		.maj = file->maj, .min = file->min, .ino = file->ino,
	};

	if (r)
		return r;
	r = file->user = pt_alloc(sizeof(*r));
	r->anonymous = pt_files_is_anonymous(file->path);
	r->vdso = !strcmp(file->path, "[vdso]");
	q.build_id.len = file->build_id_len;
	memcpy(q.build_id.bytes, file->build_id, sizeof(q.build_id.bytes));
	if (!q.build_id.len)
		q.told = pt_path_ids_of(f->path_ids, file->path);
	if (!r->vdso && (q.build_id.len || !r->anonymous || (f->opts.live && !strncmp(file->path, "/memfd:", 7))))
		r->object = pt_files_object(f->files, &q);
	if (r->object && !q.build_id.len && !strcmp(r->object->path, file->path) && written_since(f, r->object))
		r->object = NULL;
	return r;
}

/* The object behind a mapping and where it lies: worked out once a mapping. NULL: none. */
static struct pt_object *object_of(struct pt_frames *f, const struct pt_mapping *mapping, uint64_t *bias)
{
	struct pt_mapping *m = (struct pt_mapping *)mapping;
	const struct resolved *r = resolve(f, m);
	uint64_t vaddr;

	if (r->vdso) {			/* one name, but an image a word size */
		*bias = m->start;
		return pt_vdsos_object(f->vdsos, f->files, m, f->own_vdso, f->opts.live ? f->pid : 0);
	}
	if (m->bias_is == PT_BIAS_UNKNOWN) {
		m->bias_is = PT_BIAS_KNOWN;
		if (r->object && (pt_object_map_vaddr(r->object, m->pgoff, m->prot & PROT_EXEC, 4096, &vaddr) ||
				  pt_object_map_vaddr(r->object, m->pgoff, true, 4096, &vaddr)))
			m->bias = m->start - vaddr;
		else
			m->bias_is = PT_BIAS_NONE;
	}
	*bias = m->bias;
	return m->bias_is == PT_BIAS_KNOWN ? r->object : NULL;
}

static const struct pt_mapping *mapping_at(struct pt_frames *f, uint32_t pid, uint64_t addr)
{
	return pt_spaces_find(f->spaces, pid, addr);
}

static bool find_place(void *ctx, uint64_t addr, struct pt_place *p)
{
	struct pt_frames *f = ctx;
	const struct pt_mapping *m = mapping_at(f, f->pid, addr);

	if (!m)
		return false;
	p->bias = 0;
	p->object = object_of(f, m, &p->bias);
	p->exec = m->prot & PROT_EXEC;
	p->user = m;
	p->start = m->start;
	p->end = m->end;
	if (!p->object && p->exec && resolve(f, m)->anonymous) {
		p->object = pt_jit_object(f, addr, &p->bias);
		p->start = p->end;
	}
	return true;
}

/* The dumped stack, then bytes of files that the process cannot have changed. */
static bool read_memory(void *ctx, uint64_t addr, void *to, size_t len)
{
	struct pt_frames *f = ctx;
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_mapping *m;
	const struct pt_object *o;
	const uint8_t *bytes;
	uint64_t bias;

	if (addr >= f->stack_start && addr - f->stack_start < s->stack_len && s->stack_len - (addr - f->stack_start) >= len) {
		bytes = (const uint8_t *)s->stack + (addr - f->stack_start);
		if (len == 8)
			memcpy(to, bytes, 8);
		else
			memcpy(to, bytes, len);
		return true;
	}
	m = mapping_at(f, f->pid, addr);
	if (m && !(m->prot & PROT_WRITE) && (o = object_of(f, m, &bias)) && (bytes = pt_object_bytes(o, addr - bias, len, false))) {
		memcpy(to, bytes, len);
		return true;
	}
	return f->read && f->read(f->read_ctx, addr, to, len);
}

static const struct pt_unwind_ops unwind_ops = { find_place, read_memory };

static const struct pt_place_at *intern(struct pt_frames *f, const struct pt_place_at *want)
{
	uint64_t who = want->object ? (uint64_t)(uintptr_t)want->object : want->kernel ? 1 + 2 * want->jit : ((uint64_t)want->pid << 32 ^ want->generation << 1) + pt_hash64(want->jit);
	uint64_t *slot = pt_map_put(&f->places, pt_hash64(want->vaddr) ^ who * 0x9e3779b97f4a7c15u);
	struct pt_place_at *p;

	for (p = (struct pt_place_at *)(uintptr_t)*slot; p; p = p->next)
		if (p->vaddr == want->vaddr && p->object == want->object && p->kernel == want->kernel &&
		    (p->object || (p->jit == want->jit && (p->kernel || (p->pid == want->pid && p->generation == want->generation)))))
			return p;
	p = pt_arena_memdup(&f->all_places, want, sizeof(*want));
	p->index = f->nr_places++;
	p->next = (struct pt_place_at *)(uintptr_t)*slot;
	*slot = (uint64_t)(uintptr_t)p;
	if (f->parted && p->anonymous) {
		PT_GROW(f->fresh, f->nr_fresh, f->cap_fresh);
		f->fresh[f->nr_fresh++] = p;
	}
	return p;
}

/* What is known of JIT code at the time of the sample that came there first. */
static void name_fresh(struct pt_frames *f)
{
	struct pt_named_frame x;
	size_t i;

	for (i = 0; i < f->nr_fresh; i++)
		if (pt_jit_name(f, f->fresh[i], &x))
			f->fresh[i]->jitted = pt_arena_memdup(&f->all_places, &x, sizeof(x));
	f->nr_fresh = 0;
}

static void add_place(struct pt_frames *f, uint64_t ip, uint64_t shown, uint64_t past, const struct pt_place_at *place)
{
	if (f->nr >= f->max)
		return;
	f->shown[f->nr] = (struct pt_frames_shown){ place, shown, (uint32_t)past };
	f->ips[f->nr] = ip;
	f->stack[f->nr++] = place;
}

/* How perf script would show an address in a mapping. */
static uint64_t shown_in(struct pt_frames *f, const struct pt_mapping *m, uint64_t addr)
{
	const struct resolved *r;

	if (!m)
		return addr;
	if (!m->shown_known) {
		struct pt_mapping *to = (struct pt_mapping *)m;

		r = resolve(f, m);
		to->shown_known = true;
		to->shown = r->anonymous && !r->vdso ? 0 : (r->vdso ? 0 : m->pgoff) - m->start;
	}
	return addr + m->shown;
}

static const struct pt_place_at *user_place(struct pt_frames *f, const struct pt_mapping *m, uint64_t pc)
{
	struct pt_place_at at = { .vaddr = pc, .module = m ? m->file->path : NULL };
	uint64_t bias;

	if (m && (at.object = object_of(f, m, &bias))) {
		at.vaddr = pc - bias;
	} else {
		at.pid = f->pid;
		at.generation = pt_spaces_generation(f->spaces, f->pid);
		at.anonymous = !m || resolve(f, m)->anonymous;
		at.jit = at.anonymous ? pt_jit_tag(f, pc) : 0;
		at.time_ns = f->time_ns;
	}
	return intern(f, &at);
}

static void add_user(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	const struct pt_mapping *m = mapping_at(f, f->pid, pc);

	add_place(f, ip, shown_in(f, m, ip), ip - pc, user_place(f, m, pc));
}

/* An unwound frame: its place is remembered beside the row that was used, so that a known one costs no look-up. */
static void add_frame(struct pt_frames *f, const struct pt_frame *x)
{
	const struct pt_mapping *m = x->user ? x->user : mapping_at(f, f->pid, x->pc);
	void **memo = x->object ? pt_unwinder_memo(f->unwinder, x->object, x->vaddr) : NULL;
	const struct pt_place_at *place = memo && *memo ? *memo : NULL;

	if (!place) {
		place = user_place(f, m, x->pc);
		if (memo && place->object)	/* that of JIT code may be told apart better later on */
			*memo = (void *)place;
	}
	add_place(f, x->ip, shown_in(f, m, x->pc), 0, place);
}

static const struct pt_place_at *kernel_place(struct pt_frames *f, uint64_t pc)
{
	const struct pt_place_at **known = &f->kernel_places[pt_hash64(pc) % PT_NR(f->kernel_places)];

	if (!*known || (*known)->vaddr != pc)
		*known = intern(f, &(struct pt_place_at){ .kernel = true, .vaddr = pc, .jit = pt_ksymbols_tag(f->ksymbols, pc) });
	return *known;
}

static void add_kernel(struct pt_frames *f, uint64_t ip, uint64_t pc)
{
	add_place(f, ip, ip, ip - pc, kernel_place(f, pc));
}

/* Where to look up a return address: a byte before it, but for that of a signal's handler, which the kernel makes return to the start of a function of its own. */
static uint64_t called_from(struct pt_frames *f, const struct pt_arch *a, uint64_t ip)
{
	const struct pt_mapping *m = a && a->lr != a->ip ? mapping_at(f, f->pid, ip) : NULL;
	uint8_t code[8];
	size_t i;

	if (m && !strcmp(m->file->path, "[vdso]") && read_memory(f, ip, code, sizeof(code)))
		for (i = 0; i < a->nr_trampolines; i++)
			if (a->trampolines[i].in_vdso && !memcmp(code, a->trampolines[i].code, a->trampolines[i].code_bytes))
				return ip;
	return ip - 1;
}

/* Call chains by frame pointer pass over the caller of a function that has not made its frame, or makes none: its return address is in the link register still
 * (arm64), where CFI says so and that was recorded. 0: it is not, or nobody knows. */
static uint64_t caller_in_register(struct pt_frames *f, const struct pt_arch *a, uint64_t ip)
{
	const struct pt_sample *s = &f->rec->sample;
	struct pt_unwind_result result;
	struct pt_frame frames[2];
	struct pt_regs regs;

	if (!a || a->lr == a->ip || !(f->rec->has & PERF_SAMPLE_REGS_USER) || s->user_abi != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	pt_arch_regs(a, s->user_mask, s->user_regs, &regs);
	if (!(regs.valid >> a->lr & 1))
		return 0;
	f->stack_start = 0;
	regs.r[a->ip] = ip;
	regs.r[a->sp] = a->word_bytes;	/* any: no memory is known */
	regs.valid = 1ull << a->ip | 1ull << a->sp | 1ull << a->lr;
	return pt_unwind(f->unwinder, a, &unwind_ops, f, &regs, frames, 2, &result) == 2 && !result.guessed ? frames[1].ip : 0;
}

/* A recorded call chain: marks tell which part follows. With `user` false only the kernel's part. True when it had a user part. */
static bool add_chain(struct pt_frames *f, const uint64_t *ips, uint64_t nr, bool user)
{
	bool kernel = (f->rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL, had_user = false, first = true;
	const struct pt_arch *a = pt_arch_of(f->arch ? f->arch : "x86_64", PERF_SAMPLE_REGS_ABI_64);
	uint64_t i, pc, caller;

	for (i = 0; i < nr; i++) {
		uint64_t ip = ips[i];

		if (ip == PT_CONTEXT_USER_DEFERRED)	/* view/defer.h; a cookie follows */
			break;
		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL || ip == (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
			first = true;
			continue;
		}
		had_user |= !kernel;
		if (kernel)
			add_kernel(f, ip, first ? ip : ip - 1);
		else if (user)
			add_user(f, ip, first ? ip : called_from(f, a, ip));
		if (!kernel && user && first && (caller = caller_in_register(f, a, ip))) {
			pc = called_from(f, a, caller);
			add_user(f, pc, pc);	/* shown as what is unwound */
		}
		first = false;
	}
	return had_user;
}

/* Reads the process's maps again: when the kernel lost records that told of them, or when an address hits none (munmap and mremap send no event). Not
 * too often: it takes a good part of a millisecond, while rings fill. */
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

/* The first sample of a process behind a loss of side-band records. */
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
	return f->opts.unwind ? f->opts.unwind(a, &unwind_ops, f, &regs, f->raw, f->max, &how->unwind)
			      : pt_unwind(f->unwinder, a, &unwind_ops, f, &regs, f->raw, f->max, &how->unwind);
}

/* Branch records of a CPU that keeps a call stack in them: the innermost place, then where each call stands, not behind it. They take the place of the user's part
 * of the chain, which holds the kernel's; a sample in the kernel alone has none. */
static bool add_branches(struct pt_frames *f)
{
	const struct pt_sample *s = &f->rec->sample;
	uint64_t i;

	add_user(f, s->branches[0].to, s->branches[0].to);
	for (i = 0; i < s->nr_branches; i++)
		add_user(f, s->branches[i].from, s->branches[i].from);
	return true;
}

bool pt_frames_uses_branches(const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	uint64_t i;

	if (!rec->event || !(rec->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) || !(rec->has & PERF_SAMPLE_BRANCH_STACK) || !s->nr_branches)
		return false;
	for (i = 0; (rec->has & PERF_SAMPLE_CALLCHAIN) && i < s->nr_callchain; i++)
		if (s->callchain[i] == (uint64_t)PERF_CONTEXT_USER)
			return true;
	return !(rec->has & PERF_SAMPLE_CALLCHAIN);
}

/* A frame, or where the next one should be, is at an address where nothing is mapped as far as is known. */
static bool hit_nothing(const struct pt_frames *f, size_t n, enum pt_unwind_end end)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!f->raw[i].user)
			return true;
	return end == PT_UNWIND_NO_CODE;
}

static bool add_unwound(struct pt_frames *f, struct pt_frames_how *how)
{
	const struct pt_sample *s = &f->rec->sample;
	const struct pt_arch *a = pt_arch_of(f->arch ? f->arch : "x86_64", s->user_abi);
	bool in_kernel = (f->rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	size_t n, i;

	if (!a || s->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	see_loss(f);
	n = unwind(f, a, how);
	/* Within exec the registers are still those of the program before, whose memory is gone. */
	if (in_kernel && !s->stack_len && n == 1 && !f->raw[0].user)
		return false;
	if (hit_nothing(f, n, how->unwind.end) && reread(f))
		n = unwind(f, a, how);
	for (i = 0; i < n; i++)
		add_frame(f, &f->raw[i]);
	how->unwound = true;
	how->module = n && f->raw[n - 1].user ? ((const struct pt_mapping *)f->raw[n - 1].user)->file->path : NULL;
	how->no_copy = how->unwind.end == PT_UNWIND_STACK && !s->stack_len;
	f->counts.ends[how->unwind.end]++;
	f->counts.no_copy += how->no_copy;
	f->counts.guessed += how->unwind.guessed;
	return n > 0;
}

size_t pt_frames_places(struct pt_frames *f, const struct pt_record *rec, const struct pt_place_at *const **places, struct pt_frames_how *how)
{
	const struct pt_sample *s = &rec->sample;
	bool dwarf = (rec->has & PERF_SAMPLE_REGS_USER) && (rec->has & PERF_SAMPLE_STACK_USER), branches = !dwarf && pt_frames_uses_branches(rec), user = false;

	*how = (struct pt_frames_how){ .unwound = false };
	f->rec = rec;
	f->pid = rec->pid;
	f->time_ns = rec->has & PERF_SAMPLE_TIME ? rec->time_ns : UINT64_MAX;
	f->nr = 0;
	if (f->opts.live)
		pt_files_see_process(f->files, rec->pid);
	if (rec->has & PERF_SAMPLE_CALLCHAIN) {
		user = add_chain(f, s->callchain, s->nr_callchain, !dwarf && !branches);
	} else if (!dwarf && !branches && (rec->has & PERF_SAMPLE_IP)) {
		user = (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL;
		if (user)
			add_user(f, s->ip, s->ip);
		else
			add_kernel(f, s->ip, s->ip);
	}
	if (branches)
		user = add_branches(f);
	if (dwarf)
		user = add_unwound(f, how);
	how->kernel_only = !user;
	how->cut = f->nr >= f->max;
	name_fresh(f);
	f->counts.stacks++;
	f->counts.frames += f->nr;
	*places = f->stack;
	return f->nr;
}

size_t pt_frames_as_shown(const struct pt_frames *f, const struct pt_frames_shown **shown)
{
	*shown = f->shown;
	return f->nr;
}

size_t pt_frames_named(struct pt_frames *f, const struct pt_named_frame **frames)
{
	const struct pt_named_frame *names;
	size_t i, k, nr, out = 0;
	struct pt_named_frame *all = f->all;

	for (i = 0; i < f->nr; i++) {
		nr = pt_frames_name(f, f->stack[i], &names);
		if (out + nr > f->cap_all)
			all = f->all = pt_realloc(f->all, f->cap_all = (out + nr) * 2, sizeof(*all));
		for (k = 0; k < nr; k++, out++) {
			all[out] = names[k];
			all[out].ip = f->ips[i];
			all[out].shown = f->shown[i].shown;
			all[out].past = f->shown[i].past;
			f->counts.unknown += !names[k].name;
		}
	}
	*frames = all;
	return out;
}

size_t pt_frames_of(struct pt_frames *f, const struct pt_record *rec, const struct pt_named_frame **frames, struct pt_frames_how *how)
{
	const struct pt_place_at *const *places;

	pt_frames_places(f, rec, &places, how);
	return pt_frames_named(f, frames);
}

void pt_frames_part(struct pt_frames *f)
{
	f->parted = true;
	f->jit_names = pt_names_new();
}

struct pt_kernel_news *pt_frames_news(struct pt_frames *f)
{
	if (f->news_taken < f->nr_news)
		return f->news[f->news_taken++];
	f->nr_news = f->news_taken = 0;
	return NULL;
}

bool pt_frames_is_kernel(const struct pt_place_at *at)
{
	return at->kernel;
}

bool pt_frames_has_file(const struct pt_place_at *at)
{
	return at->object || at->kernel;
}

uint32_t pt_frames_index(const struct pt_place_at *at)
{
	return at->index;
}

const struct pt_place_at *pt_frames_place(struct pt_frames *f, uint32_t pid, bool kernel, uint64_t addr, uint64_t time_ns)
{
	const struct pt_place_at *place;

	f->pid = pid;
	f->time_ns = time_ns;
	place = kernel ? kernel_place(f, addr) : user_place(f, mapping_at(f, pid, addr), addr);
	name_fresh(f);
	return place;
}

size_t pt_frames_at(struct pt_frames *f, uint32_t pid, bool kernel, uint64_t addr, uint64_t time_ns, const struct pt_named_frame **frames)
{
	return pt_frames_name(f, pt_frames_place(f, pid, kernel, addr, time_ns), frames);
}

bool pt_frames_read_maps(struct pt_frames *f, uint32_t pid)
{
	struct utsname u;

	if (!f->arch)
		f->arch = pt_strdup(uname(&u) < 0 ? "x86_64" : u.machine);
	pt_files_see_process(f->files, pid);
	return pt_spaces_reread(f->spaces, pid);
}

void pt_frames_set_memory(struct pt_frames *f, bool (*read)(void *ctx, uint64_t addr, void *to, size_t len), void *ctx)
{
	f->read = read;
	f->read_ctx = ctx;
}

bool pt_frames_module_at(struct pt_frames *f, uint32_t pid, uint64_t addr, struct pt_frames_module *out)
{
	const struct pt_mapping *m = mapping_at(f, pid, addr);
	const struct pt_object *o;
	uint64_t bias;

	f->pid = pid;
	if (!m || !(o = object_of(f, m, &bias)))
		return false;
	*out = (struct pt_frames_module){ m->file->path, o->build_id, bias + (o->nr_segments ? o->segments[0].vaddr & ~0xfffull : 0) };
	return true;
}

bool pt_frames_is_anonymous(const char *module)
{
	return *module == '/' && pt_files_is_anonymous(module);
}

struct pt_frames_counts pt_frames_counts(const struct pt_frames *f)
{
	struct pt_frames_counts c = f->counts;
	struct pt_files_counts files = pt_files_counts(f->files);

	c.missing_files = files.missing;
	c.other_builds = files.other_build;
	return c;
}
