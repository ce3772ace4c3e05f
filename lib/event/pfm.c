#include "event/pfm.h"

#ifdef PT_HAVE_PFM

#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Loaded for the first name that is unknown otherwise: its 41,000 relocations would slow the start
 * of every tool. It stays loaded. */
struct pfm {
	pfm_err_t (*initialize)(void);
	int (*version)(void);
	const char *(*strerror)(int code);
	pfm_err_t (*encode)(const char *str, int plm, pfm_os_t os, void *args);
	pfm_err_t (*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *out);
	pfm_err_t (*event_info)(int idx, pfm_os_t os, pfm_event_info_t *out);
	pfm_err_t (*attr_info)(int idx, int attr, pfm_os_t os, pfm_event_attr_info_t *out);
	int (*next)(int idx);
};

static bool pfm_load(struct pfm *p)
{
	const struct { const char *name; void *to; } symbols[] = {
		{ "pfm_initialize", &p->initialize }, { "pfm_get_version", &p->version },
		{ "pfm_strerror", &p->strerror },
		{ "pfm_get_os_event_encoding", &p->encode }, { "pfm_get_pmu_info", &p->pmu_info },
		{ "pfm_get_event_info", &p->event_info },
		{ "pfm_get_event_attr_info", &p->attr_info }, { "pfm_get_event_next", &p->next },
	};
	void *lib = dlopen("libpfm.so.4", RTLD_NOW | RTLD_NODELETE);

	for (size_t i = 0; i < PT_NR(symbols); i++) {
		void *at = lib ? dlsym(lib, symbols[i].name) : NULL;

		if (!at)
			return false;
		memcpy(symbols[i].to, &at, sizeof(at));
	}
	return true;
}

const char *pt_pfm_version(char text[32])
{
	struct pfm pfm;

	if (!pfm_load(&pfm))
		return NULL;
	snprintf(text, 32, "%d.%d", PFM_MAJ_VERSION(pfm.version()), PFM_MIN_VERSION(pfm.version()));
	return text;
}

/* Without a PMU's name in front an unknown word is no event. Errors in the rest of a known event
 * are reported. */
int pt_pfm_find(const char *name, struct pt_attr *attr, struct pt_err *e)
{
	struct perf_event_attr raw = { .size = sizeof(raw) };
	pfm_perf_encode_arg_t arg = { .attr = &raw, .size = sizeof(arg) };
	struct pfm pfm;
	int rc;

	if (!pfm_load(&pfm) || pfm.initialize() != PFM_SUCCESS)
		return 1;
	rc = pfm.encode(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc == PFM_ERR_UMASK || rc == PFM_ERR_ATTR || rc == PFM_ERR_ATTR_VAL ||
	    rc == PFM_ERR_ATTR_SET || rc == PFM_ERR_FEATCOMB || rc == PFM_ERR_TOOMANY)
		return pt_err_set(e, "%s: libpfm4 knows the event, but says: %s", name,
				  pfm.strerror(rc));
	if (rc != PFM_SUCCESS)
		return 1;
	/* libpfm4's header has an older perf_event_attr, which is how the kernel's begins */
	memcpy(attr, &raw, sizeof(raw));
	return 0;
}

static void each_umask(const struct pfm *pfm, const pfm_event_info_t *ev,
		       void (*each)(void *, const char *, const char *, const char *), void *arg,
		       const char *pmu)
{
	for (int i = 0; i < ev->nattrs; i++) {
		pfm_event_attr_info_t a = { .size = sizeof(a) };
		char *name;

		if (pfm->attr_info(ev->idx, i, PFM_OS_PERF_EVENT, &a) != PFM_SUCCESS ||
		    a.type != PFM_ATTR_UMASK)
			continue;
		name = pt_asprintf("%s:%s", ev->name, a.name);
		each(arg, pmu, name, a.desc);
		free(name);
	}
}

void pt_pfm_each(void (*each)(void *arg, const char *pmu, const char *name, const char *what),
		 void *arg, bool umasks)
{
	struct pfm pfm;

	if (!pfm_load(&pfm) || pfm.initialize() != PFM_SUCCESS)
		return;
	for (int p = PFM_PMU_NONE + 1; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		/* perf's own names are in our tables */
		if (pfm.pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    p == PFM_PMU_PERF_EVENT || p == PFM_PMU_PERF_EVENT_RAW)
			continue;
		for (int i = pmu.first_event; i != -1; i = pfm.next(i)) {
			pfm_event_info_t ev = { .size = sizeof(ev) };

			if (pfm.event_info(i, PFM_OS_PERF_EVENT, &ev) != PFM_SUCCESS)
				continue;
			each(arg, pmu.name, ev.name, ev.desc);
			if (umasks)
				each_umask(&pfm, &ev, each, arg, pmu.name);
		}
	}
}

#else

const char *pt_pfm_version(char text[32])
{
	(void)text;
	return NULL;
}

int pt_pfm_find(const char *name, struct pt_attr *attr, struct pt_err *e)
{
	(void)name, (void)attr, (void)e;
	return 1;
}

void pt_pfm_each(void (*each)(void *arg, const char *pmu, const char *name, const char *what),
		 void *arg, bool umasks)
{
	(void)each, (void)arg, (void)umasks;
}

#endif
