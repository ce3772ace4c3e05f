#include "base/diskcache.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY		/* for the size of its state */
#include <xxhash.h>

#include "base/mem.h"
#include "base/newfile.h"

enum { NAME_MAX_BYTES = 200, ALIGN = 64, STALE_SECONDS = 3600, SECONDS_USED = 3600,
       MAX_PARTS = 8 };

static const uint64_t default_limit = 512ull << 20;
static const char magic[8] = "PTKEEP1", unfinished[] = PT_NEWFILE_TEMPORARY;

/* at the start of each file, followed by the key and, at the next multiple of 64, the content */
struct head {
	char magic[8];
	/* 0x01020304 in the writer's byte order */
	uint32_t order;
	uint32_t version;
	uint32_t key_len;
	uint32_t zero;
	uint64_t data_len;
	uint64_t sum;			/* of the whole file, with 0 here */
	uint64_t reserved[3];
};
_Static_assert(sizeof(struct head) == ALIGN, "content is aligned behind it");

struct pt_diskcache {
	int dir;
	uint64_t limit_bytes;
	atomic_bool put;		/* several threads may put items */
};

/* ---- directory ---- */

/* Checks that the directory is ours and nobody else can write into it. Takes the fd; returns it, or
 * -1. */
static int own_only(int fd)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Only root and we can replace what is in the directory. */
static bool is_safe(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) &&
	       (!(st->st_mode & 022) || st->st_mode & S_ISVTX);
}

/* One step of a path. Follows a link if root or we made it. Takes the fd. */
static int diskcache_step(int up, const char *name)
{
	struct stat st;
	int fd = -1;

	if (fstat(up, &st) == 0 && is_safe(&st) &&
	    fstatat(up, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (S_ISDIR(st.st_mode) ||
	     (S_ISLNK(st.st_mode) && (!st.st_uid || st.st_uid == geteuid()))))
		fd = openat(up, name,
			    O_PATH | O_DIRECTORY | O_CLOEXEC |
				    (S_ISLNK(st.st_mode) ? 0 : O_NOFOLLOW));
	close(up);
	return fd;
}

/* Opens a directory that the user named, by steps that nobody else can divert. Makes the last one
 * if it does not exist. */
static int diskcache_open_named(const char *path)
{
	char *names = pt_strdup(path), *name, *next, *save = NULL;
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), dir;

	for (name = strtok_r(names, "/", &save); name && fd >= 0; name = next) {
		next = strtok_r(NULL, "/", &save);
		if (!next)
			mkdirat(fd, name, 0700);
		fd = diskcache_step(fd, name);
	}
	free(names);
	if (fd < 0)
		return -1;
	dir = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	return own_only(dir);
}

/* Opens a directory in an open one, made if it does not exist. Only our own links can be in there;
 * `link`: follow them. Takes the fd. */
static int open_in(int up, const char *name, bool link)
{
	int fd = -1;

	if (up >= 0 && (mkdirat(up, name, 0700) == 0 || errno == EEXIST))
		fd = own_only(openat(up, name,
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC | (link ? 0 : O_NOFOLLOW)));
	if (up >= 0)
		close(up);
	return fd;
}

static struct pt_diskcache *new_keep(int dir, uint64_t limit_bytes)
{
	struct pt_diskcache *k;

	if (dir < 0)
		return NULL;
	k = pt_alloc(sizeof(*k));
	k->dir = dir;
	k->limit_bytes = limit_bytes;
	return k;
}

struct pt_diskcache *pt_diskcache_open_in(const char *dir, uint64_t limit_bytes)
{
	return new_keep(own_only(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)), limit_bytes);
}

struct pt_diskcache *pt_diskcache_open(void)
{
	const char *off = getenv("PT_CACHE"), *base = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	if (off && !strcmp(off, "off"))
		return NULL;
	/* relative paths are ignored (XDG base directory specification) */
	if (base && *base == '/')
		return new_keep(open_in(diskcache_open_named(base), "pt", false), default_limit);
	if (!home || *home != '/')
		return NULL;
	return new_keep(open_in(open_in(diskcache_open_named(home), ".cache", true), "pt", false),
			default_limit);
}

static bool good_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");

	return n && n <= NAME_MAX_BYTES && !s[n] && *s != '.';
}

/* A file that pt_diskcache_put() made, by its name, owner and first bytes; only such are ever
 * removed. An unfinished one may be empty. */
