#include "base/ksyms_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/smallfile.h"

enum { MAX_MODULES = 4 << 20, WITNESS = 4096, KEPT_VERSION = 3 };

struct kept_head { uint64_t marks[NR_MARKS], nr, strings_bytes; };

struct pt_ksyms *pt_ksyms_local_at(const char *root, struct pt_keep *keep)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	k->local = true;
	k->keep = keep;
	k->root = pt_strdup(root);
	return k;
}

struct pt_ksyms *pt_ksyms_local(struct pt_keep *keep)
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

/* What the kept table depends on: the boot, the kernel, and the first symbols as this user sees
 * them. False: unknown. */
static bool make_key(struct pt_ksyms *k)
{
	size_t n, boot_len, notes_len;
	char *first = file_below(k, "/proc/kallsyms", WITNESS, &n),
	     *boot = file_below(k, "/proc/sys/kernel/random/boot_id", 64, &boot_len),
	     *notes = file_below(k, "/sys/kernel/notes", 1024, &notes_len);
	bool good = has_addresses(first, n);
	uint64_t sums[2] = { pt_hash_bytes(first, n), pt_hash_bytes(notes, notes_len) };

	if (n && !good)
		k->read = true;		/* the rest is hidden, too */
	good = good && boot_len >= 36;
	if (good) {
		memcpy(k->key, boot, 36);
		memcpy(k->key + 36, sums, sizeof(sums));
		k->key_len = 36 + sizeof(sums);
	}
	free(first);
	free(boot);
	free(notes);
	return good;
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

static void item_name(char name[64], const char *kind)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);	/* machines may share a home directory */
	snprintf(name, 64, "%s-%016llx", kind,
		 (unsigned long long)pt_hash_bytes(host, strlen(host)));
}

static void get_table(struct pt_ksyms *k, const char *kind, const void *key, size_t key_len,
		      struct ktable *t)
{
	char name[64];

	item_name(name, kind);
	if (pt_keep_get(k->keep, name, KEPT_VERSION, key, key_len, &t->kept) &&
	    !use_kept(t, t->kept.data, t->kept.len_bytes))
		pt_kept_release(&t->kept);
}

static void put_table(struct pt_ksyms *k, const char *kind, const void *key, size_t key_len,
		      const struct kept_head *h, const struct kentry *v, const char *strings)
{
	struct iovec parts[] = { { (void *)h, sizeof(*h) },
				 { (void *)v, h->nr * sizeof(*v) },
				 { (void *)strings, h->strings_bytes } };
	char name[64];

	item_name(name, kind);
	pt_keep_put(k->keep, name, KEPT_VERSION, key, key_len, parts, PT_NR(parts));
}

static void get_core(struct pt_ksyms *k)
{
	k->tried_kept = true;
	if (make_key(k))
		get_table(k, "kernel", k->key, k->key_len, &k->core);
}

struct pt_ksyms *pt_ksyms_local_amid(void)
{
	struct pt_keep *keep = pt_keep_open();
	struct pt_ksyms *k = pt_ksyms_local(keep);

	get_core(k);
	k->keep = NULL;
	pt_keep_close(keep);
	return k;
}

/* Keeps the kernel's own symbols from _text to _einittext, and the next one, which ends the last.
 * They are first in the text, and so are their strings. */
static void put_core(struct pt_ksyms *k)
{
	const struct ktable *t = &k->all;
	struct kept_head h = { .nr = 0 };
	struct kentry *v;
	uint64_t start, end;
	bool more = true;
	size_t first, i;
	uint32_t last = 0;

	pt_ktable_core(t, &start, &end);
	if (!k->keep || !k->key_len || !end)
		return;
	first = PT_LEADING(t->nr, n, t->v[n].addr < start);
	v = pt_alloc_array(t->nr - first, sizeof(*v));
	for (i = first; i < t->nr && more; i++) {
		if (t->v[i].module & PT_KENTRY_MODULE)
			continue;
		more = t->v[i].addr < end;
		last = PT_MAX(last, t->v[i].name);
		v[h.nr++] = t->v[i];
	}
	memcpy(h.marks, t->marks, sizeof(h.marks));
	h.strings_bytes = last + strlen(pt_ktable_string(t, last)) + 1;
	if (h.nr > 1)
		put_table(k, "kernel", k->key, k->key_len, &h, v, t->strings);
	free(v);
}

/* ---- modules ---- */

/* Appends what a module's symbols depend on: its line of /proc/modules without the counts of users,
 * and its build-id. */
static bool add_module(const struct pt_ksyms *k, const char *line, size_t len,
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

/* The loaded modules, a line each; false: none, or they are hidden. */
static bool witness_modules(const struct pt_ksyms *k, struct pt_buf *witness)
{
	size_t len;
	char *text = file_below(k, "/proc/modules", MAX_MODULES, &len), *line, *eol;
	bool good = len > 0;

	pt_buf_clear(witness);
	for (line = text; good && line < text + len; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(text + len - line));
		if (!eol)
			eol = text + len;
		good = add_module(k, line, (size_t)(eol - line), witness);
	}
	free(text);
	return good;
}

