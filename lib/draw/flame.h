/* flame.h - a flame graph: one SVG, interactive where scripts run, a plain picture elsewhere.
 *
 * The picture is drawn as shapes (one path a colour, labels where they fit). The tree stands beside
 * it as text (names, then depth, name and count of every frame), from which the script draws what
 * zoom and search ask for. Frames narrower than `min_width` pixels are merged with their narrow
 * siblings into one without a name, which bounds the size: at most width/min_width frames a level.
 * What is on top of a frame narrower than PT_FLAME_TOWER pixels cannot be read: a mark stands in
 * its place until the frame is zoomed. */
#ifndef PT_DRAW_FLAME_H
#define PT_DRAW_FLAME_H

#include "base/buf.h"
#include "base/err.h"
#include "draw/folded.h"
#include "draw/svg.h"

enum pt_flame_colours {
	PT_FLAME_AUTO, /* by kind if frames are annotated, else hot */
	/* reds to yellows, by the name's hash; likewise the others */
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
	PT_FLAME_MODULE, /* by the part in front of the last :: , / . or ` */
};
/* These names in lower case, and flamegraph.pl's (mem, io, java ...). */
extern const struct pt_word pt_flame_colour_words[];

struct pt_flame_opts {
	const char *title;		/* NULL: "Flame graph", and of what, by the stacks' note */
	/* NULL: from the stacks' note, else their number; "": none */
	const char *subtitle;
	const char *notes;		/* for the picture's description */
	/* NULL: as the stacks' note says, else "samples" */
	const char *count_name;
	const char *name_type;		/* NULL: "function"; used in the script's texts */
	/* 0: 1200 pixels, and with a script as wide as the window */
	double width;
	double row_height;		/* 0: 17, by the font's size */
	double font_size;		/* 0: 12 pixels */
	/* NULL: monospaced fonts; characters other than [A-Za-z0-9 ,-] are dropped */
	const char *font;
	const char *background;		/* NULL: by theme; "#rgb", "#rrggbb" */
	double min_width;		/* 0: 0.1 pixels */
	/* the count that is the full width; 0: the stacks' total */
	double total;
	bool inverted;			/* the root is at the top (icicles) */
	bool negate;			/* differences: growth is blue */
	enum pt_flame_colours colours;
	enum pt_theme theme;
};

/* Appends the SVG. Fails if there is nothing to draw. */
int pt_flame_svg(const struct pt_folded *t, const struct pt_flame_opts *o, struct pt_buf *out,
		 struct pt_err *e);

#endif
