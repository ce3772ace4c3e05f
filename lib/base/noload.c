/* noload.c - dlopen() of static tools, which load nothing. libdw would look for the client of
 * debuginfod, libtraceevent for plugins: such libraries need the C library that they were built
 * with, and crash with another one. The Makefile links this file before the C library's own. */
#ifdef PT_STATIC

#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

#endif
