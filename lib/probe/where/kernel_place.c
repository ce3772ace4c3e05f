/* Places in a kernel's image or in a module's file. */
#include "probe/where/kernel.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "elf/elfsyms.h"
#include "probe/target/image.h"

enum { SEVERAL = 1, FEW = 8, MAX_BLACKLIST = 1 << 16 };

static bool see_name(void *arg, const struct pt_elfsym *s)
{
	uint64_t *at = pt_map_put(arg, pt_hash_bytes(s->name, strlen(s->name)));

	*at = !*at || *at == s->vaddr ? s->vaddr : SEVERAL;
	return true;
}

struct twin { const char *name; uint64_t at; };

static bool see_twin(void *arg, const struct pt_elfsym *s)
{
	struct twin *w = arg;

	if (!strcmp(s->name, w->name))
		w->at = !w->at || w->at == s->vaddr ? s->vaddr : SEVERAL;
	return true;
}

/* Is it one of several functions of that name? */
static bool is_twin(struct pt_target *t, const char *name)
{
	struct twin w = { .name = name };

	if (t->nr_asked < FEW && !t->knows_names) {
		t->nr_asked++;
		pt_elfsyms_each(t->object, name, see_twin, &w);
		return w.at == SEVERAL;
	}
	if (!t->knows_names)
		pt_elfsyms_each(t->object, NULL, see_name, &t->named);
	t->knows_names = true;
	return *pt_map_put(&t->named, pt_hash_bytes(name, strlen(name))) == SEVERAL;
}

static void blacklist(struct pt_target *t, uint64_t lo, uint64_t hi)
{
	if (lo >= hi || t->nr_blacklist >= MAX_BLACKLIST)
		return;
	PT_GROW(t->blacklist, t->nr_blacklist, t->cap_blacklist);
	t->blacklist[t->nr_blacklist++] = (struct pt_dw_span){ lo, hi };
}

/* NOKPROBE_SYMBOL: a table of function addresses. */
static void blacklist_named(struct pt_target *t, const struct pt_symtab *table, uint64_t lo,
			    uint64_t hi)
{
	struct pt_symbol s;
	uint64_t left = 0;
	const uint8_t *p = pt_object_from(t->object, lo, &left);

	for (; p && lo + 8 <= hi && left >= 8; lo += 8, p += 8, left -= 8)
		if (pt_symtab_find(table, pt_load64(p, t->object->swap), &s))
			blacklist(t, s.vaddr, s.end);
}

static void read_blacklist(struct pt_target *t)
{
	static const char *const spans[][2] = {
		{ "__entry_text_start", "__entry_text_end" },
		{ "__noinstr_text_start", "__noinstr_text_end" },
		{ "__kprobes_text_start", "__kprobes_text_end" },
		{ "__cpuidle_text_start", "__cpuidle_text_end" },
		{ "__start_kprobe_blacklist", "__stop_kprobe_blacklist" },
	};
	const struct pt_symtab *table = pt_symtab_of(t->object);
	struct pt_symtab_name ends[2 * PT_NR(spans)];

	for (size_t i = 0; i < PT_NR(ends); i++)
		ends[i] = (struct pt_symtab_name){ .name = spans[i / 2][i % 2] };
	pt_symtab_named_all(table, ends, PT_NR(ends));
	for (size_t i = 0; i < PT_NR(spans); i++) {
		uint64_t lo = ends[2 * i].vaddr, hi = ends[2 * i + 1].vaddr;

		if (!ends[2 * i].there || !ends[2 * i + 1].there)
			continue;
		if (i == PT_NR(spans) - 1 && t->object->is64)
			blacklist_named(t, table, lo, hi);
		else if (i < PT_NR(spans) - 1)
			blacklist(t, lo, hi);
	}
	t->knows_blacklist = true;
}

static int kernel_place_check_allowed(struct pt_target *t, const struct pt_place *p,
				      struct pt_err *e)
{
	const char *section, *what = p->outer ? p->outer : p->symbol;
	uint64_t start;

	section = pt_module_section(t->object, p->vaddr, &start);
	if (section &&
	    (t->module ? !strncmp(section, ".init.", 6) && pt_image_is_loaded(t->module)
			    : !strncmp(section, ".init.", 6) || !strncmp(section, ".exit.", 6)))
		return pt_err_set(e, "%s: it runs when the %s starts and is thrown away then (%s)",
				  what, t->module ? "module" : "kernel", section);
	if (!t->knows_blacklist)
		read_blacklist(t);
	for (size_t i = 0; i < t->nr_blacklist; i++)
		if (p->vaddr >= t->blacklist[i].lo && p->vaddr < t->blacklist[i].hi)
			return pt_err_set(
				e,
				"%s: the kernel lets nobody probe this function (what runs for a probe runs through it)",
				what);
	return 0;
}

/* The nearest preceding function in its section that has a unique name. */
static int near(struct pt_target *t, const struct pt_place *p, struct pt_symbol *found,
		struct pt_err *e)
{
	const struct pt_symtab *table = pt_symtab_of(t->object);
	uint64_t start = 0;
	struct pt_symbol s;
	bool any = false;

	if (!pt_module_section(t->object, p->vaddr, &start))
		return pt_err_set(e, "0x%llx: in no section", (unsigned long long)p->vaddr);
	for (size_t i = 0; pt_symtab_at(table, i, &s) && s.vaddr <= p->vaddr; i++)
		if (s.vaddr >= start && !is_twin(t, s.name)) {
			*found = s;
			any = true;
		}
	return any ? 0
		   : pt_err_set(
			     e,
			     "%s: several functions of %s have this name, and they cannot be told apart",
			     p->symbol, t->module);
}

int pt_kernel_place(struct pt_target *t, const struct pt_place *p, struct pt_def *def,
		    struct pt_err *e)
{
	struct pt_symbol s = { .name = p->symbol, .vaddr = p->vaddr - p->symbol_off };
	uint64_t stext;

	if (!p->symbol)
		return pt_err_set(e, "0x%llx: no symbol of the kernel is near",
				  (unsigned long long)p->vaddr);
	if (kernel_place_check_allowed(t, p, e) < 0)
		return -1;
	if (is_twin(t, p->symbol)) {
		if (t->module && near(t, p, &s, e) < 0)
			return -1;
		if (!t->module && pt_symtab_named(pt_symtab_of(t->object), "_stext", &stext) &&
		    p->vaddr >= stext)
			s = (struct pt_symbol){ .name = "_stext", .vaddr = stext };
	}
	def->symbol =
		t->module ? pt_asprintf("%s:%s", t->module, s.name) : pt_strdup(s.name);
	def->off = p->vaddr - s.vaddr;
	return 0;
}
