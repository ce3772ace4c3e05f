/* survey_open.c - opens and closes one event of each kind to see what this user may open */
#include "event/survey_priv.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "event/build_ids.h"
#include "event/open.h"
#include "event/pmu.h"

static struct pt_attr attr(uint32_t type, uint64_t config, uint64_t flags)
{
	return (struct pt_attr){ .type = type,
				 .size = sizeof(struct pt_attr),
				 .config = config,
				 .flags = flags | PT_ATTR_DISABLED };
}

/* The command for a user who was refused. */
static void allow(struct pt_look *l, const struct pt_attr *a, bool task)
{
	const char *what;
	int level = pt_caps_level(a, task, &what);

	if (!l->caps.perfmon)
		pt_look_cure(l, "%ssysctl kernel.perf_event_paranoid=%d", l->sudo, level);
}

static void one(struct pt_look *l, const char *key, const struct pt_attr *a, bool task,
		const char *works)
{
	int sys = task ? pt_perf_try(a, 0, -1) : pt_perf_try(a, -1, 0);

	if (pt_is_refusal(sys)) {
		pt_look_add(l, key, PT_STATE_MISSING, "not for this user: %s", works);
		allow(l, a, task);
	} else {
		pt_look_add(l, key, sys ? PT_STATE_MISSING : PT_STATE_OK, "%s%s%s", works,
			    sys ? ": " : "", sys ? strerror(sys) : "");
	}
}

static bool virtual_machine(const struct pt_look *l)
{
	char text[16384];

	return !pt_look_text(l, "/proc/cpuinfo", text, sizeof(text)) &&
	       (strstr(text, " hypervisor ") || strstr(text, " hypervisor\n"));
}

/* The machine's PMUs, "cpu, uncore_imc_0", without the software ones. */
static void pmu_names(const struct pt_look *l, struct pt_buf *out)
{
	struct pt_pmus *pmus = pt_pmus_new(l->root);

	for (size_t i = 0; i < pmus->nr; i++)
		if (!pmus->v[i]->software)
			pt_buf_printf(out, "%s%s", out->len ? ", " : "", pmus->v[i]->name);
	pt_pmus_free(pmus);
}

static void look_hardware(struct pt_look *l)
{
	struct pt_attr count = attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
				    PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV),
		       sample = count;
	struct pt_buf pmus = PT_BUF_INIT;
	int sys = pt_perf_try(&count, 0, -1);
	bool vm = virtual_machine(l);

	pmu_names(l, &pmus);
	sample.sample_period = 1000000;
	if (!sys && !pt_perf_try(&sample, 0, -1)) {
		pt_look_add(l, "hardware", PT_STATE_OK,
			    "counters of the CPU, for counting and sampling (%s)",
			    pt_buf_str(&pmus));
	} else if (!sys) {
		pt_look_add(l, "hardware", PT_STATE_LIMITED,
			    "counters of the CPU count, but cannot sample (no interrupt): %s",
			    pt_buf_str(&pmus));
		pt_look_cure(l, "sample by time: -e cpu-clock");
	} else if (pt_is_refusal(sys)) {
		pt_look_add(l, "hardware", PT_STATE_MISSING,
			    "not for this user: counters of the CPU");
		allow(l, &count, true);
	} else {
		pt_look_add(l, "hardware", PT_STATE_MISSING, "no counters of the CPU%s%s%s",
			    vm ? " (a virtual machine without a PMU)" : "",
			    pmus.len ? "; other PMUs: " : "", pt_buf_str(&pmus));
		pt_look_cure(l, vm ? "give the virtual machine a PMU (qemu: -cpu host,pmu=on); -e cpu-clock samples without one"
				   : "none; -e cpu-clock samples without them");
	}
	pt_buf_deinit(&pmus);
}

static const char *build_ids_text(bool has)
{
	if (!has)
		return "no (Linux 5.12)";
	switch (pt_build_ids_are(NULL)) {
	case PT_BUILD_IDS_HARMLESS:
		return "yes";
	case PT_BUILD_IDS_HARMFUL:
		return "not used (this kernel then marks other recorders' mappings, too, and perf record crashes)";
	case PT_BUILD_IDS_UNTESTED:
		break;
	}
	return "not used (whether they harm other recorders could not be tested)";
}

static void look_features(struct pt_look *l)
{
	struct pt_attr a = pt_dummy_attr(0);
	const char *build_ids;
	bool has_clock, good;
	struct pt_kernel k;

	if (pt_perf_try(&a, 0, -1))
		return;		/* nothing opens */
	has_clock = pt_kernel_probe(&k, NULL) == 0;
	build_ids = build_ids_text(k.side_band & PT_ATTR_BUILD_ID);
	good = has_clock && k.lost && !strcmp(build_ids, "yes");
	pt_look_add(l, "features", good ? PT_STATE_OK : PT_STATE_LIMITED,
		    "clock of one's choice: %s; lost events counted: %s; build-ids with mappings: %s",
		    has_clock ? "yes" : "no (Linux 4.1)", k.lost ? "yes" : "no (Linux 6.0)",
		    build_ids);
	if (!good)
		pt_look_cure(l, "a newer kernel");
}

void pt_look_events(struct pt_look *l)
{
	struct pt_attr own = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
				  PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	struct pt_attr kernel = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0);
	int sys = pt_perf_try(&own, 0, -1);

	if (sys == ENOSYS) {
		pt_look_add(l, "perf-events", PT_STATE_MISSING,
			    "no perf_event_open: a kernel without perf events, or an emulator");
		return;
	}
	one(l, "software", &own, true, "clocks, page faults and the like, of one's own processes");
	one(l, "in-kernel", &kernel, true, "one's own processes within the kernel");
	one(l, "all-cpus", &kernel, false, "whole CPUs: all processes (-a, -C, -G)");
	look_hardware(l);
	look_features(l);
}
