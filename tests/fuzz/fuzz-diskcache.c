/* What stands in the directory of kept items, and tables of kernel symbols, as the first byte says: a whole file of the directory, the content of a kept
 * table (whose checksum is right: somebody wrote nonsense), lines of kallsyms. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diskcache.h"
#include "base/ksyms.h"
#include "base/mem.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char dir[] = "/tmp/pt-fuzz-diskcache.XXXXXX";

static void clean(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/item", dir);
	unlink(path);
	rmdir(dir);
}

static void as_file(const uint8_t *data, size_t len)
{
	struct pt_diskcache *k;
	struct pt_cached kept;
	uint64_t sum = 0;
	char path[64];
	size_t i;
	int fd;

	if (strchr(dir, 'X') && !strcmp(strchr(dir, 'X'), "XXXXXX") && mkdtemp(dir))
		atexit(clean);
	snprintf(path, sizeof(path), "%s/item", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
	k = pt_diskcache_open_in(dir, 1 << 20);
	if (pt_diskcache_get(k, "item", 1, "key", 3, &kept)) {
		for (i = 0; i < kept.len_bytes; i++)
			sum += kept.data[i];
		pt_cached_release(&kept);
		if (sum == UINT64_MAX)
			abort();
	}
	pt_diskcache_close(k);
}

static void look(struct pt_ksyms *k, const uint8_t *data, size_t len)
{
	struct pt_ksym s;
	uint64_t addr;
	size_t i;

	for (i = 0; i + 8 <= len && i < 4096; i += 8) {
		memcpy(&addr, data + i, 8);
		if (pt_ksyms_find(k, addr, &s) &&
		    (addr < s.addr || addr >= s.end || strlen(s.name) > len ||
		     (s.module && strlen(s.module) > len)))
			abort();
		pt_ksyms_is_core(k, addr);
	}
	for (addr = 0xffffffff81000000; addr < 0xffffffff81000000 + 0x100000; addr += 0xfff)
		pt_ksyms_find(k, addr, &s);
	pt_ksyms_text(k, "_text");
	pt_ksyms_visible(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_ksyms *k = NULL;
	void *copy;

	if (!len || len > 1 << 20)
		return 0;
	if (*data % 4 == 0) {
		as_file(data + 1, len - 1);
		return 0;
	}
	copy = pt_memdup(data + 1, len - 1);
	if (*data % 4 == 1)
		k = pt_ksyms_of_kept(copy, len - 1);
	else
		k = pt_ksyms_of_text(copy, len - 1);
	if (k)
		look(k, data + 1, len - 1);
	pt_ksyms_free(k);
	if (*data % 4 == 1)
		free(copy);
	return 0;
}
