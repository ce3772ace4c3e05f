#include "base/budget.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"

/* Genuine files need this much: compressed debug information unpacks to 3 to 8 times its size, and
 * its tables are about as large again. */
enum { BYTES_A_BYTE = 24, WORK_A_BYTE = 64, TAIL_BYTES = 64 << 10 };
#define FREE_BYTES (64ull << 20)
#define FREE_WORK (64ull << 20)
#define PART_BYTES (64ull << 10)
#define PART_WORK (1ull << 20)
#define LIVE_BYTES (384ull << 20)
#define LIVE_OTHERS_BYTES (256ull << 20)
#define OTHERS_BYTES (4ull << 30)
#define LIVE_OTHERS_WORK (8ull << 30)
#define OTHERS_WORK (256ull << 30)
#define NO_LIMIT (UINT64_MAX / 4)

struct pt_budgets {
	pthread_mutex_t lock;
	struct pt_budget session, others;
	struct pt_map owners;		/* hash of uid and namespace: struct pt_budget */
	struct pt_map seen;		/* hash of device and inode */
	struct pt_budget **files;	/* that have joined */
	size_t nr, cap;
};

uint64_t pt_budget_real_bytes(const struct stat *st)
{
	uint64_t size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
		 stored = (uint64_t)st->st_blocks * 512 + TAIL_BYTES;

	/* file systems store short files and ends of files without blocks */
	return PT_MIN(size, stored);
}

static uint64_t times(uint64_t bytes, uint64_t by, uint64_t more)
{
	return bytes > (NO_LIMIT - more) / by ? NO_LIMIT : bytes * by + more;
}

static void budget_init(struct pt_budget *b, struct pt_budget *up, uint64_t bytes, uint64_t work)
{
	*b = (struct pt_budget){ .up = up, .memory = { .left = bytes }, .work = { .left = work } };
}

void pt_budget_of_file(struct pt_budget *b, uint64_t real_bytes)
{
	budget_init(b, NULL, times(real_bytes, BYTES_A_BYTE, FREE_BYTES),
		    times(real_bytes, WORK_A_BYTE, FREE_WORK));
	b->real_bytes = real_bytes;
}

static void more_for(struct pt_budget *b, uint64_t real_bytes)
{
	b->memory.left += times(real_bytes, BYTES_A_BYTE, 0);
	b->work.left += times(real_bytes, WORK_A_BYTE, 0);
}

/* Each inode adds once to the owner's budget. */
static void see_inode(struct pt_budgets *a, struct pt_budget *owner, uint64_t real_bytes,
		      uint64_t dev, uint64_t ino)
{
	uint64_t *slot = pt_map_put(&a->seen, pt_hash64(pt_hash64(dev) ^ ino));

	if (!*slot)
		more_for(owner, real_bytes);
	*slot = 1;
}

void pt_budget_of_part(struct pt_budget *b, uint64_t real_bytes, uint64_t dev, uint64_t ino,
		       const struct pt_budget *of)
{
	budget_init(b, of->up, times(real_bytes, BYTES_A_BYTE, PART_BYTES),
		    times(real_bytes, WORK_A_BYTE, PART_WORK));
	b->real_bytes = real_bytes;
	b->all = of->all;
	if (!b->all)
		return;
	pthread_mutex_lock(&b->all->lock);
	see_inode(b->all, b->up, real_bytes, dev, ino);
	pthread_mutex_unlock(&b->all->lock);
}

void pt_budget_grow(struct pt_budget *file, uint64_t real_bytes)
{
	if (real_bytes <= file->real_bytes)
		return;
	more_for(file, real_bytes - file->real_bytes);
	if (file->up)
		more_for(file->up, real_bytes - file->real_bytes);
	file->real_bytes = real_bytes;
}

static struct pt_account *account(struct pt_budget *b, enum pt_limit kind)
{
	return kind == PT_LIMIT_WORK ? &b->work : &b->memory;
}

