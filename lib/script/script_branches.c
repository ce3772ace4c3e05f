/* The branches before a sample as in perf script's brstack and brstacksym: FROM/TO/M or
 * P/X/A/CYCLES/TYPE. */
#include "base/mem.h"
#include "script/script.h"
#include "script/script_priv.h"

enum { NEW_TYPES = 15 };

/* PERF_BR_* of the kernel's header; from NEW_TYPES on a second number counts. */
static const char *const types[NEW_TYPES] = {
	"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
};
static const char *const new_types[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					 "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };

static void add_flags(struct pt_buf *b, uint64_t flags)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8 };
	unsigned type = flags >> 20 & 15, new_type = flags >> 26 & 15;

	pt_buf_putc(b, '/');
	pt_buf_putc(b, flags & PREDICTED ? 'P' : flags & MISPREDICTED ? 'M' : '-');
	pt_buf_puts(b, flags & IN_TX ? "/X" : "/-");
	pt_buf_puts(b, flags & ABORT ? "/A/" : "/-/");
	pt_buf_dec(b, flags >> 4 & 0xffff);
	pt_buf_putc(b, '/');
	pt_buf_puts(b, type < NEW_TYPES              ? types[type]
		       : new_type < PT_NR(new_types) ? new_types[new_type]
						     : "");
	pt_buf_putc(b, ' ');
}

static void add_end(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		    uint64_t addr, struct pt_buf *b)
{
	const struct pt_named_frame *frames, *x = NULL;
	bool symbol = !(p->fields & F_BRSTACK);
	size_t nr;

	if (s->frames && (symbol || p->fields & F_DSO)) {
		nr = pt_frames_at(s->frames, rec->pid, addr >> 63, addr,
				  pt_script_time(rec), &frames);
		x = nr ? &frames[nr - 1] : NULL;
	}
	if (!symbol) {
		pt_buf_puts(b, "0x");
		pt_buf_hex(b, addr);
	} else {
		pt_script_name(b, x ? x->name : NULL, x ? x->offset : 0, true);
	}
	if (p->fields & F_DSO)
		pt_script_module(b, rec->pid, x);
}

void pt_script_branches(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			struct pt_buf *b)
{
	const struct pt_sample *sample = &rec->sample;
	uint64_t i;

	for (i = 0; i < sample->nr_branches; i++) {
		if (p->fields & F_BRSTACK)
			pt_buf_putc(b, ' ');
		add_end(s, p, rec, sample->branches[i].from, b);
		pt_buf_putc(b, '/');
		add_end(s, p, rec, sample->branches[i].to, b);
		add_flags(b, sample->branches[i].flags);
	}
}
