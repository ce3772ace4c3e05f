#include "sched/schedmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum {
	CELL = 4, /* '*', the mark, a blank */
	FIRST_MARKS = 26 * 10,
	ONE_CASE = 2 * FIRST_MARKS,
	LETTERS = 52,
	NR_MARKS = ONE_CASE + LETTERS * LETTERS,
	NR_COLOURS = 6,
};

struct mark {				/* in pt_sched_task.user */
	uint32_t nr;			/* in pt_schedmap.owners */
	char text[2];
	uint8_t colour;			/* 0: none */
	bool named;			/* the task's name was shown */
};

#define RESET "\033[0m"
#define CPU_COLOUR "\033[41m"		/* red background, as in perf */
static const char *const task_colours[NR_COLOURS] = { "\033[1;34m", "\033[1;32m", "\033[1;35m",
						      "\033[1;36m", "\033[1;33m", "\033[1;31m" };

struct column {
	int cpu;			/* or group */
	uint32_t busy;			/* of a group */
	uint8_t colour;			/* of the running task */
	bool marked;			/* its '*' is coloured */
	bool told;			/* the CPU's number was shown (compact) */
};

struct pt_schedmap {
	struct pt_schedmap_opts o;
	struct pt_sched *s;
	struct pt_buf cells;		/* CELL bytes a column */
	struct column *columns;
	size_t nr_columns, cap_columns;
	int32_t *column_of;		/* by CPU: column; -1: none */
	bool *busy;			/* by CPU, folded: it counts as busy in its group */
	size_t nr_cpus, cap_cpus;
	size_t star;			/* column of the last '*' */
	bool idle_named;

	struct pt_sched_task *owners[NR_MARKS];
	uint32_t next_mark;
};

static void mark_text(uint32_t mark, char text[2])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	if (mark < ONE_CASE) {
		text[0] = (char)((mark < FIRST_MARKS ? 'A' : 'a') + mark % 26);
		text[1] = (char)('0' + mark % FIRST_MARKS / 26);
	} else {
		text[0] = letters[(mark - ONE_CASE) / LETTERS];
		text[1] = letters[(mark - ONE_CASE) % LETTERS];
	}
}

void pt_schedmap_mark(const struct pt_sched_task *t, char text[2])
{
	const struct mark *mark = t ? t->user : NULL;

	memcpy(text, t && !t->tid ? ". " : mark ? mark->text : "? ", 2);
}

static uint8_t task_colour(const struct pt_sched_task *t)
{
	const struct mark *mark = t ? t->user : NULL;

	return mark ? mark->colour : 0;
}

size_t pt_schedmap_width(const struct pt_schedmap_opts *o, size_t nr_cpus)
{
	size_t columns = o->changes ? 3
			 : o->group ? o->nr_groups
			 : o->cpus  ? o->nr_chosen
				    : nr_cpus;

	return 2 + columns * CELL + 2 + 12 + 6 + (o->no_latency ? 0 : 12);
}

static void dropped(void *arg, struct pt_sched_task *t)
{
	struct pt_schedmap *m = arg;
	struct mark *mark = t->user;

	if (mark && m->owners[mark->nr] == t)
		m->owners[mark->nr] = NULL;
	free(mark);
	t->user = NULL;
}

struct pt_schedmap *pt_schedmap_new(const struct pt_schedmap_opts *o, struct pt_sched *s)
{
	struct pt_schedmap *m = pt_alloc(sizeof(*m));

	m->o = *o;
	m->s = s;
	m->star = SIZE_MAX;
	pt_sched_on_drop(s, dropped, m);
	return m;
}

void pt_schedmap_free(struct pt_schedmap *m)
{
	if (!m)
		return;
	pt_sched_drop_all(m->s);
	pt_buf_deinit(&m->cells);
	free(m->columns);
	free(m->column_of);
	free(m->busy);
	free(m);
}

/* The number of the first that the task is, `nr` for none. */
static size_t which_one(const char *const *tasks, size_t nr, uint32_t tid, const char *comm)
{
	char text[16];
	size_t i = 0;

	snprintf(text, sizeof(text), "%u", tid);
	while (i < nr && strcmp(tasks[i], text) && !pt_text_glob(tasks[i], comm))
		i++;
	return i;
}

bool pt_schedmap_is_one(const char *const *tasks, size_t nr, uint32_t tid, const char *comm)
{
	return which_one(tasks, nr, tid, comm) < nr;
}

static uint8_t colour_of(const struct pt_schedmap *m, const struct pt_sched_task *t)
{
	size_t at = m->o.colours ? which_one(m->o.tasks, m->o.nr_tasks, t->tid, t->comm)
				 : m->o.nr_tasks;

	return at < m->o.nr_tasks ? (uint8_t)(at % NR_COLOURS + 1) : 0;
}

