#include "stack/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/smallfile.h"
#include "base/text.h"

enum {
	TIMEOUT_MS = 10000,		/* for all of it */
	ANSWERS_MS = 4000,		/* the signal */
	POLL_MS = 10,
	MAPS_BYTES = 16 << 20,
	ANSWER_BYTES = 512,
};

struct machine {
	uint32_t pid, inner_pid;	/* inner: in its own pid namespace */
	uid_t uid;
	gid_t gid;
	bool listens_to_signal;		/* else SIGQUIT would end it */
	int root, pidfd;
};

static bool jvm_is_jvm(uint32_t pid)
{
	struct pt_buf maps = PT_BUF_INIT;
	char path[40];
	bool is;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	/* OpenJ9 has a file of that name too, and answers SIGQUIT by writing dumps */
	is = !pt_file_add(path, MAPS_BYTES, &maps) && strstr(pt_buf_str(&maps), "/libjvm.so") &&
	     !strstr(pt_buf_str(&maps), "/libj9");
	pt_buf_deinit(&maps);
	return is;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* -- in the child: no memory is allocated, since threads of ours may have held locks -- */

static bool become(const struct machine *m)
{
	if (geteuid() == m->uid && getegid() == m->gid)
		return true;
	return !setgroups(0, NULL) && !setresgid(m->gid, m->gid, m->gid) &&
	       !setresuid(m->uid, m->uid, m->uid);
}

/* Opens for nothing but to name it, below the directory. */
static int handle_of(int dir, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* The socket itself, not one that a symbolic link names. -1: nobody listens. */
static int connect_to(const struct machine *m, int tmp)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int handle, fd = -1;
	struct stat st;
	char name[40];

	snprintf(name, sizeof(name), ".java_pid%u", m->inner_pid);
	handle = handle_of(tmp, name, O_NOFOLLOW);
	if (handle < 0)
		return -1;
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d", handle);
	if (!fstat(handle, &st) && S_ISSOCK(st.st_mode))
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
		close(fd);
		fd = -1;
	}
	close(handle);
	return fd;
}

