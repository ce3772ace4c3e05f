/* Names of events: what they open, groups and modifiers, and what is said about wrong ones. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "event/name.h"
#include "event/preset.h"
#include "tracepoint/tracefs.h"

#define RINGS (PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV)

static struct pt_event_list l;
static struct pt_err e;

static void begin(void)
{
	pt_event_list_init(&l);
	e = (struct pt_err)PT_ERR_INIT;
}

static void add(const char *text)
{
	if (pt_event_list_add(&l, text, &e) < 0)
		FAIL("%s: %s", text, e.msg);
}

static void need_tracefs(void)
{
	const char *path;

	if (pt_tracefs_find(&path, &e) < 0)
		SKIP("%s", e.msg);
}

TEST(fixed_names)
{
	static const struct { const char *text; uint32_t type; uint64_t config; } want[] = {
		{ "cpu-clock", 1, 0 }, { "task-clock", 1, 1 }, { "page-faults", 1, 2 }, { "faults", 1, 2 }, { "context-switches", 1, 3 },
		{ "cs", 1, 3 }, { "cpu-migrations", 1, 4 }, { "migrations", 1, 4 }, { "minor-faults", 1, 5 }, { "major-faults", 1, 6 },
		{ "alignment-faults", 1, 7 }, { "emulation-faults", 1, 8 }, { "dummy", 1, 9 }, { "bpf-output", 1, 10 },
		{ "cgroup-switches", 1, 11 }, { "cycles", 0, 0 }, { "cpu-cycles", 0, 0 }, { "instructions", 0, 1 },
		{ "cache-references", 0, 2 }, { "cache-misses", 0, 3 }, { "branches", 0, 4 }, { "branch-instructions", 0, 4 },
		{ "branch-misses", 0, 5 }, { "bus-cycles", 0, 6 }, { "stalled-cycles-frontend", 0, 7 }, { "stalled-cycles-backend", 0, 8 },
		{ "ref-cycles", 0, 9 }, { "r1a8", 4, 0x1a8 }, { "rFFFFFFFFFFFFFFFF", 4, ~0ull }, { "L1-dcache-loads", 3, 0 },
		{ "L1-dcache-load-misses", 3, 0x10000 }, { "LLC-stores", 3, 0x102 }, { "dTLB-prefetches", 3, 0x203 }, { "node-load-misses", 3, 0x10006 },
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		add(want[i].text);
		CHECK_INT(l.nr, i + 1);
		CHECK_STR(l.specs[i].name, want[i].text);
		CHECK_INT(l.specs[i].attr.type, want[i].type);
		CHECK_INT(l.specs[i].attr.config, want[i].config);
		CHECK_INT(l.specs[i].attr.size, sizeof(struct pt_attr));
		CHECK_INT(l.specs[i].leader, i);
	}
	pt_event_list_deinit(&l);
}

TEST(modifiers)
{
	static const struct { const char *text; uint64_t flags; } want[] = {
		{ "cs", 0 }, { "cs:u", PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV }, { "cs:k", PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_HV },
		{ "cs:uk", PT_ATTR_EXCLUDE_HV }, { "cs:ukh", 0 }, { "cs:h", PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_KERNEL },
		{ "cycles", PT_ATTR_EXCLUDE_GUEST }, { "cycles:G", PT_ATTR_EXCLUDE_HOST }, { "cycles:GH", 0 },
		{ "cycles:pp", PT_ATTR_EXCLUDE_GUEST | 2ull << PT_ATTR_PRECISE_IP_SHIFT },
		{ "cycles:Pu", PT_ATTR_EXCLUDE_GUEST | 3ull << PT_ATTR_PRECISE_IP_SHIFT | PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV },
		{ "cs:D", PT_ATTR_PINNED }, { "cs:eI", PT_ATTR_EXCLUSIVE | PT_ATTR_EXCLUDE_IDLE },
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		add(want[i].text);
		CHECK_INT(l.specs[i].attr.flags, want[i].flags);
	}
	pt_event_list_deinit(&l);
}

TEST(several_and_groups)
{
	static const char *const names[] = { "cs", "faults:u", "cycles", "instructions", "r11", "dummy", "bus-cycles" };
	static const int leaders[] = { 0, 1, 2, 2, 4, 4, 6 };
	size_t i;

	begin();
	add(" cs,faults:u {cycles,instructions}:k,,{ r11, dummy:k }:uD");
	add("bus-cycles");
	CHECK_INT(l.nr, 7);
	for (i = 0; i < 7; i++) {
		CHECK_INT(l.specs[i].leader, leaders[i]);
		if (i != 5)
			CHECK_STR(l.specs[i].name, names[i]);
	}
	CHECK_INT(l.specs[1].attr.flags & RINGS, PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	CHECK_INT(l.specs[3].attr.flags & RINGS, PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_HV);
	CHECK_INT(l.specs[4].attr.flags & (RINGS | PT_ATTR_PINNED), PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV | PT_ATTR_PINNED);
	CHECK_INT(l.specs[5].attr.flags & RINGS, PT_ATTR_EXCLUDE_HV);	/* letters of event and group add up */
	pt_event_list_deinit(&l);
}

