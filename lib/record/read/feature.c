#include "record/read/feature.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracepoint/tp.h"
#include "record/format/evtable.h"

void pt_features_init(struct pt_features *f)
{
	*f = (struct pt_features){ .names = pt_names_new() };
	f->info.clockid = -1;
	f->info.long_bytes = 8;
}

void pt_features_deinit(struct pt_features *f)
{
	free(f->cmdline);
	free(f->pmus);
	free(f->cpus);
	free(f->build_ids);
	pt_names_free(f->names);
}

/* A string: its padded length in bytes, then the text. */
static const char *read_string(struct pt_features *f, struct pt_bytes *b)
{
	uint32_t len = pt_bytes_u32(b);
	const char *s = pt_bytes_take(b, len);

	return s ? pt_names_add(f->names, s, len) : NULL;
}

static void read_build_ids(struct pt_features *f, struct pt_bytes *b)
{
	while (pt_bytes_left(b) >= PT_HEADER_BYTES) {
		uint16_t len = pt_load16(b->at + 6, b->swap);
		const uint8_t *p = len >= PT_HEADER_BYTES ? pt_bytes_take(b, len) : NULL;

		if (!p || pt_feature_build_id(f, p, len, b->swap) < 0) {
			b->bad = true;
			return;
		}
	}
}

int pt_feature_build_id(struct pt_features *f, const uint8_t *p, size_t len, bool swap)
{
	struct pt_bytes b = pt_bytes(p, len, swap);
	struct pt_build_id_entry entry = { 0 };
	uint8_t size;
	const void *id;

	pt_bytes_u32(&b);
	entry.misc = pt_bytes_u16(&b);
	pt_bytes_u16(&b);
	entry.pid = pt_bytes_u32(&b);
	id = pt_bytes_take(&b, sizeof(entry.id));
	size = pt_bytes_u8(&b);
	pt_bytes_take(&b, 3);
	if (b.bad)
		return -1;
	memcpy(entry.id, id, sizeof(entry.id));
	/* The length is given only if the highest bit of misc is set; otherwise it is 20. */
	entry.len = entry.misc & PERF_RECORD_MISC_EXT_RESERVED ? PT_MIN(size, sizeof(entry.id))
							       : sizeof(entry.id);
	entry.misc &= PERF_RECORD_MISC_CPUMODE_MASK;
	entry.path = pt_names_add(f->names, (const char *)b.at, pt_bytes_left(&b));
	PT_GROW(f->build_ids, f->nr_build_ids, f->cap_build_ids);
	f->build_ids[f->nr_build_ids++] = entry;
	return 0;
}

/* The number of entries of a list, each of at least `least` bytes; `had`: it was read before. */
static uint32_t feature_read_number(struct pt_bytes *b, size_t least, const void *had)
{
	uint32_t nr = pt_bytes_u32(b);

	b->bad |= nr > pt_bytes_left(b) / least || had;
	return b->bad ? 0 : nr;
}

static void read_cmdline(struct pt_features *f, struct pt_bytes *b)
{
	uint32_t nr = feature_read_number(b, 4, f->cmdline), i;

	if (b->bad)
		return;
	f->info.cmdline = f->cmdline = pt_alloc_array(nr, sizeof(*f->cmdline));
	for (i = 0; i < nr && (f->cmdline[i] = read_string(f, b)); i++)
		f->info.nr_cmdline = i + 1;
}

static void read_pmus(struct pt_features *f, struct pt_bytes *b)
{
	uint32_t nr = feature_read_number(b, 8, f->pmus), i;

	if (b->bad)
		return;
	f->info.pmus = f->pmus = pt_alloc_array(nr, sizeof(*f->pmus));
	for (i = 0; i < nr; i++) {
		f->pmus[i].type = pt_bytes_u32(b);
		f->pmus[i].name = read_string(f, b);
		if (!f->pmus[i].name)
			return;
		f->info.nr_pmus = i + 1;
	}
}

static void skip_strings(struct pt_bytes *b)
{
	for (uint32_t nr = pt_bytes_u32(b); nr && !b->bad; nr--)
		pt_bytes_take(b, pt_bytes_u32(b));
}

/* Lists of siblings (cores, threads) as text, then core and socket of each CPU; since 5.3 also
 * lists of dies and the die of each CPU. What is damaged is ignored: it is only needed to group
 * CPUs. */
