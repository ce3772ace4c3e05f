#include "record/watch/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/diskcache.h"
#include "base/ksyms.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/smallfile.h"
#include "event/cgroup.h"
#include "record/format/section.h"

enum { MAX_PATH = 4096, COMM_BYTES = 16, MAX_FILES = 1 << 16 };

void pt_synth_deinit(struct pt_synth *s)
{
	pt_buf_deinit(&s->record);
	pt_map_deinit(&s->files);
	free(s->ids);
	s->ids = NULL;
	s->nr_ids = s->cap_ids = 0;
}

static void synth_begin(struct pt_synth *s, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	pt_buf_clear(&s->record);
	pt_buf_add(&s->record, &h, sizeof(h));
}

static void put32(struct pt_synth *s, uint32_t v) { pt_buf_u32(&s->record, v); }
static void put64(struct pt_synth *s, uint64_t v) { pt_buf_u64(&s->record, v); }

/* With its NUL, and zeros up to a multiple of 8. */
static void synth_put_name(struct pt_synth *s, const char *name, size_t len)
{
	pt_buf_add(&s->record, name, len);
	pt_buf_fill(&s->record, 0, 8 - s->record.len % 8);
}

static void synth_finish(struct pt_synth *s)
{
	uint16_t size;

	pt_buf_add(&s->record, s->trailer, s->trailer_len);
	size = (uint16_t)s->record.len;
	memcpy(s->record.data + offsetof(struct perf_event_header, size), &size, sizeof(size));
	s->emit(s->ctx, s->record.data, s->record.len);
}

static void kernel_map(struct pt_synth *s, uint64_t addr, uint64_t len, uint64_t pgoff,
		       const char *name)
{
	synth_begin(s, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	put32(s, ~0u);
	put32(s, 0);
	put64(s, addr);
	put64(s, len);
	put64(s, pgoff);
	synth_put_name(s, name, strlen(name));
	synth_finish(s);
}

/* _stext to _etext; the offset is _text, which tells readers how far the kernel was moved. All
 * zeros if the user may not see addresses. */
static bool kernel_text(uint64_t *text, uint64_t *start, uint64_t *end)
{
	struct pt_diskcache *keep = pt_diskcache_open();
	struct pt_ksyms *k = pt_ksyms_local(keep);

	*text = pt_ksyms_text(k, "_text");
	*start = pt_ksyms_text(k, "_stext");
	*end = pt_ksyms_text(k, "_etext");
	pt_ksyms_free(k);
	pt_diskcache_close(keep);
	if (!*start)
		*start = *text;
	if (!*text)
		*text = *start;
	return *start && *end > *start;
}

/* The NAME of a module's file: the kernel mixes "-" and "_". */
static bool same_module(const char *file, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((file[i] == '-' ? '_' : file[i]) != (name[i] == '-' ? '_' : name[i]))
			return false;
	return !name[len];
}

/* Finds a module's path in lines "kernel/drivers/foo.ko.xz: deps"; "[name]" if it is not there. */
static void module_path(char *deps, const char *dir, const char *name, char *path, size_t size)
{
	char *line, *next, *end, *base, *dot;

	snprintf(path, size, "[%s]", name);
	for (line = deps; line && *line; line = next) {
		end = strpbrk(line, ":\n");
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (!end || *end != ':')
			continue;
		for (base = end; base > line && base[-1] != '/'; base--)
			;
		dot = memmem(base, (size_t)(end - base), ".ko", 3);
		if (!dot || !same_module(base, (size_t)(dot - base), name))
			continue;
		snprintf(path, size, "%s/%.*s", dir, (int)(end - line), line);
		return;
	}
}

static void modules(struct pt_synth *s, struct pt_build_ids *ids)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[1024], name[128], path[MAX_PATH], dir[sizeof(struct utsname) + 32];
	struct pt_buf deps = PT_BUF_INIT;
	unsigned long long len, addr;
	struct pt_build_id id;
	struct utsname u;

	if (!f)
		return;
	uname(&u);
	snprintf(dir, sizeof(dir), "/lib/modules/%s", u.release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	pt_file_add(path, 64 << 20, &deps);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &len, &addr) != 3 || !addr)
			continue;
		module_path(deps.data, dir, name, path, sizeof(path));
		kernel_map(s, addr, len, 0, path);
		if (ids && pt_build_id_of_kernel("", name, &id))
			pt_build_ids_add(ids, PERF_RECORD_MISC_KERNEL, &id, path,
					 strlen(path));
	}
	pt_buf_deinit(&deps);
	fclose(f);
}

void pt_synth_kernel(struct pt_synth *s, struct pt_build_ids *ids)
{
	uint64_t text, start, end;
	struct pt_build_id id;

	if (kernel_text(&text, &start, &end))
		kernel_map(s, start, end - start, text, "[kernel.kallsyms]_text");
	if (ids && pt_build_id_of_kernel("", NULL, &id))
		pt_build_ids_add(ids, PERF_RECORD_MISC_KERNEL, &id, "[kernel.kallsyms]",
				 strlen("[kernel.kallsyms]"));
	modules(s, ids);
}

static void synth_cgroup(void *synth, uint64_t id, const char *path)
{
	if (strlen(path) > MAX_PATH)
		return;
	synth_begin(synth, PERF_RECORD_CGROUP, 0);
	put64(synth, id);
	synth_put_name(synth, path, strlen(path));
	synth_finish(synth);
}

