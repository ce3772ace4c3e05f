#include "elf/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/debuginfod.h"
#include "elf/files_priv.h"

static const struct pt_owner root_or_we = { .uid = 0 };

struct pt_files *pt_files_new(const struct pt_files_opts *o)
{
	struct pt_files *f = pt_alloc(sizeof(*f));

	f->opts = *o;
	f->symfs = o->symfs ? pt_root_new_chosen(o->symfs) : NULL;
	f->archives = pt_alloc_array(o->nr_archives, sizeof(struct pt_root *));
	for (f->nr_archives = 0; f->nr_archives < o->nr_archives; f->nr_archives++) {
		const char *path = o->archives[f->nr_archives];

		f->archives[f->nr_archives] =
			pt_root_new(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), path);
	}
	f->cache = pt_build_cache_dir();
	f->budgets = pt_budgets_new(o->live);
	return f;
}

void pt_files_free(struct pt_files *f)
{
	struct pt_map_slot *s;
	size_t i;

	if (!f)
		return;
	for (i = 0; (s = pt_map_each(&f->answers, &i)); ) {
		struct known *k = pt_pointer(s->value), *next;

		for (; k; k = next) {
			next = k->next;
			free((char *)k->q.path);
			free(k);
		}
	}
	for (i = 0; i < f->nr_all; i++)
		pt_object_put(f->all[i]);
	pt_files_mount_roots_deinit(f);
	pt_budgets_free(f->budgets);
	pt_debuginfod_free(f->server);
	pt_map_deinit(&f->answers);
	pt_map_deinit(&f->by_stamp);
	free(f->all);
	pt_root_put(f->symfs);
	for (i = 0; i < f->nr_archives; i++)
		pt_root_put(f->archives[i]);
	free(f->archives);
	free(f->cache);
	free(f);
}

size_t pt_files_nr(const struct pt_files *f) { return f->nr_all; }
struct pt_object *pt_files_at(const struct pt_files *f, size_t i) { return f->all[i]; }

struct pt_budgets *pt_files_budgets(const struct pt_files *f)
{
	return f->budgets;
}

struct pt_files_counts pt_files_counts(const struct pt_files *f)
{
	return f->counts;
}

/* Programs also run from such files. */
static bool is_memfd(const char *path)
{
	return !strncmp(path, "/memfd:", 7);
}

bool pt_files_is_anonymous(const char *path)
{
	if (path[0] == '/' && !strchr("/adSm[", path[1]))	/* nearly all */
		return false;
	return path[0] != '/' || !strncmp(path, "//anon", 6) ||
	       !strncmp(path, "/anon_hugepage", 14) || !strncmp(path, "/SYSV", 5) ||
	       is_memfd(path) || !strncmp(path, "/[aio]", 6) ||
	       !strncmp(path, "/dev/", 5);
}

int pt_files_opened(struct pt_files *f, int fd)
{
	f->counts.refused += fd < 0 && (errno == EMFILE || errno == ENFILE);
	return fd;
}

int pt_files_map(struct pt_files *f, struct pt_object **o, int fd, const char *path)
{
	struct pt_err e = PT_ERR_INIT;
	int got = pt_object_open_fd(o, fd, path, &e);

	f->counts.unmapped += got < 0 && e.sys == ENOMEM;
	return got;
}

static bool files_matches(const struct pt_object *o, const struct pt_file_query *q)
{
	struct stat st;

	if (q->build_id.len)
		return pt_build_id_equal(&o->build_id, &q->build_id);
	if (!q->ino || o->file.fd < 0 || fstat(o->file.fd, &st))
		return true;
	/* Devices without a major number (overlayfs, btrfs) have different numbers in stat(2) and
	 * in the kernel's records. */
	if (q->maj && major(st.st_dev) &&
	    (q->maj != major(st.st_dev) || q->min != minor(st.st_dev)))
		return false;
	return st.st_ino == q->ino;
}

/* The open object of this file; NULL: none. Only stamps identify files. */
static struct pt_object *open_already(struct pt_files *f, const struct pt_stamp *stamp)
{
	uint64_t key = pt_hash_bytes(stamp, sizeof(*stamp));
	struct pt_object *o = pt_map_get_pointer(&f->by_stamp, key);

	return o && !memcmp(o->stamp, stamp, sizeof(*stamp)) ? o : NULL;
}

struct pt_object *pt_files_keep(struct pt_files *f, struct pt_object *o, uint32_t pid)
{
	struct pt_object *same = o->stamp ? open_already(f, o->stamp) : NULL;

