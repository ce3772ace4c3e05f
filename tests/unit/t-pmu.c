/* Names of events on made-up machines: what their PMUs' terms, events and formats come to. */
#include "test.h"

#include <stdlib.h>

#include "event/name.h"
#include "machines.h"

#define GUEST PT_ATTR_EXCLUDE_GUEST

static struct pt_event_list l;
static struct pt_err e;

static void on(const char *machine)
{
	pt_machine_make(pt_test_dir(), machine);
	pt_event_list_init_at(&l, pt_test_dir());
	e = (struct pt_err)PT_ERR_INIT;
}

static void add(const char *text)
{
	if (pt_event_list_add(&l, text, &e) < 0)
		FAIL("%s: %s", text, e.msg);
}

struct want { const char *text; uint32_t type; uint64_t config, config1, config2; const char *name; };

/* Each text gives one event. */
static void check(const struct want *w, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t at = l.nr;
		const struct pt_event_spec *s;

		add(w[i].text);
		CHECK_INT(l.nr, at + 1);
		s = &l.specs[at];
		if (s->attr.type != w[i].type || s->attr.config != w[i].config || s->attr.config1 != w[i].config1 || s->attr.config2 != w[i].config2)
			FAIL("%s is type %u config 0x%llx 0x%llx 0x%llx, not %u 0x%llx 0x%llx 0x%llx", w[i].text, s->attr.type,
			     (unsigned long long)s->attr.config, (unsigned long long)s->attr.config1, (unsigned long long)s->attr.config2, w[i].type,
			     (unsigned long long)w[i].config, (unsigned long long)w[i].config1, (unsigned long long)w[i].config2);
		CHECK_STR(s->name, w[i].name ? w[i].name : w[i].text);
	}
}
#define CHECK_ALL(w) check(w, sizeof(w) / sizeof((w)[0]))

static void wrong(const char *text, const char *part)
{
	size_t before = l.nr;

	e = (struct pt_err)PT_ERR_INIT;
	if (pt_event_list_add(&l, text, &e) == 0)
		FAIL("%s was taken", text);
	if (!strstr(e.msg, part))
		FAIL("%s: \"%s\", without \"%s\"", text, e.msg, part);
	CHECK_INT(e.sys, 0);
	CHECK_INT(l.nr, before);
}

