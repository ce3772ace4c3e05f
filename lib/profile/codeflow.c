#include "profile/codeflow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

enum { LANES = 6 };			/* jumps that are drawn beside one another */

struct jump { size_t from, to, low, high; };

struct pt_codeflow {
	struct jump *jumps;		/* the shortest first */
	size_t nr, cap, nr_insns;
	size_t width;			/* of a line of arrows, with its final 0 */
	char *arrows;			/* a line an instruction */
};

/* False: no instruction begins there. */
static bool find_insn(const struct pt_insns *in, uint64_t vaddr, size_t *found)
{
	*found = PT_LEADING(in->nr, i, in->v[i].vaddr < vaddr);
	return *found < in->nr && in->v[*found].vaddr == vaddr;
}

static int by_length(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;
	size_t m = x->high - x->low, n = y->high - y->low;

	return m != n ? (m > n) - (m < n) : (x->from > y->from) - (x->from < y->from);
}

static bool is_free(const struct pt_codeflow *f, const struct jump *j, size_t column)
{
	for (size_t i = j->low; i <= j->high; i++)
		if (f->arrows[i * f->width + column] != ' ')
			return false;
	return true;
}

/* From a corner to the instruction. Lines that it crosses stay. */
static void draw_end(struct pt_codeflow *f, size_t insn, size_t column, char corner, bool target)
{
	char *line = f->arrows + insn * f->width;

	line[column] = corner;
	while (++column < LANES)
		line[column] = line[column] == ' ' ? '-' : line[column];
	line[LANES] = target || line[LANES] == '>' ? '>' : '-';
}

static void codeflow_draw(struct pt_codeflow *f, const struct jump *j)
{
	size_t column = LANES;

	while (column && !is_free(f, j, column - 1))
		column--;
	if (!column)
		return;
	column--;
	for (size_t i = j->low; i <= j->high; i++)
		f->arrows[i * f->width + column] = '|';
	draw_end(f, j->high, column, '\'', j->high == j->to);
	draw_end(f, j->low, column, ',', j->low == j->to);
}

/* Columns at the left that no line has are taken away. */
static void trim(struct pt_codeflow *f)
{
	size_t used = LANES;

	for (size_t i = 0; i < f->nr_insns; i++)
		used = PT_MIN(used, strspn(f->arrows + i * f->width, " "));
	for (size_t i = 0; i < f->nr_insns; i++)
		memmove(f->arrows + i * f->width, f->arrows + i * f->width + used, f->width - used);
}

struct pt_codeflow *pt_codeflow_new(const struct pt_insns *in)
{
	struct pt_codeflow *f = pt_alloc(sizeof(*f));
	size_t to;

	f->nr_insns = in->nr;
	for (size_t i = 0; i < in->nr; i++) {
		if (in->v[i].kind != PT_INSN_JUMP || !in->v[i].has_target ||
		    !find_insn(in, in->v[i].target, &to))
			continue;
		PT_GROW(f->jumps, f->nr, f->cap);
		f->jumps[f->nr++] = (struct jump){ i, to, PT_MIN(i, to), PT_MAX(i, to) };
	}
	if (!f->nr)
		return f;
	qsort(f->jumps, f->nr, sizeof(*f->jumps), by_length);
	f->width = LANES + 3;
	f->arrows = pt_alloc(in->nr * f->width);
	for (size_t i = 0; i < in->nr; i++)
		memset(f->arrows + i * f->width, ' ', f->width - 1);
	for (size_t i = 0; i < f->nr; i++)
		codeflow_draw(f, &f->jumps[i]);
	trim(f);
	return f;
}

void pt_codeflow_free(struct pt_codeflow *f)
{
	free(f->jumps);
	free(f->arrows);
	free(f);
}

const char *pt_codeflow_arrows(const struct pt_codeflow *f, size_t i)
{
	return f->arrows ? f->arrows + i * f->width : "";
}

/* -- blocks -- */

/* The innermost loop around an instruction; NULL: none. */
static const struct jump *loop_of(const struct pt_codeflow *f, size_t insn)
{
	for (size_t i = 0; i < f->nr; i++) {
		const struct jump *j = &f->jumps[i];

		if (j->to <= j->from && j->low <= insn && insn <= j->high)
			return j;
	}
	return NULL;
}

static int by_loop(const void *a, const void *b)
{
	const struct pt_code_block *x = a, *y = b;

	if (x->loop_weight.period != y->loop_weight.period)
		return x->loop_weight.period < y->loop_weight.period ? 1 : -1;
	if (x->loops != y->loops || x->loop != y->loop)
		return x->loops != y->loops ? y->loops - x->loops : x->loop < y->loop ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static void codeflow_add_weight(struct pt_weight *to, struct pt_weight more)
{
	to->period += more.period;
	to->samples += more.samples;
}

struct pt_code_block *pt_codeflow_blocks(const struct pt_codeflow *f, const struct pt_insns *in,
					 const struct pt_code_function *x, size_t *nr)
{
	struct pt_code_block *v = pt_alloc_array(in->nr, sizeof(*v));
	bool *starts = pt_alloc_array(in->nr + 1, sizeof(*starts));
	/* by the instruction that a loop begins with; the last: of what is in none */
	struct pt_weight *loops = pt_alloc_array(in->nr + 1, sizeof(*loops));

	*nr = 0;
	for (size_t i = 0; i < f->nr; i++)
		starts[f->jumps[i].to] = true;
	for (size_t i = 0; i < in->nr; i++)
		starts[i + 1] |= in->v[i].kind == PT_INSN_JUMP || in->v[i].kind == PT_INSN_RETURN;
	for (size_t i = 0; i < in->nr; i++) {
		const struct pt_insn *insn = &in->v[i];
		const struct jump *loop;

		if (!i || starts[i]) {
			loop = loop_of(f, i);
			v[(*nr)++] = (struct pt_code_block){ .start = i, .loops = loop,
							     .loop = loop ? loop->to : in->nr };
		}
		v[*nr - 1].end = i + 1;
		codeflow_add_weight(
			&v[*nr - 1].weight,
			pt_code_sum(x, insn->vaddr, insn->vaddr + insn->len_bytes).weight);
	}
	for (size_t i = 0; i < *nr; i++)
		codeflow_add_weight(&loops[v[i].loop], v[i].weight);
	for (size_t i = 0; i < *nr; i++)
		v[i].loop_weight = v[i].loops ? loops[v[i].loop] : v[i].weight;
	qsort(v, *nr, sizeof(*v), by_loop);
	free(starts);
	free(loops);
	return v;
}
