#include "syscall/call.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "event/sysnr.h"

/* A call of a tracepoint that waits for its end. */
struct started {
	uint64_t start_ns;
	uint32_t pid, cpu;
	int64_t nr;
	uint64_t args[PT_CALL_ARGS];
};

struct pt_calls {
	struct pt_sysnr *names[2];	/* the second: of 32-bit programs */
	char *machine;			/* as uname -m says it: of a recording, or of here */
	bool foreign;			/* another one than here */
	bool compat;			/* all its calls are of 32-bit programs */
	const char *known[PT_CALL_SLOTS];	/* names, once looked up */
	struct pt_map open;		/* tid -> struct started */
};

#if defined(__aarch64__)
static const uint8_t arg_at[PT_CALL_ARGS] = { 0, 8, 16, 24, 32, 40 };
#elif defined(__x86_64__)	/* r10 r9 r8 ax cx dx si di orig_ax */
static const uint8_t arg_at[PT_CALL_ARGS] = { 56, 48, 40, 0, 16, 8 };
#else
#error "its registers at system calls are not known here"
#endif

int pt_call_arg_at(int i)
{
	return arg_at[i];
}

/* The next piece within `len` bytes; NULL: there is none, or it is damaged. */
static const struct pt_piece *call_piece_at(const struct pt_call *c, size_t at)
{
	const struct pt_piece *p = (const struct pt_piece *)(c->data + at);

	if (c->kind == PT_CALL_SIGNAL || at + sizeof(*p) > c->len ||
	    p->len > c->len - at - sizeof(*p))
		return NULL;
	return p;
}

static size_t call_behind(size_t at, const struct pt_piece *p)
{
	return at + sizeof(*p) + ((p->len + 7u) & ~7u);
}

const struct pt_piece *pt_call_piece(const struct pt_call *c, int item, int flags)
{
	const struct pt_piece *p;

	for (size_t at = 0; (p = call_piece_at(c, at)); at = call_behind(at, p))
		if (p->item == item && (p->flags & ~PT_PIECE_AGAIN) == flags)
			return p;
	return NULL;
}

const struct pt_piece *pt_call_element(const struct pt_call *c, int item, uint32_t index)
{
	const struct pt_piece *p, *last = NULL;

	/* a structure comes before the elements that it points to, and is numbered as the first */
	for (size_t at = 0; (p = call_piece_at(c, at)); at = call_behind(at, p))
		if (p->item == item && p->index == index && !(p->flags & PT_PIECE_END))
			last = p;
	return last;
}

void pt_calls_free(struct pt_calls *c)
{
	struct pt_map_slot *slot;

	if (!c)
		return;
	for (size_t i = 0; (slot = pt_map_each(&c->open, &i)); )
		free((void *)(uintptr_t)slot->value);
	pt_map_deinit(&c->open);
	pt_sysnr_free(c->names[0]);
	pt_sysnr_free(c->names[1]);
	free(c->machine);
	free(c);
}

/* Calls that are newer than libseccomp; they have one number on all machines. */
static const struct { int64_t nr; const char *name; } new_calls[] = {
	{ 442, "mount_setattr" }, { 443, "quotactl_fd" }, { 444, "landlock_create_ruleset" },
	{ 445, "landlock_add_rule" }, { 446, "landlock_restrict_self" }, { 447, "memfd_secret" },
	{ 448, "process_mrelease" }, { 449, "futex_waitv" }, { 450, "set_mempolicy_home_node" },
	{ 451, "cachestat" }, { 452, "fchmodat2" }, { 453, "map_shadow_stack" },
	{ 454, "futex_wake" }, { 455, "futex_wait" }, { 456, "futex_requeue" },
	{ 457, "statmount" }, { 458, "listmount" }, { 459, "lsm_get_self_attr" },
	{ 460, "lsm_set_self_attr" }, { 461, "lsm_list_modules" }, { 462, "mseal" },
	{ 463, "setxattrat" }, { 464, "getxattrat" }, { 465, "listxattrat" },
	{ 466, "removexattrat" }, { 467, "open_tree_attr" }, { 468, "file_getattr" },
	{ 469, "file_setattr" },
};

static const char *new_name(int64_t nr)
{
	for (size_t i = 0; i < PT_NR(new_calls); i++)
		if (new_calls[i].nr == nr)
			return new_calls[i].name;
	return NULL;
}

