/* several_open.c - which recordings several operands name, and whether they can be one stream */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/words.h"
#include "record/read/scan.h"
#include "record/read/several_priv.h"

bool several_is_folder(const char *path)
{
	char *data = pt_asprintf("%s/data", path);
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(data, F_OK) < 0;

	free(data);
	return is;
}

/* -- which recordings -- */

static bool begins_as_recording(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[PT_MAGIC_BYTES];
	struct stat st;
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		  pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  pt_magic_is(magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

bool pt_source_is_recording(const char *path)
{
	return begins_as_recording(AT_FDCWD, path);
}

/* All recordings of a folder. Other files are left out. */
static int add_folder(struct pt_strs *paths, const char *folder, struct pt_err *e)
{
	size_t before = paths->nr;
	struct dirent **entries;
	int nr = scandir(folder, &entries, NULL, alphasort), fd, i;

	if (nr < 0)
		return pt_err_sys(e, errno, "%s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < nr; i++) {
		if (fd >= 0 && begins_as_recording(fd, entries[i]->d_name))
			pt_strs_add(paths, pt_asprintf("%s/%s", folder, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (fd >= 0)
		close(fd);
	return paths->nr > before
		       ? 0
		       : pt_err_set(e, "%s: a directory without a recording", folder);
}

bool pt_source_is_archive(const char *path)
{
	static const char end[] = ".archive";
	size_t len = strlen(path);

	return len >= sizeof(end) && !strcmp(path + len - (sizeof(end) - 1), end);
}

/* The same file twice would count everything twice. */
static int check_twice(struct pt_map *files, const char *path, struct pt_err *e)
{
	struct stat st;
	uint64_t *seen;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return pt_err_set(e,
				  "%s: a pipe: it is read alone, several recordings must be files",
				  path);
	seen = pt_map_put(files, pt_hash64(st.st_ino) ^ st.st_dev);
	if (*seen)
		return pt_err_set(e, "%s: this recording is named twice", path);
	*seen = 1;
	return 0;
}

/* -- opening -- */

/* A recording without any time goes last. Damage in front of the first time is found again. */
static uint64_t several_open_read_start(struct pt_source *s)
{
	struct pt_err ignored = PT_ERR_INIT;
	const struct pt_record *rec;

	while (pt_source_next(s, &rec, &ignored) > 0)
		if (several_has_time(rec))
			return rec->time_ns;
	return UINT64_MAX;
}

static void several_open_add_part(struct pt_several *v, const char *path)
{
	struct pt_err e = PT_ERR_INIT;
	struct part p = { 0 };

	if (pt_source_open(&p.src, path, NULL, &e) < 0 ||
	    pt_source_open(&p.ahead, path, NULL, &e) < 0) {
		pt_source_free(p.src);
		several_note_damage(v, &e);
		return;
	}
	p.start_ns = several_open_read_start(p.ahead);
	PT_GROW(v->parts, v->nr, v->cap);
	v->parts[v->nr++] = p;
}

static int several_open_by_start(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->src->name, y->src->name);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

/* The wall clock may be set meanwhile, and a suspended machine's other clocks stand still. But they
 * never go back, nor faster than the wall clock. */
static bool same_boot(const struct pt_info *a, const struct pt_info *b)
{
	const uint64_t slack_ns = 5000000000;
	const struct pt_info *from = a->wall_ns <= b->wall_ns ? a : b, *to = from == a ? b : a;

	if (!a->has_clock_data || !b->has_clock_data || a->clockid == CLOCK_REALTIME)
		return true;
	return to->clock_ns + slack_ns >= from->clock_ns &&
	       (to->clock_ns < from->clock_ns ||
		to->clock_ns - from->clock_ns <= to->wall_ns - from->wall_ns + slack_ns);
}

/* Can the times of both be compared? */
static int check_clocks(const struct part *x, const struct part *y, struct pt_err *e)
{
	const struct pt_info *a = pt_source_info(x->ahead), *b = pt_source_info(y->ahead);

	if (a->clockid != b->clockid)
		pt_err_set(e, "they tell the time by different clocks (clock ids %d and %d; -1: perf's own)",
			   a->clockid, b->clockid);
	else if (differ(a->hostname, b->hostname) || differ(a->arch, b->arch))
		pt_err_set(e, "they are of different machines (%s and %s)",
			   differ(a->hostname, b->hostname) ? a->hostname : a->arch,
			   differ(a->hostname, b->hostname) ? b->hostname : b->arch);
	else if (differ(a->os_release, b->os_release))
		pt_err_set(e, "they are of different kernels (%s and %s)", a->os_release,
			   b->os_release);
	else if (!same_boot(a, b))
		pt_err_set(e, "the machine was rebooted between them");
	else
		return 0;
	return pt_err_context(e, "%s and %s cannot be one stream", x->src->name, y->src->name);
}

/* The first recording speaks for all, but for the time of their samples. */
static void join_infos(struct pt_source *s)
{
	struct pt_several *v = s->several;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	bool all_tell = true;
	size_t i;

	s->st.info = v->parts[0].src->st.info;
	for (i = 0; i < v->nr; i++) {
		const struct pt_info *info = v->parts[i].src->st.info;

		all_tell &= info->features[0] >> PT_FEATURE_SAMPLE_TIME & 1;
		if (!info->last_time_ns)
			continue;
		first_ns = PT_MIN(first_ns, info->first_time_ns);
		last_ns = PT_MAX(last_ns, info->last_time_ns);
	}
	s->st.info->first_time_ns = last_ns ? first_ns : 0;
	s->st.info->last_time_ns = all_tell ? last_ns : 0;
}

static int several_open_open_parts(struct pt_source *s, struct pt_strs *paths, struct pt_err *e)
{
	struct pt_several *v = s->several;
	struct pt_map files = PT_MAP_INIT;
	int rc = 0;
	size_t i;

	for (i = 0; i < paths->nr && rc == 0; i++)
		rc = check_twice(&files, paths->v[i], e);
	for (i = 0; i < paths->nr && rc == 0; i++)
		several_open_add_part(v, paths->v[i]);
	pt_map_deinit(&files);
	if (rc == 0 && !v->nr) {
		*e = v->bad;
		return -1;
	}
	if (v->nr)
		qsort(v->parts, v->nr, sizeof(*v->parts), several_open_by_start);
	for (i = 1; i < v->nr && rc == 0; i++)
		rc = check_clocks(&v->parts[0], &v->parts[i], e);
	for (i = 0; i < v->nr; i++) {
		pt_source_free(v->parts[i].ahead);
		v->parts[i].ahead = NULL;
	}
	if (rc < 0)
		return -1;
	join_infos(s);
	for (i = 0; i < v->nr; i++)
		several_take_events(s, &v->parts[i]);
	return 0;
}

int pt_source_open_several(struct pt_source **out, const char *const *paths, size_t nr,
			   struct pt_err *e)
{
	struct pt_strs all = { 0 };
	struct pt_err none = PT_ERR_INIT;
	struct pt_source *s;
	int rc = 0;
	size_t i;

	for (i = 0; i < nr && rc == 0; i++) {
		if (nr > 1 && pt_source_is_archive(paths[i]))
			continue;	/* all of a folder are named */
		if (several_is_folder(paths[i]))
			rc = add_folder(&all, paths[i], e);
		else if (access(paths[i], F_OK) < 0)
			rc = pt_err_sys(e, errno, "%s", paths[i]);
		else
			pt_strs_add(&all, pt_strdup(paths[i]));
	}
	if (rc == 0) {
		s = pt_alloc(sizeof(*s));
		s->several = pt_alloc(sizeof(*s->several));
		s->st.events = pt_evtable_new();
		pt_features_init(&s->features);
		rc = several_open_open_parts(s, &all, e ? e : &none);
		if (rc < 0)
			pt_source_free(s);
		else
			*out = s;
	}
	pt_strs_deinit(&all);
	return rc;
}
