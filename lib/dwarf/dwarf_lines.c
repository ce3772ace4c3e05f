#include "dwarf/dwarf_lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/search.h"

enum { MAX_ROWS = 1 << 24, MAX_FILES = 1 << 20, MAX_FORMATS = 32, MAX_NAME = 4096, ROWS_A_BYTE = 16 };

struct row { uint64_t addr; uint32_t file, line; };

struct sequence { uint64_t lo, hi; size_t row, nr; };

struct file { const char *name; uint64_t dir; char *path; };

enum mode { BY_ADDRESS, ALL_ROWS, FILES_ONLY };

struct pt_dw_lines {
	struct pt_dw_unit *unit;
	enum mode mode;
	uint16_t version;
	struct pt_dw_row *all;		/* ALL_ROWS: instead of rows */
	size_t nr_all, cap_all;
	const struct pt_dw_span *within;	/* NULL: everywhere */
	size_t nr_within;
	struct row *rows;
	size_t nr_rows, cap_rows;
	struct sequence *sequences;	/* by end */
	size_t nr_sequences, cap_sequences;
	const char **dirs;
	size_t nr_dirs, cap_dirs;
	struct file *files;
	size_t nr_files, cap_files;
};

struct program {			/* header and state */
	uint8_t min_bytes, max_ops, line_range, opcode_base, address_bytes;
	int8_t line_base;
	const uint8_t *lengths;		/* of standard opcodes */
	uint64_t addr, op;
	uint32_t file, line;
	bool stmt, first_stmt, prologue_end, discriminator;
	size_t first;			/* row of the sequence */
};

static void add_file(struct pt_dw_lines *l, const char *name, uint64_t dir)
{
	if (l->nr_files >= MAX_FILES)
		return;
	PT_GROW(l->files, l->nr_files, l->cap_files);
	l->files[l->nr_files++] = (struct file){ name, dir, NULL };
}

static void add_dir(struct pt_dw_lines *l, const char *name)
{
	if (l->nr_dirs >= MAX_FILES)
		return;
	PT_GROW(l->dirs, l->nr_dirs, l->cap_dirs);
	l->dirs[l->nr_dirs++] = name;
}

static void read_old_files(struct pt_dw_lines *l, struct pt_bytes *b)
{
	const char *s;

	while (*(s = pt_bytes_str(b, MAX_NAME)) && !b->bad)
		add_dir(l, s);
	while (!b->bad && *(s = pt_bytes_str(b, MAX_NAME)) && !b->bad) {
		uint64_t dir = pt_bytes_uleb(b);

		pt_bytes_uleb(b);		/* time */
		pt_bytes_uleb(b);		/* length */
		add_file(l, s, dir);
	}
}

/* A table of DWARF 5: what its entries consist of, their number, they. */
static void read_new_files(struct pt_dw_lines *l, const struct pt_dw_unit *forms, struct pt_bytes *b, bool dirs)
{
	struct { uint64_t type, form; } format[MAX_FORMATS];
	uint8_t nr_formats = pt_bytes_u8(b), k;
	uint64_t nr, i;

	if (nr_formats > MAX_FORMATS) {
		b->bad = true;
		return;
	}
	for (k = 0; k < nr_formats; k++) {
		format[k].type = pt_bytes_uleb(b);
		format[k].form = pt_bytes_uleb(b);
	}
	nr = pt_bytes_uleb(b);
	if (!nr_formats && nr)
		b->bad = true;
	for (i = 0; i < nr && !b->bad && i < MAX_FILES && pt_dw_pay(forms->file->dwarf, 16); i++) {
		const char *name = NULL, *s;
		uint64_t dir = 0, v;

		for (k = 0; k < nr_formats && !b->bad; k++) {
			if (format[k].form == DW_FORM_string) {
				s = pt_bytes_str(b, MAX_NAME);
				name = format[k].type == DW_LNCT_path ? s : name;
				continue;
			}
			if (!pt_dw_form_read(forms, b, format[k].form, 0, &v))
				return;
			if (format[k].type == DW_LNCT_path)
				name = pt_dw_string(l->unit, (uint16_t)format[k].form, v);
			else if (format[k].type == DW_LNCT_directory_index)
				dir = v;
		}
		if (b->bad)
			return;
		if (dirs)
			add_dir(l, name);
		else
			add_file(l, name, dir);
	}
}

static void add_full(struct pt_dw_lines *l, struct program *p, uint8_t flags)
{
	if (l->nr_all >= MAX_ROWS)
		return;
	PT_GROW(l->all, l->nr_all, l->cap_all);
	l->all[l->nr_all++] = (struct pt_dw_row){ p->addr, p->file, p->line, flags };
}

