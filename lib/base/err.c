#include "base/err.h"

#include <stdio.h>
#include <string.h>

static void err_fill(struct pt_err *e, size_t at, const char *fmt, va_list ap)
{
	if (at < sizeof(e->msg))
		vsnprintf(e->msg + at, sizeof(e->msg) - at, fmt, ap);
}

int pt_err_set(struct pt_err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	e->sys = 0;
	va_start(ap, fmt);
	err_fill(e, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int pt_err_sys(struct pt_err *e, int sys, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	e->sys = sys;
	va_start(ap, fmt);
	err_fill(e, 0, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror_r(sys, text, sizeof(text)));
	return -1;
}

int pt_err_context(struct pt_err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	err_fill(e, 0, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	if (len + 1 < sizeof(e->msg)) {
		int room = (int)(sizeof(e->msg) - len);
		int n = snprintf(e->msg + len, (size_t)room, ": %.*s", room, old);

		(void)n;	/* truncation is fine */
	}
	return -1;
}

int pt_err_advice(struct pt_err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	err_fill(e, strlen(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}
