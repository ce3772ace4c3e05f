/* flame_priv.h - shared by the parts of the flame graph: the layout and the colours */
#ifndef PT_DRAW_FLAME_PRIV_H
#define PT_DRAW_FLAME_PRIV_H

#include "base/map.h"
#include "draw/flame.h"

enum { PT_FLAME_SHADES = 10, PT_FLAME_FAMILIES = 9 };
/* pixels around the frames */
enum { PT_FLAME_MARGIN = 10, PT_FLAME_HEAD = 62, PT_FLAME_FOOT = 34, PT_FLAME_TOWER = 3 };
/* Families of colours, then those of differences (fewer, more). A class is family * SHADES + shade.
 */
enum {
	PT_FAMILY_WARM,
	PT_FAMILY_COOL,
	PT_FAMILY_GREY,
	PT_FAMILY_ORANGE,
	PT_FAMILY_GREEN,
	PT_FAMILY_AQUA,
	PT_FAMILY_RED,
	PT_FAMILY_YELLOW,
	PT_FAMILY_PURPLE,
	PT_FAMILY_LESS = PT_FLAME_FAMILIES,
	PT_FAMILY_MORE,
	PT_FAMILY_NR
};

struct pt_flame_shape {				/* a drawn frame */
	double x, width;
	uint32_t node;			/* 0: several narrow frames */
	uint32_t depth;
	double count, before, units;	/* units: the count; for vanished frames the count before */
	uint16_t colour;
	bool root;
	bool cut;			/* what is on top of it is not drawn */
};

struct pt_flame_drawing {
	const struct pt_folded_node *nodes;
	const struct pt_flame_opts *o;
	struct pt_flame_opts set;	/* with defaults filled in */
	struct pt_buf title;		/* of `set`, unless it was given */
	double scale;			/* pixels for each count */
	double whole;			/* the count of the full width */
	double most_change;		/* greatest |after - before| of a frame */
	bool microseconds; /* the unit of counts, from the note in front of the lines */
	bool two;
	struct pt_flame_shape *shapes;
	size_t nr, cap;
	uint32_t depth;
	struct pt_map name_ids;		/* interned name: id + 1 */
	struct pt_buf names, frames;	/* the script's data */
	uint32_t nr_names;
};

uint32_t pt_flame_rgb(unsigned class);
uint16_t pt_flame_class(const struct pt_flame_drawing *d, const struct pt_folded_node *n);
/* The colours for annotated frames. */
enum pt_flame_colours pt_flame_colours_by_names(const struct pt_flame_drawing *d, size_t nr);
void pt_flame_draw(struct pt_flame_drawing *d, const struct pt_folded *t, struct pt_buf *b);

#endif
