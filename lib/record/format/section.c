#include "record/format/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/smallfile.h"
#include "event/pmu.h"
#include "event/topology.h"

enum { STRING_ALIGN = 64, MAX_CPU = 1 << 20 };

void pt_sections_deinit(struct pt_sections *s)
{
	size_t i;

	for (i = 0; i < PT_SECTIONS_NR; i++)
		pt_buf_deinit(&s->data[i]);
	s->has = 0;
}

struct pt_buf *pt_sections_start(struct pt_sections *s, enum pt_feature f)
{
	s->has |= 1u << f;
	pt_buf_clear(&s->data[f]);
	return &s->data[f];
}

void pt_sections_drop(struct pt_sections *s, enum pt_feature f)
{
	s->has &= ~(1u << f);
}

void pt_buf_u32(struct pt_buf *b, uint32_t v)
{
	pt_buf_add(b, &v, sizeof(v));
}

void pt_buf_u64(struct pt_buf *b, uint64_t v)
{
	pt_buf_add(b, &v, sizeof(v));
}

static void section_add_string(struct pt_buf *b, const char *s, size_t len)
{
	size_t padded = (len + STRING_ALIGN) / STRING_ALIGN * STRING_ALIGN;

	pt_buf_u32(b, (uint32_t)padded);
	pt_buf_add(b, s, len);
	pt_buf_fill(b, 0, padded - len);
}

static void put_string(struct pt_sections *s, enum pt_feature f, const char *text)
{
	section_add_string(pt_sections_start(s, f), text, strlen(text));
}

/* x86 has a line for each part of the CPU's name; other CPUs have one line for all. */
enum { VENDOR, FAMILY, MODEL, STEPPING, DESC, CPU_WORDS };

static void read_cpuinfo(char words[CPU_WORDS][128])
{
	static const struct { const char *key; int word; } keys[] = {
		{ "vendor_id", VENDOR }, { "cpu family", FAMILY }, { "model", MODEL },
		{ "stepping", STEPPING },
		{ "model name", DESC }, { "Processor", DESC }, { "cpu", DESC },
	};
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[1024], key[64], value[128];

	for (int n = 0; f && n < 64 && fgets(line, sizeof(line), f); n++) {
		if (sscanf(line, "%63[^:\t]%*[: \t]%127[^\n]", key, value) != 2)
			continue;
		for (size_t i = 0; i < PT_NR(keys); i++)
			if (!strcmp(keys[i].key, key) && !*words[keys[i].word])
				strcpy(words[keys[i].word], value);
	}
	if (f)
		fclose(f);
}

static void cpu_sections(struct pt_sections *s)
{
	char c[CPU_WORDS][128] = { "" }, id[512], midr[64];

	read_cpuinfo(c);
	if (*c[DESC])
		put_string(s, PT_FEATURE_CPUDESC, c[DESC]);
	if (*c[VENDOR] && *c[FAMILY]) {
		snprintf(id, sizeof(id), "%s,%s,%s,%s", c[VENDOR], c[FAMILY], c[MODEL],
			 c[STEPPING]);
		put_string(s, PT_FEATURE_CPUID, id);
	} else if (!pt_file_text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				 midr, sizeof(midr))) {
		put_string(s, PT_FEATURE_CPUID, midr);
	}
}

/* "KEY: NUMBER kB" of /proc/meminfo, or of a node's */
static uint64_t meminfo(const char *path, const char *key)
{
	char text[4096], *at;

	at = pt_file_text(path, text, sizeof(text)) ? NULL : strstr(text, key);
	return at && at[strlen(key)] == ':' ? strtoull(at + strlen(key) + 1, NULL, 10) : 0;
}

static size_t nr_cpus_avail(void)
{
	size_t nr = 0, n;
	int *cpus;

	if (pt_num_list_file("/sys/devices/system/cpu/present", MAX_CPU, &cpus, &nr, NULL) == 0) {
		n = nr ? (size_t)cpus[nr - 1] + 1 : 0;
		free(cpus);
		if (n)
			return n;
	}
	return (size_t)PT_MAX(sysconf(_SC_NPROCESSORS_CONF), 1L);
}

static bool topology_line(size_t cpu, const char *name, char *line, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/topology/%s", cpu, name);
	return !pt_file_text(path, line, size);
}

