#include "stack/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/foldline.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"

struct entry {
	struct entry *next;		/* same hash */
	uint64_t count, times;
	size_t nr;
	const char *comm;
	const char *frames[];
};

struct pt_fold {
	struct pt_map by_hash;
	struct pt_names *comms;
	struct pt_arena all;		/* entries */
	struct entry **order;		/* in order of creation */
	size_t nr, cap;
	size_t nr_frames;
};

struct pt_fold *pt_fold_new(void)
{
	struct pt_fold *f = pt_alloc(sizeof(*f));

	f->comms = pt_names_new();
	return f;
}

void pt_fold_free(struct pt_fold *f)
{
	if (!f)
		return;
	pt_arena_deinit(&f->all);
	free(f->order);
	pt_map_deinit(&f->by_hash);
	pt_names_free(f->comms);
	free(f);
}

void pt_fold_add(struct pt_fold *f, const char *comm, const char *const *frames, size_t nr,
		 uint64_t count)
{
	const char *who = pt_names_add(f->comms, comm, SIZE_MAX);
	uint64_t *slot = pt_map_put(&f->by_hash, pt_hash_quick(frames, nr * sizeof(*frames)) ^
							 pt_word_of(who));
	struct entry *x;

	for (x = pt_pointer(*slot); x; x = x->next)
		if (x->nr == nr && x->comm == who &&
		    (!nr || !memcmp(x->frames, frames, nr * sizeof(*frames)))) {
			x->count += count;
			x->times++;
			return;
		}
	x = pt_arena_alloc(&f->all, sizeof(*x) + nr * sizeof(*frames));
	x->count = count;
	x->times = 1;
	x->nr = nr;
	x->comm = who;
	if (nr)
		memcpy(x->frames, frames, nr * sizeof(*frames));
	x->next = pt_pointer(*slot);
	*slot = pt_word_of(x);
	PT_GROW(f->order, f->nr, f->cap);
	f->order[f->nr++] = x;
	f->nr_frames += nr;
}

bool pt_fold_each(const struct pt_fold *f, size_t *i, struct pt_fold_entry *entry)
{
	const struct entry *x;

	if (*i >= f->nr)
		return false;
	x = f->order[(*i)++];
	*entry = (struct pt_fold_entry){ x->comm, x->frames, x->nr, x->count, x->times };
	return true;
}

size_t pt_fold_nr(const struct pt_fold *f)
{
	return f->nr;
}

size_t pt_fold_frames(const struct pt_fold *f)
{
	return f->nr_frames;
}

/* The name as it is in lines. */
static const char *shown_name(struct pt_fold *f, struct pt_map *known, const char *name)
{
	uint64_t *slot = pt_map_put(known, pt_word_of(name));
	struct pt_buf b = PT_BUF_INIT;
	size_t len;

	if (*slot)
		return pt_pointer(*slot);
	*slot = pt_word_of(name);
	len = strlen(name);
	if (pt_text_ascii(name, len) == len && !memchr(name, ';', len))
		return name;
	pt_buf_add(&b, name, len);
	pt_foldline_name(&b, 0);
	*slot = pt_word_of(pt_names_add(f->comms, b.data, b.len));
	pt_buf_deinit(&b);
	return pt_pointer(*slot);
}

/* A line that begins with # would be a note, which readers skip. */
static const char *line_start(struct pt_fold *f, const char *comm)
{
	struct pt_buf b = PT_BUF_INIT;

	if (*comm != '#')
		return comm;
	pt_buf_putc(&b, ' ');
	pt_buf_puts(&b, comm);
	comm = pt_names_add(f->comms, b.data, b.len);
	pt_buf_deinit(&b);
	return comm;
}

/* Compares as lines do: a frame that is followed by another ends with `;`, which no name contains.
 */
static int fold_compare_names(const char *a, const char *b, bool a_more, bool b_more)
{
	size_t a_len = strlen(a), b_len = strlen(b), n = PT_MIN(a_len, b_len);
	int rc = memcmp(a, b, n);
	unsigned char x, y;

	if (rc)
		return rc;
	x = (unsigned char)(a_len > n ? a[n] : a_more ? ';' : 0);
	y = (unsigned char)(b_len > n ? b[n] : b_more ? ';' : 0);
	return x < y ? -1 : x > y;
}

static int fold_compare(const void *pa, const void *pb)
{
	const struct entry *a = *(struct entry *const *)pa, *b = *(struct entry *const *)pb;
	size_t i = a->nr, k = b->nr;
	int rc = a->comm == b->comm && !i == !k ? 0 : fold_compare_names(a->comm, b->comm, i, k);

	while (!rc && i && k) {
		const char *x = a->frames[--i], *y = b->frames[--k];

		if (x != y || !i != !k)
			rc = fold_compare_names(x, y, i, k);
	}
	return rc;
}

void pt_fold_sort(struct pt_fold *f)
{
	struct pt_map known = PT_MAP_INIT;
	size_t i, k;

	for (i = 0; i < f->nr; i++) {
		struct entry *x = f->order[i];

		x->comm = line_start(f, shown_name(f, &known, x->comm));
		for (k = 0; k < x->nr; k++)
			x->frames[k] = shown_name(f, &known, x->frames[k]);
	}
	pt_map_deinit(&known);
	if (f->nr)
		qsort(f->order, f->nr, sizeof(struct entry *), fold_compare);
}

bool pt_fold_line(const struct pt_fold *f, size_t *i, struct pt_buf *out)
{
	const struct entry *x;
	uint64_t sum;
	size_t k;

	if (*i >= f->nr)
		return false;
	x = f->order[(*i)++];
	for (sum = x->count; *i < f->nr && !fold_compare(&x, &f->order[*i]); (*i)++)
		sum += f->order[*i]->count;
	pt_buf_puts(out, x->comm);
	for (k = x->nr; k-- > 0; ) {
		pt_buf_putc(out, ';');
		pt_buf_puts(out, x->frames[k]);
	}
	pt_buf_putc(out, ' ');
	pt_buf_dec(out, sum);
	pt_buf_putc(out, '\n');
	return true;
}
