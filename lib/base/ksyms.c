#include "base/ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/keep.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort16.h"

enum { MAX_TEXT = 256 << 20, WITNESS = 4096, KEPT_VERSION = 1, PAGE = 4096 };

struct entry {				/* sorted by address; offsets into the strings */
	uint64_t addr;
	uint32_t name;
	uint32_t module;		/* 0: the kernel's own */
};

enum { TEXT, STEXT, ETEXT, EINITTEXT, NR_MARKS };
static const char *const mark_names[NR_MARKS] = { "_text", "_stext", "_etext", "_einittext" };

struct kept_head { uint64_t marks[NR_MARKS], nr, strings_bytes; };

struct table {
	const struct entry *v;
	size_t nr;
	const char *strings;		/* end in NUL */
	size_t strings_bytes;
	uint64_t marks[NR_MARKS];
	char *text;			/* ours: the strings */
	struct entry *own;		/* ours: v */
	struct pt_kept kept;		/* or both are in here */
};

struct pt_ksyms {
	struct table all;		/* of a text, or all that /proc/kallsyms has */
	bool read;
	bool local, tried_kept;
	struct table core;		/* kept from an earlier run: the kernel's own */
	struct pt_keep *keep;
	uint8_t key[128];
	size_t key_len;			/* 0: nothing to be kept */
};

static void table_deinit(struct table *t)
{
	free(t->text);
	free(t->own);
	if (t->kept.data)
		pt_kept_release(&t->kept);
}

void pt_ksyms_free(struct pt_ksyms *k)
{
	if (!k)
		return;
	table_deinit(&k->all);
	table_deinit(&k->core);
	free(k);
}

/* ---- lines ---- */

/* Eight hexadecimal digits in small letters at once, as a number; false when they are not. */
static bool hex8(const char *s, uint64_t *out)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t v, digits, letters;

	memcpy(&v, s, 8);
	digits = (v & 0x0f * ones) + 9 * (v >> 6 & ones);
	letters = (digits + 6 * ones) >> 4 & ones;
	if ((digits & 0xf0 * ones) || digits + 0x30 * ones + 0x27 * letters != v)	/* do they make these letters again? */
		return false;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	digits = (digits | digits >> 4) & 0x00ff00ff00ff00ffu;
	digits = (digits | digits >> 8) & 0x0000ffff0000ffffu;
	*out = (digits | digits >> 16) & 0xffffffffu;
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The number at the line's start; behind it, or NULL. */
static const char *address(const char *s, const char *end, uint64_t *v)
{
	uint64_t high, low;
	const char *p = s;

	if (end - s > 16 && s[16] == ' ' && hex8(s, &high) && hex8(s + 8, &low)) {
		*v = high << 32 | low;
		return s + 16;
	}
	for (*v = 0; p < end && p - s < 16 && hex_digit(*p) >= 0; p++)
		*v = *v << 4 | (uint64_t)hex_digit(*p);
	return p > s && p < end && *p == ' ' ? p : NULL;
}

static void note_mark(struct table *t, const char *name, uint64_t addr)
{
	size_t i;

	for (i = 0; i < NR_MARKS; i++)
		if (!strcmp(name, mark_names[i]))
			t->marks[i] = addr;
}

/* A line; `end` is its end, which may be written to. */
static bool read_line(struct table *t, char *line, char *end, struct entry *x)
{
	char *name = (char *)address(line, end, &x->addr), *p;

	if (!name || end - name < 4 || name[2] != ' ' || !x->addr || name[3] == '$')
		return false;
	switch (name[1] | 32) {
	case 't': case 'w': case 'd': case 'b':
		break;
	default:
		return false;
	}
	name += 3;
	x->module = 0;
	for (p = end; p > name && (p[-1] == '\r' || p[-1] == ' ' || p[-1] == '\t'); p--)
		;
	*p = '\0';
	if (p > name && p[-1] == ']' && (p = memchr(name, '\t', (size_t)(p - name)))) {	/* NAME\t[MODULE] */
		*p = '\0';
		x->module = (uint32_t)(p + 1 - t->text);
	}
	if (!*name)
		return false;
	x->name = (uint32_t)(name - t->text);
	if (*name == '_' && !x->module)
		note_mark(t, name, x->addr);
	return true;
}

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* Which of two names of an address perf shows. Names are behind their letters in the text. */
static bool better(const char *a, const char *b)
{
	bool a_weak = (a[-2] | 32) == 'w', b_weak = (b[-2] | 32) == 'w', a_local = a[-2] & 32, b_local = b[-2] & 32;
	size_t a_bars = underscores(a), b_bars = underscores(b), a_len, b_len;

	if (a_weak != b_weak)
		return b_weak;
	if (a_local != b_local)
		return b_local;
	if (a_bars != b_bars)
		return a_bars < b_bars;
	a_len = strlen(a);
	b_len = strlen(b);
	return a_len != b_len ? a_len > b_len : strcmp(a, b) < 0;
}

