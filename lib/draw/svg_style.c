/* svg_style.c - what the style sheet of a picture says, repeated as attributes of its elements */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "draw/svg.h"

/* Those that matter: others are for the mouse, or cosmetic. */
static const char *const attributes[] = {
	" fill=\"", " fill-opacity=\"", " stroke=\"", " stroke-dasharray=\"", " stroke-opacity=\"",
	" font-family=\"", " font-size=\"", " font-weight=\"", " text-anchor=\"",
};
enum { ATTRIBUTES = PT_NR(attributes) };

/* A property of a class. */
struct rule {
	const char *class;		/* NULL: the root element's */
	size_t class_len, attribute;
	const char *value;
	size_t value_len;
};

struct rules {
	struct rule *v;
	size_t nr, cap;
};

static size_t name_len(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* Adds what a body, "{ NAME: VALUE; NAME: VALUE; }", says of a class. */
static void add_rules(struct rules *r, struct rule rule, const char *body)
{
	const char *p, *end;
	size_t n;

	for (p = body; *p && *p != '}'; p = end + (*end == ';')) {
		p += strspn(p, "{ ");
		n = name_len(p);
		end = p + strcspn(p, ";}");
		for (rule.attribute = 0; rule.attribute < ATTRIBUTES; rule.attribute++) {
			if (strncmp(attributes[rule.attribute] + 1, p, n) ||
			    attributes[rule.attribute][n + 1] != '=')
				continue;
			rule.value = p + n + strspn(p + n, ": ");
			rule.value_len = (size_t)(end - rule.value);
			PT_GROW(r->v, r->nr, r->cap);
			r->v[r->nr++] = rule;
		}
	}
}

/* Up to what depends on the viewer. A rule is a line; selectors that are .PICTURE or .PICTURE
 * .CLASS count. */
static void read_sheet(struct rules *r, const char *sheet)
{
	const char *p, *body, *comma;

	for (; *sheet && *sheet != '@' && *sheet != '<'; sheet = body + strcspn(body, "\n"),
	     sheet += *sheet == '\n') {
		body = sheet + strcspn(sheet, "{");
		for (p = sheet; p < body; p = comma + 1) {
			struct rule rule = { .class = NULL };

			comma = p + strcspn(p, ",{");
			p += strspn(p, " .");
			p += name_len(p);
			p += strspn(p, " ");
			if (*p == '.') {
				rule.class = p + 1;
				rule.class_len = name_len(rule.class);
				p += 1 + rule.class_len;
				p += strspn(p, " ");
			}
			if (p == comma)
				add_rules(r, rule, body);
		}
	}
}

static bool applies(const struct rule *r, bool root, const char *classes, size_t len)
{
	const char *p, *end = classes + len;

	if (!r->class)
		return root;
	for (p = classes; p < end; p += name_len(p) + 1)
		if (name_len(p) == r->class_len && !memcmp(p, r->class, r->class_len))
			return true;
	return false;
}

/* The attributes of an element of these classes, apart from those that its tag has. */
static void put_attributes(struct pt_buf *b, const struct rules *r, bool root, const char *classes,
			   size_t len, const char *tag, size_t tag_len)
{
	const struct rule *of[ATTRIBUTES] = { NULL };
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (applies(&r->v[i], root, classes, len))
			of[r->v[i].attribute] = &r->v[i];
	for (i = 0; i < ATTRIBUTES; i++) {
		if (!of[i] || memmem(tag, tag_len, attributes[i], strlen(attributes[i])))
			continue;
		pt_buf_puts(b, attributes[i]);
		pt_text_xml(b, of[i]->value, of[i]->value_len);
		pt_buf_putc(b, '"');
	}
}

void pt_svg_inline_style(struct pt_buf *b)
{
	static const char mark[] = " class=\"", style[] = "<style>\n", style_end[] = "</style>";
	struct pt_buf out = PT_BUF_INIT;
	struct rules r = { NULL, 0, 0 };
	const char *from = pt_buf_str(b), *sheet = strstr(from, style), *tag, *end, *class;
	const char *body = sheet ? strstr(sheet, style_end) : NULL;

	if (!body)
		return;
	read_sheet(&r, sheet + sizeof(style) - 1);
	for (tag = from; (tag = strchr(tag, '<')); tag = end) {
		if (tag == sheet)
			tag = body;
		end = tag + strcspn(tag, ">");
		class = memmem(tag, (size_t)(end - tag), mark, sizeof(mark) - 1);
		if (!class)
			continue;
		class += sizeof(mark) - 1;
		pt_buf_add(&out, from, (size_t)(class - from));
		from = class + strcspn(class, "\"");
		pt_buf_add(&out, class, (size_t)(from - class));
		pt_buf_putc(&out, '"');
		put_attributes(&out, &r, !strncmp(tag, "<svg", 4), class, (size_t)(from - class),
			       tag, (size_t)(end - tag));
		from++;
	}
	pt_buf_puts(&out, from);
	pt_buf_deinit(b);
	*b = out;
	free(r.v);
}
