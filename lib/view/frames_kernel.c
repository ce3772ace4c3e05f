/* Kernel symbols for frames.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "code/object.h"
#include "view/frames_priv.h"

enum { MAX_KALLSYMS = 256 << 20 };

struct bpf_symbol { uint64_t addr, end; char *name; };

struct pt_kernel {
	char *kallsyms, *vmlinux;
	bool live;
	bool tried, other;
	struct pt_symtab *table;	/* of kallsyms: run-time addresses */
	struct pt_object *object;	/* of vmlinux: vaddr + bias */
	uint64_t bias;
	uint64_t text_addr;		/* where the recorded kernel's _text (or _stext) was; 0: not said */
	struct pt_build_id recorded;	/* of the recorded kernel, when the recording says */
	char *host, *release;		/* of the recorded machine; NULL: not said */
	struct bpf_symbol *bpf;		/* KSYMBOL: BPF programs, by arrival; the last that fits wins */
	size_t nr_bpf, cap_bpf;
};

struct pt_kernel *pt_kernel_new(const char *kallsyms, const char *vmlinux, bool live)
{
	struct pt_kernel *k = pt_alloc(sizeof(*k));

	k->kallsyms = pt_strdup(kallsyms);
	k->vmlinux = pt_strdup(vmlinux);
	k->live = live;
	return k;
}

void pt_kernel_free(struct pt_kernel *k)
{
	if (!k)
		return;
	while (k->nr_bpf)
		free(k->bpf[--k->nr_bpf].name);
	free(k->bpf);
	pt_symtab_free(k->table);
	pt_object_put(k->object);
	free(k->host);
	free(k->release);
	free(k->kallsyms);
	free(k->vmlinux);
	free(k);
}

static void find_recorded_id(struct pt_kernel *k, const struct pt_source *s)
{
	size_t i;

	for (i = 0; i < pt_source_nr_build_ids(s) && !k->recorded.len; i++) {
		const struct pt_build_id_entry *b = pt_source_build_id(s, i);

		if (!strncmp(b->path, "[kernel.kallsyms]", 17)) {
			k->recorded.len = PT_MIN(b->len, (uint8_t)PT_BUILD_ID_MAX);
			memcpy(k->recorded.bytes, b->id, k->recorded.len);
		}
	}
}

static void feed_ksymbol(struct pt_kernel *k, const struct pt_record *rec)
{
	struct bpf_symbol b = { rec->u.ksymbol.addr, rec->u.ksymbol.addr + rec->u.ksymbol.len_bytes, NULL };
	size_t i;

	for (i = 0; i < k->nr_bpf; i++)	/* what was there before is gone, also when this one is unregistered (flags bit 0) */
		if (k->bpf[i].addr < b.end && b.addr < k->bpf[i].end) {
			free(k->bpf[i].name);
			k->bpf[i--] = k->bpf[--k->nr_bpf];
		}
	if (rec->u.ksymbol.flags & 1)
		return;
	b.name = pt_strdup(rec->u.ksymbol.name);
	PT_GROW(k->bpf, k->nr_bpf, k->cap_bpf);
	k->bpf[k->nr_bpf++] = b;
}

void pt_kernel_feed(struct pt_kernel *k, const struct pt_source *s, const struct pt_record *rec)
{
	if (rec->type == PERF_RECORD_KSYMBOL) {
		feed_ksymbol(k, rec);
		return;
	}
	if (strncmp(rec->u.mmap.path, "[kernel.kallsyms]", 17))
		return;
	k->text_addr = rec->u.mmap.pgoff;	/* perf puts the address of _text there */
	if (s && !k->host) {
		k->host = pt_strdup(pt_source_info(s)->hostname);
		k->release = pt_strdup(pt_source_info(s)->os_release);
	}
	if (rec->u.mmap.build_id_len) {
		k->recorded.len = PT_MIN(rec->u.mmap.build_id_len, (uint8_t)PT_BUILD_ID_MAX);
		memcpy(k->recorded.bytes, rec->u.mmap.build_id, k->recorded.len);
	} else if (s) {
		find_recorded_id(k, s);
	}
}

