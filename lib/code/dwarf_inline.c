#include "code/dwarf_inline.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/dwarf_abbrev.h"

/* Of codes above MOST_CODES, attributes that stand further than FAR, and so on, there is no plan: the unit is read by pt_dw_functions(). */
enum { MOST_CODES = 1 << 14, MOST_OPS = 1 << 20, FAR = 1 << 14, NO_SIBLING = 255, NOWHERE = UINT16_MAX };

/* Codes of one byte have a plan always, if only an empty one; forms below USUAL are looked up once. */
enum { SHORT_CODES = 128, USUAL = 48 };

enum { THERE = 1, CHILDREN = 2, HOLDS = 4, HOLDS_IN_C = 8, INLINE = 16, LINKAGE = 32, OUTWARD = 64 };

/* Attributes by which a function may hold others. */
enum { DECLARATION = 1, RANGES = 2, LOW = 4, HIGH = 8 };

/* How to step over an entry, behind its code: `nr_ops` times so many bytes and something of a size of its own, then `fixed` bytes. */
struct plan {
	uint8_t flags;
	uint8_t nr_ops;
	uint8_t sibling_ops;		/* the reference stands behind so many of them */
	uint8_t sibling_bytes;
	uint16_t sibling_at, fixed;
	uint32_t ops;
	/* What a name takes, where it stands in front of the first thing of a size of its own: offsets, NOWHERE. Of a unit's root inline_at is its language's place. */
	uint16_t inline_at, name_at, spec_at;
	uint16_t constant;		/* that of inline_at, where this is NOWHERE; 0: to be read otherwise */
};

struct op { uint16_t fixed; uint8_t kind; };

struct pt_dw_inline_plans {
	struct plan *v;			/* by code */
	size_t nr, cap;
	struct op *ops;
	size_t nr_ops, cap_ops;
	/* What they are of. */
	const struct pt_dw_file *file;
	uint64_t abbrev_off;
	uint16_t version;
	uint8_t address_bytes, offset_bytes;
	bool made, good, any;		/* any: some function says that it is inlined */
	struct { uint8_t kind, bytes; } forms[USUAL];
};

struct pt_dw_inline_plans *pt_dw_inline_plans_new(void)
{
	return pt_alloc(sizeof(struct pt_dw_inline_plans));
}

void pt_dw_inline_plans_free(struct pt_dw_inline_plans *p)
{
	if (!p)
		return;
	free(p->v);
	free(p->ops);
	free(p);
}

/* ---- plans ---- */

#define BIT(at) (1ull << (at))
static const uint64_t NOTED = BIT(DW_AT_language) | BIT(DW_AT_inline) | BIT(DW_AT_name) | BIT(DW_AT_abstract_origin) | BIT(DW_AT_declaration) | BIT(DW_AT_low_pc) | BIT(DW_AT_high_pc);

/* `has`: of DECLARATION and so on. */
static void note_attr(struct plan *a, unsigned *has, uint64_t name, uint64_t form, uint64_t at, uint64_t implicit)
{
	bool fixed = !a->nr_ops;

	if (name < 64 && !(NOTED >> name & 1))
		return;
	switch (name) {
	case DW_AT_language:
	case DW_AT_inline:
		a->flags |= INLINE;
		a->inline_at = fixed && form == DW_FORM_data1 ? (uint16_t)at : NOWHERE;
		a->constant = form == DW_FORM_implicit_const ? (uint16_t)implicit : 0;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		a->flags |= LINKAGE;
		a->name_at = fixed && form == DW_FORM_strp ? (uint16_t)at : NOWHERE;
		break;
	case DW_AT_name:
		if (!(a->flags & LINKAGE) && fixed && form == DW_FORM_strp)
			a->name_at = (uint16_t)at;
		break;
	case DW_AT_specification:
		a->flags |= OUTWARD;
		a->spec_at = fixed && form == DW_FORM_ref4 ? (uint16_t)at : NOWHERE;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_signature:
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		a->flags |= OUTWARD;
		a->spec_at = NOWHERE;
		break;
	case DW_AT_declaration: *has |= DECLARATION; break;
	case DW_AT_ranges: *has |= RANGES; break;
	case DW_AT_low_pc: *has |= LOW; break;
	case DW_AT_high_pc: *has |= HIGH; break;
	}
}

