/* svg.h - pieces of SVG that every picture has. All add to a buffer; text is escaped here, so that
 * callers pass it as it is. */
#ifndef PT_DRAW_SVG_H
#define PT_DRAW_SVG_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/words.h"

enum pt_theme { PT_THEME_AUTO, PT_THEME_LIGHT, PT_THEME_DARK };
extern const struct pt_word pt_theme_words[];	/* auto, light, dark */

/* At most two decimals, no trailing zeros. */
void pt_svg_num(struct pt_buf *b, double v);
void pt_svg_fine(struct pt_buf *b, double v);	/* six decimals: factors of a scale */
/* <svg ...><title><desc>: of that class, `width` by `height` pixels, scaling with what shows it. */
void pt_svg_open(struct pt_buf *b, const char *class, double width, double height,
		 const char *title, const char *desc);
/* <text class="..." x y>, escaped. `class` may be NULL. */
void pt_svg_text(struct pt_buf *b, const char *class, double x, double y, const char *text,
		 size_t len);
/* The same; empties the buffer. */
void pt_svg_take_text(struct pt_buf *b, const char *class, double x, double y,
		      struct pt_buf *text);
/* ` data-NAME="TEXT"`, escaped. */
void pt_svg_data(struct pt_buf *b, const char *name, const char *text);
/* Style sheet: `common`, then by theme `light`, `dark` or both, the dark one for viewers who prefer
 * it. */
void pt_svg_style(struct pt_buf *b, enum pt_theme theme, const char *common, const char *light,
		  const char *dark);
/* The picture's script, behind what all scripts share (svg.js), as one function. */
void pt_svg_script(struct pt_buf *b, const char *script);
void pt_svg_close(struct pt_buf *b);

#endif
