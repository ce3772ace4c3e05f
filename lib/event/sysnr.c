#include "event/sysnr.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

static const char *const x86_64[] = {
	[0] = "read", "write", "open", "close", "stat", "fstat", "lstat", "poll", "lseek", "mmap",
	[10] = "mprotect", "munmap", "brk", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
	"ioctl", "pread64", "pwrite64", "readv",
	[20] = "writev", "access", "pipe", "select", "sched_yield", "mremap", "msync", "mincore",
	"madvise", "shmget",
	[30] = "shmat", "shmctl", "dup", "dup2", "pause", "nanosleep", "getitimer", "alarm",
	"setitimer", "getpid",
	[40] = "sendfile", "socket", "connect", "accept", "sendto", "recvfrom", "sendmsg",
	"recvmsg", "shutdown", "bind",
	[50] = "listen", "getsockname", "getpeername", "socketpair", "setsockopt", "getsockopt",
	"clone", "fork", "vfork", "execve",
	[60] = "exit", "wait4", "kill", "uname", "semget", "semop", "semctl", "shmdt", "msgget",
	"msgsnd",
	[70] = "msgrcv", "msgctl", "fcntl", "flock", "fsync", "fdatasync", "truncate", "ftruncate",
	"getdents", "getcwd",
	[80] = "chdir", "fchdir", "rename", "mkdir", "rmdir", "creat", "link", "unlink", "symlink",
	"readlink",
	[90] = "chmod", "fchmod", "chown", "fchown", "lchown", "umask", "gettimeofday", "getrlimit",
	"getrusage", "sysinfo",
	[100] = "times", "ptrace", "getuid", "syslog", "getgid", "setuid", "setgid", "geteuid",
	"getegid", "setpgid",
	[110] = "getppid", "getpgrp", "setsid", "setreuid", "setregid", "getgroups", "setgroups",
	"setresuid", "getresuid", "setresgid",
	[120] = "getresgid", "getpgid", "setfsuid", "setfsgid", "getsid", "capget", "capset",
	"rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo",
	[130] = "rt_sigsuspend", "sigaltstack", "utime", "mknod", "uselib", "personality", "ustat",
	"statfs", "fstatfs", "sysfs",
	[140] = "getpriority", "setpriority", "sched_setparam", "sched_getparam",
	"sched_setscheduler", "sched_getscheduler", "sched_get_priority_max",
	"sched_get_priority_min", "sched_rr_get_interval", "mlock",
	[150] = "munlock", "mlockall", "munlockall", "vhangup", "modify_ldt", "pivot_root",
	"_sysctl", "prctl", "arch_prctl", "adjtimex",
	[160] = "setrlimit", "chroot", "sync", "acct", "settimeofday", "mount", "umount2", "swapon",
	"swapoff", "reboot",
	[170] = "sethostname", "setdomainname", "iopl", "ioperm", "create_module", "init_module",
	"delete_module", "get_kernel_syms", "query_module", "quotactl",
	[180] = "nfsservctl", "getpmsg", "putpmsg", "afs_syscall", "tuxcall", "security", "gettid",
	"readahead", "setxattr", "lsetxattr",
	[190] = "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
	"flistxattr", "removexattr", "lremovexattr", "fremovexattr",
	[200] = "tkill", "time", "futex", "sched_setaffinity", "sched_getaffinity",
	"set_thread_area", "io_setup", "io_destroy", "io_getevents", "io_submit",
	[210] = "io_cancel", "get_thread_area", "lookup_dcookie", "epoll_create", "epoll_ctl_old",
	"epoll_wait_old", "remap_file_pages", "getdents64", "set_tid_address", "restart_syscall",
	[220] = "semtimedop", "fadvise64", "timer_create", "timer_settime", "timer_gettime",
	"timer_getoverrun", "timer_delete", "clock_settime", "clock_gettime", "clock_getres",
	[230] = "clock_nanosleep", "exit_group", "epoll_wait", "epoll_ctl", "tgkill", "utimes",
	"vserver", "mbind", "set_mempolicy", "get_mempolicy",
	[240] = "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify",
	"mq_getsetattr", "kexec_load", "waitid", "add_key", "request_key",
	[250] = "keyctl", "ioprio_set", "ioprio_get", "inotify_init", "inotify_add_watch",
	"inotify_rm_watch", "migrate_pages", "openat", "mkdirat", "mknodat",
	[260] = "fchownat", "futimesat", "newfstatat", "unlinkat", "renameat", "linkat",
	"symlinkat", "readlinkat", "fchmodat", "faccessat",
	[270] = "pselect6", "ppoll", "unshare", "set_robust_list", "get_robust_list", "splice",
	"tee", "sync_file_range", "vmsplice", "move_pages",
	[280] = "utimensat", "epoll_pwait", "signalfd", "timerfd_create", "eventfd", "fallocate",
	"timerfd_settime", "timerfd_gettime", "accept4", "signalfd4",
	[290] = "eventfd2", "epoll_create1", "dup3", "pipe2", "inotify_init1", "preadv", "pwritev",
	"rt_tgsigqueueinfo", "perf_event_open", "recvmmsg",
	[300] = "fanotify_init", "fanotify_mark", "prlimit64", "name_to_handle_at",
	"open_by_handle_at", "clock_adjtime", "syncfs", "sendmmsg", "setns", "getcpu",
	[310] = "process_vm_readv", "process_vm_writev", "kcmp", "finit_module", "sched_setattr",
	"sched_getattr", "renameat2", "seccomp", "getrandom", "memfd_create",
	[320] = "kexec_file_load", "bpf", "execveat", "userfaultfd", "membarrier", "mlock2",
	"copy_file_range", "preadv2", "pwritev2", "pkey_mprotect",
	[330] = "pkey_alloc", "pkey_free", "statx", "io_pgetevents", "rseq", "uretprobe",
};

