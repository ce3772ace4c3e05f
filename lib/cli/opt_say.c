/* opt_say.c - messages of a tool on standard error */
#include "cli/opt_priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Escapes control characters. Following lines that are indented by four spaces (a caret below the
 * error) stay lines, since they cannot be taken for another message. */
static void add_lines(struct pt_buf *b, const char *text)
{
	const char *more;

	while ((more = strstr(text, "\n    "))) {
		pt_text_plain(b, text, (size_t)(more - text));
		pt_buf_putc(b, '\n');
		text = more + 1;
	}
	pt_text_puts(b, text);
}

/* One write for each message, so that messages of several processes do not mix. */
static void opt_say_say(const struct pt_tool *tool, const char *fmt, va_list ap, const char *more)
{
	struct pt_buf b = PT_BUF_INIT;
	char *text;
	ssize_t n;

	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	pt_buf_printf(&b, "%s: ", tool->name);
	add_lines(&b, text);
	pt_buf_putc(&b, '\n');
	pt_buf_puts(&b, more);
	n = write(STDERR_FILENO, b.data, b.len);
	(void)n;
	free(text);
	pt_buf_deinit(&b);
}

void pt_usage(const struct pt_tool *tool, const char *fmt, ...)
{
	char more[128];
	va_list ap;

	snprintf(more, sizeof(more), "Try '%s --help'.\n", tool->name);
	va_start(ap, fmt);
	opt_say_say(tool, fmt, ap, more);
	va_end(ap);
	exit(2);
}

void pt_usage_forms(const struct pt_tool *tool, const char *fmt, ...)
{
	struct pt_buf b = PT_BUF_INIT;
	va_list ap;

	pt_help_forms(tool, &b);
	pt_buf_printf(&b, "Try '%s --help'.\n", tool->name);
	va_start(ap, fmt);
	opt_say_say(tool, fmt, ap, pt_buf_str(&b));
	va_end(ap);
	exit(2);
}

void pt_warn(const struct pt_tool *tool, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	opt_say_say(tool, fmt, ap, "");
	va_end(ap);
}

void pt_die(const struct pt_tool *tool, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	opt_say_say(tool, fmt, ap, "");
	va_end(ap);
	exit(1);
}
