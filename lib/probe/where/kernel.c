#include "probe/where/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "base/text.h"

enum { MAX_FUNCS = 4096, MAX_NEAR = 5 };

static void kernel_drop(struct pt_kernel_func *f)
{
	free(f->name);
	free(f->module);
}

void pt_kernel_funcs_deinit(struct pt_kernel_funcs *fs)
{
	for (size_t i = 0; i < fs->nr; i++)
		kernel_drop(&fs->v[i]);
	free(fs->v);
	free(fs->note);
	*fs = (struct pt_kernel_funcs){ .nr = 0 };
}

/* One line of kallsyms: "ffffffff81000000 T _stext\t[module]". */
struct line {
	uint64_t addr;
	char type;
	char *name, *module;
};

/* Takes the text apart in place. */
static bool kernel_read_line(char *text, struct line *l)
{
	char *end;

	l->addr = strtoull(text, &end, 16);
	if (end == text || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return false;
	l->type = end[1];
	l->name = end + 3;
	end = l->name + strcspn(l->name, "\t ");
	l->module = strchr(end, '[');
	*end = '\0';
	if (l->module) {
		l->module++;
		l->module[strcspn(l->module, "]")] = '\0';
	}
	return *l->name;
}

static bool in_module(const struct line *l, const char *module)
{
	if (!module)
		return !l->module || strcmp(l->module, "bpf");
	return *module ? l->module && !strcmp(l->module, module) : !l->module;
}

static void kernel_add(struct pt_kernel_funcs *fs, const struct line *l)
{
	PT_GROW(fs->v, fs->nr, fs->cap);
	fs->v[fs->nr++] = (struct pt_kernel_func){ .name = pt_strdup(l->name),
						   .addr = l->addr,
						   .module = pt_strdup(l->module) };
}

struct search {
	struct pt_kernel_funcs *fs;
	const char *name, *module;
	bool glob;
	struct pt_buf cloned;		/* NAME.isra.0 and the like */
	struct pt_buf near;		/* similar names */
	unsigned nr_near, best;
	size_t nr_lines;
};

static void kernel_see_other(struct search *s, const struct line *l)
{
	size_t len = strlen(s->name), far;

	if (!strncmp(l->name, s->name, len) && l->name[len] == '.' && s->cloned.len < 200)
		pt_buf_printf(&s->cloned, "%s%s", s->cloned.len ? ", " : "", l->name);
	if (*l->name != *s->name || len < 4)
		return;
	far = pt_text_distance(s->name, l->name, 2);
	if (far > 2 || far > s->best)
		return;
	if (far < s->best) {
		pt_buf_clear(&s->near);
		s->nr_near = 0;
	}
	s->best = (unsigned)far;
	/* a module may have it, too */
	if (!strstr(pt_buf_str(&s->near), l->name) && s->nr_near++ < MAX_NEAR)
		pt_buf_printf(&s->near, "%s%s", s->near.len ? ", " : "", l->name);
}

static void kernel_scan(struct search *s, char *text)
{
	struct line l;
	char *save;

	for (text = strtok_r(text, "\n", &save); text; text = strtok_r(NULL, "\n", &save)) {
		if (!kernel_read_line(text, &l))
			continue;
		s->nr_lines++;
		if (!l.module && !strcmp(l.name, "_stext"))
			s->fs->stext = l.addr;
		if (!strchr("TtWw", l.type) || !in_module(&l, s->module))
			continue;
		if (s->glob ? pt_text_glob(s->name, l.name) : !strcmp(s->name, l.name))
			kernel_add(s->fs, &l);
		else if (!s->fs->nr && !s->glob)
			kernel_see_other(s, &l);
	}
}

static int none(struct search *s, struct pt_err *e)
{
	const char *of = s->module && *s->module ? s->module : "the kernel";

	if (!s->nr_lines)
		return pt_err_set(e, "/proc/kallsyms is empty: the names of the kernel's functions "
				     "are not known (CONFIG_KALLSYMS)");
	pt_err_set(e, "%s has no function %s", of, s->name);
	if (s->cloned.len)
		pt_err_advice(e, "; the compiler has made of it: %s", s->cloned.data);
	else if (s->near.len)
		pt_err_advice(e, "; did you mean %s?", s->near.data);
	else if (!s->glob)
		pt_err_advice(e, " (it may be inlined wherever it is called: the kernel's debug "
				 "information, -k VMLINUX, tells where)");
	return -1;
}

/* The kernel's own function hides those of modules, unless a module is named. */
static void prefer_core(struct pt_kernel_funcs *fs)
{
	size_t left = 0;
	bool core = false;

	for (size_t i = 0; i < fs->nr; i++)
		core |= !fs->v[i].module;
	for (size_t i = 0; i < fs->nr; i++)
		if (core && fs->v[i].module)
			kernel_drop(&fs->v[i]);
		else
			fs->v[left++] = fs->v[i];
	fs->nr = left;
}

static int by_full_name(const struct pt_kernel_func *a, const struct pt_kernel_func *b)
{
	int c = strcmp(a->name, b->name);

	return c ? c : strcmp(a->module ? a->module : "", b->module ? b->module : "");
}

static int kernel_by_name(const void *pa, const void *pb)
{
	const struct pt_kernel_func *a = pa, *b = pb;
	int c = by_full_name(a, b);

	return c ? c : PT_COMPARE(a->addr, b->addr);
}

static void count_twins(struct pt_kernel_funcs *fs)
{
	qsort(fs->v, fs->nr, sizeof(*fs->v), kernel_by_name);
	for (size_t i = 0, k; i < fs->nr; i = k) {
		for (k = i + 1; k < fs->nr && !by_full_name(&fs->v[k], &fs->v[i]); k++)
			;
		for (size_t n = i; n < k; n++)
			fs->v[n].twins = (unsigned)(k - i - 1);
		if (k - i > 1 && !fs->note)
			fs->note = pt_asprintf("%s: %zu functions have this name, all are meant",
					       fs->v[i].name, k - i);
	}
}

static int kernel_read_file(const char *root, const char *name, struct pt_buf *text,
			    struct pt_err *e)
{
	char *path = pt_asprintf("%s%s", root, name);
	int sys = pt_file_add(path, SIZE_MAX, text), rc = sys ? pt_err_sys(e, sys, "%s", path) : 0;

	free(path);
	return rc;
}

/* `list`: to be shown, not probed. */
static int kernel_search(struct search *s, const char *root, bool list, struct pt_err *e)
{
	struct pt_kernel_funcs *fs = s->fs;
	struct pt_buf text = PT_BUF_INIT;
	int rc;

	*fs = (struct pt_kernel_funcs){ .nr = 0 };
	s->best = 3;
	rc = kernel_read_file(root, "/proc/kallsyms", &text, e);
	if (rc == 0) {
		if (text.len)
			kernel_scan(s, text.data);
		if (!s->module && !list)
			prefer_core(fs);
		if (!fs->nr)
			rc = none(s, e);
		else if (!list && fs->nr > MAX_FUNCS)
			rc = pt_err_set(e, "%zu functions match %s; at most %d are probed at once",
					fs->nr, s->name, MAX_FUNCS);
		else
			count_twins(fs);
	}
	pt_buf_deinit(&s->cloned);
	pt_buf_deinit(&s->near);
	pt_buf_deinit(&text);
	if (rc < 0)
		pt_kernel_funcs_deinit(fs);
	return rc;
}

int pt_kernel_funcs_find(struct pt_kernel_funcs *fs, const char *root, const char *name,
			 const char *module, struct pt_err *e)
{
	struct search s = { .fs = fs, .name = name, .module = module, .glob = strpbrk(name, "*?[") };

	return kernel_search(&s, root, false, e);
}

int pt_kernel_funcs_list(struct pt_kernel_funcs *fs, const char *pattern, const char *module,
			 struct pt_err *e)
{
	struct search s = {
		.fs = fs, .name = pattern ? pattern : "*", .module = module, .glob = true
	};
	size_t left = 0;

	if (kernel_search(&s, "", true, e) < 0)
		return -1;
	for (size_t i = 0; i < fs->nr; i++)
		if (left && !by_full_name(&fs->v[i], &fs->v[left - 1]))
			kernel_drop(&fs->v[i]);
		else
			fs->v[left++] = fs->v[i];
	fs->nr = left;
	return 0;
}

/* A line of the blacklist: 0xADDR-0xEND<tab>NAME. */
static bool names(const char *line, const struct pt_kernel_func *f)
{
	const char *name = strpbrk(line, "\t ");
	char *stop;
	uint64_t from = strtoull(line, &stop, 16),
		 to = *stop == '-' ? strtoull(stop + 1, NULL, 16) : 0;

	return f->addr ? f->addr >= from && f->addr < to : name && !strcmp(name + 1, f->name);
}

int pt_kernel_func_allowed(const char *root, const struct pt_kernel_func *f, struct pt_err *e)
{
	struct pt_buf text = PT_BUF_INIT;
	char *line = NULL, *save;

	if (!kernel_read_file(root, "/sys/kernel/debug/kprobes/blacklist", &text, NULL) && text.len)
		line = strtok_r(text.data, "\n", &save);
	while (line && !names(line, f))
		line = strtok_r(NULL, "\n", &save);
	pt_buf_deinit(&text);
	return line ? pt_err_set(e,
				 "%s: the kernel lets nobody probe this function (it is in "
				 "/sys/kernel/debug/kprobes/blacklist: what runs for a probe runs "
				 "through it)",
				 f->name)
		    : 0;
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
