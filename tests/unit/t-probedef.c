/* Definitions of probes, names for them, and the files of tracefs they go to (a folder with files of those names). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "probe/tracefs/event.h"
#include "test.h"

static void check_round(const char *line, bool user)
{
	struct pt_def d, copy;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;
	char *guarded = pt_test_guarded(line, strlen(line));

	if (pt_def_parse(&d, guarded, strlen(line), user, &e) < 0)
		FAIL("%s: %s", line, e.msg);
	pt_def_copy(&copy, &d);
	CHECK(pt_def_same(&d, &copy) && pt_def_same_place(&d, &copy));
	pt_def_text(&copy, &b);
	CHECK_STR(b.data, line);
	pt_def_deinit(&d);
	pt_def_deinit(&copy);
	pt_buf_deinit(&b);
}

TEST(lines_come_back)
{
	check_round("p:probe_prog/work /bin/prog:0x1139", true);
	check_round("p:probe_prog/work /bin/prog:0x1139(0x4010) a=%di:s64 s=+0(%si):string", true);
	check_round("r:probe_libc/malloc__return /lib/x:y/libc.so.6:0x99999 ret=$retval", true);
	check_round("p:sdt_a/b /bin/a(1):0x10 arg1=\\5:s32 arg2=@+0x4020:s32 arg3=\\\"a:b\":string", true);
	check_round("p:probe/vfs_read vfs_read count=%dx:u64", false);
	check_round("p:probe/vfs_read vfs_read+16", false);
	check_round("p:probe/x ext4:ext4_file_open+4 b=+126(%si):b1@0/8 c=+0(%si):x8[16]", false);
	check_round("r16:probe/x vfs_read ret=$retval:s64", false);
	check_round("p:probe/x 0xffffffff81234567", false);
	check_round("r:probe/x vfs_read+4%return", false);
}

TEST(what_the_kernel_writes)
{
	static const char zeros[] = "p:probe_prog/work /bin/prog:0x0000000000001139 a=%di";
	struct pt_def d;

	CHECK_INT(pt_def_parse(&d, zeros, strlen(zeros), true, NULL), 0);
	CHECK_INT(d.off, 0x1139);
	CHECK_STR(d.args[0].fetch, "%di");
	CHECK(!d.args[0].type);
	pt_def_deinit(&d);
	CHECK_INT(pt_def_parse(&d, "r:g/e vfs_read+0 r=$retval:s32", 30, false, NULL), 0);
	CHECK_INT(d.off, 0);
	CHECK_STR(d.symbol, "vfs_read");
	pt_def_deinit(&d);
}

TEST(no_definitions)
{
	static const char *const bad[] = {
		"", "p", "p:", "p:a", "p:a/", "p:/b /bin/x:0x1", "p:a/b", "p:a/b ", "p:a/b /bin/x", "p:a/b /bin/x:", "p:a/b /bin/x:zz", "p:a/b /bin/x:0x1(", "p:a/b /bin/x:0x1(2",
		"p:a/b /bin/x:0x1(z)", "p:a/b /bin/x:0x1 arg", "p:a/b /bin/x:0x1 =%di", "p:a/b /bin/x:0x1 a=", "e:a/b sched/sched_switch", "-:a/b", "p99999999999:a/b /bin/x:0x1",
		"px:a/b /bin/x:0x1", "p:a/b :0x1", "p:a/b /bin/x:0x11111111111111111111111111",
	};
	struct pt_def d;

	for (size_t i = 0; i < PT_NR(bad); i++) {
		struct pt_err e = PT_ERR_INIT;

		if (pt_def_parse(&d, pt_test_guarded(bad[i], strlen(bad[i])), strlen(bad[i]), true, &e) == 0)
			FAIL("'%s' is taken", bad[i]);
		CHECK(e.msg[0]);
	}
}

TEST(which_share_an_event)
{
	struct pt_def a = { .kind = 'p', .user = true, .group = pt_strdup("g"), .event = pt_strdup("e") }, b;

	pt_def_copy(&b, &a);
	CHECK(pt_def_shares(&a, &b));
	b.event[0] = 'f';
	CHECK(!pt_def_shares(&a, &b));
	b.event[0] = 'e';
	pt_def_add_arg(&a, "x", "%di", "u64");
	CHECK(!pt_def_shares(&a, &b));
	pt_def_add_arg(&b, "x", "+8(%sp)", "u64");
	CHECK(pt_def_shares(&a, &b) && !pt_def_same(&a, &b));
	pt_def_add_arg(&a, "y", "%di", NULL);
	pt_def_add_arg(&b, "y", "%di", "u32");
	CHECK(!pt_def_shares(&a, &b));
	pt_def_deinit(&a);
	pt_def_deinit(&b);
}

static void check_name(const char *func, uint32_t line, bool ret, const char *want)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_event_name(func, line, ret, &b);
	CHECK_STR(b.data, want);
	CHECK(b.len <= PT_DEF_NAME_MAX);
	CHECK_INT(pt_event_check(b.data, NULL), 0);
	pt_buf_deinit(&b);
}

TEST(names)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;

	check_name("work", 0, false, "work");
	check_name("work", 9, false, "work_L9");
	check_name("work", 0, true, "work__return");
	check_name("foo.part.0", 0, false, "foo");
	check_name("memcpy@@GLIBC_2.14", 0, true, "memcpy__return");
	check_name("ns::Class<int, char>::method", 0, false, "ns__Class_int__char__method");
	check_name("operator+", 0, false, "operator");
	check_name("::~X", 0, false, "X");
	check_name("_end_", 0, false, "_end_");
	check_name("3d", 0, false, "_3d");
	check_name("", 0, false, "probe");
	check_name("a_very_long_name_of_a_function_that_somebody_has_thought_of_to_test_limits", 123456, true, "a_very_long_name_of_a_function_that_so_L123456__return");
	pt_event_group("/usr/lib/x/libc.so.6", &b);
	CHECK_STR(b.data, "probe_libc");
	pt_buf_clear(&b);
	pt_event_group("lat_mem_rd", &b);
	CHECK_STR(b.data, "probe_lat_mem_rd");
	CHECK_INT(pt_event_check("a-b", &e), -1);
	CHECK_HAS(e.msg, "'a-b'");
	CHECK_INT(pt_event_check("1a", NULL), -1);
	CHECK_INT(pt_event_check("", NULL), -1);
	CHECK_INT(pt_event_check("a123456789a123456789a123456789a123456789a123456789a123456789a123", NULL), -1);
	CHECK_INT(pt_event_check("a123456789a123456789a123456789a123456789a123456789a123456789a12", NULL), 0);
	pt_buf_deinit(&b);
}

/* -- files --------------------------------------------------------------------------------------------------------------------- */

