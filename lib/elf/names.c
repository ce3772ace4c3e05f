#include "elf/names.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* One in 2,000 real names with a pack expansion has over 20 substitutions. */
enum { MAX_IN = 16384, MAX_OUT = 65536, MAX_PACK_SUBSTITUTIONS = 32, MAX_TEMPLATE_TEMPLATES = 12 };

struct sink {
	struct pt_buf *out;
	size_t from;
	jmp_buf too_long;
};

/* libiberty cannot be stopped otherwise. It holds no heap memory here, but for an identifier while
 * it prints a punycode name of Rust. */
static void names_take(const char *s, size_t len, void *arg)
{
	struct sink *k = arg;

	if (k->out->len - k->from + len > MAX_OUT)
		longjmp(k->too_long, 1);
	pt_buf_add(k->out, s, len);
}

/* Behind "S_", "T_", "S12_"; NULL: none of these. */
static const char *reference_end(const char *s)
{
	for (s++; (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z'); s++)
		;
	return *s == '_' ? s + 1 : NULL;
}

/* Two constructs take exponential time without printing: the search for the pack of an expansion
 * (Dp, sp) visits each use of a substitution; each template argument list behind a template
 * parameter (T_I) is parsed twice within a conversion operator. */
static bool is_bounded(const char *s)
{
	unsigned substitutions = 0, template_templates = 0;
	bool pack = false;
	const char *behind;

	for (; *s; s++) {
		pack |= s[0] == 'p' && (s[-1] == 'D' || s[-1] == 's');
		if (*s != 'S' && *s != 'T')
			continue;
		behind = reference_end(s);
		substitutions += *s == 'S' && behind;
		template_templates += *s == 'T' && behind && *behind == 'I';
	}
	return template_templates <= MAX_TEMPLATE_TEMPLATES &&
	       (!pack || substitutions <= MAX_PACK_SUBSTITUTIONS);
}

static bool by_callback(bool rust, const char *s, int options, struct sink *k)
{
	return !setjmp(k->too_long) &&
	       (rust ? rust_demangle_callback(s, DMGL_NO_OPTS, names_take, k)
		     : cplus_demangle_v3_callback(s, options, names_take, k)) &&
	       k->out->len > k->from;
}

/* Rust's old mangling is C++'s with "17h" and 16 digits at its end. This takes a tenth of
 * rust_demangle_callback()'s time. */
static bool may_be_rust(const char *s)
{
	return s[1] == 'R' || (s[2] == 'N' && strstr(s, "17h"));
}

static void names_cut(struct pt_buf *b, size_t len)
{
	b->len = len;
	if (b->data)
		b->data[len] = '\0';
}

/* `s` begins with _Z or _R. */
static bool by_library(const char *s, int options, struct pt_buf *out)
{
	struct sink k = { .out = out, .from = out->len };

	if (may_be_rust(s) && by_callback(true, s, options, &k))
		return true;
	names_cut(out, k.from);
	if (s[1] == 'Z' && is_bounded(s + 2) && by_callback(false, s, options, &k))
		return true;
	names_cut(out, k.from);
	return false;
}

static bool demangle(const char *mangled, int options, struct pt_buf *out)
{
	const char *s = mangled, *end;
	char plain[MAX_IN];

	/* some systems prepend an underscore */
	if (s[0] == '_' && s[1] == '_' && (s[2] == 'Z' || s[2] == 'R'))
		s++;
	if (s[0] != '_' || (s[1] != 'Z' && s[1] != 'R'))
		return false;
	/* NAME@plt, NAME@@GLIBCXX_3.4: the mangled name ends at the @ */
	end = s + strcspn(s, "@");
	if (end - s >= MAX_IN)
		return false;
	if (*end) {
		memcpy(plain, s, (size_t)(end - s));
		plain[end - s] = '\0';
		s = plain;
	}
	if (!by_library(s, options, out))
		return false;
	pt_buf_puts(out, end);
	return true;
}

bool pt_demangle(const char *mangled, struct pt_buf *out)
{
	return demangle(mangled, DMGL_NO_OPTS, out);
}

bool pt_demangle_params(const char *mangled, struct pt_buf *out)
{
	return demangle(mangled, DMGL_PARAMS | DMGL_ANSI, out);
}
