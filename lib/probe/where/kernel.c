#include "probe/where/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "base/text.h"
#include "probe/tracefs/dyn_priv.h"

enum { MAX_FUNCS = 4096, MAX_NEAR = 5 };

void pt_kernel_funcs_deinit(struct pt_kernel_funcs *fs)
{
	for (size_t i = 0; i < fs->nr; i++) {
		free(fs->v[i].name);
		free(fs->v[i].module);
	}
	free(fs->v);
	free(fs->note);
	*fs = (struct pt_kernel_funcs){ .nr = 0 };
}

/* One line of kallsyms: "ffffffff81000000 T _stext\t[module]". */
struct line {
	uint64_t addr;
	char type;
	const char *name, *module;
	size_t name_len, module_len;
};

static bool read_line(const char **at, struct line *l)
{
	const char *s = *at, *end = s + strcspn(s, "\n");
	char *stop;

	*at = *end ? end + 1 : end;
	l->addr = strtoull(s, &stop, 16);
	if (stop == s || stop + 3 > end || *stop != ' ' || stop[2] != ' ')
		return false;
	l->type = stop[1];
	l->name = stop + 3;
	l->name_len = 0;
	while (l->name + l->name_len < end && l->name[l->name_len] != '\t' &&
	       l->name[l->name_len] != ' ')
		l->name_len++;
	l->module = memchr(l->name, '[', (size_t)(end - l->name));
	l->module_len = 0;
	if (l->module) {
		l->module++;
		while (l->module + l->module_len < end && l->module[l->module_len] != ']')
			l->module_len++;
	}
	return l->name_len > 0;
}

static bool is_function(const struct line *l)
{
	return l->type == 'T' || l->type == 't' || l->type == 'W' || l->type == 'w';
}

static bool is(const char *s, size_t len, const char *known)
{
	return strlen(known) == len && !memcmp(s, known, len);
}

static bool in_module(const struct line *l, const char *module)
{
	if (!module)
		return !l->module || !is(l->module, l->module_len, "bpf");
	return *module ? l->module && is(l->module, l->module_len, module) : !l->module;
}

static void add(struct pt_kernel_funcs *fs, const struct line *l)
{
	PT_GROW(fs->v, fs->nr, fs->cap);
	fs->v[fs->nr++] =
		(struct pt_kernel_func){ .name = pt_strndup(l->name, l->name_len),
					 .addr = l->addr,
					 .module = l->module ? pt_strndup(l->module, l->module_len)
							     : NULL };
}

struct search {
	struct pt_kernel_funcs *fs;
	const char *name, *module;
	bool glob;
	/* NAME.isra.0 and the like; similar names */
	struct pt_buf cloned, near, word;
	unsigned nr_near, best;
	size_t nr_lines;
};

static void see_other(struct search *s, const struct line *l)
{
	size_t len = strlen(s->name), far;

	if (s->glob)
		return;
	if (l->name_len > len && !memcmp(l->name, s->name, len) && l->name[len] == '.' &&
	    s->cloned.len < 200) {
		pt_buf_puts(&s->cloned, s->cloned.len ? ", " : "");
		pt_buf_add(&s->cloned, l->name, l->name_len);
	}
	if (l->name_len + 2 < len || l->name_len > len + 2 || *l->name != *s->name || len < 4)
		return;
	pt_buf_clear(&s->word);
	pt_buf_add(&s->word, l->name, l->name_len);
	far = pt_text_distance(s->name, s->word.data, 2);
	if (far > 2 || far > s->best)
		return;
	if (far < s->best) {
		pt_buf_clear(&s->near);
		s->nr_near = 0;
	}
	s->best = (unsigned)far;
	if (s->near.len && strstr(s->near.data, s->word.data))	/* also a module's */
		return;
	if (s->nr_near++ < MAX_NEAR)
		pt_buf_printf(&s->near, "%s%s", s->near.len ? ", " : "", s->word.data);
}

