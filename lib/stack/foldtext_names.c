/* foldtext_names.c - names of frames as the tools print them, and the simpler formats: debuggers,
 * bpftrace, jstack */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/foldtext_priv.h"

static const char anonymous[] = "(anonymous namespace)", unknown[] = "[unknown]";

/* "foo+0x1a": without the offset */
static struct pt_piece without_offset(struct pt_piece name)
{
	size_t n = name.len;

	while (n && pt_is_hex(name.s[n - 1]))
		n--;
	if (n < name.len && pt_piece_ends((struct pt_piece){ name.s, n }, "+0x"))
		name.len = n - 3;
	return name;
}

/* net/http.(*Client).Do */
static bool is_go_method(struct pt_piece name)
{
	const char *p = pt_piece_find(name, ".(");

	return p && pt_piece_find(pt_piece(p + 2, name.s + name.len), ").");
}

/* The length without parameters, which begin at a parenthesis that opens no anonymous namespace. A
 * method of Go stays whole. */
static size_t without_parameters(struct pt_piece name)
{
	const char *p, *end = name.s + name.len;

	if (is_go_method(name))
		return name.len;
	for (p = name.s; (p = memchr(p, '(', (size_t)(end - p))); p++)
		if (!pt_piece_begins(pt_piece(p, end), anonymous))
			return (size_t)(p - name.s);
	return name.len;
}

/* The length of C++'s "operator" at s with the signs behind it; 0: no such word. */
static size_t operator_len(const char *s, const char *end)
{
	const char *p = s + strlen("operator");

	if (end <= p || !pt_piece_begins(pt_piece(s, end), "operator"))
		return 0;
	if (pt_piece_begins(pt_piece(p, end), "()") || pt_piece_begins(pt_piece(p, end), "[]"))
		return (size_t)(p + 2 - s);
	while (p < end && memchr("<>=-*&|^!+/%~,", *p, 14))
		p++;
	return (size_t)(p - s);
}

/* The parenthesis that closes the one at s; NULL: none. */
static const char *closing(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		depth += (*s == '(') - (*s == ')');
		if (!depth)
			return s;
	}
	return NULL;
}

/* The same for C++ names from debuggers, "std::function<int (int)>::operator()(int) const". */
static size_t without_argument_types(struct pt_piece name)
{
	const char *p, *s = name.s, *end = s + name.len, *close;
	int depth = 0;

	if (is_go_method(name))
		return name.len;
	for (p = s; p < end; p++) {
		bool inside = p > s && (p[-1] == '_' || isalnum((unsigned char)p[-1]));
		size_t n = *p == 'o' && !inside ? operator_len(p, end) : 0;

		if (*p == '(' && pt_piece_begins(pt_piece(p, end), anonymous))
			n = strlen(anonymous);
		if (n)
			p += n - 1;
		else if (*p == '(' && !depth && p > s) {
			/* f(int)::{lambda()#1}: of the function that something is within */
			close = closing(p, end);
			if (!close || !pt_piece_begins(pt_piece(close + 1, end), "::"))
				return (size_t)(p - s);
			p = close;
		} else if (*p == '<' || *p == '{' || *p == '(')
			depth++;
		else if (depth && (*p == '}' || *p == ')' || (*p == '>' && p[-1] != '-')))
			depth--;
	}
	return depth ? without_parameters(name) : name.len;
}

static const char *mark_of(const struct pt_foldtext *t, struct pt_piece name,
			   struct pt_piece module, bool within)
{
	const char *map = t->o.jit ? pt_piece_find(module, "/tmp/perf-") : NULL;

	if (within)
		return pt_piece_ends(name, "_[i]") ? "" : "_[i]";
	if (t->o.inlined && pt_piece_is(module, "inlined"))
		return "_[i]";
	if (t->o.kernel && (pt_piece_begins(module, "[") || pt_piece_ends(module, "vmlinux")) &&
	    !pt_piece_find(module, "unknown"))
		return "_[k]";
	return map && pt_piece_ends(module, ".map") && !pt_piece_ends(name, "_[j]") ? "_[j]" : "";
}

/* Pushes one tidied name. `within`: inlined into the one that is pushed next. */
static void push_name(struct pt_foldtext *t, struct pt_piece name, struct pt_piece module,
		      bool within)
{
	bool debugger = t->counts.kind == PT_FOLDTEXT_DEBUGGER;
	size_t at, i, n;

	name.len = debugger ? without_argument_types(name) : without_parameters(name);
	if (debugger)
		name = pt_piece(name.s, pt_before_blanks(name.s, name.s + name.len));
	if (t->java && name.len && *name.s == 'L' && memchr(name.s, '/', name.len))
		name = pt_piece(name.s + 1, name.s + name.len);
	pt_foldtext_push(t, name);
	if (!t->nr)
		return;
	at = t->frames[t->nr - 1].off;
	for (i = n = at; i < t->text.len; i++)
		if (t->text.data[i] != '"' && t->text.data[i] != '\'')
			t->text.data[n++] = t->text.data[i];
	t->text.len = n;
	pt_buf_puts(&t->text, mark_of(t, name, module, within));
	t->frames[t->nr - 1].len = t->text.len - at;
}