	if (same) {
		pt_object_put(o);
		return same;
	}
	if (o->stamp)
		pt_budgets_join(f->budgets, &o->budget, o->path, (uint32_t)o->stamp->owner,
				pt_files_namespace(f, pid), o->stamp->dev, o->stamp->ino);
	PT_GROW(f->all, f->nr_all, f->cap_all);
	f->all[f->nr_all++] = o;
	if (o->stamp)
		*pt_map_put(&f->by_stamp, pt_hash_bytes(o->stamp, sizeof(*o->stamp))) =
			pt_word_of(o);
	return o;
}

/* True: made by root or the user only, so it may be used for another path by its build-id. */
static bool is_vouched_for(const struct pt_object *o)
{
	return o->stamp && (o->stamp->owner == 0 || o->stamp->owner == geteuid());
}

static struct pt_object *vouched_for(struct pt_files *f, const struct pt_build_id *id)
{
	for (size_t i = 0; i < f->nr_all; i++)
		if (pt_build_id_equal(&f->all[i]->build_id, id) && is_vouched_for(f->all[i]))
			return f->all[i];
	return NULL;
}

/* Takes the fd. NULL: not the wanted file. */
static struct pt_object *try_fd(struct pt_files *f, int fd, struct pt_root *root, const char *path,
				const struct pt_file_query *q)
{
	struct pt_object *o, *same;
	struct pt_stamp stamp;
	struct stat st;
	char *shown;
	int rc;

	if (pt_files_opened(f, fd) < 0)
		return NULL;
	if (fstat(fd, &st) < 0) {
		close(fd);
		return NULL;
	}
	pt_stamp_of(&st, &stamp);
	same = open_already(f, &stamp);
	if (same) {
		close(fd);
		return files_matches(same, q) ? same : NULL;
	}
	shown = pt_asprintf("%s%s", root ? root->prefix : "", path);
	rc = pt_files_map(f, &o, fd, shown);
	free(shown);
	if (rc < 0)
		return NULL;
	if (root)
		pt_object_place(o, root, path);
	if (files_matches(o, q))
		return pt_files_keep(f, o, q->pid);
	pt_object_put(o);
	return NULL;
}

/* The file at a path below a root. `owner`: see base/untrusted.h. */
static struct pt_object *try_at(struct pt_files *f, struct pt_root *root, const char *path,
				const struct pt_owner *owner, const struct pt_file_query *q)
{
	return try_fd(f, pt_untrusted_open(root, path, 0, owner), root, path, q);
}

/* In the .build-id tree below `dir`. */
static struct pt_object *try_tree(struct pt_files *f, struct pt_root *root, const char *dir,
				  const char *suffix, const struct pt_file_query *q)
{
	char *path = dir ? pt_build_id_path(dir, &q->build_id, suffix) : NULL;
	struct pt_object *o;

	if (!path)
		return NULL;
	o = try_at(f, root, path, &root_or_we, q);
	free(path);
	return o;
}

/* What the process maps there now. Mostly the file is open already. */
static struct pt_object *try_map_files(struct pt_files *f, const struct pt_file_query *q)
{
	uint64_t root = pt_files_namespace(f, q->pid);
	struct pt_object *o;
	struct pt_stamp stamp;
	struct stat st;
	char path[96];

	if (!q->end || f->no_map_files)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", q->pid,
		 (unsigned long long)q->start, (unsigned long long)q->end);
	if (stat(path, &st) < 0) {
		f->no_map_files = errno == EPERM;
		return NULL;
	}
	pt_stamp_of(&st, &stamp);
	o = open_already(f, &stamp);
	if (o)
		return files_matches(o, q) ? o : NULL;
	o = try_fd(f, pt_untrusted_open(NULL, path, PT_UNTRUSTED_KERNEL_LINK, NULL),
		   pt_files_root_dir(f, root), q->path, q);
	if (o && root == NOWHERE)
		pt_object_place(o, NULL, NULL);
	return o;
}

/* A copy has another inode. */
static struct pt_object *try_symfs(struct pt_files *f, const struct pt_file_query *q)
{
	struct pt_file_query any = *q;
	struct pt_object *o = NULL;
	const char *path = strcmp(q->path, "[vdso]") ? q->path : "/[vdso]";

	any.ino = 0;
	o = try_at(f, f->symfs, path, NULL, &any);
	return o ? o : try_tree(f, f->symfs, "/usr/lib/debug", ".debug", q);
}

/* In the archives of the recordings. */
static struct pt_object *try_archives(struct pt_files *f, const struct pt_file_query *q)
{
	struct pt_object *o = NULL;

	for (size_t i = 0; !o && i < f->nr_archives; i++)
		o = try_tree(f, f->archives[i], "", "/elf", q);
	return o;
}

/* In containers that still exist, whichever the recorded one was. */
static struct pt_object *try_others(struct pt_files *f, const struct pt_file_query *q)
{
	struct pt_object *o = NULL;
	size_t i;

