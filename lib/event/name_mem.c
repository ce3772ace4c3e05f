/* name_mem.c - breakpoints: mem:ADDR[/LEN][:rwx][:MODS]. Source: hw_breakpoint.h of the kernel's
 * headers, perf_event_open(2). */
#include "event/name_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { BP_R = 1, BP_W = 2, BP_X = 4 };

static int name_mem_wrong(struct name_word *w, const char *at, size_t len)
{
	w->blame = (struct pt_blame){ at, len };
	return -1;
}

/* The end of the number; NULL: it is none. */
static const char *name_mem_number(const char *at, const char *end, uint64_t *v)
{
	size_t len = PT_MIN(strcspn(at, "/:"), (size_t)(end - at));
	char *text = pt_strndup(at, len);
	int rc = pt_num_u64(text, 0, UINT64_MAX, v, NULL);

	free(text);
	return rc < 0 ? NULL : at + len;
}

/* ":rw", ":u", ":rw:u"; the letters of access come first. Returns their bits, 0 for none. */
static uint32_t access_bits(const char *at, size_t len)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		uint32_t bit = at[i] == 'r' ? BP_R : at[i] == 'w' ? BP_W : at[i] == 'x' ? BP_X : 0;

		if (!bit || bits & bit)
			return 0;
		bits |= bit;
	}
	return bits;
}

int name_mem(struct pt_event_list *l, struct name_word *w, struct pt_err *e)
{
	const char *at = w->text + 4, *end = w->text + w->len, *p;
	struct pt_event_spec *s;
	uint64_t addr, len = 0;
	uint32_t bits = 0;

	p = name_mem_number(at, end, &addr);
	if (!p) {
		pt_err_set(
			e,
			"mem: takes an address, decimal or hexadecimal with 0x, then /LEN and :rwx: mem:0x601040/8:rw");
		return name_mem_wrong(w, at, (size_t)(end - at));
	}
	if (p < end && *p == '/') {
		at = p + 1;
		p = name_mem_number(at, end, &len);
		if (!p || !len || len > 8) {
			pt_err_set(e, "a breakpoint is 1 to 8 bytes long");
			return name_mem_wrong(w, at, (size_t)(end - at));
		}
	}
	if (p < end && *p == ':') {
		at = p + 1;
		for (p = at; p < end && *p != ':'; p++)
			;
		bits = access_bits(at, (size_t)(p - at));
		if (!bits)
			p = at - 1;		/* then these are modifiers */
	}
	s = name_add(l, w->name, PERF_TYPE_BREAKPOINT, 0);
	s->attr.bp_type = bits ? bits : BP_R | BP_W;
	s->attr.config1 = addr;
	s->attr.config2 = len ? len : s->attr.bp_type == BP_X ? sizeof(long) : 4;
	if (p == end)
		return 0;
	if (*p != ':') {
		pt_err_set(e, "not understood after a breakpoint's address");
		return name_mem_wrong(w, p, (size_t)(end - p));
	}
	return name_modify(s, p + 1, (size_t)(end - p - 1), &w->blame, e);
}
