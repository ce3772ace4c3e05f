/* foldtext_names.c - names of frames as the tools print them, and the simpler formats: debuggers,
 * bpftrace, jstack */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/foldtext_priv.h"

static bool ends(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(s + len - n, with, n);
}

/* "foo+0x1a": the length without the offset */
static size_t without_offset(const char *s, size_t len)
{
	size_t n = len;

	while (n && pt_is_hex(s[n - 1]))
		n--;
	return n < len && n >= 3 && !memcmp(s + n - 3, "+0x", 3) ? n - 3 : len;
}

/* The length without parameters, which begin at a parenthesis that opens no anonymous namespace. A
 * method of Go, net/http.(*Client).Do, stays whole. */
static size_t without_parameters(const char *s, size_t len)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *p, *end = s + len, *go;

	go = memmem(s, len, ".(", 2);
	if (go && memmem(go + 2, (size_t)(end - go - 2), ").", 2))
		return len;
	for (p = s; (p = memchr(p, '(', (size_t)(end - p))); p++)
		if ((size_t)(end - p) < sizeof(anonymous) - 1 ||
		    memcmp(p, anonymous, sizeof(anonymous) - 1))
			return (size_t)(p - s);
	return len;
}

/* The length of C++'s "operator" at s with the signs behind it; 0: no such word. */
static size_t operator_len(const char *s, const char *end, bool inside)
{
	static const char word[] = "operator";
	const char *p = s + sizeof(word) - 1;

	if ((size_t)(end - s) <= sizeof(word) - 1 || memcmp(s, word, sizeof(word) - 1) || inside)
		return 0;
	if (end - p >= 2 && (!memcmp(p, "()", 2) || !memcmp(p, "[]", 2)))
		return (size_t)(p + 2 - s);
	while (p < end && memchr("<>=-*&|^!+/%~,", *p, 14))
		p++;
	return (size_t)(p - s);
}

/* The same for whole C++ names from debuggers: up to the last parameters, "std::function<int
 * (int)>::operator()(int) const" before "(int) const". */
static size_t without_argument_types(const char *s, size_t len)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *p, *end = s + len;
	int depth = 0;

	for (p = s; p < end; p++) {
		bool inside =
			p > s && (p[-1] == '_' || (p[-1] >= '0' && p[-1] <= '9') ||
				  (p[-1] >= 'a' && p[-1] <= 'z') || (p[-1] >= 'A' && p[-1] <= 'Z'));
		size_t n = *p == 'o' ? operator_len(p, end, inside) : 0;

		if (n)
			p += n - 1;
		else if (*p == '(' && (size_t)(end - p) >= sizeof(anonymous) - 1 &&
			 !memcmp(p, anonymous, sizeof(anonymous) - 1))
			p += sizeof(anonymous) - 2;
		else if (*p == '(' && !depth && p > s)
			return (size_t)(p - s);
		else if (*p == '<' || *p == '{' || *p == '(')
			depth++;
		else if (depth && (*p == '}' || *p == ')' || (*p == '>' && p[-1] != '-')))
			depth--;
	}
	return depth ? without_parameters(s, len) : len;
}

static const char *mark_of(const struct pt_foldtext *t, const char *name, size_t len,
			   const char *module, size_t module_len, bool within)
{
	const char *map;

	if (within)
		return ends(name, len, "_[i]") ? "" : "_[i]";
	if (t->o.inlined && module_len == 7 && !memcmp(module, "inlined", 7))
		return "_[i]";
	if (t->o.kernel && module_len && (*module == '[' || ends(module, module_len, "vmlinux")) &&
	    !memmem(module, module_len, "unknown", 7))
		return "_[k]";
	map = t->o.jit ? memmem(module, module_len, "/tmp/perf-", 10) : NULL;
	if (map && ends(module, module_len, ".map") && !ends(name, len, "_[j]"))
		return "_[j]";
	return "";
}

