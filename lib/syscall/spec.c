#include "syscall/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "syscall/flags.h"

/* result: 'p' an address, 'o' octal */
static const struct { const char *name, *args; char result; } rows[] = {
	/* files */
	{ "read", "fd:fd buf:<str@ret count:lu", 0 },
	{ "write", "fd:fd buf:>str@2 count:lu", 0 },
	{ "pread64", "fd:fd buf:<str@ret count:lu pos:ld", 0 },
	{ "pwrite64", "fd:fd buf:>str@2 count:lu pos:ld", 0 },
	{ "readv", "fd:fd vec:<iov@2 vlen:d", 0 },
	{ "writev", "fd:fd vec:>iov@2 vlen:d", 0 },
	{ "open", "filename:>path flags:openflags mode:createmode", 0 },
	{ "openat", "dfd:dirfd filename:>path flags:openflags mode:createmode", 0 },
	{ "openat2", "dfd:dirfd filename:>path how:>openhow size:lu", 0 },
	{ "creat", "pathname:>path mode:mode", 0 },
	{ "close", "fd:fd", 0 },
	{ "close_range", "fd:u max_fd:u flags:u", 0 },
	{ "stat", "filename:>path statbuf:<stat", 0 },
	{ "lstat", "filename:>path statbuf:<stat", 0 },
	{ "fstat", "fd:fd statbuf:<stat", 0 },
	{ "newfstatat", "dfd:dirfd filename:>path statbuf:<stat flag:|at", 0 },
	{ "statx", "dfd:dirfd filename:>path flags:statxflags mask:|statxmask buffer:<statx", 0 },
	{ "statfs", "pathname:>path buf:<statfs", 0 },
	{ "fstatfs", "fd:fd buf:<statfs", 0 },
	{ "access", "filename:>path mode:accessmode", 0 },
	{ "faccessat", "dfd:dirfd filename:>path mode:accessmode", 0 },
	{ "faccessat2", "dfd:dirfd filename:>path mode:accessmode flags:|faccessat", 0 },
	{ "lseek", "fd:fd offset:ld whence:#whence", 0 },
	{ "ioctl", "fd:fd cmd:ioctlcmd arg:=ioctlarg", 0 },
	{ "fcntl", "fd:fd cmd:#fcntl arg:=fcntlarg", 0 },
	{ "dup", "fildes:fd", 0 },
	{ "dup2", "oldfd:fd newfd:fd", 0 },
	{ "dup3", "oldfd:fd newfd:fd flags:|open", 0 },
	{ "pipe", "fildes:<fdpair", 0 },
	{ "pipe2", "fildes:<fdpair flags:|open", 0 },
	{ "flock", "fd:fd cmd:|flock", 0 },
	{ "fsync", "fd:fd", 0 },
	{ "fdatasync", "fd:fd", 0 },
	{ "sync", "", 0 },
	{ "syncfs", "fd:fd", 0 },
	{ "truncate", "path:>path length:ld", 0 },
	{ "ftruncate", "fd:fd length:lu", 0 },
	{ "fallocate", "fd:fd mode:|fallocate offset:ld len:ld", 0 },
	{ "fadvise64", "fd:fd offset:ld len:lu advice:#fadvise", 0 },
	{ "readahead", "fd:fd offset:ld count:lu", 0 },
	{ "getdents", "fd:fd dirent:<dirents count:lu", 0 },
	{ "getdents64", "fd:fd dirent:<dirents count:lu", 0 },
	{ "getcwd", "buf:<path size:lu", 0 },
	{ "chdir", "filename:>path", 0 },
	{ "fchdir", "fd:fd", 0 },
	{ "chroot", "filename:>path", 0 },
	{ "rename", "oldname:>path newname:>path", 0 },
	{ "renameat", "olddfd:dirfd oldname:>path newdfd:dirfd newname:>path", 0 },
	{ "renameat2", "olddfd:dirfd oldname:>path newdfd:dirfd newname:>path flags:|rename", 0 },
	{ "mkdir", "pathname:>path mode:mode", 0 },
	{ "mkdirat", "dfd:dirfd pathname:>path mode:mode", 0 },
	{ "rmdir", "pathname:>path", 0 },
	{ "link", "oldname:>path newname:>path", 0 },
	{ "linkat", "olddfd:dirfd oldname:>path newdfd:dirfd newname:>path flags:|at", 0 },
	{ "unlink", "pathname:>path", 0 },
	{ "unlinkat", "dfd:dirfd pathname:>path flag:|at", 0 },
	{ "symlink", "oldname:>path newname:>path", 0 },
	{ "symlinkat", "oldname:>path newdfd:dirfd newname:>path", 0 },
	{ "readlink", "path:>path buf:<str@ret bufsiz:d", 0 },
	{ "readlinkat", "dfd:dirfd path:>path buf:<str@ret bufsiz:d", 0 },
	{ "chmod", "filename:>path mode:mode", 0 },
	{ "fchmod", "fd:fd mode:mode", 0 },
	{ "fchmodat", "dfd:dirfd filename:>path mode:mode", 0 },
	{ "fchmodat2", "dfd:dirfd filename:>path mode:mode flags:|at", 0 },
	{ "chown", "filename:>path user:id group:id", 0 },
	{ "lchown", "filename:>path user:id group:id", 0 },
	{ "fchown", "fd:fd user:id group:id", 0 },
	{ "fchownat", "dfd:dirfd filename:>path user:id group:id flag:|at", 0 },
	{ "umask", "mask:mode", 'o' },
	{ "utimensat", "dfd:dirfd filename:>path utimes:>timespecs flags:|at", 0 },
	{ "mknod", "filename:>path mode:mode dev:lx", 0 },
	{ "mount", "dev_name:>str dir_name:>path type:>str flags:|mount data:>str", 0 },
	{ "umount2", "name:>path flags:|umount", 0 },
	{ "getxattr", "pathname:>path name:>str value:<str@ret size:lu", 0 },
	{ "lgetxattr", "pathname:>path name:>str value:<str@ret size:lu", 0 },
	{ "fgetxattr", "fd:fd name:>str value:<str@ret size:lu", 0 },
	{ "setxattr", "pathname:>path name:>str value:>str@3 size:lu flags:x", 0 },
	{ "listxattr", "pathname:>path list:<str@ret size:lu", 0 },
	{ "llistxattr", "pathname:>path list:<str@ret size:lu", 0 },
	{ "sendfile", "out_fd:fd in_fd:fd offset:=loff count:lu", 0 },
	{ "splice", "fd_in:fd off_in:=loff fd_out:fd off_out:=loff len:lu flags:|splice", 0 },
	{ "copy_file_range", "fd_in:fd off_in:=loff fd_out:fd off_out:=loff len:lu flags:u", 0 },
	{ "memfd_create", "uname:>str flags:|memfd", 0 },
	{ "inotify_init1", "flags:|inotify", 0 },
	{ "inotify_add_watch", "fd:fd pathname:>path mask:|inotifymask", 0 },
	{ "inotify_rm_watch", "fd:fd wd:d", 0 },
	/* memory */
	{ "mmap", "addr:p len:lu prot:prot flags:mapflags fd:fd off:off", 'p' },
	{ "munmap", "addr:p len:lu", 0 },
	{ "mprotect", "start:p len:lu prot:prot", 0 },
	{ "mremap", "addr:p old_len:lu new_len:lu flags:|mremap new_addr:mremapaddr", 'p' },
	{ "madvise", "start:p len_in:lu behavior:#madvise", 0 },
	{ "msync", "start:p len:lu flags:|msync", 0 },
	{ "brk", "brk:p", 'p' },
	{ "mlock", "start:p len:lu", 0 },
	{ "munlock", "start:p len:lu", 0 },
	{ "mincore", "start:p len:lu vec:p", 0 },
	{ "shmat", "shmid:d shmaddr:p shmflg:x", 'p' },
	/* processes */
	{ "execve", "filename:>path argv:>strings envp:>pointers", 0 },
	{ "execveat", "fd:dirfd filename:>path argv:>strings envp:>pointers flags:|at", 0 },
	{ "exit", "error_code:d", 0 },
	{ "exit_group", "error_code:d", 0 },
	{ "clone", "clone_flags:cloneflags", 0 },
	{ "clone3", "uargs:>cloneargs size:lu", 0 },
	{ "fork", "", 0 },
	{ "vfork", "", 0 },
	{ "wait4", "upid:d stat_addr:<waitstatus options:|wait ru:<rusage", 0 },
	{ "waitid", "which:#waitid upid:d infop:<siginfo options:|wait ru:<rusage", 0 },
	{ "getpid", "", 0 }, { "getppid", "", 0 }, { "gettid", "", 0 }, { "getpgrp", "", 0 },
	{ "getuid", "", 0 }, { "geteuid", "", 0 }, { "getgid", "", 0 }, { "getegid", "", 0 },
	{ "setsid", "", 0 }, { "sched_yield", "", 0 }, { "pause", "", 0 },
	{ "restart_syscall", "", 0 }, { "rt_sigreturn", "", 0 },
	{ "getpgid", "pid:d", 0 }, { "getsid", "pid:d", 0 }, { "setpgid", "pid:d pgid:d", 0 },
	{ "setuid", "uid:id", 0 }, { "setgid", "gid:id", 0 },
	{ "setreuid", "ruid:id euid:id", 0 }, { "setregid", "rgid:id egid:id", 0 },
	{ "setresuid", "ruid:id euid:id suid:id", 0 }, { "setresgid", "rgid:id egid:id sgid:id", 0 },
	{ "getresuid", "ruid:<idp euid:<idp suid:<idp", 0 },
	{ "getresgid", "rgid:<idp egid:<idp sgid:<idp", 0 },
	{ "getgroups", "gidsetsize:d grouplist:<ids@ret", 0 },
	{ "set_tid_address", "tidptr:p", 0 },
	{ "set_robust_list", "head:p len:lu", 0 },
	{ "rseq", "rseq:p rseq_len:xu flags:|rseq sig:x", 0 },
	{ "prctl", "option:#prctl arg2:prctlarg", 0 },
	{ "arch_prctl", "option:#archprctl arg2:p", 0 },
	{ "seccomp", "op:#seccompop flags:u args:p", 0 },
	{ "prlimit64", "pid:d resource:#rlimit new_rlim:>rlimit old_rlim:<rlimit", 0 },
	{ "getrlimit", "resource:#rlimit rlim:<rlimit", 0 },
	{ "setrlimit", "resource:#rlimit rlim:>rlimit", 0 },
	{ "getrusage", "who:#rusage ru:<rusage", 0 },
	{ "getpriority", "which:#prio who:d", 0 }, { "setpriority", "which:#prio who:d niceval:d", 0 },
	{ "sched_getaffinity", "pid:d len:u user_mask_ptr:<cpuset@ret", 0 },
	{ "sched_setaffinity", "pid:d len:u user_mask_ptr:>cpuset@1", 0 },
	{ "sched_setscheduler", "pid:d policy:#sched param:>ints", 0 },
	{ "sched_getscheduler", "pid:d", 0 },
	{ "membarrier", "cmd:#membarrier flags:u", 0 },
	{ "pidfd_open", "pid:d flags:u", 0 },
	{ "ptrace", "request:d pid:d addr:p data:p", 0 },
	{ "uname", "name:<utsname", 0 },
	{ "sysinfo", "info:<sysinfo", 0 },
	{ "getcpu", "cpup:<ints nodep:<ints unused:p", 0 },
	{ "getrandom", "ubuf:<hex@ret len:lu flags:|grnd", 0 },
	{ "bpf", "cmd:d uattr:p size:u", 0 },
	{ "perf_event_open", "attr_uptr:p pid:d cpu:d group_fd:d flags:x", 0 },
	/* signals */
	{ "rt_sigaction", "sig:sig act:>sigaction oact:<sigaction sigsetsize:lu", 0 },
	{ "rt_sigprocmask", "how:#sighow nset:>sigset oset:<sigset sigsetsize:lu", 0 },
	{ "rt_sigsuspend", "unewset:>sigset sigsetsize:lu", 0 },
	{ "rt_sigpending", "uset:<sigset sigsetsize:lu", 0 },
	{ "rt_sigtimedwait", "uthese:>sigset uinfo:<siginfo uts:>timespec sigsetsize:lu", 0 },
	{ "kill", "pid:d sig:sig", 0 }, { "tkill", "pid:d sig:sig", 0 },
	{ "tgkill", "tgid:d pid:d sig:sig", 0 },
	{ "sigaltstack", "uss:>stack uoss:<stack", 0 },
	{ "alarm", "seconds:u", 0 },
	{ "signalfd4", "ufd:fd user_mask:>sigset sizemask:lu flags:|open", 0 },
	/* time */
	{ "nanosleep", "rqtp:>timespec rmtp:left", 0 },
	{ "clock_nanosleep", "which_clock:#clock flags:|timerabs rqtp:>timespec rmtp:left", 0 },
	{ "clock_gettime", "which_clock:#clock tp:<timespec", 0 },
	{ "clock_getres", "which_clock:#clock tp:<timespec", 0 },
	{ "gettimeofday", "tv:<timeval tz:p", 0 },
	{ "time", "tloc:p", 0 },
	{ "times", "tbuf:p", 0 },
	{ "setitimer", "which:#itimer value:>itimerval ovalue:<itimerval", 0 },
	{ "getitimer", "which:#itimer value:<itimerval", 0 },
	{ "timerfd_create", "clockid:#clock flags:|timerfd", 0 },
	{ "timerfd_settime", "ufd:fd flags:|timerfdset utmr:>itimerspec otmr:<itimerspec", 0 },
	{ "futex", "uaddr:p op:futexop val:shown utime:>shown uaddr2:shown val3:shown", 0 },
	/* waiting */
	{ "poll", "ufds:=pollfds@1 nfds:u timeout_msecs:d", 0 },
	{ "ppoll", "ufds:=pollfds@1 nfds:u tsp:>timespec sigmask:>sigset sigsetsize:lu", 0 },
	{ "select", "n:d inp:=fdset@0 outp:=fdset@0 exp:=fdset@0 tvp:>timeval", 0 },
	{ "pselect6", "n:d inp:=fdset@0 outp:=fdset@0 exp:=fdset@0 tsp:>timespec sig:p", 0 },
	{ "epoll_create1", "flags:|epollcreate", 0 }, { "epoll_create", "size:d", 0 },
	{ "epoll_ctl", "epfd:fd op:#epollop fd:fd event:>epollevent", 0 },
	{ "epoll_wait", "epfd:fd events:<epollevents@ret maxevents:d timeout:d", 0 },
	{ "epoll_pwait", "epfd:fd events:<epollevents@ret maxevents:d timeout:d sigmask:>sigset sigsetsize:lu", 0 },
	{ "eventfd2", "count:u flags:|eventfd", 0 },
	/* sockets */
	{ "socket", "family:#af type:socktype protocol:proto", 0 },
	{ "socketpair", "family:#af type:socktype protocol:proto usockvec:<fdpair", 0 },
	{ "bind", "fd:fd umyaddr:>sockaddr@2 addrlen:d", 0 },
	{ "connect", "fd:fd uservaddr:>sockaddr@2 addrlen:d", 0 },
	{ "listen", "fd:fd backlog:d", 0 },
	{ "accept", "fd:fd upeer_sockaddr:<sockaddr@*2 upeer_addrlen:=intp", 0 },
	{ "accept4", "fd:fd upeer_sockaddr:<sockaddr@*2 upeer_addrlen:=intp flags:|sockflag", 0 },
	{ "getsockname", "fd:fd usockaddr:<sockaddr@*2 usockaddr_len:=intp", 0 },
	{ "getpeername", "fd:fd usockaddr:<sockaddr@*2 usockaddr_len:=intp", 0 },
	{ "sendto", "fd:fd buff:>str@2 len:lu flags:|msg addr:>sockaddr@5 addr_len:d", 0 },
	{ "recvfrom", "fd:fd ubuf:<str@ret size:lu flags:|msg addr:<sockaddr@*5 addr_len:=intp", 0 },
	{ "sendmsg", "fd:fd msg:>msghdr flags:|msg", 0 },
	{ "recvmsg", "fd:fd msg:<msghdr flags:|msg", 0 },
	{ "shutdown", "fd:fd how:#shut", 0 },
	{ "setsockopt", "fd:fd level:#sol optname:sockopt optval:>ints@4 optlen:d", 0 },
	{ "getsockopt", "fd:fd level:#sol optname:sockopt optval:<ints@*4 optlen:=intp", 0 },
};

