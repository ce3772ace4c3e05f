#include "view/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

struct entry {
	struct entry *next;		/* same hash */
	uint64_t count;
	size_t nr;
	const char *comm;
	const char *frames[];
};

struct pt_fold {
	struct pt_map by_hash;
	struct pt_names *comms;
	struct entry **order;		/* as they were made */
	size_t nr, cap;
	uint64_t total;
};

struct pt_fold *pt_fold_new(void)
{
	struct pt_fold *f = pt_alloc(sizeof(*f));

	f->comms = pt_names_new();
	return f;
}

void pt_fold_free(struct pt_fold *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->nr; i++)
		free(f->order[i]);
	free(f->order);
	pt_map_deinit(&f->by_hash);
	pt_names_free(f->comms);
	free(f);
}

void pt_fold_add(struct pt_fold *f, const char *comm, const char *const *frames, size_t nr, uint64_t count)
{
	const char *who = pt_names_add(f->comms, comm, SIZE_MAX);
	uint64_t *slot = pt_map_put(&f->by_hash, pt_hash_bytes(frames, nr * sizeof(*frames)) ^ pt_hash64((uint64_t)(uintptr_t)who));
	struct entry *x;

	f->total += count;
	for (x = (struct entry *)(uintptr_t)*slot; x; x = x->next)
		if (x->nr == nr && x->comm == who && (!nr || !memcmp(x->frames, frames, nr * sizeof(*frames)))) {
			x->count += count;
			return;
		}
	x = pt_alloc(sizeof(*x) + nr * sizeof(*frames));
	x->count = count;
	x->nr = nr;
	x->comm = who;
	if (nr)
		memcpy(x->frames, frames, nr * sizeof(*frames));
	x->next = (struct entry *)(uintptr_t)*slot;
	*slot = (uint64_t)(uintptr_t)x;
	PT_GROW(f->order, f->nr, f->cap);
	f->order[f->nr++] = x;
}

bool pt_fold_each(const struct pt_fold *f, size_t *i, struct pt_fold_entry *entry)
{
	const struct entry *x;

	if (*i >= f->nr)
		return false;
	x = f->order[(*i)++];
	*entry = (struct pt_fold_entry){ x->comm, x->frames, x->nr, x->count };
	return true;
}

size_t pt_fold_nr(const struct pt_fold *f)
{
	return f->nr;
}

uint64_t pt_fold_total(const struct pt_fold *f)
{
	return f->total;
}

static void add_name(struct pt_buf *b, const char *s)
{
	for (; *s; s++)
		pt_buf_putc(b, *s == ';' ? ':' : (unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
}

struct line { const char *text; uint64_t count; };

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

void pt_fold_print(const struct pt_fold *f, struct pt_buf *out)
{
	struct line *lines = pt_alloc_array(f->nr, sizeof(*lines));
	struct pt_buf text = PT_BUF_INIT;
	size_t *offs = pt_alloc_array(f->nr, sizeof(*offs)), nr = f->nr, i, k;
	uint64_t sum;

	for (i = 0; i < nr; i++) {
		const struct entry *x = f->order[i];

		lines[i].count = x->count;
		offs[i] = text.len;
		add_name(&text, x->comm);
		for (k = x->nr; k-- > 0; ) {
			pt_buf_putc(&text, ';');
			add_name(&text, x->frames[k]);
		}
		pt_buf_putc(&text, '\0');
	}
	for (k = 0; k < nr; k++)	/* now that the text stays where it is */
		lines[k].text = text.data + offs[k];
	free(offs);
	if (nr)
		qsort(lines, nr, sizeof(*lines), compare);
	for (k = 0; k < nr; ) {		/* what escaping made equal is one line */
		const char *t = lines[k].text;

		for (sum = 0; k < nr && !strcmp(t, lines[k].text); k++)
			sum += lines[k].count;
		pt_buf_puts(out, t);
		pt_buf_putc(out, ' ');
		pt_buf_dec(out, sum);
		pt_buf_putc(out, '\n');
	}
	pt_buf_deinit(&text);
	free(lines);
}
