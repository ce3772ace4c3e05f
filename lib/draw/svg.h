/* svg.h - pieces of SVG that all pictures have. All append to a buffer and escape text. */
#ifndef PT_DRAW_SVG_H
#define PT_DRAW_SVG_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/words.h"

enum pt_theme { PT_THEME_AUTO, PT_THEME_LIGHT, PT_THEME_DARK };
extern const struct pt_word pt_theme_words[];	/* auto, light, dark */

/* At most two decimals, no trailing zeros. */
void pt_svg_num(struct pt_buf *b, double v);
/* A step of path data; one without sign is set off by a space. */
void pt_svg_step(struct pt_buf *b, int64_t v, bool first);
/* Markup with values: %s text, escaped; %f as by pt_svg_num(); %F with six decimals (scale
 * factors); %u unsigned; %lu unsigned long. */
void pt_svg_printf(struct pt_buf *b, const char *markup, ...)
	__attribute__((format(printf, 2, 3)));
/* <svg ...><title><desc> of a class, in pixels, scaling with its container. */
void pt_svg_open(struct pt_buf *b, const char *class, double width, double height,
		 const char *title, const char *desc);
void pt_svg_text(struct pt_buf *b, const char *class, double x, double y, const char *text);
/* The same; empties the buffer. */
void pt_svg_take_text(struct pt_buf *b, const char *class, double x, double y,
		      struct pt_buf *text);
void pt_svg_rect(struct pt_buf *b, const char *class, double x, double y, double width,
		 double height);
/* A path; nothing if it has no data. */
void pt_svg_path(struct pt_buf *b, const char *class, const struct pt_buf *data);
/* A style sheet. Each colour of `colours` is two: on light ground/on dark ground. */
void pt_svg_style(struct pt_buf *b, enum pt_theme theme, const char *common, const char *colours);
/* The style of charts (chart.css), the picture's own, and a colour, 0xRRGGBB, for each of
 * SELECTOR0, SELECTOR1, ... */
struct pt_svg_colours {
	const char *selector, *property;
	const uint32_t *light, *dark;
	unsigned nr;
};
void pt_svg_chart_style(struct pt_buf *b, enum pt_theme theme, const char *css,
			const struct pt_svg_colours *c);
/* Repeats what the style sheet says as attributes of the elements, which viewers without style
 * sheets then show alike. Only selectors `.PICTURE` and `.PICTURE .CLASS` count. */
void pt_svg_inline_style(struct pt_buf *b);
/* The above; then the script, behind what all scripts share (svg.js), in a function of its own; the
 * end. */
void pt_svg_close(struct pt_buf *b, const char *script);

#endif
