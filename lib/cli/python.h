/* python.h - Python scripts that were written for `perf script -s`.
 *
 *     pt_python_begin(&py, "stackcollapse.py", args, nr, &e)
 *     ... lines of pt_script_json() with for_python to standard output, which Python reads ...
 *     status = pt_python_end(&py, status)
 *
 * cli/perfscript.py, which is embedded here, runs the script and calls its functions. */
#ifndef PT_CLI_PYTHON_H
#define PT_CLI_PYTHON_H

#include <sys/types.h>

#include "base/err.h"

struct pt_python {
	pid_t pid;
};

/* Starts python3 on the script with these arguments; it reads what is written to standard output
 * from now on, and has the tool's own in its place. */
int pt_python_begin(struct pt_python *py, const char *script, char *const *args, int nr,
		    struct pt_err *e);
/* Ends its input and waits for it. Returns `status`, or the script's exit status if that is 0. */
int pt_python_end(struct pt_python *py, int status);

#endif