static void add_row(struct pt_dw_lines *l, struct program *p)
{
	struct row *last = l->nr_rows > p->first ? &l->rows[l->nr_rows - 1] : NULL;

	if (l->mode == ALL_ROWS) {
		add_full(l, p, (uint8_t)((p->stmt ? PT_DW_ROW_STMT : 0) | (p->prologue_end ? PT_DW_ROW_PROLOGUE_END : 0) | (p->discriminator ? PT_DW_ROW_BLOCK : 0)));
		p->prologue_end = p->discriminator = false;
		return;
	}
	if (l->nr_rows >= MAX_ROWS || (last && last->file == p->file && last->line == p->line))
		return;
	if (last && last->addr == p->addr) {	/* of several at an address the last one counts */
		last->file = p->file;
		last->line = p->line;
		return;
	}
	PT_GROW(l->rows, l->nr_rows, l->cap_rows);
	l->rows[l->nr_rows++] = (struct row){ p->addr, p->file, p->line };
}

static bool is_within(const struct pt_dw_lines *l, uint64_t lo, uint64_t hi)
{
	size_t i;

	for (i = 0; i < l->nr_within; i++)
		if (lo < l->within[i].hi && hi > l->within[i].lo)
			return true;
	return !l->within;
}

/* A sequence at address 0 or 1 is one that the linker threw away. */
static void end_full(struct pt_dw_lines *l, struct program *p)
{
	if (l->within && l->nr_all > p->first && !is_within(l, l->all[p->first].vaddr, p->addr))
		l->nr_all = p->first;
	else
		add_full(l, p, PT_DW_ROW_END);
	if (l->nr_all - 1 > p->first && l->nr_all < MAX_ROWS && l->all[p->first].vaddr > 1 && l->all[p->first].vaddr < p->addr) {
		PT_GROW(l->sequences, l->nr_sequences, l->cap_sequences);
		l->sequences[l->nr_sequences++] = (struct sequence){ l->all[p->first].vaddr, p->addr, p->first, l->nr_all - p->first };
	}
	p->first = l->nr_all;
}

static void end_sequence(struct pt_dw_lines *l, struct program *p)
{
	if (l->mode == ALL_ROWS)
		end_full(l, p);
	else if (l->nr_rows > p->first && l->rows[p->first].addr < p->addr) {
		PT_GROW(l->sequences, l->nr_sequences, l->cap_sequences);
		l->sequences[l->nr_sequences++] = (struct sequence){ l->rows[p->first].addr, p->addr, p->first, l->nr_rows - p->first };
	}
	if (l->mode != ALL_ROWS)
		p->first = l->nr_rows;
	p->addr = p->op = 0;
	p->file = p->line = 1;
	p->stmt = p->first_stmt;
	p->prologue_end = p->discriminator = false;
}

static void advance(struct program *p, uint64_t by)
{
	if (p->max_ops <= 1) {
		p->addr += by * p->min_bytes;
		return;
	}
	p->addr += (p->op + by) / p->max_ops * p->min_bytes;
	p->op = (p->op + by) % p->max_ops;
}

/* Steps over a sequence's rows, up to its end. */
static void skim(const struct program *p, struct pt_bytes *b)
{
	uint8_t op, n;

	while (pt_bytes_left(b) && !b->bad) {
		op = *b->at;
		if (op >= p->opcode_base) {
			b->at++;
		} else if (!op) {
			struct pt_bytes x = *b, ext;

			x.at++;
			ext = pt_bytes_sub(&x, pt_bytes_uleb(&x));
			if (pt_bytes_u8(&ext) == DW_LNE_end_sequence)
				return;
			*b = x;
		} else if (op == DW_LNS_fixed_advance_pc) {
			b->at++;
			pt_bytes_u16(b);
		} else if (op == DW_LNS_advance_line) {
			b->at++;
			pt_bytes_sleb(b);
		} else {
			b->at++;
			n = op == DW_LNS_copy || op == DW_LNS_const_add_pc || op == DW_LNS_negate_stmt || op == DW_LNS_set_prologue_end ? 0 :
				op == DW_LNS_advance_pc || op == DW_LNS_set_file ? 1 : p->lengths[op - 1];
			for (; n && !b->bad; n--)
				pt_bytes_uleb(b);
		}
	}
}

