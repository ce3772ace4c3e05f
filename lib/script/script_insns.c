/* Instructions of a sample: its own (insn, insnlen), and all that ran between the branches that
 * were recorded with it (brstackinsn), in the layout of perf script: their bytes. */
#include <elf.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/text.h"
#include "elf/insn.h"
#include "script/script_priv.h"
#include "unwind/arch.h"

enum {
	MAX_BLOCK = 16 << 10,		/* bytes without a branch, as for perf */
	/* bytes in all blocks of a sample: no CPU records so many branches that more is between
	 * them, but a forged record may say so */
	MAX_BLOCKS = 64 << 10,
	LOOK_AHEAD = 128,		/* bytes, where the last branch is behind the sample */
};

struct walk {
	struct pt_script *s;
	const struct plan *p;
	const struct pt_record *rec;
	struct pt_buf *b;
	/* the function that was looked up last, at addresses of the process */
	struct pt_frames_code code;
	uint64_t start, end;
	uint64_t named;			/* start of the function whose name is printed; 0: none */
	uint64_t cycles;		/* so far */
	uint64_t blocks_bytes;		/* the same */
};

static uint16_t machine_of(const struct pt_frames_code *code)
{
	const struct pt_arch *arch;

	if (code->object)
		return code->object->machine;
	arch = code->arch ? pt_arch_of(code->arch, PERF_SAMPLE_REGS_ABI_64) : NULL;
	return arch ? arch->machine : EM_NONE;
}

/* The bytes at an address to its function's end; NULL: not known. */
static const uint8_t *code_at(struct walk *w, uint64_t addr, size_t *len)
{
	if (addr < w->start || addr >= w->end) {
		const struct pt_place_at *at = pt_script_place(w->s, w->rec, addr);
		uint64_t vaddr = pt_frames_address(at).vaddr;
		const char *why;

		w->start = w->end = 0;
		if (!pt_frames_code(w->s->frames, at, &w->code, &why) || vaddr < w->code.start ||
		    vaddr >= w->code.end)
			return NULL;
		w->start = addr - (vaddr - w->code.start);
		w->end = addr + (w->code.end - vaddr);
	}
	*len = w->end - addr;
	return w->code.bytes + (addr - w->start);
}

/* Adds " 8b 07 ..."; returns the length, 0: no instruction is known there. */
static size_t add_bytes(struct walk *w, const uint8_t *bytes, size_t len, const char *format)
{
	size_t n = pt_insn_len(machine_of(&w->code), bytes, len);

	for (size_t i = 0; i < n; i++)
		pt_buf_printf(w->b, format, bytes[i]);
	return n;
}

void pt_script_insn(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		    struct pt_buf *b)
{
	struct walk w = { .s = s, .p = p, .rec = rec, .b = b };
	size_t len = 0, n = 0;
	const uint8_t *bytes = s->frames ? code_at(&w, rec->sample.ip, &len) : NULL;

	if (bytes)
		n = pt_insn_len(machine_of(&w.code), bytes, len);
	if (p->fields & F_INSNLEN)
		pt_buf_printf(b, " ilen: %zu", n);
	if (!n || !(p->fields & F_INSN))
		return;
	pt_buf_puts(b, " insn:");
	add_bytes(&w, bytes, len, " %02x");
}

/* -- between branches -- */

/* "\tFUNCTION+OFFSET:", where another function begins */
static void script_insns_add_function(struct walk *w, uint64_t addr)
{
	size_t len;

	if (!code_at(w, addr, &len) || w->named == w->start)
		return;
	w->named = w->start;
	pt_buf_putc(w->b, '\t');
	pt_text_puts(w->b, w->code.name);
	if (addr > w->start)
		pt_buf_printf(w->b, "+%llu", (unsigned long long)(addr - w->start));
	pt_buf_puts(w->b, ":\n");
}

/* An instruction with its address, without the line's end. */
static size_t add_insn(struct walk *w, uint64_t addr, size_t width)
{
	size_t len, from, n;
	const uint8_t *bytes = code_at(w, addr, &len);

	pt_buf_printf(w->b, "\t%016llx\t", (unsigned long long)addr);
	from = w->b->len;
	pt_buf_puts(w->b, "insn: ");
	n = bytes ? add_bytes(w, bytes, len, "%02x ") : 0;
	if (!n) {
		w->b->len = from;
		pt_buf_puts(w->b, "<bad>");
	}
	pt_buf_pad_right(w->b, from, width);
	if (w->p->fields & F_BRSTACKINSNLEN)
		pt_buf_printf(w->b, "\tilen: %zu", n);
	return n;
}

