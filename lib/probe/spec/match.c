#include "probe/spec/match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "elf/names.h"
#include "probe/spec/point.h"

static bool match_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Removes blanks except between words. */
static void squeeze(char *s)
{
	char *to = s, last = '\0';

	for (; *s; s++) {
		s += *s == ' ' ? strspn(s, " ") - 1 : 0;
		if (*s == ' ' && (!match_is_word(last) || !match_is_word(s[1])))
			continue;
		last = *s;
		*to++ = *s;
	}
	*to = '\0';
}

/* g++ names a function that returns a std::string f[abi:cxx11]; the source has no such tags. */
static void drop_tags(char *s)
{
	static const char tag[] = "[abi:";
	char *end;

	while ((s = strstr(s, tag)) && (end = strchr(s, ']')))
		memmove(s, end + 1, strlen(end));
}

static bool is_operator(const char *from, const char *at)
{
	return at - from >= 8 && !memcmp(at - 8, "operator", 8);
}

/* The name without template arguments: "a::b" for "a<int>::b<c::d>". */
static void match_strip(const char *s, struct pt_buf *out)
{
	const char *from = s;
	int depth = 0;

	pt_buf_clear(out);
	for (; *s; s++) {
		if (*s == '<' && !depth &&
		    (is_operator(from, s) ||
		     (s > from && s[-1] == '<' && is_operator(from, s - 1)))) {
			pt_buf_putc(out, *s);
			continue;
		}
		if (*s == '<') {
			/* Rust's f::<T> */
			if (!depth++ && out->len >= 2 && !memcmp(out->data + out->len - 2, "::", 2))
				out->len -= 2;
			continue;
		}
		if (*s == '>' && depth) {
			if (s[-1] != '-')
				depth--;
			continue;
		}
		if (!depth)
			pt_buf_putc(out, *s);
	}
	if (out->data)
		out->data[out->len] = '\0';
}

/* The last word in front of parameters and template arguments; NULL for operators, lambdas and the
 * like. */
static char *last_word(const char *want)
{
	struct pt_buf b = PT_BUF_INIT;
	char *end, *from, *word = NULL;

	if (strstr(want, "operator") || strchr(want, '{'))
		return NULL;
	match_strip(want, &b);
	if (!b.len)
		goto out;
	end = strchr(b.data, '(');
	if (end == b.data || (end && end[-1] == ':'))		/* (anonymous namespace) */
		goto out;
	end = end ? end : b.data + b.len;
	for (from = end; from > b.data && match_is_word(from[-1]); from--)
		;
	if (from < end)
		word = pt_strndup(from, (size_t)(end - from));
out:
	pt_buf_deinit(&b);
	return word;
}

void pt_match_init(struct pt_match *m, const char *want)
{
	const char *paren;

	*m = (struct pt_match){ .want = pt_strdup(want), .glob = pt_point_is_glob(want) };
	squeeze(m->want);
	drop_tags(m->want);
	m->word = m->glob ? NULL : last_word(m->want);
	paren = strrchr(m->want, ')');
	/* the () of operator() and of (anonymous namespace)::f are no parameters */
	m->params = paren && (!paren[1] || !strncmp(paren, ")const", 6)) &&
		    !(paren > m->want && paren[-1] == '(' && is_operator(m->want, paren - 1));
	m->scoped = strstr(m->want, "::") || m->glob;
	m->templates = strchr(m->want, '<') && !strstr(m->want, "operator<");
	m->by_symbol = m->params || !strncmp(m->want, "_Z", 2) || !strncmp(m->want, "_R", 2);
}

void pt_match_deinit(struct pt_match *m)
{
	free(m->want);
	free(m->word);
	pt_buf_deinit(&m->name);
	pt_buf_deinit(&m->plain);
}

/* The end of the template arguments at s; the text's end if they are not closed. */
static const char *match_behind(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == '<') - (*s == '>' && s[-1] != '-');
		if (depth < 0)
			return s;
	}
	return s;
}

/* Equal, but `name` may have more template arguments than `want` (std::vector<int> has an
 * allocator), and unnamed namespaces. */
static bool match_same(const char *name, const char *want)
{
	static const char unnamed[] = "(anonymous namespace)::";

	for (; *want; name++, want++) {
		if (*want == '>' && *name == ',')
			name = match_behind(name);
		if (*want != *name && !strncmp(name, unnamed, sizeof(unnamed) - 1))
			name += sizeof(unnamed) - 1;
		if (*want != *name)
			return false;
	}
	return !*name;
}

/* Matches the whole name, or the part behind some namespaces. */
static bool match_ends(const char *name, const char *want)
{
	const char *s;

	for (s = name; s; s = strstr(s + 1, "::")) {
		s += s > name ? 2 : 0;
		if (match_same(s, want))
			return true;
	}
	return false;
}

/* A pattern matches the whole name, or the part behind some namespaces and classes of the name
 * itself, not of its arguments. */
static bool glob_ends(const char *name, const char *want)
{
	int depth = 0;

	if (pt_text_glob(want, name))
		return true;
	for (const char *s = name; *s; s++) {
		if (!depth && s[0] == ':' && s[1] == ':' && pt_text_glob(want, s + 2))
			return true;
		if (!is_operator(name, s))
			depth += (*s == '<' || *s == '(') -
				 ((*s == '>' && s > name && s[-1] != '-') || *s == ')');
	}
	return false;
}

static bool agrees(struct pt_match *m, char *name)
{
	if (m->glob && pt_text_glob(m->want, name))
		return true;
	squeeze(name);
	drop_tags(name);
	if (m->glob ? glob_ends(name, m->want) : match_ends(name, m->want))
		return true;
	if (m->templates || !strchr(name, '<'))
		return false;
	match_strip(name, &m->plain);
	return m->plain.len &&
	       (m->glob ? glob_ends(m->plain.data, m->want) : match_ends(m->plain.data, m->want));
}

bool pt_match_name(struct pt_match *m, const char *name, bool mangled)
{
	if (m->glob ? pt_text_glob(m->want, name) : !strcmp(m->want, name))
		return true;
	if (m->word && !strstr(name, m->word))
		return false;
	pt_buf_clear(&m->name);
	if (!mangled ||
	    !(m->params ? pt_demangle_params(name, &m->name) : pt_demangle(name, &m->name))) {
		if (m->glob || !strpbrk(name, "<: "))
			return false;
		pt_buf_clear(&m->name);
		pt_buf_puts(&m->name, name);
	}
	return agrees(m, m->name.data);
}

bool pt_match_shown(struct pt_match *m, const char *name)
{
	if (m->word && !strstr(name, m->word))
		return false;
	pt_buf_clear(&m->name);
	pt_buf_puts(&m->name, name);
	return agrees(m, m->name.data);
}