TEST(breakpoints)
{
	static const struct { const char *text; uint32_t type; uint64_t addr, len, flags; } want[] = {
		{ "mem:0x1000", 3, 0x1000, 4, 0 }, { "mem:4096:w", 2, 4096, 4, 0 }, { "mem:0x1000:x", 4, 0x1000, sizeof(long), 0 },
		{ "mem:0x1000/8:rw", 3, 0x1000, 8, 0 }, { "mem:0xffffffff81000000/1:r:k", 1, 0xffffffff81000000, 1, PT_ATTR_EXCLUDE_USER | PT_ATTR_EXCLUDE_HV },
		{ "mem:0x1000:u", 3, 0x1000, 4, PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV },
	};
	size_t i;

	begin();
	add("mem:0x1000,mem:4096:w mem:0x1000:x,{mem:0x1000/8:rw,mem:0xffffffff81000000/1:r:k},mem:0x1000:u");
	CHECK_INT(l.nr, 6);
	for (i = 0; i < l.nr; i++) {
		CHECK_INT(l.specs[i].attr.type, PERF_TYPE_BREAKPOINT);
		CHECK_INT(l.specs[i].attr.config, 0);
		CHECK_INT(l.specs[i].attr.bp_type, want[i].type);
		CHECK_INT(l.specs[i].attr.config1, want[i].addr);
		CHECK_INT(l.specs[i].attr.config2, want[i].len);
		CHECK_INT(l.specs[i].attr.flags, want[i].flags);
	}
	CHECK_STR(l.specs[3].name, "mem:0x1000/8:rw");
	CHECK_INT(l.specs[4].leader, 3);
	pt_event_list_deinit(&l);
}

TEST(terms_of_all_events)
{
	begin();
	add("cs/period=100,name=mine/u,cs/freq=99,call-graph=dwarf,stack-size=4097,max-stack=9/,LLC-loads/percore,time=1,no-overwrite/,r1a/no-inherit/k,duration_time");
	CHECK_STR(l.specs[0].name, "mine");
	CHECK_INT(l.specs[0].attr.sample_period, 100);
	CHECK_INT(l.specs[0].attr.flags, PT_ATTR_EXCLUDE_KERNEL | PT_ATTR_EXCLUDE_HV);
	CHECK_STR(l.specs[1].name, "cs/freq=99,call-graph=dwarf,stack-size=4097,max-stack=9/");
	CHECK_INT(l.specs[1].attr.sample_period, 99);
	CHECK_INT(l.specs[1].attr.flags, PT_ATTR_FREQ);
	CHECK_INT(l.specs[1].chain, PT_CHAIN_DWARF);
	CHECK_INT(l.specs[1].stack_bytes, 4104);
	CHECK_INT(l.specs[1].max_stack, 9);
	CHECK(!l.specs[2].no_inherit);
	CHECK_INT(l.specs[2].attr.config, 2);
	CHECK(l.specs[3].no_inherit);
	CHECK_INT(l.specs[3].attr.config, 0x1a);
	CHECK_INT(l.specs[4].tool, PT_TOOL_DURATION_TIME);
	pt_event_list_deinit(&l);
}

TEST(weak_groups)
{
	begin();
	add("{cs,faults}:W,cs:S,{cs,faults}");
	CHECK(l.specs[0].weak && l.specs[1].weak && !l.specs[3].weak);
	CHECK(l.specs[2].sample_read && !l.specs[2].attr.flags);
	CHECK_INT(l.specs[1].leader, 0);
	pt_event_list_deinit(&l);
}

TEST(tracepoints)
{
	begin();
	need_tracefs();
	add("sched:sched_switch,cs,block:block_rq_{issue,complete}:u");
	CHECK_INT(l.nr, 4);
	CHECK_STR(l.specs[0].name, "sched:sched_switch");
	CHECK_INT(l.specs[0].attr.type, PERF_TYPE_TRACEPOINT);
	CHECK(l.specs[0].tp && (uint64_t)l.specs[0].tp->id == l.specs[0].attr.config);
	CHECK(!l.specs[1].tp);
	CHECK_STR(l.specs[2].name, "block:block_rq_issue");
	CHECK_STR(l.specs[3].name, "block:block_rq_complete");
	CHECK(l.specs[2].attr.flags & PT_ATTR_EXCLUDE_KERNEL);
	pt_event_list_deinit(&l);
}