/* "[libfoo.so]" or "[unknown]", with the address if wanted */
static void push_unknown(struct pt_foldtext *t, const struct pt_frame_text *x, bool within)
{
	bool known = x->module.len && !pt_piece_is(x->module, unknown);
	const char *slash = known ? memrchr(x->module.s, '/', x->module.len) : NULL;
	struct pt_piece shown = known ? x->module : pt_piece_of("unknown");
	struct pt_buf b = PT_BUF_INIT;

	if (pt_piece_ends(shown, " (deleted)"))
		shown.len -= strlen(" (deleted)");
	if (slash)
		shown = pt_piece(slash + 1, shown.s + shown.len);
	pt_buf_putc(&b, '[');
	pt_buf_add(&b, shown.s, shown.len);
	if (t->o.addrs && x->addr.len) {
		pt_buf_puts(&b, " <");
		pt_buf_add(&b, x->addr.s, x->addr.len);
		pt_buf_putc(&b, '>');
	}
	pt_buf_putc(&b, ']');
	push_name(t, (struct pt_piece){ b.data, b.len }, x->module, within);
	pt_buf_deinit(&b);
	t->last_known = known;
}

static void foldtext_names_push(struct pt_foldtext *t, struct pt_piece name,
				const struct pt_frame_text *x, bool within)
{
	if (pt_piece_is(name, unknown))
		push_unknown(t, x, within);
	else
		push_name(t, name, x->module, within);
}

