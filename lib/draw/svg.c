#include "draw/svg.h"

#include "base/text.h"
#include "svg.js.h"

const struct pt_word pt_theme_words[] = {
	PT_WORD("auto", PT_THEME_AUTO), PT_WORD("light", PT_THEME_LIGHT), PT_WORD("dark", PT_THEME_DARK), { 0 }
};

static void fixed(struct pt_buf *b, double v, uint64_t scale)
{
	int64_t whole = (int64_t)(v * (double)scale + (v < 0 ? -0.5 : 0.5));
	uint64_t n = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;

	if (whole < 0)
		pt_buf_putc(b, '-');
	pt_buf_dec(b, n / scale);
	n %= scale;
	if (n)
		pt_buf_putc(b, '.');
	for (scale /= 10; n; n %= scale, scale /= 10)
		pt_buf_putc(b, (char)('0' + n / scale));
}

void pt_svg_num(struct pt_buf *b, double v) { fixed(b, v, 100); }
void pt_svg_fine(struct pt_buf *b, double v) { fixed(b, v, 1000000); }

void pt_svg_open(struct pt_buf *b, const char *class, double width, double height,
		 const char *title, const char *desc)
{
	pt_buf_puts(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"");
	pt_buf_puts(b, class);
	pt_buf_puts(b, "\" width=\"");
	pt_svg_num(b, width);
	pt_buf_puts(b, "\" height=\"");
	pt_svg_num(b, height);
	pt_buf_puts(b, "\" viewBox=\"0 0 ");
	pt_svg_num(b, width);
	pt_buf_putc(b, ' ');
	pt_svg_num(b, height);
	pt_buf_puts(b, "\" role=\"img\">\n<title>");
	pt_text_xml(b, title, strlen(title));
	pt_buf_puts(b, "</title>\n<desc>");
	pt_text_xml(b, desc, strlen(desc));
	pt_buf_puts(b, "</desc>\n");
}

void pt_svg_text(struct pt_buf *b, const char *class, double x, double y, const char *text,
		 size_t len)
{
	pt_buf_puts(b, "<text");
	if (class) {
		pt_buf_puts(b, " class=\"");
		pt_buf_puts(b, class);
		pt_buf_putc(b, '"');
	}
	pt_buf_puts(b, " x=\"");
	pt_svg_num(b, x);
	pt_buf_puts(b, "\" y=\"");
	pt_svg_num(b, y);
	pt_buf_puts(b, "\">");
	pt_text_xml(b, text, len);
	pt_buf_puts(b, "</text>\n");
}

void pt_svg_take_text(struct pt_buf *b, const char *class, double x, double y,
		      struct pt_buf *text)
{
	pt_svg_text(b, class, x, y, pt_buf_str(text), text->len);
	pt_buf_clear(text);
}

void pt_svg_data(struct pt_buf *b, const char *name, const char *text)
{
	pt_buf_printf(b, " data-%s=\"", name);
	pt_text_xml(b, text, strlen(text));
	pt_buf_putc(b, '"');
}

void pt_svg_style(struct pt_buf *b, enum pt_theme theme, const char *common, const char *light,
		  const char *dark)
{
	pt_buf_puts(b, "<style>\n");
	pt_buf_puts(b, common);
	if (theme != PT_THEME_DARK)
		pt_buf_puts(b, light);
	if (theme == PT_THEME_AUTO)
		pt_buf_puts(b, "@media (prefers-color-scheme: dark) {\n");
	if (theme != PT_THEME_LIGHT)
		pt_buf_puts(b, dark);
	if (theme == PT_THEME_AUTO)
		pt_buf_puts(b, "}\n");
	pt_buf_puts(b, "</style>\n");
}

void pt_svg_script(struct pt_buf *b, const char *script)
{
	pt_buf_puts(b, "<script><![CDATA[\n(function () {\n");
	pt_buf_puts(b, svg_js);
	pt_buf_puts(b, script);
	pt_buf_puts(b, "})();\n]]></script>\n");
}

void pt_svg_close(struct pt_buf *b) { pt_buf_puts(b, "</svg>\n"); }
