#include "task/spaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/search.h"

#define KERNEL_PID UINT32_MAX
enum { MAX_MAPPINGS = 1 << 20, MAX_PATH = 4096, KEEP_EXITED = 1024, FOUND = 16, ROOM = 16 };

struct list {				/* sorted mappings, shared by forks */
	struct pt_mapping *m;
	size_t nr, cap;
	unsigned refs;
};

struct space {
	uint32_t pid;
	struct list *list;
	/* of the previous program, until the new one runs; NULL: none */
	struct list *before_exec;
	uint64_t generation;
	bool born;			/* its fork or exec was seen, so `threads` is right */
	uint32_t threads;		/* that live */
	bool exited;
	bool has_found;
	/* cache by page; NULL: none */
	struct found { uint64_t page; const struct pt_mapping *m; } found[FOUND];
};

struct file_node {
	struct pt_mapped_file file;	/* first member: what others see */
	struct file_node *next;
};

struct pt_spaces {
	struct pt_map by_pid;		/* struct space */
	struct space *last;		/* the last one found; NULL: none */
	struct pt_map files;		/* hash: struct file_node */
	struct pt_arena all_files;
	struct pt_names *paths;
	uint64_t generations;
	/* ring: processes that have exited; the oldest is dropped */
	struct { uint32_t pid; uint64_t generation; } exited[KEEP_EXITED];
	size_t nr_exited;
};

struct pt_spaces *pt_spaces_new(void)
{
	struct pt_spaces *s = pt_alloc(sizeof(*s));

	s->paths = pt_names_new();
	return s;
}

static void put_list(struct list *l)
{
	if (!l || --l->refs)
		return;
	free(l->m);
	free(l);
}

static void free_space(void *space)
{
	struct space *sp = space;

	put_list(sp->list);
	put_list(sp->before_exec);
	free(sp);
}

static void drop_space(struct pt_spaces *s, struct space *sp)
{
	pt_map_del(&s->by_pid, sp->pid);
	s->last = NULL;
	free_space(sp);
}

void pt_spaces_free(struct pt_spaces *s)
{
	if (!s)
		return;
	pt_map_deinit_each(&s->by_pid, free_space);
	pt_map_deinit(&s->files);
	pt_arena_deinit(&s->all_files);
	pt_names_free(s->paths);
	free(s);
}

static struct space *find_space(const struct pt_spaces *s, uint32_t pid)
{
	uint64_t *v;

	if (s->last && s->last->pid == pid)
		return s->last;
	v = pt_map_get(&s->by_pid, pid);
	return v ? pt_pointer(*v) : NULL;
}

static void forget_found(struct space *sp)
{
	if (sp->has_found)
		memset(sp->found, 0, sizeof(sp->found));
	sp->has_found = false;
}

static struct space *make_space(struct pt_spaces *s, uint32_t pid)
{
	struct space *sp = find_space(s, pid);

	if (sp)
		return s->last = sp;
	sp = pt_alloc(sizeof(*sp));
	sp->pid = pid;
	sp->generation = ++s->generations;
	*pt_map_put(&s->by_pid, pid) = pt_word_of(sp);
	return s->last = sp;
}

/* Makes the space's list its own before a change. */
static struct list *own_list(struct space *sp)
{
	struct list *l = sp->list, *copy;

	forget_found(sp);
	if (l && l->refs == 1)
		return l;
	copy = pt_alloc(sizeof(*copy));
	copy->refs = 1;
	copy->cap = (l ? l->nr : 0) + ROOM;
	copy->m = pt_realloc(NULL, copy->cap, sizeof(*copy->m));
	if (l) {
		copy->nr = l->nr;
		memcpy(copy->m, l->m, l->nr * sizeof(*l->m));
		put_list(l);
	}
	return sp->list = copy;
}

/* The index of the first mapping that ends behind addr. */
static size_t spaces_lower(const struct list *l, uint64_t addr)
{
	return PT_LEADING(l->nr, i, l->m[i].end <= addr);
}

static void insert_at(struct list *l, size_t i, struct pt_mapping m)
{
	PT_GROW(l->m, l->nr, l->cap);
	memmove(&l->m[i + 1], &l->m[i], (l->nr - i) * sizeof(*l->m));
	l->m[i] = m;
	l->nr++;
}

/* Removes [start, end) from the list. What sticks out on either side stays, with its file offset
 * adjusted. */
