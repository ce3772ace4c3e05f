#include "base/ksyms_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/smallfile.h"

enum { MAX_MODULES = 4 << 20, WITNESS = 4096, BOOT_ID_BYTES = 36, KEPT_VERSION = 4 };

struct kept_head { uint64_t marks[NR_MARKS], nr, strings_bytes; };

struct pt_ksyms *pt_ksyms_local_at(const char *root, struct pt_diskcache *keep)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	k->local = true;
	k->keep = keep;
	k->root = pt_strdup(root);
	return k;
}

struct pt_ksyms *pt_ksyms_local(struct pt_diskcache *keep)
{
	return pt_ksyms_local_at("", keep);
}

/* A file of /proc or /sys, at most `max` bytes, on the heap; "": there is none. */
static char *file_below(const struct pt_ksyms *k, const char *path, size_t max, size_t *len)
{
	struct pt_buf b = PT_BUF_INIT;
	char *full = pt_asprintf("%s%s", k->root, path);

	pt_file_add(full, max, &b);
	free(full);
	*len = PT_MIN(b.len, max);
	return b.data ? b.data : pt_alloc(1);
}

/* Has the text a non-zero address? Some kernels begin with a few zeros; hidden addresses are all
 * zero. */
static bool has_addresses(const char *text, size_t len)
{
	const char *line, *eol, *end = text + len;
	uint64_t addr;

	for (line = text; line < end && (eol = memchr(line, '\n', (size_t)(end - line)));
	     line = eol + 1)
		if (pt_kline_address(line, eol, &addr) && addr)
			return true;
	return false;
}

/* Appends what a module's symbols depend on: its line of /proc/modules without the counts of users,
 * and its build-id. */
static bool ksyms_local_add_module(const struct pt_ksyms *k, const char *line, size_t len,
				   struct pt_buf *witness)
{
	char text[512], name[128], state[32], path[256], *id;
	unsigned long long size, addr;
	size_t id_len;

	snprintf(text, sizeof(text), "%.*s", (int)PT_MIN(len, sizeof(text) - 1), line);
	if (sscanf(text, "%127s %llu %*s %*s %31s %llx", name, &size, state, &addr) != 4 || !addr)
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	id = file_below(k, path, 256, &id_len);
	pt_buf_printf(witness, "\n%s %llu %s %llx ", name, size, state, addr);
	pt_buf_add(witness, id, id_len);
	free(id);
	return true;
}

/* The loaded modules, a line each; none if they are hidden. */
static void witness_modules(const struct pt_ksyms *k, struct pt_buf *witness)
{
	size_t len;
	char *text = file_below(k, "/proc/modules", MAX_MODULES, &len), *line, *eol;
	bool good = len > 0;

	pt_buf_clear(witness);
	for (line = text; good && line < text + len; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(text + len - line));
		if (!eol)
			eol = text + len;
		good = ksyms_local_add_module(k, line, (size_t)(eol - line), witness);
	}
	if (!good)
		pt_buf_clear(witness);
	free(text);
}

/* What the kept table depends on: the boot, the kernel, the first symbols as this user sees them,
 * and the loaded modules. False: unknown. */
static bool ksyms_local_make_key(struct pt_ksyms *k)
{
	size_t n, boot_len, notes_len;
	char *first = file_below(k, "/proc/kallsyms", WITNESS, &n),
	     *boot = file_below(k, "/proc/sys/kernel/random/boot_id", 64, &boot_len),
	     *notes = file_below(k, "/sys/kernel/notes", 1024, &notes_len);
	bool visible = has_addresses(first, n);

	if (n && !visible)
		k->read = true;		/* the rest is hidden, too */
	k->has_key = visible && boot_len >= BOOT_ID_BYTES;
	if (k->has_key) {
		witness_modules(k, &k->witness);
		memcpy(k->key.boot, boot, BOOT_ID_BYTES);
		k->key.symbols = pt_hash_bytes(first, n);
		k->key.notes = pt_hash_bytes(notes, notes_len);
		k->key.modules = pt_hash_bytes(k->witness.data, k->witness.len);
	}
	free(first);
	free(boot);
	free(notes);
	return k->has_key;
}

static bool use_kept(struct ktable *t, const uint8_t *data, size_t len)
{
	struct kept_head h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (!h.strings_bytes || h.strings_bytes > UINT32_MAX || h.nr > UINT32_MAX ||
	    len != sizeof(h) + h.nr * sizeof(*t->v) + h.strings_bytes || data[len - 1])
		return false;
	t->v = (const struct kentry *)(data + sizeof(h));
	t->nr = h.nr;
	t->strings = (const char *)(t->v + t->nr);
	t->strings_bytes = h.strings_bytes;
	memcpy(t->marks, h.marks, sizeof(t->marks));
	return true;
}

