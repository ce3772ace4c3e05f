/* spec.def: each call of each CPU has a row, each row is well formed, and structures have the sizes
 * that the system's headers say. */
#include "test.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/sysnr.h"
#include "spec.def.h"
#include "syscall/spec.h"

static bool has_row(const char *name, bool compat)
{
	struct pt_spec s;

	return pt_spec_parse(name, compat ? PT_SPEC_COMPAT : NULL, &s);
}

/* Every number that libseccomp knows of the CPU. */
TEST(calls_of_cpus)
{
	static const char *const cpus[] = { "x86_64", "aarch64", "s390x", "i386" };
	struct pt_buf missing = PT_BUF_INIT;

	for (size_t i = 0; i < PT_NR(cpus); i++) {
		struct pt_sysnr *numbers = pt_sysnr_new(cpus[i]);
		bool i386 = pt_sysnr_is_i386(cpus[i]);
		int nr_calls = 0;
		struct pt_spec s;

		for (int nr = 0; nr < PT_CALLS; nr++) {
			const char *name = pt_sysnr_name(numbers, nr);

			nr_calls += name != NULL;
			if (name && !pt_spec_parse(name, i386 ? PT_SPEC_COMPAT : cpus[i], &s))
				pt_buf_printf(&missing, " %s:%s", cpus[i], name);
		}
		if (nr_calls < 290)
			FAIL("%s: %d calls", cpus[i], nr_calls);
		pt_sysnr_free(numbers);
	}
	if (missing.len)
		FAIL("no row, or a wrong one:%s", missing.data);
	pt_buf_deinit(&missing);
}

/* #define __NR_NAME NUMBER */
static int check_header(const char *path, bool compat, struct pt_calls *calls, struct pt_buf *bad)
{
	FILE *f = fopen(path, "re");
	char line[256], name[64];
	int nr, nr_calls = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		const char *known;

		if (sscanf(line, "#define __NR_%63s %d", name, &nr) != 2)
			continue;
		nr_calls++;
		known = pt_calls_name(calls, nr + (compat ? PT_CALLS : 0));
		if (!known || strcmp(known, name))
			pt_buf_printf(bad, " %d is %s, not %s;", nr, known, name);
		if (!has_row(name, compat))
			pt_buf_printf(bad, " %s has no row;", name);
	}
	fclose(f);
	return nr_calls;
}

/* The kernel's headers of this machine, which may be newer than libseccomp. */
TEST(calls_of_headers)
{
	static const struct { const char *path; bool compat; } headers[] = {
		{ "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", false },
		{ "/usr/include/x86_64-linux-gnu/asm/unistd_32.h", true },
	};
	struct pt_calls *calls = pt_calls_new();
	struct pt_buf bad = PT_BUF_INIT;
	int nr_calls = 0;

#ifdef __x86_64__
	for (size_t i = 0; i < PT_NR(headers); i++)
		nr_calls += check_header(headers[i].path, headers[i].compat, calls, &bad);
#endif
	pt_calls_free(calls);
	if (bad.len)
		FAIL("%s", bad.data);
	if (!nr_calls)
		SKIP("no list of calls in the headers");
	pt_buf_deinit(&bad);
}

/* Of each row of the file: its name once, and its arguments. */
TEST(rows)
{
	char *text = pt_strdup(spec_def), *rest = text, *line, *seen[1024];
	size_t nr = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, " "), *machine;
		struct pt_spec s;

		if (!*name || *name == '#')
			continue;
		for (size_t i = 0; i < nr; i++)
			if (!strcmp(seen[i], name))
				FAIL("%s is there twice", name);
		CHECK(nr < PT_NR(seen));
		seen[nr++] = pt_strdup(name);
		machine = strchr(name, '/');
		if (machine)
			*machine++ = '\0';
		if (!pt_spec_parse(name, machine, &s))
			FAIL("the row of %s is wrong", name);
	}
	CHECK(nr > 350);
	for (size_t i = 0; i < nr; i++)
		free(seen[i]);
	free(text);
}

/* sigaction of the kernel, not that of libc */
struct kernel_sigaction { unsigned long handler, flags, restorer, mask; };

#define IS(type, of) { type, sizeof(of), NULL, 0, 0 }
#define HAS(type, of, member) { type, sizeof(of), #member, offsetof(of, member), sizeof(((of *)0)->member) }

static const struct { const char *type; size_t size; const char *member; size_t at, bytes; } known[] = {
	IS("iov", struct iovec), IS("msghdr", struct msghdr), IS("stat", struct stat),
	IS("statx", struct statx), IS("utime", struct timespec), IS("sigset", unsigned long),
	IS("sigaction", struct kernel_sigaction), IS("siginfo", siginfo_t), IS("waitstatus", int),
	IS("cloneargs", struct clone_args), IS("capsets", struct __user_cap_data_struct[2]),
	IS("epollevent", struct epoll_event),
	HAS("timespec", struct timespec, tv_sec), HAS("timespec", struct timespec, tv_nsec),
	HAS("timeval", struct timeval, tv_usec), HAS("timezone", struct timezone, tz_dsttime),
	HAS("itimerval", struct itimerval, it_value), HAS("itimerspec", struct itimerspec, it_value),
	HAS("stack", stack_t, ss_flags), HAS("stack", stack_t, ss_size),
	HAS("rlimit", struct rlimit, rlim_max), HAS("rlimit64", struct rlimit64, rlim_max),
	HAS("rusage", struct rusage, ru_stime), HAS("utsname", struct utsname, nodename),
	HAS("sysinfo", struct sysinfo, loads), HAS("sysinfo", struct sysinfo, procs),
	HAS("sysinfo", struct sysinfo, mem_unit), HAS("statfs", struct statfs, f_blocks),
	HAS("statfs", struct statfs, f_fsid), HAS("statfs", struct statfs, f_flags),
	IS("fsid", fsid_t), HAS("pollfd", struct pollfd, events),
	HAS("winsize", struct winsize, ws_ypixel), HAS("openhow", struct open_how, resolve),
	HAS("flock", struct flock, l_len), HAS("flockpid", struct flock, l_pid),
	HAS("widelock", struct flock, l_len), HAS("widelockpid", struct flock, l_pid),
	IS("caphead", struct __user_cap_header_struct), IS("frame", unsigned long),
};

