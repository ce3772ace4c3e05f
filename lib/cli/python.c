#include "cli/python.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/program.h"
#include "cli/input.h"

#include "perfscript.py.h"

static void __attribute__((noreturn)) run(int from, int unused, const char *script,
					  char *const *args, int nr)
{
	char **argv = pt_alloc_array((size_t)nr + 6, sizeof(*argv)), fd[16];
	int n = 0;

	close(unused);
	snprintf(fd, sizeof(fd), "%d", from);
	argv[n++] = (char *)(uintptr_t)"python3";
	argv[n++] = (char *)(uintptr_t)"-c";
	argv[n++] = (char *)(uintptr_t)perfscript_py;
	argv[n++] = fd;
	argv[n++] = (char *)(uintptr_t)script;
	for (int i = 0; i < nr; i++)
		argv[n++] = args[i];
	execvp(argv[0], argv);
	_exit(127);
}

int pt_python_begin(struct pt_python *py, const char *script, char *const *args, int nr,
		    struct pt_err *e)
{
	int fd[2];

	if (access(script, R_OK) < 0)
		return pt_err_sys(e, errno, "%s", script);
	if (pt_program_find("python3", NULL))
		return pt_err_set(e, "python3, which runs such scripts, is not installed");
	if (pipe(fd) < 0)
		return pt_err_sys(e, errno, "pipe");
	fflush(stdout);
	py->pid = fork();
	if (py->pid < 0)
		return pt_err_sys(e, errno, "fork");
	if (!py->pid)
		run(fd[0], fd[1], script, args, nr);
	close(fd[0]);
	dup2(fd[1], STDOUT_FILENO);
	close(fd[1]);
	return 0;
}

int pt_python_end(struct pt_python *py, int status)
{
	int how;

	close(STDOUT_FILENO);
	while (waitpid(py->pid, &how, 0) < 0)
		if (errno != EINTR)
			return 1;
	return status ? status : pt_exit_status(how);
}
