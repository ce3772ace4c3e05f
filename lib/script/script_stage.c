/* Lines made in two threads: the caller's reads records, follows maps and unwinds; the other one
 * looks up names, makes text and writes. See script_priv.h, "in two steps". What goes between them
 * is a copy of all that the text is made of, but for events, plans and places, which stay as they
 * are. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stage.h"
#include "script/script.h"
#include "script/script_priv.h"

/* The first blocks are small ones, so that both threads have something to do at once. */
enum {
	FIRST_BYTES = 8 << 10,
	BLOCK_BYTES = 256 << 10,
	QUEUE_BYTES = 24 << 20,
	WRITE_BYTES = 64 << 10,
	DROP_BYTES = 8 << 20,
	ALIGN = 8
};

struct item {
	enum { SAMPLE, TEXT, NEWS } kind;
	bool named;			/* SAMPLE: it has places */
	size_t bytes;			/* with all that belongs to it */
	union {
		struct {
			const struct plan *plan;
			const char *event;
			const char *comm;
			struct script_stack stack;
			struct pt_record rec;
		} sample;
		struct { const char *s; size_t len; } text;
		struct pt_kernel_news *news;
	} u;
};

struct block {				/* of items, one behind the other */
	struct pt_piece link;
	size_t used, cap;
	uint8_t bytes[] __attribute__((aligned(ALIGN)));
};

struct pt_script_stage {
	struct pt_script *script;
	struct pt_stage *stage;
	struct block *open;		/* being filled; NULL: none */
	size_t block_bytes;
	int (*write)(void *ctx, const void *p, size_t len, struct pt_err *e);
	void *ctx;
	/* The other thread's. */
	struct pt_stage *own;
	struct block *first, **last;	/* taken, and not made into text */
	struct pt_buf text;
	const struct pt_source *src;
	/* of the file: how far samples were, and are no more needed */
	uint64_t seen, dropped;
	bool failed;
};

/* ---- the reading side ---- */

static bool put_open(struct pt_script_stage *t)
{
	struct block *b = t->open;

	t->open = NULL;
	return !b || pt_stage_put(t->stage, &b->link, b->cap);
}

