#include "cli/python.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/program.h"
#include "cli/input.h"

#include "perfscript.py.h"

/* The program as a file without a name, so that it does not fill the command line. */
static int driver_file(struct pt_err *e)
{
	int fd = memfd_create("perfscript.py", 0);

	if (fd < 0)
		return pt_err_sys(e, errno, "memfd_create");
	for (size_t at = 0; at < perfscript_py_len;) {
		ssize_t n = write(fd, perfscript_py + at, perfscript_py_len - at);

		if (n <= 0) {
			close(fd);
			return pt_err_sys(e, errno, "perfscript.py");
		}
		at += (size_t)n;
	}
	return fd;
}

static void __attribute__((noreturn)) python_run(int driver, int lines, const char *script,
					  char *const *args, int nr)
{
	char **argv = pt_alloc_array((size_t)nr + 5, sizeof(*argv)), path[32], fd[16];
	int n = 0;

	snprintf(path, sizeof(path), "/dev/fd/%d", driver);
	snprintf(fd, sizeof(fd), "%d", lines);
	argv[n++] = (char *)(uintptr_t)"python3";
	argv[n++] = path;
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
	int fd[2], driver;

	if (access(script, R_OK) < 0)
		return pt_err_sys(e, errno, "%s", script);
	if (pt_program_find("python3", NULL))
		return pt_err_set(e, "python3, which runs such scripts, is not installed");
	driver = driver_file(e);
	if (driver < 0)
		return -1;
	if (pipe2(fd, O_CLOEXEC) < 0)
		return pt_err_sys(e, errno, "pipe");
	fflush(stdout);
	py->pid = fork();
	if (py->pid < 0)
		return pt_err_sys(e, errno, "fork");
	if (!py->pid) {
		fcntl(fd[0], F_SETFD, 0);
		python_run(driver, fd[0], script, args, nr);
	}
	close(driver);
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