static void spaces_cut(struct list *l, uint64_t start, uint64_t end)
{
	size_t i = spaces_lower(l, start), gone;

	if (i < l->nr && l->m[i].start < start) {
		struct pt_mapping right = l->m[i];

		l->m[i].end = start;
		i++;
		if (right.end > end) {
			right.pgoff += end - right.start;
			right.start = end;
			right.bias_is = PT_BIAS_UNKNOWN;
			right.shown_known = false;
			insert_at(l, i, right);
			return;
		}
	}
	for (gone = 0; i + gone < l->nr && l->m[i + gone].end <= end; gone++)
		;
	if (gone)
		memmove(&l->m[i], &l->m[i + gone], (l->nr - i - gone) * sizeof(*l->m));
	l->nr -= gone;
	if (i < l->nr && l->m[i].start < end) {
		l->m[i].pgoff += end - l->m[i].start;
		l->m[i].bias_is = PT_BIAS_UNKNOWN;
		l->m[i].shown_known = false;
		l->m[i].start = end;
	}
}

static bool same_file(const struct pt_mapped_file *a, const struct pt_mapped_file *b)
{
	return a->ino == b->ino && a->ino_generation == b->ino_generation && a->maj == b->maj &&
	       a->min == b->min && !memcmp(&a->build_id, &b->build_id, sizeof(a->build_id)) &&
	       !strncmp(a->path, b->path, MAX_PATH);
}

static uint64_t hash_file(const struct pt_mapped_file *f)
{
	uint64_t numbers = f->ino ^ (uint64_t)f->maj << 48 ^ (uint64_t)f->min << 32 ^
			   f->ino_generation << 16,
		 id;

	memcpy(&id, f->build_id.bytes, sizeof(id));
	return pt_hash_quick(f->path, strnlen(f->path, MAX_PATH)) ^ pt_hash64(numbers ^ id);
}

static struct pt_mapped_file *intern_file(struct pt_spaces *s, const struct pt_mapped_file *f,
					  uint32_t pid)
{
	uint64_t *slot = pt_map_put(&s->files, hash_file(f));
	struct file_node *node;

	for (node = pt_pointer(*slot); node; node = node->next)
		if (same_file(&node->file, f))
			return &node->file;
	node = pt_arena_alloc(&s->all_files, sizeof(*node));
	node->file = *f;
	node->file.path = pt_names_add(s->paths, f->path, MAX_PATH);
	node->file.pid = pid;
	node->next = pt_pointer(*slot);
	*slot = pt_word_of(node);
	return &node->file;
}

static bool spaces_same(const struct pt_mapping *a, const struct pt_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       a->file == b->file;
}

static void add_mapping(struct pt_spaces *s, uint32_t pid, const struct pt_mapping *m,
		   const struct pt_mapped_file *file)
{
	struct space *sp = make_space(s, pid);
	struct pt_mapping x = *m;
	struct list *l;
	size_t i;

	if (x.end <= x.start || (sp->list && sp->list->nr >= MAX_MAPPINGS))
		return;
	x.file = intern_file(s, file, pid);
	i = sp->list ? spaces_lower(sp->list, x.start) : 0;
	/* mprotect reports a known mapping again: nothing to copy */
	if (sp->list && i < sp->list->nr && spaces_same(&sp->list->m[i], &x))
		return;
	l = own_list(sp);
	if (i < l->nr && l->m[i].start < x.end) {
		spaces_cut(l, x.start, x.end);
		i = spaces_lower(l, x.start);
	}
	insert_at(l, i, x);
}

static void feed_mmap(struct pt_spaces *s, const struct pt_record *rec)
{
	bool kernel = pt_record_in_kernel(rec) || rec->u.mmap.pid == KERNEL_PID;
	struct pt_mapped_file f = {
		.path = rec->u.mmap.path,
		.maj = rec->u.mmap.maj,
		.min = rec->u.mmap.min,
		.ino = rec->u.mmap.ino,
		.ino_generation = rec->u.mmap.ino_generation,
		.build_id = pt_build_id(rec->u.mmap.build_id, rec->u.mmap.build_id_len),
	};
	struct pt_mapping m = {
		.start = rec->u.mmap.addr,
		.end = rec->u.mmap.addr + rec->u.mmap.len_bytes,
		.pgoff = rec->u.mmap.pgoff,
		.prot = rec->u.mmap.prot,
		.flags = rec->u.mmap.flags,
	};

	add_mapping(s, kernel ? KERNEL_PID : rec->u.mmap.pid, &m, &f);
}

static void feed_fork(struct pt_spaces *s, const struct pt_record *rec)
{
	struct space *parent, *child;

	if (rec->u.task.pid == rec->u.task.ppid) {	/* a thread */
		make_space(s, rec->u.task.pid)->threads++;
		return;
	}
	parent = find_space(s, rec->u.task.ppid);
	child = find_space(s, rec->u.task.pid);
	if (child)
		drop_space(s, child);			/* the pid is used again */
	child = make_space(s, rec->u.task.pid);
	child->born = true;
	child->threads = 1;
	if (parent && parent->list) {
		child->list = parent->list;
		child->list->refs++;
	}
}