TEST(globs)
{
	size_t i, rq;

	begin();
	need_tracefs();
	add("blo*:block_rq_*");
	for (i = 0; i < l.nr; i++) {
		CHECK(!strncmp(l.specs[i].name, "block:block_rq_", 15));
		CHECK(!i || strcmp(l.specs[i - 1].name, l.specs[i].name) < 0);
		CHECK_INT(l.specs[i].leader, i);
	}
	rq = l.nr;
	CHECK(rq >= 4);
	CHECK(pt_event_list_add(&l, "{block,sched}:{block_rq_issue,sched_s?itch}", &e) < 0);	/* there is no sched:block_rq_issue */
	CHECK_INT(l.nr, rq);
	pt_event_list_deinit(&l);
}

TEST(brace_lists)
{
	begin();
	need_tracefs();
	add("syscalls:sys_{enter,exit}_{read,pwrite{64,v}},{syscalls:sys_e*t_{write,read},cs}:k");
	CHECK_INT(l.nr, 9);
	CHECK_STR(l.specs[0].name, "syscalls:sys_enter_read");
	CHECK_STR(l.specs[2].name, "syscalls:sys_enter_pwritev");
	CHECK_STR(l.specs[5].name, "syscalls:sys_exit_pwritev");
	CHECK_STR(l.specs[6].name, "syscalls:sys_exit_write");
	CHECK_INT(l.specs[8].leader, 6);
	pt_event_list_deinit(&l);
}

static void wrong(const char *text, const char *part)
{
	size_t before = l.nr;

	e = (struct pt_err)PT_ERR_INIT;
	if (pt_event_list_add(&l, text, &e) == 0)
		FAIL("%s was taken", text);
	if (!strstr(e.msg, part))
		FAIL("%s: \"%s\", without \"%s\"", text, e.msg, part);
	CHECK_INT(l.nr, before);
}

TEST(errors)
{
	begin();
	add("cs");
	wrong("", "no event is named");
	wrong(" , ", "no event is named");
	wrong("cycels", "cycles");
	wrong("cs,cycels,faults", "\n    cs,cycels,faults\n       ^");
	wrong("{cs,faults", "brace");
	wrong("{}", "without events");
	wrong("{cs,{faults}}", "within");
	wrong("cs}", "missing");
	wrong("}", "closes nothing");
	wrong("cs:x", "'x' is no modifier");
	wrong("{cs}:x", "'x' is no modifier");
	wrong("cs:pppp", "three times");
	wrong("iTLB-prefetches", "no event iTLB-prefetches");
	wrong("nosuch/event=1,umask=2/u", "no PMU or event nosuch");
	wrong("cs,nosuch/event=1,umask=2/u,faults", "\n    cs,nosuch/event=1,umask=2/u,faults\n       ^");
	wrong("cs/period=1,umask=2/u", "no term umask");
	wrong("cs/time=0/", "records are ordered by time");
	wrong("cs/overwrite/", "overwrite: rings are read");
	wrong("cs/nr=5/", "not limited by their number");
	wrong("cs/period=1", "no second slash");
	wrong("mem:zz", "\n    mem:zz\n        ^");
	wrong("mem:0x1000/9", "1 to 8 bytes");
	wrong("mem:0x1000:rr", "'r' is no modifier");
	wrong("mem:0x1000:rw:z", "'z' is no modifier");
	wrong("r", "no event r");
	wrong("bad\033name", "bad\\x1bname");
	wrong("{a,b", "no event a\n");
	CHECK_INT(l.nr, 1);
	pt_event_list_deinit(&l);
}

TEST(errors_of_tracepoints)
{
	begin();
	need_tracefs();
	wrong("sched:sched_swich", "did you mean sched:sched_switch?");
	wrong("sched_switch", "sched:sched_switch");
	wrong("block:rq_issue", "block:block_rq_issue");
	wrong("cs,nosuch:*,cs", "no tracepoint matches nosuch:*\n    cs,nosuch:*,cs\n       ^");
	wrong("nosuch:thing", "no event nosuch:thing");
	wrong("sched:sched_{switch,swich}", "sched:sched_swich");
	wrong("sched:sched_switch:z", "'z' is no modifier");
	wrong("../sched:sched_switch", "");
	wrong("sched:..", "");
	CHECK_INT(l.nr, 0);
	pt_event_list_deinit(&l);
}