/* Whose calls these are: of 64-bit programs, and of 32-bit ones. */
static void set_machine(struct pt_calls *c, const char *arch)
{
	c->compat = pt_sysnr_is_i386(arch);
	pt_sysnr_free(c->names[0]);
	pt_sysnr_free(c->names[1]);
	free(c->machine);
	c->machine = pt_strdup(arch);
	c->names[0] = pt_sysnr_new(c->compat ? NULL : arch);
	c->names[1] = pt_sysnr_new(c->compat || !strcmp(arch, "x86_64") ? "i386" : NULL);
	memset(c->known, 0, sizeof(c->known));
}

struct pt_calls *pt_calls_new(void)
{
	struct pt_calls *c = pt_alloc(sizeof(*c));
	struct utsname here;

	set_machine(c, uname(&here) == 0 ? here.machine : "");
	return c;
}

const char *pt_calls_name(struct pt_calls *c, int slot)
{
	const char *name;

	if (!c->known[slot]) {
		name = pt_sysnr_name(c->names[slot / PT_CALLS], slot % PT_CALLS);
		c->known[slot] = name ? name : new_name(slot % PT_CALLS);
	}
	return c->known[slot];
}

const char *pt_calls_foreign(const struct pt_calls *c)
{
	return c->foreign ? c->machine : NULL;
}

static void swap_arguments(struct pt_call *call, int i, int j)
{
	uint64_t arg = call->args[i];

	call->args[i] = call->args[j];
	call->args[j] = arg;
}

/* Its name; the arguments of clone get the order that they have on x86-64: kernel/fork.c. */
static void name_call(struct pt_calls *c, struct pt_call *call)
{
	call->name = pt_calls_name(c, pt_call_slot(call));
	call->machine = c->machine;
	if (!call->name || strcmp(call->name, "clone"))
		return;
	if (call->compat || !strcmp(c->machine, "aarch64"))
		swap_arguments(call, 3, 4);
	else if (!strcmp(c->machine, "s390x"))
		swap_arguments(call, 0, 1);
}

/* What programs wrote: a pt_call_record with pieces behind it. */
static bool of_programs(struct pt_calls *c, const void *raw, size_t len, struct pt_call *call)
{
	struct pt_call_record r;

	if (len < sizeof(r))
		return false;
	memcpy(&r, raw, sizeof(r));
	*call = (struct pt_call){ .kind = r.kind,
				  .flags = r.flags,
				  .nr = r.nr % PT_CALLS,
				  .compat = r.nr >= PT_CALLS,
				  .start_ns = r.start_ns,
				  .end_ns = r.end_ns,
				  .ret = r.ret,
				  .data = (const uint8_t *)raw + sizeof(r),
				  .len = len - sizeof(r) };
	if (r.kind == PT_CALL_EXIT)
		call->start_ns = r.end_ns;
	for (int i = 0; i < PT_CALL_ARGS; i++)
		memcpy(&call->args[i], (const uint8_t *)r.regs + arg_at[i], 8);
	if (r.kind != PT_CALL_DONE && r.kind != PT_CALL_UNFINISHED)
		return true;
	if (call->nr == PT_CALL_OTHER)
		call->nr = (uint32_t)r.regs[PT_CALL_REGS - 1];
	name_call(c, call);
	return true;
}

/* A field of the tracepoint as a number; 0: there is none. */
static uint64_t call_field(const struct pt_record *rec, const char *name, size_t index)
{
	const struct pt_tp_field *f = pt_tp_field(rec->event->tp, name);
	size_t size = f ? f->elem_bytes ? f->elem_bytes : f->size_bytes : 0;

	if (!f || f->off + (index + 1) * size > rec->sample.raw_len)
		return 0;
	return pt_load_number((const uint8_t *)rec->sample.raw + f->off + size * index,
			      (uint32_t)size, f->flags & PT_TP_SIGNED, rec->swap);
}

static struct started *start_of(struct pt_calls *c, uint32_t tid)
{
	uint64_t *at = pt_map_put(&c->open, tid);

	if (!*at)
		*at = pt_word_of(pt_alloc(sizeof(struct started)));
	return pt_pointer(*at);
}