static bool wanted(struct search *s, const struct line *l)
{
	if (!s->glob)
		return is(l->name, l->name_len, s->name);
	pt_buf_clear(&s->word);
	pt_buf_add(&s->word, l->name, l->name_len);
	return pt_text_glob(s->name, s->word.data);
}

static void scan(struct search *s, const char *text)
{
	struct line l;

	while (*text) {
		if (!read_line(&text, &l))
			continue;
		s->nr_lines++;
		if (!l.module && is(l.name, l.name_len, "_stext"))
			s->fs->stext = l.addr;
		if (!is_function(&l) || !in_module(&l, s->module))
			continue;
		if (wanted(s, &l))
			add(s->fs, &l);
		else if (!s->fs->nr)
			see_other(s, &l);
	}
}

static int none(struct search *s, struct pt_err *e)
{
	const char *of = s->module && *s->module ? s->module : "the kernel";

	if (!s->nr_lines)
		return pt_err_set(
			e,
			"/proc/kallsyms is empty: the names of the kernel's functions are not known (CONFIG_KALLSYMS)");
	pt_err_set(e, "%s has no function %s", of, s->name);
	if (s->cloned.len)
		pt_err_advice(e, "; the compiler has made of it: %s", s->cloned.data);
	else if (s->near.len)
		pt_err_advice(e, "; did you mean %s?", s->near.data);
	else if (!s->glob)
		pt_err_advice(
			e,
			" (it may be inlined wherever it is called: the kernel's debug information, -k VMLINUX, tells where)");
	return -1;
}