static void read_topology(struct pt_features *f, struct pt_bytes b)
{
	uint32_t nr = f->info.nr_cpus_avail, i;

	skip_strings(&b);
	skip_strings(&b);
	if (f->cpus || b.bad || !nr || nr > pt_bytes_left(&b) / 8)
		return;
	f->info.cpus = f->cpus = pt_alloc_array(nr, sizeof(*f->cpus));
	f->info.nr_cpus = nr;
	for (i = 0; i < nr; i++) {
		f->cpus[i].core = (int32_t)pt_bytes_u32(&b);
		f->cpus[i].socket = (int32_t)pt_bytes_u32(&b);
	}
	if (!pt_bytes_left(&b))
		return;
	skip_strings(&b);
	for (i = 0; i < nr && pt_bytes_left(&b) >= 4; i++)
		f->cpus[i].die = (int32_t)pt_bytes_u32(&b);
}

static struct pt_event *event_at(struct pt_stream *st, size_t i)
{
	return i < st->events->nr ? &st->events->evs[i]->ev : NULL;
}

/* Names of events: by ids, else by position. */
static void read_event_desc(struct pt_stream *st, struct pt_bytes *b)
{
	uint32_t nr = pt_bytes_u32(b), attr_len = pt_bytes_u32(b), i, j;

	for (i = 0; i < nr && !b->bad; i++) {
		struct pt_event *ev = event_at(st, i), *by_id = NULL;
		const char *name;
		uint32_t nr_ids;

		pt_bytes_take(b, attr_len);
		nr_ids = pt_bytes_u32(b);
		name = read_string(st->features, b);
		if (nr_ids > pt_bytes_left(b) / 8)
			b->bad = true;
		for (j = 0; j < nr_ids && !b->bad; j++) {
			uint64_t id = pt_bytes_u64(b);

			if (!by_id)
				by_id = pt_evtable_by_id(st->events, id);
		}
		ev = by_id ? by_id : ev;
		if (ev && name && *name && !b->bad)
			pt_evtable_set_name(st->events, ev, name);
	}
}

/* Groups: name, index of the leader, number of members, which follow it. */
static void read_groups(struct pt_stream *st, struct pt_bytes *b)
{
	for (uint32_t nr = pt_bytes_u32(b); nr && !b->bad; nr--) {
		uint32_t name_len = pt_bytes_u32(b), leader, members;
		struct pt_event *event;

		pt_bytes_take(b, name_len);
		leader = pt_bytes_u32(b);
		members = pt_bytes_u32(b);
		for (uint32_t i = 1; i < members; i++) {
			event = event_at(st, (size_t)leader + i);
			if (!event)
				break;
			event->leader = leader;
		}
	}
}

static int long_bytes_of(const char *arch)
{
	static const char *const small[] = { "i386", "i486", "i586",    "i686",  "arm", "ppc",
					     "mips", "s390", "riscv32", "sparc", "sh4", "m68k" };
	size_t i;

	for (i = 0; i < PT_NR(small); i++)
		if (!strcmp(arch, small[i]))
			return 4;
	return !strncmp(arch, "armv", 4) && strncmp(arch, "armv8", 5) ? 4 : 8;
}

static int read_tracing_data(struct pt_stream *st, const void *data, size_t len, bool swap,
			     struct pt_err *e)
{
	int rc;

	if (st->tps)
		return pt_err_set(e, "tracing data: there twice");
	st->tps = pt_tp_db_new(swap, 8);
	st->own_tps = true;
	rc = pt_tp_db_add_tracing_data(st->tps, data, len, e);
	st->info->long_bytes = pt_tp_db_long_bytes(st->tps);
	pt_feature_link_tracepoints(st);
	return rc;
}

void pt_feature_link_tracepoints(struct pt_stream *st)
{
	size_t i;

	if (!st->tps)
		return;
	for (i = 0; i < st->events->nr; i++) {
		struct pt_evt *v = st->events->evs[i];
		const struct pt_tp *tp;
		char *name;

		if (v->ev.tp || v->ev.attr.type != PERF_TYPE_TRACEPOINT ||
		    v->ev.attr.config > INT32_MAX)
			continue;
		tp = pt_tp_db_by_id(st->tps, (int)v->ev.attr.config);
		v->ev.tp = tp;
		if (!tp || v->named)
			continue;
		name = pt_asprintf("%s:%s", tp->system, tp->name);
		pt_evtable_set_name(st->events, &v->ev, name);
		free(name);
	}
}