/* Pushes one tidied name. `within`: inlined into the one that is pushed next. */
static void push_name(struct pt_foldtext *t, const char *s, size_t len, const char *module,
		      size_t module_len, bool within)
{
	size_t at, i, n;
	const char *mark;

	len = t->counts.kind == PT_FOLDTEXT_DEBUGGER ? without_argument_types(s, len)
						     : without_parameters(s, len);
	while (t->counts.kind == PT_FOLDTEXT_DEBUGGER && len && pt_is_blank(s[len - 1]))
		len--;
	if (t->java && len && *s == 'L' && memchr(s, '/', len))
		s++, len--;
	mark = mark_of(t, s, len, module, module_len, within);
	pt_foldtext_push(t, s, len, "");
	if (!t->nr)
		return;
	at = t->frames[t->nr - 1].off;
	for (i = n = at; i < t->text.len; i++)
		if (t->text.data[i] != '"' && t->text.data[i] != '\'')
			t->text.data[n++] = t->text.data[i];
	t->text.len = n;
	pt_buf_puts(&t->text, mark);
	t->frames[t->nr - 1].len = t->text.len - at;
}

/* "[libfoo.so]" or "[unknown]", with the address if wanted */
static void push_unknown(struct pt_foldtext *t, const char *module, size_t module_len,
			 const char *addr, size_t addr_len, bool within)
{
	bool known = module_len && !(module_len == 9 && !memcmp(module, "[unknown]", 9));
	const char *slash = known ? memrchr(module, '/', module_len) : NULL,
		   *end = module + module_len;
	struct pt_buf b = PT_BUF_INIT;

	if (ends(module, module_len, " (deleted)"))
		end -= 10;
	pt_buf_putc(&b, '[');
	if (known)
		pt_buf_add(&b, slash ? slash + 1 : module,
			   (size_t)(end - (slash ? slash + 1 : module)));
	else
		pt_buf_puts(&b, "unknown");
	if (t->o.addrs && addr_len) {
		pt_buf_puts(&b, " <");
		pt_buf_add(&b, addr, addr_len);
		pt_buf_putc(&b, '>');
	}
	pt_buf_putc(&b, ']');
	push_name(t, b.data, b.len, module, module_len, within);
	pt_buf_deinit(&b);
	t->last_known = known;
}

void pt_foldtext_name(struct pt_foldtext *t, const char *name, size_t len, const char *module,
		      size_t module_len, const char *addr, size_t addr_len)
{
	const char *p, *arrow, *end;

	if (t->o.no_inline && module_len == 7 && !memcmp(module, "inlined", 7))
		return;
	len = without_offset(name, len);
	/* a process's name; stackcollapse-perf.pl also drops (anonymous namespace):: */
	if (len && *name == '(' && t->counts.kind == PT_FOLDTEXT_PERF)
		return;
	t->last_known = true;
	if (t->counts.kind == PT_FOLDTEXT_DEBUGGER) {
		if (len == 9 && !memcmp(name, "[unknown]", 9))
			push_unknown(t, module, module_len, addr, addr_len, false);
		else
			push_name(t, name, len, module, module_len, false);
		return;
	}
	/* a->b->c: c is innermost. A trailing arrow separates nothing. */
	end = name + len;
	while (end - name > 2 && end[-1] == '>' && end[-2] == '-')
		end -= 2;
	arrow = t->o.no_inline ? memmem(name, (size_t)(end - name), "->", 2) : NULL;
	if (arrow) {		/* the first one is the function itself */
		push_name(t, name, (size_t)(arrow - name), module, module_len, false);
		return;
	}
	do {
		for (arrow = NULL, p = end; p - name >= 2 && !arrow; p--)
			if (p[-1] == '>' && p[-2] == '-')
				arrow = p;
		p = arrow ? arrow : name;
		if (end - p == 9 && !memcmp(p, "[unknown]", 9))
			push_unknown(t, module, module_len, addr, addr_len, arrow != NULL);
		else if (end > p || !arrow)
			push_name(t, p, (size_t)(end - p), module, module_len, arrow != NULL);
		end = arrow ? arrow - 2 : name;
	} while (arrow);
}

/* gdb: arguments follow the name, " (this=0x..., n=3) at file.c:12". A name may contain
 * parentheses, and blanks within <>. */