/* Makes the machine listen, unless it does already. */
static int jvm_reach(const struct machine *m, int tmp)
{
	static const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	int64_t end = now_ms() + ANSWERS_MS;
	int fd = connect_to(m, tmp), file;
	char name[40];

	if (fd >= 0 || !m->listens_to_signal)
		return fd;
	snprintf(name, sizeof(name), ".attach_pid%u", m->inner_pid);
	file = openat(tmp, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (file < 0 && errno != EEXIST)
		return -1;
	if (!syscall(SYS_pidfd_send_signal, m->pidfd, SIGQUIT, NULL, 0))
		while (fd < 0 && now_ms() < end) {
			nanosleep(&pause, NULL);
			fd = connect_to(m, tmp);
		}
	if (file >= 0)
		unlinkat(tmp, name, 0);
	return fd;
}

/* Why the machine cannot be asked; NULL: *fd is a connection to it. */
static const char *connect_as_user(const struct machine *m, int *fd)
{
	int tmp;

	if (!become(m))
		return "only root and its own user may ask it";
	tmp = handle_of(m->root, "/tmp", O_DIRECTORY);
	*fd = tmp < 0 ? -1 : jvm_reach(m, tmp);
	return *fd < 0 ? "it does not listen (-XX:+DisableAttachMechanism?)" : NULL;
}

/* Writes the machine's answer, or why there is none, to `out`. */
static void jvm_ask(const struct machine *m, int out)
{
	/* version, command, three arguments */
	static const char command[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char answer[ANSWER_BYTES];
	const char *why;
	ssize_t n;
	int fd = -1;

	why = connect_as_user(m, &fd);
	if (!why && write(fd, command, sizeof(command)) != sizeof(command))
		why = "it does not listen";
	if (why) {
		n = (ssize_t)strlen(why);
		memcpy(answer, why, (size_t)n);
	} else {
		n = read(fd, answer, sizeof(answer));
	}
	while (n > 0 && write(out, answer, (size_t)n) == n && !why)
		n = read(fd, answer, sizeof(answer));
}

/* -- in our process -- */

/* Reads until the child has closed its end. False: it took too long. */
static bool read_answer(int fd, char answer[ANSWER_BYTES])
{
	int64_t left, end = now_ms() + TIMEOUT_MS;
	char more[ANSWER_BYTES];
	size_t len = 0, part;
	ssize_t n = 1;

	while (n > 0 && (left = end - now_ms()) > 0) {
		if (poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, (int)left) <= 0)
			continue;
		n = read(fd, more, sizeof(more));
		if (n > 0) {		/* what does not fit is of no interest */
			part = PT_MIN((size_t)n, ANSWER_BYTES - 1 - len);
			memcpy(answer + len, more, part);
			len += part;
		}
	}
	answer[len] = '\0';
	return n <= 0;
}

static int jvm_judge(char *answer, struct pt_err *e)
{
	struct pt_buf plain = PT_BUF_INIT;
	char *end;

	if (answer[0] == '0' && answer[1] == '\n')
		return 0;
	if (strstr(answer, "Unknown diagnostic command"))
		return pt_err_set(e, "its Java is older than 17");
	end = strchr(answer, '\n');
	if (end && strspn(answer, "0123456789") == (size_t)(end - answer))
		answer = end + 1;	/* a status, then text */
	answer[strcspn(answer, "\n")] = '\0';
	pt_text_puts(&plain, answer);
	pt_err_set(e, "%s", plain.len ? pt_buf_str(&plain) : "it does not answer");
	pt_buf_deinit(&plain);
	return -1;
}

static int ask_in_child(const struct machine *m, struct pt_err *e)
{
	char answer[ANSWER_BYTES];
	int ends[2];
	pid_t child;
	bool in_time;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pt_err_sys(e, errno, "pipe");
	child = fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_IGN);
		alarm(2 * TIMEOUT_MS / 1000);		/* should we be killed meanwhile */
		jvm_ask(m, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return pt_err_sys(e, errno, "fork");
	}
	in_time = read_answer(ends[0], answer);
	close(ends[0]);
	if (!in_time)
		kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return in_time ? jvm_judge(answer, e) : pt_err_set(e, "it does not answer in time");
}

static int read_status(struct machine *m, struct pt_err *e)
{
	char value[256], *last;
	struct pt_proc p;

	if (!pt_proc_status(m->pid, "Uid", value, sizeof(value)) ||
	    sscanf(value, "%*u %u", &m->uid) != 1 ||
	    !pt_proc_status(m->pid, "Gid", value, sizeof(value)) ||
	    sscanf(value, "%*u %u", &m->gid) != 1 ||
	    !pt_proc_status(m->pid, "NSpid", value, sizeof(value)))
		return pt_err_set(e, "%s", PT_JVM_ENDED);
	last = strrchr(value, '\t');
	m->inner_pid = (uint32_t)strtoul(last ? last : value, NULL, 10);
	if (!pt_proc_status(m->pid, "SigCgt", value, sizeof(value)))
		return pt_err_set(e, "%s", PT_JVM_ENDED);
	m->listens_to_signal = strtoull(value, NULL, 16) >> (SIGQUIT - 1) & 1;
	if (!pt_proc_read((int)m->pid, (int)m->pid, &p) || p.state == 'T' || p.state == 't')
		return pt_err_set(e, "it is stopped");
	return 0;
}

int pt_jvm_write_map(uint32_t pid, struct pt_err *e)
{
	/* what is checked, asked and signalled from here on is one process */
	struct machine m = { .pid = pid, .root = -1,
			     .pidfd = (int)syscall(SYS_pidfd_open, pid, 0) };
	char path[40];
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	if (m.pidfd < 0)
		rc = pt_err_set(e, "%s", PT_JVM_ENDED);
	else if ((m.root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		rc = pt_err_sys(e, errno, "%s", path);
	if (rc == 0)
		rc = read_status(&m, e);
	if (rc == 0 && !jvm_is_jvm(pid))
		rc = pt_err_set(e, "it is no Java virtual machine");
	if (rc == 0)
		rc = ask_in_child(&m, e);
	if (m.root >= 0)
		close(m.root);
	if (m.pidfd >= 0)
		close(m.pidfd);
	return rc;
}
