/* flame_colour.c - colours of frames: by name, kind, module or change */
#include <math.h>
#include <string.h>

#include "base/foldline.h"
#include "base/mem.h"
#include "draw/flame_priv.h"

/* Hue, saturation and lightness go from one end to the other with the shade. */
static const struct { double hue[2], saturation[2], light[2]; } families[PT_FLAME_FAMILIES] = {
	{ { 8, 48 }, { .78, .88 }, { .62, .66 } },	/* warm */
	{ { 190, 225 }, { .50, .62 }, { .66, .70 } },	/* cool */
	{ { 30, 30 }, { .02, .02 }, { .70, .82 } },	/* grey */
	{ { 24, 34 }, { .85, .90 }, { .58, .64 } },	/* orange: the kernel */
	{ { 100, 130 }, { .45, .55 }, { .60, .68 } },	/* green: JIT */
	{ { 172, 188 }, { .42, .52 }, { .62, .70 } },	/* aqua: inlined */
	{ { 0, 10 }, { .70, .80 }, { .62, .70 } },	/* red */
	{ { 46, 56 }, { .72, .80 }, { .58, .66 } },	/* yellow: C++, Rust */
	{ { 268, 300 }, { .42, .52 }, { .68, .74 } },	/* purple */
};

const struct pt_word pt_flame_colour_words[] = {
	PT_WORD("auto", PT_FLAME_AUTO),
	PT_WORD("hot", PT_FLAME_HOT),
	PT_WORD("cool", PT_FLAME_COOL),
	PT_WORD("grey", PT_FLAME_GREY),
	PT_WORD("orange", PT_FLAME_ORANGE),
	PT_WORD("green", PT_FLAME_GREEN),
	PT_WORD("aqua", PT_FLAME_AQUA),
	PT_WORD("red", PT_FLAME_RED),
	PT_WORD("yellow", PT_FLAME_YELLOW),
	PT_WORD("purple", PT_FLAME_PURPLE),
	PT_WORD("kind", PT_FLAME_KIND),
	PT_WORD("module", PT_FLAME_MODULE),
	/* flamegraph.pl's name */
	PT_WORD_ALSO("gray", PT_FLAME_GREY),
	PT_WORD_ALSO("blue", PT_FLAME_COOL),
	PT_WORD_ALSO("io", PT_FLAME_COOL),
	PT_WORD_ALSO("mem", PT_FLAME_GREEN),
	PT_WORD_ALSO("chain", PT_FLAME_AQUA),
	PT_WORD_ALSO("wakeup", PT_FLAME_AQUA),
	PT_WORD_ALSO("java", PT_FLAME_KIND),
	PT_WORD_ALSO("js", PT_FLAME_KIND),
	PT_WORD_ALSO("perl", PT_FLAME_KIND),
	{ 0 }
};

static uint32_t rgb_of(double hue, double saturation, double light)
{
	double c = (1 - fabs(2 * light - 1)) * saturation, h = hue / 60,
	       x = c * (1 - fabs(fmod(h, 2) - 1)), m = light - c / 2, r = 0, g = 0, b = 0;

	switch ((int)h % 6) {
	case 0: r = c, g = x; break;
	case 1: r = x, g = c; break;
	case 2: g = c, b = x; break;
	case 3: g = x, b = c; break;
	case 4: r = x, b = c; break;
	default: r = c, b = x;
	}
	return (uint32_t)lround((r + m) * 255) << 16 | (uint32_t)lround((g + m) * 255) << 8 |
	       (uint32_t)lround((b + m) * 255);
}

uint32_t pt_flame_rgb(unsigned class)
{
	double at = (double)(class % PT_FLAME_SHADES) / (PT_FLAME_SHADES - 1);
	unsigned family = class / PT_FLAME_SHADES;

	if (family < PT_FLAME_FAMILIES)
		return rgb_of(families[family].hue[0] +
				      at * (families[family].hue[1] - families[family].hue[0]),
			      families[family].saturation[0] +
				      at * (families[family].saturation[1] -
					    families[family].saturation[0]),
			      families[family].light[0] +
				      at * (families[family].light[1] - families[family].light[0]));
	return rgb_of(family == PT_FAMILY_LESS ? 215 : 5, .75, .91 - .33 * at);
}

static unsigned shade(const char *s, size_t len)
{
	return (unsigned)(pt_hash_bytes(s, len) % PT_FLAME_SHADES);
}

static unsigned class_by_kind(const char *s, size_t len)
{
	unsigned family = strstr(s, "::") ? PT_FAMILY_YELLOW : PT_FAMILY_RED;

	switch (pt_foldline_mark(s, len)) {
	case 'k': family = PT_FAMILY_ORANGE; break;
	case 'j': family = PT_FAMILY_GREEN; break;
	case 'i': family = PT_FAMILY_AQUA; break;
	}
	return family * PT_FLAME_SHADES + shade(s, len);
}

/* The part in front of the last of :: / ` . decides the colour. */
static unsigned class_by_module(const char *s, size_t len)
{
	size_t n = len, i;

	for (i = 0; i + 1 < len; i++)
		if (s[i] == '`' || s[i] == '/' || (s[i] == ':' && s[i + 1] == ':') ||
		    (i && s[i] == '.'))
			n = i;
	return (unsigned)(pt_hash_bytes(s, n) % (PT_FLAME_FAMILIES * PT_FLAME_SHADES));
}

uint16_t pt_flame_class(const struct pt_flame_drawing *d, const struct pt_folded_node *n)
{
	size_t len = strlen(n->name);

	if (d->two) {
		double change = n->total - n->before;
		/* so that small changes show */
		unsigned at =
			(unsigned)PT_MIN((double)(PT_FLAME_SHADES - 1),
					 sqrt(fabs(change) / d->most_change) * PT_FLAME_SHADES);

		if (fabs(change) < 1e-9)
			return PT_FAMILY_GREY * PT_FLAME_SHADES + PT_FLAME_SHADES - 1;
		return (uint16_t)(((change > 0) != d->set.negate ? PT_FAMILY_MORE
								 : PT_FAMILY_LESS) *
					  PT_FLAME_SHADES +
				  at);
	}
	switch (d->set.colours) {
	case PT_FLAME_KIND: return (uint16_t)class_by_kind(n->name, len);
	case PT_FLAME_MODULE: return (uint16_t)class_by_module(n->name, len);
	default:
		return (uint16_t)((d->set.colours - PT_FLAME_HOT) * PT_FLAME_SHADES +
				  shade(n->name, len));
	}
}

/* Annotated frames are coloured by kind. */
enum pt_flame_colours pt_flame_colours_by_names(const struct pt_flame_drawing *d, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		char mark = pt_foldline_mark(d->nodes[i].name, strlen(d->nodes[i].name));

		if (mark && mark != 'w')
			return PT_FLAME_KIND;
	}
	return PT_FLAME_HOT;
}