static void put(const char *name, const char *text)
{
	char *path = pt_asprintf("%s/%s", pt_test_dir(), name);
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
	free(path);
}

static void check_file(const char *name, const char *want)
{
	char *path = pt_asprintf("%s/%s", pt_test_dir(), name), text[4096] = "";
	FILE *f = fopen(path, "r");

	CHECK(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	free(path);
	CHECK_STR(text, want);
}

static struct pt_def def(const char *line)
{
	struct pt_def d;

	CHECK_INT(pt_def_parse(&d, line, strlen(line), true, NULL), 0);
	return d;
}

TEST(planned_and_made)
{
	struct pt_def defs[5] = { def("p:g/a /x:0x1 v=%di:u64"), def("p:g/a /x:0x2 v=%si:u64"), def("p:g/a /x:0x3 v=%si:u32"), def("p:g/a /x:0x1 v=%di:u64"), def("r:g/a /x:0x1") };
	struct pt_err e = PT_ERR_INIT;
	struct pt_events es;
	struct pt_dyn d;

	put("uprobe_events", "p:g/a_1 /y:0x1\np:other/a /x:0x1\n");
	CHECK_INT(pt_dyn_open_at(&d, pt_test_dir(), &e), 0);
	CHECK_INT(d.nr, 2);
	CHECK_INT(pt_dyn_allowed(&d, true, &e), 0);
	CHECK_INT(pt_dyn_allowed(&d, false, &e), -1);
	CHECK_HAS(e.msg, "CONFIG_KPROBES");
	CHECK_INT(pt_events_plan(&es, defs, 5, &d, false, &e), 0);
	CHECK_INT(es.nr, 3);
	CHECK_INT(es.v[0].nr, pt_dyn_shares_names() ? 2 : 1);
	CHECK_STR(es.v[0].name, "a");
	CHECK_STR(es.v[1].name, "a_2");		/* a_1 is somebody's */
	CHECK_STR(es.v[1].wanted, "a");
	CHECK_STR(es.v[2].name, "a_3");
	CHECK_INT(pt_events_make(&es, &d, &e), 0);
	check_file("uprobe_events", "p:g/a_1 /y:0x1\np:other/a /x:0x1\np:g/a /x:0x1 v=%di:u64\np:g/a /x:0x2 v=%si:u64\np:g/a_2 /x:0x3 v=%si:u32\nr:g/a_3 /x:0x1\n");
	pt_events_deinit(&es);
	pt_dyn_close(&d);
}

TEST(names_that_are_taken)
{
	struct pt_def defs[1] = { def("p:g/a /x:0x1") };
	struct pt_err e = PT_ERR_INIT;
	struct pt_events es;
	struct pt_dyn d;

	put("uprobe_events", "p:g/a /x:0x0000000000000001\np:g/a_1 /y:0x0000000000000001\n");
	CHECK_INT(pt_dyn_open_at(&d, pt_test_dir(), &e), 0);
	CHECK_INT(pt_events_plan(&es, defs, 1, &d, false, &e), -1);
	CHECK_STR(e.msg, "g:a exists already: `pt-probe -d g:a` deletes it, --force makes one more, a_1");
	defs[0] = def("p:g/a /x:0x1");
	CHECK_INT(pt_events_plan(&es, defs, 1, &d, true, &e), 0);
	CHECK_STR(es.v[0].name, "a_2");
	CHECK_STR(es.v[0].wanted, "a");
	CHECK_INT(pt_events_make(&es, &d, &e), 0);
	check_file("uprobe_events", "p:g/a /x:0x0000000000000001\np:g/a_1 /y:0x0000000000000001\np:g/a_2 /x:0x1\n");
	pt_events_deinit(&es);
	pt_dyn_close(&d);
}

TEST(odd_paths)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_err e = PT_ERR_INIT;

	CHECK(!pt_dyn_path_is_odd("/usr/bin/x:y(1)%"));
	CHECK(pt_dyn_path_is_odd("/a b") && pt_dyn_path_is_odd("/a#b") && pt_dyn_path_is_odd("/a\tb") && pt_dyn_path_is_odd("/\xc3\xa0") && pt_dyn_path_is_odd("/a\n"));
	CHECK_INT(pt_dyn_path(NULL, "/usr/bin/env", &b, &e), 0);
	CHECK_STR(b.data, "/usr/bin/env");
	pt_buf_clear(&b);
	CHECK_INT(pt_dyn_path(NULL, "/tmp/my prog", &b, &e), 0);
	CHECK_HAS(b.data, PT_DYN_LINKS "/my_prog-");
	CHECK(!pt_dyn_path_is_odd(b.data));
	pt_buf_deinit(&b);
}