static bool is_item(const struct pt_diskcache *k, const char *name, bool temporary)
{
	const char *rest = name + sizeof(unfinished) - 1;
	char start[sizeof(magic)];
	struct stat st;
	ssize_t n = -1;
	int fd;

	if (temporary ? rest[strspn(rest, "0123456789abcdef-")] : !good_name(name))
		return false;
	fd = openat(k->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		n = pread(fd, start, sizeof(start), 0);
	close(fd);
	return (n == sizeof(start) && !memcmp(start, magic, sizeof(magic))) || (temporary && !n);
}

struct item { uint64_t bytes; struct timespec used; char name[NAME_MAX_BYTES + 1]; };

static int by_use(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return PT_COMPARE(x->used.tv_sec, y->used.tv_sec);
	return PT_COMPARE(x->used.tv_nsec, y->used.tv_nsec);
}

/* Deletes down to three quarters of the limit, so that this is rare, and removes what writers left
 * unfinished. */
static void diskcache_make_room(struct pt_diskcache *k)
{
	int fd = openat(k->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct item *items = NULL;
	size_t nr = 0, cap = 0, i;
	uint64_t all = 0;
	struct dirent *e;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d))) {
		if (strlen(e->d_name) > NAME_MAX_BYTES ||
		    fstatat(k->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (!strncmp(e->d_name, unfinished, strlen(unfinished)) &&
		    st.st_mtim.tv_sec + STALE_SECONDS < time(NULL)) {
			if (is_item(k, e->d_name, true))
				unlinkat(k->dir, e->d_name, 0);
			continue;
		}
		if (!is_item(k, e->d_name, false))
			continue;
		PT_GROW(items, nr, cap);
		items[nr] = (struct item){ .bytes = (uint64_t)st.st_size, .used = st.st_mtim };
		strcpy(items[nr++].name, e->d_name);
		all += (uint64_t)st.st_size;
	}
	closedir(d);
	if (nr && all > k->limit_bytes) {
		qsort(items, nr, sizeof(*items), by_use);
		for (i = 0; i < nr && all > k->limit_bytes / 4 * 3; i++)
			if (!unlinkat(k->dir, items[i].name, 0))
				all -= items[i].bytes;
	}
	free(items);
}

void pt_diskcache_close(struct pt_diskcache *k)
{
	if (!k)
		return;
	if (k->put)
		diskcache_make_room(k);
	close(k->dir);
	free(k);
}

/* ---- items ---- */

static size_t data_at(uint32_t key_len)
{
	return sizeof(struct head) + (key_len + (size_t)ALIGN - 1) / ALIGN * ALIGN;
}

/* The checksum of a file: `parts` follow the head. */
static uint64_t sum_of(struct head h, const struct iovec *parts, size_t nr)
{
	XXH3_state_t sum;

	h.sum = 0;
	XXH3_64bits_reset(&sum);
	XXH3_64bits_update(&sum, &h, sizeof(h));
	for (size_t i = 0; i < nr; i++)
		XXH3_64bits_update(&sum, parts[i].iov_base, parts[i].iov_len);
	return XXH3_64bits_digest(&sum);
}

static bool is_whole(const struct pt_mapfile *f, uint32_t version, const void *key, size_t key_len,
		     struct pt_cached *out)
{
	struct iovec rest = { (void *)(f->data + sizeof(struct head)), 0 };
	struct head h;

	if (f->len_bytes < sizeof(h))
		return false;
	memcpy(&h, f->data, sizeof(h));
	rest.iov_len = f->len_bytes - sizeof(h);
	if (memcmp(h.magic, magic, sizeof(magic)) || h.order != 0x01020304 ||
	    h.version != version || h.key_len != key_len || data_at(h.key_len) > f->len_bytes ||
	    h.data_len != f->len_bytes - data_at(h.key_len) ||
	    memcmp(f->data + sizeof(h), key, key_len) || sum_of(h, &rest, 1) != h.sum ||
	    pt_mapfile_shrunk(f))
		return false;
	out->data = f->data + data_at(h.key_len);
	out->len_bytes = h.data_len;
	return true;
}

bool pt_diskcache_get(struct pt_diskcache *k, const char *name, uint32_t version, const void *key,
		      size_t key_len, struct pt_cached *out)
{
	struct stat st;
	int fd;

	if (!k || !good_name(name) || key_len > PT_DISKCACHE_KEY_MAX)
		return false;
	fd = openat(k->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return false;
	}
	if (pt_mapfile_open_fd(&out->file, fd, name, NULL) < 0)
		return false;
	if (!is_whole(&out->file, version, key, key_len, out)) {
		pt_mapfile_close(&out->file);
		return false;
	}
	if (st.st_mtim.tv_sec + SECONDS_USED <
	    time(NULL)) /* diskcache_make_room() goes by the last use */
		futimens(fd, NULL);
	return true;
}

void pt_cached_release(struct pt_cached *kept)
{
	pt_mapfile_close(&kept->file);
	kept->data = NULL;
	kept->len_bytes = 0;
}

/* Writing beyond the limit of file sizes raises a signal that ends the tool. */
static bool may_write(uint64_t len)
{
	struct rlimit l;

	return getrlimit(RLIMIT_FSIZE, &l) == 0 &&
	       (l.rlim_cur == RLIM_INFINITY || len <= l.rlim_cur);
}

bool pt_diskcache_put(struct pt_diskcache *k, const char *name, uint32_t version, const void *key,
		      size_t key_len, const struct iovec *parts, size_t nr_parts)
{
	struct head h = { .order = 0x01020304, .version = version, .key_len = (uint32_t)key_len };
	uint8_t padded[PT_DISKCACHE_KEY_MAX + ALIGN] = { 0 };
	struct iovec all[2 + MAX_PARTS] = { { &h, sizeof(h) },
					    { padded, data_at((uint32_t)key_len) - sizeof(h) } };
	struct pt_newfile n;
	int rc = 0;

	if (!k || !good_name(name) || key_len > PT_DISKCACHE_KEY_MAX || nr_parts > MAX_PARTS)
		return false;
	memcpy(h.magic, magic, sizeof(magic));
	memcpy(padded, key, key_len);
	for (size_t i = 0; i < nr_parts; i++) {
		all[2 + i] = parts[i];
		h.data_len += parts[i].iov_len;
	}
	if (h.data_len > k->limit_bytes / 2 || !may_write(data_at(h.key_len) + h.data_len))
		return false;
	h.sum = sum_of(h, all + 1, 1 + nr_parts);
	if (pt_newfile_open_in(&n, k->dir, name, 0600, NULL) < 0)
		return false;
	for (size_t i = 0; i < 2 + nr_parts && rc == 0; i++)
		rc = pt_newfile_write(&n, all[i].iov_base, all[i].iov_len, NULL);
	if (rc == 0)
		rc = pt_newfile_publish(&n, NULL);
	else
		pt_newfile_abandon(&n);
	if (rc == 0)
		k->put = true;
	return rc == 0;
}