/* Takes the next mark that no living task has, or the next one if all are taken. */
static uint32_t take_mark(struct pt_schedmap *m, struct pt_sched_task *t)
{
	uint32_t mark = m->next_mark % NR_MARKS;

	for (uint32_t i = 0; i < NR_MARKS; i++, mark = (mark + 1) % NR_MARKS)
		if (!m->owners[mark] || m->owners[mark]->ended)
			break;
	m->owners[mark] = t;
	m->next_mark = mark + 1;
	return mark;
}

static void schedmap_look_at(struct pt_schedmap *m, struct pt_sched_task *t)
{
	struct mark *mark = pt_alloc(sizeof(*mark));

	mark->nr = take_mark(m, t);
	mark_text(mark->nr, mark->text);
	mark->colour = colour_of(m, t);
	t->user = mark;
}

/* The name must be shown again. */
static void renamed(struct pt_schedmap *m, struct pt_sched_task *t)
{
	struct mark *mark = t->user;

	if (!mark)
		return;
	mark->named = false;
	mark->colour = colour_of(m, t);
}

static bool is_chosen_cpu(const struct pt_schedmap *m, int cpu)
{
	return !m->o.cpus || pt_num_list_has(m->o.cpus, m->o.nr_chosen, cpu);
}

static int32_t schedmap_add_column(struct pt_schedmap *m, int cpu)
{
	bool marked = pt_num_list_has(m->o.colour_cpus, m->o.nr_colour_cpus, cpu);

	PT_GROW(m->columns, m->nr_columns, m->cap_columns);
	m->columns[m->nr_columns++] = (struct column){ .cpu = cpu, .marked = marked };
	pt_buf_add(&m->cells, "    ", CELL);
	return (int32_t)m->nr_columns - 1;
}

static int32_t column_of_new(struct pt_schedmap *m, int cpu)
{
	if (m->o.changes || m->o.compact)
		return -1;
	if (m->o.group) {
		while (m->nr_columns < m->o.nr_groups)
			schedmap_add_column(m, (int)m->nr_columns);
		return (size_t)cpu < m->o.nr_grouped ? m->o.group[cpu] : -1;
	}
	if (!m->o.cpus)
		return schedmap_add_column(m, cpu);
	return pt_num_list_has(m->o.cpus, m->o.nr_chosen, cpu) ? schedmap_add_column(m, cpu) : -1;
}

static void schedmap_more_cpus(struct pt_schedmap *m, size_t nr)
{
	while (m->nr_cpus < nr) {
		if (m->nr_cpus == m->cap_cpus) {
			PT_GROW(m->column_of, m->nr_cpus, m->cap_cpus);
			m->busy = pt_realloc(m->busy, m->cap_cpus, sizeof(*m->busy));
		}
		m->busy[m->nr_cpus] = false;
		m->column_of[m->nr_cpus] = column_of_new(m, (int)m->nr_cpus);
		m->nr_cpus++;
	}
}

/* The number of busy CPUs of a group: up to three digits, a dot for none. */
static void put_busy(char text[3], uint32_t busy)
{
	char digits[8] = " . ";

	if (busy)
		snprintf(digits, sizeof(digits), busy < 10 ? " %u " : "%-3u", PT_MIN(busy, 999u));
	memcpy(text, digits, 3);
}

/* Sets the cell of a CPU; t NULL: what runs there became unknown. */
static void set_cell(struct pt_schedmap *m, int cpu, const struct pt_sched_task *t)
{
	int32_t at = m->column_of[cpu];
	struct column *c;
	bool busy;

	if (at < 0)
		return;
	c = &m->columns[at];
	if (m->o.group) {
		busy = t && t->tid;
		c->busy += (uint32_t)busy - (uint32_t)m->busy[cpu];
		m->busy[cpu] = busy;
		put_busy(m->cells.data + at * CELL + 1, c->busy);
		return;
	}
	pt_schedmap_mark(t, m->cells.data + at * CELL + 1);
	c->colour = task_colour(t);
}

/* Clears the cells of CPUs whose task became unknown. */
static void look_again(struct pt_schedmap *m)
{
	for (size_t cpu = 0; cpu < m->nr_cpus; cpu++)
		if (pt_sched_idle(m->s, (int)cpu) || pt_sched_current(m->s, (int)cpu) ||
		    (m->column_of[cpu] >= 0 && m->cells.data[m->column_of[cpu] * CELL + 1] != ' '))
			set_cell(m, (int)cpu, pt_sched_current(m->s, (int)cpu));
}

static void add_mark(struct pt_buf *out, const char mark[2], uint8_t colour)
{
	pt_buf_puts(out, colour ? task_colours[colour - 1] : "");
	pt_buf_add(out, mark, 2);
	pt_buf_puts(out, colour ? RESET : "");
}

