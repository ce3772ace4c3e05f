#include "stack/frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "event/open.h"
#include "stack/frames_priv.h"

enum { DEFAULT_MAX = 1024, OPEN_FILES = 65536 };

struct pt_frames *pt_frames_new(const struct pt_frames_opts *o)
{
	struct pt_frames *f = pt_alloc(sizeof(*f));

	/* a file for each module, debug file and mount namespace stays open */
	pt_want_open_files(OPEN_FILES);
	f->opts = *o;
	f->max = o->max_stack ? (size_t)o->max_stack : DEFAULT_MAX;
	f->spaces = pt_spaces_new();
	f->files = pt_files_new(&(struct pt_files_opts){
		.symfs = o->symfs, .archives = o->archives, .nr_archives = o->nr_archives,
		.live = o->live, .debuginfod = o->debuginfod });
	f->vdsos = pt_vdsos_new();
	f->own_vdso = o->live;
	f->unwinder = pt_unwinder_new();
	f->names = pt_names_new();
	f->raw = pt_alloc_array(f->max, sizeof(*f->raw));
	f->stack = pt_alloc_array(f->max, sizeof(*f->stack));
	f->shown = pt_alloc_array(f->max, sizeof(*f->shown));
	f->maps = 1;
	if (!o->live)
		f->seen = pt_alloc_array(PT_SEEN_PLACES, sizeof(*f->seen));
	f->kernel = pt_kernel_new(o->kallsyms, o->vmlinux, o->live);
	if (!o->live)
		pt_frames_settle(f);
	return f;
}

struct pt_files *pt_frames_files(struct pt_frames *f) { return f->files; }

void pt_frames_settle(struct pt_frames *f)
{
	if (f->keep || !(f->keep = pt_diskcache_open()))
		return;
	pt_kernel_use(f->kernel, f->keep);
}

void pt_frames_free(struct pt_frames *f)
{
	struct pt_map_slot *s;
	size_t i;

	if (!f)
		return;
	for (i = 0; (s = pt_map_each(&f->modules, &i)); )
		pt_frames_module_free(f, pt_pointer(s->value));
	pt_arena_deinit(&f->all_places);
	for (i = 0; (s = pt_map_each(&f->jits, &i)); )
		pt_jit_free(pt_pointer(s->value));
	pt_map_deinit(&f->modules);
	pt_map_deinit(&f->places);
	pt_map_deinit(&f->nice);
	pt_map_deinit(&f->jits);
	pt_map_deinit(&f->reread);
	pt_map_deinit(&f->born);
	pt_map_deinit(&f->ended);
	pt_spaces_free(f->spaces);
	pt_unwinder_free(f->unwinder);
	pt_vdsos_free(f->vdsos);
	pt_files_free(f->files);
	pt_kernel_free(f->kernel);
	pt_ksymbols_deinit(&f->ksymbols);
	pt_map_deinit(&f->told_ids);
	pt_diskcache_close(f->keep);
	pt_names_free(f->names);
	free(f->arch);
	free(f->raw);
	free(f->stack);
	free(f->shown);
	free(f->seen);
	free(f->out);
	free(f->all);
	free(f);
}

static bool frames_same(const char *recorded, const char *here)
{
	return recorded && !strcmp(recorded, here);
}

static void see_source(struct pt_frames *f, const struct pt_info *info)
{
	struct utsname u = { .sysname = "" };

	if (!f->arch) {
		uname(&u);
		f->arch = pt_strdup(info->arch ? info->arch : "x86_64");
		f->same_release = frames_same(info->os_release, u.release);
		f->own_vdso =
			f->opts.live || (frames_same(info->arch, u.machine) && f->same_release);
		f->clock.here = frames_same(info->hostname, u.nodename);
	}
	f->clock.clockid = info->clockid;
	f->clock.has_wall = info->has_clock_data;
	f->clock.clock_ns = info->clock_ns;
	f->clock.wall_ns = info->wall_ns;
	if (info->has_time_conv) {
		f->clock.shift = info->time_shift;
		f->clock.mult = info->time_mult;
		f->clock.zero = info->time_zero;
	}
}

