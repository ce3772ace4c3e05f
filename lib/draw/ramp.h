/* ramp.h - the colours of counts: an even climb in lightness, so that it reads the same for eyes that do not tell red from green, and in grey.
 *
 * Control points are own ones, in OKLCh (B. Ottosson, "A perceptual color space for image processing", 2020: lightness, chroma, hue), their
 * lightness on a straight line; between them the three are joined by straight lines. On a light ground few is pale and many is dark; on a
 * dark ground few is dark and many is pale. */
#ifndef PT_DRAW_RAMP_H
#define PT_DRAW_RAMP_H

#include <stdbool.h>
#include <stdint.h>

/* Colour `i` of `nr` as 0xRRGGBB; i 0: fewest. */
uint32_t pt_ramp(unsigned i, unsigned nr, bool dark);
/* OKLab lightness of a colour, 0 to 1: what the ramp is even in. */
double pt_ramp_lightness(uint32_t rgb);

#endif
