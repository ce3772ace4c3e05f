#include "draw/svg.h"

#include <stdarg.h>

#include "base/text.h"
#include "draw/axis.h"
#include "chart-colours.css.h"
#include "chart.css.h"
#include "svg.js.h"

const struct pt_word pt_theme_words[] = {
	PT_WORD("auto", PT_THEME_AUTO), PT_WORD("light", PT_THEME_LIGHT),
	PT_WORD("dark", PT_THEME_DARK), { 0 }
};

static void fixed(struct pt_buf *b, double v, uint64_t scale)
{
	int64_t whole = (int64_t)(v * (double)scale + (v < 0 ? -0.5 : 0.5));
	uint64_t n = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;

	if (whole < 0)
		pt_buf_putc(b, '-');
	pt_axis_decimals(b, n, scale);
}

void pt_svg_num(struct pt_buf *b, double v) { fixed(b, v, 100); }

void pt_svg_step(struct pt_buf *b, int64_t v, bool first)
{
	if (v >= 0 && !first)
		pt_buf_putc(b, ' ');
	pt_buf_dec_signed(b, v);
}

void pt_svg_printf(struct pt_buf *b, const char *markup, ...)
{
	va_list args;
	const char *s;

	va_start(args, markup);
	for (; *markup; markup++) {
		size_t plain = strcspn(markup, "%");

		pt_buf_add(b, markup, plain);
		markup += plain;
		if (!*markup++)
			break;
		switch (*markup) {
		case 'f': fixed(b, va_arg(args, double), 100); break;
		case 'F': fixed(b, va_arg(args, double), 1000000); break;
		case 'u': pt_buf_dec(b, va_arg(args, unsigned)); break;
		case 'l': pt_buf_dec(b, va_arg(args, unsigned long)); markup++; break;
		default:
			s = va_arg(args, const char *);
			pt_text_xml(b, s, strlen(s));
		}
	}
	va_end(args);
}

void pt_svg_open(struct pt_buf *b, const char *class, double width, double height,
		 const char *title, const char *desc)
{
	pt_svg_printf(b,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%f\" "
		      "height=\"%f\" viewBox=\"0 0 %f %f\" role=\"img\">\n"
		      "<title>%s</title>\n<desc>%s</desc>\n",
		      class, width, height, width, height, title, desc);
}

void pt_svg_text(struct pt_buf *b, const char *class, double x, double y, const char *text)
{
	pt_buf_puts(b, "<text");
	if (class)
		pt_svg_printf(b, " class=\"%s\"", class);
	pt_svg_printf(b, " x=\"%f\" y=\"%f\">%s</text>\n", x, y, text);
}

void pt_svg_take_text(struct pt_buf *b, const char *class, double x, double y,
		      struct pt_buf *text)
{
	pt_svg_text(b, class, x, y, pt_buf_str(text));
	pt_buf_clear(text);
}

void pt_svg_rect(struct pt_buf *b, const char *class, double x, double y, double width,
		 double height)
{
	pt_svg_printf(b, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>\n",
		      class, x, y, width, height);
}

void pt_svg_path(struct pt_buf *b, const char *class, const struct pt_buf *data)
{
	if (!data->len)
		return;
	pt_svg_printf(b, "<path class=\"%s\" d=\"", class);
	pt_buf_join(b, data);
	pt_buf_puts(b, "\"/>\n");
}

/* Adds a sheet with the first of each two colours, or with the second. */
static void add_colours(struct pt_buf *b, const char *sheet, bool dark)
{
	const char *first, *second, *end;

	for (; (first = strchr(sheet, '#')); sheet = end) {
		second = strchr(first, '/') + 1;
		end = second + strspn(second, "#0123456789abcdef");
		pt_buf_add(b, sheet, (size_t)(first - sheet));
		if (dark)
			pt_buf_add(b, second, (size_t)(end - second));
		else
			pt_buf_add(b, first, (size_t)(second - 1 - first));
	}
	pt_buf_puts(b, sheet);
}

void pt_svg_style(struct pt_buf *b, enum pt_theme theme, const char *common, const char *colours)
{
	pt_buf_puts(b, "<style>\n");
	pt_buf_puts(b, common);
	if (theme != PT_THEME_DARK)
		add_colours(b, colours, false);
	if (theme == PT_THEME_AUTO)
		pt_buf_puts(b, "@media (prefers-color-scheme: dark) {\n");
	if (theme != PT_THEME_LIGHT)
		add_colours(b, colours, true);
	pt_buf_puts(b, theme == PT_THEME_AUTO ? "}\n</style>\n" : "</style>\n");
}

void pt_svg_chart_style(struct pt_buf *b, enum pt_theme theme, const char *css,
			const struct pt_svg_colours *c)
{
	struct pt_buf common = PT_BUF_INIT, colours = PT_BUF_INIT;

	pt_buf_printf(&common, "%s%s", chart_css, css);
	pt_buf_puts(&colours, chart_colours_css);
	for (unsigned i = 0; i < c->nr; i++)
		pt_buf_printf(&colours, "%s%u{%s:#%06x/#%06x}\n", c->selector, i, c->property,
			      c->light[i], c->dark[i]);
	pt_svg_style(b, theme, common.data, colours.data);
	pt_buf_deinit(&common);
	pt_buf_deinit(&colours);
}

void pt_svg_close(struct pt_buf *b, const char *script)
{
	pt_svg_inline_style(b);
	pt_buf_puts(b, "<script><![CDATA[\n(function () {\n");
	pt_buf_puts(b, svg_js);
	pt_buf_puts(b, script);
	pt_buf_puts(b, "})();\n]]></script>\n</svg>\n");
}