/* The attributes of one declaration. False: nothing to plan with. */
static bool plan_attrs(struct pt_dw_inline_plans *p, const struct pt_dw_unit *u, struct plan *a, unsigned *has, const uint8_t **at, const uint8_t *end)
{
	uint64_t name, form, implicit, off = 0;	/* off: of this attribute, from the last one of a size of its own on */
	uint32_t bytes;
	uint8_t kind;

	for (;;) {
		if (end - *at > 1 && ((*at)[0] | (*at)[1]) < 128)
			name = (*at)[0], form = (*at)[1], *at += 2;
		else if (!pt_uleb_next(at, end, &name) || !pt_uleb_next(at, end, &form))
			return false;
		if (!name && !form)
			break;
		implicit = 0;
		if (form == DW_FORM_implicit_const && !pt_uleb_next(at, end, &implicit))
			return false;
		if (form < USUAL)
			kind = p->forms[form].kind, bytes = p->forms[form].bytes;
		else
			pt_dw_form_kind(u, form, &kind, &bytes);
		if (kind == PT_DW_BAD || kind == PT_DW_INDIRECT || off > FAR)
			return false;
		note_attr(a, has, name, form, off, implicit);
		if (name == DW_AT_sibling && kind == PT_DW_FIXED && bytes && bytes <= 8 && form != DW_FORM_ref_addr) {
			a->sibling_ops = a->nr_ops;
			a->sibling_at = (uint16_t)off;
			a->sibling_bytes = (uint8_t)bytes;
		}
		off += bytes;
		if (kind == PT_DW_FIXED)
			continue;
		if (a->nr_ops == NO_SIBLING - 1)
			return false;
		PT_GROW(p->ops, p->nr_ops, p->cap_ops);
		p->ops[p->nr_ops++] = (struct op){ (uint16_t)off, kind };
		a->nr_ops++;
		off = 0;
	}
	a->fixed = (uint16_t)off;
	return off <= FAR;
}

/* What is in a function without children, a declaration, or in C an abstract one, is no function. */
static unsigned holds(uint16_t tag, unsigned has)
{
	bool code = has & RANGES || (has & LOW && has & HIGH);

	if (tag != DW_TAG_subprogram)
		return (pt_dw_holds_functions(tag, false) ? HOLDS : 0) | (pt_dw_holds_functions(tag, true) ? HOLDS_IN_C : 0);
	return has & DECLARATION ? 0 : HOLDS | (code ? HOLDS_IN_C : 0);
}

static struct plan *new_plan(struct pt_dw_inline_plans *p, uint64_t code)
{
	size_t before = p->cap;

	while (code >= p->cap)
		PT_GROW(p->v, p->cap, p->cap);
	if (p->cap > before)
		memset(p->v + before, 0, (p->cap - before) * sizeof(*p->v));
	p->nr = PT_MAX(p->nr, (size_t)code + 1);
	return &p->v[code];
}

