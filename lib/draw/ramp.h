/* ramp.h - the colours of counts. Their lightness (OKLab: B. Ottosson, "A perceptual color space
 * for image processing", 2020) rises evenly, so that they also work in grey and for red-green
 * blindness. On a light background few is pale and many is dark; on a dark one the reverse. */
#ifndef PT_DRAW_RAMP_H
#define PT_DRAW_RAMP_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_RAMP_SHADES = 24 };

/* 0xRRGGBB; shade 0: fewest. */
uint32_t pt_ramp(unsigned shade, bool dark);

#endif
