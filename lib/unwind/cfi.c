#include "unwind/cfi.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "unwind/cfi_priv.h"

#ifndef DW_EH_PE_omit
#define DW_EH_PE_omit 0xff
#endif

enum {
	MAX_INDEX = 1 << 24,
	OVERLAP_LOOK = 8,
	MAX_UNPACKED = 64 << 20,
};

/* Encodings of pointers: Linux Standard Base, "DWARF Exception Header Encoding". */
bool pt_cfi_pointer(const struct pt_object *o, struct pt_bytes *b, uint8_t encoding, uint64_t vaddr,
		    uint64_t data_vaddr, uint64_t func_vaddr, uint64_t *v)
{
	const uint8_t *p;
	uint64_t x;

	if (encoding == DW_EH_PE_omit)
		return false;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr: x = pt_bytes_number(b, o->is64 ? 8 : 4); break;
	case DW_EH_PE_uleb128: x = pt_bytes_uleb(b); break;
	case DW_EH_PE_udata2: x = pt_bytes_u16(b); break;
	case DW_EH_PE_udata4: x = pt_bytes_u32(b); break;
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: x = pt_bytes_u64(b); break;
	case DW_EH_PE_sleb128: x = (uint64_t)pt_bytes_sleb(b); break;
	case DW_EH_PE_sdata2: x = (uint64_t)(int64_t)(int16_t)pt_bytes_u16(b); break;
	case DW_EH_PE_sdata4: x = (uint64_t)(int64_t)(int32_t)pt_bytes_u32(b); break;
	default: return false;
	}
	if (b->bad)
		return false;
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr: break;
	case DW_EH_PE_pcrel: x += vaddr; break;
	case DW_EH_PE_datarel: x += data_vaddr; break;
	case DW_EH_PE_funcrel: x += func_vaddr; break;
	default: return false;
	}
	if (!o->is64)
		x = (uint32_t)x;
	if (encoding & DW_EH_PE_indirect) {
		p = pt_object_bytes(o, x, o->is64 ? 8 : 4, true);
		if (!p)
			return false;
		x = o->is64 ? pt_load64(p, o->swap) : pt_load32(p, o->swap);
	}
	*v = x;
	return true;
}

/* What the augmentation string describes. */
static void augment(const struct pt_cfi *c, const struct frame_section *s, struct cie *cie,
		    const char *letters, struct pt_bytes *b)
{
	struct pt_bytes data;
	uint64_t skip;
	uint8_t encoding;

	if (*letters != 'z') {
		cie->bad = *letters != '\0';	/* its length is unknown */
		return;
	}
	cie->has_z = true;
	data = pt_bytes_sub(b, pt_bytes_uleb(b));
	for (letters++; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R': cie->fde_encoding = pt_bytes_u8(&data); break;
		case 'L': pt_bytes_u8(&data); break;
		case 'P':
			encoding = pt_bytes_u8(&data);
			if (!pt_cfi_pointer(c->object, &data, encoding & 0x7f,
					    s->vaddr + (uint64_t)(data.at - s->data), c->hdr_vaddr,
					    0, &skip))
				data.bad = true;
			break;
		case 'S': cie->signal = true; break;
		case 'B': case 'G': break;
		/* unknown letter: the length says where the data ends */
		default: return;
		}
	}
	cie->bad = data.bad;
}

/* The entry at off: its content, the offset of its id field, the id. False: none. */
static bool cfi_entry_at(const struct pt_cfi *c, const struct frame_section *s, uint64_t off,
			 struct pt_bytes *content, uint64_t *id_off, uint64_t *id, uint64_t *next)
{
	struct pt_bytes b;
	uint64_t len;
	bool big;

