/* ramp.h - the colours of counts, 0xRRGGBB, the fewest first. Their lightness (OKLab: B. Ottosson,
 * "A perceptual color space for image processing", 2020) changes evenly, for grey prints and
 * red-green blindness: on light ground from light to dark, on dark ground the reverse. The first
 * has a contrast of at least 3:1 to the field (chart-colours.css), so that a lone cell is seen. */
#ifndef PT_DRAW_RAMP_H
#define PT_DRAW_RAMP_H

#include <stdint.h>

enum { PT_RAMP_SHADES = 24 };

extern const uint32_t pt_ramp_light[PT_RAMP_SHADES], pt_ramp_dark[PT_RAMP_SHADES];

#endif