static const struct pt_type *find_type(const char *name, size_t len)
{
	const struct pt_type *t;

	for (t = pt_types; t->name; t++)
		if (strlen(t->name) == len && !memcmp(t->name, name, len))
			return t;
	return NULL;
}

static void take_count(struct pt_arg *a, const char *text)
{
	a->counted = true;
	if (!strncmp(text, "ret", 3)) {
		a->count = PT_COUNT_RET;
		return;
	}
	a->count = *text == '*' ? PT_COUNT_POINTED : PT_COUNT_ARG;
	a->count_arg = text[*text == '*'] - '0';
}

/* One argument, from `text` to `end`. */
static bool parse_argument(struct pt_arg *a, const char *text, const char *end)
{
	const char *colon = memchr(text, ':', (size_t)(end - text)), *type, *at;
	char table[24];

	*a = (struct pt_arg){ .count = PT_COUNT_ONE };
	if (!colon)
		return false;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)(colon - text), text);
	type = colon + 1;
	if (*type == '<' || *type == '>' || *type == '=')
		a->direction = *type++;
	at = memchr(type, '@', (size_t)(end - type));
	if (at)
		take_count(a, at + 1);
	else
		at = end;
	if (*type == '|' || *type == '#') {
		a->constant = *type == '#';
		snprintf(table, sizeof(table), "%.*s", (int)(at - type - 1), type + 1);
		a->table = pt_flags_table(table);
		return a->table;
	}
	a->type = find_type(type, (size_t)(at - type));
	return a->type;
}

