#include "elf/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/mem.h"

struct pt_debuginfod {
	void *library, *client;
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *id, int len, char **path);
};

#ifdef PT_STATIC	/* dlopen() fails: base/noload.c */
static const char no_client[] =
	"static tools cannot load the client of debuginfod: fetch files with debuginfod-find, or use tools that are not static";
#else
static const char no_client[] =
	"the client library of debuginfod is not here: install libdebuginfod1 (elfutils-debuginfod-client)";
#endif

struct pt_debuginfod *pt_debuginfod_new(struct pt_err *e)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct pt_debuginfod *d;
	void *(*begin)(void);

	if (!urls || !*urls) {
		pt_err_set(
			e,
			"no server of debug files is named: set DEBUGINFOD_URLS, as in DEBUGINFOD_URLS=https://debuginfod.elfutils.org");
		return NULL;
	}
	d = pt_alloc(sizeof(*d));
	d->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (d->library) {
		begin = (void *(*)(void))dlsym(d->library, "debuginfod_begin");
		d->end = (void (*)(void *))dlsym(d->library, "debuginfod_end");
		d->find = (int (*)(void *, const unsigned char *, int,
				   char **))dlsym(d->library, "debuginfod_find_debuginfo");
		d->client = begin && d->end && d->find ? begin() : NULL;
	}
	if (d->client)
		return d;
	pt_err_set(e, "%s", no_client);
	pt_debuginfod_free(d);
	return NULL;
}

void pt_debuginfod_free(struct pt_debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	if (d->library)
		dlclose(d->library);
	free(d);
}

int pt_debuginfod_open(struct pt_debuginfod *d, const struct pt_build_id *id)
{
	return id->len ? d->find(d->client, id->bytes, id->len, NULL) : -1;
}
