#include "record/thisboot.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "record/buildid.h"

static const char kernel_name[] = "[kernel.kallsyms]";

/* The first lines have the symbols of the kernel's start. */
static uint64_t running_address(const char *symbol)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	unsigned long long addr;
	uint64_t found = 0;
	int i;

	for (i = 0; f && i < 1000 && !found && fgets(line, sizeof(line), f); i++)
		if (sscanf(line, "%llx %c %255s", &addr, &type, name) == 3 && !strcmp(name, symbol))
			found = addr;
	if (f)
		fclose(f);
	return found;
}

/* If the recording knows its kernel's build-id, it must be this kernel's. */
static bool same_build(const struct pt_build_id_entry *ids, size_t nr)
{
	struct pt_build_id mine;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct pt_build_id_entry *id = &ids[i];

		if (!strcmp(id->path, kernel_name))
			return pt_build_id_of_kernel("", NULL, &mine) && mine.len == id->len &&
			       !memcmp(mine.bytes, id->id, id->len);
	}
	return true;
}

bool pt_this_boot(const struct pt_info *info, const struct pt_build_id_entry *build_ids,
		  size_t nr_build_ids, const struct pt_record *kernel_map)
{
	const char *symbol = kernel_map->u.mmap.path;
	struct utsname uts;

	if (strncmp(symbol, kernel_name, strlen(kernel_name)) || !kernel_map->u.mmap.pgoff)
		return false;
	symbol += strlen(kernel_name);
	if (!info->os_release || !info->hostname || uname(&uts) < 0)
		return false;
	return !strcmp(info->os_release, uts.release) && !strcmp(info->hostname, uts.nodename) &&
	       running_address(symbol) == kernel_map->u.mmap.pgoff &&
	       same_build(build_ids, nr_build_ids);
}