/* "[NAME]" is a module, not BPF, ftrace or the like, which come and go unseen. */
static bool is_listed(const struct pt_buf *witness, const char *module)
{
	char line[160];
	int n = snprintf(line, sizeof(line), "\n%.*s ", (int)strcspn(module + 1, "]"), module + 1);

	return n < (int)sizeof(line) && memmem(witness->data, witness->len, line, (size_t)n);
}

static size_t modules_key(const struct pt_ksyms *k, const struct pt_buf *witness,
			  uint8_t key[sizeof(k->key) + 8])
{
	uint64_t sum = pt_hash_bytes(witness->data, witness->len);

	memcpy(key, k->key, k->key_len);
	memcpy(key + k->key_len, &sum, sizeof(sum));
	return k->key_len + sizeof(sum);
}

static void get_modules(struct pt_ksyms *k)
{
	uint8_t key[sizeof(k->key) + 8];
	struct pt_buf witness = PT_BUF_INIT;

	k->tried_modules = true;
	if (k->keep && k->key_len && witness_modules(k, &witness))
		get_table(k, "modules", key, modules_key(k, &witness, key), &k->modules);
	pt_buf_deinit(&witness);
}

static void put_modules(struct pt_ksyms *k, const struct pt_buf *witness)
{
	const struct ktable *t = &k->all;
	uint8_t key[sizeof(k->key) + 8];
	struct pt_buf strings = PT_BUF_INIT;
	struct kentry *v = pt_alloc_array(t->nr, sizeof(*v));
	uint32_t last = 0, last_at = 0;
	struct kept_head h = { .nr = 0 };
	size_t i;

	pt_buf_putc(&strings, '\0');
	for (i = 0; i < t->nr; i++) {
		const struct kentry *x = &t->v[i];
		uint32_t of = x->module & PT_KENTRY_MODULE;
		const char *s = pt_ktable_string(t, x->name), *module = pt_ktable_string(t, of);
		bool sure = i + 1 < t->nr && pt_ktable_same_module(t, x, x + 1) &&
			    !((x[0].module | x[1].module) & PT_KENTRY_DATA);

		if (!of)
			continue;
		if (!last || strcmp(pt_ktable_string(t, last), module)) {
			last = of;
			last_at = is_listed(witness, module) ? (uint32_t)strings.len : 0;
			if (last_at)
				pt_buf_add(&strings, module, strlen(module) + 1);
		}
		if (!last_at)
			continue;
		v[h.nr++] = (struct kentry){ x->addr, (uint32_t)strings.len,
					     last_at | (sure ? PT_KENTRY_SURE : 0) };
		pt_buf_add(&strings, s, strlen(s) + 1);
	}
	h.strings_bytes = strings.len;
	if (h.nr)
		put_table(k, "modules", key, modules_key(k, witness, key), &h, v, strings.data);
	free(v);
	pt_buf_deinit(&strings);
}

/* ---- all of them ---- */

static void read_all(struct pt_ksyms *k)
{
	struct pt_buf after = PT_BUF_INIT;
	bool modules = k->keep && k->key_len && witness_modules(k, &k->witness);
	char *path = pt_asprintf("%s/proc/kallsyms", k->root);
	bool some;

	k->read = true;
	some = pt_ktable_read_file(&k->all, path) && k->all.nr;
	free(path);
	k->to_put = !k->core.v && some;
	/* kept only if none came or went meanwhile */
	k->modules_to_put = modules && some && witness_modules(k, &after) &&
			    k->witness.len == after.len &&
			    !memcmp(k->witness.data, after.data, after.len);
	pt_buf_deinit(&after);
}

void pt_klocal_put(struct pt_ksyms *k)
{
	if (k->to_put)
		put_core(k);
	if (k->modules_to_put)
		put_modules(k, &k->witness);
}

/* The table for an address. */
const struct ktable *pt_klocal_for(struct pt_ksyms *k, uint64_t addr)
{
	if (k->local && !k->tried_kept && !k->read)
		get_core(k);
	if (pt_ktable_in_core(&k->core, addr))
		return &k->core;
	if (!k->read)
		read_all(k);
	return &k->all;
}

/* Finds it in the kept table of modules, if that is valid. */
bool pt_klocal_module(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s)
{
	struct pt_ksym x;
	bool sure;

	if (!k->local || k->read)
		return false;
	if (!k->tried_kept)
		get_core(k);
	if (k->read || !k->core.v || pt_ktable_in_core(&k->core, addr))
		return false;
	if (!k->tried_modules)
		get_modules(k);
	if (!pt_ktable_find(&k->modules, addr, &x, &sure) || !sure)
		return false;
	*s = x;
	return true;
}

/* Any table: the kept one if there is one. */
const struct ktable *pt_klocal_some(struct pt_ksyms *k)
{
	if (k->local && !k->tried_kept && !k->read)
		get_core(k);
	if (k->core.v)
		return &k->core;
	return pt_klocal_for(k, 0);
}
