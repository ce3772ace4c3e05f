/* firefox_tables.c - stacks, frames, functions, files and strings of one thread. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "export/firefox_priv.h"

enum { LIBRARY = 1 };

/* -- the tables of a thread -- */

static uint32_t number_in(struct pt_map *numbers, const char ***list, size_t *nr, size_t *cap,
			  const char *text)
{
	uint64_t *slot = pt_map_put(numbers, pt_word_of(text));

	if (!*slot) {
		PT_GROW(*list, *nr, *cap);
		(*list)[(*nr)++] = text;
		*slot = *nr;
	}
	return (uint32_t)(*slot - 1);
}

static uint32_t string(struct firefox *f, const char *text)
{
	return number_in(&f->string_numbers, &f->strings, &f->nr_strings, &f->cap_strings, text);
}

static uint32_t resource(struct firefox *f, const char *module)
{
	return number_in(&f->module_numbers, &f->modules, &f->nr_modules, &f->cap_modules, module);
}

static uint32_t function(struct firefox *f, uint32_t function)
{
	struct firefox_seen *x = &f->functions[function];

	if (x->thread != f->thread) {
		*x = (struct firefox_seen){ f->thread, (uint32_t)f->nr_used_functions };
		PT_GROW(f->used_functions, f->nr_used_functions, f->cap_used_functions);
		f->used_functions[f->nr_used_functions++] = function;
		string(f, f->s->functions[function].name);
		if (f->s->functions[function].file)
			string(f, f->s->functions[function].file);
		if (f->s->functions[function].module) {
			string(f, f->s->functions[function].module);
			resource(f, f->s->functions[function].module);
		}
	}
	return x->number;
}

/* `depth`: 0 for the function that the others are inlined into. */
static uint32_t frame(struct firefox *f, uint32_t place, uint32_t place_frame, uint32_t depth)
{
	struct firefox_seen *x = &f->place_frames[place_frame];

	if (x->thread != f->thread) {
		*x = (struct firefox_seen){ f->thread, (uint32_t)f->nr_frames };
		PT_GROW(f->frames, f->nr_frames, f->cap_frames);
		f->frames[f->nr_frames++] = (struct firefox_frame){
			place, place_frame,
			function(f, f->s->frames[f->s->place_frames[place_frame]].function), depth
		};
	}
	return x->number;
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

void firefox_tables(struct firefox *f, const struct pt_samples_order *order, size_t nr)
{
	struct pt_samples *s = f->s;
	size_t i;

	f->thread++;
	f->nr_used_nodes = f->nr_stacks = f->nr_frames = f->nr_used_functions = 0;
	f->nr_strings = f->nr_modules = 0;
	pt_map_clear(&f->string_numbers);
	pt_map_clear(&f->module_numbers);
	for (i = 0; i < nr; i++)
		use_stack(f, s->items[order[i].item].node);
	/* Callers come first: a parent has a lower number. */
	qsort(f->used_nodes, f->nr_used_nodes, sizeof(*f->used_nodes), by_number);
	for (i = 0; i < f->nr_used_nodes; i++) {
		const struct pt_samples_node *n = &s->nodes[f->used_nodes[i]];
		const struct pt_samples_place *place = &s->places[n->place];
		int64_t prefix = n->parent ? (int64_t)f->nodes[n->parent].number : -1;

		for (uint32_t k = place->nr; k--;) {
			PT_GROW(f->stacks, f->nr_stacks, f->cap_stacks);
			f->stacks[f->nr_stacks] = (struct firefox_stack){
				frame(f, n->place, place->first + k, place->nr - 1 - k), prefix
			};
			prefix = (int64_t)f->nr_stacks++;
		}
		f->nodes[f->used_nodes[i]].number = (uint32_t)(f->nr_stacks - 1);
	}
}

/* -- how they are written: a table is an object of columns -- */

/* A column; `cell` adds the value of row i. */
static void column(struct firefox *f, const char *name, size_t nr,
		   void (*cell)(struct firefox *f, struct pt_buf *b, size_t i))
{
	struct pt_buf *b = &f->sink->text;

	pt_json_open(b, name, '[');
	for (size_t i = 0; i < nr; i++) {
		cell(f, b, i);
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
}

void firefox_number(struct pt_buf *b, int64_t v)
{
	if (v < 0)
		pt_json_null(b, NULL);
	else
		pt_json_s64(b, NULL, v);
}

static void cell_null(struct firefox *f, struct pt_buf *b, size_t i)
{
	(void)f, (void)i;
	pt_json_null(b, NULL);
}

static void cell_zero(struct firefox *f, struct pt_buf *b, size_t i)
{
	(void)f, (void)i;
	pt_json_u64(b, NULL, 0);
}

static void cell_false(struct firefox *f, struct pt_buf *b, size_t i)
{
	(void)f, (void)i;
	pt_json_bool(b, NULL, false);
}

static const struct pt_samples_frame *frame_at(const struct firefox *f, size_t i)
{
	return &f->s->frames[f->s->place_frames[f->frames[i].place_frame]];
}

static const struct pt_samples_function *function_at(const struct firefox *f, size_t i)
{
	return &f->s->functions[f->used_functions[i]];
}

static void cell_stack_frame(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, f->stacks[i].frame);
}

static void cell_stack_prefix(struct firefox *f, struct pt_buf *b, size_t i)
{
	firefox_number(b, f->stacks[i].prefix);
}

static void cell_frame_category(struct firefox *f, struct pt_buf *b, size_t i)
{
	bool kernel = f->s->functions[frame_at(f, i)->function].kernel;

	pt_json_u64(b, NULL, kernel ? CATEGORY_KERNEL : CATEGORY_USER);
}

static void cell_stack_category(struct firefox *f, struct pt_buf *b, size_t i)
{
	cell_frame_category(f, b, f->stacks[i].frame);
}

static void cell_frame_address(struct firefox *f, struct pt_buf *b, size_t i)
{
	uint64_t vaddr = f->s->places[f->frames[i].place].vaddr;

	/* numbers of JSON have 53 bits: addresses of the kernel are left out */
	pt_json_s64(b, NULL, vaddr && vaddr < 1ull << 53 ? (int64_t)vaddr : -1);
}

static void cell_frame_depth(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, f->frames[i].depth);
}

