#include "cli/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/newfile.h"

static int choose_replaced(struct pt_whole *o, struct pt_err *e)
{
	struct pt_newfile n;

	if (pt_newfile_replaced(o->name, &o->replaced, e) < 0)
		return -1;
	if (!o->replaced)
		return 0;
	if (pt_newfile_open(&n, o->replaced, 0666, e) < 0)
		return -1;
	pt_newfile_abandon(&n);
	return 0;
}

int pt_whole_open(struct pt_whole *o, const char *path, enum pt_whole_how how, struct pt_err *e)
{
	*o = (struct pt_whole){ .to = !path ? stderr : stdout,
				.name = !path ? "standard error" : "standard output" };
	if (path && strcmp(path, "-")) {
		o->to = NULL;
		o->name = path;
		if (how == PT_WHOLE_REPLACE && choose_replaced(o, e) < 0)
			return -1;
		if (o->replaced)
			return 0;
		o->to = fopen(path, how == PT_WHOLE_APPEND ? "ae" : "we");
		if (!o->to)
			return pt_err_sys(e, errno, "%s", path);
	}
	setvbuf(o->to, NULL, _IONBF, 0);
	return 0;
}

int pt_whole_open_fd(struct pt_whole *o, int fd, const char *name, struct pt_err *e)
{
	*o = (struct pt_whole){ .to = fdopen(fd, "a"), .name = name };
	if (!o->to)
		return pt_err_sys(e, errno, "%s %d", name, fd);
	setvbuf(o->to, NULL, _IONBF, 0);
	return 0;
}

static int replace(struct pt_whole *o, const void *p, size_t len, struct pt_err *e)
{
	struct pt_err why = PT_ERR_INIT;

	return pt_newfile_put(o->replaced, 0666, p, len, &why) < 0
		       ? pt_err_sys(e, why.sys, "%s", o->name)
		       : 0;
}

int pt_whole_write(struct pt_whole *o, const void *p, size_t len, struct pt_err *e)
{
	if (o->replaced)
		return replace(o, p, len, e);
	return fwrite(p, 1, len, o->to) != len ? pt_err_sys(e, errno, "%s", o->name) : 0;
}

int pt_whole_close(struct pt_whole *o, struct pt_err *e)
{
	int rc =
		o->to && o->to != stderr && fclose(o->to) ? pt_err_sys(e, errno, "%s", o->name) : 0;

	free(o->replaced);
	*o = (struct pt_whole){ .to = NULL };
	return rc;
}

bool pt_whole_is_tty(const struct pt_whole *o)
{
	return o->to && isatty(fileno(o->to));
}
