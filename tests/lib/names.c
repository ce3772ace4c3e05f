#include "names.h"

#include <libiberty/demangle.h>
#include <string.h>

#include "code/demangle.h"

static void take(const char *s, size_t len, void *out)
{
	pt_buf_add(out, s, len);
}

bool names_library(const char *mangled, bool params, struct pt_buf *out)
{
	size_t from = out->len;

	if (rust_demangle_callback(mangled, DMGL_NO_OPTS, take, out))
		return true;
	out->len = from;
	return cplus_demangle_v3_callback(mangled, params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS, take, out);
}

enum names_answer names_compare(const char *mangled, bool params, struct pt_buf *ours, struct pt_buf *theirs)
{
	pt_buf_clear(ours);
	pt_buf_clear(theirs);
	if (!pt_demangle_fast(mangled, mangled + strlen(mangled), params, ours))
		return NAMES_LEFT;
	return names_library(mangled, params, theirs) && !strcmp(pt_buf_str(ours), pt_buf_str(theirs)) ? NAMES_SAME : NAMES_DIFFERENT;
}
