/* second UNWINDER FILE: unwinds each sample of a recording by pt's unwinder and by another one, libunwind or libdwfl, from the same registers and the same memory, and
 * compares address by address. Prints how many stacks and frames, and where the others differ:
 *     STACKS stacks, SAME same, FRAMES frames, DIFFERING differing, NO-CFI where no CFI leads on, EARLY end early
 *     CLASS MODULE N
 * NO-CFI: the last frame that both have is in code without CFI (start-up code, what an exec has just taken away): each guesses in its own way from there on. EARLY: the other one ends, in
 * code that has CFI; pt goes on. Frames and differing ones are counted without both. Then the first stacks that differ. Status 77: not built with it. */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "unwind/second_unwinder.h"
#include "record/read/source.h"
#include "stack/frames_priv.h"

enum { SHOWN = 8, MAX_MODULES = 256 };

/* What libdwfl knows of one program of a process. */
struct theirs {
	struct theirs *next;
	uint32_t pid;
	uint64_t generation;		/* which of its programs */
	Dwfl *dwfl;
	bool attached;
	struct { struct pt_object *o; uint64_t bias; } modules[MAX_MODULES];
	size_t nr;
};

struct asked {
	const struct pt_unwind_ops *ops;
	void *ctx;
	const struct pt_regs *regs;
	struct pt_frame *frames;
	size_t max, nr;
	bool exact;
};

static struct theirs *all;
static struct asked now;		/* libdwfl's callbacks keep the argument of dwfl_attach_state() */
static uint32_t now_pid;
static struct pt_unwinder *own;

static int no_debug_file(Dwfl_Module *m, void **u, const char *name, Dwarf_Addr base, const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)u, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = arg;
	return (pid_t)now_pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl, (void)tid;
	*thread = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *v, void *arg)
{
	(void)dwfl, (void)arg;
	*v = 0;
	return now.ops->read(now.ctx, addr, v, 8);
}

static bool set_registers(Dwfl_Thread *t, void *arg)
{
	Dwarf_Word words[17];
	int i;

	(void)arg;
	for (i = 0; i < 17; i++)
		words[i] = now.regs->r[i];
	return dwfl_thread_state_registers(t, 0, 17, words);
}

static int add_frame(Dwfl_Frame *f, void *arg)
{
	struct pt_place p = { .object = NULL };
	Dwarf_Addr pc;
	bool activation;

	(void)arg;
	if (!dwfl_frame_pc(f, &pc, &activation) || now.nr == now.max)
		return DWARF_CB_ABORT;
	if ((!pc || !now.ops->find(now.ctx, pc - !activation, &p) || !p.exec) && now.nr)
		return DWARF_CB_ABORT;
	now.frames[now.nr++] = (struct pt_frame){ .ip = pc, .pc = pc - !activation, .object = p.object, .vaddr = pc - !activation - p.bias };
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debug_file };
static const Dwfl_Thread_Callbacks threads = { next_thread, get_thread, read_memory, set_registers, NULL, NULL };

static struct theirs *of_pid(uint32_t pid, uint64_t generation)
{
	struct theirs *t;

	for (t = all; t; t = t->next)
		if (t->pid == pid && t->generation == generation)
			return t;
	t = pt_alloc(sizeof(*t));
	t->pid = pid;
	t->generation = generation;
	t->dwfl = dwfl_begin(&callbacks);
	t->next = all;
	return all = t;
}

/* A module is told when an address in it comes by. */
static void see_module(struct theirs *t, const struct pt_place *p)
{
	char name[32];
	size_t i;
	int fd;

	for (i = 0; i < t->nr; i++)
		if (t->modules[i].o == p->object && t->modules[i].bias == p->bias)
			return;
	if (t->nr == MAX_MODULES)
		return;
	t->modules[t->nr].o = p->object;
	t->modules[t->nr].bias = p->bias;
	snprintf(name, sizeof(name), "module%zu", t->nr++);
	fd = memfd_create(name, 0);
	if (fd < 0 || write(fd, p->object->file.data, p->object->file.len_bytes) != (ssize_t)p->object->file.len_bytes)
		exit(2);
	dwfl_report_begin_add(t->dwfl);
	if (!dwfl_report_elf(t->dwfl, name, name, fd, p->bias, true))
		fprintf(stderr, "second: %s: %s\n", p->object->path, dwfl_errmsg(-1));
	dwfl_report_end(t->dwfl, NULL, NULL);
}

static size_t by_libdwfl(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx, const struct pt_regs *regs, struct pt_frame *frames, size_t max,
			 struct pt_unwind_result *result)
{
	struct theirs *t = of_pid(now_pid, pt_spaces_generation(((struct pt_frames *)ctx)->spaces, now_pid));
	struct pt_place p;
	size_t n, i;

