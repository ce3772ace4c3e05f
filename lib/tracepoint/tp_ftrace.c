#include "tracepoint/tp_tree_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* Events of ftrace itself, whose print formats say too little: text that trace_printk() left for
 * later, stacks of any depth, calls of functions as a tree. They print as trace-cmd prints them. */

static uint64_t number_of(const struct pt_tp *tp, const char *name, const struct pt_tp_rec *r)
{
	const struct pt_tp_field *f = pt_tp_field(tp, name);
	uint64_t v = 0;

	if (f)
		pt_tp_value(f, r->raw, r->len, r->swap, &v);
	return v;
}

static void tp_ftrace_add_function(uint64_t addr, const struct pt_tp_rec *r, struct pt_buf *out)
{
	struct pt_ksym sym;

	if (pt_tp_symbol_at(r->db, addr, &sym))
		pt_buf_puts(out, sym.name);
	else
		pt_buf_hex(out, addr);
}

/* Arguments as the kernel's vbin_printf() packs them: one after the other, each aligned to its
 * size, but no more than 4. */
struct packed {
	const uint8_t *start, *at, *end;
	const struct pt_tp_rec *r;
};

static uint64_t tp_ftrace_take_number(struct packed *a, size_t size, bool is_signed)
{
	size_t align = PT_MIN(size, (size_t)4);

	a->at += (align - (size_t)(a->at - a->start) % align) % align;
	if (a->at > a->end || size > (size_t)(a->end - a->at)) {
		a->at = a->end;
		return 0;
	}
	a->at += size;
	return pt_load_number(a->at - size, size, is_signed, a->r->swap);
}

static void tp_ftrace_take_text(struct packed *a, int prec, struct pt_buf *out)
{
	size_t left = a->at < a->end ? (size_t)(a->end - a->at) : 0;
	size_t len = strnlen((const char *)a->at, left);

	pt_buf_add(out, a->at, prec >= 0 ? PT_MIN(len, (size_t)prec) : len);
	a->at += PT_MIN(len + 1, left);
}

/* The number behind a '%' or a '.': digits, or an argument. */
static int take_width(struct packed *a, const char **at)
{
	int v = 0;

	if (**at == '*') {
		(*at)++;
		v = (int)tp_ftrace_take_number(a, 4, true);
	} else {
		for (; isdigit((unsigned char)**at); (*at)++)
			v = PT_MIN(v * 10 + (**at - '0'), (int)PT_TP_MAX_WIDTH);
	}
	return pt_tp_width(v);
}

/* Letters that the kernel looks up when it prints; the others it packs as text. */
static void add_pointer(struct packed *a, const char **at, struct pt_buf *out)
{
	struct pt_tp_spec spec = { .ext = { **at } };
	struct pt_tp_node node = { .kind = PT_TP_NUM };
	bool packed_as_text = isalnum((unsigned char)**at) && !strchr("sSfFxKe", **at);

	while (isalnum((unsigned char)**at))
		(*at)++;
	if (packed_as_text) {
		tp_ftrace_take_text(a, -1, out);
		return;
	}
	node.value = tp_ftrace_take_number(a, a->r->long_bytes, false);
	pt_tp_text_pointer(&spec, &node, 0, a->r, out);
}

/* One directive, from behind its '%'. Returns what follows it. */
static const char *add_directive(struct packed *a, const char *at, struct pt_buf *out)
{
	size_t nr_flags = strspn(at, "-+ #0"), size, from = out->len;
	const char *flags = at;
	int width, prec = -1;
	char fmt[24], conv;

	at += nr_flags;
	width = take_width(a, &at);
	if (*at == '.') {
		at++;
		prec = take_width(a, &at);
	}
	size = pt_tp_parse_length(&at, a->r->long_bytes) / 8u;
	conv = *at;
	at += conv != '\0';
	if (conv == '%')
		pt_buf_putc(out, '%');
	else if (conv == 'c')
		pt_buf_putc(out, (char)tp_ftrace_take_number(a, 1, false));
	else if (conv == 's')
		tp_ftrace_take_text(a, prec, out);
	else if (conv == 'p')
		add_pointer(a, &at, out);
	else if (conv && strchr("diuxXo", conv)) {
		snprintf(fmt, sizeof(fmt), "%%%.*s*.*ll%c", (int)PT_MIN(nr_flags, (size_t)5), flags,
			 conv);
		pt_buf_printf(out, fmt, width, prec,
			      tp_ftrace_take_number(a, size, conv == 'd' || conv == 'i'));
	}
	if (width < 0 || memchr(flags, '-', nr_flags))
		pt_buf_pad_right(out, from, (size_t)abs(width));
	else
		pt_buf_pad_left(out, from, (size_t)width);
	return at;
}

/* "FUNCTION: text" */
static void print_bprint(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out)
{
	uint64_t fmt = number_of(tp, "fmt", r), *text = pt_map_get(&r->db->printk, fmt);
	const struct pt_tp_field *buf = pt_tp_field(tp, "buf");
	size_t off = buf ? PT_MIN(buf->off, r->len) : r->len, limit = out->len + PT_TP_MAX_OUT;
	struct packed a = { r->raw + off, r->raw + off, r->raw + r->len, r };
	const char *at = text ? pt_pointer(*text) : "";

	tp_ftrace_add_function(number_of(tp, "ip", r), r, out);
	pt_buf_puts(out, ": ");
	if (!text)
		pt_buf_printf(out, "(no format at 0x%llx)", (unsigned long long)fmt);
	while (*at && out->len < limit) {
		size_t plain = strcspn(at, "%");

		pt_buf_add(out, at, plain);
		at += plain;
		if (*at)
			at = add_directive(&a, at + 1, out);
	}
}