static void extended(struct pt_dw_lines *l, struct program *p, struct pt_bytes *b)
{
	struct pt_bytes x = pt_bytes_sub(b, pt_bytes_uleb(b));
	const char *name;

	switch (pt_bytes_u8(&x)) {
	case DW_LNE_end_sequence:
		end_sequence(l, p);
		break;
	case DW_LNE_set_address:
		p->addr = pt_bytes_left(&x) == 8 ? pt_bytes_u64(&x) : pt_bytes_left(&x) == 4 ? pt_bytes_u32(&x) : 0;
		p->op = 0;
		/* Addresses go up: nothing of a sequence that begins behind all that is wanted is. */
		if (l->within && l->nr_all == p->first && p->addr >= l->within[l->nr_within - 1].hi)
			skim(p, b);
		break;
	case DW_LNE_set_discriminator:
		p->discriminator = pt_bytes_uleb(&x) != 0;
		break;
	case DW_LNE_define_file:
		name = pt_bytes_str(&x, MAX_NAME);
		if (!x.bad)
			add_file(l, name, pt_bytes_uleb(&x));
		break;
	}
}

static void standard(struct pt_dw_lines *l, struct program *p, struct pt_bytes *b, uint8_t op)
{
	uint8_t n;

	switch (op) {
	case 0:
		extended(l, p, b);
		break;
	case DW_LNS_copy:
		add_row(l, p);
		break;
	case DW_LNS_advance_pc:
		advance(p, pt_bytes_uleb(b));
		break;
	case DW_LNS_advance_line:
		p->line += (uint32_t)pt_bytes_sleb(b);
		break;
	case DW_LNS_set_file:
		p->file = (uint32_t)pt_bytes_uleb(b);
		break;
	case DW_LNS_const_add_pc:
		advance(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->addr += pt_bytes_u16(b);
		p->op = 0;
		break;
	case DW_LNS_negate_stmt:
		p->stmt = !p->stmt;
		break;
	case DW_LNS_set_prologue_end:
		p->prologue_end = true;
		break;
	default:			/* column, other flags, and what is yet unknown: its arguments are skipped */
		for (n = p->lengths[op - 1]; n && !b->bad; n--)
			pt_bytes_uleb(b);
	}
}

static void run(struct pt_dw_lines *l, struct program *p, struct pt_bytes *b)
{
	p->file = p->line = 1;
	p->stmt = p->first_stmt;
	while (pt_bytes_left(b) && !b->bad) {
		uint8_t op = pt_bytes_u8(b);

		if (op < p->opcode_base) {
			standard(l, p, b, op);
			continue;
		}
		op = (uint8_t)(op - p->opcode_base);
		advance(p, op / p->line_range);
		p->line += (uint32_t)(p->line_base + op % p->line_range);
		add_row(l, p);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	return x->hi != y->hi ? (x->hi > y->hi) - (x->hi < y->hi) : (x->lo > y->lo) - (x->lo < y->lo);
}

/* All rows, by the sequences that are good. */
static void arrange(struct pt_dw_lines *l)
{
	struct pt_dw_row *v = pt_alloc_array(l->nr_all, sizeof(*v));
	size_t i, nr = 0;

	for (i = 0; i < l->nr_sequences; i++) {
		memcpy(v + nr, l->all + l->sequences[i].row, l->sequences[i].nr * sizeof(*v));
		nr += l->sequences[i].nr;
	}
	free(l->all);
	l->all = v;
	l->nr_all = nr;
	l->nr_sequences = 0;
}

static void read(struct pt_dw_lines *l)
{
	struct pt_dw_unit *u = l->unit, forms = *u;
	struct pt_dw_file *f = u->file;
	struct pt_bytes b = pt_dw_bytes(f, PT_DW_LINE, u->stmt_list, 12), header;
	struct program p = { .max_ops = 1 };
	uint64_t len = pt_bytes_u32(&b), off = u->stmt_list + 4, header_bytes;

	forms.offset_bytes = 4;
	if (len == 0xffffffff) {
		len = pt_bytes_u64(&b);
		forms.offset_bytes = 8;
		off += 8;
	}
	if (b.bad || len > f->sections[PT_DW_LINE].len || !pt_dw_pay(f->dwarf, len) || !pt_dw_take(f, len * ROWS_A_BYTE))
		return;
	b = pt_dw_bytes(f, PT_DW_LINE, off, len);
	l->version = forms.version = pt_bytes_u16(&b);
	if (l->version >= 5) {
		forms.address_bytes = pt_bytes_u8(&b);
		pt_bytes_u8(&b);	/* segment selectors */
	}
	header_bytes = forms.offset_bytes == 8 ? pt_bytes_u64(&b) : pt_bytes_u32(&b);
	header = pt_bytes_sub(&b, header_bytes);
	p.min_bytes = pt_bytes_u8(&header);
	if (l->version >= 4)
		p.max_ops = pt_bytes_u8(&header);
	p.first_stmt = pt_bytes_u8(&header);
	p.line_base = (int8_t)pt_bytes_u8(&header);
	p.line_range = pt_bytes_u8(&header);
	p.opcode_base = pt_bytes_u8(&header);
	p.lengths = pt_bytes_take(&header, p.opcode_base ? p.opcode_base - 1u : 0);
	if (header.bad || l->version < 2 || l->version > 5 || !p.line_range || !p.opcode_base)
		return;
	if (l->version >= 5) {
		read_new_files(l, &forms, &header, true);
		read_new_files(l, &forms, &header, false);
	} else {
		read_old_files(l, &header);
	}
	if (l->mode == FILES_ONLY)
		return;
	run(l, &p, &b);
	if (l->nr_sequences)
		qsort(l->sequences, l->nr_sequences, sizeof(*l->sequences), by_end);
	if (l->mode == ALL_ROWS)
		arrange(l);
}

static struct pt_dw_lines *make(struct pt_dw_unit *u, enum mode mode, const struct pt_dw_span *within, size_t nr)
{
	struct pt_dw_lines *l = pt_alloc(sizeof(*l));

	l->unit = u;
	l->mode = mode;
	l->within = within;
	l->nr_within = nr;
	if (u->has_stmt_list)
		read(l);
	l->within = NULL;
	return l;
}

struct pt_dw_lines *pt_dw_lines_new(struct pt_dw_unit *u)
{
	return make(u, BY_ADDRESS, NULL, 0);
}

struct pt_dw_lines *pt_dw_lines_new_rows(struct pt_dw_unit *u)
{
	return make(u, ALL_ROWS, NULL, 0);
}

struct pt_dw_lines *pt_dw_lines_new_rows_in(struct pt_dw_unit *u, const struct pt_dw_span *within, size_t nr)
{
	return nr ? make(u, ALL_ROWS, within, nr) : pt_dw_lines_new_files(u);
}

struct pt_dw_lines *pt_dw_lines_new_files(struct pt_dw_unit *u)
{
	return make(u, FILES_ONLY, NULL, 0);
}

const struct pt_dw_row *pt_dw_lines_rows(const struct pt_dw_lines *l, size_t *nr)
{
	*nr = l->nr_all;
	return l->all;
}

void pt_dw_lines_free(struct pt_dw_lines *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->nr_files; i++)
		free(l->files[i].path);
	free(l->files);
	free(l->dirs);
	free(l->rows);
	free(l->all);
	free(l->sequences);
	free(l);
}

bool pt_dw_lines_at(struct pt_dw_lines *l, uint64_t vaddr, uint32_t *file, uint32_t *line)
{
	const struct sequence *s;
	const struct row *rows;
	size_t past = PT_LEADING(l->nr_sequences, i, l->sequences[i].hi <= vaddr);

	if (past == l->nr_sequences || vaddr < l->sequences[past].lo)
		return false;
	s = &l->sequences[past];
	rows = &l->rows[s->row];
	past = PT_LEADING(s->nr, i, rows[i].addr <= vaddr);
	if (!past)
		return false;
	*file = rows[past - 1].file;
	*line = rows[past - 1].line;
	return true;
}

/* The directory of a file: by its number, before DWARF 5 counted from 1, 0 the one of compilation. */
static const char *directory_of(const struct pt_dw_lines *l, uint64_t dir)
{
	if (l->version >= 5)
		return dir < l->nr_dirs ? l->dirs[dir] : NULL;
	return dir && dir <= l->nr_dirs ? l->dirs[dir - 1] : NULL;
}

uint32_t pt_dw_lines_nr_files(const struct pt_dw_lines *l)
{
	return (uint32_t)l->nr_files + (l->version < 5);
}

const char *pt_dw_lines_name(const struct pt_dw_lines *l, uint32_t file)
{
	if (l->version < 5 && !file--)
		return NULL;
	return file < l->nr_files ? l->files[file].name : NULL;
}

const char *pt_dw_lines_file(struct pt_dw_lines *l, uint32_t file)
{
	const char *dir, *above = l->unit->comp_dir;
	struct pt_buf b = PT_BUF_INIT;
	struct file *f;

	if (l->version < 5 && !file--)
		return NULL;
	if (file >= l->nr_files || !l->files[file].name)
		return NULL;
	f = &l->files[file];
	if (f->name[0] == '/')
		return f->name;
	if (f->path)
		return f->path;
	dir = directory_of(l, f->dir);
	if (above && *above && (!dir || dir[0] != '/')) {
		pt_buf_puts(&b, above);
		pt_buf_putc(&b, '/');
	}
	if (dir && *dir) {
		pt_buf_puts(&b, dir);
		pt_buf_putc(&b, '/');
	}
	pt_buf_puts(&b, f->name);
	f->path = b.data;
	return f->path;
}
