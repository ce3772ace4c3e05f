/* firefox_tables.c - stacks, frames, functions, files and strings of one thread. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "export/firefox_priv.h"

/* Cells that are no numbers: null and false. */
#define NONE INT64_MIN
#define NO (INT64_MIN + 1)

enum { LIBRARY = 1, MAX_COLUMNS = 10 };

static const struct {
	const char *name;
	size_t nr_columns;
	const char *columns[MAX_COLUMNS];
} tables[NR_TABLES] = {
	[TABLE_MARKERS] = { "markers", 6, { "data", "name", "startTime", "endTime", "phase", "category" } },
	[TABLE_STACKS] = { "stackTable", 4, { "frame", "prefix", "category", "subcategory" } },
	[TABLE_FRAMES] = { "frameTable", 10, { "address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "implementation", "line", "column" } },
	[TABLE_FUNCTIONS] = { "funcTable", 7, { "isJS", "relevantForJS", "name", "resource", "fileName", "lineNumber", "columnNumber" } },
	[TABLE_RESOURCES] = { "resourceTable", 4, { "lib", "name", "host", "type" } },
	[TABLE_SYMBOLS] = { "nativeSymbols", 4, { "libIndex", "address", "name", "functionSize" } },
};

/* Returns the row's number. */
static uint32_t firefox_tables_add_row(struct firefox *f, enum firefox_table table,
				       const int64_t *cells)
{
	struct firefox_rows *r = &f->rows[table];
	size_t nr = tables[table].nr_columns;

	for (size_t i = 0; i < nr; i++) {
		PT_GROW(r->cells, r->nr_cells, r->cap);
		r->cells[r->nr_cells++] = cells[i];
	}
	return (uint32_t)(r->nr_cells / nr - 1);
}

static int64_t firefox_tables_string(struct firefox *f, const char *text)
{
	uint64_t *slot;

	if (!text)
		return NONE;
	slot = pt_map_put(&f->string_numbers, pt_word_of(text));
	if (!*slot) {
		PT_GROW(f->strings, f->nr_strings, f->cap_strings);
		f->strings[f->nr_strings++] = text;
		*slot = f->nr_strings;
	}
	return (int64_t)*slot - 1;
}

static int64_t resource(struct firefox *f, const char *module)
{
	uint64_t *slot;

	if (!module)
		return -1;
	slot = pt_map_put(&f->resource_numbers, pt_word_of(module));
	if (!*slot) {
		int64_t lib = (int64_t)*pt_map_get(&f->libs, pt_word_of(module)) - 1;
		const int64_t row[] = { lib, firefox_tables_string(f, module), NONE, LIBRARY };

		*slot = firefox_tables_add_row(f, TABLE_RESOURCES, row) + 1;
	}
	return (int64_t)*slot - 1;
}

static uint32_t function(struct firefox *f, uint32_t number)
{
	const struct pt_samples_function *x = &f->s->functions[number];
	struct firefox_seen *seen = &f->functions[number];

	if (seen->thread != f->thread) {
		int64_t name = firefox_tables_string(f, x->name),
			file = firefox_tables_string(f, x->file), module = resource(f, x->module);
		const int64_t row[] = { NO, NO, name, module, file, NONE, NONE };

		*seen = (struct firefox_seen){ f->thread,
					       firefox_tables_add_row(f, TABLE_FUNCTIONS, row) };
	}
	return seen->number;
}

/* Frame number `k` of a place. */
static int64_t category(const struct pt_samples *s, uint32_t k)
{
	uint32_t frame = s->place_frames[k];

	return s->functions[s->frames[frame].function].kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

/* `depth`: 0 for the function that the others are inlined into. */
static uint32_t firefox_tables_frame(struct firefox *f, const struct pt_samples_place *place,
				     uint32_t k, uint32_t depth)
{
	const struct pt_samples_frame *x = &f->s->frames[f->s->place_frames[k]];
	struct firefox_seen *seen = &f->place_frames[k];

	if (seen->thread != f->thread) {
		/* numbers of JSON have 53 bits: addresses of the kernel are left out */
		bool fits = place->vaddr && place->vaddr < 1ull << 53;
		const int64_t row[] = { fits ? (int64_t)place->vaddr : -1, depth,
					category(f->s, k), 0, function(f, x->function),
					NONE, 0, NONE, x->line ? (int64_t)x->line : NONE, NONE };

		*seen = (struct firefox_seen){ f->thread,
					       firefox_tables_add_row(f, TABLE_FRAMES, row) };
	}
	return seen->number;
}

static int by_number(const void *a, const void *b)
{
	return PT_COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void use_stack(struct firefox *f, uint32_t node)
{
	for (; node && f->nodes[node].thread != f->thread; node = f->s->nodes[node].parent) {
		f->nodes[node].thread = f->thread;
		PT_GROW(f->used_nodes, f->nr_used_nodes, f->cap_used_nodes);
		f->used_nodes[f->nr_used_nodes++] = node;
	}
}

/* The rows of a node: its place's frames, the outermost first. */
static void firefox_tables_add_stack(struct firefox *f, uint32_t node)
{
	const struct pt_samples_node *n = &f->s->nodes[node];
	const struct pt_samples_place *place = &f->s->places[n->place];
	int64_t prefix = n->parent ? (int64_t)f->nodes[n->parent].number : NONE;

	for (uint32_t i = place->nr; i--;) {
		uint32_t k = place->first + i;
		const int64_t row[] = { firefox_tables_frame(f, place, k, place->nr - 1 - i),
					prefix, category(f->s, k), 0 };

		prefix = firefox_tables_add_row(f, TABLE_STACKS, row);
	}
	f->nodes[node].number = (uint32_t)prefix;
}

void firefox_tables(struct firefox *f, const struct pt_samples_order *order, size_t nr)
{
	size_t i;

	f->thread++;
	f->nr_used_nodes = f->nr_strings = 0;
	for (i = 0; i < NR_TABLES; i++)
		f->rows[i].nr_cells = 0;
	pt_map_clear(&f->string_numbers);
	pt_map_clear(&f->resource_numbers);
	for (i = 0; i < nr; i++)
		use_stack(f, f->s->items[order[i].item].node);
	/* Callers come first: a parent has a lower number. */
	qsort(f->used_nodes, f->nr_used_nodes, sizeof(*f->used_nodes), by_number);
	for (i = 0; i < f->nr_used_nodes; i++)
		firefox_tables_add_stack(f, f->used_nodes[i]);
}

static void write_cell(struct pt_buf *b, int64_t v)
{
	if (v == NONE)
		pt_json_null(b, NULL);
	else if (v == NO)
		pt_json_bool(b, NULL, false);
	else
		pt_json_s64(b, NULL, v);
}

/* A table is an object of columns. */
static void write_table(struct firefox *f, enum firefox_table table)
{
	const struct firefox_rows *r = &f->rows[table];
	size_t nr = tables[table].nr_columns;
	struct pt_buf *b = &f->sink->text;

	pt_json_open(b, tables[table].name, '{');
	for (size_t column = 0; column < nr; column++) {
		pt_json_open(b, tables[table].columns[column], '[');
		for (size_t i = column; i < r->nr_cells; i += nr) {
			write_cell(b, r->cells[i]);
			pt_sink_pace(f->sink);
		}
		pt_json_close(b, ']');
	}
	pt_json_u64(b, "length", r->nr_cells / nr);
	pt_json_close(b, '}');
}

void firefox_write_tables(struct firefox *f)
{
	struct pt_buf *b = &f->sink->text;

	for (enum firefox_table table = 0; table < NR_TABLES; table++)
		write_table(f, table);
	pt_json_open(b, "stringArray", '[');
	for (size_t i = 0; i < f->nr_strings; i++) {
		pt_json_str(b, NULL, f->strings[i]);
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
}
