#include "probe/target/target.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/program.h"
#include "dwarf/dwarf_lines.h"
#include "probe/target/target_priv.h"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The path of a program or library; NULL: not found, e says so. */
static char *target_find(const char *file, const char **how, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	struct stat st;

	*how = NULL;
	if (strchr(file, '/')) {
		if (stat(file, &st) < 0) {
			pt_err_sys(e, errno, "%s", file);
			return NULL;
		}
		if (!S_ISREG(st.st_mode)) {
			pt_err_set(e, "%s: %s", file,
				   S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
			return NULL;
		}
		return pt_strdup(file);
	}
	if (is_file(file)) {
		*how = "in this directory";
		return pt_strdup(file);
	}
	if (!pt_program_find(file, &b)) {
		*how = "on PATH";
		return b.data;
	}
	if (pt_library_find(file, &b)) {
		*how = "a library";
		return b.data;
	}
	pt_buf_deinit(&b);
	pt_err_set(e, "%s: no such file here, no program on PATH and no library of that name",
		   file);
	return NULL;
}

/* Code that was moved after the debug information was split off (prelink) is not where that
 * says. */
static int check_addresses(const struct pt_target *t, struct pt_err *e)
{
	struct pt_section s, d;
	const char *name;

	for (size_t i = 1; i < t->object->nr_sections; i++)
		if (pt_object_section_at(t->object, i, &s, &name) && s.flags & SHF_ALLOC &&
		    s.flags & SHF_EXECINSTR && pt_object_section(t->debug, name, &d) &&
		    s.vaddr != d.vaddr)
			return pt_err_set(
				e,
				"%s: not the debug information of %s as it is now: its sections lie otherwise (%s)",
				t->debug->path, t->path, name);
	return 0;
}

static int use_object(struct pt_target *t, const struct pt_target_opts *o, struct pt_err *e)
{
	struct pt_files_opts fo = { .symfs = o->symfs, .debuginfod = o->debuginfod };
	struct pt_section info;

	/* A truncated file would look like a stripped one, and its probes would be behind its end.
	 */
	if (t->object->shoff > t->object->file.len_bytes)
		return pt_err_set(e, "%s: cut short: %zu bytes, its section headers are at %llu",
				  t->path, (size_t)t->object->file.len_bytes,
				  (unsigned long long)t->object->shoff);
	if (t->object->type != ET_EXEC && t->object->type != ET_DYN && !t->module)
		return pt_err_set(e, "%s: neither a program nor a shared library%s", t->path,
				  t->object->type == ET_REL
					  ? " (an object file, or a kernel's module: -m FILE)"
					  : "");
	t->files = pt_files_new(&fo);
	t->keep = o->keep;
	if (!t->module)
		t->debug = pt_files_debug(t->files, t->object);
	else if (pt_object_section(t->object, ".debug_info", &info))
		t->debug = t->object;
	if (t->debug) {
		t->inlines = pt_inlines_new(t->debug);
		t->dwarf = pt_inlines_dwarf(t->inlines);
		if (!t->dwarf)
			t->debug = NULL;
		else
			t->budget = t->dwarf->budget;
	}
	return t->debug && t->debug != t->object ? check_addresses(t, e) : 0;
}

/* A script: its interpreter runs instead; for "#!/usr/bin/env python3" the one that env starts. */
static int refuse_script(int fd, const char *path, struct pt_err *e)
{
	char line[256];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	char *word, *save = NULL;

	if (n < 3 || memcmp(line, "#!", 2))
		return 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	for (word = strtok_r(line + 2, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		if (strcmp(basename(word), "env") && *word != '-' && !strchr(word, '='))
			return pt_err_set(e, "%s: a script: what runs is its interpreter, -x %s",
					  path, word);
	}
	return pt_err_set(e, "%s: a script: what runs is its interpreter", path);
}

static int target_open(struct pt_target *t, const char *file, const struct pt_target_opts *o,
		       struct pt_err *e)
{
	char *path = target_find(file, &t->how, e), real[PATH_MAX];
	int fd;

	if (!path)
		return -1;
	t->path = pt_strdup(realpath(path, real) ? real : path);
	free(path);
	fd = pt_untrusted_open(NULL, t->path, PT_UNTRUSTED_USER, NULL);
	if (fd < 0)
		return pt_err_sys(e, errno, "%s", t->path);
	if (refuse_script(fd, t->path, e) < 0) {
		close(fd);
		return -1;
	}
	if ((t->kernel && pt_module_is(fd)
		     ? pt_module_open(&t->object, &t->module, fd, t->path, e)
		     : pt_object_open_fd(&t->object, fd, t->path, e)) < 0)
		return -1;
	return use_object(t, o, e);
}

int pt_target_open(struct pt_target *t, const char *file, const struct pt_target_opts *o,
		   struct pt_err *e)
{
	*t = (struct pt_target){ .kernel = o->kernel,
				 .dw_fd = -1,
				 .alt_fd = -1,
				 .source_dir = pt_strdup(o->source_dir) };
	if (!target_open(t, file, o, e))
		return 0;
	pt_target_deinit(t);
	return -1;
}

void pt_target_deinit(struct pt_target *t)
{
	struct pt_map_slot *s;

	for (size_t i = 0; (s = pt_map_each(&t->lines, &i)); )
		pt_dw_lines_free(pt_pointer(s->value));
	pt_map_deinit(&t->lines);
	for (size_t i = 0; (s = pt_map_each(&t->splits, &i)); )
		pt_split_free(pt_pointer(s->value));
	pt_map_deinit(&t->splits);
	dwarf_end(t->dw);
	if (t->no_alt)
		pt_split_free(t->no_alt);
	else
		dwarf_end(t->alt);
	if (t->dw_fd >= 0)
		close(t->dw_fd);
	if (t->alt_fd >= 0)
		close(t->alt_fd);
	pt_inlines_free(t->inlines);
	pt_files_free(t->files);
	pt_object_put(t->object);
	free(t->module);
	pt_map_deinit(&t->named);
	free(t->blacklist);
	free(t->path);
	free(t->source_dir);
	*t = (struct pt_target){ .dw_fd = -1, .alt_fd = -1 };
}

void pt_target_ask(struct pt_target *t)
{
	if (t->dwarf)
		t->dwarf->budget = PT_MAX(t->dwarf->budget, t->budget);
}

int pt_target_no_debug(const struct pt_target *t, struct pt_err *e)
{
	return pt_err_set(
		e,
		"%s has no debug information: build it with -g, install the package that has it (-dbgsym or -dbg of Debian, -debuginfo elsewhere), or ask a server with --debuginfod",
		t->path);
}

/* libdw would open any alternate file that is named: it gets the one that pt opened, or an empty
 * one. */
static bool set_alternate(struct pt_target *t)
{
	struct pt_dw_file *alt = t->dwarf ? pt_dw_alt(t->dwarf->main) : NULL;

	t->alt_fd = alt ? fcntl(alt->object->file.fd, F_DUPFD_CLOEXEC, 0) : -1;
	t->alt = t->alt_fd < 0 ? NULL : dwarf_begin(t->alt_fd, DWARF_C_READ);
	if (!t->alt && !t->no_alt)
		t->no_alt = pt_split_nothing(t->debug, &t->alt);
	if (t->alt)
		dwarf_setalt(t->dw, t->alt);
	return t->alt;
}

Dwarf *pt_target_dw(struct pt_target *t, struct pt_err *e)
{
	if (t->dw)
		return t->dw;
	if (!t->debug) {
		pt_target_no_debug(t, e);
		return NULL;
	}
	if (t->dwarf && !pt_dw_may_unpack(t->dwarf->main)) {
		pt_err_set(e, "%s: its packed debug information expands to more than is allowed",
			   t->debug->path);
		return NULL;
	}
	t->dw_fd = fcntl(t->debug->file.fd, F_DUPFD_CLOEXEC, 0);
	t->dw = t->dw_fd < 0 ? NULL : dwarf_begin(t->dw_fd, DWARF_C_READ);
	if (t->dw && set_alternate(t))
		return t->dw;
	pt_err_set(e, "%s: libdw: %s", t->debug->path, dwarf_errmsg(-1));
	dwarf_end(t->dw);	/* the next call tries again */
	t->dw = NULL;
	if (t->dw_fd >= 0)
		close(t->dw_fd);
	t->dw_fd = -1;
	return NULL;
}

bool pt_target_symbol(const struct pt_target *t, uint64_t vaddr, struct pt_symbol *s)
{
	const struct pt_symtab *own = pt_symtab_of(t->object);

	return (t->debug && !pt_symtab_full(own) &&
		pt_symtab_find(pt_symtab_of(t->debug), vaddr, s)) ||
	       pt_symtab_find(own, vaddr, s);
}

/* From a vaddr to its file offset, or back. */
static bool in_code(const struct pt_object *o, uint64_t from, bool is_vaddr, uint64_t *to)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct pt_segment *s = &o->segments[i];
		uint64_t within = from - (is_vaddr ? s->vaddr : s->off);

		if (s->flags & PF_X && within < s->file_bytes) {
			*to = within + (is_vaddr ? s->off : s->vaddr);
			return true;
		}
	}
	return false;
}

bool pt_target_offset(const struct pt_target *t, uint64_t vaddr, uint64_t *off)
{
	return in_code(t->object, vaddr, true, off);
}

bool pt_target_vaddr(const struct pt_target *t, uint64_t off, uint64_t *vaddr)
{
	return in_code(t->object, off, false, vaddr);
}

void pt_target_symbols(const struct pt_target *t, const char *word,
		       bool (*each)(void *arg, const struct pt_elfsym *s), void *arg)
{
	pt_elfsyms_each(t->object, word, each, arg);
	if (t->debug && t->debug != t->object)
		pt_elfsyms_each(t->debug, word, each, arg);
}