static bool make_plans(struct pt_dw_inline_plans *p, struct pt_dw_unit *u)
{
	struct pt_bytes b = pt_dw_bytes(u->file, PT_DW_ABBREV, u->abbrev_off, UINT64_MAX);
	const uint8_t *at = b.at;
	uint64_t code, tag;
	struct plan *a;
	unsigned has;

	if (p->nr)
		memset(p->v, 0, p->nr * sizeof(*p->v));
	p->nr = p->nr_ops = 0;
	p->any = false;
	new_plan(p, SHORT_CODES - 1);
	while (!b.bad && pt_uleb_next(&at, b.end, &code)) {
		if (!code)
			return pt_dw_pay(u->file->dwarf, (uint64_t)(at - b.at));
		if (code >= MOST_CODES || !pt_uleb_next(&at, b.end, &tag) || at == b.end || p->nr_ops >= MOST_OPS)
			break;
		a = new_plan(p, code);
		if (a->flags & THERE)
			break;
		*a = (struct plan){ .flags = THERE | (*at++ ? CHILDREN : 0), .sibling_ops = NO_SIBLING, .ops = (uint32_t)p->nr_ops, .inline_at = NOWHERE, .name_at = NOWHERE, .spec_at = NOWHERE };
		has = 0;
		if (!plan_attrs(p, u, a, &has, &at, b.end))
			break;
		if (tag != DW_TAG_subprogram && tag != DW_TAG_compile_unit)
			a->flags &= (uint8_t)~INLINE;
		p->any |= tag == DW_TAG_subprogram && a->flags & INLINE;
		a->flags |= (uint8_t)(tag > UINT16_MAX ? 0 : holds((uint16_t)tag, has));
	}
	pt_dw_pay(u->file->dwarf, (uint64_t)(at - b.at));
	return false;
}

/* Those of the unit; they serve all that share a table. */
static bool plans_for(struct pt_dw_inline_plans *p, struct pt_dw_unit *u)
{
	uint32_t form, bytes;

	if (p->made && p->file == u->file && p->abbrev_off == u->abbrev_off && p->version == u->version && p->address_bytes == u->address_bytes && p->offset_bytes == u->offset_bytes)
		return p->good;
	p->made = true;
	p->file = u->file;
	p->abbrev_off = u->abbrev_off;
	p->version = u->version;
	p->address_bytes = u->address_bytes;
	p->offset_bytes = u->offset_bytes;
	for (form = 0; form < USUAL; form++) {
		pt_dw_form_kind(u, form, &p->forms[form].kind, &bytes);
		p->forms[form].bytes = (uint8_t)bytes;
	}
	p->good = make_plans(p, u);
	return p->good;
}

/* ---- walking ---- */

struct walk {
	struct pt_dw_inline_plans *p;
	struct pt_dw_unit *u;
	const uint8_t *start, *end;	/* of the unit's header, behind its last byte */
	const struct pt_dw_section *strings;
	bool swap, ended;		/* ended: so are all strings, by the last byte */
	void (*found)(void *arg, struct pt_dw_name n);
	void *arg;
};

static const uint8_t *forward(const uint8_t *at, const uint8_t *end, uint64_t n)
{
	return (uint64_t)(end - at) < n ? NULL : at + n;
}

/* Behind something that tells its size; NULL: behind the end. */
static const uint8_t *over_one(const struct walk *w, uint8_t kind, const uint8_t *at)
{
	const uint8_t *end = w->end, *nul;
	uint64_t n;

	switch (kind) {
	case PT_DW_LEB:
		while (at < end)
			if (!(*at++ & 128))
				return at;
		return NULL;
	case PT_DW_STRING:
		nul = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
		return nul ? nul + 1 : NULL;
	case PT_DW_BLOCK1:
		return end - at < 1 ? NULL : forward(at + 1, end, *at);
	case PT_DW_BLOCK2:
		return end - at < 2 ? NULL : forward(at + 2, end, pt_load16(at, w->swap));
	case PT_DW_BLOCK4:
		return end - at < 4 ? NULL : forward(at + 4, end, pt_load32(at, w->swap));
	case PT_DW_BLOCK_LEB:
		return pt_uleb_next(&at, end, &n) ? forward(at, end, n) : NULL;
	}
	return NULL;
}

/* Behind the first `nr` things of sizes of their own. */
static inline const uint8_t *over_ops(const struct walk *w, const struct plan *a, unsigned nr, const uint8_t *at)
{
	const struct op *op = w->p->ops + a->ops, *end = op + nr;

	for (; at && op < end; op++) {
		at = forward(at, w->end, op->fixed);
		at = at ? over_one(w, op->kind, at) : NULL;
	}
	return at;
}

static inline const uint8_t *over(const struct walk *w, const struct plan *a, const uint8_t *at)
{
	at = a->nr_ops ? over_ops(w, a, a->nr_ops, at) : at;
	return at ? forward(at, w->end, a->fixed) : NULL;
}

