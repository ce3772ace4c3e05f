/* workload.h - the command of a live session: forked early, let go when all is open. It is reaped
 * at the end only: names of its functions may need its user, which /proc has until then, and no
 * other process gets its number.
 *
 * It waits before its exec, so that events can be opened on its pid with enable_on_exec. Before
 * exec it gets back its signal mask, and signals 32 and 33 (glibc's own, which make leaves ignored)
 * at their defaults. */
#ifndef PT_RECORD_WORKLOAD_H
#define PT_RECORD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

struct pt_workload {
	pid_t pid;		/* 0: there is none */
	int go_fd;		/* a byte lets it go */
	int failed_fd;		/* brings errno when exec failed */
	int pidfd;		/* readable when it ended; -1 on kernels before 5.3 */
	int status;		/* as waitpid gives it; -1: it runs, or there is none */
	struct rusage usage;	/* once it has ended: its own and that of what it waited for */
	bool released;
	bool exec_failed;
};

enum pt_command_output {
	PT_COMMAND_AS_IS,
	PT_COMMAND_TO_STDERR,		/* for tools whose own standard output is data */
	PT_COMMAND_APART,		/* /dev/null, also as input: the tool has the terminal */
};
/* `mask`: the signal mask of the command. */
int pt_workload_fork(struct pt_workload *w, char **argv, const sigset_t *mask,
		     enum pt_command_output output, struct pt_err *e);
/* On failure of exec: -1, a message, and a status of 127 (not found) or 126. */
int pt_workload_go(struct pt_workload *w, char **argv, struct pt_err *e);
bool pt_workload_ended(struct pt_workload *w);
/* Ends it if it runs (SIGTERM, and SIGKILL after a second), reaps it, closes all descriptors. */
void pt_workload_end(struct pt_workload *w);

#endif
