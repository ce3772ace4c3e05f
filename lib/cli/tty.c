#include "cli/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *const pt_ansi_words[] = {
	[PT_ANSI_AUTO] = "auto", [PT_ANSI_ALWAYS] = "always", [PT_ANSI_NEVER] = "never", NULL
};

static bool is_terminal(const char *output)
{
	return (!output || !strcmp(output, "-")) && isatty(STDOUT_FILENO);
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
