/* Kernel symbols.
 *
 * The kernel moves with each boot: the recorded address of _text shows how far the kernel's own
 * addresses have moved. Modules and BPF programs move independently: they have names only if the
 * table is of the recorded boot and the module there has the recorded name (and build-id). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/ksyms.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/kcore.h"
#include "elf/object.h"
#include "stack/frames_priv.h"

static const char kernel_name[] = "[kernel.kallsyms]";
static const char not_opened[] =
	"the kernel's symbols could not be opened, since no more files may be: no names of kernel functions";

/* name: "[ext4]" */
struct module_map { uint64_t addr, end; char *name; struct pt_build_id build_id; };

enum trust {
	UNUSABLE,
	CORE_ONLY,			/* the same kernel, another boot */
	ALL,
};

struct pt_kernel {
	const char *kallsyms, *vmlinux;	/* the caller's */
	bool live;
	bool tried;
	const char *why_not;		/* why there are no names; NULL: there are */
	bool refused;			/* because no more files may be open */
	struct pt_diskcache *keep;
	struct pt_ksyms *table;		/* recorded address = table's address + table_bias */
	enum trust trust;
	uint64_t table_bias;
	struct pt_map code;		/* by address: bytes of functions, from /proc/kcore */
	struct pt_object *object;	/* vmlinux: recorded address = vaddr + bias */
	uint64_t bias;
	uint64_t start, end;		/* of the recorded kernel itself; 0: unknown */
	/* address of the recorded kernel's _text (or _stext: mark); 0: unknown */
	uint64_t mark_addr;
	char mark[16];
	struct pt_build_id recorded;	/* of the recorded kernel, if the recording has it */
	/* by name and release, of the recorded machine: it is this one, they are known */
	bool this_machine, release_known;
	struct module_map *modules;
	size_t nr_modules, cap_modules;
};

struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live)
{
	struct pt_kernel *k = pt_alloc(sizeof(*k));

	k->kallsyms = kallsyms;
	k->vmlinux = vmlinux;
	k->live = live;
	return k;
}

void pt_kernel_use(struct pt_kernel *k, struct pt_diskcache *keep)
{
	k->keep = keep;
}

void pt_kernel_free(struct pt_kernel *k)
{
	struct pt_map_slot *slot;

	if (!k)
		return;
	while (k->nr_modules)
		free(k->modules[--k->nr_modules].name);
	free(k->modules);
	for (size_t i = 0; (slot = pt_map_each(&k->code, &i)); )
		free(pt_pointer(slot->value));
	pt_map_deinit(&k->code);
	pt_ksyms_free(k->table);
	pt_object_put(k->object);
	free(k);
}

static struct pt_build_id recorded_id(const struct pt_record *rec)
{
	return pt_build_id(rec->u.mmap.build_id, rec->u.mmap.build_id_len);
}