struct pt_ksyms *pt_ksyms_of_kept(const void *data, size_t len)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	k->read = true;
	if (use_kept(&k->all, data, len))
		return k;
	pt_ksyms_free(k);
	return NULL;
}

static void item_name(char name[64])
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);	/* machines may share a home directory */
	snprintf(name, 64, "kernel-%016llx",
		 (unsigned long long)pt_hash_bytes(host, strlen(host)));
}

static void get_kept(struct pt_ksyms *k)
{
	struct ktable *t = &k->kept;
	char name[64];

	k->tried_kept = true;
	item_name(name);
	if (ksyms_local_make_key(k) &&
	    pt_diskcache_get(k->keep, name, KEPT_VERSION, &k->key, sizeof(k->key), &t->kept) &&
	    !use_kept(t, t->kept.data, t->kept.len_bytes))
		pt_cached_release(&t->kept);
}

struct pt_ksyms *pt_ksyms_local_amid(void)
{
	struct pt_diskcache *keep = pt_diskcache_open();
	struct pt_ksyms *k = pt_ksyms_local(keep);

	get_kept(k);
	k->keep = NULL;
	pt_diskcache_close(keep);
	return k;
}

/* "[NAME]" is a module, not BPF, ftrace or the like, which come and go unseen. */
static bool is_listed(const struct pt_buf *witness, const char *module)
{
	char line[160];
	int n = snprintf(line, sizeof(line), "\n%.*s ", (int)strcspn(module + 1, "]"), module + 1);

	return witness->len && n < (int)sizeof(line) &&
	       memmem(witness->data, witness->len, line, (size_t)n);
}

/* Up to the next symbol it is all code of its module. */
static bool is_followed(const struct ktable *t, size_t i)
{
	const struct kentry *x = &t->v[i];

	return i + 1 < t->nr && pt_ktable_same_module(t, x, x + 1) &&
	       !((x[0].module | x[1].module) & PT_KENTRY_DATA);
}

/* Keeps the kernel's own symbols from _text to _einittext with the next one, which ends the last,
 * and those of listed modules. */
void pt_klocal_put(struct pt_ksyms *k)
{
	const struct ktable *t = &k->all;
	struct kept_head h = { .strings_bytes = t->strings_bytes };
	struct kentry *v;
	uint64_t start, end;
	uint32_t module = 0;
	bool listed = false, in_core = false, was_in_core;
	char name[64];

	pt_ktable_core(t, &start, &end);
	if (!k->to_put || !k->keep || !end)
		return;
	v = pt_alloc_array(t->nr, sizeof(*v));
	for (size_t i = 0; i < t->nr; i++) {
		const struct kentry *x = &t->v[i];
		uint32_t of = x->module & PT_KENTRY_MODULE;

		if (of && of != module) {
			module = of;
			listed = is_listed(&k->witness, pt_ktable_string(t, of));
		}
		was_in_core = in_core;
		in_core = of ? in_core : x->addr >= start && x->addr < end;
		if (of ? !listed : !in_core && !was_in_core)
			continue;
		v[h.nr] = *x;
		if (of ? is_followed(t, i) : in_core)
			v[h.nr].module |= PT_KENTRY_SURE;
		h.nr++;
	}
	memcpy(h.marks, t->marks, sizeof(h.marks));
	item_name(name);
	pt_diskcache_put(k->keep, name, KEPT_VERSION, &k->key, sizeof(k->key),
			 (struct iovec[]){ { &h, sizeof(h) },
				      { v, h.nr * sizeof(*v) },
				      { (void *)t->strings, t->strings_bytes } },
			 3);
	free(v);
}

static void ksyms_local_read_all(struct pt_ksyms *k)
{
	char *path = pt_asprintf("%s/proc/kallsyms", k->root);
	struct pt_buf after = PT_BUF_INIT;

	k->read = true;
	if (pt_ktable_read_file(&k->all, path) && k->all.nr && k->has_key) {
		/* kept only if no module came or went meanwhile */
		witness_modules(k, &after);
		k->to_put = pt_hash_bytes(after.data, after.len) == k->key.modules;
		pt_buf_deinit(&after);
	}
	free(path);
}

const struct ktable *pt_klocal_all(struct pt_ksyms *k)
{
	if (!k->read)
		ksyms_local_read_all(k);
	return &k->all;
}

const struct ktable *pt_klocal_kept(struct pt_ksyms *k)
{
	if (k->local && !k->tried_kept && !k->read)
		get_kept(k);
	return k->read ? &k->all : &k->kept;
}