static void add_coloured_cells(struct pt_schedmap *m, struct pt_buf *out)
{
	for (size_t i = 0; i < m->nr_columns; i++) {
		const char *cell = m->cells.data + i * CELL;
		bool marked = m->columns[i].marked && i == m->star;

		pt_buf_puts(out, marked ? CPU_COLOUR : "");
		pt_buf_add(out, cell, 1);
		pt_buf_puts(out, marked ? RESET : "");
		add_mark(out, cell + 1, m->columns[i].colour);
		pt_buf_putc(out, ' ');
	}
}

static void schedmap_add_name(struct pt_schedmap *m, struct pt_sched_task *t, struct pt_buf *out)
{
	uint8_t colour = task_colour(t);
	char text[2];

	pt_schedmap_mark(t, text);
	pt_buf_puts(out, colour ? task_colours[colour - 1] : "");
	pt_buf_add(out, text, 2);
	pt_buf_puts(out, " => ");
	pt_text_puts(out, t->comm);
	pt_buf_putc(out, ':');
	pt_buf_dec_signed(out, (int32_t)t->tid);
	pt_buf_puts(out, colour ? RESET : "");
	if (t->tid)
		((struct mark *)t->user)->named = true;
	else
		m->idle_named = true;
}

/* The CPU if the columns do not tell it; for a group also the task that came in. */
static void add_cpu(const struct pt_schedmap *m, const struct pt_sched_event *ev, bool named,
		    struct pt_buf *out)
{
	char mark[2];

	if (m->o.group && !named) {
		pt_schedmap_mark(ev->next, mark);
		pt_buf_add(out, mark, 2);
	}
	pt_buf_puts(out, " (CPU ");
	pt_buf_dec(out, (uint64_t)ev->cpu);
	pt_buf_putc(out, ')');
}

static void add_changed(const struct pt_sched_event *ev, struct pt_buf *out)
{
	char mark[2];

	pt_schedmap_mark(ev->next, mark);
	pt_buf_putc(out, '*');
	add_mark(out, mark, task_colour(ev->next));
	pt_buf_puts(out, "  [");
	pt_buf_dec_zero(out, (uint64_t)ev->cpu, 3);
	pt_buf_putc(out, ']');
}

static void schedmap_add_line(struct pt_schedmap *m, const struct pt_sched_event *ev,
			      struct pt_buf *out)
{
	const struct mark *mark = ev->next->user;
	bool tell = m->o.group || (m->o.compact && !m->columns[m->star].told);
	bool named = ev->next->tid ? mark->named : m->idle_named;

	pt_buf_add(out, "  ", 2);
	if (m->o.changes)
		add_changed(ev, out);
	else if (m->o.colours)
		add_coloured_cells(m, out);
	else
		pt_buf_join(out, &m->cells);
	pt_buf_add(out, "  ", 2);
	pt_buf_scaled_wide(out, ev->time_ns / 1000, 6, 12);
	pt_buf_add(out, " secs ", 6);
	if (!named)
		schedmap_add_name(m, ev->next, out);
	if (tell)
		add_cpu(m, ev, !named, out);
	if (tell && m->o.compact)
		m->columns[m->star].told = true;
	if (!m->o.no_latency && ev->next->stay.known & PT_SCHED_DELAY) {
		pt_buf_putc(out, ' ');
		pt_buf_scaled_wide(out, ev->next->stay.delay_ns / 1000, 3, 9);
		pt_buf_add(out, " ms", 3);
	}
	pt_buf_putc(out, '\n');
}

static void schedmap_see_switch(struct pt_schedmap *m, const struct pt_sched_event *ev, bool show,
				struct pt_buf *out)
{
	int32_t at;

	if ((size_t)ev->cpu >= m->nr_cpus)
		schedmap_more_cpus(m, PT_MAX((size_t)ev->cpu + 1, m->o.nr_cpus));
	if (ev->next->tid && !ev->next->user)
		schedmap_look_at(m, ev->next);
	at = m->column_of[ev->cpu];
	if (at < 0 && m->o.compact && is_chosen_cpu(m, ev->cpu))
		at = m->column_of[ev->cpu] = schedmap_add_column(m, ev->cpu);
	if (ev->gap || ev->first || ev->vacated)
		look_again(m);
	else
		set_cell(m, ev->cpu, ev->next);
	if (m->o.changes) {
		if (show && is_chosen_cpu(m, ev->cpu))
			schedmap_add_line(m, ev, out);
		return;
	}
	if (at < 0)
		return;
	if (m->star < m->nr_columns)
		m->cells.data[m->star * CELL] = ' ';
	m->star = (size_t)at;
	m->cells.data[at * CELL] = '*';
	if (show)
		schedmap_add_line(m, ev, out);
}

void pt_schedmap_see(struct pt_schedmap *m, const struct pt_sched_event *ev, bool show,
		     struct pt_buf *out)
{
	if (ev->kind == PT_SCHED_SWITCH)
		schedmap_see_switch(m, ev, show, out);
	else if (ev->kind == PT_SCHED_NAME && ev->task->tid)
		renamed(m, ev->task);
	else if (ev->kind == PT_SCHED_LOST)
		look_again(m);
}
