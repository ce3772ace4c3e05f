#include "cli/textin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/input.h"
#include "record/read/scan.h"

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

/* A byte of 0 this early means a program, compressed data (gzip, and zstd also without) or
 * /dev/zero. Later ones are accepted: names may be cut anywhere. */
static int look_at_first(const struct pt_textin *in, const char *block, size_t n, struct pt_err *e)
{
	if (n < 8)
		return 0;
	if (pt_magic_is(block, n))
		return pt_err_set(
			e,
			"%s: a recording, not text: pt-stack prints its stacks as folded lines, pt-script its events, pt-report --base compares two",
			in->name);
	if (memchr(block, '\0', 8) || !memcmp(block, "\x1f\x8b", 2) ||
	    !memcmp(block, "\x28\xb5\x2f\xfd", 4))
		return pt_err_set(e, "%s: not text (if it is compressed, unpack it first)",
				  in->name);
	return 0;
}

/* The reader splits lines; here they are only limited in length. */
static int count_lines(struct pt_textin *in, const char *block, size_t n, struct pt_err *e)
{
	const char *p = block, *end = block + n, *nl = memchr(p, '\n', n);

	in->line_len += (size_t)((nl ? nl : end) - p);
	if (in->line_len > PT_TEXTIN_LINE)
		return pt_err_set(e, "%s: line %llu is longer than %d MB", in->name,
				  (unsigned long long)in->line + 1, PT_TEXTIN_LINE >> 20);
	for (; nl; nl = memchr(p, '\n', (size_t)(end - p))) {
		in->line++;
		p = nl + 1;
		in->line_len = (size_t)(end - p);
	}
	return 0;
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
			if (!in->begun && look_at_first(in, block, (size_t)n, e) < 0)
				return -1;
			if (count_lines(in, block, (size_t)n, e) < 0)
				return -1;
			in->begun = true;
			in->last = block[n - 1];
			return n;
		}
		if (in->fd != STDIN_FILENO)
			close(in->fd);
		in->fd = -1;
		in->begun = false;
		in->line = in->line_len = 0;
		in->at++;
		/* a last line without a newline is no part of the next file's first one */
		if (in->last != '\n') {
			block[0] = in->last = '\n';
			return 1;
		}
	}
	return 0;
}
