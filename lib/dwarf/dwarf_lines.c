#include "dwarf/dwarf_lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/search.h"

enum {
	MAX_ROWS = 1 << 24,
	MAX_FILES = 1 << 20,
	MAX_FORMATS = 32,
	MAX_NAME = 4096,
	ROWS_A_BYTE = 16
};

/* Rows in order of address, which cover [lo, hi). */
struct sequence {
	uint64_t lo, hi;
	struct pt_bytes code;		/* the part of the program that makes them */
	size_t nr;
	struct pt_dw_row *rows;		/* NULL until asked for */
};

struct file { const char *name; uint64_t dir; char *path; };

struct program {			/* header and state */
	uint8_t min_bytes, max_ops, line_range, opcode_base, address_bytes;
	int8_t line_base;
	const uint8_t *lengths;		/* of standard opcodes */
	uint64_t addr, op;
	uint32_t file, line;
	uint8_t flags, first_flags;	/* PT_DW_ROW_* of the next row, of a sequence's first */
	/* of the sequence so far */
	uint64_t lo;
	struct pt_bytes code;
	size_t nr;
	struct pt_dw_row *rows;		/* NULL: they are only counted */
	size_t max;			/* room in `rows`: the file may have changed since */
};

struct pt_dw_lines {
	struct pt_dw_unit *unit;
	uint16_t version;
	const char **dirs;
	size_t nr_dirs, cap_dirs;
	struct file *files;
	size_t nr_files, cap_files;
	struct program program;		/* the initial state, from the header */
	/* the program's bytes; empty once the sequences are known */
	struct pt_bytes code;
	struct sequence *sequences;	/* by their ends */
	size_t nr_sequences, cap_sequences;
	size_t nr_found;		/* rows, also of sequences that are left out */
	struct pt_arena row_memory;
	struct pt_dw_row *rows;		/* of all sequences; NULL until asked for */
	size_t nr_rows;
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

/* A DWARF 5 table: format, number, entries. */
static void read_new_files(struct pt_dw_lines *l, const struct pt_dw_unit *forms,
			   struct pt_bytes *b, bool dirs)
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
			v = pt_dw_form_read(forms, b, format[k].form);
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

static void dwarf_lines_add_row(struct program *p, uint8_t flags)
{
	if (!p->nr)
		p->lo = p->addr;
	if (p->rows && p->nr < p->max)
		p->rows[p->nr] = (struct pt_dw_row){ p->addr, p->file, p->line, flags };
	p->nr++;
}

static void emit_row(struct program *p)
{
	dwarf_lines_add_row(p, p->flags);
	p->flags &= PT_DW_ROW_STMT;
}

static void start_sequence(struct program *p, const struct pt_bytes *b)
{
	p->addr = p->op = 0;
	p->file = p->line = 1;
	p->flags = p->first_flags;
	p->code = *b;
	p->nr = 0;
}

static void end_sequence(struct pt_dw_lines *l, struct program *p, const struct pt_bytes *b)
{
	dwarf_lines_add_row(p, PT_DW_ROW_END);
	if (p->rows)
		return;
	l->nr_found += p->nr;
	p->code.end = b->at;
	/* A sequence at address 0 or 1 was discarded by the linker. */
	if (p->nr > 1 && l->nr_found < MAX_ROWS && p->lo > 1 && p->lo < p->addr) {
		PT_GROW(l->sequences, l->nr_sequences, l->cap_sequences);
		l->sequences[l->nr_sequences++] =
			(struct sequence){ p->lo, p->addr, p->code, p->nr, NULL };
	}
	start_sequence(p, b);
}

static void dwarf_lines_advance(struct program *p, uint64_t by)
{
	if (p->max_ops <= 1) {
		p->addr += by * p->min_bytes;
		return;
	}
	p->addr += (p->op + by) / p->max_ops * p->min_bytes;
	p->op = (p->op + by) % p->max_ops;
}

static void extended(struct pt_dw_lines *l, struct program *p, struct pt_bytes *b)
{
	struct pt_bytes x = pt_bytes_sub(b, pt_bytes_uleb(b));
	const char *name;

	switch (pt_bytes_u8(&x)) {
	case DW_LNE_end_sequence:
		end_sequence(l, p, b);
		break;
	case DW_LNE_set_address:
		p->addr = pt_bytes_left(&x) == 8   ? pt_bytes_u64(&x)
			  : pt_bytes_left(&x) == 4 ? pt_bytes_u32(&x)
						   : 0;
		p->op = 0;
		break;
	case DW_LNE_set_discriminator:
		if (pt_bytes_uleb(&x))
			p->flags |= PT_DW_ROW_BLOCK;
		else
			p->flags &= (uint8_t)~PT_DW_ROW_BLOCK;
		break;
	case DW_LNE_define_file:
		name = pt_bytes_str(&x, MAX_NAME);
		if (!x.bad && !p->rows)
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
		emit_row(p);
		break;
	case DW_LNS_advance_pc:
		dwarf_lines_advance(p, pt_bytes_uleb(b));
		break;
	case DW_LNS_advance_line:
		p->line += (uint32_t)pt_bytes_sleb(b);
		break;
	case DW_LNS_set_file:
		p->file = (uint32_t)pt_bytes_uleb(b);
		break;
	case DW_LNS_const_add_pc:
		dwarf_lines_advance(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->addr += pt_bytes_u16(b);
		p->op = 0;
		break;
	case DW_LNS_negate_stmt:
		p->flags ^= PT_DW_ROW_STMT;
		break;
	case DW_LNS_set_prologue_end:
		p->flags |= PT_DW_ROW_PROLOGUE_END;
		break;
	/* column, other flags, and unknown opcodes: skip the arguments */
	default:
		for (n = p->lengths[op - 1]; n && !b->bad; n--)
			pt_bytes_uleb(b);
	}
}

/* Finds the sequences; with p->rows makes the rows of the one that the bytes are of. */
static void dwarf_lines_run(struct pt_dw_lines *l, struct program *p, struct pt_bytes *b)
{
	start_sequence(p, b);
	while (pt_bytes_left(b) && !b->bad) {
		uint8_t op = pt_bytes_u8(b);

		if (op < p->opcode_base) {
			standard(l, p, b, op);
			continue;
		}
		op = (uint8_t)(op - p->opcode_base);
		dwarf_lines_advance(p, op / p->line_range);
		p->line += (uint32_t)(p->line_base + op % p->line_range);
		emit_row(p);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	return x->hi != y->hi ? PT_COMPARE(x->hi, y->hi) : PT_COMPARE(x->lo, y->lo);
}

static void find_sequences(struct pt_dw_lines *l)
{
	struct program p = l->program;

	if (!pt_bytes_left(&l->code))
		return;
	dwarf_lines_run(l, &p, &l->code);
	l->code = (struct pt_bytes){ 0 };
	if (l->nr_sequences)
		qsort(l->sequences, l->nr_sequences, sizeof(*l->sequences), by_end);
}

static void dwarf_lines_make_rows(struct pt_dw_lines *l, struct sequence *s, struct pt_dw_row *rows)
{
	struct program p = l->program;
	struct pt_bytes code = s->code;

	p.rows = s->rows = rows;
	p.max = s->nr;
	dwarf_lines_run(l, &p, &code);
}

static void dwarf_lines_read_header(struct pt_dw_lines *l)
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
	if (b.bad || len > f->sections[PT_DW_LINE].len || !pt_dw_pay(f->dwarf, len) ||
	    !pt_dw_take(f, len * ROWS_A_BYTE))
		return;
	b = pt_dw_bytes(f, PT_DW_LINE, off, len);
	l->version = forms.version = pt_bytes_u16(&b);
	if (l->version >= 5) {
		forms.address_bytes = pt_bytes_u8(&b);
		pt_bytes_u8(&b);	/* segment selectors */
	}
	header_bytes = pt_bytes_number(&b, forms.offset_bytes);
	header = pt_bytes_sub(&b, header_bytes);
	p.min_bytes = pt_bytes_u8(&header);
	if (l->version >= 4)
		p.max_ops = pt_bytes_u8(&header);
	p.first_flags = pt_bytes_u8(&header) ? PT_DW_ROW_STMT : 0;
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
	l->program = p;
	l->code = b;
}

struct pt_dw_lines *pt_dw_lines_new(struct pt_dw_unit *u)
{
	struct pt_dw_lines *l = pt_alloc(sizeof(*l));

	l->unit = u;
	if (u->has_stmt_list)
		dwarf_lines_read_header(l);
	return l;
}

const struct pt_dw_row *pt_dw_lines_rows(struct pt_dw_lines *l, size_t *nr)
{
	find_sequences(l);
	if (!l->rows) {
		for (size_t i = 0; i < l->nr_sequences; i++)
			l->nr_rows += l->sequences[i].nr;
		l->rows = pt_arena_zalloc(&l->row_memory, l->nr_rows * sizeof(*l->rows));
		for (size_t i = 0, at = 0; i < l->nr_sequences; at += l->sequences[i++].nr)
			dwarf_lines_make_rows(l, &l->sequences[i], l->rows + at);
	}
	*nr = l->nr_rows;
	return l->rows;
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
	pt_arena_deinit(&l->row_memory);
	free(l->sequences);
	free(l);
}

const struct pt_dw_row *pt_dw_lines_around(struct pt_dw_lines *l, uint64_t vaddr, size_t *nr)
{
	struct sequence *s;
	size_t past;

	*nr = 0;
	find_sequences(l);
	past = PT_LEADING(l->nr_sequences, i, l->sequences[i].hi <= vaddr);
	if (past == l->nr_sequences || vaddr < l->sequences[past].lo)
		return NULL;
	s = &l->sequences[past];
	if (!s->rows)
		dwarf_lines_make_rows(l, s,
				      pt_arena_zalloc(&l->row_memory, s->nr * sizeof(*s->rows)));
	*nr = s->nr;
	return s->rows;
}

bool pt_dw_lines_at(struct pt_dw_lines *l, uint64_t vaddr, uint32_t *file, uint32_t *line)
{
	size_t nr;
	const struct pt_dw_row *rows = pt_dw_lines_around(l, vaddr, &nr);
	/* Of several rows at an address the last one counts. */
	size_t past = PT_LEADING(nr, i, rows[i].vaddr <= vaddr);

	if (!past)
		return false;
	*file = rows[past - 1].file;
	*line = rows[past - 1].line;
	return true;
}

/* Before DWARF 5 the numbers of files and directories start at 1; directory 0 is that of the
 * compilation. */
static const char *directory_of(const struct pt_dw_lines *l, uint64_t dir)
{
	dir -= l->version < 5;
	return dir < l->nr_dirs ? l->dirs[dir] : NULL;
}

static struct file *dwarf_lines_file_of(const struct pt_dw_lines *l, uint32_t file)
{
	file -= l->version < 5;
	return file < l->nr_files && l->files[file].name ? &l->files[file] : NULL;
}

uint32_t pt_dw_lines_nr_files(const struct pt_dw_lines *l)
{
	return (uint32_t)l->nr_files + (l->version < 5);
}

const char *pt_dw_lines_name(const struct pt_dw_lines *l, uint32_t file)
{
	const struct file *f = dwarf_lines_file_of(l, file);

	return f ? f->name : NULL;
}

const char *pt_dw_lines_file(struct pt_dw_lines *l, uint32_t file)
{
	const char *dir, *above = l->unit->comp_dir;
	struct pt_buf b = PT_BUF_INIT;
	struct file *f = dwarf_lines_file_of(l, file);

	if (!f || f->path)
		return f ? f->path : NULL;
	if (f->name[0] == '/')
		return f->name;
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
