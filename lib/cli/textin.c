#include "cli/textin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/input.h"

void pt_textin_start(const struct pt_tool *tool, struct pt_textin *in)
{
	if (!in->nr && isatty(STDIN_FILENO))
		pt_usage_forms(tool, "nothing to read: give a file, or pipe text in");
	in->fd = -1;
	in->last = '\n';
	pt_input_hold_interrupt();
}

static int open_next(struct pt_textin *in, struct pt_err *e)
{
	const char *path = in->nr ? in->files[in->at] : "-";

	in->name = strcmp(path, "-") ? path : "standard input";
	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	return in->fd < 0 ? pt_err_sys(e, errno, "%s", path) : 0;
}

ssize_t pt_textin_read(struct pt_textin *in, char *block, size_t len, struct pt_err *e)
{
	ssize_t n;

	while (in->at < in->nr || !in->at) {
		if (in->fd < 0 && open_next(in, e) < 0)
			return -1;
		do
			n = read(in->fd, block, len);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return pt_err_sys(e, errno, "%s", in->name);
		if (n > 0) {
			in->last = block[n - 1];
			return n;
		}
		if (in->fd != STDIN_FILENO)
			close(in->fd);
		in->fd = -1;
		in->at++;
		if (in->last != '\n') {		/* a last line without its end is no part of the next file's first one */
			block[0] = in->last = '\n';
			return 1;
		}
	}
	return 0;
}
