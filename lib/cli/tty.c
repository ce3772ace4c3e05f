#include "cli/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_terminal(const char *output)
{
	return (!output || !strcmp(output, "-")) && isatty(STDOUT_FILENO);
}

int pt_ansi_parse(const char *when)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(when, words[i]))
			return i;
	return -1;
}

bool pt_tty_colours(enum pt_ansi when, const char *output)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != PT_ANSI_AUTO)
		return when == PT_ANSI_ALWAYS;
	return is_terminal(output) && !(no && *no) && term && strcmp(term, "dumb");
}

size_t pt_tty_columns(const char *output)
{
	struct winsize size;

	return is_terminal(output) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}
