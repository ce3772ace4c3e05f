/* flame.h - a flame graph: one static SVG, interactive where scripts run, a plain picture
 * elsewhere.
 *
 * The picture is drawn once as shapes (one path a colour, labels where they fit); the tree stands
 * beside it as text (names once each, then depth, name and count of every frame in order), from
 * which the script draws what zoom and search ask for. Frames narrower than `min_width` pixels are
 * merged with their narrow siblings into one without a name, so that the size is bounded by the
 * width: at most width/min_width frames a level. */
#ifndef PT_DRAW_FLAME_H
#define PT_DRAW_FLAME_H

#include "base/buf.h"
#include "base/err.h"
#include "draw/folded.h"
#include "draw/svg.h"

enum pt_flame_colours {
	PT_FLAME_AUTO, /* by kind where frames are annotated, else hot */
	/* reds to yellows, by hash of the name; the others with one family of hues likewise */
	PT_FLAME_HOT,
	PT_FLAME_COOL,
	PT_FLAME_GREY,
	PT_FLAME_ORANGE,
	PT_FLAME_GREEN,
	PT_FLAME_AQUA,
	PT_FLAME_RED,
	PT_FLAME_YELLOW,
	PT_FLAME_PURPLE,
	/* by the frame's kind: user, kernel _[k], JIT _[j], inlined _[i], C++ and Rust (::) */
	PT_FLAME_KIND,
	PT_FLAME_MODULE, /* by what stands in front of the last :: , / . or ` */
};
/* Those names in lower case, and those that flamegraph.pl has (mem, io, java ...). */
extern const struct pt_word pt_flame_colour_words[];

struct pt_flame_opts {
	const char *title;		/* NULL: "Flame graph" */
	/* NULL: what the stacks' note says, else how many there are; "": none */
	const char *subtitle;
	const char *notes;		/* into the picture's description */
	/* NULL: "samples", or "microseconds" where the note says so */
	const char *count_name;
	const char *name_type;		/* NULL: "function"; for the script's texts */
	double width;			/* 0: 1200 pixels */
	double row_height;		/* 0: by the font's size: 17 */
	double font_size;		/* 0: 12 pixels */
	/* NULL: fonts of equal widths; other characters than [A-Za-z0-9 ,-] are left out */
	const char *font;
	const char *background;		/* NULL: by theme; "#rgb", "#rrggbb" */
	double min_width;		/* 0: 0.1 pixels */
	/* 0: that of the stacks; else the count that is the full width */
	double total;
	bool inverted;			/* the root at the top (icicles) */
	bool negate;			/* of differences: growth is blue */
	enum pt_flame_colours colours;
	enum pt_theme theme;
};

/* Adds the SVG. An error when there is nothing to draw. */
int pt_flame_svg(const struct pt_folded *t, const struct pt_flame_opts *o, struct pt_buf *out,
		 struct pt_err *e);

#endif
