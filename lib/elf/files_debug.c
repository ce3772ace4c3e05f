/* files_debug.c - the file with an object's debug information */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "elf/debuginfod.h"
#include "elf/files_priv.h"

enum { MAX_LINK = 4096 };

/* Files that are mostly holes are refused: terabytes of them would take hours. */
static bool crc_is(struct pt_object *o, uint32_t crc)
{
	size_t at, step;
	uLong sum = crc32(0, NULL, 0);

	if (!pt_budget_work(&o->budget, o->file.len_bytes / 2))
		return false;
	for (at = 0; at < o->file.len_bytes; at += step) {
		step = PT_MIN(o->file.len_bytes - at, (size_t)1 << 30);
		sum = crc32(sum, o->file.data + at, (uInt)step);
	}
	return sum == crc;
}

static struct pt_object *files_debug_open_named(struct pt_files *f, const struct pt_object *o,
						struct pt_root *root, const char *path)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_object *d;

	if (!pt_object_open_named(&d, o, root, path, &e))
		return d;
	errno = e.sys;
	pt_files_opened(f, -1);
	return NULL;
}

static bool is_linked(const struct pt_object *o, struct pt_object *d, uint32_t crc)
{
	return o->build_id.len ? pt_build_id_equal(&d->build_id, &o->build_id) : crc_is(d, crc);
}

/* .gnu_debuglink: a file name and the file's CRC (gdb manual, "Debug Files"). */
static struct pt_object *by_link(struct pt_files *f, struct pt_object *o)
{
	static const char *const before[] = { "", "", "/usr/lib/debug", "/usr/lib/debug" },
				 *const within[] = { "", ".debug/", "", "" };
	const char *name, *slash = o->inside ? strrchr(o->inside, '/') : NULL;
	struct pt_object *d;
	struct pt_section s;
	struct pt_bytes b;
	uint32_t crc;
	char *path;
	size_t i;

	if (!slash || !pt_object_data(o, ".gnu_debuglink", &s))
		return NULL;
	b = pt_bytes(s.data, s.len_bytes, o->swap);
	name = pt_bytes_str(&b, MAX_LINK);
	if (b.bad || !*name || strchr(name, '/') || s.len_bytes < 4)
		return NULL;
	crc = pt_load32(s.data + s.len_bytes - 4, o->swap);
	/* The last one is our own tree: for files below SYMFS, not for those of a container. */
	for (i = 0; i < PT_NR(before) - !(f->symfs && o->root == f->symfs); i++) {
		path = pt_asprintf("%s%.*s/%s%s", before[i], (int)(slash - o->inside), o->inside,
				   within[i], name);
		d = files_debug_open_named(f, o, i < 3 ? o->root : NULL, path);
		free(path);
		if (d && is_linked(o, d, crc))
			return pt_files_keep(f, d, 0);
		pt_object_put(d);
	}
	return NULL;
}

/* In the .build-id tree of a directory below the root. */
static struct pt_object *files_debug_by_build_id(struct pt_files *f, const struct pt_object *o,
						 struct pt_root *root, const char *dir,
						 const char *suffix)
{
	char *path = pt_build_id_path(dir, &o->build_id, suffix);
	struct pt_object *d;

	if (!path)
		return NULL;
	d = files_debug_open_named(f, o, root, path);
	free(path);
	if (d && !pt_build_id_equal(&d->build_id, &o->build_id)) {
		pt_object_put(d);
		d = NULL;
	}
	return d ? pt_files_keep(f, d, 0) : NULL;
}

static struct pt_object *files_debug_by_system(struct pt_files *f, const struct pt_object *o)
{
	static const char dir[] = "/usr/lib/debug", suffix[] = ".debug";
	struct pt_object *d =
		f->symfs ? files_debug_by_build_id(f, o, f->symfs, dir, suffix) : NULL;

	return d ? d : files_debug_by_build_id(f, o, NULL, dir, suffix);
}

static struct pt_object *by_archives(struct pt_files *f, const struct pt_object *o)
{
	struct pt_object *d = NULL;

	for (size_t i = 0; !d && i < f->nr_archives; i++)
		d = files_debug_by_build_id(f, o, f->archives[i], "", "/debug");
	return d;
}

/* From a server. */
static struct pt_object *by_server(struct pt_files *f, const struct pt_object *o)
{
	struct pt_object *d = NULL;
	int fd;

	if (f->opts.debuginfod && !f->server) {
		f->server = pt_debuginfod_new(NULL);
		f->opts.debuginfod = f->server;
	}
	fd = f->server ? pt_debuginfod_open(f->server, &o->build_id) : -1;
	if (fd < 0 || pt_files_map(f, &d, fd, o->path) < 0)
		return NULL;
	if (pt_build_id_equal(&d->build_id, &o->build_id))
		return pt_files_keep(f, d, 0);
	pt_object_put(d);
	return NULL;
}

struct pt_object *pt_files_debug(struct pt_files *f, struct pt_object *o)
{
	struct pt_section s;
	struct pt_object *d;

	if (o->debug_known)
		return o->debug;
	o->debug_known = true;
	if ((pt_object_data(o, ".debug_info", &s)) ||
	    (pt_object_data(o, ".zdebug_info", &s)))
		d = o;
	else if (!(d = by_archives(f, o)) && !(d = files_debug_by_system(f, o)) &&
		 !(d = by_link(f, o)))
		d = by_server(f, o);
	return o->debug = d;
}