static void feed_exit(struct pt_spaces *s, const struct pt_record *rec)
{
	struct space *sp = find_space(s, rec->u.task.pid), *old;
	size_t slot;

	if (!sp || sp->exited)
		return;
	if (sp->threads)
		sp->threads--;
	/* Without its fork, the number of threads is not known; then the main thread's exit counts.
	 */
	if (sp->born ? sp->threads : rec->u.task.tid != rec->u.task.pid)
		return;
	sp->exited = true;
	slot = s->nr_exited++ % KEEP_EXITED;
	/* The pid may belong to a later process by now, even to `sp`. The generation tells them
	 * apart. */
	old = s->nr_exited > KEEP_EXITED ? find_space(s, s->exited[slot].pid) : NULL;
	if (old && old->exited && old->generation == s->exited[slot].generation)
		drop_space(s, old);
	s->exited[slot].pid = sp->pid;
	s->exited[slot].generation = sp->generation;
}

static void feed_exec(struct pt_spaces *s, uint32_t pid)
{
	struct space *sp = make_space(s, pid);

	put_list(sp->before_exec);
	sp->before_exec = sp->list;
	sp->list = NULL;
	forget_found(sp);
	sp->born = true;
	sp->exited = false;		/* the fork that reused the pid was not seen */
	sp->threads = 1;
	sp->generation = ++s->generations;
}

void pt_spaces_feed(struct pt_spaces *s, const struct pt_record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		feed_mmap(s, rec);
		break;
	case PERF_RECORD_FORK:
		feed_fork(s, rec);
		break;
	case PERF_RECORD_EXIT:
		feed_exit(s, rec);
		break;
	case PERF_RECORD_COMM:
		if (rec->misc & PERF_RECORD_MISC_COMM_EXEC)
			feed_exec(s, rec->u.comm.pid);
		break;
	}
}

bool pt_spaces_runs(struct pt_spaces *s, uint32_t pid)
{
	struct space *sp = find_space(s, pid);

	if (!sp || !sp->before_exec)
		return false;
	put_list(sp->before_exec);
	sp->before_exec = NULL;
	return true;
}

static const struct pt_mapping *spaces_mapping_at(const struct list *l, uint64_t addr)
{
	size_t i = l ? spaces_lower(l, addr) : 0;

	return l && i < l->nr && addr >= l->m[i].start ? &l->m[i] : NULL;
}

const struct pt_mapping *pt_spaces_find(struct pt_spaces *s, uint32_t pid, uint64_t addr)
{
	struct space *sp = s->last = find_space(s, pid);
	const struct pt_mapping *m;
	struct found *f;

	if (!sp)
		return NULL;
	f = &sp->found[addr >> 12 & (FOUND - 1)];
	if (f->m && f->page == addr >> 12 && addr >= f->m->start && addr < f->m->end)
		return f->m;
	m = spaces_mapping_at(sp->list, addr);
	if (!m)
		return spaces_mapping_at(sp->before_exec, addr);
	*f = (struct found){ addr >> 12, m };
	sp->has_found = true;
	return m;
}

const struct pt_mapping *pt_spaces_of(struct pt_spaces *s, uint32_t pid, size_t *nr)
{
	const struct space *sp = find_space(s, pid);

	*nr = sp && sp->list ? sp->list->nr : 0;
	return *nr ? sp->list->m : NULL;
}

uint64_t pt_spaces_generation(const struct pt_spaces *s, uint32_t pid)
{
	const struct space *sp = find_space(s, pid);

	return sp ? sp->generation : 0;
}

bool pt_spaces_reread(struct pt_spaces *s, uint32_t pid)
{
	char name[64], *line = NULL;
	size_t cap = 0;
	struct space *sp;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return false;
	sp = make_space(s, pid);
	pt_spaces_runs(s, pid);
	put_list(sp->list);
	sp->list = NULL;
	forget_found(sp);
	while (getline(&line, &cap, f) > 0) {
		struct pt_proc_mapping p;

		if (pt_proc_mapping(line, &p) && strlen(p.path) < MAX_PATH)
			add_mapping(s, pid,
				    &(struct pt_mapping){ .start = p.start,
							  .end = p.end,
							  .pgoff = p.pgoff,
							  .prot = p.prot,
							  .flags = p.flags },
				    &(struct pt_mapped_file){ .path = p.path,
							      .maj = p.maj,
							      .min = p.min,
							      .ino = p.ino });
	}
	free(line);
	fclose(f);
	return true;
}