/* The kernel's own function hides those of modules, unless a module is named. */
static void prefer_core(struct pt_kernel_funcs *fs)
{
	size_t left = 0;
	bool core = false;

	for (size_t i = 0; i < fs->nr; i++)
		core |= !fs->v[i].module;
	for (size_t i = 0; i < fs->nr; i++) {
		if (core && fs->v[i].module) {
			free(fs->v[i].name);
			free(fs->v[i].module);
		} else {
			fs->v[left++] = fs->v[i];
		}
	}
	fs->nr = left;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int by_name(const void *pa, const void *pb)
{
	const struct pt_kernel_func *a = pa, *b = pb;
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->module ? a->module : "", b->module ? b->module : "");
	return c ? c : a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void count_twins(struct pt_kernel_funcs *fs)
{
	qsort(fs->v, fs->nr, sizeof(*fs->v), by_name);
	for (size_t i = 0, k; i < fs->nr; i = k) {
		for (k = i + 1; k < fs->nr && !strcmp(fs->v[k].name, fs->v[i].name) &&
				same_text(fs->v[k].module, fs->v[i].module);
		     k++)
			;
		for (size_t n = i; n < k; n++)
			fs->v[n].twins = (unsigned)(k - i - 1);
		if (k - i > 1 && !fs->note)
			fs->note = pt_asprintf("%s: %zu functions have this name, all are meant",
					       fs->v[i].name, k - i);
	}
}

static int read_symbols(const char *root, struct pt_buf *text, struct pt_err *e)
{
	char *path = pt_asprintf("%s/proc/kallsyms", root);
	int sys = pt_file_add(path, SIZE_MAX, text), rc = sys ? pt_err_sys(e, sys, "%s", path) : 0;

	free(path);
	return rc;
}

static int search(struct pt_kernel_funcs *fs, const char *root, const char *name, bool glob,
		  const char *module, bool list, struct pt_err *e)
{
	struct search s = { .fs = fs, .name = name, .module = module, .glob = glob, .best = 3 };
	struct pt_buf text = PT_BUF_INIT;
	int rc;

	*fs = (struct pt_kernel_funcs){ .nr = 0 };
	rc = read_symbols(root, &text, e);
	if (rc == 0) {
		scan(&s, pt_buf_str(&text));
		if (!module && !list)
			prefer_core(fs);
		if (!fs->nr)
			rc = none(&s, e);
		else if (!list && fs->nr > MAX_FUNCS)
			rc = pt_err_set(e, "%zu functions match %s; at most %d are probed at once",
					fs->nr, name, MAX_FUNCS);
		else
			count_twins(fs);
	}
	pt_buf_deinit(&s.cloned);
	pt_buf_deinit(&s.near);
	pt_buf_deinit(&s.word);
	pt_buf_deinit(&text);
	if (rc < 0)
		pt_kernel_funcs_deinit(fs);
	return rc;
}

int pt_kernel_funcs_find_at(struct pt_kernel_funcs *fs, const char *root, const char *name,
			    const char *module, struct pt_err *e)
{
	return search(fs, root, name, strpbrk(name, "*?[") != NULL, module, false, e);
}

int pt_kernel_funcs_find(struct pt_kernel_funcs *fs, const char *name, const char *module,
			 struct pt_err *e)
{
	return pt_kernel_funcs_find_at(fs, "", name, module, e);
}

int pt_kernel_funcs_list(struct pt_kernel_funcs *fs, const char *pattern, const char *module,
			 struct pt_err *e)
{
	size_t left = 0;

	if (search(fs, "", pattern ? pattern : "*", true, module, true, e) < 0)
		return -1;
	for (size_t i = 0; i < fs->nr; i++) {
		if (left &&
		    !by_name(&(struct pt_kernel_func){ fs->v[i].name, fs->v[i].module, 0, 0 },
			     &(struct pt_kernel_func){ fs->v[left - 1].name, fs->v[left - 1].module,
						       0, 0 })) {
			free(fs->v[i].name);
			free(fs->v[i].module);
		} else {
			fs->v[left++] = fs->v[i];
		}
	}
	fs->nr = left;
	return 0;
}

int pt_kernel_func_allowed_at(const char *root, const struct pt_kernel_func *f, struct pt_err *e)
{
	char *path = pt_asprintf("%s/sys/kernel/debug/kprobes/blacklist", root), *stop;
	struct pt_buf text = PT_BUF_INIT;
	const char *at, *end;
	size_t len = strlen(f->name);
	bool found = false;

	if (pt_file_add(path, SIZE_MAX, &text) == 0)
		/* 0xADDR-0xEND<tab>NAME */
		for (at = pt_buf_str(&text); *at && !found; at = *end ? end + 1 : end) {
			uint64_t from = strtoull(at, &stop, 16),
				 to = *stop == '-' ? strtoull(stop + 1, &stop, 16) : 0;

			end = at + strcspn(at, "\n");
			found = (f->addr && f->addr >= from && f->addr < to) ||
				(!f->addr && (size_t)(end - at) > len &&
				 !memcmp(end - len, f->name, len) &&
				 (end[-(ptrdiff_t)len - 1] == '\t' ||
				  end[-(ptrdiff_t)len - 1] == ' '));
		}
	pt_buf_deinit(&text);
	free(path);
	return found ? pt_err_set(
			       e,
			       "%s: the kernel lets nobody probe this function (it is in /sys/kernel/debug/kprobes/blacklist: what runs for a probe runs through it)",
			       f->name)
		     : 0;
}

int pt_kernel_func_allowed(const struct pt_kernel_func *f, struct pt_err *e)
{
	return pt_kernel_func_allowed_at("", f, e);
}

int pt_kernel_func_place(const struct pt_kernel_funcs *fs, size_t i, uint64_t off,
			 struct pt_def *def, struct pt_err *e)
{
	const struct pt_kernel_func *f = &fs->v[i];

	if (f->twins && (f->module || !f->addr || !fs->stext || f->addr < fs->stext))
		return pt_err_set(
			e, "%s: %u functions have this name, and they cannot be told apart: %s",
			f->name, f->twins + 1,
			f->module ? "they are a module's"
				  : "the kernel hides their addresses (kernel.kptr_restrict)");
	if (f->twins) {
		def->symbol = pt_strdup("_stext");
		def->off = f->addr - fs->stext + off;
	} else {
		def->symbol =
			f->module ? pt_asprintf("%s:%s", f->module, f->name) : pt_strdup(f->name);
		def->off = off;
	}
	return 0;
}