/* To the sibling that the entry names, when it stands further on; NULL: it does not. */
static inline const uint8_t *to_sibling(const struct walk *w, const struct plan *a, const uint8_t *at)
{
	uint64_t v;

	if (a->sibling_ops == NO_SIBLING)
		return NULL;
	at = a->sibling_ops ? over_ops(w, a, a->sibling_ops, at) : at;
	at = at ? forward(at, w->end, (uint64_t)a->sibling_at + a->sibling_bytes) : NULL;
	if (!at)
		return NULL;
	switch (a->sibling_bytes) {
	case 1: v = at[-1]; break;
	case 2: v = pt_load16(at - 2, w->swap); break;
	case 4: v = pt_load32(at - 4, w->swap); break;
	case 8: v = pt_load64(at - 8, w->swap); break;
	default: return NULL;
	}
	return v < (uint64_t)(at - w->start) || v > (uint64_t)(w->end - w->start) ? NULL : w->start + v;
}

/* A string of .debug_str by its offset, which stands at `at` bytes of an entry. */
static const char *string_at(const struct walk *w, const uint8_t *entry, uint16_t at)
{
	const uint8_t *end = at == NOWHERE || w->u->offset_bytes != 4 ? NULL : forward(entry, w->end, (uint64_t)at + 4);
	uint32_t off;

	if (!end || !w->ended)
		return NULL;
	off = pt_load32(end - 4, w->swap);
	return off < w->strings->len && w->strings->data[off] ? (const char *)w->strings->data + off : NULL;
}

/* The name by plans alone; NULL: not so. */
static const char *quick_name(const struct walk *w, const struct plan *a, const uint8_t *entry, bool *linkage)
{
	const uint8_t *spec;
	uint64_t code;

	*linkage = a->flags & LINKAGE;
	if (*linkage || !(a->flags & OUTWARD))
		return string_at(w, entry, a->name_at);
	/* Of a declaration in a class. */
	spec = a->spec_at == NOWHERE ? NULL : forward(entry, w->end, (uint64_t)a->spec_at + 4);
	if (!spec)
		return NULL;
	spec = forward(w->start, w->end, pt_load32(spec - 4, w->swap));
	if (!spec || !pt_uleb_next(&spec, w->end, &code) || code >= w->p->nr || !(w->p->v[code].flags & LINKAGE))
		return NULL;
	*linkage = true;
	return string_at(w, spec, w->p->v[code].name_at);
}

static bool is_inlined(uint64_t how)
{
	return how == DW_INL_inlined || how == DW_INL_declared_inlined;
}

static void read_entry(const struct walk *w, uint64_t code, const uint8_t *at, const uint8_t *behind_code)
{
	const struct pt_dw_abbrev *a = pt_dw_unit_open(w->u, NULL) ? pt_dw_abbrev(w->u, code) : NULL;
	struct pt_bytes b = pt_bytes(behind_code, (size_t)(w->end - behind_code), w->swap);
	struct pt_dw_die die = { .off = w->u->off + (uint64_t)(at - w->start) };
	struct pt_dw_name n;

	if (!a)
		return;
	pt_dw_die_read(w->u, a, &b, &die);
	if (b.bad || !pt_dw_has(&die, PT_DW_INLINE) || !is_inlined(die.v[PT_DW_INLINE]))
		return;
	n = pt_dw_name(&die);
	if (n.name && *n.name)
		w->found(w->arg, n);
}

static void function(const struct walk *w, const struct plan *a, uint64_t code, const uint8_t *at, const uint8_t *behind_code)
{
	const uint8_t *how = a->inline_at == NOWHERE ? NULL : forward(behind_code, w->end, (uint64_t)a->inline_at + 1);
	bool linkage;
	const char *s;

	if ((how && !is_inlined(how[-1])) || (!how && a->constant && !is_inlined(a->constant)))
		return;
	s = how || a->constant ? quick_name(w, a, behind_code, &linkage) : NULL;
	if (s)
		w->found(w->arg, (struct pt_dw_name){ s, linkage });
	else
		read_entry(w, code, at, behind_code);
}