void pt_frames_feed(struct pt_frames *f, const struct pt_source *s, const struct pt_record *rec)
{
	if (!f->arch || rec->type != PERF_RECORD_SAMPLE) {
		see_source(f, pt_source_info(s));
		pt_frames_see_ids(f, s);
	}
	if (rec->type == PERF_RECORD_SAMPLE)
		return;
	f->maps++;
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		pt_files_see_process(f->files, rec->u.mmap.pid);
		pt_kernel_feed(f, s, rec);
		break;
	case PERF_RECORD_FORK:
		if (f->opts.live && rec->u.task.pid != rec->u.task.ppid)
			pt_files_see_fork(f->files, rec->u.task.ppid, rec->u.task.pid);
		break;
	case PERF_RECORD_COMM:
		if (rec->misc & PERF_RECORD_MISC_COMM_EXEC)
			pt_files_see_change(f->files, rec->u.comm.pid);
		break;
	case PERF_RECORD_NAMESPACES:
		pt_files_see_change(f->files, rec->u.namespaces.pid);
		break;
	case PERF_RECORD_LOST:
		if (!rec->event || rec->event->side_band)
			f->loss_ns = rec->time_ns;
		break;
	case PERF_RECORD_KSYMBOL:
		pt_ksymbols_feed(&f->ksymbols, rec);
		break;
	}
	pt_jit_feed(f, rec);
	pt_spaces_feed(f->spaces, rec);
	pt_jit_see_mapping(f, rec);
}

size_t pt_frames_as_shown(const struct pt_frames *f, const struct pt_frames_shown **shown)
{
	*shown = f->shown;
	return f->nr;
}

void pt_frames_set_enough(struct pt_frames *f, bool (*enough)(void *ctx), void *ctx)
{
	f->enough = enough;
	f->enough_ctx = ctx;
}

size_t pt_frames_named(struct pt_frames *f, const struct pt_named_frame **frames)
{
	const struct pt_named_frame *names;
	size_t i, k, nr, out = 0;
	struct pt_named_frame *all = f->all;

	for (i = 0; i < f->nr; i++) {
		nr = pt_frames_name(f, f->stack[i], &names);
		if (out + nr > f->cap_all)
			all = f->all =
				pt_realloc(f->all, f->cap_all = (out + nr) * 2, sizeof(*all));
		for (k = 0; k < nr; k++, out++) {
			all[out] = names[k];
			all[out].ip = f->shown[i].ip;
			all[out].shown = f->shown[i].shown;
			all[out].past = f->shown[i].past;
			f->counts.unknown += !names[k].name || names[k].is_address;
		}
	}
	*frames = all;
	return out;
}

size_t pt_frames_of(struct pt_frames *f, const struct pt_record *rec,
		    const struct pt_named_frame **frames, struct pt_frames_how *how)
{
	const struct pt_place_at *const *places;

	pt_frames_places(f, rec, &places, how);
	return pt_frames_named(f, frames);
}

bool pt_frames_has_file(const struct pt_place_at *at)
{
	return at->object || at->kernel;
}

uint32_t pt_frames_index(const struct pt_place_at *at)
{
	return at->index;
}

bool pt_frames_read_maps(struct pt_frames *f, uint32_t pid)
{
	struct utsname u;

	if (!f->arch)
		f->arch = pt_strdup(uname(&u) < 0 ? "x86_64" : u.machine);
	pt_files_see_process(f->files, pid);
	return pt_spaces_reread(f->spaces, pid);
}

void pt_frames_set_memory(struct pt_frames *f,
			  bool (*read)(void *ctx, uint64_t addr, void *to, size_t len), void *ctx)
{
	f->read = read;
	f->read_ctx = ctx;
}

bool pt_frames_is_anonymous(const char *module)
{
	return *module == '/' && pt_files_is_anonymous(module);
}

struct pt_frames_counts pt_frames_counts(const struct pt_frames *f)
{
	struct pt_frames_counts c = f->counts;
	struct pt_files_counts files = pt_files_counts(f->files);

	c.unmapped_files = files.unmapped;
	c.refused_kernel = pt_kernel_refused(f->kernel);
	c.refused_files = files.refused + c.refused_kernel;
	return c;
}

const struct pt_budgets *pt_frames_budgets(const struct pt_frames *f)
{
	return pt_files_budgets(f->files);
}
