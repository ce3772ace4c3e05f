/* Rare fields: data addresses, weights, registers, branches, BPF output. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "script/script_priv.h"
#include "unwind/regnames.h"

/* The bits of a memory access (perf_mem_data_src in the kernel's header) in the words of perf's
 * util/mem-events.c output. */
static void script_rare_add_bits(struct pt_buf *b, const char *title, uint64_t bits,
				 const char *const *names, size_t nr)
{
	bool any = false;
	size_t i;

	pt_buf_puts(b, title);
	for (i = 0; i < nr; i++)
		if (bits >> i & 1 && names[i]) {
			pt_buf_puts(b, any ? " or " : "");
			pt_buf_puts(b, names[i]);
			any = true;
		}
	if (!any)
		pt_buf_puts(b, "N/A");
}

static void add_data_src(struct pt_buf *b, uint64_t v)
{
	static const char *const op[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	static const char *const snoop[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const lock[] = { NULL, "Yes" };
	static const char *const tlb[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };

	pt_script_hex(b, v, 16);
	script_rare_add_bits(b, " |OP ", v & 31, op, PT_NR(op));
	if ((v >> 5 & 0x3fff) == 1)
		pt_buf_puts(b, "|LVL N/A or N/A");
	else
		pt_buf_printf(b, "|LVL 0x%x", (unsigned)(v >> 5 & 0x3fff));
	script_rare_add_bits(b, "|SNP ", v >> 19 & 31, snoop, PT_NR(snoop));
	script_rare_add_bits(b, "|TLB ", v >> 26 & 127, tlb, PT_NR(tlb));
	script_rare_add_bits(b, "|LCK ", v >> 24 & 3, lock, PT_NR(lock));
	pt_buf_puts(b, "|BLK  N/A");
}

/* A register without a known name is shown by its number. */
static void add_regs(struct pt_buf *b, const char *arch, uint64_t abi, uint64_t mask,
		     const uint64_t *regs)
{
	unsigned bit, nr = 0;

	if (!abi || !regs)
		return;
	pt_buf_puts(b, " ABI:");
	pt_buf_dec(b, abi);
	pt_buf_putc(b, ' ');
	for (bit = 0; bit < 64; bit++) {
		size_t from = b->len;

		if (!(mask >> bit & 1))
			continue;
		if (pt_reg_name(arch, bit))
			pt_buf_puts(b, pt_reg_name(arch, bit));
		else
			pt_buf_printf(b, "reg%u", bit);
		pt_buf_pad_left(b, from, 5);
		pt_buf_puts(b, ":0x");
		pt_buf_hex(b, regs[nr++]);
		pt_buf_putc(b, ' ');
	}
}

static void add_page_size(struct pt_buf *b, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	pt_buf_putc(b, ' ');
	if (!size) {
		pt_buf_puts(b, "N/A");
		return;
	}
	for (; size >= 1024 && unit < sizeof(units) - 2; unit++)
		size /= 1024;
	pt_buf_dec(b, size);
	pt_buf_putc(b, units[unit]);
}

/* The bytes that a BPF program wrote, sixteen a line, then as text if they are. */
static void add_bpf_output(struct pt_buf *b, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i += 16) {
		pt_buf_printf(b, "\n%17s %04zx:", i ? "" : "BPF output:", i);
		pt_script_bytes(b, p + i, len - i);
	}
	pt_buf_putc(b, '\n');
}

/* Branches before a sample as in perf script's brstack and brstacksym: FROM/TO/M or
 * P/X/A/CYCLES/TYPE. The types are PERF_BR_* of the kernel's header; from NEW_TYPES on a second
 * number counts. */
enum { NEW_TYPES = 15 };

static const char *const branch_types[NEW_TYPES] = {
	"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
};
static const char *const new_branch_types[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					 "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };

static void add_branch_flags(struct pt_buf *b, uint64_t flags)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8 };
	unsigned type = flags >> 20 & 15, new_type = flags >> 26 & 15;

	pt_buf_putc(b, '/');
	pt_buf_putc(b, flags & PREDICTED ? 'P' : flags & MISPREDICTED ? 'M' : '-');
	pt_buf_puts(b, flags & IN_TX ? "/X" : "/-");
	pt_buf_puts(b, flags & ABORT ? "/A/" : "/-/");
	pt_buf_dec(b, flags >> 4 & 0xffff);
	pt_buf_putc(b, '/');
	pt_buf_puts(b, type < NEW_TYPES              ? branch_types[type]
		       : new_type < PT_NR(new_branch_types) ? new_branch_types[new_type]
						     : "");
	pt_buf_putc(b, ' ');
}

