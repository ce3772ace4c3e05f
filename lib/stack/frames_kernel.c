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
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/ksyms.h"
#include "base/map.h"
#include "base/mem.h"
#include "elf/kcore.h"
#include "elf/object.h"
#include "stack/frames_priv.h"

static const char kernel_name[] = "[kernel.kallsyms]";
static const char not_opened[] =
	"the kernel's symbols could not be opened, since no more files may be: no names of kernel functions";

/* before: it existed when the recording began */
struct bpf_symbol { uint64_t addr, end; char *name; bool before; };
/* name: "[ext4]" */
struct module_map { uint64_t addr, end; char *name; struct pt_build_id build_id; };

enum trust {
	UNUSABLE,
	CORE_ONLY,			/* the same kernel, another boot */
	ALL,
};

struct pt_kernel {
	char *kallsyms, *vmlinux;
	bool live;
	bool tried;
	const char *why_not;		/* why there are no names; NULL: there are */
	bool refused;			/* because no more files may be open */
	struct pt_keep *keep;
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
	char *host, *release;		/* of the recorded machine; NULL: unknown */
	struct bpf_symbol *bpf;		/* BPF programs from KSYMBOL records, by number - 1 */
	size_t nr_bpf, cap_bpf;
	uint64_t bpf_start, bpf_end;	/* the range that contains all of them */
	struct module_map *modules;
	size_t nr_modules, cap_modules;
};

struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live)
{
	struct pt_kernel *k = pt_alloc(sizeof(*k));

	k->kallsyms = pt_strdup(kallsyms);
	k->vmlinux = pt_strdup(vmlinux);
	k->live = live;
	return k;
}

void pt_kernel_use(struct pt_kernel *k, struct pt_keep *keep)
{
	k->keep = keep;
}

void pt_kernel_free(struct pt_kernel *k)
{
	struct pt_map_slot *slot;

	if (!k)
		return;
	while (k->nr_bpf)
		free(k->bpf[--k->nr_bpf].name);
	while (k->nr_modules)
		free(k->modules[--k->nr_modules].name);
	free(k->bpf);
	free(k->modules);
	for (size_t i = 0; (slot = pt_map_each(&k->code, &i)); )
		free((void *)(uintptr_t)slot->value);
	pt_map_deinit(&k->code);
	pt_ksyms_free(k->table);
	pt_object_put(k->object);
	free(k->host);
	free(k->release);
	free(k->kallsyms);
	free(k->vmlinux);
	free(k);
}


static void take_id(struct pt_build_id *id, const void *bytes, size_t len)
{
	id->len = (uint8_t)PT_MIN(len, (size_t)PT_BUILD_ID_MAX);
	memcpy(id->bytes, bytes, id->len);
}

/* True: the record has its build-id; else it is that of the path with the same first `compared`
 * bytes. */
static bool recorded_id(const struct pt_source *s, const struct pt_record *rec, size_t compared,
			struct pt_build_id *id)
{
	size_t i;

	*id = (struct pt_build_id){ .len = 0 };
	if (rec->u.mmap.build_id_len) {
		take_id(id, rec->u.mmap.build_id, rec->u.mmap.build_id_len);
		return true;
	}
	for (i = 0; s && i < pt_source_nr_build_ids(s) && !id->len; i++) {
		const struct pt_build_id_entry *b = pt_source_build_id(s, i);

		if (!strncmp(b->path, rec->u.mmap.path, compared))
			take_id(id, b->id, b->len);
	}
	return false;
}

