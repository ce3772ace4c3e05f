#include "dwarf/dwarf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_STRING = 1 << 20, PAID_AT_ONCE = 1 << 16 };

static const char *const names[PT_DW_NR_SECTIONS] = {
	[PT_DW_INFO] = "info", [PT_DW_TYPES] = "types",       [PT_DW_ABBREV] = "abbrev",
	[PT_DW_STR] = "str",   [PT_DW_LINE_STR] = "line_str", [PT_DW_STR_OFFSETS] = "str_offsets",
	[PT_DW_ADDR] = "addr", [PT_DW_RNGLISTS] = "rnglists", [PT_DW_RANGES] = "ranges",
	[PT_DW_LINE] = "line", [PT_DW_CU_INDEX] = "cu_index",
	[PT_DW_LOC] = "loc",   [PT_DW_LOCLISTS] = "loclists",
};

/* The section, unpacked at its first use; empty if that fails. */
static const struct pt_dw_section *dwarf_section_section(struct pt_dw_file *f,
							 enum pt_dw_section_id id)
{
	struct pt_dw_section *s = &f->sections[id];

	if (s->packed.data) {
		s->data = s->unpacked = pt_dw_take(f, s->len) ? pt_packed_all(&s->packed) : NULL;
		s->len = s->data ? s->len : 0;
		s->packed.data = NULL;
	}
	return s;
}

struct pt_bytes pt_dw_bytes(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off,
			    uint64_t want)
{
	const struct pt_dw_section *s = dwarf_section_section(f, id);
	struct pt_bytes b = pt_bytes("", 0, f->swap);

	if (s->data && off <= s->len)
		return pt_bytes(s->data + off, PT_MIN(want, s->len - off), f->swap);
	b.bad = true;
	return b;
}

const char *pt_dw_string_at(struct pt_dw_file *f, enum pt_dw_section_id id, uint64_t off)
{
	struct pt_bytes b = pt_dw_bytes(f, id, off, MAX_STRING);
	const char *s = pt_bytes_str(&b, MAX_STRING);

	return b.bad ? NULL : s;
}

static void dwarf_section_load(struct pt_dw_file *f, enum pt_dw_section_id id,
			       const struct pt_section *s, bool z)
{
	struct pt_dw_section *to = &f->sections[id];
	struct pt_bytes b = pt_bytes(s->data, s->len_bytes, f->object->swap);
	struct pt_packed p = { .zstd = false };
	const char *magic;
	bool good;

	if (z) {			/* .zdebug_: "ZLIB", length in big endian */
		magic = pt_bytes_take(&b, 4);
		b.swap = __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__;
		p.len_bytes = pt_bytes_u64(&b);
		p.data = b.at;
		p.data_bytes = pt_bytes_left(&b);
		good = !b.bad && !memcmp(magic, "ZLIB", 4) &&
		       pt_packed_sane(p.data_bytes, p.len_bytes);
	} else if (s->flags & SHF_COMPRESSED) {
		good = pt_packed_head(s->data, s->len_bytes, f->object->is64, f->object->swap, &p);
	} else {
		*to = (struct pt_dw_section){ .data = s->data, .len = s->len_bytes };
		return;
	}
	if (good) {
		*to = (struct pt_dw_section){ .len = p.len_bytes, .packed = p };
		f->dwarf->budget += p.len_bytes * 4;
	}
}

/* The type units of a .dwo have sections of one name: they are joined, up to the file's size. */
static void dwarf_section_join(struct pt_dw_file *f, enum pt_dw_section_id id,
			       const struct pt_section *s)
{
	struct pt_dw_section *to = &f->sections[id];
	struct pt_buf *b = &f->joined[id == PT_DW_TYPES];

	if ((id != PT_DW_INFO && id != PT_DW_TYPES) || !f->dwo || !to->data ||
	    s->flags & SHF_COMPRESSED || to->len + s->len_bytes > f->object->file.len_bytes)
		return;
	if (!b->len)
		pt_buf_add(b, to->data, to->len);
	pt_buf_add(b, s->data, s->len_bytes);
	*to = (struct pt_dw_section){ .data = (const uint8_t *)b->data, .len = b->len };
}

bool pt_dw_may_unpack(const struct pt_dw_file *f)
{
	uint64_t bytes = 0;
	bool may;

	for (int id = 0; id < PT_DW_NR_SECTIONS; id++)
		bytes += f->sections[id].packed.len_bytes;
	may = pt_budget_take(&f->object->budget, bytes);
	if (may)
		pt_budget_give(&f->object->budget, bytes);
	return may;
}

