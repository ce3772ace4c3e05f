/* pt-schedmap - which task runs on which CPU at each switch. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/opt.h"
#include "cli/switches.h"
#include "cli/tty.h"
#include "event/topology.h"
#include "sched/schedmap.h"
#include "sched/schedplace.h"

enum { SHOWN_PLACES = 8, MAX_CPUS = 8192 };

struct args {
	struct pt_schedmap_opts o;
	bool affinity, json;
	const char *output;
	enum fold { FOLD_NONE, FOLD_CORE, FOLD_DIE, FOLD_SOCKET, FOLD_NODE } fold;
	enum pt_ansi ansi;
	struct pt_strs tasks;
	int *colour_cpus;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_word folds[] = { PT_WORD("core", FOLD_CORE), PT_WORD("die", FOLD_DIE),
					PT_WORD("socket", FOLD_SOCKET),
					PT_WORD("node", FOLD_NODE), { 0 } };

static const struct pt_opt own[] = {
	PT_ROW_FLAG(0, "compact", "only columns of CPUs that have switched, in order of their first switch",
		    o.compact),
	PT_ROW(0, "cpus", "CPUS", "only these CPUs: 0-3,7",
	       PT_OPT_NUMBERS, choose.cpus, .nr_off = offsetof(struct args, choose.nr_cpus),
	       .max = INT32_MAX, .given = "--cpus",
	       .given_off = offsetof(struct args, choose.given)),
	PT_ROW_FLAG(0, "changes", "no columns, only the CPU that switches (for narrow terminals)",
		    o.changes),
	PT_ROW(0, "fold", "BY",
	       "a column for each core, die, socket or node: its number of busy CPUs", PT_OPT_WORD,
	       fold, .words = folds),
	PT_ROW(0, "task", "TASKS",
	       "colour these tasks, names (patterns) or tids; with --affinity: show only these", PT_OPT_NAMES,
	       tasks),
	PT_ROW(0, "color-pids", "TIDS", "the same, by tid", PT_OPT_NAMES, tasks),
	PT_ROW(0, "task-name", "TASKS", NULL, PT_OPT_NAMES, tasks),
	PT_ROW(0, "color-cpus", "CPUS", "colour the marks of switches on these CPUs",
	       PT_OPT_NUMBERS,
	       colour_cpus, .nr_off = offsetof(struct args, o.nr_colour_cpus), .max = INT32_MAX),
	PT_ROW(0, "ansi", "WHEN", "colours always, never, or auto (on terminals that have them)",
	       PT_OPT_WORD, ansi, .words = pt_ansi_words),
	PT_ROW_FLAG(0, "no-latency",
		    "omit the last field, how long the incoming task has waited", o.no_latency),
	PT_ROW_FLAG(0, "affinity", "a table of where each task ran and how often it moved",
		    affinity),
	PT_ROW_JSON("one JSON object per line"),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-schedmap",
	.forms = pt_input_forms,
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-schedmap -- make -j4",
		"pt-schedmap --affinity --task lat_mem_rd -- taskset -c 1 lat_mem_rd 1 2048",
		"pt-schedmap --compact --task 'make,cc*' build.data | less -R",
		"pt-schedmap --fold socket -a --for 1"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_sched *sched;
	/* NULL until the first event, when the recording's machine is known */
	struct pt_schedmap *map;
	struct pt_schedplace *places;
	int *group;			/* of CPUs, for --fold */
};

/* The number of the group of a CPU, by the recording's topology or, live, by this machine's. */
static int64_t group_key(const struct run *r, size_t cpu)
{
	const struct pt_info *info = pt_source_info(r->an.src);
	struct pt_cpu_place p = { .socket = -1, .core = -1, .node = -1 };
	int64_t die;

	if (r->an.live)
		p = pt_topology_of(NULL, (int)cpu);
	else if (cpu < info->nr_cpus)
		p = (struct pt_cpu_place){ .socket = info->cpus[cpu].socket,
					   .die = info->cpus[cpu].die,
					   .core = info->cpus[cpu].core,
					   .node = -1 };
	die = (int64_t)p.socket << 16 | (p.die & 0xffff);
	switch (r->a->fold) {
	case FOLD_SOCKET: return p.socket;
	case FOLD_DIE: return die;
	case FOLD_NODE: return p.node;
	default: return p.core < 0 ? -1 : die << 24 | (p.core & 0xffffff);
	}
}