static void read_clock_data(struct pt_info *info, struct pt_bytes *b)
{
	uint32_t version = pt_bytes_u32(b), clockid = pt_bytes_u32(b);
	uint64_t wall_ns = pt_bytes_u64(b), clock_ns = pt_bytes_u64(b);

	if (b->bad || version != 1)
		return;
	info->clockid = (int)clockid;
	info->has_clock_data = true;
	info->wall_ns = wall_ns;
	info->clock_ns = clock_ns;
}

/* Where a section that is a string alone goes; NULL: it is none. */
static const char **string_of(struct pt_info *info, unsigned number)
{
	switch (number) {
	case PT_FEATURE_HOSTNAME: return &info->hostname;
	case PT_FEATURE_OSRELEASE: return &info->os_release;
	case PT_FEATURE_VERSION: return &info->version;
	case PT_FEATURE_ARCH: return &info->arch;
	case PT_FEATURE_CPUDESC: return &info->cpu_desc;
	case PT_FEATURE_CPUID: return &info->cpu_id;
	}
	return NULL;
}

int pt_feature_read(struct pt_stream *st, unsigned number, const void *data, size_t len, bool swap,
		    struct pt_err *e)
{
	struct pt_features *f = st->features;
	struct pt_info *info = st->info;
	struct pt_bytes b = pt_bytes(data, len, swap);
	const char **string = string_of(info, number);

	if (number < PT_NR_FEATURES)
		info->features[number / 64] |= 1ull << number % 64;
	if (string)
		*string = read_string(f, &b);
	switch (number) {
	case PT_FEATURE_TRACING_DATA:
		return read_tracing_data(st, data, len, swap, e);
	case PT_FEATURE_BUILD_ID:
		read_build_ids(f, &b);
		break;
	case PT_FEATURE_ARCH:
		if (info->arch && !st->tps)
			info->long_bytes = long_bytes_of(info->arch);
		break;
	case PT_FEATURE_NRCPUS:
		info->nr_cpus_avail = pt_bytes_u32(&b);
		info->nr_cpus_online = pt_bytes_u32(&b);
		break;
	case PT_FEATURE_TOTAL_MEM:
		info->total_mem_kb = pt_bytes_u64(&b);
		break;
	case PT_FEATURE_CMDLINE:
		read_cmdline(f, &b);
		break;
	case PT_FEATURE_EVENT_DESC:
		read_event_desc(st, &b);
		break;
	case PT_FEATURE_GROUP_DESC:
		read_groups(st, &b);
		break;
	case PT_FEATURE_CPU_TOPOLOGY:
		read_topology(f, b);
		break;
	case PT_FEATURE_PMU_MAPPINGS:
		read_pmus(f, &b);
		break;
	case PT_FEATURE_SAMPLE_TIME:
		info->first_time_ns = pt_bytes_u64(&b);
		info->last_time_ns = pt_bytes_u64(&b);
		break;
	case PT_FEATURE_DIR_FORMAT:
		f->is_dir = true;
		break;
	case PT_FEATURE_COMPRESSED:
		pt_bytes_take(&b, 16);	/* version, type, level, ratio */
		f->comp_mmap_len = pt_bytes_u32(&b);
		break;
	case PT_FEATURE_CLOCK_DATA:
		read_clock_data(info, &b);
		break;
	}
	return b.bad ? pt_err_set(e, "section %u of the header is damaged", number) : 0;
}

/* Only names are used here; units, scales and CPU lists are for counts. */
int pt_feature_event_update(struct pt_stream *st, const uint8_t *p, size_t len, bool swap)
{
	struct pt_bytes b = pt_bytes(p, len, swap);
	struct pt_event *ev;
	uint64_t kind, id;
	const char *name;

	pt_bytes_u64(&b);
	kind = pt_bytes_u64(&b);
	id = pt_bytes_u64(&b);
	if (b.bad)
		return -1;
	if (kind != 2)
		return 0;
	ev = pt_evtable_by_id(st->events, id);
	name = pt_bytes_str(&b, SIZE_MAX);
	if (b.bad)
		return -1;
	if (ev && *name)
		pt_evtable_set_name(st->events, ev, name);
	return 0;
}

int pt_feature_time_conv(struct pt_features *f, const uint8_t *p, size_t len, bool swap)
{
	struct pt_bytes b = pt_bytes(p, len, swap);

	pt_bytes_u64(&b);
	f->info.time_shift = pt_bytes_u64(&b);
	f->info.time_mult = pt_bytes_u64(&b);
	f->info.time_zero = pt_bytes_u64(&b);
	f->info.has_time_conv = !b.bad;
	return b.bad ? -1 : 0;
}