	if (off >= s->len_bytes)
		return false;
	b = pt_bytes(s->data + off, s->len_bytes - off, c->object->swap);
	len = pt_bytes_u32(&b);
	big = len == 0xffffffff;
	if (big)
		len = pt_bytes_u64(&b);
	if (b.bad || !len || len > pt_bytes_left(&b))
		return false;
	*content = pt_bytes_sub(&b, len);
	*next = (uint64_t)(content->end - s->data);
	*id_off = (uint64_t)(content->at - s->data);
	*id = big && s->debug ? pt_bytes_u64(content) : pt_bytes_u32(content);
	if (s->debug && !big && *id == 0xffffffff)
		*id = ~0ull;
	return !content->bad;
}

static bool is_cie(const struct frame_section *s, uint64_t id)
{
	return s->debug ? id == ~0ull : id == 0;
}

static const struct cie *cie_at(struct pt_cfi *c, const struct frame_section *s, uint64_t off)
{
	uint64_t id_off, id, next, ra_reg, key = off * 2 + s->debug,
					   *slot = pt_map_get(&c->cies, key);
	struct pt_bytes b;
	const char *letters;
	struct cie *cie;
	uint8_t version;

	if (slot)
		return pt_pointer(*slot);
	cie = pt_alloc(sizeof(*cie));
	cie->key = key;
	cie->fde_encoding = DW_EH_PE_absptr;
	cie->bad = !cfi_entry_at(c, s, off, &b, &id_off, &id, &next) || !is_cie(s, id);
	if (!cie->bad) {
		version = pt_bytes_u8(&b);
		letters = pt_bytes_str(&b, 64);
		if (!strcmp(letters, "eh"))
			letters = "", pt_bytes_take(&b, c->object->is64 ? 8 : 4);
		if (version >= 4) {
			cie->address_bytes = pt_bytes_u8(&b);
			cie->bad = pt_bytes_u8(&b) != 0;	/* segment selectors */
		}
		cie->code_align = pt_bytes_uleb(&b);
		cie->data_align = pt_bytes_sleb(&b);
		ra_reg = version == 1 ? pt_bytes_u8(&b) : pt_bytes_uleb(&b);
		cie->ra_reg = (uint32_t)PT_MIN(ra_reg, (uint64_t)PT_CFI_REGS);
		cie->bad |= version != 1 && version != 3 && version != 4;
		if (!cie->bad)
			augment(c, s, cie, letters, &b);
		cie->bad |= b.bad;
		cie->code = b.at;
		cie->code_bytes = pt_bytes_left(&b);
	}
	*pt_map_put(&c->cies, key) = pt_word_of(cie);
	return cie;
}

/* False: no entry, a CIE, or a bad FDE. *next: the offset behind it, or UINT64_MAX. */
static bool fde_at(struct pt_cfi *c, const struct frame_section *s, uint64_t off, struct fde *f,
		   uint64_t *next)
{
	uint64_t id_off, id, cie_off, range;
	struct pt_bytes b;

	*next = UINT64_MAX;
	if (!cfi_entry_at(c, s, off, &b, &id_off, &id, next) || is_cie(s, id))
		return false;
	cie_off = s->debug ? id : id_off - id;
	if (!s->debug && id > id_off)
		return false;
	if (!c->last_cie || c->last_cie->key != cie_off * 2 + s->debug)
		c->last_cie = cie_at(c, s, cie_off);
	f->cie = c->last_cie;
	if (f->cie->bad ||
	    !pt_cfi_pointer(c->object, &b, f->cie->fde_encoding,
			    s->vaddr + (uint64_t)(b.at - s->data), c->hdr_vaddr, 0, &f->start) ||
	    !pt_cfi_pointer(c->object, &b, f->cie->fde_encoding & 0x0f, 0, 0, 0, &range))
		return false;
	f->end = f->start + range;
	if (f->cie->has_z)
		pt_bytes_take(&b, pt_bytes_uleb(&b));
	f->code = b.at;
	f->code_bytes = pt_bytes_left(&b);
	f->code_vaddr = s->vaddr + (uint64_t)(b.at - s->data);
	/* FDEs of code that the linker discarded start at 0. */
	return !b.bad && f->end > f->start && f->start;
}

