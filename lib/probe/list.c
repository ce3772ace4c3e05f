#include "probe/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ksyms.h"
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "elf/names.h"

struct file {
	char *told, *path;
	struct pt_target t;
	bool open;
	const char *note;
};

struct pt_lister {
	struct pt_target_opts o;
	struct file *v;
	size_t nr, cap;
	struct pt_buf name;
	struct pt_ksyms *ksyms;		/* NULL until needed */
};

struct pt_lister *pt_lister_new(const struct pt_target_opts *o)
{
	struct pt_lister *ls = pt_alloc(sizeof(*ls));

	ls->o = *o;
	return ls;
}

void pt_lister_free(struct pt_lister *ls)
{
	for (size_t i = 0; i < ls->nr; i++) {
		if (ls->v[i].open)
			pt_target_deinit(&ls->v[i].t);
		free(ls->v[i].told);
		free(ls->v[i].path);
	}
	free(ls->v);
	pt_buf_deinit(&ls->name);
	pt_ksyms_free(ls->ksyms);
	free(ls);
}

static struct file *file_of(struct pt_lister *ls, const char *told)
{
	struct pt_buf path = PT_BUF_INIT;
	struct file *f;

	for (size_t i = 0; i < ls->nr; i++)
		if (!strcmp(ls->v[i].told, told))
			return &ls->v[i];
	PT_GROW(ls->v, ls->nr, ls->cap);
	f = &ls->v[ls->nr++];
	pt_dyn_real_path(told, &path);
	*f = (struct file){ .told = pt_strdup(told), .path = pt_strdup(pt_buf_str(&path)) };
	pt_buf_deinit(&path);
	f->open = *f->path == '/' && strncmp(f->path, "/proc/self/", 11) &&
		  pt_target_open(&f->t, f->path, &ls->o, NULL) == 0;
	if (!strncmp(f->path, "/proc/self/", 11))
		f->note = "its path had characters that the kernel does not take";
	else if (!f->open && access(f->path, F_OK) < 0 && errno == ENOENT)
		f->note = "the file is gone";
	return f;
}

static void look_file(struct pt_lister *ls, struct file *f, const struct pt_def *def,
		      struct pt_listed_probe *l)
{
	struct pt_inline frames[32];
	struct pt_symbol s;
	uint64_t vaddr;
	size_t n;

	if (!pt_target_vaddr(&f->t, def->off, &vaddr)) {
		l->note = "not in the file's code: it was written anew since";
		return;
	}
	if (pt_symtab_find(pt_symtab_of(f->t.debug && f->t.debug != f->t.object && !f->t.bias
						? f->t.debug
						: f->t.object),
			   vaddr, &s) ||
	    pt_symtab_find(pt_symtab_of(f->t.object), vaddr, &s)) {
		pt_buf_clear(&ls->name);
		l->symbol = pt_demangle(s.name, &ls->name) ? pt_buf_str(&ls->name) : s.name;
		l->symbol_off = vaddr - s.vaddr;
	}
	n = f->t.inlines
		    ? pt_inlines_lines_at(f->t.inlines, vaddr - f->t.bias, frames, PT_NR(frames))
		    : 0;
	if (n && frames[0].file && frames[0].line) {
		l->file = frames[0].file;
		l->line = frames[0].line;
	}
}

/* Functions that share a name are probed by their distance from the kernel's start; the running
 * kernel's symbols name them. */
static void look_kernel(struct pt_lister *ls, const struct pt_def *def, struct pt_listed_probe *l)
{
	struct pt_ksym s;
	uint64_t start;

	l->symbol = def->symbol;
	l->symbol_off = def->symbol ? def->off : 0;
	if (def->symbol && strcmp(def->symbol, "_stext") && strcmp(def->symbol, "_text"))
		return;
	if (!ls->ksyms)
		ls->ksyms = pt_ksyms_local_amid();
	start = def->symbol ? pt_ksyms_text(ls->ksyms, def->symbol) : 0;
	if ((def->symbol && !start) || !pt_ksyms_find(ls->ksyms, start + def->off, &s))
		return;
	l->symbol = s.name;
	l->symbol_off = start + def->off - s.addr;
}

void pt_lister_look(struct pt_lister *ls, const struct pt_def *def, struct pt_listed_probe *l)
{
	struct file *f;

	*l = (struct pt_listed_probe){ .path = NULL };
	if (!def->user) {
		look_kernel(ls, def, l);
		return;
	}
	f = file_of(ls, def->path);
	l->path = f->path;
	l->note = f->note;
	if (f->open)
		look_file(ls, f, def, l);
}