static void cell_frame_function(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, f->frames[i].function);
}

static void cell_frame_line(struct firefox *f, struct pt_buf *b, size_t i)
{
	firefox_number(b, frame_at(f, i)->line ? (int64_t)frame_at(f, i)->line : -1);
}

static void cell_function_name(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, string(f, function_at(f, i)->name));
}

static void cell_function_resource(struct firefox *f, struct pt_buf *b, size_t i)
{
	const char *module = function_at(f, i)->module;

	pt_json_s64(b, NULL, module ? (int64_t)resource(f, module) : -1);
}

static void cell_function_file(struct firefox *f, struct pt_buf *b, size_t i)
{
	const char *file = function_at(f, i)->file;

	firefox_number(b, file ? (int64_t)string(f, file) : -1);
}

static void cell_resource_name(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, string(f, f->modules[i]));
}

static void cell_resource_lib(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_u64(b, NULL, *pt_map_get(&f->libs, pt_word_of(f->modules[i])) - 1);
}

static void cell_resource_type(struct firefox *f, struct pt_buf *b, size_t i)
{
	(void)f, (void)i;
	pt_json_u64(b, NULL, LIBRARY);
}

static void cell_string(struct firefox *f, struct pt_buf *b, size_t i)
{
	pt_json_str(b, NULL, f->strings[i]);
}

typedef void cell_writer(struct firefox *f, struct pt_buf *b, size_t i);
struct column { const char *name; cell_writer *cell; };

static const struct column stack_columns[] = {
	{ "frame", cell_stack_frame }, { "prefix", cell_stack_prefix },
	{ "category", cell_stack_category }, { "subcategory", cell_zero }, { NULL, NULL }
};
static const struct column frame_columns[] = {
	{ "address", cell_frame_address }, { "inlineDepth", cell_frame_depth },
	{ "category", cell_frame_category }, { "subcategory", cell_zero },
	{ "func", cell_frame_function }, { "nativeSymbol", cell_null },
	{ "innerWindowID", cell_zero }, { "implementation", cell_null },
	{ "line", cell_frame_line }, { "column", cell_null }, { NULL, NULL }
};
static const struct column function_columns[] = {
	{ "isJS", cell_false }, { "relevantForJS", cell_false }, { "name", cell_function_name },
	{ "resource", cell_function_resource },
	{ "fileName", cell_function_file }, { "lineNumber", cell_null },
	{ "columnNumber", cell_null }, { NULL, NULL }
};
static const struct column resource_columns[] = {
	{ "lib", cell_resource_lib }, { "name", cell_resource_name }, { "host", cell_null },
	{ "type", cell_resource_type }, { NULL, NULL }
};
static const struct column symbol_columns[] = {
	{ "libIndex", cell_zero }, { "address", cell_zero }, { "name", cell_zero },
	{ "functionSize", cell_null }, { NULL, NULL }
};
static const struct column marker_columns[] = {
	{ "data", cell_null }, { "name", cell_zero }, { "startTime", cell_zero },
	{ "endTime", cell_null }, { "phase", cell_zero }, { "category", cell_zero }, { NULL, NULL }
};

static void table(struct firefox *f, const char *name, const struct column *columns, size_t nr)
{
	struct pt_buf *b = &f->sink->text;

	pt_json_open(b, name, '{');
	for (; columns->name; columns++)
		column(f, columns->name, nr, columns->cell);
	pt_json_u64(b, "length", nr);
	pt_json_close(b, '}');
}

void firefox_write_tables(struct firefox *f)
{
	table(f, "markers", marker_columns, 0);
	table(f, "stackTable", stack_columns, f->nr_stacks);
	table(f, "frameTable", frame_columns, f->nr_frames);
	table(f, "funcTable", function_columns, f->nr_used_functions);
	table(f, "resourceTable", resource_columns, f->nr_modules);
	table(f, "nativeSymbols", symbol_columns, 0);
	column(f, "stringArray", f->nr_strings, cell_string);
}
