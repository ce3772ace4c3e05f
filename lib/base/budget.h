/* budget.h - how much memory and work may be spent on files that nobody vouches for.
 *
 * Budgets form a tree: each file has one, the files of one owner share a larger one, all owners
 * share the session's. What is taken is taken at each level or at none. A file's and an owner's
 * budget grow with the bytes that files really have on disk, counted once for each inode: not with
 * holes, apparent sizes or further names. A level made with `shared` leaves others as much as it
 * takes: it may take no more than what is left above, so the first owner gets at most half, the
 * second half of the rest, and so on.
 *
 * The first limit that is met is kept, for the report. Threads may share budgets.
 *
 *     struct pt_budgets *all = pt_budgets_new(live);
 *     struct pt_budget file;
 *     pt_budget_of_file(&file, real_bytes);
 *     pt_budgets_join(all, &file, path, uid, mount_ns, dev, ino);
 *     if (!pt_budget_take(&file, len)) ...        do without, and say so: pt_budget_hit(&file) */
#ifndef PT_BASE_BUDGET_H
#define PT_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum pt_limit { PT_LIMIT_NONE, PT_LIMIT_MEMORY, PT_LIMIT_WORK };

struct pt_account { _Atomic uint64_t left, taken; };

struct pt_budget {
	struct pt_budget *up;		/* what this is a part of; NULL: nothing */
	bool shared;
	struct pt_account memory, work;
	_Atomic int hit;		/* enum pt_limit: the first that stood in the way */
	uint64_t real_bytes;		/* of a file */
	/* of a file that has joined: its name, what it has joined; NULL: none */
	const char *path;
	struct pt_budgets *all;
};

/* Bytes of a file that are stored: what stands in holes does not count. */
uint64_t pt_budget_real_bytes(const struct stat *st);
/* A file of that many real bytes, for itself alone. */
void pt_budget_of_file(struct pt_budget *b, uint64_t real_bytes);
/* A file that another one names, of which there may be thousands: it has no free allowance, and is
 * part of what that one is part of. */
void pt_budget_of_part(struct pt_budget *b, uint64_t real_bytes, uint64_t dev, uint64_t ino,
		       const struct pt_budget *of);

/* False: there is not that much left, nothing was taken. */
bool pt_budget_take(struct pt_budget *b, uint64_t bytes);
void pt_budget_give(struct pt_budget *b, uint64_t bytes);
bool pt_budget_work(struct pt_budget *b, uint64_t units);	/* of about a nanosecond to a few */
enum pt_limit pt_budget_hit(const struct pt_budget *b);
/* "its memory limit of 96 MB" and the like. */
const char *pt_budget_limit_text(const struct pt_budget *b, char text[80]);

/* Of a session. live: all of it stays small enough for a machine that is measured. */
struct pt_budgets;
struct pt_budgets *pt_budgets_new(bool live);
void pt_budgets_free(struct pt_budgets *a);
/* The file is its owner's from now on: an owner is a user within a mount namespace (0: ours).
 * Root's and our own files of our namespace do not share with others. File and path outlive `a`. */
void pt_budgets_join(struct pt_budgets *a, struct pt_budget *file, const char *path, uint32_t uid,
		     uint64_t mount_ns, uint64_t dev, uint64_t ino);
/* Files that met a limit: for (i = 0; (b = pt_budgets_hit(a, &i)); ) ... b->path */
const struct pt_budget *pt_budgets_hit(const struct pt_budgets *a, size_t *i);
/* The file has grown to that many real bytes. */
void pt_budget_grow(struct pt_budget *file, uint64_t real_bytes);

#endif
