#include "probe/where/call_sites.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "unwind/cfi.h"
#include "elf/insn.h"

enum {
	MAX_SPAN = 1 << 30,
	CALL = 0xe8,
	JUMP = 0xe9,
	SHORT_REACH = 128,
	ANDROID_REL = 0x60000001,
	ANDROID_RELA = 0x60000002
};

struct pt_refs_index {
	uint64_t low, span;		/* of the code */
	uint64_t got;			/* the global offset table; 0: none */
	/* a bit for each byte of code: referred to once; more often */
	uint64_t *once, *more;
	bool known;
	/* the last question and its answer: a function has several variables */
	uint64_t last;
	uint64_t calls[PT_CALL_SITES_MAX];
	unsigned nr;
};

static void free_index(void *index)
{
	struct pt_refs_index *x = index;

	free(x->once);
	free(x->more);
	free(x);
}

static inline uint64_t call_sites_word(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline uint64_t half(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t distance(const uint8_t *p)
{
	int32_t v;
	memcpy(&v, p, 4);
	return (uint64_t)(int64_t)v;
}

/* Zeros in front of a function are padding (nopl 0(%rax)), unless they end a jump, a call, or a
 * pc-relative address. */
static bool fills(const uint8_t *p, uint64_t at)
{
	return !half(p) && at >= 2 && p[-1] != CALL && p[-1] != JUMP &&
	       !(p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80) && (p[-1] & 0xc7) != 0x05;
}

/* Calls use() for everything that a section's bytes could refer to, until it returns false. */
static inline __attribute__((always_inline)) bool
call_sites_each(const struct pt_refs_index *x, const struct pt_object *o,
		const struct pt_section *s, bool (*use)(void *arg, uint64_t vaddr), void *arg)
{
	bool fixed = o->type == ET_EXEC;
	unsigned behind = s->flags & SHF_EXECINSTR ? 4 : 0;
	uint64_t at, v;

	for (at = 0; at + 4 <= s->len_bytes; at++) {
		const uint8_t *p = s->data + at;

		if ((!(behind && fills(p, at)) &&
		     !use(arg, s->vaddr + at + distance(p) + behind)) ||
		    (fixed && !use(arg, half(p))))
			return false;
		if (at + 8 > s->len_bytes)
			continue;
		v = call_sites_word(p);
		/* The relocation of an 8-byte address is elsewhere if it is in code, or it is
		 * counted already by its half. */
		if (!behind && (!fixed || v >> 32) && !use(arg, v))
			return false;
		if (x->got && v && !use(arg, v + x->got))
			return false;
	}
	return true;
}

static bool call_sites_mark(void *arg, uint64_t vaddr)
{
	struct pt_refs_index *x = arg;
	uint64_t at = vaddr - x->low, bit;

	if (at < x->span) {
		bit = 1ull << (at & 63);
		x->more[at / 64] |= x->once[at / 64] & bit;
		x->once[at / 64] |= bit;
	}
	return true;
}

struct count { uint64_t of; unsigned nr; };

static bool one_more(void *arg, uint64_t vaddr)
{
	struct count *c = arg;

	c->nr += vaddr == c->of;
	return c->nr <= PT_CALL_SITES_MAX;
}

/* Sections that refer to functions for other reasons. */
static bool of_unwinding(const char *name)
{
	return !strcmp(name, ".eh_frame") || !strcmp(name, ".eh_frame_hdr") ||
	       !strcmp(name, ".gcc_except_table") || !strcmp(name, ".sframe");
}

/* Loaded sections that may contain references. */
static bool call_sites_section(const struct pt_object *o, size_t i, struct pt_section *s)
{
	const char *name;

	return pt_object_section_at(o, i, s, &name) && s->flags & SHF_ALLOC && s->data &&
	       !of_unwinding(name);
}

static void call_sites_make(struct pt_refs_index *x, const struct pt_object *o)
{
	struct pt_section s;
	uint64_t high = 0, bytes = 0;
	size_t i, nr = o->nr_sections;

	x->low = UINT64_MAX;
	for (i = 1; i < nr; i++) {
		s.type = SHT_NULL;
		bytes += call_sites_section(o, i, &s) ? s.len_bytes : 0;
		/* packed relocations are not read */
		if (s.type == ANDROID_REL || s.type == ANDROID_RELA)
			return;
		if (call_sites_section(o, i, &s) && s.flags & SHF_EXECINSTR) {
			x->low = PT_MIN(x->low, s.vaddr);
			high = PT_MAX(high, s.vaddr + s.len_bytes);
		}
	}
	if (pt_object_section(o, ".got.plt", &s) || pt_object_section(o, ".got", &s))
		x->got = s.vaddr;
	if (o->machine != EM_X86_64 || !o->is64 || o->swap || x->low >= high ||
	    high - x->low > MAX_SPAN || bytes > o->file.len_bytes ||
	    (o->type != ET_EXEC && o->type != ET_DYN))
		return;
	x->span = high - x->low;
	x->once = pt_alloc((x->span / 64 + 1) * 8);
	x->more = pt_alloc((x->span / 64 + 1) * 8);
	for (i = 1; i < nr; i++)
		if (call_sites_section(o, i, &s))
			call_sites_each(x, o, &s, call_sites_mark, x);
	x->known = true;
}

/* A short jump to it: by an instruction nearby, if it is one. */
static bool short_jump(struct pt_object *o, uint64_t vaddr)
{
	uint64_t at, from, start, end, left, next;
	const uint8_t *p, *q;

	for (from = vaddr - SHORT_REACH - 2; from != vaddr + SHORT_REACH; from++) {
		p = pt_object_bytes(o, from, 2, true);
		if (!p ||
		    !(p[0] == 0xeb || (p[0] >= 0x70 && p[0] <= 0x7f) ||
		      (p[0] >= 0xe0 && p[0] <= 0xe3)) ||
		    from + 2 + (uint64_t)(int64_t)(int8_t)p[1] != vaddr)
			continue;
		if (!pt_cfi_range(o, from, &start, &end))
			return true;
		q = pt_object_from(o, start, &left);
		for (at = start; q && at < from; at += next, q += next, left -= next) {
			next = pt_insn_len(o->machine, q, left);
			if (!next)
				return true;
		}
		if (at == from)
			return true;
	}
	return false;
}

/* Finds bytes that look like a call to it. */
static unsigned find_calls(const struct pt_object *o, uint64_t vaddr,
			   uint64_t calls[PT_CALL_SITES_MAX])
{
	struct pt_section s;
	const uint8_t *p, *end;
	unsigned nr = 0;
	uint64_t at;

	for (size_t i = 1; i < o->nr_sections; i++) {
		if (!call_sites_section(o, i, &s) || !(s.flags & SHF_EXECINSTR) ||
		    s.len_bytes < PT_CALL_SITES_BYTES)
			continue;
		end = s.data + s.len_bytes - (PT_CALL_SITES_BYTES - 1);
		for (p = s.data; (p = memchr(p, CALL, (size_t)(end - p))); p++) {
			at = s.vaddr + (uint64_t)(p - s.data);
			if (at + PT_CALL_SITES_BYTES + distance(p + 1) == vaddr &&
			    nr < PT_CALL_SITES_MAX)
				calls[nr++] = at;
		}
	}
	return nr;
}

/* Counts references, up to PT_CALL_SITES_MAX + 1. */
static unsigned call_sites_count(const struct pt_refs_index *x, const struct pt_object *o,
				 uint64_t vaddr)
{
	uint64_t at = vaddr - x->low;
	struct count c = { .of = vaddr };
	struct pt_section s;

	if (!x->known || at >= x->span || vaddr == o->entry || !(x->once[at / 64] >> (at & 63) & 1))
		return 0;
	if (!(x->more[at / 64] >> (at & 63) & 1))
		return 1;
	for (size_t i = 1; i < o->nr_sections; i++)
		if (call_sites_section(o, i, &s) && !call_sites_each(x, o, &s, one_more, &c))
			break;
	return c.nr;
}

unsigned pt_call_sites(struct pt_object *o, uint64_t vaddr, uint64_t calls[PT_CALL_SITES_MAX])
{
	struct pt_refs_index *x = o->parts[PT_OBJECT_REFS].data;
	unsigned nr;

	if (!x) {
		x = pt_alloc(sizeof(*x));
		o->parts[PT_OBJECT_REFS] = (struct pt_object_part){ x, free_index };
		call_sites_make(x, o);
	}
	if (x->last != vaddr) {
		x->last = vaddr;
		nr = call_sites_count(x, o, vaddr);
		x->nr = nr && nr <= PT_CALL_SITES_MAX && find_calls(o, vaddr, x->calls) == nr &&
					!short_jump(o, vaddr)
				? nr
				: 0;
	}
	memcpy(calls, x->calls, sizeof(x->calls));
	return x->nr;
}
