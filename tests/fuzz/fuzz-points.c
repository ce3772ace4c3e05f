/* fuzz-points: any bytes as a program to be probed: its functions, each one's places, lines, listing and scopes, in all ways; or ("point" in front) the text of a point.
 * The corpus: that of fuzz-dwarf in small, by the same compilers; names that are long, alike, or end in others (names: functions "target"); texts. */
#include <unistd.h>
#include <stdio.h>
#include <sys/mman.h>
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/where/functions.h"
#include "probe/where/listing.h"

enum { MAX_FUNCTIONS = 12, MAX_NAME = 200 };

static void ask(struct pt_target *t, const char *text)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_places ps;
	struct pt_point p;
	unsigned how;
	size_t i, k;

	if (pt_point_parse(&p, text, &e) < 0)
		return;
	for (how = 0; how < 4; how++) {
		if (pt_places_find(&ps, t, &p, &(struct pt_place_opts){ .all = how & 1, .variables = how & 2 }, &e) < 0)
			continue;
		for (i = 0; i < ps.nr; i++) {
			const struct pt_place *x = &ps.v[i];

			if (x->nr_scopes > PT_PLACE_SCOPES || !!x->nr_scopes != !!x->unit)
				__builtin_trap();
			for (k = 1; k < x->nr_scopes; k++)
				if (x->scopes[k] <= x->scopes[k - 1])	/* inner entries stand behind outer ones */
					__builtin_trap();
		}
		pt_places_deinit(&ps);
	}
	pt_point_deinit(&p);
}

static void list(struct pt_target *t, const char *what)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_listing l;

	if (pt_listing_make(&l, t, what, &e) < 0)
		return;
	pt_listing_print(&l, &b);
	pt_listing_deinit(&l);
	pt_buf_deinit(&b);
}

static void ask_all(struct pt_target *t)
{
	static const char *const forms[] = { "%s", "%s:0", "%s:1", "%s:2", "%s+1", "%s%%return", "%s@x.c", "%s;*" };
	struct pt_functions l;
	struct pt_function f;
	const char *at = NULL;
	size_t i, k;
	char *text;

	ask(t, "*");
	ask(t, "target");
	ask(t, "a::target");
	ask(t, "x.c:3");
	list(t, "x.c");
	pt_functions_list(&l, t, NULL, true);
	for (i = 0; i < MAX_FUNCTIONS && pt_functions_next(&l, &at, &f); i++) {
		char name[MAX_NAME + 1];

		if (f.len > MAX_NAME)
			continue;
		memcpy(name, f.name, f.len);
		name[f.len] = '\0';
		for (k = 0; k < PT_NR(forms); k++) {
			text = pt_asprintf(forms[k], name);
			ask(t, text);
			free(text);
		}
		list(t, name);
	}
	pt_functions_deinit(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_target t;
	struct pt_point p;
	char *text, path[32];
	int fd, rc;

	if (len >= 5 && !memcmp(data, "point", 5)) {
		text = pt_strndup((const char *)data + 5, len - 5);
		if (!pt_point_parse(&p, text, &e))
			pt_point_deinit(&p);
		free(text);
		return 0;
	}
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = pt_target_open(&t, path, &(struct pt_target_opts){ .debuginfod = false }, &e);
	close(fd);
	if (rc < 0)
		return 0;
	ask_all(&t);
	pt_target_deinit(&t);
	return 0;
}
