#include "base/ksyms_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/choice.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort16.h"

enum { PAGE = 4096, PIECE = 64 << 10, USUAL_TEXT = 6 << 20, SYMBOL_BYTES = 40 };

/* the padding in front of a function has its name with this prefix */
static const char padding[] = "__pfx_";

static const char *const mark_names[NR_MARKS] = { "_text", "_stext", "_etext", "_einittext" };

static void table_deinit(struct ktable *t)
{
	free(t->own_strings);
	free(t->own);
	if (t->kept.data)
		pt_cached_release(&t->kept);
}

void pt_ksyms_free(struct pt_ksyms *k)
{
	if (!k)
		return;
	pt_klocal_put(k);
	table_deinit(&k->all);
	table_deinit(&k->kept);
	pt_buf_deinit(&k->witness);
	free(k->root);
	free(k);
}

/* ---- lines ---- */

/* Parses the number at the line's start. Returns its end, or NULL. */
const char *pt_kline_address(const char *s, const char *end, uint64_t *v)
{
	const char *p = s, *most = end - s > 16 ? s + 16 : end;
	uint64_t addr = 0;
	int digit;

	for (; p < most && (digit = pt_hex_digit(*p)) >= 0; p++)
		addr = addr << 4 | (uint64_t)digit;
	*v = addr;
	return p > s && p < end && *p == ' ' ? p : NULL;
}

static void note_mark(struct ktable *t, const char *name, uint64_t addr)
{
	size_t i;

	for (i = 0; i < NR_MARKS; i++)
		if (name[1] == mark_names[i][1] && !strcmp(name, mark_names[i]))
			t->marks[i] = addr;
}

struct reading {
	struct ktable *t;
	char *strings;
	size_t len, cap;
	struct kentry *v;
	size_t nr, cap_v;
	size_t last;			/* the string before it; a module's name is in it */
	uint32_t module;
};

static uint32_t ksyms_add_string(struct reading *r, const char *s, size_t len)
{
	if (r->cap - r->len <= len)
		r->strings = pt_realloc(r->strings, r->cap = 2 * (r->cap + len), 1);
	r->last = r->len;
	memcpy(r->strings + r->len, s, len);
	r->strings[r->len + len] = '\0';
	r->len += len + 1;
	return (uint32_t)r->last;
}

static bool ends_with(const struct reading *r, size_t at, const char *s, size_t len)
{
	return r->len - at == len + 1 && !memcmp(r->strings + at, s, len);
}

/* A function's name is the end of its padding's name. */
static uint32_t ksyms_add_name(struct reading *r, const char *s, size_t len)
{
	size_t end = r->last + sizeof(padding) - 1;

	if (end < r->len && ends_with(r, end, s, len) &&
	    !memcmp(r->strings + r->last, padding, sizeof(padding) - 1))
		return (uint32_t)end;
	return ksyms_add_string(r, s, len);
}

/* Symbols of a module are mostly consecutive. */
static uint32_t ksyms_add_module(struct reading *r, const char *s, size_t len)
{
	if (!r->module || strncmp(r->strings + r->module, s, len) || r->strings[r->module + len])
		r->module = ksyms_add_string(r, s, len);
	return r->module;
}

static uint32_t ksyms_flags_of(char type)
{
	char letter = (char)(type | 32);

	return (letter == 'w' ? PT_KENTRY_WEAK : 0) | (type & 32 ? PT_KENTRY_LOCAL : 0) |
	       (letter == 'd' || letter == 'b' ? PT_KENTRY_DATA : 0);
}

static void ksyms_read_line(struct reading *r, const char *line, const char *end)
{
	struct kentry x = { .module = 0 };
	const char *name = pt_kline_address(line, end, &x.addr), *p;
	uint32_t flags;

	if (!name || end - name < 4 || name[2] != ' ' || !x.addr || name[3] == '$')
		return;
	switch (name[1] | 32) {
	case 't': case 'w': case 'd': case 'b':
		break;
	default:
		return;
	}
	flags = ksyms_flags_of(name[1]);
	name += 3;
	for (; end > name && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	/* NAME\t[MODULE] */
	if (end > name && end[-1] == ']' && (p = memchr(name, '\t', (size_t)(end - name)))) {
		x.module = ksyms_add_module(r, p + 1, (size_t)(end - p - 1));
		end = p;
	}
	if (end == name || !*name)
		return;
	x.name = ksyms_add_name(r, name, (size_t)(end - name));
	if (*name == '_' && end - name > 1 && name[1] != '_' && !x.module)
		note_mark(r->t, r->strings + x.name, x.addr);
	x.module |= flags;
	PT_GROW(r->v, r->nr, r->cap_v);
	r->v[r->nr++] = x;
}

static struct pt_choice ksyms_choice(const struct ktable *t, const struct kentry *x)
{
	return (struct pt_choice){ t->strings + x->name, true, x->module & PT_KENTRY_WEAK,
				   !(x->module & (PT_KENTRY_LOCAL | PT_KENTRY_WEAK)) };
}

static bool ksyms_better(const struct ktable *t, const struct kentry *a, const struct kentry *b)
{
	struct pt_choice x = ksyms_choice(t, a), y = ksyms_choice(t, b);

	return pt_choice_better(&x, &y);
}

static void one_an_address(struct ktable *t, struct kentry *v, size_t nr)
{
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!n || v[i].addr != v[n - 1].addr)
			v[n++] = v[i];
		else if (ksyms_better(t, &v[i], &v[n - 1]))
			v[n - 1] = v[i];
	}
	t->own = v;
	t->v = v;
	t->nr = n;
}

