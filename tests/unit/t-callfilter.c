/* Which calls, signals and errors an -e and the like choose; classes of calls. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "syscall/classes.h"
#include "syscall/filter.h"
#include "syscall/spec.h"

static struct pt_err e;

static bool has_call(const char *expr, const char *call)
{
	struct pt_call_filter f = PT_CALL_FILTER_INIT;
	bool has;

	if (pt_call_filter_add(&f, expr, &e) < 0)
		FAIL("%s: %s", expr, e.msg);
	has = pt_call_filter_name(&f, call);
	pt_call_filter_deinit(&f);
	return has;
}

TEST(calls)
{
	static const struct { const char *expr, *call; bool has; } rows[] = {
		{ "openat", "openat", true }, { "openat", "open", false },
		{ "trace=open*", "openat2", true }, { "t=read,write", "write", true },
		{ "!read,write", "write", false }, { "!read,write", "openat", true },
		{ "/^p?read(v|64)?$", "preadv", true }, { "/^p?read(v|64)?$", "readlink", false },
		{ "all", "brk", true }, { "none", "brk", false }, { "?nosuch,brk", "brk", true },
		{ "%file", "openat", true }, { "%file", "read", false }, { "%file", "execve", true },
		{ "%desc", "read", true }, { "%desc", "openat", true }, { "%desc", "socket", false },
		{ "%net", "sendto", true }, { "%network", "read", false }, { "%n", "read", false },
		{ "%process", "exit_group", true }, { "%signal", "rt_sigaction", true },
		{ "%ipc", "semop", true }, { "%memory", "mmap", true }, { "%creds", "geteuid", true },
		{ "%clock", "clock_gettime", true }, { "%%stat", "newfstatat", true },
		{ "%stat", "newfstatat", false }, { "!%memory", "mmap", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (has_call(rows[i].expr, rows[i].call) != rows[i].has)
			FAIL("%s of %s", rows[i].expr, rows[i].call);
	CHECK(pt_class_exists("%net") && pt_class_exists("%%stat") && pt_class_exists("%s"));
	CHECK(!pt_class_exists("%") && !pt_class_exists("%file f") && !pt_class_exists("%sta") && !pt_class_exists("%% stat"));
	/* a call without a name is none of these, and all but these */
	CHECK(!has_call("openat", NULL));
	CHECK(has_call("!openat", NULL));
}

TEST(several)
{
	struct pt_call_filter f = PT_CALL_FILTER_INIT;
	struct pt_calls *calls = pt_calls_new();

	CHECK(pt_call_filter_add(&f, "read", &e) == 0);
	CHECK(pt_call_filter_add(&f, "%file", &e) == 0);
	CHECK(pt_call_filter_name(&f, "read") && pt_call_filter_name(&f, "openat"));
	CHECK(!pt_call_filter_name(&f, "write"));
	CHECK(pt_call_filter_check(&f, calls, &e) == 0);
	CHECK(pt_call_filter_add(&f, "read,nosuch", &e) == 0);
	CHECK(pt_call_filter_check(&f, calls, &e) < 0);
	CHECK_STR(e.msg, "'nosuch' is no system call of this machine");
	pt_call_filter_deinit(&f);
	pt_calls_free(calls);
}

TEST(signals)
{
	struct pt_call_filter f = PT_CALL_FILTER_INIT;
	struct pt_call chld = { .kind = PT_CALL_SIGNAL, .nr = SIGCHLD },
		       exited = { .kind = PT_CALL_EXIT };

	CHECK(pt_call_filter_has(&f, &chld));
	CHECK(pt_call_filter_add(&f, "signal=!SIGCHLD", &e) == 0);
	CHECK(!pt_call_filter_has(&f, &chld));
	CHECK(pt_call_filter_add(&f, "signal=chld,USR1", &e) == 0);
	CHECK(f.signals == (1ull << (SIGCHLD - 1) | 1ull << (SIGUSR1 - 1)));
	CHECK(pt_call_filter_add(&f, "signal=none", &e) == 0);
	CHECK(f.signals == 0);
	CHECK(pt_call_filter_add(&f, "signal=SIGNOSUCH", &e) < 0);
	CHECK(pt_call_filter_has(&f, &exited));
	CHECK(pt_call_filter_add(&f, "quiet=exit", &e) == 0);
	CHECK(!pt_call_filter_has(&f, &exited));
	pt_call_filter_deinit(&f);
}

TEST(results)
{
	struct pt_call_filter f = PT_CALL_FILTER_INIT;
	struct pt_call c = { .kind = PT_CALL_DONE, .name = "read", .ret = -ENOENT,
			     .start_ns = 1000, .end_ns = 3000 };

	f.failed = true;
	CHECK(pt_call_filter_has(&f, &c));
	CHECK(pt_call_filter_errors(&f, "EACCES,EINTR", &e) == 0);
	CHECK(!pt_call_filter_has(&f, &c));
	c.ret = -EINTR;
	CHECK(pt_call_filter_has(&f, &c));
	f.longer_ns = 2001;
	CHECK(!pt_call_filter_has(&f, &c));
	f.longer_ns = 2000;
	CHECK(pt_call_filter_has(&f, &c));
	CHECK(pt_call_filter_errors(&f, "ENOSUCH", &e) < 0);
	pt_call_filter_deinit(&f);
}

TEST(refused)
{
	struct pt_call_filter f = PT_CALL_FILTER_INIT;

	CHECK(pt_call_filter_add(&f, "inject=open:error=EIO", &e) < 0);
	CHECK_STR(e.msg, "inject: what is watched is never changed: strace injects");
	CHECK(pt_call_filter_add(&f, "nosuch=open", &e) < 0);
	CHECK(pt_call_filter_add(&f, "sched:*switch/nr=2/", &e) < 0);
	CHECK_HAS(e.msg, "pt-script -e prints other events");
	pt_call_filter_deinit(&f);
}

TEST(descriptors)
{
	static const struct { const char *call; bool row, returns_fd; } rows[] = {
		{ "openat", true, true }, { "read", true, false }, { "fcntl", true, true },
		{ "dup", true, true }, { "umask", true, false }, { "nosuch", false, false },
		{ NULL, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pt_spec s;

		CHECK(pt_spec_parse(rows[i].call, NULL, &s) == rows[i].row);
		if (rows[i].row)
			CHECK(pt_spec_returns_fd(&s) == rows[i].returns_fd);
	}
}