	if (f->opts.live || !q->build_id.len || q->path[0] != '/' || pt_files_is_anonymous(q->path))
		return NULL;
	if (!f->saw_all)
		pt_files_see_all(f);
	f->saw_all = true;
	for (i = 0; !o && i < f->nr_roots; i++) {
		o = try_at(f, f->roots[i].dir, q->path, NULL, q);
		o = o && is_vouched_for(o) ? o : NULL;
	}
	return o;
}

/* perf's copy of a file: CACHE/PATH/BUILDID/elf. */
static struct pt_object *try_copy(struct pt_files *f, const struct pt_file_query *q)
{
	char id[PT_BUILD_ID_TEXT], *path;
	struct pt_object *o;

	if (!f->cache || q->build_id.len < 2 || q->path[0] != '/' || strstr(q->path, "/../"))
		return NULL;
	path = pt_asprintf("%s%s/%s/elf", f->cache, q->path,
			   pt_build_id_text(&q->build_id, id));
	o = try_at(f, NULL, path, &root_or_we, q);
	free(path);
	return o;
}

/* By build-id alone. */
static struct pt_object *try_elsewhere(struct pt_files *f, const struct pt_file_query *q)
{
	struct pt_object *o = try_copy(f, q);

	if (!o)
		o = try_tree(f, NULL, f->cache, strcmp(q->path, "[vdso]") ? "/elf" : "/vdso", q);
	if (!o)
		o = try_tree(f, NULL, "/usr/lib/debug", ".debug", q);
	if (!o)
		o = vouched_for(f, &q->build_id);	/* recorded under another path */
	return o ? o : try_others(f, q);
}

/* At its path. With a known build-id, the file there is the recorded one or has replaced it.
 * Another file of the same build: the former one was replaced while the recorder ran and is unknown
 * (*replaced). */
static struct pt_object *try_path(struct pt_files *f, const struct pt_file_query *q, bool *replaced)
{
	struct pt_file_query told = *q;
	struct pt_object *o;

	told.ino = 0;
	told.build_id = q->told;
	if (q->build_id.len || !q->told.len)
		return try_at(f, NULL, q->path, NULL, q);
	o = try_at(f, NULL, q->path, NULL, &told);
	*replaced = o && !files_matches(o, q);
	return *replaced ? NULL : o;
}

/* `root`: of the process; 0: our own */
static struct pt_object *files_look(struct pt_files *f, const struct pt_file_query *q,
				    uint64_t root)
{
	struct pt_root *dir = pt_files_root_dir(f, root);
	struct pt_file_query told = *q;
	struct pt_object *o = NULL;
	bool replaced = false;

	if (!q->build_id.len)
		told.build_id = q->told;
	if (dir && (!pt_files_is_anonymous(q->path) || is_memfd(q->path)))
		o = try_at(f, dir, q->path, NULL, q);
	if (!o && f->symfs)
		o = try_symfs(f, &told);
	if (!o)
		o = try_archives(f, &told);
	if (!o && q->path[0] == '/' && !pt_files_is_anonymous(q->path) && !root)
		o = try_path(f, q, &replaced);
	return o || replaced ? o : try_elsewhere(f, &told);
}

static bool same_query(const struct known *k, const struct pt_file_query *q, uint64_t root)
{
	return !strcmp(k->q.path, q->path) && k->root == root && k->q.ino == q->ino &&
	       k->q.maj == q->maj && k->q.min == q->min &&
	       !memcmp(&k->q.build_id, &q->build_id, sizeof(q->build_id)) &&
	       !memcmp(&k->q.told, &q->told, sizeof(q->told));
}

struct pt_object *pt_files_object(struct pt_files *f, const struct pt_file_query *q)
{
	uint64_t hash = pt_hash_bytes(q->path, strlen(q->path)) ^ pt_hash64(q->ino) ^
			pt_hash_bytes(q->build_id.bytes, q->build_id.len) ^
			pt_hash_bytes(q->told.bytes, q->told.len);
	uint64_t *slot = pt_map_put(&f->answers, hash),
		 root = f->opts.live ? pt_files_namespace(f, q->pid) : 0;
	struct known *k;

	for (k = pt_pointer(*slot); k; k = k->next)
		if (same_query(k, q, root))
			return k->object;
	k = pt_alloc(sizeof(*k));
	*k = (struct known){ pt_pointer(*slot), *q, root, files_look(f, q, root) };
	k->q.path = pt_strdup(q->path);
	*slot = pt_word_of(k);		/* looking asks for no other answer */
	return k->object;
}

struct pt_object *pt_files_mapped(struct pt_files *f, const struct pt_file_query *q)
{
	struct pt_object *o = NULL;

	if (f->opts.live && (!pt_files_is_anonymous(q->path) || is_memfd(q->path)))
		o = try_map_files(f, q);
	return o ? o : pt_files_object(f, q);
}
