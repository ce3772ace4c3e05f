#include "dwarf/dwarf.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_NAME = 4096, SPLIT_COST = 16384 };	/* cost: of opening a file */

/* The directory of a path, with the slash; "" without one. */
static char *directory(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? pt_strndup(path, (size_t)(slash - path) + 1) : pt_strdup("");
}

/* Opens a file that the object names. Takes the path. */
static struct pt_object *open_path(const struct pt_object *by, struct pt_root *root, char *path)
{
	struct pt_object *o = NULL;

	if (strlen(path) >= MAX_NAME || pt_object_open_named(&o, by, root, path, NULL) < 0)
		o = NULL;
	free(path);
	return o;
}

/* The unit of a .dwo file for a skeleton. */
static struct pt_dw_unit *match(struct pt_dw_file *f, const struct pt_dw_unit *skeleton)
{
	struct pt_dw_unit *u;
	size_t i;

	for (i = 0; (u = pt_dw_unit_nr(f, i)); i++)
		if ((u->type == DW_UT_split_compile || u->type == DW_UT_compile) &&
		    u->address_bytes == skeleton->address_bytes && pt_dw_pay(f->dwarf, 64) &&
		    pt_dw_unit_open(u, NULL) && u->id == skeleton->id)
			return u;
	return NULL;
}

/* Takes the object. Thousands of skeletons may name one file by different names. */
static struct pt_dw_file *dwarf_split_file_of(struct pt_dwarf *d, struct pt_object *o)
{
	uint64_t file = o->stamp ? pt_hash64(pt_hash64(o->stamp->dev) ^ o->stamp->ino) : 0;
	uint64_t *slot = pt_dw_pay(d, SPLIT_COST) ? pt_map_put(&d->by_inode, file) : NULL;
	struct pt_dw_file *f = slot ? pt_pointer(*slot) : NULL;

	if (!slot || f) {
		pt_object_put(o);
		return f;
	}
	f = pt_dw_file_new(d, o, true);
	*slot = pt_word_of(f);
	return f;
}

static struct pt_dw_unit *from_file(struct pt_dw_unit *skeleton, char *path)
{
	struct pt_object *o = open_path(skeleton->file->object, skeleton->file->object->root, path);
	struct pt_dw_file *f = o ? dwarf_split_file_of(skeleton->file->dwarf, o) : NULL;

	return f ? match(f, skeleton) : NULL;
}

static struct pt_dw_unit *beside(struct pt_dw_unit *skeleton)
{
	const char *name = skeleton->dwo_name, *base = strrchr(name, '/'),
		   *comp_dir = skeleton->comp_dir;
	char *dir = directory(skeleton->file->object->inside);
	struct pt_dw_unit *u = NULL;

	if (name[0] == '/')
		u = from_file(skeleton, pt_strdup(name));
	else if (comp_dir)
		u = from_file(skeleton, pt_asprintf("%s%s/%s", comp_dir[0] == '/' ? "" : dir,
						    comp_dir, name));
	if (!u && name[0] != '/')
		u = from_file(skeleton, pt_asprintf("%s%s", dir, name));
	if (!u && base)
		u = from_file(skeleton, pt_asprintf("%s%s", dir, base + 1));
	free(dir);
	return u;
}

/* PROGRAM.dwp; for a detached debug file also without its .debug. */
static struct pt_dw_file *package(struct pt_dwarf *d)
{
	struct pt_object *main = d->main->object, *o;
	const char *path = main->inside;
	size_t len = path ? strlen(path) : 0;

	if (d->tried_package || !path)
		return d->package;
	d->tried_package = true;
	o = open_path(main, main->root, pt_asprintf("%s.dwp", path));
	if (!o && len > 6 && !strcmp(path + len - 6, ".debug"))
		o = open_path(main, main->root, pt_asprintf("%.*s.dwp", (int)(len - 6), path));
	if (o)
		d->package = pt_dw_file_new(d, o, true);
	return d->package;
}

/* A unit's part of each section of a package, by DW_SECT_*. */
enum { MAX_PARTS = 16 };
struct part { uint32_t off, len; bool there; };

/* By its index, version 2 (GNU's) or 5. False: the unit is not in it. */
static bool read_parts(struct pt_dw_file *f, uint64_t id, uint16_t *version,
		       struct part parts[MAX_PARTS])
{
	struct pt_bytes b = pt_dw_bytes(f, PT_DW_CU_INDEX, 0, UINT64_MAX);
	const uint8_t *signatures, *rows, *columns, *offs, *lens;
	uint32_t nr_columns, nr_units, nr_slots, row = 0, n;
	uint64_t slot, step, i;

	*version = pt_bytes_u16(&b);
	pt_bytes_u16(&b);
	nr_columns = pt_bytes_u32(&b);
	nr_units = pt_bytes_u32(&b);
	nr_slots = pt_bytes_u32(&b);
	if (b.bad || !nr_slots || nr_slots & (nr_slots - 1) || nr_columns > MAX_PARTS ||
	    nr_units > nr_slots)
		return false;
	signatures = pt_bytes_take(&b, 8ull * nr_slots);
	rows = pt_bytes_take(&b, 4ull * nr_slots);
	columns = pt_bytes_take(&b, 4ull * nr_columns);
	offs = pt_bytes_take(&b, 4ull * nr_columns * nr_units);
	lens = pt_bytes_take(&b, 4ull * nr_columns * nr_units);
	if (b.bad)
		return false;
	slot = id & (nr_slots - 1);
	step = (id >> 32 & (nr_slots - 1)) | 1;
	for (i = 0; i < nr_slots && pt_dw_pay(f->dwarf, 1);
	     i++, slot = (slot + step) & (nr_slots - 1)) {
		row = pt_load32(rows + 4 * slot, f->swap);
		if (!row || (row <= nr_units && pt_load64(signatures + 8 * slot, f->swap) == id))
			break;
		row = 0;
	}
	for (n = 0; row && n < nr_columns; n++) {
		uint32_t column = pt_load32(columns + 4 * n, f->swap);
		uint64_t at = 4 * ((uint64_t)(row - 1) * nr_columns + n);

		if (column < MAX_PARTS)
			parts[column] = (struct part){ pt_load32(offs + at, f->swap),
						       pt_load32(lens + at, f->swap), true };
	}
	return row != 0;
}