/* What the headers say of the type, and of its member. */
static void check_type(const char *name)
{
	const struct pt_type *type = pt_type_find(name, strlen(name), false);
	struct pt_spec s = { .nr = 0 };

	if (!type || (type->members && !pt_spec_parse_members(type, &s)))
		FAIL("%s is no type, or a wrong one", name);
	for (size_t i = 0; i < PT_NR(known); i++) {
		bool found = false;

		if (strcmp(known[i].type, name))
			continue;
		if (type->size != known[i].size)
			FAIL("%s has %u bytes, not %zu", name, type->size, known[i].size);
		for (int m = 0; known[i].member && m < s.nr; m++) {
			if (strcmp(s.args[m].name, known[i].member))
				continue;
			found = true;
			if (s.args[m].at != known[i].at || s.args[m].size != known[i].bytes)
				FAIL("%s.%s is at %u, %u bytes", name, known[i].member, s.args[m].at,
				     s.args[m].size);
		}
		if (known[i].member && !found)
			FAIL("%s has no member %s", name, known[i].member);
	}
}

static bool is_known(const char *type)
{
	for (size_t i = 0; i < PT_NR(known); i++)
		if (!strcmp(known[i].type, type))
			return true;
	return false;
}

/* Those of the table, which has all that rows name. */
TEST(structures)
{
	char name[64];
	struct pt_spec s;
	int len;

	for (size_t i = 0; i < PT_NR(known); i++)
		check_type(known[i].type);
	for (const char *line = spec_def; *line; line += strcspn(line, "\n") + 1) {
		if (sscanf(line, "%63[a-z0-9_]%n", name, &len) != 1 || strchr(" \n", line[len]) == NULL ||
		    !pt_spec_parse(name, NULL, &s))
			continue;
		for (int i = 0; i < s.nr; i++) {
			const struct pt_type *type = s.args[i].type;

			if (s.args[i].direction && type && type->members && !strstr(type->name, "64") &&
			    !is_known(type->name))
				FAIL("%s: the size of %s is not checked", name, type->name);
		}
	}
}

/* Types of 32-bit programs, by the headers as the compiler sees them for i386. */
TEST(structures_of_32_bits)
{
	static const struct { const char *type, *is, *member; } narrow[] = {
		{ "stat32", "struct stat", NULL }, { "stat64", "struct stat64", NULL },
		{ "iov32", "struct iovec", NULL }, { "utime32", "struct timespec", NULL },
		{ "timespec32", "struct timespec", "tv_nsec" },
		{ "timeval32", "struct timeval", "tv_usec" },
		{ "itimerval32", "struct itimerval", "it_value" },
		{ "itimerspec32", "struct itimerspec", "it_value" },
		{ "stack32", "stack_t", "ss_size" }, { "rlimit32", "struct rlimit", "rlim_max" },
		{ "rusage32", "struct rusage", "ru_stime" },
		{ "sysinfo32", "struct sysinfo", "procs" },
		{ "sysinfo32", "struct sysinfo", "mem_unit" },
		{ "statfs32", "struct statfs", "f_fsid" }, { "statfs32", "struct statfs", "f_flags" },
		{ "statfs64", "struct statfs64", "f_blocks" },
		{ "statfs64", "struct statfs64", "f_fsid" },
		{ "statfs64", "struct statfs64", "f_flags" },
		{ "flock32", "struct flock", "l_len" }, { "flockpid32", "struct flock", "l_pid" },
		{ "widelock32", "struct flock64", "l_len" },
		{ "widelockpid32", "struct flock64", "l_pid" },
	};
	char path[512], command[1200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/narrow.c", pt_test_dir());
	snprintf(command, sizeof(command),
		 "gcc -m32 -fsyntax-only -I/usr/include/x86_64-linux-gnu %s", path);
	f = fopen(path, "we");
	CHECK(f);
	fputs("#include <linux/types.h>\n#include <asm/stat.h>\n#include <asm/statfs.h>\n"
	      "#include <linux/time.h>\n#include <linux/resource.h>\n#include <linux/sysinfo.h>\n"
	      "#include <linux/uio.h>\n#include <linux/fcntl.h>\n#include <asm/signal.h>\n", f);
	fflush(f);
	if (system(command))
		SKIP("no compiler for i386");
	for (size_t i = 0; i < PT_NR(narrow); i++) {
		const struct pt_type *type = pt_type_find(narrow[i].type, strlen(narrow[i].type), false);
		struct pt_spec s = { .nr = 0 };
		int m = 0;

		CHECK(type && (!type->members || pt_spec_parse_members(type, &s)));
		fprintf(f, "_Static_assert(sizeof(%s) == %u, \"%s\");\n", narrow[i].is, type->size,
			narrow[i].type);
		if (!narrow[i].member)
			continue;
		while (m < s.nr && strcmp(s.args[m].name, narrow[i].member))
			m++;
		CHECK(m < s.nr);
		fprintf(f, "_Static_assert(__builtin_offsetof(%s, %s) == %u, \"%s.%s\");\n",
			narrow[i].is, narrow[i].member, s.args[m].at, narrow[i].type,
			narrow[i].member);
	}
	fclose(f);
	if (system(command))
		FAIL("the layouts differ");
}
