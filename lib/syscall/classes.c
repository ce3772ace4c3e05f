#include "syscall/classes.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "syscall/spec.h"

/* Which calls are in a class: globs. NULL: by the types of their arguments. */
static const struct { const char *names, *calls; } classes[] = {
	{ "file f", NULL },
	{ "desc d", NULL },
	{ "process p",
	  "clone clone3 fork vfork execve execveat exit exit_group wait4 waitid waitpid kill tkill "
	  "tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open process_mrelease" },
	{ "network net n",
	  "socket socketpair bind connect listen accept accept4 getsockname getpeername sendto "
	  "recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown setsockopt getsockopt send recv "
	  "socketcall sendfile sendfile64 getpmsg putpmsg" },
	{ "signal s",
	  "rt_sig* sig* kill tkill tgkill pause signalfd signalfd4 pidfd_send_signal "
	  "sigaltstack" },
	{ "ipc i", "msg* sem* shm* ipc" },
	{ "memory m",
	  "mmap mmap2 munmap mprotect pkey_mprotect mremap madvise process_madvise msync brk mlock "
	  "mlock2 munlock mlockall munlockall mincore mbind get_mempolicy set_mempolicy "
	  "set_mempolicy_home_node migrate_pages move_pages remap_file_pages shmat shmdt io_setup "
	  "io_destroy mseal map_shadow_stack" },
	{ "creds",
	  "get*uid* get*gid* set*uid* set*gid* getgroups* setgroups* getres?id* setres?id* "
	  "setfs?id* capget capset prctl" },
	{ "clock",
	  "clock_gettime* clock_settime* clock_adjtime* clock_getres* gettimeofday settimeofday "
	  "adjtimex time stime" },
	{ "stat", "stat stat64 oldstat" },
	{ "lstat", "lstat lstat64 oldlstat" },
	{ "fstat", "fstat fstat64 oldfstat fstatat64 newfstatat statx" },
	{ "%stat",
	  "stat stat64 oldstat lstat lstat64 oldlstat fstat fstat64 oldfstat fstatat64 newfstatat "
	  "statx" },
	{ "statfs", "statfs statfs64" },
	{ "fstatfs", "fstatfs fstatfs64" },
	{ "%statfs", "statfs statfs64 fstatfs fstatfs64 ustat" },
	{ "pure",
	  "getpid getppid gettid getpgrp getuid* geteuid* getgid* getegid* get_thread_area" },
};

static bool classes_list_has(const char *globs, const char *call)
{
	char glob[32];
	size_t len;

	for (const char *at = globs; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (len >= sizeof(glob))
			continue;
		memcpy(glob, at, len);
		glob[len] = '\0';
		if (pt_text_glob(glob, call))
			return true;
	}
	return false;
}

/* Some argument has the type. */
static bool has_argument(const struct pt_spec *s, const char *type)
{
	for (int i = 0; i < s->nr; i++)
		if (s->args[i].type && !strcmp(s->args[i].type->name, type))
			return true;
	return false;
}

static bool is_network(const char *call)
{
	return pt_class_has("network", call);
}

static size_t classes_find(const char *name)
{
	size_t i = 0;

	if (!*name || strchr(name, ' '))	/* no word */
		return PT_NR(classes);
	while (i < PT_NR(classes) && !pt_text_has_word(classes[i].names, name))
		i++;
	return i;
}

bool pt_class_exists(const char *name)
{
	return classes_find(name + (*name == '%')) < PT_NR(classes);
}

bool pt_class_has(const char *name, const char *call)
{
	size_t i = classes_find(name + (*name == '%'));
	struct pt_spec s;
	bool known;

	if (i == PT_NR(classes))
		return false;
	if (classes[i].calls)
		return classes_list_has(classes[i].calls, call);
	known = pt_spec_parse(call, NULL, &s) || pt_spec_parse(call, PT_SPEC_COMPAT, &s);
	if (i == classes_find("file"))
		return known && has_argument(&s, "path");
	return !is_network(call) &&
	       ((known && (has_argument(&s, "fd") || has_argument(&s, "dirfd") ||
			   pt_spec_returns_fd(&s))) ||
		classes_list_has("poll ppoll* select _newselect pselect6* close_range bpf", call));
}

const char *pt_class_names(void)
{
	return "%file, %desc, %process, %network, %signal, %ipc, %memory, %creds, %clock, %stat, "
	       "%lstat, %fstat, %statfs, %fstatfs, %pure";
}
