#include "tracepoint/tp_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tracepoint/tracefs.h"

struct pt_tp_db *pt_tp_db_new_at(const char *tracefs)
{
	struct pt_tp_db *db = pt_tp_db_new(false, (int)sizeof(long));

	db->tracefs = tracefs_instance_alloc(tracefs, NULL);
	db->local_symbols = true;
	return db;
}

struct pt_tp_db *pt_tp_db_new(bool swap, int long_bytes)
{
	struct pt_tp_db *db = pt_alloc(sizeof(*db));

	db->swap = swap;
	db->long_bytes = long_bytes == 4 ? 4 : 8;
	db->names = pt_names_new();
	return db;
}

void pt_tp_db_free(struct pt_tp_db *db)
{
	size_t i;

	if (!db)
		return;
	for (i = 0; i < db->nr; i++)
		pt_tp_entry_free(db->entries[i]);
	free(db->entries);
	pt_map_deinit(&db->by_id);
	pt_map_deinit(&db->by_name);
	pt_map_deinit(&db->printk);
	pt_ksyms_free(db->symbols);
	free(db->kallsyms);
	pt_diskcache_close(db->keep);
	tracefs_instance_free(db->tracefs);
	pt_names_free(db->names);
	free(db);
}

static uint64_t name_key(const char *system, const char *name)
{
	return pt_hash_bytes(system, strlen(system)) * 31 + pt_hash_bytes(name, strlen(name));
}

static const struct pt_tp *tp_known(struct pt_tp_db *db, const char *system, const char *name)
{
	uint64_t *at = pt_map_get(&db->by_name, name_key(system, name));
	const struct pt_tp *tp = at ? &db->entries[*at - 1]->tp : NULL;

	return tp && !strcmp(tp->system, system) && !strcmp(tp->name, name) ? tp : NULL;
}

/* The first of a name and the last of an id win: probes that come and go reuse ids. */
static const struct pt_tp *tp_add(struct pt_tp_db *db, const char *system, const char *text,
				  size_t len, struct pt_err *e)
{
	struct pt_tp_entry *t = pt_tp_format_parse(db, system, text, len, e);
	uint64_t *at;

	if (!t)
		return NULL;
	PT_GROW(db->entries, db->nr, db->cap);
	db->entries[db->nr++] = t;
	*pt_map_put(&db->by_id, (uint64_t)t->tp.id) = db->nr;
	at = pt_map_put(&db->by_name, name_key(system, t->tp.name));
	if (!*at)
		*at = db->nr;
	return &t->tp;
}

int pt_tp_db_add_format(struct pt_tp_db *db, const char *system, const char *text, size_t len,
			struct pt_err *e)
{
	return tp_add(db, system, text, len, e) ? 0 : -1;
}

static bool plain_name(const char *s) { return *s && *s != '.' && !strchr(s, '/'); }

static const struct pt_tp *tp_read_local(struct pt_tp_db *db, const char *system, const char *name,
					 struct pt_err *e)
{
	const struct pt_tp *tp = NULL;
	char *text;
	int len;

	if (!plain_name(system) || !plain_name(name)) {
		pt_err_set(e, "%s:%s is no name of a tracepoint", system, name);
		return NULL;
	}
	text = tracefs_event_file_read(db->tracefs, system, name, "format", &len);
	if (!text)
		pt_err_sys(e, errno, "tracepoint %s:%s: %s/events/%s/%s/format", system, name,
			   tracefs_instance_get_trace_dir(db->tracefs), system, name);
	else if (!(tp = tp_add(db, system, text, (size_t)len, e)))
		pt_err_context(e, "the format of %s:%s", system, name);
	free(text);
	return tp;
}

const struct pt_tp *pt_tp_db_find(struct pt_tp_db *db, const char *system, const char *name,
				  struct pt_err *e)
{
	const struct pt_tp *tp = tp_known(db, system, name);

	if (tp)
		return tp;
	if (db->tracefs)
		return tp_read_local(db, system, name, e);
	pt_err_set(e, "the recording has no format of %s:%s", system, name);
	return NULL;
}

const struct pt_tp *pt_tp_db_by_id(const struct pt_tp_db *db, int id)
{
	const uint64_t *at = pt_map_get(&db->by_id, (uint64_t)id);

	return at ? &db->entries[*at - 1]->tp : NULL;
}

size_t pt_tp_db_nr(const struct pt_tp_db *db) { return db->nr; }
const struct pt_tp *pt_tp_db_at(const struct pt_tp_db *db, size_t i)
{
	return i < db->nr ? &db->entries[i]->tp : NULL;
}
bool pt_tp_db_swap(const struct pt_tp_db *db) { return db->swap; }
int pt_tp_db_long_bytes(const struct pt_tp_db *db) { return db->long_bytes; }

const struct pt_tp_field *pt_tp_field_or_guard(const struct pt_tp *tp, const char *name)
{
	size_t i;

	for (i = 0; i < tp->nr_fields + tp->nr_guards; i++)
		if (!strcmp(tp->fields[i].name, name))
			return &tp->fields[i];
	return NULL;
}

const struct pt_tp_field *pt_tp_field(const struct pt_tp *tp, const char *name)
{
	const struct pt_tp_field *f = pt_tp_field_or_guard(tp, name);

	return f && (size_t)(f - tp->fields) < tp->nr_fields ? f : NULL;
}

struct pt_tp_place pt_tp_place(const struct pt_tp_field *f, uint32_t *need_bytes)
{
	enum { MAX = 65535 };		/* formats are untrusted: sums must not wrap */

	if (f->off > MAX || f->size_bytes > MAX)
		return (struct pt_tp_place){ .size_bytes = 0 };
	*need_bytes = PT_MAX(*need_bytes, f->off + f->size_bytes);
	return (struct pt_tp_place){ f->off, f->size_bytes, f->flags & PT_TP_SIGNED,
				     f->flags & PT_TP_DYNAMIC };
}

bool pt_tp_bytes(const struct pt_tp_field *f, size_t which, const void *raw, size_t len, bool swap,
		 const uint8_t **p, size_t *n)
{
	const uint8_t *bytes = raw;
	size_t off = f->off, size = f->size_bytes;
	uint32_t loc;

	if (off > len || size > len - off)
		return false;
	if (f->flags & PT_TP_DYNAMIC) {
		off += 4 * which;
		loc = pt_load32(bytes + off, swap);
		off = (f->flags & PT_TP_RELATIVE ? off + 4 : 0) + (loc & 0xffff);
		size = loc >> 16;
		if (off > len || size > len - off)
			return false;
	} else if (!size) {
		size = len - off;	/* "char text[]" at the record's end */
	}
	*p = bytes + off;
	*n = size;
	return true;
}

bool pt_tp_data(const struct pt_tp_field *f, const void *raw, size_t len, bool swap, const void **p,
		size_t *n)
{
	const uint8_t *bytes;

	if (pt_tp_faulted(f, raw, len, swap) || !pt_tp_bytes(f, 0, raw, len, swap, &bytes, n))
		return false;
	if (f->flags & PT_TP_STRING)
		*n = strnlen((const char *)bytes, *n);
	if (f->length_bytes && (size_t)f->length_off + f->length_bytes <= len)
		*n = PT_MIN(*n, pt_load_number((const uint8_t *)raw + f->length_off,
					       f->length_bytes, false, swap));
	*p = bytes;
	return true;
}

double pt_tp_float(const struct pt_tp_field *f, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	double d;
	float single;

	if (f->size_bytes == sizeof(single)) {
		memcpy(&single, &low, sizeof(single));
		return (double)single;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}