TEST(filters)
{
	begin();
	need_tracefs();
	CHECK(pt_event_list_filter(&l, "pid > 1", &e) < 0);
	add("sched:sched_switch");
	add("sched:sched_waking,cs");
	CHECK(pt_event_list_filter(&l, "pid > 1", &e) == 0);
	CHECK(pt_event_list_filter(&l, "prio < 9", &e) == 0);
	CHECK(!l.specs[0].filter && !l.specs[2].filter);
	CHECK_STR(l.specs[1].filter, "(pid > 1) && (prio < 9)");
	add("cs");
	CHECK(pt_event_list_filter(&l, "pid > 1", &e) < 0);
	CHECK_HAS(e.msg, "--filter");
	pt_event_list_deinit(&l);
}

TEST(presets)
{
	begin();
	need_tracefs();
	CHECK(pt_preset_add(&l, "block", NULL, &e) == 0);
	CHECK_STR(l.specs[0].name, "block:block_rq_insert");
	CHECK(l.nr >= 3);
	CHECK(pt_event_list_filter(&l, "dev == 1", &e) == 0);
	CHECK(l.specs[0].filter && l.specs[l.nr - 1].filter);
	pt_event_list_deinit(&l);
	CHECK(pt_preset_add(&l, "sched", NULL, &e) == 0);
	CHECK_STR(l.specs[0].name, "sched:sched_switch");
	pt_event_list_deinit(&l);
	CHECK(pt_preset_add(&l, "syscall", NULL, &e) == 0);
	CHECK_INT(l.nr, 2);
	pt_event_list_deinit(&l);
	CHECK(pt_preset_add(&l, "syscall", "read,stat", &e) == 0);
	CHECK_INT(l.nr, 4);
	CHECK_STR(l.specs[1].name, "syscalls:sys_exit_read");
	CHECK_STR(l.specs[2].name, "syscalls:sys_enter_newstat");
	CHECK(pt_preset_add(&l, "syscall", "reed", &e) < 0);
	CHECK_HAS(e.msg, "sys_enter_read");
	CHECK(pt_preset_add(&l, "blocks", NULL, &e) < 0);
	CHECK_INT(l.nr, 4);
	pt_event_list_deinit(&l);
}

TEST(control_groups)
{
	static const struct { size_t leader; const char *name, *cgroup; } each[] = {
		{ 0, "cs", "a" }, { 0, "faults", "a" }, { 2, "dummy", "a" }, { 3, "cs", "b/c" }, { 3, "faults", "b/c" }, { 5, "dummy", "b/c" },
	};
	static const char *const empty[] = { "", "a,", ",a", "a,,b" };
	struct pt_cgroups groups = { 0 };
	size_t i;

	begin();
	add("cs,faults,dummy");
	CHECK_INT(pt_event_list_cgroups(&l, "a,,b/c", &e), 0);
	CHECK_STR(l.specs[0].cgroup, "a");
	CHECK(!l.specs[1].cgroup);
	CHECK_STR(l.specs[2].cgroup, "b/c");
	CHECK_INT(pt_event_list_cgroups(&l, "a,b,c,", &e), -1);
	CHECK_STR(e.msg, "more control groups than events (3)");
	pt_event_list_deinit(&l);

	begin();
	add("{cs,faults},dummy");
	CHECK_INT(pt_event_list_cgroups(&l, "a,a,b", &e), 0);
	CHECK_INT(pt_event_list_cgroups(&l, "a,b", &e), -1);
	CHECK_STR(e.msg, "faults is in a group with cs: both count in the same control group");
	pt_event_list_deinit(&l);

	begin();
	add("{cs,faults},dummy");
	CHECK_INT(pt_cgroups_split(&groups, "a,b/c", &e), 0);
	CHECK_INT(pt_event_list_each_cgroup(&l, &groups, &e), 0);
	pt_cgroups_deinit(&groups);
	CHECK_INT(l.nr, 6);
	for (i = 0; i < 6; i++) {
		CHECK_STR(l.specs[i].name, each[i].name);
		CHECK_STR(l.specs[i].cgroup, each[i].cgroup);
		CHECK_INT(l.specs[i].leader, each[i].leader);
		CHECK_INT(l.specs[i].origin == l.specs[i % 3].origin, i < 3);
	}
	add("cs");		/* and more may follow */
	CHECK_INT(l.specs[6].leader, 6);
	pt_event_list_deinit(&l);

	for (i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		CHECK_INT(pt_cgroups_split(&groups, empty[i], &e), -1);
		CHECK_HAS(e.msg, "a name is empty");
		CHECK_INT(groups.nr, 0);
	}
}