/* Machines with the common numbers of asm-generic/unistd.h. */
static const char *const generic[] = {
	[0] = "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "setxattr",
	"lsetxattr", "fsetxattr", "getxattr", "lgetxattr",
	[10] = "fgetxattr", "listxattr", "llistxattr", "flistxattr", "removexattr", "lremovexattr",
	"fremovexattr", "getcwd", "lookup_dcookie", "eventfd2",
	[20] = "epoll_create1", "epoll_ctl", "epoll_pwait", "dup", "dup3", "fcntl", "inotify_init1",
	"inotify_add_watch", "inotify_rm_watch", "ioctl",
	[30] = "ioprio_set", "ioprio_get", "flock", "mknodat", "mkdirat", "unlinkat", "symlinkat",
	"linkat", "renameat", "umount2",
	[40] = "mount", "pivot_root", "nfsservctl", "statfs", "fstatfs", "truncate", "ftruncate",
	"fallocate", "faccessat", "chdir",
	[50] = "fchdir", "chroot", "fchmod", "fchmodat", "fchownat", "fchown", "openat", "close",
	"vhangup", "pipe2",
	[60] = "quotactl", "getdents64", "lseek", "read", "write", "readv", "writev", "pread64",
	"pwrite64", "preadv",
	[70] = "pwritev", "sendfile", "pselect6", "ppoll", "signalfd4", "vmsplice", "splice", "tee",
	"readlinkat", "newfstatat",
	[80] = "fstat", "sync", "fsync", "fdatasync", "sync_file_range", "timerfd_create",
	"timerfd_settime", "timerfd_gettime", "utimensat", "acct",
	[90] = "capget", "capset", "personality", "exit", "exit_group", "waitid", "set_tid_address",
	"unshare", "futex", "set_robust_list",
	[100] = "get_robust_list", "nanosleep", "getitimer", "setitimer", "kexec_load",
	"init_module", "delete_module", "timer_create", "timer_gettime", "timer_getoverrun",
	[110] = "timer_settime", "timer_delete", "clock_settime", "clock_gettime", "clock_getres",
	"clock_nanosleep", "syslog", "ptrace", "sched_setparam", "sched_setscheduler",
	[120] = "sched_getscheduler", "sched_getparam", "sched_setaffinity", "sched_getaffinity",
	"sched_yield", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
	"restart_syscall", "kill",
	[130] = "tkill", "tgkill", "sigaltstack", "rt_sigsuspend", "rt_sigaction", "rt_sigprocmask",
	"rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo", "rt_sigreturn",
	[140] = "setpriority", "getpriority", "reboot", "setregid", "setgid", "setreuid", "setuid",
	"setresuid", "getresuid", "setresgid",
	[150] = "getresgid", "setfsuid", "setfsgid", "times", "setpgid", "getpgid", "getsid",
	"setsid", "getgroups", "setgroups",
	[160] = "uname", "sethostname", "setdomainname", "getrlimit", "setrlimit", "getrusage",
	"umask", "prctl", "getcpu", "gettimeofday",
	[170] = "settimeofday", "adjtimex", "getpid", "getppid", "getuid", "geteuid", "getgid",
	"getegid", "gettid", "sysinfo",
	[180] = "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify",
	"mq_getsetattr", "msgget", "msgctl", "msgrcv", "msgsnd",
	[190] = "semget", "semctl", "semtimedop", "semop", "shmget", "shmctl", "shmat", "shmdt",
	"socket", "socketpair",
	[200] = "bind", "listen", "accept", "connect", "getsockname", "getpeername", "sendto",
	"recvfrom", "setsockopt", "getsockopt",
	[210] = "shutdown", "sendmsg", "recvmsg", "readahead", "brk", "munmap", "mremap", "add_key",
	"request_key", "keyctl",
	[220] = "clone", "execve", "mmap", "fadvise64", "swapon", "swapoff", "mprotect", "msync",
	"mlock", "munlock",
	[230] = "mlockall", "munlockall", "mincore", "madvise", "remap_file_pages", "mbind",
	"get_mempolicy", "set_mempolicy", "migrate_pages", "move_pages",
	[240] = "rt_tgsigqueueinfo", "perf_event_open", "accept4", "recvmmsg",
	[260] = "wait4", "prlimit64", "fanotify_init", "fanotify_mark", "name_to_handle_at",
	"open_by_handle_at", "clock_adjtime", "syncfs", "setns", "sendmmsg",
	[270] = "process_vm_readv", "process_vm_writev", "kcmp", "finit_module", "sched_setattr",
	"sched_getattr", "renameat2", "seccomp", "getrandom", "memfd_create",
	[280] = "bpf", "execveat", "userfaultfd", "membarrier", "mlock2", "copy_file_range",
	"preadv2", "pwritev2", "pkey_mprotect", "pkey_alloc",
	[290] = "pkey_free", "statx", "io_pgetevents", "rseq", "kexec_file_load",
};

