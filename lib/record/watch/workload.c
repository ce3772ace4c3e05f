#include "record/watch/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NOT_FOUND = 127, EXIT_NOT_RUN = 126 };

/* glibc's sigaction refuses its own two signals, so the kernel is asked directly: its struct
 * sigaction, all zero, since SIG_DFL is 0, too. */
static void restore_signal(int sig)
{
	uint64_t act[4] = { 0 };

	syscall(SYS_rt_sigaction, sig, act, NULL, sizeof(uint64_t));
}

/* Until exec, a handler of the tool must not swallow a signal that is to end the command. Ignored
 * signals stay ignored. */
static void restore_handler(int sig)
{
	struct sigaction sa;

	if (!sigaction(sig, NULL, &sa) && sa.sa_handler != SIG_IGN)
		signal(sig, SIG_DFL);
}

static void __attribute__((noreturn))
child(char **argv, int go_fd, int failed_fd, const sigset_t *mask,
      enum pt_command_output output)
{
	int sys, null;
	char go;

	restore_signal(32);
	restore_signal(33);
	if (TEMP_FAILURE_RETRY(read(go_fd, &go, 1)) != 1)
		_exit(0);			/* the session gave up */
	restore_handler(SIGINT);
	restore_handler(SIGTERM);
	if (output == PT_COMMAND_TO_STDERR)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (output == PT_COMMAND_APART && (null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0)
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	sys = errno;
	(void)!TEMP_FAILURE_RETRY(write(failed_fd, &sys, sizeof(sys)));
	_exit(sys == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

int pt_workload_fork(struct pt_workload *w, char **argv, const sigset_t *mask,
		     enum pt_command_output output, struct pt_err *e)
{
	int go[2], failed[2];

	*w = (struct pt_workload){ .go_fd = -1, .failed_fd = -1, .pidfd = -1, .status = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return pt_err_sys(e, errno, "%s: socketpair", argv[0]);
	if (pipe2(failed, O_CLOEXEC) < 0) {
		pt_err_sys(e, errno, "%s: pipe", argv[0]);
		close(go[0]);
		close(go[1]);
		return -1;
	}
	w->pid = fork();
	if (!w->pid) {
		close(go[1]);
		child(argv, go[0], failed[1], mask, output);
	}
	close(go[0]);
	close(failed[1]);
	w->go_fd = go[1];
	w->failed_fd = failed[0];
	if (w->pid < 0) {
		pt_err_sys(e, errno, "%s: fork", argv[0]);
		w->pid = 0;
		pt_workload_end(w);
		return -1;
	}
	w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return 0;
}

int pt_workload_go(struct pt_workload *w, char **argv, struct pt_err *e)
{
	int sys = 0;
	ssize_t n;

	n = send(w->go_fd, "", 1, MSG_NOSIGNAL);	/* it may have been killed meanwhile */
	close(w->go_fd);
	w->go_fd = -1;
	w->released = true;
	if (n == 1)		/* exec closes the other end */
		n = TEMP_FAILURE_RETRY(read(w->failed_fd, &sys, sizeof(sys)));
	close(w->failed_fd);
	w->failed_fd = -1;
	if (n != sizeof(sys))
		return 0;
	w->exec_failed = true;
	(void)TEMP_FAILURE_RETRY(waitpid(w->pid, &w->status, 0));
	if (sys == ENOENT && !strchr(argv[0], '/')) {
		pt_err_set(e, "%s: command not found", argv[0]);
		if (e)
			e->sys = sys;
		return -1;
	}
	return pt_err_sys(e, sys, "%s", argv[0]);
}

bool pt_workload_ended(struct pt_workload *w)
{
	siginfo_t info = { .si_pid = 0 };

	if (!w->pid || w->status != -1)
		return w->pid;
	if (TEMP_FAILURE_RETRY(syscall(SYS_waitid, P_PID, w->pid, &info,
				       WEXITED | WNOHANG | WNOWAIT, &w->usage)) < 0)
		w->status = 0;		/* reaped elsewhere: its status is unknown */
	else if (info.si_pid && info.si_code == CLD_EXITED)
		w->status = W_EXITCODE(info.si_status, 0);
	else if (info.si_pid)
		w->status = info.si_status | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
	return w->status != -1;
}

static void end_command(struct pt_workload *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };	/* poll ignores -1 */

	kill(w->pid, SIGTERM);
	kill(w->pid, SIGCONT);			/* a stopped process dies only when it continues */
	for (int i = 0; i < 100 && !pt_workload_ended(w); i++)
		poll(&p, 1, 10);
	if (w->status == -1)
		kill(w->pid, SIGKILL);
}

void pt_workload_end(struct pt_workload *w)
{
	if (w->go_fd >= 0)
		close(w->go_fd); /* a child that still waits sees the end of the pipe */
	if (w->failed_fd >= 0)
		close(w->failed_fd);
	w->go_fd = w->failed_fd = -1;
	if (w->pid && !pt_workload_ended(w))
		end_command(w);
	if (w->pid)
		(void)TEMP_FAILURE_RETRY(waitpid(w->pid, w->status == -1 ? &w->status : NULL, 0));
	if (w->pidfd >= 0)
		close(w->pidfd);
	w->pidfd = -1;
}
