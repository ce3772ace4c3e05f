#include "event/tp_tree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* Symbols of the recorded kernel, for %ps and %pS; of this machine's db they are read when the first one is wanted. */

static int by_addr(const void *a, const void *b)
{
	const struct pt_tp_symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int underscores(const char *s)
{
	int n = 0;

	while (s[n] == '_')
		n++;
	return n;
}

/* Which of two names of an address perf shows: not a weak one, a global one, the one with fewer underscores in front, the longer one. */
static bool better(const struct pt_tp_symbol *a, const struct pt_tp_symbol *b)
{
	bool a_weak = (a->type | 32) == 'w', b_weak = (b->type | 32) == 'w', a_local = a->type & 32, b_local = b->type & 32;
	int a_bars = underscores(a->name), b_bars = underscores(b->name);
	size_t a_len = strlen(a->name), b_len = strlen(b->name);

	if (a_weak != b_weak)
		return b_weak;
	if (a_local != b_local)
		return b_local;
	if (a_bars != b_bars)
		return a_bars < b_bars;
	return a_len > b_len;
}

static void sort(struct pt_tp_symbols *s)
{
	size_t i, n = 0;

	if (s->nr)
		qsort(s->items, s->nr, sizeof(*s->items), by_addr);
	for (i = 0; i < s->nr; i++) {
		if (!n || s->items[i].addr != s->items[n - 1].addr)
			s->items[n++] = s->items[i];
		else if (better(&s->items[i], &s->items[n - 1]))
			s->items[n - 1] = s->items[i];
	}
	s->nr = n;
}

static const char *hex(const char *s, const char *end, uint64_t *v)
{
	const char *p = s;

	for (*v = 0; p < end && p - s < 16; p++) {
		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*v = *v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	return p > s ? p : NULL;
}

/* "ffffffff81000000 T _stext", with "\t[module]" behind it for modules; addresses that are hidden are 0. */
static void add_line(struct pt_tp_symbols *s, const char *line, const char *end)
{
	uint64_t addr;
	const char *p = hex(line, end, &addr), *name;

	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ' || !addr || !strchr("tTwWdDbB", p[1]) || !p[1] || p[3] == '$')
		return;
	name = p + 3;
	for (p = name; p < end && *p != ' ' && *p != '\t' && *p != '\r'; )
		p++;
	PT_GROW(s->items, s->nr, s->cap);
	s->items[s->nr++] = (struct pt_tp_symbol){ addr, pt_tp_arena_str(&s->arena, name, (size_t)(p - name)), name[-2] };
}

void pt_tp_db_add_kallsyms(struct pt_tp_db *db, const char *text, size_t len)
{
	const char *end = text + strnlen(text, len), *nl;

	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', (size_t)(end - text));
		if (!nl)
			nl = end;
		add_line(&db->symbols, text, nl);
	}
	sort(&db->symbols);
}

static void read_local(struct pt_tp_db *db)
{
	enum { MAX_BYTES = 64 << 20, PIECE = 1 << 16 };
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct pt_buf b = PT_BUF_INIT;
	ssize_t n = 0;

	if (fd < 0)
		return;
	do {
		pt_buf_grow(&b, PIECE);
		n = read(fd, b.data + b.len, PIECE);
		b.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && b.len < MAX_BYTES);
	close(fd);
	if (b.len)
		pt_tp_db_add_kallsyms(db, b.data, b.len);
	pt_buf_deinit(&b);
}

const struct pt_tp_symbol *pt_tp_symbol_at(struct pt_tp_db *db, uint64_t addr)
{
	struct pt_tp_symbols *s = &db->symbols;
	size_t low = 0, high;

	if (db->local_symbols && !s->tried) {
		s->tried = true;
		read_local(db);
	}
	for (high = s->nr; low < high; ) {
		size_t mid = (low + high) / 2;

		if (s->items[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* The last one ends somewhere: a page is what perf gives it. */
	if (!low || (low == s->nr && addr - s->items[low - 1].addr >= 4096))
		return NULL;
	return &s->items[low - 1];
}

void pt_tp_db_use_local_kallsyms(struct pt_tp_db *db)
{
	db->local_symbols = true;
}