void pt_synth_cgroups(struct pt_synth *s)
{
	pt_cgroups_each(synth_cgroup, s);
}

/* Reads each file once. A file's number is valid while the file is mapped, which holds during a
 * walk over all tasks. */
static const struct pt_build_id *build_id(struct pt_synth *s, pid_t pid,
					  const struct pt_proc_mapping *m)
{
	uint64_t key = pt_hash64(m->ino) ^ ((uint64_t)m->maj << 32 | m->min), *slot;
	struct pt_build_id id = { .len = 0 };

	if (!m->ino || m->path[0] != '/')
		return NULL;
	slot = pt_map_get(&s->files, key);
	if (slot)
		return &s->ids[*slot];
	/* the mapped file itself, even if its name is gone; without permission, the path below the
	 * task's root if it is still the same file */
	if (!pt_build_id_mapping(pid, m->start, m->end, &id) &&
	    !pt_build_id_mapped(pid, m->path, m->ino, &id))
		id.len = 0;
	if (s->nr_ids >= (s->max_files ? s->max_files : MAX_FILES)) {
		s->last_id = id;	/* read again for the next mapping */
		return &s->last_id;
	}
	*pt_map_put(&s->files, key) = s->nr_ids;
	PT_GROW(s->ids, s->nr_ids, s->cap_ids);
	s->ids[s->nr_ids] = id;
	return &s->ids[s->nr_ids++];
}

static void put_mapping(struct pt_synth *s, pid_t pid, const struct pt_proc_mapping *m)
{
	const struct pt_build_id *id = s->build_ids ? build_id(s, pid, m) : NULL;
	bool has_id = id && id->len, exec = m->prot & PROT_EXEC;

	synth_begin(s, PERF_RECORD_MMAP2,
		    (uint16_t)(PERF_RECORD_MISC_USER | (exec ? 0 : PERF_RECORD_MISC_MMAP_DATA) |
			       (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0)));
	put32(s, (uint32_t)pid);
	put32(s, (uint32_t)pid);
	put64(s, m->start);
	put64(s, m->end - m->start);
	put64(s, m->pgoff);
	if (has_id) {
		pt_buf_add(&s->record, &id->len, 1);
		pt_buf_fill(&s->record, 0, 3);
		pt_buf_add(&s->record, id->bytes, sizeof(id->bytes));
	} else {
		put32(s, m->maj);
		put32(s, m->min);
		put64(s, m->ino);
		put64(s, 0);
	}
	put32(s, m->prot);
	put32(s, m->flags);
	synth_put_name(s, m->path, strnlen(m->path, MAX_PATH - 1));
	synth_finish(s);
}

static void process_maps(struct pt_synth *s, pid_t pid)
{
	char path[64], *line = NULL;
	size_t cap = 0;
	struct pt_proc_mapping m;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &cap, f) > 0)
		if (pt_proc_mapping(line, &m) && (m.prot & PROT_EXEC || s->want_data_maps))
			put_mapping(s, pid, &m);
	free(line);
	fclose(f);
}

/* A parent that is not in the recording confuses readers, some of which take the mappings from it.
 * So processes that are watched alone have no FORK, as with perf record -p. */
static void thread(struct pt_synth *s, pid_t pid, pid_t tid, bool fork)
{
	struct pt_proc p;

	if (!pt_proc_read(pid, tid, &p))
		return;
	if (fork) {
		synth_begin(s, PERF_RECORD_FORK, 0);
		put32(s, (uint32_t)pid);
		put32(s, (uint32_t)(pid == tid ? p.parent : pid));
		put32(s, (uint32_t)tid);
		put32(s, (uint32_t)(pid == tid ? p.parent : pid));
		put64(s, 0);
		synth_finish(s);
	}
	synth_begin(s, PERF_RECORD_COMM, 0);
	put32(s, (uint32_t)pid);
	put32(s, (uint32_t)tid);
	synth_put_name(s, p.comm, strnlen(p.comm, COMM_BYTES - 1));
	synth_finish(s);
}

static void process(struct pt_synth *s, pid_t pid, bool fork)
{
	uint32_t *tids;
	size_t nr;

	if (pt_proc_list((uint32_t)pid, &tids, &nr, NULL) < 0)
		return;
	thread(s, pid, pid, fork);
	for (size_t i = 0; i < nr; i++)
		if ((pid_t)tids[i] != pid)
			thread(s, pid, (pid_t)tids[i], fork);
	free(tids);
	if (s->want_maps)
		process_maps(s, pid);
}

void pt_synth_process(struct pt_synth *s, pid_t pid)
{
	process(s, pid, false);
}

pid_t pt_synth_leader(pid_t tid)
{
	pid_t leader = (pid_t)pt_proc_of_thread((uint32_t)tid);

	return leader ? leader : tid;
}

void pt_synth_all(struct pt_synth *s)
{
	uint32_t *pids;
	size_t nr;

	if (pt_proc_list(0, &pids, &nr, NULL) < 0)
		return;
	for (size_t i = 0; i < nr; i++)
		process(s, (pid_t)pids[i], true);
	free(pids);
}

void pt_synth_watched(struct pt_synth *s, const struct pt_watch *w)
{
	if (pt_watch_is_of_cpus(w) && !w->collects_tasks)
		pt_synth_all(s);
	for (size_t i = 0; i < w->nr_pids; i++)
		pt_synth_process(s, w->pids[i]);
	for (size_t i = 0; i < w->nr_tids; i++)
		pt_synth_process(s, pt_synth_leader(w->tids[i]));
}
