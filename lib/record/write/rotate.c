#include "record/write/rotate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define MSEC_NS 1000000ull

struct pt_rotate {
	struct pt_rotate_opts opts;
	uint64_t stamp_ms;		/* in the name of the last file */
	uint64_t due_ns;
	struct pt_rotate_files files;
	size_t cap;
};

struct pt_rotate *pt_rotate_new(const struct pt_rotate_opts *o)
{
	struct pt_rotate *r = pt_alloc(sizeof(*r));

	r->opts = *o;
	return r;
}

void pt_rotate_free(struct pt_rotate *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->files.nr_kept; i++)
		free(r->files.kept[i].path);
	free(r->files.kept);
	free(r);
}

static char *rotate_path_of(const struct pt_rotate *r)
{
	time_t seconds = (time_t)(r->stamp_ms / 1000);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	return pt_asprintf("%s.%s.%03uZ", r->opts.path, text, (unsigned)(r->stamp_ms % 1000));
}

size_t pt_rotate_output_len(const char *path)
{
	static const char like[] = ".00000000T000000.000Z";
	size_t len = strlen(path), stamp_len = sizeof(like) - 1, i;
	const char *stamp;

	if (len <= stamp_len)
		return len;
	stamp = path + len - stamp_len;
	for (i = 0; i < stamp_len; i++)
		if (like[i] == '0' ? stamp[i] < '0' || stamp[i] > '9' : stamp[i] != like[i])
			return len;
	return len - stamp_len;
}

int pt_rotate_check(const struct pt_rotate *r, struct pt_err *e)
{
	char *dir = pt_text_folder(r->opts.path);
	int rc = access(dir, W_OK | X_OK) < 0 ? pt_err_sys(e, errno, "%s", dir) : 0;

	free(dir);
	return rc;
}

int pt_rotate_open(struct pt_rotate *r, struct pt_writer **w, char **path, struct pt_err *e)
{
	struct pt_writer_opts o = r->opts.writer;
	struct timespec now;
	struct stat st;

	o.is_new = true;
	clock_gettime(CLOCK_REALTIME, &now);
	r->stamp_ms = PT_MAX(r->stamp_ms + 1, (uint64_t)now.tv_sec * 1000 +
						      (uint64_t)now.tv_nsec / MSEC_NS);
	while (*path = rotate_path_of(r), lstat(*path, &st) == 0) {
		free(*path);
		r->stamp_ms++;
	}
	if (pt_writer_open(w, *path, &o, e) == 0)
		return 0;
	free(*path);
	*path = NULL;
	return -1;
}

bool pt_rotate_due(struct pt_rotate *r, uint64_t clock_ns, const struct pt_writer *w)
{
	const struct pt_rotate_opts *o = &r->opts;

	if (!r->due_ns)
		r->due_ns = clock_ns + o->every_ns;
	if (o->every_ns && clock_ns >= r->due_ns) {
		/* an interval that was missed is no file of its own */
		r->due_ns += (clock_ns - r->due_ns) / o->every_ns * o->every_ns + o->every_ns;
		return true;
	}
	return o->every_bytes && pt_writer_bytes(w) >= o->every_bytes;
}

/* Unless it is another file by now, or was written to since. */
static void remove_file(const struct pt_rotate_file *f)
{
	struct stat st;

	if (lstat(f->path, &st) == 0 && st.st_dev == f->st.st_dev && st.st_ino == f->st.st_ino &&
	    !memcmp(&st.st_mtim, &f->st.st_mtim, sizeof(st.st_mtim)))
		unlink(f->path);
}

void pt_rotate_done(struct pt_rotate *r, const char *path)
{
	struct pt_rotate_files *l = &r->files;
	struct pt_rotate_file f;

	if (lstat(path, &f.st) < 0)	/* somebody removed it */
		return;
	f.path = pt_strdup(path);
	PT_GROW(l->kept, l->nr_kept, r->cap);
	l->kept[l->nr_kept++] = f;
	l->nr++;
	while (r->opts.keep && l->nr_kept > r->opts.keep) {
		remove_file(&l->kept[0]);
		free(l->kept[0].path);
		memmove(l->kept, l->kept + 1, --l->nr_kept * sizeof(*l->kept));
	}
}

struct pt_rotate_files pt_rotate_files(const struct pt_rotate *r) { return r->files; }
