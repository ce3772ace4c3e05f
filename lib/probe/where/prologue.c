/* prologue.c - the address at which a debugger stops in a function: after the instructions that set
 * up its frame. Before them, variables are not where the debug information says. Optimised code
 * whose locations are lists has no prologue here: lists are valid from the first instruction on.
 *
 * If the compiler marks the end (LLVM does), the mark is used. In gcc's code on x86-64 the frame
 * pointer's two instructions end the prologue; otherwise the second line of the line table ends it.
 * A new line has another file or number; rows without a line do not count. This is what gdb does
 * (gdb's symtab.c: skip_prologue_sal, skip_prologue_using_sal; amd64-tdep.c), learnt by watching
 * where it stops; tests/oracle/probe-points.sh compares. */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "probe/where/place_priv.h"
#include "probe/target/source.h"

/* Code of one line. `again`: a second row begins at `lo`. line 0: there is none. */
struct stretch { uint64_t lo, hi; uint32_t file, line; bool again; };

struct table { const struct pt_dw_row *rows; size_t nr; };	/* of one sequence */

/* A row that begins no stretch. `last`: the previous row that did; NULL: none. */
static bool is_ignored(const struct table *t, size_t i, const struct pt_dw_row *last, bool blocks)
{
	const struct pt_dw_row *r = &t->rows[i];

	if (r->flags & PT_DW_ROW_END)
		return false;
	if (!r->line)
		return true;
	if (!last)
		return false;
	if (last->file != r->file)
		return last->vaddr == r->vaddr && !(r->flags & PT_DW_ROW_STMT) &&
		       last->flags & PT_DW_ROW_STMT;
	return last->line == r->line && (blocks || r->flags & PT_DW_ROW_BLOCK);
}

/* The stretch that contains an address. */
static struct stretch stretch_at(const struct table *t, uint64_t pc)
{
	struct stretch s = { .line = 0 };
	const struct pt_dw_row *last = NULL, *best = NULL;
	size_t i;
	bool blocks = false;

	for (i = 0; i < t->nr; i++) {
		const struct pt_dw_row *r = &t->rows[i];

		blocks = last && last->line == r->line && last->file == r->file &&
			 (blocks || r->flags & PT_DW_ROW_BLOCK);
		if (is_ignored(t, i, last, blocks))
			continue;
		if (r->vaddr > pc)
			break;
		if (best && best->vaddr == r->vaddr && best->file == r->file &&
		    !(r->flags & (PT_DW_ROW_STMT | PT_DW_ROW_END)) &&
		    best->flags & PT_DW_ROW_STMT) {
			s.again = true;
		} else {
			s.again = best && best->vaddr == r->vaddr && best->file == r->file;
			best = r;
		}
		last = r;
		if (r->flags & PT_DW_ROW_END)
			break;
	}
	if (!best || best->flags & PT_DW_ROW_END)
		return s;
	s.lo = best->vaddr;
	s.file = best->file;
	s.line = best->line;
	s.hi = i < t->nr ? t->rows[i].vaddr : best->vaddr;
	return s;
}

/* The end of the first line of a function, as long as lines do not go up (a scheduler moved
 * instructions); 0: the whole function is one line. */
static uint64_t by_lines(const struct table *t, const struct pt_tree *tree, uint64_t start,
			 uint64_t end)
{
	struct stretch first = stretch_at(t, start), next;

	if (!first.line)
		return first.hi > start && first.hi < end ? first.hi : start;
	if (first.again && first.lo == start)
		return start;
	if (first.hi >= end)
		return 0;
	while (first.hi < end) {
		next = stretch_at(t, first.hi);
		if (!next.line || next.line >= first.line || next.file != first.file ||
		    pt_tree_callee(tree, 0, first.hi))
			break;
		first = next;
	}
	return first.hi < end ? first.hi : first.lo;
}