static const char *gdb_name_end(const char *s, const char *end)
{
	const char *p, *first = NULL;
	int depth = 0;

	for (p = s; p < end; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && depth && !(p > s && p[-1] == '-'))
			depth--;
		else if (p + 1 < end && p[0] == ' ' && p[1] == '(') {
			if (!depth)
				return p;
			first = first ? first : p;
		}
	}
	return first ? first : end;
}

static void numbered_frame(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *addr = NULL, *name, *to, *module = "[unknown]", *at = NULL, *dash;
	size_t addr_len = 0, module_len = 9;
	bool gdb = true;

	s = pt_skip_blanks(s, end);
	if (end - s > 2 && s[0] == '0' && s[1] == 'x') {
		addr = s;
		s = pt_skip_word(s, end);
		addr_len = (size_t)(s - addr);
		s = pt_skip_blanks(s, end);
		/* eu-stack -a: a return address */
		if (end - s > 4 && !memcmp(s, "- 1 ", 4))
			s = pt_skip_blanks(s + 4, end);
		gdb = end - s > 3 && !memcmp(s, "in ", 3);
		s += gdb ? 3 : 0;
	}
	name = s;
	if (gdb) {
		to = gdb_name_end(name, end);
		at = memmem(to, (size_t)(end - to), ") at ", 5);
		dash = memmem(to, (size_t)(end - to), ") from ", 7);
		if (dash)
			module = dash + 7, module_len = (size_t)(end - module);
		/* <signal handler called> */
		if (*name == '<' && to == end)
			to = end;
	} else {
		dash = end - name > 2 && !memcmp(name, "- ", 2)
			       ? name - 1
			       : memmem(name, (size_t)(end - name), " - ", 3);
		to = dash ? PT_MAX(dash, name) : end;
		if (dash)
			module = dash + 3, module_len = (size_t)(end - module);
	}
	while (to > name && pt_is_blank(to[-1]))
		to--;
	if (to == name || (to - name == 2 && !memcmp(name, "??", 2)) ||
	    (to - name == 3 && !memcmp(name, "???", 3)))
		pt_foldtext_name(t, "[unknown]", 9, module, module_len, addr ? addr : "", addr_len);
	else
		pt_foldtext_name(t, name, (size_t)(to - name), module, module_len, addr ? addr : "",
				 addr_len);
	if (at)
		pt_foldtext_source_line(t, at + 5, (size_t)(end - at - 5));
}

/* "TID 12:", "Thread 1 (Thread 0x7f... (LWP 12) "name"):" - with --tid the number, else the name if
 * there is one */
static void name_thread(struct pt_foldtext *t, const char *s, size_t len)
{
	const char *quote = memchr(s, '"', len), *last = quote ? memrchr(s, '"', len) : NULL,
		   *p = memmem(s, len, "LWP ", 4), *end = s + len;

	pt_buf_clear(&t->comm);
	if (last > quote)
		pt_buf_add(&t->comm, quote + 1, (size_t)(last - quote - 1));
	if (!t->o.tid)
		return;
	p = p ? p + 4 : s + 4;
	if (t->comm.len)
		pt_buf_putc(&t->comm, '/');
	while (p < end && pt_is_digit(*p))
		pt_buf_putc(&t->comm, *p++);
}

static void clean_comm(struct pt_foldtext *t)
{
	size_t i;

	for (i = 0; i < t->comm.len; i++) {
		unsigned char c = (unsigned char)t->comm.data[i];

		t->comm.data[i] = (char)(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c);
	}
}

static void end_thread(struct pt_foldtext *t)
{
	if (!t->nr)
		pt_buf_clear(&t->comm);
	pt_foldtext_close(t, 1);
	t->number = -1;
}

void pt_foldtext_debugger(struct pt_foldtext *t, const char *s, size_t len)
{
	const char *end = s + len;
	long number;

	if (len > 1 && *s == '#' && pt_is_digit(s[1])) {
		for (s++, number = 0; s < end && pt_is_digit(*s); s++)
			number = number < 1000000 ? number * 10 + (*s - '0') : number;
		if (number <= t->number)
			end_thread(t);
		t->number = number;
		numbered_frame(t, s, end);
	} else if (len > 4 && (!memcmp(s, "TID ", 4) || !memcmp(s, "PID ", 4) ||
			       (len > 7 && !memcmp(s, "Thread ", 7)))) {
		end_thread(t);
		if (*s != 'P')
			name_thread(t, s, len);
		clean_comm(t);
	} else if (len && pt_is_blank(*s)) {
		pt_foldtext_source_line(t, s, len);
	}
}