static void one_an_address(struct table *t, struct entry *v, size_t nr)
{
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!n || v[i].addr != v[n - 1].addr)
			v[n++] = v[i];
		else if (better(t->text + v[i].name, t->text + v[n - 1].name))
			v[n - 1] = v[i];
	}
	t->own = v;
	t->v = v;
	t->nr = n;
}

/* Takes the text, which has room for a NUL behind its end. */
static void read_text(struct table *t, char *text, size_t len)
{
	size_t cap = len / 40 + 16, nr = 0;
	struct entry *v = pt_alloc_array(cap, sizeof(*v));
	char *line, *end = text + len, *eol;

	t->text = text;
	t->strings = text;
	t->strings_bytes = len + 1;
	*end = '\0';
	for (line = text; line < end; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol)
			eol = end;
		PT_GROW(v, nr, cap);
		if (read_line(t, line, eol, &v[nr]))
			nr++;
	}
	pt_sort16(v, nr);
	one_an_address(t, v, nr);
}

static char *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct pt_buf b = PT_BUF_INIT;
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		pt_buf_grow(&b, 1 << 16);
		n = read(fd, b.data + b.len, 1 << 16);
		if (n > 0)
			b.len += (size_t)n;
	} while ((n > 0 || (n < 0 && errno == EINTR)) && b.len < MAX_TEXT);
	close(fd);
	*len = b.len;
	return b.data;
}

/* ---- tables ---- */

struct pt_ksyms *pt_ksyms_of_text(char *text, size_t len)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	len = PT_MIN(len, (size_t)MAX_TEXT);
	read_text(&k->all, pt_realloc(text, len + 1, 1), len);
	k->read = true;
	return k;
}

struct pt_ksyms *pt_ksyms_of_file(const char *path)
{
	size_t len = 0;
	char *text = read_file(path, &len);

	return text ? pt_ksyms_of_text(text, len) : NULL;
}

struct pt_ksyms *pt_ksyms_local(struct pt_keep *keep)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	k->local = true;
	k->keep = keep;
	return k;
}

static bool in_core(const struct table *t, uint64_t addr)
{
	uint64_t start = t->marks[TEXT] ? t->marks[TEXT] : t->marks[STEXT], end = PT_MAX(t->marks[ETEXT], t->marks[EINITTEXT]);

	return start && addr >= start && addr < end;
}

/* Strings that begin within the table end within it: it ends in NUL. */
static const char *string(const struct table *t, uint32_t off)
{
	return off < t->strings_bytes ? t->strings + off : "";
}

static bool same_module(const struct table *t, const struct entry *a, const struct entry *b)
{
	return !a->module == !b->module && (!a->module || !strcmp(string(t, a->module), string(t, b->module)));
}