static void see_entry(struct pt_calls *c, const struct pt_record *rec, bool raw)
{
	struct started *st = start_of(c, rec->tid);
	const struct pt_tp *tp = rec->event->tp;
	size_t nr = 0;

	*st = (struct started){ .start_ns = rec->time_ns, .pid = rec->pid, .cpu = rec->cpu };
	st->nr = (int64_t)(int32_t)call_field(rec, raw ? "id" : "__syscall_nr", 0);
	if (raw)
		for (size_t i = 0; i < PT_CALL_ARGS; i++)
			st->args[i] = call_field(rec, "args", i);
	else	/* the arguments are the fields behind the number, 8 bytes each */
		for (size_t i = 0; i < tp->nr_fields && nr < PT_CALL_ARGS; i++)
			if (strncmp(tp->fields[i].name, "common_", 7) &&
			    strcmp(tp->fields[i].name, "__syscall_nr"))
				st->args[nr++] = call_field(rec, tp->fields[i].name, 0);
}

static void call_fill(struct pt_calls *c, const struct started *st, struct pt_call *call)
{
	call->nr = st->nr;
	call->start_ns = st->start_ns;
	memcpy(call->args, st->args, sizeof(call->args));
	call->compat = c->compat;
	call->no_memory = true;
	name_call(c, call);
}

static bool of_tracepoints(struct pt_calls *c, const struct pt_record *rec,
			   struct pt_call *call)
{
	const struct pt_tp *tp = rec->event->tp;
	bool raw = !strcmp(tp->system, "raw_syscalls");
	struct started *st = pt_map_get_pointer(&c->open, rec->tid),
		       alone = { .start_ns = rec->time_ns };

	if (!raw && strcmp(tp->system, "syscalls"))
		return false;
	if (!strncmp(tp->name, "sys_enter", 9)) {
		see_entry(c, rec, raw);
		return false;
	}
	if (strncmp(tp->name, "sys_exit", 8))
		return false;
	*call = (struct pt_call){ .kind = PT_CALL_DONE,
				  .pid = rec->pid,
				  .tid = rec->tid,
				  .cpu = rec->cpu,
				  .end_ns = rec->time_ns,
				  .ret = (int64_t)call_field(rec, "ret", 0) };
	if (st) {
		call_fill(c, st, call);
		pt_map_del(&c->open, rec->tid);
		free(st);
		return true;
	}
	call->flags = PT_CALL_NO_START;
	alone.nr = (int64_t)(int32_t)call_field(rec, raw ? "id" : "__syscall_nr", 0);
	call_fill(c, &alone, call);
	return true;
}

bool pt_calls_feed(struct pt_calls *c, const struct pt_source *s, const struct pt_record *rec,
		   struct pt_call *call)
{
	if (rec->type != PERF_RECORD_SAMPLE || !rec->event || !(rec->has & PERF_SAMPLE_RAW))
		return false;
	if (rec->event->tp) {
		const char *arch = s ? pt_source_info(s)->arch : NULL;

		if (arch && strcmp(arch, c->machine)) {
			set_machine(c, arch);
			c->foreign = true;
		}
		return of_tracepoints(c, rec, call);
	}
	/* never of a recording: the layout is this machine's */
	if (!s || !pt_source_info(s)->live ||
	    !of_programs(c, rec->sample.raw, rec->sample.raw_len, call))
		return false;
	call->pid = rec->pid;
	call->tid = rec->tid;
	call->cpu = rec->cpu;
	return true;
}

bool pt_calls_of_task(struct pt_calls *c, uint32_t tid, const struct pt_task_state *state,
		      uint64_t end_ns, struct pt_call *call)
{
	size_t len = PT_MIN((size_t)state->len, sizeof(state->pieces));

	if (!(state->flags & PT_TASK_IN_CALL) || state->flags & PT_TASK_AWAITS_EXEC ||
	    !of_programs(c, &state->sample.call, sizeof(state->sample.call) + len, call))
		return false;
	call->kind = PT_CALL_UNFINISHED;
	call->flags = PT_CALL_OPEN;
	call->end_ns = end_ns;
	call->pid = state->sample.pid ? state->sample.pid : tid;
	call->tid = tid;
	return true;
}

bool pt_calls_open(struct pt_calls *c, size_t *i, uint64_t end_ns, struct pt_call *call)
{
	struct pt_map_slot *slot = pt_map_each(&c->open, i);
	const struct started *st = slot ? pt_pointer(slot->value) : NULL;

	if (!st)
		return false;
	*call = (struct pt_call){ .kind = PT_CALL_UNFINISHED,
				  .pid = st->pid,
				  .tid = (uint32_t)slot->key,
				  .cpu = st->cpu,
				  .end_ns = end_ns };
	call_fill(c, st, call);
	/* these do not return */
	if (!call->name || strncmp(call->name, "exit", 4))
		call->flags = PT_CALL_OPEN;
	return true;
}