/* Numbers the groups in the order of their first CPUs. */
static int group_cpus(struct run *r, struct pt_schedmap_opts *o, struct pt_err *e)
{
	int64_t *keys = pt_alloc_array(o->nr_cpus, sizeof(*keys));

	o->group = r->group = pt_alloc_array(o->nr_cpus, sizeof(*r->group));
	o->nr_grouped = o->nr_cpus;
	for (size_t cpu = 0, g; cpu < o->nr_cpus; cpu++) {
		int64_t key = group_key(r, cpu);

		for (g = 0; g < o->nr_groups && keys[g] != key; g++)
			;
		if (g == o->nr_groups && key >= 0)
			keys[o->nr_groups++] = key;
		r->group[cpu] = key < 0 ? -1 : (int)g;
	}
	free(keys);
	if (o->nr_groups)
		return 0;
	return pt_err_set(e, "--fold %s: the recording does not say which CPU is in which %s",
			  folds[r->a->fold - 1].name, folds[r->a->fold - 1].name);
}

static int start(struct run *r, struct pt_err *e)
{
	const struct pt_info *info = pt_source_info(r->an.src);
	struct args *a = r->a;
	struct pt_schedmap_opts *o = &a->o;
	size_t columns = pt_tty_columns(a->output);

	if (a->affinity || a->json)
		return 0;
	o->nr_cpus = info->nr_cpus_avail <= MAX_CPUS ? info->nr_cpus_avail : 0;
	o->cpus = a->choose.nr_cpus ? a->choose.cpus : NULL;
	o->nr_chosen = a->choose.nr_cpus;
	o->colours = pt_tty_colours(a->ansi, a->output);
	o->tasks = a->tasks.v;
	o->nr_tasks = a->tasks.nr;
	o->colour_cpus = a->colour_cpus;
	if (a->fold) {
		if (group_cpus(r, o, e) < 0)
			return -1;
	} else if (columns && !o->compact && !o->changes && !o->cpus &&
		   pt_schedmap_width(o, o->nr_cpus) > columns) {
		pt_warn(&tool,
			"%zu CPUs are too many for this terminal: only the one that switches is shown (see also --compact, --cpus and --fold)",
			o->nr_cpus);
		o->changes = true;
	}
	r->map = pt_schedmap_new(o, r->sched);
	return 0;
}

/* Adds comm, tid and pid of a task; `which` is the prefix of these keys. */
static void json_task(struct pt_buf *b, const char *which, const struct pt_sched_task *t,
		      const char *comm)
{
	char key[16];

	snprintf(key, sizeof(key), "%scomm", which);
	pt_json_str(b, key, comm);
	snprintf(key, sizeof(key), "%stid", which);
	pt_json_u64(b, key, t->tid);
	snprintf(key, sizeof(key), "%spid", which);
	if (t->pid != UINT32_MAX)
		pt_json_u64(b, key, t->pid);
}

static void json_switch(struct pt_buf *b, const struct pt_sched_event *ev)
{
	const struct pt_sched_stay *out = &ev->task->stay, *in = &ev->next->stay;
	char state[] = { ev->state, ev->preempted && ev->prev_state ? '+' : '\0', '\0' };
	char left = in->why == PT_SCHED_PREEMPTED ? 'R' : in->off_state;

	pt_json_open(b, NULL, '{');
	pt_json_us(b, "time_us", ev->time_ns);
	pt_json_u64(b, "cpu", (uint64_t)ev->cpu);
	json_task(b, "prev_", ev->task, ev->task->comm);
	pt_json_str(b, "prev_state", state);
	if (out->known & PT_SCHED_RUN)
		pt_json_us(b, "prev_run_us", out->run_ns);
	json_task(b, "next_", ev->next, ev->next->comm);
	if (in->known & PT_SCHED_OFF) {
		pt_json_us(b, "next_wait_us", in->off_ns);
		pt_json_strn(b, "next_left", &left, 1);
	}
	if (in->known & PT_SCHED_DELAY)
		pt_json_us(b, "next_delay_us", in->delay_ns);
	if (ev->gap)
		pt_json_bool(b, "gap", true);
	pt_json_end_line(b);
}

static int see(struct run *r, const struct pt_record *rec)
{
	struct pt_sched_event ev;
	int kind;
	bool show;

	if (r->an.starts && start(r, &r->an.err) < 0)
		return -1;
	kind = pt_sched_feed(r->sched, rec, &ev, &r->an.err);
	if (kind <= PT_SCHED_NOTHING)
		return kind;
	show = kind == PT_SCHED_SWITCH && pt_switches_chosen(&r->a->choose, &ev);
	if (r->places)
		pt_schedplace_see(r->places, &ev,
				  pt_choose_time(&r->a->choose, ev.time_ns) &&
					  pt_choose_cpu(&r->a->choose, ev.cpu));
	else if (r->map)
		pt_schedmap_see(r->map, &ev, show, &r->an.text);
	else if (r->an.started && show)
		json_switch(&r->an.text, &ev);
	return 0;
}