static size_t room_of(size_t bytes)
{
	return (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* A new item with so many bytes behind it. */
static struct item *add_item(struct pt_script_stage *t, int kind, size_t more, bool *good)
{
	size_t bytes = room_of(sizeof(struct item)) + more, cap;
	struct item *x;

	*good = true;
	if (t->open && t->open->cap - t->open->used < bytes)
		*good = put_open(t);
	if (!t->open) {
		cap = PT_MAX(bytes, t->block_bytes);
		t->block_bytes = PT_MIN(t->block_bytes * 2, (size_t)BLOCK_BYTES);
		t->open = pt_realloc(NULL, sizeof(*t->open) + cap, 1);
		t->open->used = 0;
		t->open->cap = cap;
	}
	x = (struct item *)(t->open->bytes + t->open->used);
	t->open->used += bytes;
	x->kind = kind;
	x->bytes = bytes;
	return x;
}

/* A part of a sample: counted with `to` NULL, else copied to *to, which steps behind it. */
static size_t copy_part(const void *p, size_t bytes, const void **place, uint8_t **to)
{
	if (!p || !bytes)
		return 0;
	if (to) {
		memcpy(*to, p, bytes);
		*place = *to;
		*to += room_of(bytes);
	}
	return room_of(bytes);
}

/* What lines show of it. The stack has been unwound. */
static size_t copy_parts(struct pt_record *r, const struct plan *p, bool named, uint8_t **to)
{
	struct pt_sample *s = &r->sample;
	size_t n = 0;

#define COPY(bit, member, bytes) (n += r->has & (bit) ? copy_part(s->member, (bytes), (const void **)&s->member, to) : 0)
	COPY(PERF_SAMPLE_RAW, raw, s->raw_len);
	if (!named)
		COPY(PERF_SAMPLE_CALLCHAIN, callchain, s->nr_callchain * sizeof(*s->callchain));
	if (!named || p->fields & (F_BRSTACK | F_BRSTACKSYM))
		COPY(PERF_SAMPLE_BRANCH_STACK, branches, s->nr_branches * sizeof(*s->branches));
	if (p->fields & F_UREGS)
		COPY(PERF_SAMPLE_REGS_USER, user_regs,
		     s->user_abi ? (size_t)__builtin_popcountll(s->user_mask) * 8 : 0);
	if (p->fields & F_IREGS)
		COPY(PERF_SAMPLE_REGS_INTR, intr_regs,
		     s->intr_abi ? (size_t)__builtin_popcountll(s->intr_mask) * 8 : 0);
#undef COPY
	return n;
}

static bool add_news(struct pt_script_stage *t)
{
	struct pt_kernel_news *news;
	bool good = true, one;

	while ((news = pt_frames_news(t->script->frames))) {
		add_item(t, NEWS, 0, &one)->u.news = news;
		good &= one;
	}
	return good;
}

bool pt_script_stage_sample(struct pt_script_stage *t, struct pt_source *src,
			    const struct pt_record *rec, const char *comm)
{
	const struct plan *p = pt_script_plan(t->script, src, rec->event);
	struct pt_record copied;
	struct script_stack stack;
	struct item *x;
	uint8_t *to;
	size_t comm_bytes = strlen(comm) + 1, frames_bytes;
	bool good, named;

	if (!p->fields)
		return true;
	named = pt_script_resolve(t->script, p, rec, &stack);
	frames_bytes = stack.nr * sizeof(*stack.v);
	memcpy(&copied, rec, offsetof(struct pt_record, u));
	if (!add_news(t))
		return false;
	x = add_item(t, SAMPLE,
		     room_of(comm_bytes) + frames_bytes + copy_parts(&copied, p, named, NULL),
		     &good);
	to = (uint8_t *)x + room_of(sizeof(*x));
	x->u.sample.plan = p;
	x->u.sample.event = rec->event->name;
	x->u.sample.comm = memcpy(to, comm, comm_bytes);
	to += room_of(comm_bytes);
	x->u.sample.stack.nr = stack.nr;
	x->u.sample.stack.v = frames_bytes ? memcpy(to, stack.v, frames_bytes) : NULL;
	to += frames_bytes;
	copy_parts(&copied, p, named, &to);
	memcpy(&x->u.sample.rec, &copied, offsetof(struct pt_record, u));
	x->named = named;
	return good;
}

bool pt_script_stage_hurry(struct pt_script_stage *t)
{
	return !t->open || !t->open->used || put_open(t);
}

bool pt_script_stage_text(struct pt_script_stage *t, const char *s, size_t len)
{
	struct item *x;
	bool good;

	if (!len)
		return true;
	x = add_item(t, TEXT, room_of(len), &good);
	x->u.text.s = memcpy((uint8_t *)x + room_of(sizeof(*x)), s, len);
	x->u.text.len = len;
	return good;
}

/* ---- the writing side ---- */

static struct item *next_item(struct block *b, struct item *x)
{
	uint8_t *at = x ? (uint8_t *)x + x->bytes : b->bytes;

	return at < b->bytes + b->used ? (struct item *)at : NULL;
}

/* The names that need not wait. */
static void name_ahead(struct pt_script_stage *t, struct block *b)
{
	const struct pt_named_frame *frames;
	struct item *x;
	size_t i;

	for (x = next_item(b, NULL); x; x = next_item(b, x))
		for (i = 0; x->kind == SAMPLE && i < x->u.sample.stack.nr; i++)
			if (!pt_frames_is_kernel(x->u.sample.stack.v[i].place))
				pt_frames_name(t->script->frames, x->u.sample.stack.v[i].place,
					       &frames);
}

static void write_text(struct pt_script_stage *t, struct pt_err *e)
{
	if (t->text.len && !t->failed && t->write(t->ctx, t->text.data, t->text.len, e) < 0) {
		t->failed = true;
		pt_stage_fail(t->own);
	}
	pt_buf_clear(&t->text);
}

static void make_text(struct pt_script_stage *t, struct block *b, struct pt_err *e)
{
	struct item *x;

	for (x = next_item(b, NULL); x; x = next_item(b, x)) {
		switch (x->kind) {
		case NEWS:
			pt_frames_learn(t->script->frames, x->u.news);
			break;
		case TEXT:
			pt_buf_add(&t->text, x->u.text.s, x->u.text.len);
			break;
		case SAMPLE:
			t->seen = PT_MAX(t->seen, x->u.sample.rec.off);
			if (!t->failed)
				pt_script_render(t->script, x->u.sample.plan, &x->u.sample.rec,
						 x->u.sample.event, x->u.sample.comm,
						 x->named ? &x->u.sample.stack : NULL, &t->text);
			break;
		}
		if (t->text.len >= WRITE_BYTES)
			write_text(t, e);
	}
	write_text(t, e);
}

/* The reader is further on, and hardly looks back over that many bytes. */
static void drop(struct pt_script_stage *t)
{
	if (t->seen < t->dropped + 2 * DROP_BYTES || !pt_stage_idle(t->own))
		return;
	pt_source_drop(t->src, t->dropped, t->seen - DROP_BYTES);
	t->dropped = t->seen - DROP_BYTES;
}

static void make_all(struct pt_script_stage *t, struct pt_err *e)
{
	struct block *b;

	while ((b = t->first)) {
		size_t bytes = b->cap;

		t->first = (struct block *)b->link.next;
		make_text(t, b, e);
		free(b);
		pt_stage_done(t->own, bytes);
		drop(t);
	}
	t->last = &t->first;
}

static int worker(struct pt_stage *s, void *ctx, struct pt_err *e)
{
	struct pt_script_stage *t = ctx;
	struct pt_piece *p;

	t->own = s;
	while ((p = pt_stage_take(s))) {
		struct block *b = (struct block *)p;

		b->link.next = NULL;
		*t->last = b;
		t->last = (struct block **)&b->link.next;
		if (pt_frames_kernel_busy(t->script->frames)) {
			name_ahead(t, b);
			if (pt_frames_kernel_busy(t->script->frames) && !pt_stage_full(s))
				continue;
		}
		make_all(t, e);
	}
	/* there is nothing else to do: all other names are known */
	if (t->first && pt_frames_kernel_busy(t->script->frames))
		pt_frames_keep(t->script->frames);
	make_all(t, e);
	return t->failed ? -1 : 0;
}

/* ---- both ---- */

static bool can_be_parted(struct pt_script *s, struct pt_source *src)
{
	size_t i, nr = pt_source_nr_events(src);

	if (!s->frames || pt_source_info(src)->stream)
		return false;
	for (i = 0; i < nr; i++) {
		const struct plan *p = pt_script_plan(s, src, pt_source_event(src, i));

		if (p->named_addr || p->fields & F_BRSTACKSYM ||
		    (p->fields & F_BRSTACK && p->fields & F_DSO))
			return false;
	}
	return true;
}

struct pt_script_stage *
pt_script_stage_new(struct pt_script *s, struct pt_source *src,
		    int (*write)(void *ctx, const void *p, size_t len, struct pt_err *e), void *ctx)
{
	struct pt_script_stage *t;

	if (!can_be_parted(s, src) || !pt_stage_wanted())
		return NULL;
	t = pt_alloc(sizeof(*t));
	t->script = s;
	t->src = src;
	t->write = write;
	t->ctx = ctx;
	t->last = &t->first;
	t->block_bytes = FIRST_BYTES;
	t->stage = pt_stage_new(worker, t, QUEUE_BYTES);
	if (!t->stage) {
		free(t);
		return NULL;
	}
	/* the other thread looks at nothing before the first block comes */
	pt_frames_part(s->frames);
	return t;
}

int pt_script_stage_end(struct pt_script_stage *t, struct pt_err *e)
{
	int rc;

	put_open(t);
	pt_source_drop(t->src, 0, UINT64_MAX);
	rc = pt_stage_end(t->stage, e);
	pt_buf_deinit(&t->text);
	free(t);
	return rc;
}