static void bpftrace_keys(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *to;

	for (; s < end; s = to + 1) {
		const char *from = pt_skip_blanks(s, end), *last;

		for (to = from; to < end && *to != ','; )
			to++;
		for (last = to; last > from && pt_is_blank(last[-1]); )
			last--;
		if (last > from)
			pt_foldtext_push(t, from, (size_t)(last - from), "");
	}
}

/* The start of "]: 12" at the end of a line, and the count; of stats() the total: "]: count 3,
 * average 4, total 12" */
static const char *bpftrace_end(const char *s, size_t len, double *count)
{
	static const char stats[] = "]: count ";
	const char *end = s + len, *p = end, *of = memmem(s, len, stats, sizeof(stats) - 1), *total;

	total = of ? memmem(of, (size_t)(end - of), ", total ", 8) : NULL;
	if (total) {
		*count = strtod(total + 8, NULL);
		return of;
	}

	while (p > s && pt_is_digit(p[-1]))
		p--;
	if (p == end || p - s < 3 || memcmp(p - 3, "]: ", 3))
		return NULL;
	*count = strtod(p, NULL);	/* a newline or NUL follows the line */
	return p - 3;
}

/* "foo+12" */
static size_t without_decimal_offset(const char *s, size_t len)
{
	size_t n = len;

	while (n && pt_is_digit(s[n - 1]))
		n--;
	return n < len && n > 1 && s[n - 1] == '+' ? n - 1 : len;
}

/* "foo+12", "0x7f1e2215", or in perf mode "7f1e2215 foo+12 (/lib/x.so)" */
static void bpftrace_frame(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *p = s, *name, *object = NULL, *to = end;

	while (p < end && pt_is_hex(*p))
		p++;
	name = pt_skip_blanks(p, end);
	if (p - s < 4 || name == p || name == end) {
		pt_foldtext_push(t, s,
				 t->o.addrs ? (size_t)(end - s)
					    : without_decimal_offset(s, (size_t)(end - s)),
				 "");
		return;
	}
	if (end[-1] == ')')
		object = memmem(name, (size_t)(end - name), " (", 2);
	to = object ? object : end;
	to = name + without_decimal_offset(name, (size_t)(to - name));
	pt_foldtext_name(t, name, (size_t)(to - name), object ? object + 2 : "[unknown]",
			 object ? (size_t)(end - 1 - object - 2) : 9, s, (size_t)(p - s));
}

void pt_foldtext_bpftrace(struct pt_foldtext *t, const char *s, size_t len)
{
	double count = 0;
	const char *bracket = len && *s == '@' ? memchr(s, '[', len) : NULL, *end = s + len,
		   *close = bpftrace_end(s, len, &count), *from;

	if (bracket) {
		t->nr = 0;
		pt_buf_clear(&t->text);
		t->open = !close;
		bpftrace_keys(t, bracket + 1, close ? close : end);
		if (close)
			pt_foldtext_close(t, count);
	} else if (t->open && close) {
		from = pt_skip_blanks(s, close);
		bpftrace_keys(t, from, close);
		pt_foldtext_close(t, count);
	} else if (t->open) {
		from = pt_skip_blanks(s, end);
		if (from < end && *from != ',')
			bpftrace_frame(t, from, end);
	}
}

void pt_foldtext_jstack(struct pt_foldtext *t, const char *s, size_t len)
{
	const char *end = s + len, *p = pt_skip_blanks(s, end), *quote;

	if (len && *s == '"') {
		end_thread(t);
		quote = memchr(s + 1, '"', len - 1);
		pt_buf_add(&t->comm, s + 1, (size_t)((quote ? quote : end) - s - 1));
		clean_comm(t);
	} else if (end - p > 3 && !memcmp(p, "at ", 3) && t->comm.len) {
		p += 3;
		pt_foldtext_push(t, p, without_parameters(p, (size_t)(end - p)), "");
	} else if (!len) {
		end_thread(t);
	}
}
