/* timechart_priv.h - shared by timechart.c (gathers), timechart_rows.c, timechart_svg.c (draw) */
#ifndef PT_DRAW_TIMECHART_PRIV_H
#define PT_DRAW_TIMECHART_PRIV_H

#include "base/map.h"
#include "draw/timechart.h"
#include "draw/timechart_lane.h"

enum {
	TC_COMMS = 8192,
	TC_ROWS = 24,
	TC_NAME = 96,
	TC_WAKES = 16384,
	TC_CPUS = 65535
};

/* Keys of lanes: command << 32 | tid of a CPU's, command << 32 | CPU of a task's, TC_MANY for
 * several of these; and special ones. */
#define KEY_REST PT_LANE_REST
#define KEY_GAP (PT_LANE_SPECIAL | 1)
#define KEY_WAIT (PT_LANE_SPECIAL | 2)
#define KEY_BLOCKED (PT_LANE_SPECIAL | 3)
/* Added to the key of a CPU's task that was not chosen. */
#define KEY_OTHER (1ull << 60)
#define TC_MANY UINT32_MAX

struct tc_comm {
	const char *name;
	uint64_t run_ns;
	uint8_t class;			/* class of colour while it is drawn */
};

struct tc_task {
	uint32_t id, pid, tid;
	uint32_t comm;
	struct pt_lane lane;
	uint64_t run_ns, wait_ns, blocked_ns, max_wait_ns, waits;
	uint64_t first_ns, last_ns;	/* seen */
};

struct tc_cpu {
	uint32_t cpu;			/* first: sorted by it */
	struct pt_lane lane;
	uint64_t run_ns, gap_ns;
};

struct tc_row {				/* of many things at once */
	const char *name;
	/* requests: by enum pt_timechart_io; others: in the first */
	struct pt_heap heap[3];
	uint64_t nr, time_ns;
};
/* Rows by number: all that ran, all that waited, lost records, then devices and events. */
enum { TC_RUN, TC_WAIT, TC_LOST, TC_DEVICES, TC_EVENTS = TC_DEVICES + TC_ROWS,
       TC_ALL_ROWS = TC_EVENTS + TC_ROWS };

struct tc_wake {
	uint64_t time_ns, wait_ns;
	uint32_t waker, waker_tid, cpu, wakee;
};

struct pt_timechart {
	uint64_t from_ns, to_ns;	/* as requested */
	struct pt_lane_time time;
	bool started;
	bool has_others;		/* tasks that were not chosen ran */
	uint64_t last_ns;
	struct pt_names *names;
	struct pt_map comm_index, task_index, cpu_index;
	struct tc_comm *comms;
	size_t nr_comms, cap_comms;
	struct tc_task *tasks;
	size_t nr_tasks, cap_tasks, max_tasks;
	struct tc_cpu *cpus;
	size_t nr_cpus, cap_cpus;
	struct tc_row rows[TC_ALL_ROWS];
	size_t nr_devices, nr_events;
	uint64_t max_wait_ns;
	uint64_t merged;		/* tasks without a row because there are too many */
	struct tc_wake *wakes;
	size_t nr_wakes;
	uint64_t all_wakes, least_wait_ns;	/* of those seen; shorter ones are dropped */
	size_t adds;			/* since the last count of items */
};

/* A drawing with columns of one width. */
enum {
	TC_COLOURS = 10,
	CLASS_OTHER = TC_COLOURS,
	CLASS_WAIT,
	CLASS_BLOCKED,
	CLASS_READ,
	CLASS_WRITE,
	CLASS_OTHER_IO,
	CLASS_EVENT,
	CLASS_LOST,
	TC_CLASSES
};
/* pixels; heights: of a full bar, from row to row */
enum { TC_LEFT = 176, TC_RIGHT = 76, TC_UNITS = 16, TC_PITCH = 20 };

struct tc_drawing {
	struct pt_timechart *c;
	const struct pt_timechart_opts *o;
	uint64_t from_ns, to_ns;
	size_t columns;
	double column_px, plot_px;
	unsigned detail;		/* keys that a cell distinguishes */
	struct pt_lane_cell *cells;	/* of a row's columns */
	double *sums[3];
	double y;			/* of the next section */
	struct pt_buf body, labels, gaps, lives, arrows;	/* of the picture */
	struct pt_buf rows, names, wakes;	/* the script's JSON */
	/* of the row at hand: left of it, in its tip, right of it */
	struct pt_buf name, about, right;
	struct pt_map name_index;	/* key, its kind in bit 62 -> index + 1 */
	size_t nr_names, nr_rows;
	struct pt_map task_y;		/* id -> middle of its row in pixels, plus 1 */
	uint64_t nr_arrows;
};

/* A section's shapes: a path for each class of colour, a box for each run of equal cells. */
struct tc_paths {
	struct tc_path {
		struct pt_buf data;
		int64_t x, y;		/* of the last box */
		size_t from, nr;	/* of the run at hand */
		unsigned base, height;
	} of[TC_CLASSES];
	int64_t row;
};

/* timechart_paths.c: the shares of classes in a cell (at most 1 in all) as a bar, each of at least
 * `least` units if there is room; then the section's <g>. */
void tc_paths_cell(struct tc_paths *p, size_t column, const double *shares, unsigned least);
void tc_paths_end_row(struct tc_paths *p);
/* and frees them */
void tc_paths_svg(struct tc_paths *p, struct pt_buf *b, double y, double column_px, double row_px);
/* A row's columns for the script: of each key its share (of 63) and name in digits of base 64,
 * (SHARE NAME NAME)*; or the sums, V[,V[,V]]. */
void tc_data_cells(struct tc_drawing *d, unsigned kind, double full_ns);
void tc_data_sums(struct tc_drawing *d, size_t nr, double factor);
enum { TC_OF_CPU, TC_OF_TASK };
unsigned tc_class_of(const struct tc_drawing *d, uint64_t key);
/* "c3"; waits have patterns instead, which are told from runs without colours. */
void tc_class_text(struct pt_buf *b, unsigned class);

/* timechart_rows.c */
void tc_rows(struct tc_drawing *d);
void tc_time(struct pt_buf *b, const char *before, uint64_t time_ns);

/* timechart.c: tasks by weight, the heaviest first; CPUs by number. */
void tc_sort(struct pt_timechart *c);
/* Compares two tc_wake for qsort(): the longest wait first. */
int tc_longest_wait(const void *a, const void *b);

#endif