/* The end of the prologue if the compiler has marked it; else 0. */
static uint64_t by_mark(const struct table *t, uint64_t start, uint64_t end)
{
	uint32_t file = stretch_at(t, start).file;

	for (size_t i = PT_LEADING(t->nr, at, t->rows[at].vaddr < start);
	     i < t->nr && t->rows[i].vaddr < end; i++)
		if (t->rows[i].flags & PT_DW_ROW_PROLOGUE_END && t->rows[i].file == file &&
		    t->rows[i].line)
			return t->rows[i].vaddr;
	return 0;
}

/* push %rbp; mov %rsp,%rbp, after an endbr64 and a realignment of the stack. Returns the start if
 * there is no frame pointer. */
static uint64_t by_frame_pointer(const struct pt_object *o, uint64_t start)
{
	static const struct {
		uint8_t len, b[4];
	} moves[] = { { 3, { 0x48, 0x89, 0xe5 } },
		      { 3, { 0x48, 0x8b, 0xec } },
		      { 2, { 0x89, 0xe5 } },
		      { 2, { 0x8b, 0xec } } };
	uint64_t left, at = 0;
	const uint8_t *p = pt_object_from(o, start, &left);

	if (!p)
		return start;
	if (left >= 4 && !memcmp(p, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	if (left - at >= 13 && !memcmp(p + at, "\x4c\x8d\x54\x24\x08\x48\x83\xe4", 8) &&
	    !memcmp(p + at + 9, "\x41\xff\x72\xf8", 4))
		at += 13;		/* lea 8(%rsp),%r10; and $-n,%rsp; push -8(%r10) */
	if (left - at < 4 || p[at] != 0x55)
		return start;
	at++;
	for (size_t i = 0; i < PT_NR(moves); i++)
		if (left - at >= moves[i].len && !memcmp(p + at, moves[i].b, moves[i].len))
			return start + at + moves[i].len;
	return start;
}

static const char *producer(struct pt_dw_unit *u)
{
	struct pt_dw_die root;
	const char *s = pt_dw_unit_open(u, &root) ? pt_dw_string_of(&root, PT_DW_PRODUCER) : NULL;

	return s ? s : "";
}

/* "GNU C17 12.2.0 ...": since 4.5 its lists are valid from the start. */
static bool is_gcc(const char *producer)
{
	const char *s = strpbrk(producer, "0123456789");
	long major;
	char *end;

	if (strncmp(producer, "GNU ", 4) || !s || !(s = strchr(s, ' ')))
		return false;
	major = strtol(s, &end, 10);
	return major > 4 || (major == 4 && *end == '.' && strtol(end + 1, NULL, 10) >= 5);
}

uint64_t pt_prologue_end(struct pt_target *t, const struct pt_tree *tree)
{
	struct pt_dw_lines *l = pt_source_lines(t, tree->unit);
	uint64_t start = tree->v[0].entry, end = start, pc, by_line;
	const char *by = producer(tree->unit);
	struct stretch s;
	struct table table;

	for (size_t i = 0; i < tree->v[0].nr; i++)
		if (start >= tree->ranges[i].lo && start < tree->ranges[i].hi)
			end = tree->ranges[i].hi;
	if (!l || (is_gcc(by) && pt_dw_has_loclists(tree->unit)))
		return start;
	table.rows = pt_dw_lines_around(l, start, &table.nr);
	pc = by_mark(&table, start, end);
	by_line = pc ? 0 : by_lines(&table, tree, start, end);
	if (pc)
		;
	else if (t->object->machine == EM_X86_64 && !(by_line && !strncmp(by, "clang ", 6)))
		pc = by_frame_pointer(t->object, start);
	else
		pc = PT_MAX(by_line, start);
	/* In the middle of a line: go on to the next one. */
	s = stretch_at(&table, pc);
	if (s.line && s.lo != pc && s.hi < end)
		pc = s.hi;
	return pc;
}
