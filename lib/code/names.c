#include "code/names.h"

#include <libiberty/demangle.h>
#include <string.h>

#include "code/demangle.h"

enum { MAX_IN = 16384, MAX_OUT = 65536 };

struct sink {
	struct pt_buf *out;
	size_t from;
	bool full;
};

static void take(const char *s, size_t len, void *arg)
{
	struct sink *k = arg;

	if (k->full || k->out->len - k->from + len > MAX_OUT)
		k->full = true;
	else
		pt_buf_add(k->out, s, len);
}

/* Names of Rust's old mangling end in a hash, "17h" and 16 digits: to look for that takes a tenth of asking. */
static bool may_be_rust(const char *s)
{
	return s[1] == 'R' || (s[2] == 'N' && strstr(s, "17h"));
}

/* By libiberty. The name ends at `end`, where a NUL byte is or what is no part of it. */
static __attribute__((noinline)) bool by_library(const char *s, const char *end, int options, struct pt_buf *out)
{
	struct sink k = { out, out->len, false };
	char plain[MAX_IN];
	int good = 0;

	if (*end) {
		memcpy(plain, s, (size_t)(end - s));
		plain[end - s] = '\0';
		s = plain;
	}
	good = may_be_rust(s) && rust_demangle_callback(s, DMGL_NO_OPTS, take, &k);
	if (!good && s[1] == 'Z') {
		out->len = k.from;
		k.full = false;
		good = cplus_demangle_v3_callback(s, options, take, &k);
	}
	if (good && !k.full && out->len > k.from)
		return true;
	out->len = k.from;
	if (out->data)
		out->data[out->len] = '\0';
	return false;
}

static bool demangle(const char *mangled, bool params, struct pt_buf *out)
{
	const char *s = mangled, *end;

	if (s[0] == '_' && s[1] == '_' && (s[2] == 'Z' || s[2] == 'R'))	/* an underscore more, of some systems */
		s++;
	if (s[0] != '_' || (s[1] != 'Z' && s[1] != 'R'))
		return false;
	end = strchrnul(s, '@');	/* NAME@plt, NAME@@GLIBCXX_3.4: what is behind the @ is no part of the mangled name */
	if (end - s >= MAX_IN)
		return false;
	if (!(s[1] == 'Z' && pt_demangle_fast(s, end, params, out)) && !by_library(s, end, params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS, out))
		return false;
	if (*end)
		pt_buf_puts(out, end);
	return true;
}

bool pt_demangle(const char *mangled, struct pt_buf *out)
{
	return demangle(mangled, false, out);
}

bool pt_demangle_params(const char *mangled, struct pt_buf *out)
{
	return demangle(mangled, true, out);
}