static struct pt_dw_unit *packaged(struct pt_dw_unit *skeleton)
{
	enum { INFO = 1, ABBREV = 3, STR_OFFSETS = 6, RNGLISTS = 8 };
	struct pt_dw_file *f = package(skeleton->file->dwarf);
	struct part parts[MAX_PARTS] = { { 0, 0, false } };
	struct pt_dw_unit *u;
	uint16_t version;

	if (!f || !read_parts(f, skeleton->id, &version, parts) || !parts[INFO].there)
		return NULL;
	u = pt_dw_unit_at(f, false, parts[INFO].off);
	if (!u || u->off != parts[INFO].off || u->opened ||
	    u->address_bytes != skeleton->address_bytes)
		return NULL;
	u->abbrev_off += parts[ABBREV].off;
	u->in_str_offsets = parts[STR_OFFSETS].off;
	u->in_rnglists = version >= 5 ? parts[RNGLISTS].off : 0;
	return pt_dw_unit_open(u, NULL) && u->id == skeleton->id ? u : NULL;
}

struct pt_dw_unit *pt_dw_unit_split(struct pt_dw_unit *u)
{
	struct pt_dw_unit *split;

	if (u->tried_split || u->file->dwo || u->bad)
		return u->split ? u->split : u;
	u->tried_split = true;
	if (!pt_dw_unit_open(u, NULL) || !u->id || !u->dwo_name)
		return u;
	split = packaged(u);
	if (!split)
		split = beside(u);
	if (!split || split->skeleton)
		return u;
	split->skeleton = u;
	u->split = split;
	return split;
}

/* .debug_sup (DWARF 5 section 7.3.6): the name of the supplementary file, in which it is "", and
 * its checksum. NULL: there is none. */
static const char *supplementary(const struct pt_object *o, struct pt_build_id *id)
{
	struct pt_section s;
	struct pt_bytes b;
	const char *name;
	uint64_t len;

	if (!pt_object_data(o, ".debug_sup", &s))
		return NULL;
	b = pt_bytes(s.data, s.len_bytes, o->swap);
	pt_bytes_u16(&b);		/* version */
	pt_bytes_u8(&b);		/* it is one itself */
	name = pt_bytes_str(&b, MAX_NAME);
	len = pt_bytes_uleb(&b);
	if (b.bad || !len || len > pt_bytes_left(&b))
		return NULL;
	*id = pt_build_id(b.at, len);
	return name;
}

/* The alternate file's name and build-id: .gnu_debugaltlink (gdb manual, "Debug Files"), or
 * .debug_sup. */
static const char *alt_link(const struct pt_object *o, struct pt_build_id *id)
{
	struct pt_section s;
	struct pt_bytes b;
	const char *name;

	if (!pt_object_data(o, ".gnu_debugaltlink", &s)) {
		name = supplementary(o, id);
		return name && *name ? name : NULL;
	}
	b = pt_bytes(s.data, s.len_bytes, o->swap);
	name = pt_bytes_str(&b, MAX_NAME);
	if (b.bad || !*name || !pt_bytes_left(&b))
		return NULL;
	*id = pt_build_id(b.at, pt_bytes_left(&b));
	return name;
}

/* The object, if it is the right one. */
static struct pt_object *checked(struct pt_object *o, const struct pt_build_id *id)
{
	struct pt_build_id sum = { .len = 0 };

	if (!o || pt_build_id_equal(&o->build_id, id) ||
	    (supplementary(o, &sum) && pt_build_id_equal(&sum, id)))
		return o;
	pt_object_put(o);
	return NULL;
}

static struct pt_object *alt_object(const struct pt_object *o, const char *name,
				    const struct pt_build_id *id)
{
	char *real = pt_object_real_path(o), *dir = directory(real),
	     *tree = pt_build_id_path("/usr/lib/debug", id, ".debug");
	const char *const places[][2] = {
		{ name[0] == '/' ? "" : dir, name }, { dir, basename(name) }, { "", tree }
	};
	struct pt_object *alt = NULL;

	for (size_t i = 0; !alt && i < PT_NR(places); i++)
		if (places[i][1])
			alt = checked(open_path(o, o->root,
						pt_asprintf("%s%s", places[i][0], places[i][1])),
				      id);
	if (!alt && tree && o->root)
		alt = checked(open_path(o, NULL, pt_strdup(tree)), id);
	free(tree);
	free(real);
	free(dir);
	return alt;
}

struct pt_dw_file *pt_dw_alt(struct pt_dw_file *f)
{
	struct pt_build_id id = { .len = 0 };
	struct pt_object *o;
	const char *name;

	if (f->tried_alt)
		return f->alt;
	f->tried_alt = true;
	name = alt_link(f->object, &id);
	o = name ? alt_object(f->object, name, &id) : NULL;
	if (o) {
		f->alt = pt_dw_file_new(f->dwarf, o, false);
		f->alt->tried_alt = true;	/* no chains of them */
	}
	return f->alt;
}