/* A line a caller. */
static void tp_ftrace_print_stack(const struct pt_tp *tp, const struct pt_tp_rec *r,
				  struct pt_buf *out)
{
	const struct pt_tp_field *f = pt_tp_field(tp, "caller"), *size = pt_tp_field(tp, "size");
	uint64_t nr = size ? number_of(tp, "size", r) : UINT64_MAX, end = UINT64_MAX;
	size_t each = r->long_bytes;

	pt_buf_puts(out, "<stack trace >");
	if (each == 4)
		end = UINT32_MAX;
	for (size_t at = f ? f->off : r->len; nr-- && at + each <= r->len; at += each) {
		uint64_t addr = pt_load_number(r->raw + at, each, false, r->swap);
		struct pt_ksym sym;

		if (addr == end || (!size && !addr))
			break;
		pt_buf_puts(out, "\n=> ");
		if (!pt_tp_symbol_at(r->db, addr, &sym))
			pt_buf_hex(out, addr);
		else
			pt_buf_printf(out, "%s (%llx)", sym.name, (unsigned long long)addr);
	}
}

enum { INDENT = 2, MAX_INDENT = 200, DURATION_DIGITS = 7 };

static void add_indent(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out)
{
	uint64_t depth = number_of(tp, "depth", r);

	pt_buf_puts(out, "|  ");
	pt_buf_pad_right(out, out->len, INDENT * PT_MIN(depth, MAX_INDENT / INDENT));
}

/* "! 123.456 us |  ": the sign tells the order of magnitude. As trace-cmd prints it; the kernel
 * leaves decimals out from 10 ms on. */
static void add_duration(const struct pt_tp *leave, const struct pt_tp_rec *r, struct pt_buf *out)
{
	uint64_t ns = number_of(leave, "rettime", r) - number_of(leave, "calltime", r);
	size_t from;

	pt_buf_puts(out, ns > 1000000000 ? "$ " : ns > 1000000 ? "# " : ns > 100000 ? "! "
			 : ns > 10000 ? "+ " : "  ");
	from = out->len;
	pt_buf_dec(out, ns / 1000);
	if (out->len - from < DURATION_DIGITS) {
		pt_buf_putc(out, '.');
		pt_buf_dec_zero(out, ns % 1000, 3);
	}
	pt_buf_puts(out, " us ");
	pt_buf_pad_right(out, from, DURATION_DIGITS + 4);
}

static void print_entry(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out)
{
	pt_buf_puts(out, "             ");
	add_indent(tp, r, out);
	tp_ftrace_add_function(number_of(tp, "func", r), r, out);
	pt_buf_puts(out, "() {");
}

static void print_exit(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out)
{
	add_duration(tp, r, out);
	add_indent(tp, r, out);
	pt_buf_putc(out, '}');
}

bool pt_tp_is_call(const struct pt_tp *tp)
{
	return ((const struct pt_tp_entry *)tp)->is_ftrace && !strcmp(tp->name, "funcgraph_entry");
}

bool pt_tp_is_leaf(const struct pt_tp_call *call, const struct pt_tp_call *back)
{
	struct pt_tp_rec to = pt_tp_rec_of(call->tp, call->raw, call->len),
			 from = pt_tp_rec_of(back->tp, back->raw, back->len);

	return ((const struct pt_tp_entry *)back->tp)->is_ftrace &&
	       !strcmp(back->tp->name, "funcgraph_exit") &&
	       number_of(call->tp, "common_pid", &to) == number_of(back->tp, "common_pid", &from) &&
	       number_of(call->tp, "func", &to) == number_of(back->tp, "func", &from);
}

void pt_tp_print_leaf(const struct pt_tp_call *call, const struct pt_tp_call *back,
		      struct pt_buf *out)
{
	struct pt_tp_rec to = pt_tp_rec_of(call->tp, call->raw, call->len),
			 from = pt_tp_rec_of(back->tp, back->raw, back->len);

	add_duration(back->tp, &from, out);
	add_indent(call->tp, &to, out);
	tp_ftrace_add_function(number_of(call->tp, "func", &to), &to, out);
	pt_buf_puts(out, "();");
}

bool pt_tp_ftrace_print(const struct pt_tp *tp, const struct pt_tp_rec *r, struct pt_buf *out)
{
	static const struct {
		const char *name;
		void (*print)(const struct pt_tp *tp, const struct pt_tp_rec *r,
			      struct pt_buf *out);
	} events[] = {
		{ "bprint", print_bprint }, { "kernel_stack", tp_ftrace_print_stack },
		{ "user_stack", tp_ftrace_print_stack }, { "funcgraph_entry", print_entry },
		{ "funcgraph_exit", print_exit },
	};

	for (size_t i = 0; i < PT_NR(events); i++)
		if (!strcmp(tp->name, events[i].name)) {
			events[i].print(tp, r, out);
			return true;
		}
	return false;
}