/* `bytes`: approximate length of the text */
static void begin_reading(struct reading *r, struct ktable *t, size_t bytes)
{
	*r = (struct reading){ .t = t, .cap = PT_MAX(bytes / 2, (size_t)PAGE),
			       .cap_v = bytes / SYMBOL_BYTES + 1 };
	r->strings = pt_realloc(NULL, r->cap, 1);
	r->strings[r->len++] = '\0';
	r->v = pt_realloc(NULL, r->cap_v, sizeof(*r->v));
}

/* Reads whole lines. Returns the rest of the text. */
static const char *ksyms_read_lines(struct reading *r, const char *text, const char *end)
{
	const char *eol;

	for (; (eol = memchr(text, '\n', (size_t)(end - text))); text = eol + 1)
		ksyms_read_line(r, text, eol);
	return text;
}

/* The last line may have no newline. */
static void end_reading(struct reading *r, const char *rest, const char *end)
{
	ksyms_read_line(r, rest, end);
	r->t->strings = r->t->own_strings = r->strings;
	r->t->strings_bytes = r->len;
	pt_sort16(r->v, r->nr);
	one_an_address(r->t, r->v, r->nr);
}

/* Reads in pieces: /proc/kallsyms has 10 MB and more, and each touched page costs time. */
bool pt_ktable_read_file(struct ktable *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char piece[PIECE];
	const char *rest;
	struct reading r;
	size_t len = 0, all = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	begin_reading(&r, t, USUAL_TEXT);
	while (all < MAX_TEXT &&
	       ((n = read(fd, piece + len, PIECE - len)) > 0 || (n < 0 && errno == EINTR))) {
		len += n > 0 ? (size_t)n : 0;
		all += n > 0 ? (size_t)n : 0;
		rest = ksyms_read_lines(&r, piece, piece + len);
		len -= (size_t)(rest - piece);
		memmove(piece, rest, len);
		if (len == PIECE)	/* no symbol's line is that long */
			len = 0;
	}
	close(fd);
	end_reading(&r, piece, piece + len);
	return true;
}

/* ---- tables ---- */

struct pt_ksyms *pt_ksyms_of_text(char *text, size_t len)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));
	struct reading r;

	len = PT_MIN(len, (size_t)MAX_TEXT);
	begin_reading(&r, &k->all, len);
	end_reading(&r, ksyms_read_lines(&r, text, text + len), text + len);
	free(text);
	k->read = true;
	return k;
}

struct pt_ksyms *pt_ksyms_of_file(const char *path)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	k->read = true;
	if (pt_ktable_read_file(&k->all, path))
		return k;
	pt_ksyms_free(k);
	return NULL;
}

void pt_ktable_core(const struct ktable *t, uint64_t *start, uint64_t *end)
{
	*start = t->marks[TEXT] ? t->marks[TEXT] : t->marks[STEXT];
	*end = *start ? PT_MAX(t->marks[ETEXT], t->marks[EINITTEXT]) : 0;
}

/* Strings that begin within the table end within it, since it ends in NUL. */
const char *pt_ktable_string(const struct ktable *t, uint32_t off)
{
	return off < t->strings_bytes ? t->strings + off : "";
}

bool pt_ktable_same_module(const struct ktable *t, const struct kentry *a, const struct kentry *b)
{
	uint32_t x = a->module & PT_KENTRY_MODULE, y = b->module & PT_KENTRY_MODULE;

	return !x == !y && (x == y || !strcmp(pt_ktable_string(t, x), pt_ktable_string(t, y)));
}

static bool find_in_table(const struct ktable *t, uint64_t addr, struct pt_ksym *s, bool *sure)
{
	size_t past = PT_LEADING(t->nr, i, t->v[i].addr <= addr);
	const struct kentry *x;
	uint64_t end;
	uint32_t module;

	if (!past)
		return false;
	x = &t->v[past - 1];
	end = ((x->addr + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
	if (past < t->nr && (pt_ktable_same_module(t, x, x + 1) || x[1].addr < end))
		end = x[1].addr;
	if (addr >= end)
		return false;
	module = x->module & PT_KENTRY_MODULE;
	*sure = x->module & PT_KENTRY_SURE;
	*s = (struct pt_ksym){ x->addr, end, pt_ktable_string(t, x->name),
			       module ? pt_ktable_string(t, module) : NULL };
	return true;
}

/* Any table: the kept one if there is one. */
static const struct ktable *some_table(struct pt_ksyms *k)
{
	const struct ktable *t = pt_klocal_kept(k);

	return t->v ? t : pt_klocal_all(k);
}

bool pt_ksyms_find(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s)
{
	bool sure;

	return (find_in_table(pt_klocal_kept(k), addr, s, &sure) && (sure || k->read)) ||
	       find_in_table(pt_klocal_all(k), addr, s, &sure);
}

uint64_t pt_ksyms_text(struct pt_ksyms *k, const char *name)
{
	for (size_t i = 0; i < NR_MARKS; i++)
		if (!strcmp(name, mark_names[i]))
			return some_table(k)->marks[i];
	return 0;
}

bool pt_ksyms_visible(struct pt_ksyms *k)
{
	return some_table(k)->nr > 0;
}

bool pt_ksyms_is_core(struct pt_ksyms *k, uint64_t addr)
{
	uint64_t start, end;

	pt_ktable_core(some_table(k), &start, &end);
	return addr >= start && addr < end;
}
