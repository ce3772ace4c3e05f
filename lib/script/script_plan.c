/* script_plan.c - what a line of an event contains: the requested fields that its samples have */
#include "script/script_priv.h"

#include <string.h>

#include "base/mem.h"
#include "event/abi.h"

static int script_plan_type_of(const struct pt_event *ev)
{
	return ev->attr.type < TYPE_OTHER ? (int)ev->attr.type : TYPE_OTHER;
}

static bool is_dummy(const struct pt_event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

/* perf names data addresses for these events only. */
static bool script_plan_is_fault(const struct pt_event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE &&
	       (ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
		ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/* What each field needs of a sample; other fields need nothing. */
static const struct { uint64_t field, sample_type; } needs[] = {
	{ F_TID | F_PID, PERF_SAMPLE_TID }, { F_CPU, PERF_SAMPLE_CPU },
	{ F_TIME, PERF_SAMPLE_TIME }, { F_IP, PERF_SAMPLE_IP },
	{ F_ADDR, PERF_SAMPLE_ADDR }, { F_DATA_SRC, PERF_SAMPLE_DATA_SRC },
	{ F_WEIGHT, PERF_SAMPLE_WEIGHT | PT_SAMPLE_WEIGHT_STRUCT },
	{ F_INS_LAT, PT_SAMPLE_WEIGHT_STRUCT }, { F_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR },
	{ F_DATA_PAGE, PT_SAMPLE_DATA_PAGE_SIZE },
	{ F_CODE_PAGE, PT_SAMPLE_CODE_PAGE_SIZE }, { F_UREGS, PERF_SAMPLE_REGS_USER },
	{ F_BRANCHES, PERF_SAMPLE_BRANCH_STACK }, { F_IREGS, PERF_SAMPLE_REGS_INTR },
	{ F_CGROUP, PT_SAMPLE_CGROUP }, { F_TOD, PERF_SAMPLE_TIME },
	{ F_INSN | F_INSNLEN | F_SRCCODE, PERF_SAMPLE_IP },
};

static uint64_t lacking(const struct pt_event *ev)
{
	uint64_t fields = 0;
	size_t i;

	for (i = 0; i < PT_NR(needs); i++)
		if (!(ev->attr.sample_type & needs[i].sample_type))
			fields |= needs[i].field;
	return fields;
}

/* As in perf, the first event of a type decides which fields exist. */
static const struct pt_event *first_of_type(struct pt_source *src, int type)
{
	size_t i, nr = pt_source_nr_events(src);

	for (i = 0; i < nr; i++) {
		const struct pt_event *ev = pt_source_event(src, i);

		if (!is_dummy(ev) && script_plan_type_of(ev) == type)
			return ev;
	}
	return NULL;
}

int pt_script_check(struct pt_script *s, struct pt_source *src, struct pt_err *e)
{
	int t;

	for (t = 0; t < NR_TYPES; t++) {
		const struct pt_event *ev = first_of_type(src, t);
		uint64_t lacks = ev ? lacking(ev) & s->types[t].asked : 0;

		if (!ev && s->types[t].by_type)
			return pt_err_set(e, "--fields: there are no %s events here",
					  pt_script_type_name(t));
		if (s->types[t].asked & F_TOD && !pt_source_info(src)->has_clock_data)
			return pt_err_set(
				e, "--fields tod: the recording does not tell the time of day; what pt-record writes does, and perf record -k mono");
		if (lacks)
			return pt_err_set(e, "--fields: the samples of %s have no %s", ev->name,
					  pt_script_field_name(lacks));
	}
	return 0;
}

/* Tracepoints show addresses if one of them has call chains. */
static bool tracepoint_chains(struct pt_source *src)
{
	size_t i, nr = pt_source_nr_events(src);

	for (i = 0; i < nr; i++) {
		const struct pt_event *ev = pt_source_event(src, i);

		if (ev->attr.type == PERF_TYPE_TRACEPOINT &&
		    ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

static void make_plan(struct pt_script *s, struct pt_source *src, const struct pt_event *ev,
		      struct plan *p)
{
	int type = script_plan_type_of(ev);
	const struct pt_event *first = first_of_type(src, type);
	size_t i;

	p->fields = s->types[type].fields;
	p->arch = pt_source_info(src)->arch;
	p->to_wall_ns = pt_source_info(src)->wall_ns - pt_source_info(src)->clock_ns;
	if (type == TYPE_TRACEPOINT && !s->types[type].set && !s->o.hide_chains &&
	    tracepoint_chains(src))
		p->fields |= F_IP | F_SYM | F_SYMOFF | F_DSO;
	p->fields &= ~lacking(ev);
	if (first)
		p->fields &= ~(lacking(first) & ~s->types[type].asked);
	p->chain =
		!s->o.hide_chains && ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
		p->fields & F_IP;
	/* A chain whose user part must be unwound is handled by frames even if names are not shown.
	 */
	p->named =
		p->fields & F_IP && (p->fields & (F_SYM | F_DSO | F_SRCLINE) ||
				     (p->chain && ev->attr.sample_type & PERF_SAMPLE_STACK_USER));
	p->named_addr =
		p->fields & F_ADDR && p->fields & (F_SYM | F_DSO) && script_plan_is_fault(ev);
	p->bpf_output =
		ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
	if (!s->name_width)
		for (i = 0; i < pt_source_nr_events(src); i++)
			s->name_width =
				PT_MAX(s->name_width, strlen(pt_source_event(src, i)->name));
	p->name_len = strlen(ev->name);
}

const struct plan *pt_script_plan(struct pt_script *s, struct pt_source *src,
				  const struct pt_event *ev)
{
	PT_GROW_TO(s->plans, s->nr_plans, ev->index);
	if (!s->plans[ev->index]) {
		s->plans[ev->index] = pt_alloc(sizeof(struct plan));
		make_plan(s, src, ev, s->plans[ev->index]);
	}
	return s->plans[ev->index];
}

bool pt_script_needs_frames(struct pt_script *s, struct pt_source *src)
{
	size_t i, nr = pt_source_nr_events(src);
	struct plan p;

	if (s->o.symbols.nr || s->o.dsos.nr)
		return true;

	for (i = 0; i < nr; i++) {
		const struct pt_event *ev = pt_source_event(src, i);

		p = (struct plan){ .fields = 0 };
		make_plan(s, src, ev, &p);
		if (!is_dummy(ev) && (p.named || p.named_addr || p.fields & F_FROM_FILES ||
				      (p.fields & F_BRSTACK && p.fields & F_DSO)))
			return true;
	}
	return false;
}
