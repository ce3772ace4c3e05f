#include "base/ksyms_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort16.h"
#include "base/stage.h"

enum { PAGE = 4096, PIECE = 64 << 10, FIRST_TEXT = 8 << 20 };

static const char *const mark_names[NR_MARKS] = { "_text", "_stext", "_etext", "_einittext" };

static void table_deinit(struct ktable *t)
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
	pt_ksyms_put(k);
	table_deinit(&k->all);
	table_deinit(&k->core);
	table_deinit(&k->modules);
	pt_buf_deinit(&k->witness);
	free(k->root);
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
const char *pt_kline_address(const char *s, const char *end, uint64_t *v)
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

static void note_mark(struct ktable *t, const char *name, uint64_t addr)
{
	size_t i;

	for (i = 0; i < NR_MARKS; i++)
		if (name[1] == mark_names[i][1] && !strcmp(name, mark_names[i]))
			t->marks[i] = addr;
}

/* Half of an address, which most lines have in common with the one before. */
struct half { char digits[8]; uint64_t value; };

static const char *next_address(const char *s, const char *end, struct half *high, uint64_t *v)
{
	uint64_t low;

	if (end - s <= 16 || s[16] != ' ' || !hex8(s + 8, &low) || (memcmp(s, high->digits, 8) && !hex8(s, &high->value)))
		return pt_kline_address(s, end, v);
	memcpy(high->digits, s, 8);
	*v = high->value << 32 | low;
	return s + 16;
}

/* A line; `end` is its end, which may be written to. */
static bool read_line(struct ktable *t, char *line, char *end, struct half *high, struct kentry *x)
{
	char *name = (char *)next_address(line, end, high, &x->addr), *p;

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

static void one_an_address(struct ktable *t, struct kentry *v, size_t nr)
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

/* Lines of a text that comes in pieces. */
struct reading {
	struct ktable *t;		/* its text may move */
	size_t len, cap, at;		/* of the text; lines up to `at` are read */
	struct kentry *v;
	size_t nr, cap_v;
	struct half high;
};

static void read_lines(struct reading *r, bool last)
{
	char *text = r->t->text, *line, *end = text + r->len, *eol;

	for (line = text + r->at; line < end; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol && !last)
			break;
		if (!eol)
			eol = end;
		PT_GROW(r->v, r->nr, r->cap_v);
		if (read_line(r->t, line, eol, &r->high, &r->v[r->nr]))
			r->nr++;
	}
	r->at = (size_t)(line - text);
}

/* There is room for a NUL behind the text. */
static void end_reading(struct reading *r)
{
	r->t->text[r->len] = '\0';
	read_lines(r, true);
	r->t->strings = r->t->text;
	r->t->strings_bytes = r->len + 1;
	pt_sort16(r->v, r->nr);
	one_an_address(r->t, r->v, r->nr);
}

/* Takes the text, which has room for a NUL behind its end. */
void pt_ktable_read(struct ktable *t, char *text, size_t len)
{
	struct reading r = { .t = t, .len = len };

	t->text = text;
	end_reading(&r);
}

/* ---- a file whose lines are read by one thread while another one waits for the kernel to make more of them ---- */

struct piece { struct pt_piece link; size_t len; char bytes[PIECE]; };

static int read_pieces(struct pt_stage *s, void *ctx, struct pt_err *e)
{
	struct reading *r = ctx;
	struct pt_piece *p;

	(void)e;
	while ((p = pt_stage_take(s))) {
		const struct piece *x = (const struct piece *)p;

		if (r->len + x->len + 1 > r->cap)
			r->t->text = pt_realloc(r->t->text, r->cap = PT_MAX(2 * r->cap, (size_t)FIRST_TEXT), 1);
		memcpy(r->t->text + r->len, x->bytes, x->len);
		r->len += x->len;
		free(p);
		pt_stage_done(s, sizeof(*x));
		read_lines(r, false);
	}
	return 0;
}

