/* timechart_paths.c - a row's cells as shapes and as text for the script, in runs of equal cells */
#include "base/mem.h"
#include "base/text.h"
#include "draw/timechart_priv.h"

/* Ends the run of a class, if there is one. */
static void flush(struct tc_paths *p, struct tc_path *of)
{
	int64_t x = (int64_t)of->from, y = p->row * TC_PITCH - of->base;

	if (!of->nr)
		return;
	pt_buf_putc(&of->data, 'm');
	pt_svg_step(&of->data, x - of->x, true);
	pt_svg_step(&of->data, y - of->y, false);
	pt_buf_printf(&of->data, "h%zuv-%uh-%zuz", of->nr, of->height, of->nr);
	of->x = x;
	of->y = y;
	of->nr = 0;
}

static void timechart_paths_put(struct tc_paths *p, size_t column, unsigned class, unsigned base,
				unsigned height)
{
	struct tc_path *of = &p->of[class];

	if (!of->nr || of->from + of->nr != column || of->base != base || of->height != height) {
		flush(p, of);
		of->from = column;
		of->base = base;
		of->height = height;
	}
	of->nr++;
}

void tc_paths_cell(struct tc_paths *p, size_t column, const double *shares, unsigned least)
{
	unsigned class, most = 0, at = 0, next;
	double sum = 0, added = 0;

	for (class = 0; class < TC_CLASSES; class++) {
		if (shares[class] > shares[most])
			most = class;
		if (shares[class] <= 0)
			continue;
		sum += shares[class];
		if (shares[class] < (double)least / TC_UNITS)
			added += (double)least / TC_UNITS - shares[class];
		next = (unsigned)PT_MIN((sum + added) * TC_UNITS + .5, (double)TC_UNITS);
		if (next > at)
			timechart_paths_put(p, column, class, at, next - at);
		at = next;
	}
	if (!at && sum > 0)		/* too little to be seen */
		timechart_paths_put(p, column, most, 0, 1);
}

void tc_paths_end_row(struct tc_paths *p)
{
	unsigned class;

	for (class = 0; class < TC_CLASSES; class++)
		flush(p, &p->of[class]);
	p->row++;
}

void tc_class_text(struct pt_buf *b, unsigned class)
{
	if (class == CLASS_WAIT || class == CLASS_BLOCKED)
		pt_buf_puts(b, class == CLASS_WAIT ? "waits" : "blocks");
	else
		pt_buf_printf(b, "c%u", class);
}

void tc_paths_svg(struct tc_paths *p, struct pt_buf *b, double y, double column_px, double row_px)
{
	struct pt_buf text = PT_BUF_INIT;
	unsigned class;

	/* Row 0 is at y; bars grow upwards. */
	pt_svg_printf(b, "<g transform=\"translate(0 %f) scale(%F %F)\">\n", y, column_px,
		      row_px / TC_PITCH);
	for (class = 0; class < TC_CLASSES; class++) {
		pt_buf_clear(&text);
		tc_class_text(&text, class);
		pt_svg_path(b, pt_buf_str(&text), &p->of[class].data);
		pt_buf_deinit(&p->of[class].data);
	}
	pt_buf_deinit(&text);
	pt_buf_puts(b, "</g>\n");
}

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

static void timechart_paths_name_text(const struct tc_drawing *d, unsigned kind, uint64_t key,
				      struct pt_buf *b)
{
	uint32_t which = (uint32_t)key;

	if (key == KEY_WAIT || key == KEY_BLOCKED || key == KEY_GAP) {
		pt_buf_puts(b, key == KEY_WAIT      ? "waiting for a CPU"
			       : key == KEY_BLOCKED ? "blocked"
						    : "not known");
	} else if (key == KEY_REST) {
		pt_buf_puts(b, kind == TC_OF_CPU ? "other tasks" : "running");
	} else {
		pt_buf_puts(b, d->c->comms[(key & ~KEY_OTHER) >> 32].name);
		if (which != TC_MANY)
			pt_buf_printf(b, kind == TC_OF_CPU ? " %u" : " on CPU %u", which);
		else if (kind == TC_OF_TASK)
			pt_buf_puts(b, " running");
	}
}