	n = pt_unwind(own, a, ops, ctx, regs, frames, max, result);
	for (i = 0; i < n; i++)
		if (ops->find(ctx, frames[i].pc, &p) && p.object)
			see_module(t, &p);
	now = (struct asked){ ops, ctx, regs, frames, max, 0, true };
	if (!t->attached && t->nr)
		t->attached = dwfl_attach_state(t->dwfl, NULL, (pid_t)now_pid, &threads, t);
	if (t->attached)
		dwfl_getthread_frames(t->dwfl, (pid_t)now_pid, add_frame, NULL);
	result->end = PT_UNWIND_COMPLETE;
	return now.nr;
}

struct tally { uint64_t stacks, same, no_cfi, early, frames, differing, shown; struct pt_map at; struct pt_names *names; };

static const char *file_of(const struct pt_named_frame *x)
{
	const char *slash = x->module ? strrchr(x->module, '/') : NULL;

	return slash ? slash + 1 : x->module ? x->module : "?";
}

static void count(struct tally *t, struct pt_frames *f, size_t i, const char *class)
{
	const struct pt_named_frame *x;
	char text[512];

	pt_frames_name(f, f->stack[i], &x);
	snprintf(text, sizeof(text), "%s %s", class, file_of(x));
	*pt_map_put(&t->at, (uint64_t)(uintptr_t)pt_names_add(t->names, text, SIZE_MAX)) += 1;
}

static void show(struct pt_frames *f, const char *who, size_t from)
{
	const struct pt_named_frame *x;
	size_t i;

	printf("  %s:", who);
	for (i = from; i < f->nr && i < from + 4; i++) {
		pt_frames_name(f, f->stack[i], &x);
		printf(" %#llx %s (%s)", (unsigned long long)f->shown[i].ip, x->name ? x->name : "?", file_of(x));
	}
	printf("%s\n", f->nr > from + 4 ? " ..." : " end");
}

static void compare(struct pt_frames *a, struct pt_frames *b, struct tally *t)
{
	size_t n = PT_MIN(a->nr, b->nr), max = PT_MAX(a->nr, b->nr), i = 0, last;

	t->stacks++;
	while (i < n && a->shown[i].ip == b->shown[i].ip)
		i++;
	last = i ? i - 1 : 0;
	if (i < a->nr && a->stack[last]->kernel)
		last = i;		/* the first of the program's */
	if (i == max) {
		t->same++;
	} else if (a->nr && (!a->stack[last]->object || !pt_cfi_row(a->stack[last]->object, a->stack[last]->vaddr))) {
		t->no_cfi++;
		count(t, a, last, "no-cfi");
		max = i;
	} else if (i == b->nr) {
		t->early++;
		count(t, a, last, "early");
		max = i;
	} else {
		t->differing += max - i;
		if (t->shown++ < SHOWN) {
			printf("differ from frame %zu on, of %zu and %zu:\n", i, a->nr, b->nr);
			show(a, "pt", last);
			show(b, "other", last);
		}
	}
	t->frames += max;
}

int main(int argc, char **argv)
{
	static const struct pt_unwind_by libdwfl = { "libdwfl", by_libdwfl };
	struct pt_frames_opts opts = { .no_inline = true };
	const struct pt_place_at *const *places;
	struct tally t = { .names = pt_names_new() };
	struct pt_err e = PT_ERR_INIT;
	const struct pt_record *rec;
	struct pt_frames_how how;
	struct pt_frames *a, *b;
	struct pt_map_slot *slot;
	struct pt_source *s;
	size_t i;
	int rc;

	if (argc != 3)
		return fprintf(stderr, "usage: second libunwind|libdwfl FILE\n"), 2;
	a = pt_frames_new(&opts);
	opts.by = !strcmp(argv[1], "libdwfl") ? &libdwfl : pt_second_unwinder();
	if (!opts.by)
		return fprintf(stderr, "second: not built with %s\n", argv[1]), 77;
	b = pt_frames_new(&opts);
	own = pt_unwinder_new();
	if (pt_source_open(&s, argv[2], NULL, &e) < 0)
		return fprintf(stderr, "second: %s\n", e.msg), 2;
	while ((rc = pt_source_next(s, &rec, &e)) > 0) {
		pt_frames_feed(a, s, rec);
		pt_frames_feed(b, s, rec);
		if (rec->type != PERF_RECORD_SAMPLE || !(rec->has & PERF_SAMPLE_STACK_USER) || !rec->sample.user_abi)
			continue;
		now_pid = rec->pid;
		pt_frames_places(a, rec, &places, &how);
		pt_frames_places(b, rec, &places, &how);
		compare(a, b, &t);
	}
	printf("%llu stacks, %llu same, %llu frames, %llu differing, %llu where no CFI leads on, %llu end early\n", (unsigned long long)t.stacks,
	       (unsigned long long)t.same, (unsigned long long)t.frames, (unsigned long long)t.differing, (unsigned long long)t.no_cfi, (unsigned long long)t.early);
	for (i = 0; (slot = pt_map_each(&t.at, &i)); )
		printf("%s %llu\n", (const char *)(uintptr_t)slot->key, (unsigned long long)slot->value);
	return rc < 0 ? fprintf(stderr, "second: %s\n", e.msg), 2 : 0;
}
