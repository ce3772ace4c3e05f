#include "draw/ramp.h"

#include <stddef.h>

#include "base/mem.h"

struct stop { double at, light, chroma, cos, sin; };	/* cos and sin of the hue */

/* Hues 95, 70, 35, 5, 330, 290, 275 degrees: straw, amber, coral, crimson, plum, violet, ink. */
static const struct stop on_light[] = {
	{ 0.00, 0.930, 0.060, -0.0872, 0.9962 },
	{ 0.15, 0.830, 0.125, 0.3420, 0.9397 },
	{ 0.35, 0.697, 0.175, 0.8192, 0.5736 },
	{ 0.52, 0.583, 0.195, 0.9962, 0.0872 },
	{ 0.70, 0.463, 0.170, 0.8660, -0.5000 },
	{ 0.86, 0.357, 0.140, 0.3420, -0.9397 },
	{ 1.00, 0.263, 0.085, 0.0872, -0.9962 },
};
static const struct stop on_dark[] = {
	{ 0.00, 0.300, 0.110, 0.1736, -0.9848 },
	{ 0.16, 0.407, 0.150, 0.4226, -0.9063 },
	{ 0.34, 0.528, 0.180, 0.8660, -0.5000 },
	{ 0.52, 0.648, 0.190, 0.9962, 0.0872 },
	{ 0.70, 0.769, 0.160, 0.8192, 0.5736 },
	{ 0.86, 0.876, 0.130, 0.3420, 0.9397 },
	{ 1.00, 0.970, 0.080, -0.1392, 0.9903 },
};

/* x^(1/n) by Newton's steps, x in (0, 1]: enough for eight bits, and no need of libm. */
static double root(double x, int n)
{
	double y = 1, power, less = 1;
	int k;

	while (less > 1e-7) {
		for (power = 1, k = 1; k < n; k++)
			power *= y;
		less = (y * power - x) / (n * power);
		y -= less;
	}
	return y;
}

/* Linear light -> the byte of sRGB (IEC 61966-2-1). */
static unsigned encode(double v)
{
	double fifth;

	if (v <= 0.0031308)
		v = v < 0 ? 0 : v * 12.92;
	else {
		fifth = root(v > 1 ? 1 : v, 12);	/* v^(1/2.4) = (v^(1/12))^5 */
		v = 1.055 * fifth * fifth * fifth * fifth * fifth - 0.055;
	}
	return (unsigned)(v * 255 + 0.5);
}

static double decode(unsigned byte)
{
	double v = byte / 255.0, r;

	if (v <= 0.04045)
		return v / 12.92;
	v = (v + 0.055) / 1.055;
	r = root(v, 5);				/* v^2.4 = v^2 * (v^(1/5))^2 */
	return v * v * r * r;
}

uint32_t pt_ramp(unsigned i, unsigned nr, bool dark)
{
	const struct stop *s = dark ? on_dark : on_light;
	double t = nr > 1 ? (double)i / (nr - 1) : 1, k, L, a, b, l, m, n;

	while (t > s[1].at && s[1].at < 1)
		s++;
	k = (t - s->at) / (s[1].at - s->at);
	L = s->light + k * (s[1].light - s->light);
	a = s->chroma * s->cos + k * (s[1].chroma * s[1].cos - s->chroma * s->cos);
	b = s->chroma * s->sin + k * (s[1].chroma * s[1].sin - s->chroma * s->sin);
	l = L + 0.3963377774 * a + 0.2158037573 * b;
	m = L - 0.1055613458 * a - 0.0638541728 * b;
	n = L - 0.0894841775 * a - 1.2914855480 * b;
	l *= l * l;
	m *= m * m;
	n *= n * n;
	return encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * n) << 16 |
	       encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * n) << 8 |
	       encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * n);
}

double pt_ramp_lightness(uint32_t rgb)
{
	double r = decode(rgb >> 16 & 255), g = decode(rgb >> 8 & 255), b = decode(rgb & 255);
	double l = 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b;
	double m = 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b;
	double s = 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b;

	if (l <= 0 || m <= 0 || s <= 0)
		return 0;
	return 0.2104542553 * root(l, 3) + 0.7936177850 * root(m, 3) - 0.0040720468 * root(s, 3);
}