bool pt_ktable_read_file(struct ktable *t, const char *path, const atomic_bool *stop)
{
	struct reading r = { .t = t };
	struct pt_stage *s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t all = 0;
	ssize_t n = 1;

	s = fd < 0 ? NULL : pt_stage_new(read_pieces, &r, MAX_TEXT);
	if (!s) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (n && all < MAX_TEXT - PIECE && !atomic_load(stop)) {
		struct piece *x = pt_realloc(NULL, 1, sizeof(*x));

		for (x->len = 0; x->len + PAGE <= PIECE && n; x->len += n > 0 ? (size_t)n : 0) {
			n = read(fd, x->bytes + x->len, PIECE - x->len);
			if (n < 0 && errno != EINTR)
				n = 0;
		}
		all += x->len;
		pt_stage_put(s, &x->link, sizeof(*x));
	}
	close(fd);
	pt_stage_end(s, NULL);
	if (!t->text)
		t->text = pt_alloc(1);
	if (atomic_load(stop))		/* half of a table is none */
		r.len = r.at = r.nr = 0;
	end_reading(&r);
	return true;
}

char *pt_ktext_read(const char *path, size_t max, const atomic_bool *stop, size_t *len)
{
	size_t piece = PT_MIN(max, (size_t)1 << 16);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct pt_buf b = PT_BUF_INIT;
	ssize_t n;

	*len = 0;
	if (fd < 0)
		return NULL;
	do {
		pt_buf_grow(&b, piece);
		n = read(fd, b.data + b.len, piece);
		if (n > 0)
			b.len += (size_t)n;
	} while ((n > 0 || (n < 0 && errno == EINTR)) && b.len < max && !(stop && atomic_load(stop)));
	close(fd);
	*len = b.len;
	return b.data;
}

/* ---- tables ---- */

struct pt_ksyms *pt_ksyms_of_text(char *text, size_t len)
{
	struct pt_ksyms *k = pt_alloc(sizeof(*k));

	len = PT_MIN(len, (size_t)MAX_TEXT);
	pt_ktable_read(&k->all, pt_realloc(text, len + 1, 1), len);
	k->read = true;
	return k;
}

struct pt_ksyms *pt_ksyms_of_file(const char *path)
{
	size_t len = 0;
	char *text = pt_ktext_read(path, MAX_TEXT, NULL, &len);

	return text ? pt_ksyms_of_text(text, len) : NULL;
}

bool pt_ktable_in_core(const struct ktable *t, uint64_t addr)
{
	uint64_t start = t->marks[TEXT] ? t->marks[TEXT] : t->marks[STEXT], end = PT_MAX(t->marks[ETEXT], t->marks[EINITTEXT]);

	return start && addr >= start && addr < end;
}

/* Strings that begin within the table end within it: it ends in NUL. */
const char *pt_ktable_string(const struct ktable *t, uint32_t off)
{
	return off < t->strings_bytes ? t->strings + off : "";
}

bool pt_ktable_same_module(const struct ktable *t, const struct kentry *a, const struct kentry *b)
{
	uint32_t x = a->module & ~PT_KENTRY_SURE, y = b->module & ~PT_KENTRY_SURE;

	return !x == !y && (x == y || !strcmp(pt_ktable_string(t, x), pt_ktable_string(t, y)));
}

bool pt_ktable_find(const struct ktable *t, uint64_t addr, struct pt_ksym *s, bool *sure)
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
	module = x->module & ~PT_KENTRY_SURE;
	*sure = x->module & PT_KENTRY_SURE;
	*s = (struct pt_ksym){ x->addr, end, pt_ktable_string(t, x->name), module ? pt_ktable_string(t, module) : NULL };
	return true;
}

bool pt_ksyms_find(struct pt_ksyms *k, uint64_t addr, struct pt_ksym *s)
{
	bool sure;

	return pt_klocal_module(k, addr, s) || pt_ktable_find(pt_klocal_for(k, addr), addr, s, &sure);
}

uint64_t pt_ksyms_text(struct pt_ksyms *k, const char *name)
{
	const struct ktable *t = pt_klocal_some(k);
	size_t i;

	for (i = 0; i < NR_MARKS; i++)
		if (!strcmp(name, mark_names[i]))
			return t->marks[i];
	return 0;
}

bool pt_ksyms_visible(struct pt_ksyms *k)
{
	return pt_klocal_some(k)->nr > 0;
}

bool pt_ksyms_is_core(struct pt_ksyms *k, uint64_t addr)
{
	return pt_ktable_in_core(pt_klocal_some(k), addr);
}
