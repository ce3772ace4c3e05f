#include "stack/jitcode.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"

/* A function is entered into each block of addresses that it touches, of the smallest size for
 * which there are few. */
enum {
	MAX_CODES = 1 << 24,
	MAX_NAME = 4096,
	LEVELS = 18,
	FIRST_SHIFT = 12,
	STEP = 3,
	FEW = 1 << STEP,
	MAX_LOOK = 1 << 16,
	MAX_LINKS = 1 << 26
};

struct link { uint32_t code, next; };	/* next + 1; newest first */

struct pt_jitcodes {
	struct pt_jitcode *codes;
	size_t nr, cap;
	struct link *links;
	size_t nr_links, cap_links;
	struct pt_map blocks[LEVELS];	/* block -> link + 1 */
	struct pt_names *names;
	struct pt_budget *budget;	/* NULL: none */
	uint64_t taken;
};

struct pt_jitcodes *pt_jitcodes_new(void)
{
	struct pt_jitcodes *c = pt_alloc(sizeof(*c));

	c->names = pt_names_new();
	return c;
}

void pt_jitcodes_limit(struct pt_jitcodes *c, struct pt_budget *b)
{
	c->budget = b;
}

/* Takes from the budget what one more needs, in tables that double. */
static bool jitcode_has_room(struct pt_jitcodes *c, uint64_t nr_blocks, size_t len)
{
	uint64_t bytes = 2 * sizeof(struct pt_jitcode) +
			 nr_blocks * 2 * (sizeof(struct link) + sizeof(struct pt_map_slot)) + len +
			 64;

	if (!c->budget)
		return true;
	if (!pt_budget_take(c->budget, bytes))
		return false;
	c->taken += bytes;
	return true;
}

void pt_jitcodes_free(struct pt_jitcodes *c)
{
	unsigned i;

	if (!c)
		return;
	if (c->budget)
		pt_budget_give(c->budget, c->taken);
	for (i = 0; i < LEVELS; i++)
		pt_map_deinit(&c->blocks[i]);
	pt_names_free(c->names);
	free(c->codes);
	free(c->links);
	free(c);
}

size_t pt_jitcodes_nr(const struct pt_jitcodes *c)
{
	return c->nr;
}

const struct pt_jitcode *pt_jitcodes_at(const struct pt_jitcodes *c, size_t i)
{
	return i < c->nr ? &c->codes[i] : NULL;
}

int64_t pt_jitcodes_add(struct pt_jitcodes *c, uint64_t start, uint64_t bytes, uint64_t from_ns,
			const char *name, size_t len)
{
	unsigned level = 0, shift = FIRST_SHIFT;
	uint64_t block, last;

	if (!bytes || start + bytes < start || c->nr >= MAX_CODES || c->nr_links >= MAX_LINKS)
		return PT_JIT_NONE;
	for (; level + 1 < LEVELS && ((start + bytes - 1) >> shift) - (start >> shift) >= FEW;
	     level++)
		shift += STEP;
	last = (start + bytes - 1) >> shift;
	if (!jitcode_has_room(c, last - (start >> shift) + 1, PT_MIN(len, (size_t)MAX_NAME)))
		return PT_JIT_NONE;
	PT_GROW(c->codes, c->nr, c->cap);
	c->codes[c->nr] =
		(struct pt_jitcode){ start, start + bytes, from_ns, UINT64_MAX,
				     pt_names_add(c->names, name, PT_MIN(len, (size_t)MAX_NAME)) };
	for (block = start >> shift; block <= last; block++) {
		uint64_t *head = pt_map_put(&c->blocks[level], block);

		PT_GROW(c->links, c->nr_links, c->cap_links);
		c->links[c->nr_links++] = (struct link){ (uint32_t)c->nr, (uint32_t)*head };
		*head = c->nr_links;
	}
	return (int64_t)c->nr++;
}

void pt_jitcodes_end(struct pt_jitcodes *c, size_t i, uint64_t until_ns)
{
	if (i < c->nr && until_ns < c->codes[i].until_ns)
		c->codes[i].until_ns = until_ns;
}

static int64_t in_block(const struct pt_jitcodes *c, uint64_t link, uint64_t addr, uint64_t time_ns,
			int64_t best, bool *others)
{
	unsigned look;

	for (look = 0; link && look < MAX_LOOK; look++) {
		const struct link *l = &c->links[link - 1];
		const struct pt_jitcode *x = &c->codes[l->code];

		link = l->next;
		if (addr < x->start || addr >= x->end)
			continue;
		if (time_ns != UINT64_MAX && (time_ns < x->from_ns || time_ns >= x->until_ns))
			continue;
		*others |= best != PT_JIT_NONE;
		if ((int64_t)l->code > best)
			best = (int64_t)l->code;
		if (*others || time_ns != UINT64_MAX)
			break;
	}
	return best;
}

int64_t pt_jitcodes_find(const struct pt_jitcodes *c, uint64_t addr, uint64_t time_ns, bool *others)
{
	int64_t best = PT_JIT_NONE;
	unsigned level, shift = FIRST_SHIFT;
	bool more = false;

	for (level = 0; level < LEVELS; level++, shift += STEP) {
		uint64_t *head =
			c->blocks[level].nr ? pt_map_get(&c->blocks[level], addr >> shift) : NULL;

		if (head)
			best = in_block(c, *head, addr, time_ns, best, &more);
	}
	if (others)
		*others = more;
	return best;
}

/* A hexadecimal number with or without 0x, and the blanks behind it. False: none, over 64 bits, or
 * no blank. */
static bool jitcode_number(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s, *first;

	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	for (first = p, *v = 0; p < end && pt_hex_digit(*p) >= 0; p++) {
		if (*v >> 60)
			return false;
		*v = *v << 4 | (uint64_t)pt_hex_digit(*p);
	}
	if (p == first || p == end || (*p != ' ' && *p != '\t'))
		return false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*s = p;
	return true;
}

static void map_line(struct pt_jitcodes *c, const char *s, const char *end)
{
	uint64_t start, bytes;

	while (end > s && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (!jitcode_number(&s, end, &start) || !jitcode_number(&s, end, &bytes) || s == end || !*s)
		return;
	/* a function of no size has at least its first byte */
	pt_jitcodes_add(c, start, PT_MAX(bytes, (uint64_t)1), 0, s, (size_t)(end - s));
}

size_t pt_jitcodes_read_map(struct pt_jitcodes *c, const char *text, size_t len, bool last)
{
	const char *end = text + len, *line, *eol;

	for (line = text; line < end; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol && !last)
			break;
		map_line(c, line, eol ? eol : end);
		if (!eol)
			return len;
	}
	return (size_t)(line - text);
}
