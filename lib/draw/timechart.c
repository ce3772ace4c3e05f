#include "draw/timechart.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "draw/timechart_priv.h"

enum { FIRST_BIN_NS = 1024, COUNT_EVERY = 1 << 16, MAX_ITEMS = 3 << 19, MIN_BINS = 512 };

struct pt_timechart *pt_timechart_new(uint64_t from_ns, uint64_t to_ns, uint32_t columns)
{
	struct pt_timechart *c = pt_alloc(sizeof(*c));
	uint64_t span;

	c->from_ns = from_ns;
	c->to_ns = to_ns;
	c->time.max_bins = 1024;
	while (c->time.max_bins <
	       3 * PT_MIN(columns ? columns : 1000, (uint32_t)PT_TIMECHART_MAX_WIDTH))
		c->time.max_bins *= 2;
	c->time.bin_ns = FIRST_BIN_NS;
	if (from_ns && to_ns != UINT64_MAX && to_ns > from_ns) {
		span = to_ns - from_ns;
		c->time.bin_ns = span / (c->time.max_bins - 1) + 1;
	}
	c->names = pt_names_new();
	c->max_tasks = PT_TIMECHART_TASKS;
	return c;
}

void pt_timechart_free(struct pt_timechart *c)
{
	size_t i, k;

	if (!c)
		return;
	for (i = 0; i < c->nr_tasks; i++)
		pt_lane_deinit(&c->tasks[i].lane);
	for (i = 0; i < c->nr_cpus; i++)
		pt_lane_deinit(&c->cpus[i].lane);
	for (i = 0; i < TC_ALL_ROWS; i++)
		for (k = 0; k < 3; k++)
			pt_heap_deinit(&c->rows[i].heap[k]);
	pt_map_deinit(&c->comm_index);
	pt_map_deinit(&c->task_index);
	pt_map_deinit(&c->cpu_index);
	pt_names_free(c->names);
	free(c->comms);
	free(c->tasks);
	free(c->cpus);
	free(c->wakes);
	free(c);
}

static void coarser(struct pt_timechart *c)
{
	size_t i, k;

	for (i = 0; i < c->nr_tasks; i++)
		pt_lane_double(&c->tasks[i].lane, &c->time);
	for (i = 0; i < c->nr_cpus; i++)
		pt_lane_double(&c->cpus[i].lane, &c->time);
	for (i = 0; i < TC_ALL_ROWS; i++)
		for (k = 0; k < 3; k++)
			pt_heap_double(&c->rows[i].heap[k], &c->time);
	c->time.bin_ns *= 2;
}

/* Clips to the wanted times and extends the bins. False: nothing is left. */
static bool timechart_reach(struct pt_timechart *c, uint64_t *from_ns, uint64_t *to_ns)
{
	if (*to_ns < *from_ns)
		return false;
	if (!c->started) {
		c->started = true;
		c->time.start_ns = c->last_ns = PT_MAX(c->from_ns, PT_MIN(*to_ns, c->to_ns));
	}
	*from_ns = PT_MAX(*from_ns, c->time.start_ns);
	*to_ns = PT_MIN(*to_ns, c->to_ns);
	if (*to_ns < *from_ns)
		return false;
	while ((*to_ns - c->time.start_ns) / c->time.bin_ns >= c->time.max_bins)
		coarser(c);
	c->last_ns = PT_MAX(c->last_ns, *to_ns);
	return true;
}

/* The same for one time. */
static bool reach_one(struct pt_timechart *c, uint64_t time_ns)
{
	uint64_t from_ns = time_ns, to_ns = time_ns;

	return time_ns >= c->from_ns && time_ns <= c->to_ns &&
	       timechart_reach(c, &from_ns, &to_ns) && from_ns == to_ns;
}

void pt_timechart_time(struct pt_timechart *c, uint64_t time_ns)
{
	uint64_t from_ns = time_ns;

	timechart_reach(c, &from_ns, &time_ns);
}

/* The last one stands for all names without room. */
static uint32_t comm_of(struct pt_timechart *c, const char *text)
{
	size_t len = strnlen(text, 63);
	const char *name = pt_names_find(c->names, text, len);
	const uint64_t *at = name ? pt_map_get(&c->comm_index, pt_word_of(name)) : NULL;

	if (at)
		return (uint32_t)*at;
	if (c->nr_comms == TC_COMMS)
		return TC_COMMS - 1;
	name = c->nr_comms < TC_COMMS - 1 ? pt_names_add(c->names, text, len) : "(other names)";
	PT_GROW(c->comms, c->nr_comms, c->cap_comms);
	c->comms[c->nr_comms] = (struct tc_comm){ .name = name };
	*pt_map_put(&c->comm_index, pt_word_of(name)) = c->nr_comms;
	return (uint32_t)c->nr_comms++;
}

