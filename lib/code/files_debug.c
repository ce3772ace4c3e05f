/* files_debug.c - the file that holds an object's debug information: itself, by build-id, by .gnu_debuglink, from a server. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "code/debuginfod.h"
#include "code/files_priv.h"

enum { MAX_LINK = 4096 };

/* The CRC of the whole file. No debug file is mostly holes; terabytes of them would take hours. */
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

/* By .gnu_debuglink: a file name and the CRC of the file (gdb manual, "Debug Files"). */
static struct pt_object *by_link(struct pt_files *f, struct pt_object *o)
{
	static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s/usr/lib/debug%.*s/%s", "/usr/lib/debug%.0s%.*s/%s" };
	size_t len = f->symfs ? strlen(f->symfs) : 0;
	const char *below = len && !strncmp(o->path, f->symfs, len) && o->path[len] == '/' ? f->symfs : "", *dir = o->path + strlen(below);
	struct pt_section s;
	struct pt_bytes b;
	const char *name, *slash = strrchr(o->path, '/');
	size_t i;

	if (!slash || !pt_object_section(o, ".gnu_debuglink", &s) || !s.data)
		return NULL;
	b = pt_bytes(s.data, s.len_bytes, o->swap);
	name = pt_bytes_str(&b, MAX_LINK);
	if (b.bad || !*name || strchr(name, '/') || s.len_bytes < 4)
		return NULL;
	for (i = 0; i < PT_NR(forms) - !*below; i++) {	/* without SYMFS the last two are the same */
		char *path = pt_asprintf(forms[i], below, (int)(slash - dir), dir, name);
		struct pt_object *d = NULL;
		int fd = pt_files_opened(f, pt_files_open_plain(path));

		if (fd >= 0 && !pt_object_open_fd(&d, fd, path, NULL)) {
			bool good = o->build_id.len ? pt_build_id_equal(&d->build_id, &o->build_id)
						    : crc_is(d, pt_load32(s.data + s.len_bytes - 4, o->swap));

			free(path);
			if (good)
				return pt_files_keep(f, d, 0);
			pt_object_put(d);
		} else {
			free(path);
		}
	}
	return NULL;
}

/* In the .build-id tree. Its build-id is the object's own, so the cache of objects by build-id is of no use here. */
static struct pt_object *by_build_id(struct pt_files *f, const struct pt_object *o, const char *root)
{
	char text[PT_BUILD_ID_TEXT], *path;
	struct pt_object *d = NULL;
	int fd;

	if (o->build_id.len < 2)
		return NULL;
	pt_build_id_text(&o->build_id, true, text);
	path = pt_asprintf("%s/usr/lib/debug/.build-id/%s.debug", root, text);
	fd = pt_files_opened(f, pt_files_open_plain(path));
	if (fd >= 0 && !pt_object_open_fd(&d, fd, path, NULL) && !pt_build_id_equal(&d->build_id, &o->build_id)) {
		pt_object_put(d);
		d = NULL;
	}
	free(path);
	return d ? pt_files_keep(f, d, 0) : NULL;
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
	if (fd < 0 || pt_object_open_fd(&d, fd, o->path, NULL) < 0)
		return NULL;
	if (pt_build_id_equal(&d->build_id, &o->build_id))
		return pt_files_keep(f, d, 0);
	pt_object_put(d);
	return NULL;
}

static struct pt_object *debug_for(struct pt_files *f, struct pt_object *o)
{
	uint64_t *slot = pt_map_get(&f->debug, (uint64_t)(uintptr_t)o);
	struct pt_section s;
	struct pt_object *d;

	if (slot)
		return (struct pt_object *)(uintptr_t)*slot;
	if ((pt_object_section(o, ".debug_info", &s) && s.data) || (pt_object_section(o, ".zdebug_info", &s) && s.data))
		d = o;
	else if ((!f->symfs || !(d = by_build_id(f, o, f->symfs))) && !(d = by_build_id(f, o, "")) && !(d = by_link(f, o)))
		d = by_server(f, o);
	*pt_map_put(&f->debug, (uint64_t)(uintptr_t)o) = (uint64_t)(uintptr_t)d;
	return d;
}

struct pt_object *pt_files_debug(struct pt_files *f, struct pt_object *o)
{
	struct pt_object *d;

	pthread_mutex_lock(&f->lock);
	d = debug_for(f, o);
	pthread_mutex_unlock(&f->lock);
	return d;
}