struct pt_dw_file *pt_dw_file_new(struct pt_dwarf *d, struct pt_object *o, bool dwo)
{
	struct pt_dw_file *f = pt_alloc(sizeof(*f));
	struct pt_section s;
	const char *name;
	size_t i;
	int id;

	f->dwarf = d;
	f->object = o;
	f->swap = o->swap;
	f->dwo = dwo;
	f->index = (unsigned)d->nr_files;
	PT_GROW(d->files, d->nr_files, d->cap_files);
	d->files[d->nr_files++] = f;
	if (d->main)
		pt_budget_of_part(&o->budget, o->budget.real_bytes, o->stamp ? o->stamp->dev : 0,
				  o->stamp ? o->stamp->ino : 0, &d->main->object->budget);
	d->budget += o->budget.real_bytes * 64;
	for (i = 1; i < o->nr_sections; i++) {
		bool z;
		size_t len;

		if (!pt_object_section_at(o, i, &s, &name) || !s.data)
			continue;
		z = !strncmp(name, ".zdebug_", 8);
		if (!z && strncmp(name, ".debug_", 7))
			continue;
		name += z ? 8 : 7;
		len = strlen(name);
		if (len > 4 && !strcmp(name + len - 4, ".dwo")) {
			if (!dwo)
				continue;
			len -= 4;
		}
		for (id = 0; id < PT_DW_NR_SECTIONS; id++)
			if (strlen(names[id]) == len && !strncmp(names[id], name, len)) {
				f->grouped |= dwo && s.flags & SHF_GROUP;
				if (f->sections[id].len)
					dwarf_section_join(f, (enum pt_dw_section_id)id, &s);
				else
					dwarf_section_load(f, (enum pt_dw_section_id)id, &s, z);
			}
	}
	return f;
}

static void file_free(struct pt_dw_file *f)
{
	struct pt_map_slot *s;
	size_t i, k;

	for (i = 0; (s = pt_map_each(&f->abbrevs, &i)); )
		pt_dw_abbrevs_free(pt_pointer(s->value));
	for (k = 0; k < PT_NR(f->units); k++) {
		for (i = 0; i < f->units[k].nr; i++)
			free(f->units[k].v[i]);
		free(f->units[k].v);
		pt_buf_deinit(&f->joined[k]);
	}
	for (i = 0; i < PT_DW_NR_SECTIONS; i++)
		pt_packed_free(&f->sections[i].packed, f->sections[i].unpacked);
	pt_budget_give(&f->object->budget, f->taken);
	pt_map_deinit(&f->abbrevs);
	pt_map_deinit(&f->signatures);
	pt_object_put(f->object);
	free(f);
}

bool pt_dw_take(struct pt_dw_file *f, uint64_t bytes)
{
	bool good = pt_budget_take(&f->object->budget, bytes);

	f->taken += good ? bytes : 0;
	return good;
}

void pt_dw_stop(struct pt_dwarf *d)
{
	d->budget = d->paid = 0;
}

bool pt_dw_pay_ahead(struct pt_dwarf *d, uint64_t cost)
{
	struct pt_budget *all = &d->main->object->budget;
	uint64_t sum = PT_MAX(cost, PT_MIN(d->budget, (uint64_t)PAID_AT_ONCE));

	if (sum > d->budget || (all->up && !pt_budget_work(all->up, sum))) {
		all->hit = all->hit ? all->hit : PT_LIMIT_WORK;
		pt_dw_stop(d);
		return false;
	}
	d->budget -= sum;
	d->paid += sum - cost;
	return true;
}

struct pt_dwarf *pt_dwarf_new(struct pt_object *o)
{
	struct pt_dwarf *d = pt_alloc(sizeof(*d));

	d->budget = 1 << 20;
	d->main = pt_dw_file_new(d, pt_object_get(o), false);
	if (d->main->sections[PT_DW_INFO].len)
		return d;
	pt_dwarf_free(d);
	return NULL;
}

void pt_dwarf_free(struct pt_dwarf *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->nr_files; i++)
		file_free(d->files[i]);
	pt_map_deinit(&d->names);
	pt_map_deinit(&d->by_inode);
	free(d->name_list);
	free(d->files);
	free(d);
}
