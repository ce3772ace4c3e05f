#include "tracepoint/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#define USUAL_PLACE "/sys/kernel/tracing"

/* 0: its events can be read; else the errno */
static int look_into(const char *place)
{
	char *path = pt_asprintf("%s/events", place);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sys = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return sys;
}

int pt_tracefs_find(const char **path, struct pt_err *e)
{
	const char *place;
	int sys;

	errno = 0;
	place = tracefs_tracing_dir();
	if (!place) {
		sys = errno;
		if (sys == ENOENT || sys == ENODEV)
			return pt_err_sys(e, sys,
					  "this kernel has no tracepoints (no tracefs at %s)",
					  USUAL_PLACE);
		pt_err_sys(e, sys ? sys : ENOENT, "tracefs is not mounted");
		return pt_err_advice(e, "; as root: `mount -t tracefs tracefs %s`", USUAL_PLACE);
	}
	sys = look_into(place);
	if (!sys) {
		*path = place;
		return 0;
	}
	pt_err_sys(e, sys, "%s", place);
	return pt_err_advice(e,
			     "; run as root, or as root let your group in: "
			     "`mount -o remount,mode=0750,gid=%u %s`",
			     (unsigned)getegid(), place);
}

int pt_tracefs_read(struct tracefs_instance *fs, const char *file, struct pt_buf *b)
{
	int len = 0;
	char *text;

	errno = 0;
	text = tracefs_instance_file_read(fs, file, &len);
	if (!text)
		return errno;		/* 0: an empty file */
	pt_buf_add(b, text, (size_t)len);
	free(text);
	return 0;
}