static int heaviest(const void *a, const void *b)
{
	const struct tc_task *x = a, *y = b;

	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	if (x->wait_ns + x->blocked_ns != y->wait_ns + y->blocked_ns)
		return x->wait_ns + x->blocked_ns < y->wait_ns + y->blocked_ns ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void sort_tasks(struct pt_timechart *c)
{
	size_t i;

	qsort(c->tasks, c->nr_tasks, sizeof(*c->tasks), heaviest);
	pt_map_clear(&c->task_index);
	for (i = 0; i < c->nr_tasks; i++)
		*pt_map_put(&c->task_index, c->tasks[i].id) = i;
}

void tc_sort(struct pt_timechart *c)
{
	size_t i;

	if (c->nr_tasks)
		sort_tasks(c);
	if (c->nr_cpus)
		qsort(c->cpus, c->nr_cpus, sizeof(*c->cpus), pt_num_compare);
	pt_map_clear(&c->cpu_index);
	for (i = 0; i < c->nr_cpus; i++)
		*pt_map_put(&c->cpu_index, c->cpus[i].cpu) = i + 1;
}

static void keep_tasks(struct pt_timechart *c, size_t nr)
{
	size_t i;

	sort_tasks(c);
	for (i = nr; i < c->nr_tasks; i++) {
		pt_lane_deinit(&c->tasks[i].lane);
		pt_map_del(&c->task_index, c->tasks[i].id);
	}
	c->merged += c->nr_tasks - nr;
	c->nr_tasks = nr;
}

/* From time to time checks the memory limit. */
static void count_items(struct pt_timechart *c)
{
	size_t n = 0, i;

	if (++c->adds < COUNT_EVERY)
		return;
	c->adds = 0;
	for (i = 0; i < c->nr_tasks; i++)
		n += c->tasks[i].lane.nr;
	for (i = 0; i < c->nr_cpus; i++)
		n += c->cpus[i].lane.nr;
	if (n < MAX_ITEMS)
		return;
	if (c->nr_tasks > 1024)
		keep_tasks(c, c->nr_tasks / 2);
	else if ((c->last_ns - c->time.start_ns) / c->time.bin_ns > MIN_BINS)
		coarser(c);
}

static struct tc_task *timechart_task_of(struct pt_timechart *c, const struct pt_timechart_task *t,
					 uint64_t from_ns)
{
	uint64_t *at = pt_map_get(&c->task_index, t->id);
	struct tc_task *task;

	if (!at) {
		if (c->nr_tasks >= c->max_tasks)
			keep_tasks(c, c->max_tasks / 2);
		PT_GROW(c->tasks, c->nr_tasks, c->cap_tasks);
		*pt_map_put(&c->task_index, t->id) = c->nr_tasks;
		task = &c->tasks[c->nr_tasks++];
		*task = (struct tc_task){
			.id = t->id, .pid = t->pid, .tid = t->tid, .first_ns = from_ns
		};
		task->comm = comm_of(c, t->comm);
		return task;
	}
	task = &c->tasks[*at];
	if (task->pid == UINT32_MAX)
		task->pid = t->pid;
	if (strcmp(c->comms[task->comm].name, t->comm))
		task->comm = comm_of(c, t->comm);
	return task;
}

static struct tc_cpu *timechart_cpu_of(struct pt_timechart *c, uint32_t cpu)
{
	uint64_t *at;

	cpu = PT_MIN(cpu, (uint32_t)TC_CPUS);
	at = pt_map_put(&c->cpu_index, cpu);
	if (!*at) {
		PT_GROW(c->cpus, c->nr_cpus, c->cap_cpus);
		c->cpus[c->nr_cpus++] = (struct tc_cpu){ .cpu = cpu };
		*at = c->nr_cpus;
	}
	return &c->cpus[*at - 1];
}

void pt_timechart_run(struct pt_timechart *c, uint32_t cpu, const struct pt_timechart_task *t,
		      uint64_t from_ns, uint64_t to_ns)
{
	struct tc_cpu *on = timechart_cpu_of(c, cpu);
	struct tc_task *task;
	uint64_t comm;

	if (!timechart_reach(c, &from_ns, &to_ns))
		return;
	count_items(c);
	on->run_ns += to_ns - from_ns;
	pt_heap_add(&c->rows[TC_RUN].heap[0], &c->time, from_ns, to_ns);
	if (t->other) {
		c->has_others = true;
		comm = (uint64_t)comm_of(c, t->comm) << 32;
		pt_lane_add(&on->lane, &c->time, KEY_OTHER | comm | t->tid, from_ns, to_ns);
		return;
	}
	task = timechart_task_of(c, t, from_ns);
	task->run_ns += to_ns - from_ns;
	task->last_ns = PT_MAX(task->last_ns, to_ns);
	c->comms[task->comm].run_ns += to_ns - from_ns;
	comm = (uint64_t)task->comm << 32;
	pt_lane_add(&on->lane, &c->time, comm | t->tid, from_ns, to_ns);
	pt_lane_add(&task->lane, &c->time, comm | on->cpu, from_ns, to_ns);
}

int tc_longest_wait(const void *a, const void *b)
{
	const struct tc_wake *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns < y->wait_ns ? 1 : -1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Of too many wake-ups those before the longest waits are kept. */
static void timechart_woken(struct pt_timechart *c, const struct pt_timechart_wake *w,
			    uint32_t wakee, uint64_t wait_ns)
{
	c->all_wakes++;
	if (w->time_ns < c->time.start_ns || wait_ns < c->least_wait_ns)
		return;
	if (!c->wakes)
		c->wakes = pt_alloc_array(TC_WAKES, sizeof(*c->wakes));
	if (c->nr_wakes == TC_WAKES) {
		qsort(c->wakes, c->nr_wakes, sizeof(*c->wakes), tc_longest_wait);
		c->nr_wakes /= 2;
		c->least_wait_ns = c->wakes[c->nr_wakes - 1].wait_ns;
	}
	c->wakes[c->nr_wakes++] =
		(struct tc_wake){ w->time_ns, wait_ns, w->waker, w->waker_tid, w->cpu, wakee };
}

void pt_timechart_off(struct pt_timechart *c, const struct pt_timechart_task *t,
		      enum pt_timechart_state state, uint64_t from_ns, uint64_t to_ns,
		      const struct pt_timechart_wake *wake)
{
	static const uint64_t keys[] = { [PT_TIMECHART_WAITS] = KEY_WAIT,
					 [PT_TIMECHART_BLOCKED] = KEY_BLOCKED,
					 [PT_TIMECHART_UNKNOWN] = KEY_GAP };
	uint64_t wait_ns = to_ns - from_ns;
	struct tc_task *task;

	if (!timechart_reach(c, &from_ns, &to_ns))
		return;
	if (state == PT_TIMECHART_WAITS) {
		pt_heap_add(&c->rows[TC_WAIT].heap[0], &c->time, from_ns, to_ns);
		c->rows[TC_WAIT].time_ns += to_ns - from_ns;
		c->max_wait_ns = PT_MAX(c->max_wait_ns, wait_ns);
	}
	if (t->other)
		return;
	task = timechart_task_of(c, t, from_ns);
	task->last_ns = PT_MAX(task->last_ns, to_ns);
	if (state == PT_TIMECHART_SLEEPS)
		return;
	count_items(c);
	if (state == PT_TIMECHART_WAITS) {
		task->wait_ns += to_ns - from_ns;
		task->max_wait_ns = PT_MAX(task->max_wait_ns, wait_ns);
		task->waits++;
		if (wake)
			timechart_woken(c, wake, t->id, wait_ns);
	} else if (state == PT_TIMECHART_BLOCKED) {
		task->blocked_ns += to_ns - from_ns;
	}
	pt_lane_add(&task->lane, &c->time, keys[state], from_ns, to_ns);
}

void pt_timechart_gap(struct pt_timechart *c, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct tc_cpu *on = timechart_cpu_of(c, cpu);

	if (!timechart_reach(c, &from_ns, &to_ns))
		return;
	count_items(c);
	on->gap_ns += to_ns - from_ns;
	pt_lane_add(&on->lane, &c->time, KEY_GAP, from_ns, to_ns);
}

static struct tc_row *timechart_row_of(struct pt_timechart *c, struct tc_row *rows, size_t *nr,
				       const char *text, const char *others)
{
	size_t i;

	for (i = 0; i < *nr; i++)
		if (!strncmp(rows[i].name, text, TC_NAME))
			return &rows[i];
	if (*nr == TC_ROWS)
		return &rows[TC_ROWS - 1];
	rows[*nr].name = *nr < TC_ROWS - 1 ? pt_names_add(c->names, text, TC_NAME) : others;
	return &rows[(*nr)++];
}

void pt_timechart_request(struct pt_timechart *c, const char *device, enum pt_timechart_io io,
			  uint64_t from_ns, uint64_t to_ns)
{
	struct tc_row *r;

	if (!timechart_reach(c, &from_ns, &to_ns))
		return;
	r = timechart_row_of(c, &c->rows[TC_DEVICES], &c->nr_devices, device, "(other devices)");
	r->nr++;
	r->time_ns += to_ns - from_ns;
	pt_heap_add(&r->heap[io], &c->time, from_ns, to_ns);
}

static void timechart_count(struct pt_timechart *c, struct tc_row *r, uint64_t time_ns, uint64_t nr)
{
	r->nr += nr;
	pt_heap_count(&r->heap[0], &c->time, time_ns, nr);
}

void pt_timechart_mark(struct pt_timechart *c, const char *event, uint64_t time_ns, uint64_t nr)
{
	if (reach_one(c, time_ns))
		timechart_count(c,
				timechart_row_of(c, &c->rows[TC_EVENTS], &c->nr_events, event,
						 "(other events)"),
				time_ns, nr);
}

void pt_timechart_lost(struct pt_timechart *c, uint64_t time_ns, uint64_t nr)
{
	if (reach_one(c, time_ns))
		timechart_count(c, &c->rows[TC_LOST], time_ns, nr);
}