const char *pt_spec_name(size_t i)
{
	return i < PT_NR(rows) ? rows[i].name : NULL;
}

bool pt_spec_parse(const char *name, struct pt_spec *s)
{
	size_t i = 0;

	*s = (struct pt_spec){ .nr = 0 };
	while (i < PT_NR(rows) && (!name || strcmp(rows[i].name, name)))
		i++;
	if (i == PT_NR(rows))
		return false;
	s->result = rows[i].result;
	for (const char *text = rows[i].args, *end; *text; text = end + strspn(end, " ")) {
		end = text + strcspn(text, " ");
		if (s->nr == PT_CALL_ARGS || !parse_argument(&s->args[s->nr++], text, end))
			return false;
	}
	return true;
}

static uint8_t when(const struct pt_arg *a)
{
	return a->direction == '<' ? PT_AT_EXIT
	       : a->direction == '>' ? PT_AT_ENTRY
				     : PT_AT_ENTRY | PT_AT_EXIT;
}

void pt_spec_plan(const struct pt_spec *s, uint16_t text_max, struct pt_plan *plan)
{
	size_t nr = 0;

	for (int i = 0; i < s->nr; i++) {
		struct pt_arg a = s->args[i];
		struct pt_fetch f = { .item = (uint8_t)i };

		if (!a.direction || !a.type)
			continue;
		plan->reads = 1;
		f.when = when(&a);
		f.kind = a.type->fetch ? a.type->fetch : PT_FETCH_BYTES;
		f.address_at = (uint8_t)pt_call_arg_at(i);
		f.count = (uint8_t)a.count;
		f.count_at = (uint8_t)pt_call_arg_at(a.count_arg);
		f.unit = a.type->size == UINT16_MAX ? 0 : a.type->size;
		f.max = a.counted && a.type->size == 1 ? text_max : PT_PIECE_MAX;
		if (a.type->size == 1 && !a.counted) {	/* a string that is no path */
			f.kind = PT_FETCH_TEXT;
			f.max = text_max;
		}
		if (f.kind == PT_FETCH_POINTERS || f.kind == PT_FETCH_DIRENTS)
			plan->tally = f;
		else if (f.kind >= PT_FETCH_STRINGS)
			plan->vector = f;
		else if (nr < PT_FETCHES)
			plan->fetch[nr++] = f;
		/* the struct itself, beside what it points to */
		if ((f.kind == PT_FETCH_MESSAGE || f.kind == PT_FETCH_IOVECS) && nr < PT_FETCHES) {
			f.kind = PT_FETCH_BYTES;
			f.max = 16 * 16;
			plan->fetch[nr++] = f;
		}
	}
}