static bool wanted_row(const struct args *a, const struct pt_schedplace_row *row)
{
	return pt_choose_task(&a->choose, row->task->pid, row->task->tid, row->comm) &&
	       (!a->tasks.nr || pt_schedmap_is_one(a->tasks.v, a->tasks.nr, row->task->tid,
						   row->comm));
}

static void json_row(struct pt_buf *b, const struct pt_schedplace_row *row)
{
	pt_json_open(b, NULL, '{');
	json_task(b, "", row->task, row->comm);
	pt_json_u64(b, "runs", row->runs);
	pt_json_u64(b, "moves", row->moves);
	pt_json_us(b, "run_us", row->run_ns);
	pt_json_open(b, "cpus", '[');
	for (size_t i = 0; i < row->nr; i++) {
		pt_json_open(b, NULL, '{');
		pt_json_s64(b, "cpu", row->places[i].cpu);
		pt_json_u64(b, "runs", row->places[i].runs);
		pt_json_us(b, "run_us", row->places[i].run_ns);
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
	pt_json_end_line(b);
}

/* "only CPU 1", or "CPU 0: 25 (60%), 1: 15 (40%)". */
static void row_places(struct pt_buf *b, const struct pt_schedplace_row *row)
{
	if (row->nr == 1) {
		pt_buf_printf(b, "only CPU %d", row->places[0].cpu);
		return;
	}
	for (size_t i = 0; i < row->nr && i < SHOWN_PLACES; i++)
		pt_buf_printf(b, "%s%d: %llu (%.0f%%)", i ? ", " : "CPU ", row->places[i].cpu,
			      (unsigned long long)row->places[i].runs,
			      100.0 * (double)row->places[i].runs / (double)PT_MAX(row->runs, 1u));
	if (row->nr > SHOWN_PLACES)
		pt_buf_printf(b, ", %zu more", row->nr - SHOWN_PLACES);
}

static void text_row(struct pt_buf *b, const struct pt_schedplace_row *row)
{
	size_t from = b->len;

	pt_text_puts(b, row->comm);
	pt_buf_printf(b, ":%u", row->task->tid);
	pt_buf_pad_right(b, from, 24);
	pt_buf_printf(b, " %10llu ", (unsigned long long)row->runs);
	pt_buf_scaled_wide(b, row->run_ns / 1000, 3, 12);
	pt_buf_printf(b, " %8llu  ", (unsigned long long)row->moves);
	row_places(b, row);
	pt_buf_putc(b, '\n');
}

static void put_rows(struct run *r)
{
	const struct pt_schedplace_row *const *rows;
	struct pt_buf *b = &r->an.text;
	size_t nr;

	rows = pt_schedplace_rows(r->places, &nr);
	if (!r->a->json)
		pt_buf_puts(b,
			    "task                           runs       run ms    moves  where\n");
	for (size_t i = 0; i < nr; i++)
		if (rows[i]->runs && wanted_row(r->a, rows[i]))
			(r->a->json ? json_row : text_row)(b, rows[i]);
}

int main(int argc, char **argv)
{
	static struct args a;
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_sched_opts o = { .without = 1u << PT_SCHED_RUNTIME | 1u << PT_SCHED_MIGRATE };
	const struct pt_record *rec;

	pt_analysis_parse(&r.an, argc, argv, &a);
	if (a.o.compact + a.o.changes + !!a.fold > 1)
		pt_usage(&tool, "--compact, --changes and --fold: one of them");
	pt_analysis_watch_all(&r.an);
	pt_analysis_open(&r.an, "sched");
	pt_analysis_output(&r.an, a.output);
	o.keep_ended = a.affinity;
	o.source = r.an.src;
	r.sched = pt_sched_new(&o);
	if (a.affinity)
		r.places = pt_schedplace_new(r.sched);
	while (pt_analysis_next(&r.an, &rec))
		if (see(&r, rec) < 0)
			r.an.rc = -1;
	if (r.places && !pt_analysis_gone(&r.an))
		put_rows(&r);
	pt_switches_end(&r.an, r.sched);
	pt_schedmap_free(r.map);
	pt_schedplace_free(r.places);
	pt_sched_free(r.sched);
	free(r.group);
	free(a.colour_cpus);
	return pt_analysis_end(&r.an);
}