/* "/lib/modules/6.1/kernel/fs/snd-ext4.ko.xz" becomes "[snd_ext4]", the kernel's name. */
static char *module_name(const char *path)
{
	const char *base = pt_text_base(path), *dot = strstr(base, ".ko");
	char *name, *p;

	name = *base == '[' ? pt_strdup(base)
			    : pt_asprintf("[%.*s]",
					  (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
	for (p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return name;
}

static void feed_module(struct pt_kernel *k, const struct pt_record *rec,
			const struct pt_build_id *told)
{
	struct module_map m = { .addr = rec->u.mmap.addr,
				.end = rec->u.mmap.addr + rec->u.mmap.len_bytes,
				.build_id = recorded_id(rec) };
	size_t i;

	if (m.end <= m.addr)
		return;
	for (i = 0; i < k->nr_modules; i++)
		if (k->modules[i].addr == m.addr) {
			free(k->modules[i].name);
			k->modules[i--] = k->modules[--k->nr_modules];
		}
	m.name = module_name(rec->u.mmap.path);
	if (!m.build_id.len)
		m.build_id = *told;
	PT_GROW(k->modules, k->nr_modules, k->cap_modules);
	k->modules[k->nr_modules++] = m;
}

static void feed_core(struct pt_kernel *k, const struct pt_record *rec,
		      const struct pt_build_id *told)
{
	const char *mark = rec->u.mmap.path + sizeof(kernel_name) - 1;
	struct pt_build_id id = recorded_id(rec);

	/* "[kernel.kallsyms]_text": pgoff is the address of the symbol at the end */
	snprintf(k->mark, sizeof(k->mark), "%s", *mark ? mark : "_text");
	k->mark_addr = rec->u.mmap.pgoff;
	k->start = rec->u.mmap.addr;
	k->end = rec->u.mmap.addr + rec->u.mmap.len_bytes;
	if (id.len || !k->recorded.len)
		k->recorded = id.len ? id : *told;
}

void pt_kernel_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec)
{
	bool core = !strncmp(rec->u.mmap.path, kernel_name, sizeof(kernel_name) - 1);
	struct pt_build_id told;

	if (!pt_record_in_kernel(rec))
		return;
	told = pt_frames_told_id(f, core ? kernel_name : rec->u.mmap.path);
	if (!core) {
		feed_module(f->kernel, rec, &told);
		return;
	}
	feed_core(f->kernel, rec, &told);
	f->kernel->release_known |= pt_source_info(s)->os_release != NULL;
	f->kernel->this_machine = f->clock.here && f->same_release;
}

static bool has_this_build_id(const struct pt_kernel *k)
{
	struct pt_build_id own = { .len = 0 };

	return pt_build_id_of_kernel("", NULL, &own) && pt_build_id_equal(&own, &k->recorded);
}

static void fit_table(struct pt_kernel *k)
{
	uint64_t here = pt_ksyms_text(k->table, k->mark);

	k->table_bias = k->mark_addr && here ? k->mark_addr - here : 0;
	k->trust = k->table_bias ? CORE_ONLY : ALL;
}

static bool no_more_files(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EMFILE;
}

static void use_local(struct pt_kernel *k)
{
	bool same = k->live || (k->recorded.len ? has_this_build_id(k) : k->this_machine);

	k->refused = !same && no_more_files();
	if (k->refused) {
		k->why_not = not_opened;
		return;
	}
	if (!same) {
		k->why_not =
			k->recorded.len || k->release_known
				? "the recorded kernel is not the one that runs here: give --kallsyms or --vmlinux for its names"
				: "the recording does not say which kernel it is of: give --kallsyms or --vmlinux for its names";
		return;
	}
	if (!k->live && !k->mark_addr) {
		k->why_not =
			"the recording does not say where the kernel was: give the --kallsyms of that boot for its names";
		return;
	}
	k->table = k->live && !k->keep ? pt_ksyms_local_amid() : pt_ksyms_local(k->keep);
	if (!pt_ksyms_visible(k->table)) {
		k->refused = no_more_files();
		k->why_not = k->refused ? not_opened :
			     "kernel addresses are hidden from this user (kernel.kptr_restrict): no names of kernel functions";
		return;
	}
	if (!k->live)
		fit_table(k);
	else
		k->trust = ALL;
	if (k->trust != ALL && !k->recorded.len) {
		k->trust = UNUSABLE;
		k->why_not =
			"the machine was rebooted since the recording, which has no build-id of it: give --kallsyms or --vmlinux for its names";
	}
}

static bool open_vmlinux(struct pt_kernel *k, const char *path)
{
	uint64_t mark;

	if (pt_object_open(&k->object, path, NULL) < 0)
		return false;
	if (k->recorded.len && k->object->build_id.len &&
	    !pt_build_id_equal(&k->recorded, &k->object->build_id)) {
		k->why_not = "the --vmlinux given is of another build than the recorded kernel";
	} else if (!pt_symtab_nr(pt_symtab_of(k->object))) {
		k->why_not = "the --vmlinux given has no symbols";
	} else {
		k->why_not = NULL;
		if (k->mark_addr && pt_symtab_named(pt_symtab_of(k->object), k->mark, &mark))
			k->bias = k->mark_addr - mark;
		return true;
	}
	pt_object_put(k->object);
	k->object = NULL;
	return false;
}

/* By build-id, in perf's cache and among detached debug files. */
static void look_elsewhere(struct pt_kernel *k)
{
	const char *reason = k->why_not;
	char *cache = pt_build_cache_dir(),
	     *path = pt_build_id_path(cache ? cache : "", &k->recorded, "/kallsyms");

	free(cache);
	if (!path)
		return;
	k->table = pt_ksyms_of_file(path);
	free(path);
	if (k->table && pt_ksyms_visible(k->table)) {
		fit_table(k);
		k->why_not = NULL;
		return;
	}
	path = pt_build_id_path("/usr/lib/debug", &k->recorded, ".debug");
	if (!open_vmlinux(k, path))
		k->why_not = reason;
	free(path);
}

static void frames_kernel_load(struct pt_kernel *k)
{
	k->tried = true;
	if (k->vmlinux && !open_vmlinux(k, k->vmlinux) && !k->why_not)
		k->why_not = "the --vmlinux given cannot be read";
	if (k->kallsyms) {
		k->table = pt_ksyms_of_file(k->kallsyms);
		if (k->table && pt_ksyms_visible(k->table))
			fit_table(k);
		else
			k->why_not = "the --kallsyms given has no symbols";
	} else if (!k->why_not) {
		use_local(k);
		if (k->trust == UNUSABLE && !k->object)
			look_elsewhere(k);
	}
	if (k->object)
		k->why_not = NULL;
}

/* NULL: none was recorded there. */
static const struct module_map *recorded_module(const struct pt_kernel *k, uint64_t addr)
{
	size_t i;

	for (i = 0; i < k->nr_modules; i++)
		if (addr >= k->modules[i].addr && addr < k->modules[i].end)
			return &k->modules[i];
	return NULL;
}

/* Is the table's module the recorded one? */
static bool is_recorded_module(const struct pt_kernel *k, uint64_t addr, const char *module)
{
	const struct module_map *m = recorded_module(k, addr);
	struct pt_build_id now = { .len = 0 };
	char *name;
	bool same;

	if (!m)
		return true;		/* loaded after the recording began, or a BPF program */
	if (strcmp(m->name, module))
		return false;
	if (!m->build_id.len || k->kallsyms || strchr(module, '/'))
		return true;
	name = pt_strndup(module + 1, strlen(module) - 2);
	same = !pt_build_id_of_kernel("", name, &now) || pt_build_id_equal(&now, &m->build_id);
	free(name);
	return same;
}

static bool is_in_vmlinux(struct pt_kernel *k, uint64_t addr)
{
	if (!k->tried)
		frames_kernel_load(k);
	return k->object && (!k->end || (addr >= k->start && addr < k->end));
}

/* A symbol of the kernel or of its modules, at recorded addresses. False: not known. */
static bool table_symbol(struct pt_kernel *k, uint64_t addr, struct pt_ksym *s)
{
	struct pt_symbol sym;

	if (is_in_vmlinux(k, addr)) {
		if (!pt_symtab_find(pt_symtab_of(k->object), addr - k->bias, &sym))
			return false;
		*s = (struct pt_ksym){ sym.vaddr + k->bias, sym.end + k->bias, sym.name, NULL };
		return true;
	}
	if (k->trust == UNUSABLE ||
	    (k->trust == CORE_ONLY && !pt_ksyms_is_core(k->table, addr - k->table_bias)) ||
	    !pt_ksyms_find(k->table, addr - k->table_bias, s) ||
	    (s->module && !is_recorded_module(k, addr, s->module)))
		return false;
	s->addr += k->table_bias;
	s->end += k->table_bias;
	return true;
}

const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, const char **module,
			   uint64_t *offset)
{
	const struct module_map *m;
	struct pt_ksym s;

	if (!table_symbol(k, addr, &s)) {
		/* another kernel's: only the module's name is known */
		m = recorded_module(k, addr);
		if (m)
			*module = m->name;
		return NULL;
	}
	if (s.module)
		*module = s.module;
	*offset = addr - s.addr;
	return s.name;
}

struct pt_build_id pt_kernel_build_id(const struct pt_kernel *k, uint64_t addr)
{
	const struct module_map *m = recorded_module(k, addr);
	bool core = !k->end || (addr >= k->start && addr < k->end);

	return m ? m->build_id : core ? k->recorded : (struct pt_build_id){ .len = 0 };
}

struct pt_object *pt_kernel_object(struct pt_kernel *k, uint64_t addr, uint64_t *vaddr)
{
	bool known = is_in_vmlinux(k, addr);

	*vaddr = addr - k->bias;
	return known ? k->object : NULL;
}

bool pt_kernel_code(struct pt_kernel *k, uint64_t addr, struct pt_frames_code *code,
		    const char **why)
{
	struct pt_ksym s;
	uint64_t *bytes;

	if (!table_symbol(k, addr, &s))
		*why = k->why_not ? k->why_not : "the kernel has no symbol for it";
	else if (!is_in_vmlinux(k, addr) && (k->trust != ALL || k->kallsyms))
		*why = "that kernel does not run here: give its --vmlinux";
	if (*why)
		return false;
	code->name = s.name;
	code->start = s.addr;
	code->end = s.end;
	if (is_in_vmlinux(k, addr)) {
		code->object = k->object;
		code->bytes = pt_object_bytes(k->object, s.addr - k->bias, s.end - s.addr, false);
		*why = code->bytes ? NULL : "its code is not in the --vmlinux given";
		return code->bytes;
	}
	bytes = pt_map_put(&k->code, s.addr);
	if (!*bytes)
		*bytes = pt_word_of(pt_kcore_read("/proc/kcore", s.addr, s.end - s.addr, why));
	code->bytes = pt_pointer(*bytes);
	return code->bytes;
}

const char *pt_kernel_why_not(const struct pt_kernel *k)
{
	return k->why_not;
}

bool pt_kernel_refused(const struct pt_kernel *k)
{
	return k->refused;
}