/* Takes at this level alone. */
static bool take_here(struct pt_budget *b, enum pt_limit kind, uint64_t n)
{
	struct pt_account *a = account(b, kind);
	uint64_t left = a->left;

	if (b->shared && b->up && a->taken + n > account(b->up, kind)->left)
		return false;
	do
		if (left < n)
			return false;
	while (!atomic_compare_exchange_weak(&a->left, &left, left - n));
	a->taken += n;
	return true;
}

static bool budget_take(struct pt_budget *b, enum pt_limit kind, uint64_t n)
{
	struct pt_budget *x = b, *y;

	while (x && take_here(x, kind, n))
		x = x->up;
	if (!x)
		return true;
	for (y = b; y != x; y = y->up) {
		account(y, kind)->left += n;
		account(y, kind)->taken -= n;
	}
	if (b->hit == PT_LIMIT_NONE)
		b->hit = kind;
	return false;
}

bool pt_budget_take(struct pt_budget *b, uint64_t bytes)
{
	return budget_take(b, PT_LIMIT_MEMORY, bytes);
}

void pt_budget_give(struct pt_budget *b, uint64_t bytes)
{
	for (; b; b = b->up) {
		b->memory.left += bytes;
		b->memory.taken -= bytes;
	}
}

bool pt_budget_work(struct pt_budget *b, uint64_t units)
{
	return budget_take(b, PT_LIMIT_WORK, units);
}

enum pt_limit pt_budget_hit(const struct pt_budget *b)
{
	return (enum pt_limit)b->hit;
}

const char *pt_budget_limit_text(const struct pt_budget *b, char text[80])
{
	unsigned long long mb = (unsigned long long)((b->memory.left + b->memory.taken) >> 20),
			   taken = (unsigned long long)(b->memory.taken >> 20);

	if (b->hit == PT_LIMIT_WORK)
		snprintf(text, 80,
			 "the limit of work for a file of its size, or for its owner's files");
	else
		snprintf(text, 80, "the limit of memory: %llu of at most %llu MB taken", taken, mb);
	return text;
}

struct pt_budgets *pt_budgets_new(bool live)
{
	struct pt_budgets *a = pt_alloc(sizeof(*a));

	pthread_mutex_init(&a->lock, NULL);
	budget_init(&a->session, NULL, live ? LIVE_BYTES : NO_LIMIT, NO_LIMIT);
	budget_init(&a->others, &a->session, live ? LIVE_OTHERS_BYTES : OTHERS_BYTES,
		    live ? LIVE_OTHERS_WORK : OTHERS_WORK);
	return a;
}

void pt_budgets_free(struct pt_budgets *a)
{
	if (!a)
		return;
	pt_map_deinit_each(&a->owners, free);
	pt_map_deinit(&a->seen);
	free(a->files);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void pt_budgets_join(struct pt_budgets *a, struct pt_budget *file, const char *path, uint32_t uid,
		     uint64_t mount_ns, uint64_t dev, uint64_t ino)
{
	bool ours = !mount_ns && (!uid || uid == geteuid());
	struct pt_budget *owner;
	uint64_t *slot;

	pthread_mutex_lock(&a->lock);
	slot = pt_map_put(&a->owners, pt_hash64(pt_hash64(mount_ns) ^ uid));
	if (!*slot) {
		owner = pt_alloc(sizeof(*owner));
		budget_init(owner, ours ? &a->session : &a->others, FREE_BYTES, FREE_WORK);
		owner->shared = !ours;
		*slot = pt_word_of(owner);
	}
	owner = pt_pointer(*slot);
	see_inode(a, owner, file->real_bytes, dev, ino);
	file->up = owner;
	file->all = a;
	file->path = path;
	PT_GROW(a->files, a->nr, a->cap);
	a->files[a->nr++] = file;
	pthread_mutex_unlock(&a->lock);
}

const struct pt_budget *pt_budgets_hit(const struct pt_budgets *a, size_t *i)
{
	while (*i < a->nr && pt_budget_hit(a->files[*i]) == PT_LIMIT_NONE)
		++*i;
	return *i < a->nr ? a->files[(*i)++] : NULL;
}
