#include "base/bootanswer.h"

#include <string.h>
#include <unistd.h>

#include "base/keep.h"
#include "base/smallfile.h"

enum { VERSION = 1, BOOT_ID_BYTES = 36, LIMIT_BYTES = 1 << 20 };

int pt_bootanswer_in(const char *path, const char *name, int (*test)(void))
{
	struct pt_keep *keep = pt_keep_open_in(path, LIMIT_BYTES);
	char boot[BOOT_ID_BYTES + 1];
	struct pt_kept kept;
	int answer = 0;

	pt_file_text("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	if (pt_keep_get(keep, name, VERSION, boot, strlen(boot), &kept)) {
		if (kept.len_bytes == sizeof(answer))
			memcpy(&answer, kept.data, sizeof(answer));
		pt_kept_release(&kept);
	}
	if (answer <= 0) {
		struct iovec part = { &answer, sizeof(answer) };

		answer = test();
		if (answer && *boot)
			pt_keep_put(keep, name, VERSION, boot, strlen(boot), &part, 1);
	}
	pt_keep_close(keep);
	return answer;
}

int pt_bootanswer(const char *name, int (*test)(void))
{
	return geteuid() ? test() : pt_bootanswer_in("/run", name, test);
}