/* Calls of Linux 5.1 and later have the same number on all machines. */
static const char *const common[] = {
	[424] = "pidfd_send_signal", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"open_tree", "move_mount",
	[430] = "fsopen", "fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range",
	"openat2", "pidfd_getfd", "faccessat2",
	[440] = "process_madvise", "epoll_pwait2", "mount_setattr", "quotactl_fd",
	"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "memfd_secret",
	"process_mrelease", "futex_waitv",
	[450] = "set_mempolicy_home_node", "cachestat", "fchmodat2", "map_shadow_stack",
	"futex_wake", "futex_wait", "futex_requeue", "statmount", "listmount", "lsm_get_self_attr",
	[460] = "lsm_set_self_attr", "lsm_list_modules", "mseal", "setxattrat", "getxattrat",
	"listxattrat", "removexattrat", "open_tree_attr", "file_getattr", "file_setattr",
};

static const struct { const char *arch; const char *const *names; size_t nr; } tables[] = {
	{ "x86_64", x86_64, PT_NR(x86_64) },
	{ "aarch64", generic, PT_NR(generic) },
	{ "riscv64", generic, PT_NR(generic) },
	{ "loongarch64", generic, PT_NR(generic) },
};

static const char *name_in(size_t table, uint64_t nr)
{
	if (nr < tables[table].nr)
		return tables[table].names[nr];
	return nr < PT_NR(common) ? common[nr] : NULL;
}

static size_t table_of(const char *arch)
{
	size_t i;

	for (i = 0; i < PT_NR(tables) && (!arch || strcmp(tables[i].arch, arch)); i++)
		;
	return i;
}

const char *pt_sysnr_name(const char *arch, int64_t nr)
{
	size_t table = table_of(arch);

	return table < PT_NR(tables) && nr >= 0 ? name_in(table, (uint64_t)nr) : NULL;
}

int64_t pt_sysnr_find(const char *arch, const char *name)
{
	size_t table = table_of(arch);
	uint64_t nr;

	for (nr = 0; table < PT_NR(tables) && nr < PT_NR(common); nr++) {
		const char *known = name_in(table, nr);

		if (known && !strcmp(known, name))
			return (int64_t)nr;
	}
	return pt_num_u64(name, 0, 65535, &nr, NULL) < 0 ? -1 : (int64_t)nr;
}