static int cfi_by_start(const void *a, const void *b)
{
	const struct index_entry *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
				    : (x->end < y->end) - (x->end > y->end);
}

static void cfi_scan(struct pt_cfi *c, const struct frame_section *s)
{
	uint64_t off = 0, next;
	size_t cap = c->nr_index;
	struct fde f;

	while (s->data && off < s->len_bytes && c->nr_index < MAX_INDEX) {
		if (fde_at(c, s, off, &f, &next)) {
			PT_GROW(c->index, c->nr_index, cap);
			c->index[c->nr_index++] =
				(struct index_entry){ f.start, f.end, off, s->debug };
		}
		if (next <= off || next == UINT64_MAX)
			break;
		off = next;
	}
	if (c->nr_index)
		qsort(c->index, c->nr_index, sizeof(*c->index), cfi_by_start);
}

/* Its table is used in the form that linkers write: pairs of s32, relative to the section. */
static void read_hdr(struct pt_cfi *c)
{
	struct pt_object *o = c->object;
	uint64_t len, vaddr = o->eh_frame_hdr_vaddr, count;
	const uint8_t *p = vaddr ? pt_object_from(o, vaddr, &len) : NULL;
	uint8_t version, frame_enc, count_enc, table_enc;
	struct pt_bytes b;

	c->hdr_vaddr = vaddr;
	if (!p)
		return;
	b = pt_bytes(p, PT_MIN(len, o->eh_frame_hdr_bytes), o->swap);
	version = pt_bytes_u8(&b);
	frame_enc = pt_bytes_u8(&b);
	count_enc = pt_bytes_u8(&b);
	table_enc = pt_bytes_u8(&b);
	if (version != 1 ||
	    !pt_cfi_pointer(o, &b, frame_enc, vaddr + (uint64_t)(b.at - p), vaddr, 0, &c->eh.vaddr))
		return;
	if (!c->eh.data && (c->eh.data = pt_object_from(o, c->eh.vaddr, &len)))
		/* No section headers: to the segment's end; an entry of length 0 ends it. */
		c->eh.len_bytes = len;
	if (!c->eh.data ||
	    !pt_cfi_pointer(o, &b, count_enc, vaddr + (uint64_t)(b.at - p), vaddr, 0, &count))
		return;
	if (table_enc != (DW_EH_PE_datarel | DW_EH_PE_sdata4) || !count ||
	    count > pt_bytes_left(&b) / 8)
		return;
	c->table = b.at;
	c->nr_table = count;
}

static void free_cfi(void *cfi)
{
	struct pt_cfi *c = cfi;
	struct pt_map_slot *s;
	size_t i;

	for (i = 0; (s = pt_map_each(&c->cies, &i)); )
		free(pt_pointer(s->value));
	for (i = 0; i < c->nr_rows; i++)
		free(c->rows[i].row);
	pt_map_deinit(&c->cies);
	pt_map_deinit(&c->row_hash);
	free(c->rows);
	free(c->exprs);
	free(c->remembered);
	free(c->index);
	pt_packed_free(&c->packed, c->unpacked);
	free(c);
}

static struct pt_cfi *cfi_of(struct pt_object *o)
{
	struct pt_section s;
	struct pt_cfi *c = o->parts[PT_OBJECT_CFI].data;

	if (c)
		return c;
	c = pt_alloc(sizeof(*c));
	o->parts[PT_OBJECT_CFI] = (struct pt_object_part){ c, free_cfi };
	c->object = o;
	c->go = pt_gotable_of(o);
	s = o->eh_frame;
	if (s.len_bytes || pt_object_data(o, ".eh_frame", &s))
		c->eh = (struct frame_section){ s.data, s.len_bytes, s.vaddr, false };
	read_hdr(c);
	if (!pt_object_data(o, ".debug_frame", &s))
		return c;
	c->debug = (struct frame_section){ s.data, s.len_bytes, s.vaddr, true };
	if (s.flags & SHF_COMPRESSED) {
		c->debug.data = NULL;
		if (!pt_packed_head(s.data, s.len_bytes, o->is64, o->swap, &c->packed) ||
		    c->packed.len_bytes > MAX_UNPACKED)
			c->packed.data = NULL;
	}
	return c;
}

