#include "draw/axis.h"

#include "base/mem.h"

static const struct { const char *name, *sign; uint64_t ns; } units[] = {
	[PT_UNIT_AUTO] = { "auto", "", 1 },
	[PT_UNIT_NS] = { "ns", "ns", 1 },
	[PT_UNIT_US] = { "us", "\302\265s", 1000 },
	[PT_UNIT_MS] = { "ms", "ms", 1000000 },
	[PT_UNIT_S] = { "s", "s", 1000000000 },
};

const struct pt_word pt_unit_words[] = {
	PT_WORD("auto", PT_UNIT_AUTO),
	PT_WORD("ns", PT_UNIT_NS),
	PT_WORD("us", PT_UNIT_US),
	PT_WORD_ALSO("\302\265s", PT_UNIT_US),
	PT_WORD("ms", PT_UNIT_MS),
	PT_WORD("s", PT_UNIT_S),
	{ 0 }
};

/* `tenths`: ascending numbers from 10 to 99, in tenths. */
static uint64_t decimal_step(uint64_t span, uint64_t max_steps, const uint8_t *tenths, size_t nr)
{
	uint64_t power, step;
	size_t i;

	for (power = 1; ; power *= 10) {
		for (i = 0; i < nr; i++) {
			if (power == 1 && tenths[i] % 10)
				continue;	/* no fractions of a nanosecond */
			step = power == 1 ? tenths[i] / 10u : power / 10 * tenths[i];
			if (span / step < max_steps ||
			    (span / step == max_steps && span % step == 0))
				return step;
		}
		if (power == 1000000000000000000u)
			return power * 10;
	}
}

uint64_t pt_axis_step(uint64_t span_ns, uint64_t max_steps)
{
	static const uint8_t tenths[] = { 10, 20, 50 };

	return decimal_step(span_ns, max_steps, tenths, PT_NR(tenths));
}

uint64_t pt_axis_fine_step(uint64_t span_ns, uint64_t max_steps)
{
	static const uint8_t tenths[] = { 10, 15, 20, 25, 30, 40, 50, 60, 80 };

	return decimal_step(span_ns, max_steps, tenths, PT_NR(tenths));
}

uint64_t pt_axis_clock_step(uint64_t span_ns, uint64_t max_steps)
{
	static const uint32_t seconds[] = { 30,   60,   120,   300,   600,   900,  1800,
					    3600, 7200, 10800, 21600, 43200, 86400 };
	const uint64_t second = 1000000000, day = 86400 * second;
	uint64_t step = pt_axis_step(span_ns, max_steps);
	size_t i;

	if (step <= 20 * second)
		return step;
	for (i = 0; i < PT_NR(seconds); i++)
		if (span_ns / (seconds[i] * second) <= max_steps)
			return seconds[i] * second;
	return day * pt_axis_step(span_ns / day, max_steps);
}

enum pt_unit pt_axis_unit(uint64_t ns)
{
	enum pt_unit u = PT_UNIT_S;

	while (u > PT_UNIT_NS && ns < units[u].ns)
		u--;
	return u;
}

const char *pt_unit_name(enum pt_unit u, bool ascii)
{
	return ascii ? units[u].name : units[u].sign;
}

void pt_axis_decimals(struct pt_buf *b, uint64_t v, uint64_t scale)
{
	pt_buf_dec(b, v / scale);
	v %= scale;
	if (v)
		pt_buf_putc(b, '.');
	for (scale /= 10; v; v %= scale, scale /= 10)
		pt_buf_putc(b, (char)('0' + v / scale));
}

void pt_axis_exact(struct pt_buf *b, uint64_t ns, enum pt_unit u, bool ascii)
{
	if (u == PT_UNIT_AUTO)
		u = pt_axis_unit(ns);
	if (!ns) {
		pt_buf_putc(b, '0');
		return;
	}
	pt_axis_decimals(b, ns, units[u].ns);
	pt_buf_putc(b, ' ');
	pt_buf_puts(b, pt_unit_name(u, ascii));
}

void pt_axis_short(struct pt_buf *b, uint64_t ns, enum pt_unit u, bool ascii)
{
	uint64_t scale = 1;

	while (ns / scale >= 1000)
		scale *= 10;
	if (scale > 1)
		ns = (ns / scale + (ns / (scale / 10) % 10 >= 5)) * scale;
	pt_axis_exact(b, ns, u, ascii);
}

void pt_axis_clock(struct pt_buf *b, uint64_t ns, uint64_t step_ns, bool ascii)
{
	uint64_t s = ns / 1000000000;

	if (step_ns < 30000000000u) {
		pt_axis_exact(b, ns, step_ns < 1000000000 ? pt_axis_unit(step_ns * 10) : PT_UNIT_S,
			      ascii);
		return;
	}
	if (s >= 86400) {
		pt_buf_dec(b, s / 86400);
		pt_buf_putc(b, 'd');
		s %= 86400;
		if (!s)
			return;
		pt_buf_putc(b, ' ');
	}
	pt_buf_dec(b, s >= 3600 || ns >= 86400000000000u ? s / 3600 : s / 60);
	pt_buf_putc(b, ':');
	pt_buf_dec_zero(b, s >= 3600 || ns >= 86400000000000u ? s / 60 % 60 : s % 60, 2);
	if (s >= 3600 && ns < 86400000000000u) {
		pt_buf_putc(b, ':');
		pt_buf_dec_zero(b, s % 60, 2);
	}
}
