#include "profile/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"

struct hit {
	const struct pt_place_at *place;
	struct pt_weight weight, below;
	uint64_t last;			/* number of the sample that was here last */
	size_t function;		/* its id */
};

struct pt_codes {
	struct pt_map by_place;		/* index into hits, from 1 */
	struct hit *hits;
	size_t nr_hits, cap_hits;
	struct pt_code_function *v;
	size_t nr, cap;
	struct pt_weight total;
	uint64_t nr_samples;
};

struct pt_codes *pt_codes_new(void)
{
	return pt_alloc(sizeof(struct pt_codes));
}

void pt_codes_free(struct pt_codes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		free(c->v[i].v);
	free(c->v);
	free(c->hits);
	pt_map_deinit(&c->by_place);
	free(c);
}

static void profile_code_add_weight(struct pt_weight *to, struct pt_weight more)
{
	to->period += more.period;
	to->samples += more.samples;
}

static struct hit *hit_of(struct pt_codes *c, const struct pt_place_at *place)
{
	uint64_t *slot = pt_map_put(&c->by_place, (uint64_t)(uintptr_t)place);

	if (!*slot) {
		PT_GROW(c->hits, c->nr_hits, c->cap_hits);
		c->hits[c->nr_hits++] = (struct hit){ .place = place };
		*slot = c->nr_hits;
	}
	return &c->hits[*slot - 1];
}

void pt_codes_add(struct pt_codes *c, const struct pt_place_at *const *places, size_t nr,
		  struct pt_weight weight)
{
	if (!nr)
		return;
	c->nr_samples++;
	profile_code_add_weight(&c->total, weight);
	profile_code_add_weight(&hit_of(c, places[0])->weight, weight);
	for (size_t i = 1; i < nr; i++) {
		struct hit *hit = hit_of(c, places[i]);

		if (hit->last != c->nr_samples)		/* once, also where it calls itself */
			profile_code_add_weight(&hit->below, weight);
		hit->last = c->nr_samples;
	}
}

/* -- functions -- */

static bool profile_code_same(const struct pt_code_function *x, const struct pt_code_function *y)
{
	if (x->why || y->why)
		return x->why == y->why && x->name == y->name && x->dso == y->dso;
	return x->code.object == y->code.object && x->code.start == y->code.start;
}

static struct pt_code_function *profile_code_function_of(struct pt_codes *c, struct pt_map *known,
							 const struct pt_code_function *x)
{
	const void *of = x->why ? (const void *)x->name : (const void *)x->code.object;
	uint64_t key = (uint64_t)(uintptr_t)of ^ pt_hash64(x->why ? 0 : x->code.start), *slot;

	/* another one may have the same key */
	while (*(slot = pt_map_put(known, key)) && !profile_code_same(&c->v[*slot - 1], x))
		key++;
	if (!*slot) {
		PT_GROW(c->v, c->nr, c->cap);
		c->v[c->nr++] = *x;
		c->v[c->nr - 1].id = c->nr - 1;
		*slot = c->nr;
	}
	return &c->v[*slot - 1];
}

static int by_weight(const void *a, const void *b)
{
	const struct pt_code_function *x = a, *y = b;

	if (x->all.period != y->all.period)
		return x->all.period < y->all.period ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int by_address(const void *a, const void *b)
{
	const struct pt_code_address *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

void pt_codes_name(struct pt_codes *c, struct pt_frames *frames)
{
	struct pt_map known = PT_MAP_INIT;

	for (size_t i = 0; i < c->nr_hits; i++) {
		struct hit *hit = &c->hits[i];
		const struct pt_named_frame *v;
		size_t nr;
		struct pt_code_function x = { .place = hit->place }, *to;

		if (pt_frames_code(frames, hit->place, &x.code, &x.why)) {
			x.name = x.code.name;
			x.dso = x.code.path;
		} else {
			nr = pt_frames_name(frames, hit->place, &v);
			x.name = v[nr - 1].name ? v[nr - 1].name : "[unknown]";
			x.dso = v[nr - 1].module;
		}
		to = profile_code_function_of(c, &known, &x);
		hit->function = to->id;
		profile_code_add_weight(&to->all, hit->weight);
		PT_GROW(to->v, to->nr, to->cap);
		to->v[to->nr++] = (struct pt_code_address){
			pt_frames_address(hit->place).vaddr, hit->weight, hit->below
		};
	}
	pt_map_deinit(&known);
	for (size_t i = 0; i < c->nr; i++)
		qsort(c->v[i].v, c->v[i].nr, sizeof(*c->v[i].v), by_address);
	if (c->nr)
		qsort(c->v, c->nr, sizeof(*c->v), by_weight);
}

struct pt_weight pt_codes_total(const struct pt_codes *c)
{
	return c->total;
}

const struct pt_code_function *pt_codes_at(const struct pt_codes *c, size_t i)
{
	return i < c->nr ? &c->v[i] : NULL;
}

const struct pt_code_function *pt_codes_of(const struct pt_codes *c,
					   const struct pt_place_at *place)
{
	const uint64_t *hit = pt_map_get(&c->by_place, (uint64_t)(uintptr_t)place);

	for (size_t i = 0; hit && i < c->nr; i++)
		if (c->v[i].id == c->hits[*hit - 1].function)
			return &c->v[i];
	return NULL;
}

struct pt_code_address pt_code_sum(const struct pt_code_function *x, uint64_t vaddr, uint64_t end)
{
	struct pt_code_address sum = { .vaddr = vaddr };
	size_t from = PT_LEADING(x->nr, i, x->v[i].vaddr < vaddr);

	for (; from < x->nr && x->v[from].vaddr < end; from++) {
		profile_code_add_weight(&sum.weight, x->v[from].weight);
		profile_code_add_weight(&sum.below, x->v[from].below);
	}
	return sum;
}