/* Writes the distinct lists in one file of each CPU: sockets, dies or cores. */
static void sibling_lists(struct pt_buf *b, size_t nr_cpus, const char *name,
			  const char *older_name)
{
	struct pt_names *seen = pt_names_new();
	size_t at = b->len;
	char line[4096];
	uint32_t nr = 0;

	pt_buf_u32(b, 0);
	for (size_t i = 0; i < nr_cpus; i++) {
		if (!topology_line(i, name, line, sizeof(line)) &&
		    (!older_name || !topology_line(i, older_name, line, sizeof(line))))
			continue;
		if (pt_names_find(seen, line, strlen(line)))
			continue;
		pt_names_add(seen, line, strlen(line));
		section_add_string(b, line, strlen(line));
		nr++;
	}
	memcpy(b->data + at, &nr, sizeof(nr));
	pt_names_free(seen);
}

static void topology_section(struct pt_sections *s, size_t nr_cpus)
{
	struct pt_buf *b;
	char line[4096];
	size_t i;

	if (!topology_line(0, "core_id", line, sizeof(line)))
		return;
	b = pt_sections_start(s, PT_FEATURE_CPU_TOPOLOGY);
	sibling_lists(b, nr_cpus, "package_cpus_list", "core_siblings_list");
	sibling_lists(b, nr_cpus, "core_cpus_list", "thread_siblings_list");
	for (i = 0; i < nr_cpus; i++) {
		struct pt_cpu_place place = pt_topology_of(NULL, (int)i);

		pt_buf_u32(b, (uint32_t)place.core);
		pt_buf_u32(b, (uint32_t)place.socket);
	}
	if (!topology_line(0, "die_cpus_list", line, sizeof(line)))
		return;
	sibling_lists(b, nr_cpus, "die_cpus_list", NULL);
	for (i = 0; i < nr_cpus; i++) {		/* as perf: of a CPU that is off-line -1 */
		struct pt_cpu_place place = pt_topology_of(NULL, (int)i);

		pt_buf_u32(b, (uint32_t)(place.core < 0 ? -1 : place.die));
	}
}

static void numa_section(struct pt_sections *s)
{
	char path[128], line[4096];
	struct pt_buf *b;
	int *nodes;
	size_t nr, i;

	if (pt_num_list_file("/sys/devices/system/node/online", MAX_CPU, &nodes, &nr, NULL) < 0)
		return;
	b = pt_sections_start(s, PT_FEATURE_NUMA_TOPOLOGY);
	pt_buf_u32(b, (uint32_t)nr);
	for (i = 0; i < nr; i++) {
		pt_buf_u32(b, (uint32_t)nodes[i]);
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", nodes[i]);
		pt_buf_u64(b, meminfo(path, "MemTotal"));
		pt_buf_u64(b, meminfo(path, "MemFree"));
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", nodes[i]);
		if (pt_file_text(path, line, sizeof(line)))
			*line = '\0';
		section_add_string(b, line, strlen(line));
	}
	free(nodes);
}

static void pmu_section(struct pt_sections *s)
{
	struct pt_pmus *pmus = pt_pmus_new(NULL);
	struct pt_buf *b;

	if (pmus->nr) {
		b = pt_sections_start(s, PT_FEATURE_PMU_MAPPINGS);
		pt_buf_u32(b, (uint32_t)pmus->nr);
		for (size_t i = 0; i < pmus->nr; i++) {
			pt_buf_u32(b, pmus->v[i]->type);
			section_add_string(b, pmus->v[i]->name, strlen(pmus->v[i]->name));
		}
	}
	pt_pmus_free(pmus);
}

void pt_sections_machine(struct pt_sections *s, const char *version)
{
	size_t nr_cpus = nr_cpus_avail();
	struct utsname u;
	struct pt_buf *b;
	uint64_t kb;

	if (uname(&u) == 0) {
		put_string(s, PT_FEATURE_HOSTNAME, u.nodename);
		put_string(s, PT_FEATURE_OSRELEASE, u.release);
		put_string(s, PT_FEATURE_ARCH, u.machine);
	}
	put_string(s, PT_FEATURE_VERSION, version);
	b = pt_sections_start(s, PT_FEATURE_NRCPUS);
	pt_buf_u32(b, (uint32_t)nr_cpus);
	pt_buf_u32(b, (uint32_t)PT_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L));
	cpu_sections(s);
	kb = meminfo("/proc/meminfo", "MemTotal");
	if (kb)
		pt_buf_u64(pt_sections_start(s, PT_FEATURE_TOTAL_MEM), kb);
	topology_section(s, nr_cpus);
	numa_section(s);
	pmu_section(s);
}

