/* The layout of the scheduler's events in this recording, and the meaning of prev_state's bits. */
#include "sched/sched_priv.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* An event, its fields of numbers ('!' in front: required) and of names. */
struct role {
	const char *name;
	enum pt_sched_kind kind;
	const char *number[SCHED_NUMBERS];
	const char *comm[SCHED_COMMS];
};

#define WAKE { [N_PID] = "!pid", [N_CPU] = "target_cpu", [N_PRIO] = "prio" }, { "comm" }
static const struct role roles[] = {
	{ "sched_switch", PT_SCHED_SWITCH, { [N_PID] = "!prev_pid", [N_NEXT] = "!next_pid", [N_STATE] = "!prev_state", [N_PRIO] = "prev_prio", [N_NEXT_PRIO] = "next_prio" },
	  { "prev_comm", "next_comm" } },
	{ "sched_waking", PT_SCHED_WAKING, WAKE },
	{ "sched_wakeup", PT_SCHED_WAKEUP, WAKE },
	{ "sched_wakeup_new", PT_SCHED_WAKEUP_NEW, WAKE },
	{ "sched_migrate_task", PT_SCHED_MIGRATE, { [N_PID] = "!pid", [N_CPU] = "dest_cpu", [N_FROM] = "orig_cpu" }, { "comm" } },
	{ "sched_process_fork", PT_SCHED_FORK, { [N_PID] = "!child_pid", [N_PARENT] = "parent_pid" }, { "child_comm" } },
	{ "sched_process_exec", PT_SCHED_EXEC, { [N_PID] = "!pid", [N_PARENT] = "old_pid" }, { NULL } },
	{ "sched_process_exit", PT_SCHED_EXIT, { [N_PID] = "!pid" }, { "comm" } },
	{ "sched_stat_runtime", PT_SCHED_RUNTIME, { [N_PID] = "!pid", [N_VALUE] = "!runtime" }, { "comm" } },
};

static struct pt_tp_place place_name(const struct pt_tp_field *f, struct sched_format *to)
{
	bool plain = f->flags & PT_TP_STRING && !(f->flags & (PT_TP_DYNAMIC | PT_TP_POINTER));
	bool dynamic =
		f->flags & PT_TP_DYNAMIC && !(f->flags & PT_TP_RELATIVE) && f->size_bytes == 4;

	return plain || dynamic ? pt_tp_place(f, &to->need_bytes)
				: (struct pt_tp_place){ .size_bytes = 0 };
}

static const struct role *role_of(const struct pt_event *event)
{
	const char *system = event->tp ? event->tp->system : "sched",
		   *name = event->tp                           ? event->tp->name
			   : !strncmp(event->name, "sched:", 6) ? event->name + 6
								: "";

	if (strcmp(system, "sched"))
		return NULL;
	for (size_t i = 0; i < PT_NR(roles); i++)
		if (!strcmp(roles[i].name, name))
			return &roles[i];
	return NULL;
}

/* The letters since kernel 4.14. Before it other letters stood for the bits from 16 on, and the
 * format has them. */
static void usual_states(struct sched_states *st)
{
	memcpy(st->of_bit, "SDTtXZPI", 8);
	st->named = 0xff;
}

/* Reads the flags of the print format: `{ 0x00000001, "S" }, ...` behind the first prev_state. */
static void read_states(const char *fmt, struct sched_states *st)
{
	const char *p = fmt ? strstr(fmt, "prev_state") : NULL;
	unsigned long v;
	char *end;

	for (p = p ? strchr(p, '{') : NULL; p; p = strchr(p, '{')) {
		v = strtoul(p + 1, &end, 0);
		p++;
		end += strspn(end, "UL, ");
		if (!v || v & (v - 1) || v > UINT32_MAX || end[0] != '"' || !end[1] ||
		    end[2] != '"')
			continue;
		st->of_bit[__builtin_ctzl(v)] = end[1];
		st->named |= v;
	}
	if (!(st->named & 1))
		usual_states(st);
}

char sched_state(const struct sched_states *st, uint64_t state, bool *preempted)
{
	uint64_t named = state & st->named;

	*preempted = !state || state & ~st->named;
	return named ? st->of_bit[__builtin_ctzll(named)] : 'R';
}

int sched_format(const struct pt_event *event, struct sched_format *f, struct pt_err *e)
{
	const struct role *r = role_of(event);
	const struct pt_tp_field *tf;

	*f = (struct sched_format){ .seen = true, .has = UINT64_MAX };
	if (!r)
		return 0;
	if (!event->tp)
		return pt_err_set(
			e,
			"%s: the recording does not have its format (tracing data): was it cut short?",
			event->name);
	for (size_t i = 0; i < SCHED_NUMBERS; i++) {
		const char *name = r->number[i];
		bool must = name && *name == '!';

		tf = name ? pt_tp_field(event->tp, name + must) : NULL;
		if (pt_tp_is_number(tf))
			f->number[i] = pt_tp_place(tf, &f->need_bytes);
		if (must && !f->number[i].size_bytes)
			return pt_err_set(e, "%s has no field %s that can be used", event->name,
					  name + 1);
	}
	for (size_t i = 0; i < SCHED_COMMS; i++)
		if (r->comm[i] && (tf = pt_tp_field(event->tp, r->comm[i])))
			f->comm[i] = place_name(tf, f);
	if (r->kind == PT_SCHED_SWITCH)
		read_states(event->tp->print_fmt, &f->states);
	if (event->attr.sample_type &&
	    ~event->attr.sample_type & (PERF_SAMPLE_TIME | PERF_SAMPLE_CPU))
		return pt_err_set(e, "%s was recorded without %s", event->name,
				  event->attr.sample_type & PERF_SAMPLE_TIME
					  ? "CPUs"
					  : "times: record with -T");
	f->kind = r->kind;
	f->has = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	return 0;
}

const char *sched_comm(const struct pt_tp_place *f, const struct pt_record *rec, size_t *len)
{
	const uint8_t *raw = rec->sample.raw;
	uint32_t loc, off, n;

	if (!f->size_bytes)
		return NULL;
	*len = f->size_bytes;
	if (!f->is_dynamic)
		return (const char *)raw + f->off;
	loc = pt_load32(raw + f->off, rec->swap);
	off = loc & 0xffff;
	n = loc >> 16;
	if (off > rec->sample.raw_len || n > rec->sample.raw_len - off)
		return NULL;
	*len = n;
	return (const char *)raw + off;
}
