/* ramp.h - the colours of counts, 0xRRGGBB, the fewest first. Their lightness (OKLab: B. Ottosson,
 * "A perceptual color space for image processing", 2020) rises evenly, so that they also work in
 * grey and for red-green blindness. On a light background few is pale and many is dark; on a dark
 * one the reverse. */
#ifndef PT_DRAW_RAMP_H
#define PT_DRAW_RAMP_H

#include <stdint.h>

enum { PT_RAMP_SHADES = 24 };

extern const uint32_t pt_ramp_light[PT_RAMP_SHADES], pt_ramp_dark[PT_RAMP_SHADES];

#endif
