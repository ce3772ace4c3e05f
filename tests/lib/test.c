#include "test.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct pt_test *tests, **last = &tests;
static jmp_buf out;
static char why[4096];
static char dir[64];
static struct mapping { void *p; size_t len; } mappings[1024];
static size_t nr_mappings;

enum { RAN, FAILED, SKIPPED };

void pt_test_add(struct pt_test *t)
{
	*last = t;
	last = &t->next;
}

void pt_test_fail(const char *file, int line, const char *fmt, ...)
{
	const char *base = strrchr(file, '/');
	va_list ap;
	int n = snprintf(why, sizeof(why), "%s:%d: ", base ? base + 1 : file, line);

	va_start(ap, fmt);
	vsnprintf(why + n, sizeof(why) - (size_t)n, fmt, ap);
	va_end(ap);
	longjmp(out, FAILED);
}

void pt_test_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	longjmp(out, SKIPPED);
}

void *pt_test_guarded(const void *p, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (len + page - 1) / page * page + page;
	char *m = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED || nr_mappings == sizeof(mappings) / sizeof(*mappings))
		FAIL("no memory for a guarded copy");
	mprotect(m + room, page, PROT_NONE);
	mappings[nr_mappings++] = (struct mapping){ m, room + page };
	if (len)
		memcpy(m + room - len, p, len);
	return m + room - len;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

const char *pt_test_dir(void)
{
	if (!*dir) {
		strcpy(dir, "/tmp/pt-unit.XXXXXX");
		if (!mkdtemp(dir))
			FAIL("no scratch directory");
	}
	return dir;
}

bool pt_test_sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#else
	return false;
#endif
}

static void tidy(void)
{
	while (nr_mappings)
		nr_mappings--, munmap(mappings[nr_mappings].p, mappings[nr_mappings].len);
	if (*dir)
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	*dir = '\0';
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	volatile bool bad = false, found = argc < 2;	/* volatile: a test may longjmp back */
	const struct pt_test *volatile t;

	name = name ? name + 1 : argv[0];
	for (t = tests; t; t = t->next) {
		if (argc > 1 && strcmp(argv[1], t->name))
			continue;
		found = true;
		switch (setjmp(out)) {
		case RAN:
			t->run();
			printf("ok %s/%s\n", name, t->name);
			break;
		case FAILED:
			printf("FAIL %s/%s: %s\n", name, t->name, why);
			bad = true;
			break;
		default:
			printf("SKIP %s/%s: %s\n", name, t->name, why);
		}
		fflush(stdout);
		tidy();
	}
	if (!found)
		fprintf(stderr, "%s: no test %s\n", name, argv[1]);
	return bad || !found;
}
