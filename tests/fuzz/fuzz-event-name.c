/* Names of events: the first byte is the made-up machine that they are looked up on, the rest the text of -e. What is taken holds together. */
#include "event/name.h"
#include "machines.h"
#include "replay.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/pt-fuzz-names-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *machine(unsigned which)
{
	static const char *const names[] = { "intel", "hybrid", "amd", "arm64", "s390", "power" };
	static char path[128];
	static bool made;

	if (!made) {
		if (!mkdtemp(dir))
			abort();
		made = true;
		atexit(clean_up);
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
			pt_machine_make(path, names[i]);
		}
	}
	snprintf(path, sizeof(path), "%s/%s", dir, names[which % (sizeof(names) / sizeof(names[0]))]);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_event_list l;
	struct pt_err e = PT_ERR_INIT;
	char *text;

	if (!len || len > 4096)
		return 0;
	pt_event_list_init_at(&l, machine(data[0]));
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	if (pt_event_list_add(&l, text, &e) < 0 && (!e.msg[0] || l.nr))
		__builtin_trap();
	for (size_t i = 0; i < l.nr; i++) {
		const struct pt_event_spec *s = &l.specs[i];

		if (!s->name || !s->name[0] || s->leader < 0 || (size_t)s->leader > i || l.specs[s->leader].leader != s->leader ||
		    s->attr.size != sizeof(s->attr) || (s->pmu && l.specs[s->leader].pmu && l.specs[s->leader].pmu != s->pmu))
			__builtin_trap();
	}
	pt_event_list_deinit(&l);
	free(text);
	return 0;
}