unsigned tc_class_of(const struct tc_drawing *d, uint64_t key)
{
	switch (key) {
	case KEY_WAIT: return CLASS_WAIT;
	case KEY_BLOCKED: return CLASS_BLOCKED;
	case KEY_GAP: return TC_CLASSES;		/* hatched instead of coloured */
	case KEY_REST: return CLASS_OTHER;
	}
	if (key & KEY_OTHER)
		return CLASS_OTHER;
	return d->c->comms[key >> 32].class;
}

/* A key's index among the names; 0, others, if two digits do not suffice. */
static uint64_t timechart_paths_name_of(struct tc_drawing *d, unsigned kind, uint64_t key)
{
	struct pt_buf text = PT_BUF_INIT;
	uint64_t *at;

	at = pt_map_put(&d->name_index, (uint64_t)kind << 62 | key);
	if (*at)
		return *at - 1;
	if (d->nr_names >= 4096) {
		*at = 1;
		return 0;
	}
	*at = ++d->nr_names;
	timechart_paths_name_text(d, kind, key, &text);
	pt_buf_printf(&d->names, ",[%u,\"", tc_class_of(d, key));
	pt_text_json(&d->names, pt_buf_str(&text), text.len);
	pt_buf_puts(&d->names, "\"]");
	pt_buf_deinit(&text);
	return d->nr_names - 1;
}

/* Equal neighbours among the texts of a row's columns. */
struct run { struct pt_buf text; size_t nr; };

/* Texts are set off by blanks; one that stands N times is followed by "*N", and so is an empty
 * first one. */
static void timechart_paths_end_run(struct pt_buf *row, struct run *r)
{
	if (r->nr && row->data[row->len - 1] != '"')
		pt_buf_putc(row, ' ');
	pt_buf_join(row, &r->text);
	if (r->nr > 1 || (r->nr && !r->text.len))
		pt_buf_printf(row, "*%zu", r->nr);
	pt_buf_deinit(&r->text);
	r->nr = 0;
}

/* Takes the text. */
static void timechart_paths_add_column(struct pt_buf *row, struct run *r, struct pt_buf *text)
{
	if (r->nr && text->len == r->text.len &&
	    !strcmp(pt_buf_str(text), pt_buf_str(&r->text))) {
		r->nr++;
		pt_buf_clear(text);
		return;
	}
	timechart_paths_end_run(row, r);
	*r = (struct run){ *text, 1 };
	*text = (struct pt_buf)PT_BUF_INIT;
}

static void timechart_paths_add_share(struct pt_buf *text, double share, uint64_t name)
{
	double v = share * 63 + .5;

	pt_buf_putc(text, digits[v < 1 ? 1 : v >= 63 ? 63 : (unsigned)v]);
	pt_buf_putc(text, digits[name >> 6 & 63]);
	pt_buf_putc(text, digits[name & 63]);
}

void tc_data_cells(struct tc_drawing *d, unsigned kind, double full_ns)
{
	struct pt_buf text = PT_BUF_INIT;
	struct run r = { .nr = 0 };
	unsigned k;
	size_t i;

	for (i = 0; i < d->columns; i++) {
		const struct pt_lane_cell *c = &d->cells[i];
		double rest = 0;

		for (k = 0; k < c->nr; k++)
			if (text.len == 3 * d->detail ||
			    (kind == TC_OF_CPU && c->v[k].key == KEY_REST))
				rest += c->v[k].time_ns;
			else
				timechart_paths_add_share(
					&text, c->v[k].time_ns / full_ns,
					timechart_paths_name_of(d, kind, c->v[k].key));
		if (rest > full_ns / 126)
			timechart_paths_add_share(&text, rest / full_ns, 0);
		timechart_paths_add_column(&d->rows, &r, &text);
	}
	timechart_paths_end_run(&d->rows, &r);
	pt_buf_deinit(&text);
}

void tc_data_sums(struct tc_drawing *d, size_t nr, double factor)
{
	struct pt_buf text = PT_BUF_INIT;
	struct run r = { .nr = 0 };
	size_t i, k;

	for (i = 0; i < d->columns; i++) {
		for (k = 0; k < nr; k++) {
			if (k)
				pt_buf_putc(&text, ',');
			if (d->sums[k][i] > 0)
				pt_svg_num(&text, PT_MAX(d->sums[k][i] * factor, .01));
		}
		timechart_paths_add_column(&d->rows, &r, &text);
	}
	timechart_paths_end_run(&d->rows, &r);
	pt_buf_deinit(&text);
}
