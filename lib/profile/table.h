/* table.h - the rows of a profile as a table in perf report's layout, as fields with a separator,
 * or as JSON.
 *
 *     pt_table_parse(&o, "overhead,sample,sym", false, &e);
 *     pt_table_print(&o, profile, calltree, &text);
 */
#ifndef PT_PROFILE_TABLE_H
#define PT_PROFILE_TABLE_H

#include "base/err.h"
#include "base/offer.h"
#include "base/words.h"
#include "profile/calltree.h"
#include "profile/profile.h"

enum pt_table_field {
	/* with opts.base: the row's share of that profile, and how much more (or less) it is now,
	 * in percent of all */
	PT_FIELD_BASE,
	PT_FIELD_DELTA,
	PT_FIELD_TOTAL,			/* "Children" */
	PT_FIELD_SELF,			/* "Self"; without PT_FIELD_TOTAL "Overhead" */
	PT_FIELD_SAMPLES,
	PT_FIELD_PERIOD,
	PT_FIELD_KEYS,			/* from here on: enum pt_profile_key */
	PT_NR_FIELDS = PT_FIELD_KEYS + PT_NR_KEYS,
};

struct pt_table_opts {
	enum pt_table_field fields[PT_NR_FIELDS];
	size_t nr_fields;
	double min_percent;		/* rows below are left out, and counted in a last line */
	const char *sep;		/* between fields, which are not aligned; NULL: aligned */
	size_t columns;			/* of the terminal, where lines are cut; 0: nowhere */
	bool (*wanted)(void *ctx, const struct pt_profile *p, const struct pt_profile_row *row);
	void *ctx;
	/* What the profile is compared with (named, with the same keys), or NULL. The greatest
	 * difference comes first; one that may be due to sampling alone comes last, with a `~`. */
	struct pt_profile *base;
	/* Profiles whose figures stand beside those of the profile, in columns of their own: other
	 * events of its group. All are named and have the same keys. */
	struct pt_profile *const *others;
	size_t nr_others;
	bool latency;			/* the first of two profiles is of wall time */
	/* of columns, by number; 0, or of figures too few: what they need */
	size_t widths[PT_NR_FIELDS];
};

/* Adds columns by perf's names: overhead, overhead_children, sample, period, comm, dso, sym, ...
 * `keys`: only those that tell rows apart. A column that is there already stays. */
int pt_table_parse(struct pt_table_opts *o, const char *text, bool keys, struct pt_err *e);
/* "10,0,20" into o->widths. */
int pt_table_widths(struct pt_table_opts *o, const char *text, struct pt_err *e);
/* perf's columns: shares (with o->base also the other profile's), samples and periods if they are
 * asked for, then the keys of p, those of `sort` first. */
void pt_table_usual(struct pt_table_opts *o, const struct pt_profile *p, bool samples, bool periods,
		    const struct pt_table_opts *sort);
bool pt_table_has(const struct pt_table_opts *o, enum pt_table_field field);
/* Its keys, as struct pt_profile_opts has them. */
unsigned pt_table_keys(const struct pt_table_opts *o);

/* Is a key of the row among these names, in which * and ? match, or which are lists with commas?
 * True without names, or without that key. What rows have is noted in *there. */
bool pt_table_row_is(const struct pt_profile *p, const struct pt_profile_row *row,
		     enum pt_profile_key key, const struct pt_strs *names, struct pt_offer *there);

/* The table line by line, for a screen. `o` and `p` must live as long. */
struct pt_table;
struct pt_table *pt_table_new(const struct pt_table_opts *o, struct pt_profile *p);
void pt_table_free(struct pt_table *t);
size_t pt_table_nr(const struct pt_table *t);
/* The row of a line, and its number in the profile. NULL: the base alone has it. */
const struct pt_profile_row *pt_table_row(const struct pt_table *t, size_t i, size_t *number);
/* Appends without a newline; text is escaped for a terminal. */
void pt_table_line(const struct pt_table *t, size_t i, struct pt_buf *b);
void pt_table_heading(const struct pt_table *t, struct pt_buf *b);

/* `calls`: opts of trees below the rows, or NULL. Text is escaped for a terminal. */
void pt_table_print(const struct pt_table_opts *o, struct pt_profile *p,
		    const struct pt_calltree_opts *calls, struct pt_buf *b);
/* An object a row; `event` is its first member. */
void pt_table_json(const struct pt_table_opts *o, struct pt_profile *p, const char *event,
		   struct pt_buf *b);

#endif