/* Entry by entry; what holds no functions is left behind in one jump where a reference to its sibling allows that, else `quiet` counts the way out of it. */
static void walk(const struct walk *w, unsigned holds_here)
{
	const uint8_t *at = w->start + (w->u->first - w->u->off), *end = w->end, *entry, *to;
	const struct plan *v = w->p->v, *a;
	uint64_t depth = 0, quiet = 0, code;

	while (at && at < end) {
		entry = at;
		code = *at++;
		if (code >= SHORT_CODES) {
			to = entry;
			if (!pt_uleb_next(&to, end, &code) || code >= w->p->nr)
				return;
			at = to;
		}
		if (!code) {
			if (quiet)
				quiet--;
			else if (depth-- <= 1)
				return;
			continue;
		}
		a = &v[code];
		if (!(a->flags & THERE))
			return;
		if (a->flags & INLINE && depth && !quiet)
			function(w, a, code, entry, at);
		if (a->flags & CHILDREN) {
			if (!depth || (!quiet && a->flags & holds_here)) {
				depth++;
			} else {
				to = to_sibling(w, a, at);
				if (to) {
					at = to;
					continue;
				}
				quiet++;
			}
		}
		at = over(w, a, at);
		if (!depth)
			return;
	}
}

/* The language of a unit that is whole here (no skeleton); false: the plans do not tell. */
static bool language_of(const struct walk *w, uint16_t *language)
{
	const uint8_t *at = w->start + (w->u->first - w->u->off), *how;
	const struct plan *a;
	uint64_t code;

	if (!pt_uleb_next(&at, w->end, &code) || code >= w->p->nr)
		return false;
	a = &w->p->v[code];
	how = a->inline_at == NOWHERE ? NULL : forward(at, w->end, (uint64_t)a->inline_at + 1);
	*language = how ? how[-1] : a->constant;
	return a->flags & INLINE && !(a->flags & OUTWARD) && *language;
}

/* ---- units without plans ---- */

struct all { void (*found)(void *arg, struct pt_dw_name n); void *arg; };

static bool each_function(void *arg, const struct pt_dw_die *die, const struct pt_dw_around *around)
{
	const struct all *x = arg;
	struct pt_dw_name n;

	(void)around;
	if (!pt_dw_has(die, PT_DW_INLINE) || !is_inlined(die->v[PT_DW_INLINE]))
		return true;
	n = pt_dw_name(die);
	if (n.name && *n.name)
		x->found(x->arg, n);
	return true;
}

static bool walk_of(struct walk *w, struct pt_dw_unit *u)
{
	const struct pt_dw_section *strings = &u->file->sections[PT_DW_STR];
	struct pt_bytes b = pt_dw_unit_bytes(u, u->off);

	w->u = u;
	w->swap = u->file->swap;
	w->strings = strings;
	w->ended = strings->len && strings->ready == strings->len && !strings->data[strings->len - 1];
	w->start = b.at;
	w->end = b.end;
	return !b.bad && pt_bytes_left(&b) > u->first - u->off;
}

void pt_dw_inline_names(struct pt_dw_inline_plans *p, struct pt_dw_unit *u, void (*found)(void *arg, struct pt_dw_name n), void *arg)
{
	struct walk w = { .p = p, .found = found, .arg = arg };
	struct all all = { found, arg };
	uint16_t language;

	if (u->bad || !walk_of(&w, u))
		return;
	if (!plans_for(p, u) || !language_of(&w, &language)) {
		if (!pt_dw_unit_open(u, NULL))
			return;
		u = pt_dw_unit_split(u);
		if (!pt_dw_unit_open(u, NULL) || !walk_of(&w, u))
			return;
		if (!plans_for(p, u)) {
			pt_dw_functions(u, each_function, &all);
			return;
		}
		language = u->language;
	}
	if (p->any && pt_dw_pay(u->file->dwarf, (uint64_t)(w.end - w.start)))
		walk(&w, pt_dw_is_c(language) ? HOLDS_IN_C : HOLDS);
}
