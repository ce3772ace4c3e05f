/* pmu.c - PMUs in sysfs */
#include "event/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/smallfile.h"
#include "base/text.h"

enum { MAX_TEXT = 4096, MAX_PMUS = 4096, MAX_ENTRIES = 65536, MAX_NAME = 256 };

/* A small file; the caller frees it. NULL: missing, empty, or too long. */
static char *read_text(int dir, const char *name)
{
	char text[MAX_TEXT];

	if (pt_file_text_at(dir, name, text, sizeof(text)) || !*text ||
	    strlen(text) == sizeof(text) - 1)
		return NULL;
	return pt_strdup(text);
}

static bool read_cpus(struct pt_pmu *pmu, int dir, const char *name)
{
	char *text = read_text(dir, name);
	bool ok = text && *text && pt_num_list(text, 65535, &pmu->cpus, &pmu->nr_cpus, NULL) == 0;

	free(text);
	return ok;
}

static struct pt_pmu *read_pmu(const char *devices, const char *name)
{
	static const char *const own[] = { "software", "tracepoint", "breakpoint", "kprobe",
					   "uprobe" };
	char *path = pt_asprintf("%s/%s", devices, name), *text, *end;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pt_pmu *pmu = NULL;
	unsigned long type = 0;

	text = dir < 0 ? NULL : read_text(dir, "type");
	if (text) {
		type = strtoul(text, &end, 10);
		if (end != text && !*end && type <= UINT32_MAX) {
			pmu = pt_alloc(sizeof(*pmu));
			pmu->name = pt_strdup(name);
			pmu->type = (uint32_t)type;
			pmu->dir = path;
			path = NULL;
		}
	}
	if (pmu) {
		for (size_t i = 0; i < PT_NR(own); i++)
			pmu->software |= !strcmp(own[i], name);
		/* Core PMUs are "cpu", s390's cpum_cf, and those of hybrid machines, which list
		 * their CPUs. */
		pmu->core = read_cpus(pmu, dir, "cpus") || !strcmp(name, "cpu") ||
			    !strcmp(name, "cpum_cf");
		if (!pmu->core)
			read_cpus(pmu, dir, "cpumask");
	}
	if (dir >= 0)
		close(dir);
	free(text);
	free(path);
	return pmu;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp((*(struct pt_pmu *const *)a)->name, (*(struct pt_pmu *const *)b)->name);
}

struct pt_pmus *pt_pmus_new(const char *root)
{
	struct pt_pmus *p = pt_alloc(sizeof(*p));
	char *devices = pt_asprintf("%s/sys/bus/event_source/devices", root ? root : "");
	DIR *d = opendir(devices);
	struct dirent *ent;

	while (d && (ent = readdir(d)) && p->nr < MAX_PMUS) {
		struct pt_pmu *pmu;

		if (ent->d_name[0] == '.' || strlen(ent->d_name) > MAX_NAME ||
		    !(pmu = read_pmu(devices, ent->d_name)))
			continue;
		PT_GROW(p->v, p->nr, p->cap);
		p->v[p->nr++] = pmu;
		p->nr_core += pmu->core;
	}
	if (d)
		closedir(d);
	free(devices);
	if (p->nr)
		qsort(p->v, p->nr, sizeof(*p->v), by_version);
	for (size_t i = 0; i < p->nr; i++)
		p->v[i]->extended = p->v[i]->core && p->nr_core > 1;
	return p;
}

static void free_pmu(struct pt_pmu *pmu)
{
	size_t i;

	for (i = 0; i < pmu->nr_formats; i++) {
		free(pmu->formats[i].name);
		free(pmu->formats[i].text);
	}
	for (i = 0; i < pmu->nr_events; i++) {
		free(pmu->events[i].name);
		free(pmu->events[i].terms);
		free(pmu->events[i].unit);
	}
	free(pmu->formats);
	free(pmu->events);
	free(pmu->cpus);
	free(pmu->name);
	free(pmu->dir);
	free(pmu);
}

void pt_pmus_free(struct pt_pmus *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->nr; i++)
		free_pmu(p->v[i]);
	free(p->v);
	free(p);
}

/* The pattern with an optional number: "imc", "imc3", "imc_3". */
static bool numbered(const char *name, const char *stem)
{
	size_t len = strlen(stem);

	if (strpbrk(stem, "*?["))
		return pt_text_glob(stem, name);
	if (strncmp(name, stem, len))
		return false;
	name += len;
	if (*name == '_' && name[1])
		name++;
	else if (*name && len && isdigit((unsigned char)stem[len - 1]))	/* imc_1 is not imc_10 */
		return false;
	return !name[strspn(name, "0123456789")];
}

bool pt_pmu_named(const struct pt_pmu *pmu, const char *name)
{
	if (numbered(pmu->name, name))
		return true;
	return !strncmp(pmu->name, "uncore_", 7) && numbered(pmu->name + 7, name);
}