static void add_branch_end(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		    uint64_t addr, struct pt_buf *b)
{
	const struct pt_named_frame *x = NULL;
	bool symbol = !(p->fields & (F_BRSTACK | F_BRSTACKOFF));
	uint64_t off = p->fields & F_BRSTACKOFF ? pt_script_offset(s, rec, addr) : UINT64_MAX;

	if (s->frames && (symbol || p->fields & F_DSO))
		x = pt_script_function(s, rec, addr);
	if (!symbol) {
		pt_buf_puts(b, "0x");
		pt_buf_hex(b, off != UINT64_MAX ? off : addr);
	} else {
		pt_script_name(b, x ? x->name : NULL, x ? x->offset : 0, true);
	}
	if (p->fields & F_DSO)
		pt_script_module(b, rec->pid, x, UINT64_MAX);
}

static void script_rare_add_branches(struct pt_script *s, const struct plan *p,
				     const struct pt_record *rec, struct pt_buf *b)
{
	const struct pt_sample *sample = &rec->sample;
	uint64_t i;

	for (i = 0; i < sample->nr_branches; i++) {
		if (p->fields & (F_BRSTACK | F_BRSTACKOFF))
			pt_buf_putc(b, ' ');
		add_branch_end(s, p, rec, sample->branches[i].from, b);
		pt_buf_putc(b, '/');
		add_branch_end(s, p, rec, sample->branches[i].to, b);
		add_branch_flags(b, sample->branches[i].flags);
	}
}

void pt_script_rare_before(const struct plan *p, const struct pt_record *rec, bool has_addr,
			   struct pt_buf *b)
{
	const struct pt_sample *sample = &rec->sample;
	bool parts = rec->has & PT_SAMPLE_WEIGHT_STRUCT;

	if (p->fields & F_ADDR && !has_addr)
		pt_script_hex(b, sample->addr, 16);
	if (p->fields & F_DATA_SRC)
		add_data_src(b, sample->data_src);
	if (p->fields & F_WEIGHT)
		pt_buf_printf(b, "%16llu",
			      (unsigned long long)(parts ? sample->weight & 0xffffffff
							 : sample->weight));
	if (p->fields & F_INS_LAT)
		pt_buf_printf(b, "%16u", (unsigned)(sample->weight >> 32 & 0xffff));
}

void pt_script_rare_after(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			  struct pt_buf *b)
{
	const struct pt_sample *sample = &rec->sample;

	if (p->fields & F_IREGS && rec->has & PERF_SAMPLE_REGS_INTR)
		add_regs(b, p->arch, sample->intr_abi, sample->intr_mask, sample->intr_regs);
	if (p->fields & F_UREGS && rec->has & PERF_SAMPLE_REGS_USER)
		add_regs(b, p->arch, sample->user_abi, sample->user_mask, sample->user_regs);
	if (p->fields & (F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF) &&
	    rec->has & PERF_SAMPLE_BRANCH_STACK)
		script_rare_add_branches(s, p, rec, b);
	if (p->fields & F_BPF_OUTPUT && p->bpf_output && rec->has & PERF_SAMPLE_RAW)
		add_bpf_output(b, sample->raw, sample->raw_len);
	if (p->fields & (F_INSN | F_INSNLEN))
		pt_script_insn(s, p, rec, b);
	if (p->fields & (F_BRSTACKINSN | F_BRSTACKINSNLEN))
		pt_script_branch_insns(s, p, rec, b);
	if (p->fields & F_PHYS_ADDR)
		pt_script_hex(b, sample->phys_addr, 16);
	if (p->fields & F_DATA_PAGE)
		add_page_size(b, sample->data_page_size);
	if (p->fields & F_CODE_PAGE)
		add_page_size(b, sample->code_page_size);
	if (p->fields & F_CGROUP) {
		const uint64_t *path = pt_map_get(&s->cgroups, sample->cgroup);

		pt_buf_putc(b, ' ');
		pt_text_puts(b, path ? pt_pointer(*path) : "unknown");
	}
}
