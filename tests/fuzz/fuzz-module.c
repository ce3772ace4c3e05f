/* fuzz-module: any bytes as the file of a kernel module, packed or not: sections are laid out, relocated and read as debug information, a function's places and lines are looked for.
 * The corpus: tests/data/module. */
#include "replay.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/where/listing.h"
#include "probe/make.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const points[] = { "work", "work:2", "step.c:11", "twin", "often", "work+1", "*" };
	struct pt_target_opts o = { .kernel = true };
	struct pt_target t;
	char path[64];
	int fd = memfd_create("module", MFD_CLOEXEC);

	if (fd < 0 || len > 1 << 20 || write(fd, data, len) != (ssize_t)len) {
		close(fd);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pt_target_open(&t, path, &o, NULL) == 0) {
		for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
			static const char *const args[] = { "$vars" };
			struct pt_make_req r = { .args = args, .nr_args = i & 1 };
			struct pt_made m = { .nr = 0 };

			if (pt_point_parse(&r.point, points[i], NULL) == 0) {
				pt_make_user(&m, &r, &t, NULL, NULL);
				pt_made_deinit(&m);
				pt_point_deinit(&r.point);
			}
		}
		pt_target_deinit(&t);
	}
	close(fd);
	return 0;
}