/* "/lib/modules/6.1/kernel/fs/snd-ext4.ko.xz" becomes "[snd_ext4]", the kernel's name. */
static char *module_name(const char *path)
{
	const char *base = strrchr(path, '/'), *dot;
	char *name, *p;

	base = base ? base + 1 : path;
	dot = strstr(base, ".ko");
	name = *base == '[' ? pt_strdup(base)
			    : pt_asprintf("[%.*s]",
					  (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
	for (p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return name;
}

static void feed_ksymbol(struct pt_kernel *k, struct pt_ksymbols *symbols,
			 const struct pt_record *rec)
{
	uint64_t addr = rec->u.ksymbol.addr, end = addr + rec->u.ksymbol.len_bytes;
	bool gone = rec->u.ksymbol.flags & 1;

	if (!pt_ksymbols_see(symbols, addr, end, gone))
		return;
	k->bpf_start = k->nr_bpf ? PT_MIN(k->bpf_start, addr) : addr;
	k->bpf_end = PT_MAX(k->bpf_end, end);
	PT_GROW(k->bpf, k->nr_bpf, k->cap_bpf);
	/* if its end comes first, it existed before the recording */
	k->bpf[k->nr_bpf++] =
		(struct bpf_symbol){ addr, end, pt_strdup(rec->u.ksymbol.name), gone };
}

static void feed_module(struct pt_kernel *k, const struct pt_source *s,
			const struct pt_record *rec)
{
	struct module_map m = { .addr = rec->u.mmap.addr,
				.end = rec->u.mmap.addr + rec->u.mmap.len_bytes };
	size_t i;

	if (m.end <= m.addr)
		return;
	for (i = 0; i < k->nr_modules; i++)
		if (k->modules[i].addr == m.addr) {
			free(k->modules[i].name);
			k->modules[i--] = k->modules[--k->nr_modules];
		}
	m.name = module_name(rec->u.mmap.path);
	recorded_id(s, rec, strlen(rec->u.mmap.path) + 1, &m.build_id);
	PT_GROW(k->modules, k->nr_modules, k->cap_modules);
	k->modules[k->nr_modules++] = m;
}

static void feed_core(struct pt_kernel *k, const struct pt_source *s, const struct pt_record *rec)
{
	const char *mark = rec->u.mmap.path + sizeof(kernel_name) - 1;
	struct pt_build_id id;

	/* "[kernel.kallsyms]_text": pgoff is the address of the symbol at the end */
	snprintf(k->mark, sizeof(k->mark), "%s", *mark ? mark : "_text");
	k->mark_addr = rec->u.mmap.pgoff;
	k->start = rec->u.mmap.addr;
	k->end = rec->u.mmap.addr + rec->u.mmap.len_bytes;
	if (s && !k->host) {
		free(k->release);
		k->host = pt_strdup(pt_source_info(s)->hostname);
		k->release = pt_strdup(pt_source_info(s)->os_release);
	}
	if (recorded_id(s, rec, sizeof(kernel_name) - 1, &id) || !k->recorded.len)
		k->recorded = id;
}

void pt_kernel_feed(struct pt_kernel *k, struct pt_ksymbols *symbols, const struct pt_source *s,
		    const struct pt_record *rec)
{
	if (rec->type == PERF_RECORD_KSYMBOL)
		feed_ksymbol(k, symbols, rec);
	else if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return;
	else if (strncmp(rec->u.mmap.path, kernel_name, sizeof(kernel_name) - 1))
		feed_module(k, s, rec);
	else
		feed_core(k, s, rec);
}


static bool has_this_build_id(const struct pt_kernel *k)
{
	struct pt_build_id own = { .len = 0 };

	return pt_build_id_of_kernel("", NULL, &own) && pt_build_id_equal(&own, &k->recorded);
}

/* Without a build-id: the same machine and release. */
static bool is_this_machine(const struct pt_kernel *k)
{
	struct utsname u;

	return k->host && k->release && uname(&u) == 0 && !strcmp(u.nodename, k->host) &&
	       !strcmp(u.release, k->release);
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
	bool same = k->live || (k->recorded.len ? has_this_build_id(k) : is_this_machine(k));

	k->refused = !same && no_more_files();
	if (k->refused) {
		k->why_not = not_opened;
		return;
	}
	if (!same) {
		k->why_not =
			k->recorded.len || k->release
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
			"the kernel was started anew since the recording, which has no build-id of it: give --kallsyms or --vmlinux for its names";
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
	const char *home = getenv("HOME"), *reason = k->why_not;
	char id[PT_BUILD_ID_TEXT], *path;

	if (k->recorded.len < 2)
		return;
	pt_build_id_text(&k->recorded, true, id);
	path = pt_asprintf("%s/.debug/.build-id/%s/kallsyms", home && *home ? home : "", id);
	k->table = pt_ksyms_of_file(path);
	free(path);
	if (k->table && pt_ksyms_visible(k->table)) {
		fit_table(k);
		k->why_not = NULL;
		return;
	}
	path = pt_asprintf("/usr/lib/debug/.build-id/%s.debug", id);
	if (!open_vmlinux(k, path))
		k->why_not = reason;
	free(path);
}

static void load(struct pt_kernel *k)
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

/* The program of this tag; without a tag, the one that was there before any record. */
static const struct bpf_symbol *bpf_at(const struct pt_kernel *k, uint64_t addr, uint64_t tag)
{
	size_t i;

	if (tag)
		return tag >> 1 <= k->nr_bpf ? &k->bpf[(tag >> 1) - 1] : NULL;
	for (i = 0; addr >= k->bpf_start && addr < k->bpf_end && i < k->nr_bpf; i++)
		if (addr >= k->bpf[i].addr && addr < k->bpf[i].end)
			return k->bpf[i].before ? &k->bpf[i] : NULL;
	return NULL;
}

static bool is_in_vmlinux(struct pt_kernel *k, uint64_t addr)
{
	if (!k->tried)
		load(k);
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

static const char *table_name(struct pt_kernel *k, uint64_t addr, const char **module,
			      uint64_t *offset)
{
	struct pt_ksym s;

	if (!table_symbol(k, addr, &s))
		return NULL;
	if (s.module)
		*module = s.module;
	*offset = addr - s.addr;
	return s.name;
}

const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, uint64_t tag, const char **module,
			   uint64_t *offset)
{
	const struct bpf_symbol *b = bpf_at(k, addr, tag);
	/* something unknown may have taken the place of a program that is gone */
	const char *other = b && !(tag & 1) ? NULL : table_name(k, addr, module, offset);
	const struct module_map *m;

	/* another kernel's: only its name is known */
	if (!other && !b && (m = recorded_module(k, addr)))
		*module = m->name;
	if (other || !b)
		return other;
	*offset = addr - b->addr;
	*module = b->name;		/* as in perf, each is a file of its own */
	return b->name;
}

struct pt_object *pt_kernel_object(struct pt_kernel *k, uint64_t addr, uint64_t *vaddr)
{
	bool known = is_in_vmlinux(k, addr);

	*vaddr = addr - k->bias;
	return known ? k->object : NULL;
}

bool pt_kernel_code(struct pt_kernel *k, uint64_t addr, uint64_t tag, struct pt_frames_code *code,
		    const char **why)
{
	const char *unknown = "the kernel has no symbol for it";
	struct pt_ksym s;
	uint64_t *bytes;

	if (bpf_at(k, addr, tag))
		*why = "code of BPF programs is not read";
	else if (!table_symbol(k, addr, &s))
		*why = k->why_not ? k->why_not : unknown;
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
		*bytes = (uint64_t)(uintptr_t)pt_kcore_read("/proc/kcore", s.addr, s.end - s.addr,
							    why);
	code->bytes = (const uint8_t *)(uintptr_t)*bytes;
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