static char *read_all(const char *path, size_t *len)
{
	struct pt_buf b = PT_BUF_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		pt_buf_grow(&b, 1 << 16);
		n = read(fd, b.data + b.len, 1 << 16);
		if (n > 0)
			b.len += (size_t)n;
	} while ((n > 0 || (n < 0 && errno == EINTR)) && b.len < MAX_KALLSYMS);
	close(fd);
	*len = b.len;
	return b.data;
}

static bool has_this_build_id(const struct pt_kernel *k)
{
	struct pt_build_id own = { .len = 0 };
	size_t len = 0;
	char *notes = read_all("/sys/kernel/notes", &len);
	bool same = notes && pt_build_id_of_notes(notes, len, false, &own) && pt_build_id_equal(&own, &k->recorded);

	free(notes);
	return same;
}

/* Without a build-id: the same machine and release, and _text lies where it lay (it moves with each boot). */
static bool is_this_boot(const struct pt_kernel *k)
{
	struct utsname u;
	struct pt_symbol s;

	if (!k->host || !k->release || !k->text_addr || uname(&u) < 0 || strcmp(u.nodename, k->host) || strcmp(u.release, k->release))
		return false;
	return pt_symtab_find(k->table, k->text_addr, &s) && s.vaddr == k->text_addr;
}

static void load_vmlinux(struct pt_kernel *k)
{
	const struct pt_symtab *t;
	struct pt_symbol s;
	size_t i;

	if (pt_object_open(&k->object, k->vmlinux, NULL) < 0)
		return;
	if (k->recorded.len && k->object->build_id.len && !pt_build_id_equal(&k->recorded, &k->object->build_id)) {
		pt_object_put(k->object);
		k->object = NULL;
		k->other = true;
		return;
	}
	t = pt_symtab_of(k->object);
	for (i = 0; k->text_addr && pt_symtab_at(t, i, &s); i++)	/* KASLR: the distance between where _text was and what the file says */
		if (!strcmp(s.name, "_text") || !strcmp(s.name, "_stext")) {
			k->bias = k->text_addr - s.vaddr;
			break;
		}
}

static void load(struct pt_kernel *k)
{
	size_t len = 0;
	char *text = NULL;

	k->tried = true;
	if (k->vmlinux)
		load_vmlinux(k);
	if (k->object)
		return;
	text = read_all(k->kallsyms ? k->kallsyms : "/proc/kallsyms", &len);
	if (text)
		k->table = pt_symtab_of_kallsyms(text, len);
	free(text);
	if (!k->table || k->kallsyms || k->live || (k->recorded.len ? has_this_build_id(k) : is_this_boot(k)))
		return;
	pt_symtab_free(k->table);
	k->table = NULL;
	k->other = true;
}

const char *pt_kernel_name(struct pt_kernel *k, uint64_t addr, const char **module, uint64_t *offset)
{
	struct pt_symbol s;
	bool found = false;
	size_t i;

	for (i = k->nr_bpf; i-- > 0; )
		if (addr >= k->bpf[i].addr && addr < k->bpf[i].end) {
			*offset = addr - k->bpf[i].addr;
			*module = "[bpf]";
			return k->bpf[i].name;
		}
	if (!k->tried)
		load(k);
	if (k->object) {
		found = pt_symtab_find(pt_symtab_of(k->object), addr - k->bias, &s);
		addr -= k->bias;
	} else if (k->table) {
		found = pt_symtab_find(k->table, addr, &s) && s.vaddr;	/* kptr_restrict: all addresses are 0 */
	}
	if (!found)
		return NULL;
	*offset = addr - s.vaddr;
	return s.name;
}

bool pt_kernel_is_other(const struct pt_kernel *k)
{
	return k->other;
}
