/* The table of open starts, against a list that does the same slowly. */
#include "test.h"

#include "lat/pending_starts.h"

enum { MODEL = 4096 };

static struct { uint64_t k0, k1, start; } model[MODEL];
static size_t nr_model;

static size_t model_first(uint64_t k0, uint64_t k1)
{
	for (size_t i = 0; i < nr_model; i++)
		if (model[i].k0 == k0 && model[i].k1 == k1)
			return i;
	return nr_model;
}

static void model_insert(size_t at, uint64_t k0, uint64_t k1, uint64_t start)
{
	memmove(model + at + 1, model + at, (nr_model - at) * sizeof(model[0]));
	model[at].k0 = k0;
	model[at].k1 = k1;
	model[at].start = start;
	nr_model++;
}

static void model_remove(size_t at)
{
	memmove(model + at, model + at + 1, (nr_model - at - 1) * sizeof(model[0]));
	nr_model--;
}

static uint64_t random_state;

static uint32_t any(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

/* *o is the model's start `at`, and the same ones are behind it. */
static void check_chain(const struct pt_pending_starts *t, struct pt_pending_start *o, size_t at)
{
	for (size_t i = at; i < nr_model; i++) {
		if (model[i].k0 != model[at].k0 || model[i].k1 != model[at].k1)
			continue;
		CHECK(o != NULL);
		CHECK_INT(o->start_ns, model[i].start);
		o = pt_pending_behind(t, o);
	}
	CHECK(o == NULL);
}

/* Keys that crowd: few, of small numbers, in two devices; pairs of them mix to the same. */
static void run(uint64_t seed, uint32_t keys, bool stacks)
{
	struct pt_pending_starts t = { 0 };

	random_state = seed;
	nr_model = 0;
	for (uint32_t step = 0; step < 4000; step++) {
		uint64_t k0 = any(keys) ^ (uint64_t)any(2) << 32, k1 = any(2), start = step + 1;
		size_t at = model_first(k0, k1);
		struct pt_pending_start *o = pt_pending_find(&t, k0, k1);

		CHECK((o != NULL) == (at < nr_model));
		if (o)
			check_chain(&t, o, at);
		if (any(100) < 48 && nr_model < MODEL) {
			o = stacks ? pt_pending_push(&t, k0, k1) : pt_pending_add(&t, k0, k1);
			CHECK_INT(o->k0, k0);
			CHECK_INT(o->flags + o->nr + o->advanced, 0);
			o->start_ns = start;
			model_insert(stacks ? at : nr_model, k0, k1, start);
			check_chain(&t, pt_pending_find(&t, k0, k1), model_first(k0, k1));
		} else if (o && any(50) == 0) {
			size_t n = pt_pending_take_all(&t, o);

			for (; (at = model_first(k0, k1)) < nr_model; n--)
				model_remove(at);
			CHECK_INT(n, 0);
		} else if (o) {
			pt_pending_take(&t, o);
			model_remove(at);
		}
		CHECK_INT(t.nr, nr_model);
		if (any(1000) == 0) {
			pt_pending_starts_clear(&t);
			nr_model = 0;
		}
	}
	size_t i = 0, nr = 0;
	while (pt_pending_each(&t, &i))
		nr++;
	CHECK_INT(nr, nr_model);
	pt_pending_starts_deinit(&t);
}

TEST(as_the_model)
{
	static const uint32_t keys[] = { 1, 3, 40, 1000, 100000 };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		for (uint64_t seed = 1; seed <= 6; seed++) {
			run(seed * 77, keys[i], false);
			run(seed * 99, keys[i], true);
		}
	}
}