static bool find(const struct table *t, uint64_t addr, struct pt_ksym *s)
{
	size_t lo = 0, hi = t->nr;
	uint64_t end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	lo--;
	end = ((t->v[lo].addr + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
	if (lo + 1 < t->nr && (same_module(t, &t->v[lo], &t->v[lo + 1]) || t->v[lo + 1].addr < end))
		end = t->v[lo + 1].addr;
	if (addr >= end)
		return false;
	*s = (struct pt_ksym){ t->v[lo].addr, end, string(t, t->v[lo].name), t->v[lo].module ? string(t, t->v[lo].module) : NULL };
	return true;
}

/* ---- those of the kernel that runs ---- */

static size_t read_start(const char *path, void *to, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	size_t got = 0;

	if (fd < 0)
		return 0;
	while (got < len && (n = read(fd, (char *)to + got, len - got)) > 0)
		got += (size_t)n;
	close(fd);
	return got;
}

/* An address that is no zero: some kernels have a few such in front, hidden ones are nothing else. */
static bool has_addresses(const char *text, size_t len)
{
	const char *line, *eol, *end = text + len;
	uint64_t addr;

	for (line = text; line < end && (eol = memchr(line, '\n', (size_t)(end - line))); line = eol + 1)
		if (address(line, eol, &addr) && addr)
			return true;
	return false;
}

/* What the kept table depends on: this boot, this kernel, and the first symbols, as this user sees them. False: there is no knowing. */
static bool make_key(struct pt_ksyms *k)
{
	char boot[37], notes[1024], *first = pt_alloc(WITNESS);
	size_t n = read_start("/proc/kallsyms", first, WITNESS), boot_len = read_start("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	bool good = has_addresses(first, n);
	uint64_t sums[2];

	sums[0] = pt_hash_bytes(first, n);
	sums[1] = pt_hash_bytes(notes, read_start("/sys/kernel/notes", notes, sizeof(notes)));
	if (n && !good)
		k->read = true;		/* nothing is to be seen in the rest either */
	good = good && boot_len >= 36;
	if (good) {
		memcpy(k->key, boot, 36);
		memcpy(k->key + 36, sums, sizeof(sums));
		k->key_len = 36 + sizeof(sums);
	}
	free(first);
	return good;
}

static void item_name(char name[64])
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);	/* homes are shared by machines */
	snprintf(name, 64, "kernel-%016llx", (unsigned long long)pt_hash_bytes(host, strlen(host)));
}

static bool use_kept(struct table *t, const uint8_t *data, size_t len)
{
	struct kept_head h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (!h.strings_bytes || h.strings_bytes > UINT32_MAX || h.nr > UINT32_MAX || len != sizeof(h) + h.nr * sizeof(*t->v) + h.strings_bytes || data[len - 1])
		return false;
	t->v = (const struct entry *)(data + sizeof(h));
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

static void get_core(struct pt_ksyms *k)
{
	struct table *t = &k->core;
	char name[64];

	k->tried_kept = true;
	item_name(name);
	if (!make_key(k) || !k->keep || !pt_keep_get(k->keep, name, KEPT_VERSION, k->key, k->key_len, &t->kept))
		return;
	if (!use_kept(t, t->kept.data, t->kept.len_bytes))
		pt_kept_release(&t->kept);
}

/* The kernel's own symbols from _text to _einittext, and the one behind, where the last one ends. */
static void put_core(struct pt_ksyms *k)
{
	const struct table *t = &k->all;
	struct pt_buf strings = PT_BUF_INIT;
	struct entry *v;
	struct kept_head h = { .nr = 0 };
	struct iovec parts[3];
	char name[64];
	bool more = true;
	size_t i;

	item_name(name);
	if (!k->keep || !k->key_len)
		return;
	v = pt_alloc_array(t->nr, sizeof(*v));
	pt_buf_putc(&strings, '\0');
	for (i = 0; i < t->nr && more; i++)
		if (!t->v[i].module && (h.nr || in_core(t, t->v[i].addr))) {
			const char *s = string(t, t->v[i].name);

			more = in_core(t, t->v[i].addr);
			v[h.nr++] = (struct entry){ t->v[i].addr, (uint32_t)strings.len, 0 };
			pt_buf_add(&strings, s, strlen(s) + 1);
		}
	memcpy(h.marks, t->marks, sizeof(h.marks));
	h.strings_bytes = strings.len;
	parts[0] = (struct iovec){ &h, sizeof(h) };
	parts[1] = (struct iovec){ v, h.nr * sizeof(*v) };
	parts[2] = (struct iovec){ strings.data, strings.len };
	if (h.nr)
		pt_keep_put(k->keep, name, KEPT_VERSION, k->key, k->key_len, parts, 3);
	free(v);
	pt_buf_deinit(&strings);
}

static void read_all(struct pt_ksyms *k)
{
	size_t len = 0;
	char *text = NULL;

	k->read = true;
	text = read_file("/proc/kallsyms", &len);
	if (!text)
		return;
	read_text(&k->all, pt_realloc(text, len + 1, 1), len);
	if (!k->core.v)
		put_core(k);
}

/* The table that answers for an address. */
static const struct table *table_for(struct pt_ksyms *k, uint64_t addr)
{
	if (k->local && !k->tried_kept && !k->read)
		get_core(k);
	if (in_core(&k->core, addr))
		return &k->core;
	if (!k->read)
		read_all(k);
	return &k->all;
}

bool pt_ksyms_find(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s)
{
	return find(table_for(k, addr), addr, s);
}

/* Any table will do: the kept one where there is one. */
static const struct table *some_table(struct pt_ksyms *k)
{
	if (k->local && !k->tried_kept && !k->read)
		get_core(k);
	if (k->core.v)
		return &k->core;
	return table_for(k, 0);
}

uint64_t pt_ksyms_text(struct pt_ksyms *k, const char *name)
{
	const struct table *t = some_table(k);
	size_t i;

	for (i = 0; i < NR_MARKS; i++)
		if (!strcmp(name, mark_names[i]))
			return t->marks[i];
	return 0;
}

bool pt_ksyms_visible(struct pt_ksyms *k)
{
	return some_table(k)->nr > 0;
}

bool pt_ksyms_is_core(struct pt_ksyms *k, uint64_t addr)
{
	return in_core(some_table(k), addr);
}
