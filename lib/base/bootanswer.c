#include "base/bootanswer.h"

#include <string.h>
#include <unistd.h>

#include "base/diskcache.h"
#include "base/smallfile.h"

enum { VERSION = 1, BOOT_ID_BYTES = 36, LIMIT_BYTES = 1 << 20 };

static const char root_only[] = "/run";

static void read_boot_id(char boot[BOOT_ID_BYTES + 1])
{
	pt_file_text("/proc/sys/kernel/random/boot_id", boot, BOOT_ID_BYTES + 1);
}

static bool get(struct pt_diskcache *keep, const char *name, void *data, size_t len)
{
	char boot[BOOT_ID_BYTES + 1];
	struct pt_cached kept;
	bool same;

	read_boot_id(boot);
	if (!pt_diskcache_get(keep, name, VERSION, boot, strlen(boot), &kept))
		return false;
	same = kept.len_bytes == len;
	if (same)
		memcpy(data, kept.data, len);
	pt_cached_release(&kept);
	return same;
}

static void bootanswer_put(struct pt_diskcache *keep, const char *name, void *data, size_t len)
{
	struct iovec part = { data, len };
	char boot[BOOT_ID_BYTES + 1];

	read_boot_id(boot);
	if (*boot)
		pt_diskcache_put(keep, name, VERSION, boot, strlen(boot), &part, 1);
}

int pt_bootanswer_in(const char *dir, const char *name, int (*test)(void))
{
	struct pt_diskcache *keep = pt_diskcache_open_in(dir, LIMIT_BYTES);
	int answer = 0;

	if (!get(keep, name, &answer, sizeof(answer)) || answer <= 0) {
		answer = test();
		if (answer)
			bootanswer_put(keep, name, &answer, sizeof(answer));
	}
	pt_diskcache_close(keep);
	return answer;
}

int pt_bootanswer(const char *name, int (*test)(void))
{
	return geteuid() ? test() : pt_bootanswer_in(root_only, name, test);
}

int pt_bootanswer_data(const char *name, void *data, size_t len,
		       int (*make)(void *data, struct pt_err *e), struct pt_err *e)
{
	struct pt_diskcache *keep = geteuid() ? NULL : pt_diskcache_open_in(root_only, LIMIT_BYTES);
	int rc = 0;

	if (!get(keep, name, data, len)) {
		rc = make(data, e);
		if (rc == 0)
			bootanswer_put(keep, name, data, len);
	}
	pt_diskcache_close(keep);
	return rc;
}
