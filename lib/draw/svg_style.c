/* svg_style.c - what the style sheet of a picture says, repeated as attributes of its elements */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "draw/svg.h"

struct rule {
	const char *class;		/* NULL: the root element's */
	size_t class_len;
	const char *body, *end;		/* "fill: #fff; stroke: none;" */
};

struct rules {
	struct rule *v;
	size_t nr, cap;
};

/* Those that matter: others are for the mouse, or cosmetic. */
static const char *const properties[] = {
	"fill", "fill-opacity", "stroke", "stroke-dasharray", "stroke-opacity", "font-family",
	"font-size", "font-weight", "text-anchor",
};
enum { PROPERTIES = PT_NR(properties), NAME_CHARS = 32 };

static size_t name_len(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* Adds the rule for each selector that is .PICTURE or .PICTURE .CLASS. */
static void add_rule(struct rules *r, const char *selectors, const char *body, const char *end)
{
	const char *p, *comma;

	for (p = selectors; p < body; p = comma + 1) {
		struct rule rule = { .body = body + 1, .end = end };

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
		if (p != comma)
			continue;
		PT_GROW(r->v, r->nr, r->cap);
		r->v[r->nr++] = rule;
	}
}

/* Up to what depends on the viewer. A rule is a line. */
static void read_sheet(struct rules *r, const char *sheet)
{
	const char *line, *body, *end;

	for (line = sheet; *line && *line != '@' && *line != '<'; line = end + strcspn(end, "\n"),
	     line += *line == '\n') {
		body = line + strcspn(line, "{");
		end = body + strcspn(body, "}");
		add_rule(r, line, body, end);
	}
}

/* Notes the values of a rule, "NAME: VALUE;", by property. */
static void take_values(const struct rule *r, struct pt_buf values[PROPERTIES])
{
	const char *p, *colon, *end;
	size_t i;

	for (p = r->body; p < r->end; p = end + 1) {
		p += strspn(p, " ");
		colon = p + strcspn(p, ":}");
		end = colon + strcspn(colon, ";}");
		for (i = 0; i < PROPERTIES; i++)
			if (strlen(properties[i]) == (size_t)(colon - p) &&
			    !memcmp(properties[i], p, (size_t)(colon - p))) {
				colon += 1 + strspn(colon + 1, " ");
				pt_buf_clear(&values[i]);
				pt_buf_add(&values[i], colon, (size_t)(end - colon));
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
	struct pt_buf values[PROPERTIES] = { PT_BUF_INIT };
	size_t i;

	for (i = 0; i < r->nr; i++)
		if (applies(&r->v[i], root, classes, len))
			take_values(&r->v[i], values);
	for (i = 0; i < PROPERTIES; i++) {
		char name[NAME_CHARS];
		int n = snprintf(name, sizeof(name), " %s=\"", properties[i]);

		if (values[i].len && !memmem(tag, tag_len, name, (size_t)n))
			pt_svg_printf(b, " %s=\"%s\"", properties[i], pt_buf_str(&values[i]));
		pt_buf_deinit(&values[i]);
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