static void end_line(struct walk *w, uint64_t addr)
{
	pt_buf_putc(w->b, '\n');
	if (w->p->fields & F_SRCCODE)
		pt_script_source_line(w->s, w->rec, addr, w->b);
}

/* The last one of a block, with what is known of its branch. `insns`: in the block; 0: not known.
 */
static void add_branch_insn(struct walk *w, const struct pt_branch *br, unsigned insns)
{
	static const char *const flags[] = { " MISPRED", " PRED", " INTX", " ABORT" };
	static const unsigned char order[] = { 1, 0, 2, 3 };
	uint64_t cycles = br->flags >> 4 & 0xffff;

	add_insn(w, br->from, 30);
	pt_buf_puts(w->b, "\t#");
	for (size_t i = 0; i < sizeof(order); i++)
		if (br->flags >> order[i] & 1)
			pt_buf_puts(w->b, flags[order[i]]);
	if (cycles) {
		w->cycles += cycles;
		pt_buf_printf(w->b, " %llu cycles [%llu]", (unsigned long long)cycles,
			      (unsigned long long)w->cycles);
		if (insns)
			pt_buf_printf(w->b, " %.2f IPC", (double)insns / (double)cycles);
	}
	end_line(w, br->from);
}

/* From where a branch went to the next one. */
static void add_block(struct walk *w, uint64_t start, const struct pt_branch *br)
{
	uint64_t addr = start;
	unsigned insns = 0;
	size_t n, len;

	if (br->from < start || br->from - start > MAX_BLOCK ||
	    br->from - start > MAX_BLOCKS - w->blocks_bytes || !code_at(w, start, &len))
		return;
	w->blocks_bytes += br->from - start;
	do {
		script_insns_add_function(w, addr);
		insns++;
		if (addr == br->from) {
			add_branch_insn(w, br, insns);
			return;
		}
		n = add_insn(w, addr, 0);
		if (n)
			end_line(w, addr);
		else
			pt_buf_putc(w->b, '\n');
		addr += n;
	} while (n && addr <= br->from);
	pt_buf_puts(w->b, "\tmismatch of LBR data and executable\n");
}

/* From where the last branch went to the sample, or to a branch that was not recorded. */
static void add_last_block(struct walk *w, uint64_t start, uint64_t ip)
{
	uint64_t end = ip < start ? start + LOOK_AHEAD : ip, addr = start;
	const uint8_t *bytes;
	size_t n, len;

	script_insns_add_function(w, start);
	if (end - start > MAX_BLOCK || !code_at(w, start, &len)) {
		if (!code_at(w, ip, &len))
			return;
		add_insn(w, ip, 0);
		end_line(w, ip);
		return;
	}
	do {
		n = add_insn(w, addr, 0);
		pt_buf_putc(w->b, '\n');
		bytes = code_at(w, addr, &len);
		if (n && addr != ip && pt_insn_is_branch(machine_of(&w->code), bytes, len)) {
			pt_buf_puts(w->b, "\t... not reaching sample ...\n");
			return;
		}
		if (n && w->p->fields & F_SRCCODE)
			pt_script_source_line(w->s, w->rec, addr, w->b);
		addr += n;
	} while (n && addr <= end);
}

void pt_script_branch_insns(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			    struct pt_buf *b)
{
	enum { ABORT = 8 };
	const struct pt_branch *br = rec->sample.branches;
	struct walk w = { .s = s, .p = p, .rec = rec, .b = b };
	uint64_t nr = rec->sample.nr_branches;
	size_t len;

	if (!nr || !s->frames)
		return;
	if (s->o.max_blocks && s->o.max_blocks < nr)
		nr = s->o.max_blocks + 1;
	pt_buf_putc(b, '\n');
	/* where the code before the first branch began is not known */
	script_insns_add_function(&w, br[nr - 1].from);
	if (code_at(&w, br[nr - 1].from, &len))
		add_branch_insn(&w, &br[nr - 1], 0);
	for (uint64_t i = nr - 1; i-- > 0;) {
		uint64_t start = br[i + 1].to;

		/* a way into the kernel or back that was not recorded */
		if (start >> 63 != br[i].from >> 63 && i > 0)
			i--;
		add_block(&w, start, &br[i]);
	}
	if (br[0].from != rec->sample.ip && !(br[0].flags & ABORT))
		add_last_block(&w, br[0].to, rec->sample.ip);
}