TEST(intel)
{
	static const struct want w[] = {
		{ "cycles", 0, 0, 0, 0, NULL }, { "r1a8", 4, 0x1a8, 0, 0, NULL }, { "LLC-loads", 3, 2, 0, 0, NULL },
		{ "cpu/event=0xc0,umask=0x1/", 4, 0x1c0, 0, 0, NULL }, { "cpu/event=192,umask=1,edge,inv=1,cmask=0xff,any/", 4, 0xffa401c0, 0, 0, NULL },
		{ "cpu/config=0x12345678/", 4, 0x12345678, 0, 0, NULL }, { "cpu/config=0xff,event=1,config1=7,config2=0x8/", 4, 1, 7, 8, NULL },
		{ "cpu/r1a8/", 4, 0x1a8, 0, 0, NULL }, { "cpu/instructions/", 4, 0xc0, 0, 0, NULL }, { "cpu/cpu-cycles,cmask=2/", 4, 0x200003c, 0, 0, NULL },
		{ "cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0, NULL }, { "cpu/ldlat=30,mem-loads/", 4, 0x1cd, 30, 0, NULL },
		{ "mem-loads", 4, 0x1cd, 3, 0, NULL }, { "cpu/event=mem-loads/", 4, 0x1cd, 3, 0, NULL },
		{ "cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff,name=far/u", 4, 0x1b7, ~0ull, 0, "far" },
		{ "cpu/cycles/", 0, 0, 0, 0, NULL }, { "cpu/L1-dcache-load-misses/", 3, 0x10000, 0, 0, NULL },
		{ "topdown-total-slots", 4, 0x20003c, 0, 0, NULL },
		{ "uncore_cha/event=0x35,umask=0xc001fe01,filter_opc=0xabc/", 17, 0x35ull | 0x01ull << 8 | 0xc001feull << 32, 0, 0xa00bc, NULL },
		{ "cha_0/event=1/", 17, 1, 0, 0, NULL }, { "uncore_cha_0/event=1/", 17, 1, 0, 0, NULL },
		{ "power/energy-pkg/", 20, 2, 0, 0, NULL }, { "software/config=3/", 1, 3, 0, 0, NULL },
		{ "imc_free_running/data_read/", 16, 0x20ff, 0, 0, NULL }, { "intel_cqm/llc_occupancy/", 21, 1, 0, 0, NULL },
	};

	on("intel");
	CHECK_ALL(w);
	CHECK_INT(l.specs[0].attr.flags, GUEST);
	CHECK_INT(l.specs[3].attr.flags, GUEST);
	CHECK(!l.specs[0].pmu && l.specs[3].pmu && l.specs[3].pmu->core && !l.specs[3].pmu->cpus);
	CHECK_INT(l.specs[14].attr.flags, GUEST | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	CHECK(l.specs[17].event && l.specs[17].event->scale == 2 && !l.specs[17].event->unit);
	CHECK_INT(l.specs[18].attr.flags, 0);
	CHECK_STR(l.specs[21].event->unit, "Joules");
	CHECK(l.specs[21].event->scale == 2.3283064365386962890625e-10 && !l.specs[21].event->per_pkg);
	CHECK_INT(l.specs[21].pmu->nr_cpus, 2);
	CHECK_INT(l.specs[21].pmu->cpus[1], 18);
	CHECK(l.specs[24].event->per_pkg && l.specs[24].event->snapshot);
	pt_event_list_deinit(&l);
}

TEST(uncore_of_several_instances)
{
	static const char *const pmus[] = { "uncore_imc_0", "uncore_imc_1", "uncore_imc_10" };

	on("intel");
	add("uncore_imc/cas_count_read/,cas_count_read,imc_1/clockticks/");
	CHECK_INT(l.nr, 7);
	for (size_t i = 0; i < 6; i++) {
		CHECK_STR(l.specs[i].pmu->name, pmus[i % 3]);
		CHECK_STR(l.specs[i].name, i < 3 ? "uncore_imc/cas_count_read/" : "cas_count_read");
		CHECK_INT(l.specs[i].attr.config, 0x304);
		CHECK_INT(l.specs[i].origin, l.specs[i / 3 * 3].origin);
		CHECK_STR(l.specs[i].event->unit, "MiB");
	}
	CHECK(l.specs[0].origin != l.specs[3].origin && l.specs[6].origin != l.specs[3].origin);
	CHECK_STR(l.specs[6].pmu->name, "uncore_imc_1");
	add("uncore_imc_*/clockticks/");
	CHECK_INT(l.nr, 10);	/* the free running ones have no such event */
	wrong("uncore_imc*/nosuchone/", "uncore_imc_0 has no term or event nosuchone");
	pt_event_list_deinit(&l);
}

TEST(groups_of_several_pmus)
{
	static const int leaders[] = { 0, 0, 0, 3, 3, 5, 5 };
	static const char *const names[] = { "uncore_imc/cas_count_read/", "cs", "uncore_imc/clockticks/", "uncore_imc/cas_count_read/" };

	on("intel");
	add("{uncore_imc/cas_count_read/,cs,uncore_imc/clockticks/}:W");
	CHECK_INT(l.nr, 7);
	for (size_t i = 0; i < 7; i++) {
		CHECK_INT(l.specs[i].leader, leaders[i]);
		CHECK(l.specs[i].weak);
		if (i < 4)
			CHECK_STR(l.specs[i].name, names[i]);
	}
	pt_event_list_deinit(&l);
}

TEST(hybrid)
{
	static const struct { const char *name; uint32_t type; uint64_t config, config1; int leader; } want[] = {
		{ "cpu_atom/cycles/", 0, 10ull << 32, 0, 0 }, { "cpu_core/cycles/", 0, 4ull << 32, 0, 1 },
		{ "cpu_atom/LLC-loads/u", 3, 10ull << 32 | 2, 0, 2 }, { "cpu_core/LLC-loads/u", 3, 4ull << 32 | 2, 0, 3 },
		{ "cpu_atom/r1a8/", 10, 0x1a8, 0, 4 }, { "cpu_core/r1a8/", 4, 0x1a8, 0, 5 },
		{ "cpu_atom/mem-loads/k", 10, 0x5d0, 3, 6 }, { "cpu_core/mem-loads/k", 4, 0x1cd, 3, 7 },
		{ "cpu_core/cycles/", 0, 4ull << 32, 0, 8 }, { "cpu_core/topdown-be-bound/", 4, 0x8300, 0, 9 }, { "topdown-be-bound", 4, 0x8300, 0, 10 },
		{ "cs", 1, 3, 0, 11 },
		{ "cpu_atom/cycles/", 0, 10ull << 32, 0, 12 }, { "cs", 1, 3, 0, 12 }, { "cpu_atom/instructions/", 0, 10ull << 32 | 1, 0, 12 },
		{ "cpu_core/cycles/", 0, 4ull << 32, 0, 15 }, { "cpu_core/instructions/", 0, 4ull << 32 | 1, 0, 15 },
	};

	on("hybrid");
	add("cycles,LLC-loads:u,r1a8,mem-loads:k,cpu_core/cycles/,cpu_core/topdown-be-bound/");
	wrong("cpu_atom/topdown-be-bound/", "cpu_atom has no term or event topdown-be-bound");
	l.specs[9].filter = NULL;
	if (pt_event_list_add(&l, "topdown-be-bound,cs,{cycles,cs,instructions}", &e) < 0)
		FAIL("%s", e.msg);
	/* An event that one core PMU alone has is shown with it, too. */
	CHECK_STR(l.specs[10].name, "cpu_core/topdown-be-bound/");
	CHECK_INT(l.nr, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < l.nr; i++) {
		if (i != 10)
			CHECK_STR(l.specs[i].name, want[i].name);
		CHECK_INT(l.specs[i].attr.type, want[i].type);
		CHECK_INT(l.specs[i].attr.config, want[i].config);
		CHECK_INT(l.specs[i].attr.config1, want[i].config1);
		CHECK_INT(l.specs[i].leader, want[i].leader);
		CHECK(!!l.specs[i].pmu == (want[i].type != 1));
	}
	CHECK_INT(l.specs[0].pmu->cpus[0], 16);
	CHECK_INT(l.specs[1].pmu->nr_cpus, 16);
	CHECK_INT(l.specs[2].attr.flags, GUEST | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	pt_event_list_deinit(&l);
}

TEST(amd)
{
	static const struct want w[] = {
		{ "cpu/event=0x1c7,umask=2/", 4, 0x1ull << 32 | 0x2c7, 0, 0, NULL }, { "cpu/event=0xfff/", 4, 0xfull << 32 | 0xff, 0, 0, NULL },
		{ "amd_df/event=0x3fff,umask=0xff/", 11, 3ull << 59 | 0xfull << 32 | 0xffff, 0, 0, NULL },
		{ "amd_l3/event=0x9a,umask=0x1f,coreid=5,threadmask=3/", 12, 3ull << 56 | 5ull << 42 | 0x1f9a, 0, 0, NULL },
		{ "ibs_op/cnt_ctl/", 10, 1 << 19, 0, 0, NULL }, { "ibs_op//", 10, 0, 0, 0, NULL },
	};

	on("amd");
	CHECK_ALL(w);
	wrong("cpu/event=0x1000/", "largest value of event is 0xfff (config:0-7,32-35)");
	wrong("cs,amd_l3/coreid=8/", "\n    cs,amd_l3/coreid=8/\n              ^");
	pt_event_list_deinit(&l);
}

TEST(arm64)
{
	static const struct want w[] = {
		{ "cycles", 0, 0, 0, 0, NULL }, { "armv8_pmuv3_0/inst_retired/", 8, 8, 0, 0, NULL }, { "inst_retired", 8, 8, 0, 0, NULL },
		{ "armv8_pmuv3/cpu_cycles,long/k", 8, 0x11, 1, 0, NULL }, { "r11", 4, 0x11, 0, 0, NULL },
		{ "armv8_pmuv3_0/cycles/", 0, 0, 0, 0, NULL }, { "arm_cmn/type=5,eventid=0x1,nodeid=0x24/", 9, 0x10005, 0x24, 0, NULL },
	};

	on("arm64");
	CHECK_ALL(w);
	CHECK(l.specs[1].pmu->core && l.specs[1].pmu->nr_cpus == 4);
	CHECK_INT(l.specs[1].attr.flags, GUEST);
	CHECK_INT(l.specs[6].attr.flags, 0);
	pt_event_list_deinit(&l);
}

TEST(s390)
{
	static const struct want w[] = {
		{ "cycles", 0, 0, 0, 0, NULL }, { "cpum_cf/L1D_DIR_WRITES/", 8, 4, 0, 0, NULL }, { "L1D_DIR_WRITES:u", 8, 4, 0, 0, NULL },
		{ "cpum_cf/event=0xffffffffffffffff/", 8, ~0ull, 0, 0, NULL }, { "cpum_sf/event=0xb0000/", 9, 0xb0000, 0, 0, NULL },
		{ "cpum_sf/SF_CYCLES_BASIC/", 9, 0xb0000, 0, 0, NULL },
	};

	on("s390");
	CHECK_ALL(w);
	CHECK_INT(l.specs[2].attr.flags, GUEST | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	wrong("l1d_dir_write", "did you mean");
	pt_event_list_deinit(&l);
}

TEST(parameters)
{
	static const struct want w[] = {
		{ "hv_24x7/HPM_TLBIE,core=3/", 12, 0x20ull << 32 | 3 << 16 | 2, 0, 0, NULL },
		{ "hv_24x7/HPM_TLBIE,core=3,lpar=9/", 12, 0x20ull << 32 | 3 << 16 | 2, 9, 0, NULL },
	};

	on("power");
	CHECK_ALL(w);
	wrong("hv_24x7/HPM_TLBIE/", "needs core= beside it");
	wrong("HPM_TLBIE", "needs core= beside it");
	pt_event_list_deinit(&l);
}

TEST(wrong_terms)
{
	on("intel");
	wrong("cpu/evnt=1/", "cpu has no term or event evnt; did you mean event");
	wrong("cs,cpu/event=1,unmask=2/u,cs", "did you mean umask or cmask?\n    cs,cpu/event=1,unmask=2/u,cs\n                   ^");
	wrong("cpu/event=1/z", "'z' is no modifier");
	wrong("cpu/event=1/uz", "\n    cpu/event=1/uz\n                 ^");
	wrong("cpu/event=256/", "largest value of event is 0xff");
	wrong("cpu/event=zz/", "'zz' is not a number");
	wrong("cpu/event=-1/", "is not a number");
	wrong("cpu/event=0x10000000000000000/", "is not a number");
	wrong("cpu/config=/", "is not a number");
	wrong("cpu/config/", "without a value");
	wrong("cpu/event=1", "no second slash");
	wrong("cpu/instructions,mem-loads/", "two events in one");
	wrong("cpu/instruction/", "did you mean instructions?");
	wrong("cpux/event=1/", "no PMU or event cpux; did you mean cpu?");
	wrong("/event=1/", "no PMU");
	wrong("cpu/period=0/", "means nothing");
	wrong("cpu/event=1,period=5,freq=6/", "one of them");
	wrong("cpu/call-graph=up/", "fp, dwarf, lbr or no");
	wrong("cpu/qqqqqqqq/", "there are any= cmask= edge= event=");
	wrong("nosuchthing", "no event nosuchthing");
	wrong("energy-pkgs", "did you mean energy-pkg?");
	CHECK_INT(l.nr, 0);
	pt_event_list_deinit(&l);
}

TEST(damaged_sysfs)
{
	on("intel");
	add("damaged/good/,damaged/good=0/,scaled");
	CHECK_INT(l.specs[0].attr.config, 16);
	CHECK_INT(l.nr, 3);
	CHECK(l.specs[2].event->scale == 1);
	wrong("damaged/loop/", "does not describe");
	wrong("damaged/odd/", "does not describe");
	wrong("damaged/large/", "largest value");
	wrong("damaged/wide/", "no term or event wide");
	wrong("damaged/back/", "no term or event back");
	wrong("no-type/event=1/", "no PMU or event no-type");
	wrong("odd-type/config=1/", "no PMU or event odd-type");
	pt_event_list_deinit(&l);
}

TEST(no_sysfs)
{
	pt_event_list_init_at(&l, pt_test_dir());
	add("cycles,cs,r1,LLC-loads");
	CHECK_INT(l.nr, 4);
	wrong("cpu/event=1/", "this machine's PMUs: none");
	e = (struct pt_err)PT_ERR_INIT;
	CHECK(pt_event_list_add(&l, "sched:sched_switch", &e) < 0);
	pt_event_list_deinit(&l);
}
