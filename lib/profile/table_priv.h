/* table_priv.h - the rows of a table, for the files that print them. */
#ifndef PT_PROFILE_TABLE_PRIV_H
#define PT_PROFILE_TABLE_PRIV_H

#include "profile/table.h"

extern const struct pt_table_field_text {
	const char *name, *also, *heading, *json;
	size_t width;			/* of figures; 0: text as wide as what is in it */
} pt_table_fields[PT_NR_FIELDS];

struct pt_table_line {
	const struct pt_profile *p;	/* whose row gives the keys */
	const struct pt_profile_row *keys;
	const struct pt_profile_row *row, *base;	/* NULL: it has none there */
	double delta;			/* percent */
	bool noise;
	size_t index;			/* of row; in the order of the profile */
};

struct pt_table_column {
	enum pt_table_field field;
	size_t member;			/* whose figures: 0 the profile's, else those of others[] */
	size_t width;
	bool fixed;			/* the width was given by opts.widths */
};

struct pt_table {
	const struct pt_table_opts *o;
	struct pt_profile *p;
	struct pt_calltree *calls;
	struct pt_table_column *columns;
	size_t nr_columns, cap_columns;
	struct pt_table_line *lines;
	size_t nr, cap;
	/* rows that are left out, since they are below the least percentage: their number, and the
	 * sum of their periods */
	size_t nr_small;
	uint64_t small;
};

double pt_table_percent(const struct pt_profile *p, uint64_t period);
/* A profile that is shown: 0 is the table's, the others are those of opts.others. */
struct pt_profile *pt_table_member(const struct pt_table *t, size_t i);
/* The line's row in it (NULL: it has none), and the row's share. */
const struct pt_profile_row *pt_table_row_in(const struct pt_table *t,
					     const struct pt_table_line *x, size_t i);
double pt_table_share(const struct pt_table *t, const struct pt_table_line *x, size_t i);
/* Fills in lines, sorted. */
void pt_table_choose(struct pt_table *t);
/* Appends the text of a key, escaped for a terminal. */
void pt_table_key(const struct pt_table_line *x, enum pt_table_field field, struct pt_buf *b);
/* Cuts what was added since `from` to so many characters, "..." at its end. */
void pt_table_cut(struct pt_buf *b, size_t from, size_t columns);

#endif