void pt_sections_cmdline(struct pt_sections *s, int argc, char **argv)
{
	struct pt_buf *b = pt_sections_start(s, PT_FEATURE_CMDLINE);
	int i;

	pt_buf_u32(b, (uint32_t)argc);
	for (i = 0; i < argc; i++)
		section_add_string(b, argv[i], strlen(argv[i]));
}

uint32_t pt_write_attr_bytes(const struct pt_write_event *events, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (events[i].attr.config3)
			return PT_ATTR_SIZE_VER8;
	return PT_ATTR_SIZE_VER7;
}

void pt_write_attr(struct pt_buf *b, const struct pt_write_event *ev, uint32_t attr_bytes)
{
	struct pt_attr attr = ev->attr;

	attr.size = attr_bytes;
	pt_buf_add(b, &attr, attr_bytes);
}

static void group_section(struct pt_sections *s, const struct pt_write_event *events, size_t nr)
{
	struct pt_buf *b = pt_sections_start(s, PT_FEATURE_GROUP_DESC);
	uint32_t groups = 0, members;
	size_t i, k;

	pt_buf_u32(b, 0);
	for (i = 0; i < nr; i++) {
		for (k = 0, members = 0; k < nr; k++)
			members += events[k].leader == i;
		if (events[i].leader != i || members < 2)
			continue;
		section_add_string(b, "{anon_group}", strlen("{anon_group}"));
		pt_buf_u32(b, (uint32_t)i);
		pt_buf_u32(b, members);
		groups++;
	}
	memcpy(b->data, &groups, sizeof(groups));
	if (!groups)
		s->has &= ~(1u << PT_FEATURE_GROUP_DESC);
}

void pt_sections_events(struct pt_sections *s, const struct pt_write_event *events, size_t nr)
{
	struct pt_buf *b = pt_sections_start(s, PT_FEATURE_EVENT_DESC);
	uint32_t attr_bytes = pt_write_attr_bytes(events, nr);
	size_t i;

	pt_buf_u32(b, (uint32_t)nr);
	pt_buf_u32(b, attr_bytes);
	for (i = 0; i < nr; i++) {
		pt_write_attr(b, &events[i], attr_bytes);
		pt_buf_u32(b, (uint32_t)events[i].nr_ids);
		section_add_string(b, events[i].name, strlen(events[i].name));
		pt_buf_add(b, events[i].ids, events[i].nr_ids * sizeof(*events[i].ids));
	}
	group_section(s, events, nr);
}

void pt_sections_clock(struct pt_sections *s, int clockid)
{
	struct pt_clock clock = pt_clock(clockid), wall = { CLOCK_REALTIME, 0 };
	struct timespec res;
	struct pt_buf *b;

	if (clock_getres(clockid, &res) < 0)
		return;
	pt_buf_u64(pt_sections_start(s, PT_FEATURE_CLOCKID),
		   (uint64_t)res.tv_sec * 1000000000u + (uint64_t)res.tv_nsec);
	b = pt_sections_start(s, PT_FEATURE_CLOCK_DATA);
	pt_buf_u32(b, 1);
	pt_buf_u32(b, (uint32_t)clockid);
	pt_buf_u64(b, pt_clock_now_ns(&wall));
	pt_buf_u64(b, pt_clock_now_ns(&clock));
}

void pt_sections_compressed(struct pt_sections *s, int level, uint32_t ratio, uint32_t unit_bytes)
{
	struct pt_buf *b = pt_sections_start(s, PT_FEATURE_COMPRESSED);

	pt_buf_u32(b, 1);	/* version */
	pt_buf_u32(b, 1);	/* zstd */
	pt_buf_u32(b, (uint32_t)level);
	pt_buf_u32(b, ratio);
	pt_buf_u32(b, unit_bytes);
}

void pt_sections_sample_time(struct pt_sections *s, uint64_t first_ns, uint64_t last_ns)
{
	struct pt_buf *b = pt_sections_start(s, PT_FEATURE_SAMPLE_TIME);

	pt_buf_u64(b, first_ns);
	pt_buf_u64(b, last_ns);
}