void pt_foldtext_name(struct pt_foldtext *t, struct pt_frame_text x)
{
	const char *p, *arrow, *end, *from;

	if (t->o.no_inline && pt_piece_is(x.module, "inlined"))
		return;
	x.name = without_offset(x.name);
	/* a process's name */
	if (pt_piece_begins(x.name, "(") && !pt_piece_begins(x.name, anonymous) &&
	    t->counts.kind == PT_FOLDTEXT_PERF)
		return;
	t->last_known = true;
	if (t->counts.kind == PT_FOLDTEXT_DEBUGGER) {
		foldtext_names_push(t, x.name, &x, false);
		return;
	}
	/* a->b->c: c is innermost. A trailing arrow separates nothing. */
	while (x.name.len > 2 && pt_piece_ends(x.name, "->"))
		x.name.len -= 2;
	from = x.name.s;
	end = from + x.name.len;
	arrow = t->o.no_inline ? pt_piece_find(x.name, "->") : NULL;
	if (arrow) {		/* the first one is the function itself */
		push_name(t, pt_piece(from, arrow), x.module, false);
		return;
	}
	do {
		for (arrow = NULL, p = end; p - from >= 2 && !arrow; p--)
			if (p[-1] == '>' && p[-2] == '-')
				arrow = p;
		p = arrow ? arrow : from;
		if (end > p || !arrow)
			foldtext_names_push(t, pt_piece(p, end), &x, arrow != NULL);
		end = arrow ? arrow - 2 : from;
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
	struct pt_frame_text x = { .module = pt_piece_of(unknown), .addr = pt_piece_of("") };
	const char *to, *at = NULL, *dash;
	bool gdb = true;

	s = pt_skip_blanks(s, end);
	if (pt_piece_begins(pt_piece(s, end), "0x")) {
		x.addr = pt_piece(s, pt_skip_word(s, end));
		s = pt_skip_blanks(s + x.addr.len, end);
		/* eu-stack -a: a return address */
		if (pt_piece_begins(pt_piece(s, end), "- 1 "))
			s = pt_skip_blanks(s + 4, end);
		gdb = pt_piece_begins(pt_piece(s, end), "in ");
		s += gdb ? 3 : 0;
	}
	if (gdb) {
		to = gdb_name_end(s, end);
		at = pt_piece_find(pt_piece(to, end), ") at ");
		dash = pt_piece_find(pt_piece(to, end), ") from ");
		if (dash)
			x.module = pt_piece(dash + 7, end);
	} else {
		dash = pt_piece_begins(pt_piece(s, end), "- ")
			       ? s - 1
			       : pt_piece_find(pt_piece(s, end), " - ");
		to = dash ? PT_MAX(dash, s) : end;
		if (dash)
			x.module = pt_piece(dash + 3, end);
	}
	x.name = pt_piece(s, pt_before_blanks(s, to));
	if (!x.name.len || pt_piece_is(x.name, "??") || pt_piece_is(x.name, "???"))
		x.name = pt_piece_of(unknown);
	pt_foldtext_name(t, x);
	if (at)
		pt_foldtext_source_line(t, at + 5, end);
}

/* "TID 12:", "Thread 1 (Thread 0x7f... (LWP 12) "name"):" - with --tid the number, else the name if
 * there is one */
static void name_thread(struct pt_foldtext *t, struct pt_piece line)
{
	const char *quote = memchr(line.s, '"', line.len),
		   *last = quote ? memrchr(line.s, '"', line.len) : NULL,
		   *p = pt_piece_find(line, "LWP ");

	pt_buf_clear(&t->comm);
	if (last > quote)
		pt_foldtext_comm(t, pt_piece(quote + 1, last));
	if (!t->o.tid)
		return;
	p = p ? p + 4 : line.s + 4;
	if (t->comm.len)
		pt_buf_putc(&t->comm, '/');
	pt_foldtext_comm(t, pt_piece(p, pt_skip_digits(p)));
}

static void end_thread(struct pt_foldtext *t)
{
	if (!t->nr)
		pt_buf_clear(&t->comm);
	pt_foldtext_close(t, 1);
	t->number = -1;
}

void pt_foldtext_debugger(struct pt_foldtext *t, const char *s, const char *end)
{
	struct pt_piece line = pt_piece(s, end);
	long number;

	if (line.len > 1 && *s == '#' && pt_is_digit(s[1])) {
		number = strtol(s + 1, NULL, 10);
		if (number <= t->number)
			end_thread(t);
		t->number = number;
		numbered_frame(t, pt_skip_digits(s + 1), end);
	} else if (line.len > 4 &&
		   (pt_piece_begins(line, "TID ") || pt_piece_begins(line, "PID ") ||
		    pt_piece_begins(line, "Thread "))) {
		end_thread(t);
		if (*s != 'P')
			name_thread(t, line);
	} else if (line.len && pt_is_blank(*s)) {
		pt_foldtext_source_line(t, s, end);
	}
}

static void bpftrace_keys(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *to, *from, *last;

	for (; s < end; s = to + 1) {
		to = memchr(s, ',', (size_t)(end - s));
		to = to ? to : end;
		from = pt_skip_blanks(s, end);
		last = pt_before_blanks(from, PT_MAX(to, from));
		if (last > from)
			pt_foldtext_push(t, pt_piece(from, last));
	}
}

/* The start of "]: 12" at the end of a line, and the count; of stats() the total: "]: count 3,
 * average 4, total 12" */
static const char *bpftrace_end(const char *s, const char *end, double *count)
{
	const char *p = end, *of = pt_piece_find(pt_piece(s, end), "]: count "),
		   *total = of ? pt_piece_find(pt_piece(of, end), ", total ") : NULL;

	if (total) {
		*count = strtod(total + 8, NULL);
		return of;
	}
	while (p > s && pt_is_digit(p[-1]))
		p--;
	if (p == end || !pt_piece_ends(pt_piece(s, p), "]: "))
		return NULL;
	*count = strtod(p, NULL);
	return p - 3;
}

/* "foo+12" */
static struct pt_piece without_decimal_offset(const char *s, const char *end)
{
	const char *p = end;

	while (p > s && pt_is_digit(p[-1]))
		p--;
	return pt_piece(s, p < end && p - s > 1 && p[-1] == '+' ? p - 1 : end);
}

/* "foo+12", "0x7f1e2215", or in perf mode "7f1e2215 foo+12 (/lib/x.so)" */
static void bpftrace_frame(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *p = pt_skip_hex(s), *name = pt_skip_blanks(p, end), *object;

	if (p - s < 4 || name == p || name == end) {
		pt_foldtext_push(t, t->o.addrs ? pt_piece(s, end) : without_decimal_offset(s, end));
		return;
	}
	object = end[-1] == ')' ? pt_piece_find(pt_piece(name, end), " (") : NULL;
	pt_foldtext_name(t, (struct pt_frame_text){
				    without_decimal_offset(name, object ? object : end),
				    object ? pt_piece(object + 2, end - 1) : pt_piece_of(unknown),
				    pt_piece(s, p) });
}

void pt_foldtext_bpftrace(struct pt_foldtext *t, const char *s, const char *end)
{
	double count = 0;
	const char *bracket = *s == '@' ? memchr(s, '[', (size_t)(end - s)) : NULL,
		   *close = bpftrace_end(s, end, &count), *from = pt_skip_blanks(s, end);

	if (bracket) {
		t->nr = 0;
		pt_buf_clear(&t->text);
		t->open = !close;
		bpftrace_keys(t, bracket + 1, close ? close : end);
	} else if (t->open && close) {
		bpftrace_keys(t, PT_MIN(from, close), close);
	} else if (t->open && from < end && *from != ',') {
		bpftrace_frame(t, from, end);
	}
	if (close && (bracket || t->open))
		pt_foldtext_close(t, count);
}

void pt_foldtext_jstack(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *p = pt_skip_blanks(s, end), *quote;
	struct pt_piece call = pt_piece(p + 3, PT_MAX(end, p + 3));

	if (s == end) {
		end_thread(t);
	} else if (*s == '"') {
		end_thread(t);
		quote = memchr(s + 1, '"', (size_t)(end - s - 1));
		pt_foldtext_comm(t, pt_piece(s + 1, quote ? quote : end));
	} else if (call.len && pt_piece_begins(pt_piece(p, end), "at ") && t->comm.len) {
		call.len = without_parameters(call);
		pt_foldtext_push(t, call);
	}
}
