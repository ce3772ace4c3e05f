/* Names of disks: a recording has their numbers only. This machine's names hold for live sessions
 * and for recordings that name this host and its kernel; others keep the numbers. */
#include "lat/lat_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

static bool is_here(const struct pt_source *source)
{
	const struct pt_info *info = source ? pt_source_info(source) : NULL;
	struct utsname here;

	if (!info || info->live)
		return info != NULL;
	return info->hostname && info->os_release && uname(&here) == 0 &&
	       !strcmp(info->hostname, here.nodename) && !strcmp(info->os_release, here.release);
}

/* "vda" of a link /sys/dev/block/254:0 -> .../block/vda; "254,0" where there is none. */
static const char *lat_device_find_name(const struct pt_lat *l, uint32_t dev)
{
	char *path = pt_asprintf("/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff),
	     *number = pt_asprintf("%u,%u", dev >> 20, dev & 0xfffff), target[4096];
	ssize_t len = is_here(l->source) ? readlink(path, target, sizeof(target) - 1) : -1;
	const char *name = number;

	if (len > 0) {
		target[len] = '\0';
		name = pt_text_base(target);
		for (char *p = target; *p; p++)		/* sysfs names have no slash of their own */
			if (*p == '!')
				*p = '/';
	}
	name = pt_names_add(l->names, name, strlen(name));
	free(path);
	free(number);
	return name;
}

void lat_device(struct pt_lat *l, uint32_t dev, struct pt_buf *out)
{
	uint64_t *name = pt_map_put(&l->devices, dev);

	if (!*name)
		*name = pt_word_of(lat_device_find_name(l, dev));
	pt_text_puts(out, pt_pointer(*name));
}