/* "config1:0-7,32-35" */
static bool parse_format(const char *text, struct pt_pmu_format *f)
{
	const char *p = text;
	unsigned bits = 0;
	char *end;

	if (strncmp(p, "config", 6))
		return false;
	p += 6;
	if (*p >= '1' && *p < '0' + PT_PMU_CONFIGS)
		f->config = *p++ - '0';
	if (*p++ != ':')
		return false;
	for (;;) {
		unsigned long from, to;

		if (!isdigit((unsigned char)*p) || f->nr_ranges == PT_PMU_RANGES)
			return false;
		from = to = strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			if (!isdigit((unsigned char)*p))
				return false;
			to = strtoul(p, &end, 10);
		}
		if (from > to || to > 63 || (bits += (unsigned)(to - from + 1)) > 64)
			return false;
		f->ranges[f->nr_ranges].from = (uint8_t)from;
		f->ranges[f->nr_ranges++].to = (uint8_t)to;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		p = end + 1;
	}
}

uint64_t pt_pmu_format_max(const struct pt_pmu_format *f)
{
	unsigned bits = 0;

	for (size_t i = 0; i < f->nr_ranges; i++)
		bits += f->ranges[i].to - f->ranges[i].from + 1u;
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static bool there(int dir, const char *name, const char *suffix)
{
	char *file = pt_asprintf("%s%s", name, suffix);
	bool yes = !faccessat(dir, file, F_OK, 0);

	free(file);
	return yes;
}

static char *read_side(int dir, const char *name, const char *suffix)
{
	char *file = pt_asprintf("%s%s", name, suffix), *text = read_text(dir, file);

	free(file);
	return text;
}

static void add_format(struct pt_pmu *pmu, int dir, const char *name)
{
	struct pt_pmu_format f = { .text = read_text(dir, name) };

	if (!f.text || !parse_format(f.text, &f)) {
		free(f.text);
		return;
	}
	f.name = pt_strdup(name);
	PT_GROW(pmu->formats, pmu->nr_formats, pmu->cap_formats);
	pmu->formats[pmu->nr_formats++] = f;
}

static void pmu_add_event(struct pt_pmu *pmu, int dir, const char *name)
{
	static const char *const sides[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	struct pt_pmu_event ev = { .scale = 1 };
	const char *dot = strrchr(name, '.');
	char *scale;

	for (size_t i = 0; dot && i < PT_NR(sides); i++)
		if (!strcmp(dot, sides[i]))
			return;
	ev.terms = read_text(dir, name);
	if (!ev.terms)
		return;
	ev.name = pt_strdup(name);
	ev.unit = read_side(dir, name, ".unit");
	scale = read_side(dir, name, ".scale");
	if (scale && pt_num_double(scale, &ev.scale, NULL) < 0)
		ev.scale = 1;
	free(scale);
	ev.per_pkg = there(dir, name, ".per-pkg");
	ev.snapshot = there(dir, name, ".snapshot");
	PT_GROW(pmu->events, pmu->nr_events, pmu->cap_events);
	pmu->events[pmu->nr_events++] = ev;
}

static void each_file(struct pt_pmu *pmu, const char *folder,
		      void (*add)(struct pt_pmu *, int, const char *))
{
	char *path = pt_asprintf("%s/%s", pmu->dir, folder);
	DIR *d = opendir(path);
	struct dirent *ent;
	size_t nr = 0;

	while (d && (ent = readdir(d)) && nr++ < MAX_ENTRIES)
		if (ent->d_name[0] != '.')
			add(pmu, dirfd(d), ent->d_name);
	if (d)
		closedir(d);
	free(path);
}

/* Formats and events begin with their names. */
static int pmu_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void pt_pmu_load(struct pt_pmu *pmu)
{
	if (pmu->loaded)
		return;
	pmu->loaded = true;
	each_file(pmu, "format", add_format);
	each_file(pmu, "events", pmu_add_event);
	if (pmu->nr_formats)
		qsort(pmu->formats, pmu->nr_formats, sizeof(*pmu->formats), pmu_by_name);
	if (pmu->nr_events)
		qsort(pmu->events, pmu->nr_events, sizeof(*pmu->events), pmu_by_name);
}

const struct pt_pmu_format *pt_pmu_format(struct pt_pmu *pmu, const char *name)
{
	pt_pmu_load(pmu);
	return pmu->nr_formats ? bsearch(&name, pmu->formats, pmu->nr_formats,
					 sizeof(*pmu->formats), pmu_by_name)
			       : NULL;
}

const struct pt_pmu_event *pt_pmu_event(struct pt_pmu *pmu, const char *name)
{
	pt_pmu_load(pmu);
	return pmu->nr_events ? bsearch(&name, pmu->events, pmu->nr_events, sizeof(*pmu->events),
					pmu_by_name)
			      : NULL;
}
