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
void pt_svg_fine(struct pt_buf *b, double v);	/* six decimals, for scale factors */
/* <svg ...><title><desc> of a class, `width` by `height` pixels, scaling with its container. */
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
/* Style sheet: `common`, then by theme `light`, `dark`, or both, with the dark one for viewers who
 * prefer it. */
void pt_svg_style(struct pt_buf *b, enum pt_theme theme, const char *common, const char *light,
		  const char *dark);
/* The picture's script behind the shared one (svg.js), as one function. */
void pt_svg_script(struct pt_buf *b, const char *script);
void pt_svg_close(struct pt_buf *b);

#endif
