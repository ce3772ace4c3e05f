#include "machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct file { const char *path, *text; };

#define INTEL_FORMATS(pmu) \
	{ pmu "/format/event", "config:0-7\n" }, { pmu "/format/umask", "config:8-15\n" }, { pmu "/format/edge", "config:18\n" }, \
	{ pmu "/format/inv", "config:23\n" }, { pmu "/format/cmask", "config:24-31\n" }, { pmu "/format/ldlat", "config1:0-15\n" }, \
	{ pmu "/format/offcore_rsp", "config1:0-63\n" }
#define IMC(pmu, type) \
	{ pmu "/type", type "\n" }, { pmu "/cpumask", "0,18\n" }, { pmu "/format/event", "config:0-7\n" }, { pmu "/format/umask", "config:8-15\n" }, \
	{ pmu "/events/cas_count_read", "event=0x04,umask=0x03\n" }, { pmu "/events/cas_count_read.scale", "6.103515625e-5\n" }, \
	{ pmu "/events/cas_count_read.unit", "MiB\n" }, { pmu "/events/clockticks", "event=0xff,umask=0x00\n" }

static const struct file intel[] = {
	{ "cpu/type", "4\n" }, INTEL_FORMATS("cpu"), { "cpu/format/any", "config:21\n" },
	{ "cpu/events/cpu-cycles", "event=0x3c\n" }, { "cpu/events/instructions", "event=0xc0\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" }, { "cpu/events/slots", "event=0x00,umask=0x4\n" },
	{ "cpu/events/topdown-total-slots", "event=0x3c,umask=0x0,any=1\n" }, { "cpu/events/topdown-total-slots.scale", "2\n" },
	IMC("uncore_imc_0", "13"), IMC("uncore_imc_1", "14"), IMC("uncore_imc_10", "15"),
	{ "uncore_imc_free_running_0/type", "16\n" }, { "uncore_imc_free_running_0/events/data_read", "event=0xff,umask=0x20\n" },
	{ "uncore_imc_free_running_0/format/event", "config:0-7\n" }, { "uncore_imc_free_running_0/format/umask", "config:8-15\n" },
	{ "uncore_cha_0/type", "17\n" }, { "uncore_cha_0/cpumask", "0,18\n" }, { "uncore_cha_0/format/event", "config:0-7\n" },
	{ "uncore_cha_0/format/umask", "config:8-15,32-55\n" }, { "uncore_cha_0/format/filter_opc", "config2:0-7,16-19\n" },
	{ "power/type", "20\n" }, { "power/cpumask", "0,18\n" }, { "power/format/event", "config:0-7\n" },
	{ "power/events/energy-pkg", "event=0x02\n" }, { "power/events/energy-pkg.unit", "Joules\n" },
	{ "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ "intel_cqm/type", "21\n" }, { "intel_cqm/format/event", "config:0-7\n" }, { "intel_cqm/events/llc_occupancy", "event=0x01\n" },
	{ "intel_cqm/events/llc_occupancy.per-pkg", "1\n" }, { "intel_cqm/events/llc_occupancy.snapshot", "1\n" },
	{ "software/type", "1\n" }, { "tracepoint/type", "2\n" }, { "breakpoint/type", "5\n" },
	/* What no reader may fall over. */
	{ "damaged/type", "77\n" }, { "damaged/format/none", "\n" }, { "damaged/format/wide", "config:0-63,0\n" }, { "damaged/format/back", "config:7-0\n" },
	{ "damaged/format/big", "config:0-99999999999999999999\n" }, { "damaged/format/where", "config9:0\n" }, { "damaged/format/good", "config:4\n" },
	{ "damaged/events/loop", "loop\n" }, { "damaged/events/odd", "=,,=1,good,\n" }, { "damaged/events/large", "good=2\n" },
	{ "damaged/events/scaled", "good\n" }, { "damaged/events/scaled.scale", "lots\n" },
	{ "no-type/format/event", "config:0-7\n" }, { "odd-type/type", "4294967296\n" },
};

static const struct file hybrid[] = {
	{ "cpu_core/type", "4\n" }, { "cpu_core/cpus", "0-15\n" }, INTEL_FORMATS("cpu_core"), { "cpu_core/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" }, { "cpu_core/events/topdown-be-bound", "event=0x00,umask=0x83\n" },
	{ "cpu_atom/type", "10\n" }, { "cpu_atom/cpus", "16-23\n" }, INTEL_FORMATS("cpu_atom"), { "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3\n" }, { "software/type", "1\n" },
	IMC("uncore_imc_0", "13"), IMC("uncore_imc_1", "14"),
};

static const struct file amd[] = {
	{ "cpu/type", "4\n" }, { "cpu/format/event", "config:0-7,32-35\n" }, { "cpu/format/umask", "config:8-15\n" }, { "cpu/format/edge", "config:18\n" },
	{ "cpu/format/inv", "config:23\n" }, { "cpu/format/cmask", "config:24-31\n" }, { "cpu/events/cpu-cycles", "event=0x76\n" },
	{ "amd_l3/type", "12\n" }, { "amd_l3/cpumask", "0,8\n" }, { "amd_l3/format/event", "config:0-7\n" }, { "amd_l3/format/umask", "config:8-15\n" },
	{ "amd_l3/format/coreid", "config:42-44\n" }, { "amd_l3/format/threadmask", "config:56-57\n" },
	{ "amd_df/type", "11\n" }, { "amd_df/cpumask", "0\n" }, { "amd_df/format/event", "config:0-7,32-35,59-60\n" },
	{ "amd_df/format/umask", "config:8-15\n" },
	{ "ibs_op/type", "10\n" }, { "ibs_op/format/cnt_ctl", "config:19\n" },
};

static const struct file arm64[] = {
	{ "armv8_pmuv3_0/type", "8\n" }, { "armv8_pmuv3_0/cpus", "0-3\n" }, { "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_0/format/long", "config1:0\n" }, { "armv8_pmuv3_0/format/rdpmc", "config1:1\n" },
	{ "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" }, { "armv8_pmuv3_0/events/inst_retired", "event=0x0008\n" },
	{ "arm_cmn_0/type", "9\n" }, { "arm_cmn_0/cpumask", "0\n" }, { "arm_cmn_0/format/eventid", "config:16-26\n" },
	{ "arm_cmn_0/format/nodeid", "config1:0-15\n" }, { "arm_cmn_0/format/type", "config:0-15\n" },
};

static const struct file s390[] = {
	{ "cpum_cf/type", "8\n" }, { "cpum_cf/format/event", "config:0-63\n" }, { "cpum_cf/events/CPU_CYCLES", "event=0x0000\n" },
	{ "cpum_cf/events/INSTRUCTIONS", "event=0x0001\n" }, { "cpum_cf/events/L1D_DIR_WRITES", "event=0x0004\n" },
	{ "cpum_sf/type", "9\n" }, { "cpum_sf/format/event", "config:0-63\n" }, { "cpum_sf/events/SF_CYCLES_BASIC", "event=0xb0000\n" },
};

static const struct file power[] = {
	{ "cpu/type", "4\n" }, { "cpu/format/event", "config:0-59\n" }, { "hv_24x7/type", "12\n" }, { "hv_24x7/cpumask", "0\n" },
	{ "hv_24x7/format/domain", "config:0-3\n" }, { "hv_24x7/format/core", "config:16-31\n" }, { "hv_24x7/format/offset", "config:32-63\n" },
	{ "hv_24x7/format/lpar", "config1:0-15\n" }, { "hv_24x7/events/HPM_TLBIE", "domain=2,offset=0x20,core=?,lpar=0x0\n" },
};

#define MACHINE(m) { #m, m, sizeof(m) / sizeof(m[0]) }
static const struct { const char *name; const struct file *files; size_t nr; } machines[] = {
	MACHINE(intel), MACHINE(hybrid), MACHINE(amd), MACHINE(arm64), MACHINE(s390), MACHINE(power),
};

static void make_dirs(char *path)
{
	char *p;

	for (p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

static void make_file(const char *dir, const struct file *file)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s", dir, file->path);
	make_dirs(path);
	f = fopen(path, "we");
	if (!f || fputs(file->text, f) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

void pt_machine_make(const char *dir, const char *machine)
{
	size_t i, k;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i].name, machine)) {
			for (k = 0; k < machines[i].nr; k++)
				make_file(dir, &machines[i].files[k]);
			return;
		}
	fprintf(stderr, "no machine %s\n", machine);
	exit(1);
}