/* False: it does not cover the vaddr, or is bad. */
static bool by_fde(struct pt_cfi *c, const struct frame_section *s, uint64_t off, uint64_t vaddr,
		   struct covered *is)
{
	uint64_t next;
	struct fde f;

	if (!fde_at(c, s, off, &f, &next) || vaddr < f.start || vaddr >= f.end)
		return false;
	*is = (struct covered){ f.start, f.end, pt_cfi_run(c, &f, vaddr) };
	return is->row;
}

static bool by_table(struct pt_cfi *c, uint64_t vaddr, struct covered *is)
{
	int64_t want = (int64_t)(vaddr - c->hdr_vaddr);
	bool swap = c->object->swap;
	size_t past =
		PT_LEADING(c->nr_table, i, (int32_t)pt_load32(c->table + i * 8, swap) <= want);
	unsigned look;

	for (look = 0; look < OVERLAP_LOOK && past; look++, past--) {
		uint64_t at =
			c->hdr_vaddr +
			(uint64_t)(int64_t)(int32_t)pt_load32(c->table + (past - 1) * 8 + 4, swap);

		if (at >= c->eh.vaddr && at - c->eh.vaddr < c->eh.len_bytes &&
		    by_fde(c, &c->eh, at - c->eh.vaddr, vaddr, is))
			return true;
	}
	return false;
}

static bool by_index(struct pt_cfi *c, uint64_t vaddr, struct covered *is)
{
	size_t past = PT_LEADING(c->nr_index, i, c->index[i].start <= vaddr);
	unsigned look;

	for (look = 0; look < OVERLAP_LOOK && past; look++, past--) {
		const struct index_entry *x = &c->index[past - 1];

		if (vaddr < x->end && by_fde(c, x->debug ? &c->debug : &c->eh, x->off, vaddr, is))
			return true;
	}
	return false;
}

static bool cfi_find(struct pt_cfi *c, uint64_t vaddr, struct covered *is)
{
	if (pt_cfi_go(c, vaddr, is))
		return is->row;
	if (c->table && by_table(c, vaddr, is))
		return true;
	if (!c->table && !c->scanned_eh) {
		cfi_scan(c, &c->eh);
		c->scanned_eh = true;
	}
	if (c->packed.data) {		/* on failure there is none */
		c->debug.data = c->unpacked = pt_packed_all(&c->packed);
		c->debug.len_bytes = c->unpacked ? c->packed.len_bytes : 0;
		c->packed.data = NULL;
	}
	if (c->debug.data && !c->scanned_debug) {
		cfi_scan(c, &c->debug);
		c->scanned_debug = true;
	}
	return by_index(c, vaddr, is);
}

const struct pt_row *pt_cfi_row(struct pt_object *o, uint64_t vaddr)
{
	struct covered is;

	return cfi_find(cfi_of(o), vaddr, &is) ? is.row : NULL;
}

bool pt_cfi_range(struct pt_object *o, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
	struct covered is;

	if (!cfi_find(cfi_of(o), vaddr, &is))
		return false;
	*start = is.start;
	*end = is.end;
	return true;
}

struct pt_expr pt_cfi_expr(const struct pt_object *o, int32_t off)
{
	const struct pt_cfi *c = o->parts[PT_OBJECT_CFI].data;

	if (!c || off < 0 || (size_t)off >= c->nr_exprs)
		return (struct pt_expr){ NULL, 0 };
	return c->exprs[off];
}
