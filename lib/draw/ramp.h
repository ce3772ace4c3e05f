/* ramp.h - the colours of counts. Their lightness (OKLab: B. Ottosson, "A perceptual color space
 * for image processing", 2020) climbs evenly, so that they read the same in grey and for eyes that
 * do not tell red from green. On a light ground few is pale and many is dark; on a dark ground the
 * other way round. */
#ifndef PT_DRAW_RAMP_H
#define PT_DRAW_RAMP_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_RAMP_SHADES = 24 };

/* As 0xRRGGBB; shade 0: fewest. */
uint32_t pt_ramp(unsigned shade, bool dark);

#endif
