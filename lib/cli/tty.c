#include "cli/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct pt_word pt_ansi_words[] = {
	PT_WORD("auto", PT_ANSI_AUTO),
	PT_WORD("always", PT_ANSI_ALWAYS),
	PT_WORD("never", PT_ANSI_NEVER),
	{ 0 }
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
