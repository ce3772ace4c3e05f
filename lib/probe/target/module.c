#include "probe/target/module.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <lzma.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mapfile.h"
#include "base/mem.h"

/* The largest modules with debug information have 500 MB; a small file that expands to more than
 * this many times its size is no module. */
enum { MAX_BYTES = 1 << 30, MAX_RATIO = 200, XZ_MEMORY = 256 << 20 };
enum { MAX_ALIGN = 4096 };

/* -- the file, unpacked -- */

/* Each returns true if everything was unpacked and fits. */
static bool from_xz(const struct pt_mapfile *in, uint8_t *out, size_t *out_len)
{
	uint64_t memory = XZ_MEMORY;
	size_t from = 0, max = *out_len;

	*out_len = 0;
	return lzma_stream_buffer_decode(&memory, LZMA_CONCATENATED, NULL,
					 in->data, &from, in->len_bytes, out, out_len, max) ==
	       LZMA_OK;
}

static bool from_gzip(const struct pt_mapfile *in, uint8_t *out, size_t *out_len)
{
	z_stream s = { .next_in = pt_pointer(pt_word_of(in->data)),
		       .avail_in = (uInt)in->len_bytes,
		       .next_out = out,
		       .avail_out = (uInt)*out_len };
	bool done = inflateInit2(&s, 16 + MAX_WBITS) == Z_OK &&
		    inflate(&s, Z_FINISH) == Z_STREAM_END;

	*out_len = s.total_out;
	inflateEnd(&s);
	return done;
}

static bool from_zstd(const struct pt_mapfile *in, uint8_t *out, size_t *out_len)
{
	*out_len = ZSTD_decompress(out, *out_len, in->data, in->len_bytes);
	return !ZSTD_isError(*out_len);
}

static const struct packing {
	const char *magic;
	uint8_t len;
	bool (*unpack)(const struct pt_mapfile *in, uint8_t *out, size_t *out_len);
} packings[] = {
	{ "\xfd""7zXZ", 6, from_xz },
	{ "\x1f\x8b", 2, from_gzip },
	{ "\x28\xb5\x2f\xfd", 4, from_zstd },
};

/* Tries larger and larger buffers. False: damaged, truncated, or larger than a module is. */
static bool unpack(const struct packing *p, const struct pt_mapfile *in, struct pt_buf *out)
{
	size_t limit = PT_MIN((size_t)MAX_BYTES, in->len_bytes * MAX_RATIO);

	for (size_t max = PT_MIN(in->len_bytes * 8, limit);; max = PT_MIN(max * 2, limit)) {
		pt_buf_grow(out, max);
		out->len = max;
		if (p->unpack(in, (uint8_t *)out->data, &out->len))
			return true;
		out->len = 0;
		if (max == limit)
			return false;
	}
}

/* NULL: not packed. */
static const struct packing *packing_of(const void *head, size_t len)
{
	for (size_t i = 0; i < PT_NR(packings); i++)
		if (len >= packings[i].len && !memcmp(head, packings[i].magic, packings[i].len))
			return &packings[i];
	return NULL;
}

/* Takes the fd. */
static int read_unpacked(int fd, const char *path, struct pt_buf *b, struct pt_err *e)
{
	struct pt_mapfile file;
	const struct packing *p;
	int rc = 0;

	if (pt_mapfile_open_fd(&file, fd, path, e) < 0)
		return -1;
	p = packing_of(file.data, file.len_bytes);
	if (file.len_bytes > MAX_BYTES)
		rc = pt_err_set(e, "%s: too large for a module", path);
	else if (!p)
		pt_buf_add(b, file.data, file.len_bytes);
	else if (!unpack(p, &file, b))
		rc = pt_err_set(e, "%s: it cannot be unpacked: damaged, cut short, or larger than "
				   "a module is",
				path);
	pt_mapfile_close(&file);
	return rc;
}

/* -- relocated, by libdwfl -- */

static int no_debuginfo(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* libdwfl reads all sections whose headers are in the file, however much they unpack to. */
static int check_headers(const struct pt_buf *b, const char *path, struct pt_err *e)
{
	Elf *elf = elf_version(EV_CURRENT) ? elf_memory(b->data, b->len) : NULL;
	uint64_t sum = 0;
	GElf_Ehdr head;
	GElf_Chdr packed;
	int rc = 0;

	if (!elf || !gelf_getehdr(elf, &head))
		rc = pt_err_set(e, "%s: no ELF file", path);
	else if (head.e_type != ET_REL)
		rc = pt_err_set(e, "%s: no kernel module: it is linked", path);
	else if (head.e_shoff >= b->len)
		rc = pt_err_set(e, "%s: cut short: %zu bytes, its section headers are at %llu",
				path, b->len, (unsigned long long)head.e_shoff);
	for (Elf_Scn *s = NULL; rc == 0 && (s = elf_nextscn(elf, s)); )
		if (gelf_getchdr(s, &packed) &&
		    (packed.ch_size > MAX_BYTES || (sum += packed.ch_size) > MAX_BYTES))
			rc = pt_err_set(e, "%s: too large for a module", path);
	elf_end(elf);
	return rc;
}

static void move_symbols(Elf *elf, Elf_Data *symbols)
{
	GElf_Shdr to;
	GElf_Sym s;

	for (int i = 0; gelf_getsym(symbols, i, &s); i++)
		if (s.st_shndx && s.st_shndx < SHN_LORESERVE &&
		    gelf_getshdr(elf_getscn(elf, s.st_shndx), &to)) {
			s.st_value += to.sh_addr;
			gelf_update_sym(symbols, i, &s);
		}
}

/* Writes what libdwfl made of the file, as a linked one. */
static bool write_linked(Elf *from, int fd)
{
	Elf *to = elf_begin(fd, ELF_C_WRITE, NULL);
	bool good = to && gelf_newehdr(to, gelf_getclass(from));
	GElf_Ehdr head;
	GElf_Shdr sh;

	if (good && gelf_getehdr(from, &head)) {
		head.e_type = ET_DYN;
		head.e_phnum = 0;
		good = gelf_update_ehdr(to, &head);
	}
	for (Elf_Scn *s = NULL; good && (s = elf_nextscn(from, s)); ) {
		Elf_Scn *copy = elf_newscn(to);
		Elf_Data *data = elf_getdata(s, NULL), *out = copy ? elf_newdata(copy) : NULL;

		if (!out || !gelf_getshdr(s, &sh)) {
			good = false;
			break;
		}
		if (data && sh.sh_type == SHT_SYMTAB)
			move_symbols(from, data);
		if (data && (data->d_buf || sh.sh_type == SHT_NOBITS))
			*out = *data;
		out->d_off = 0;
		out->d_align = 1;
		if (sh.sh_addralign > MAX_ALIGN || sh.sh_addralign & (sh.sh_addralign - 1))
			sh.sh_addralign = 1;
		good = gelf_update_shdr(copy, &sh);
	}
	good = good && elf_update(to, ELF_C_WRITE) > 0;
	elf_end(to);
	return good;
}

/* The fd of the linked file; -1. */
static int linked(struct pt_buf *b, const char *path, struct pt_err *e)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *m =
		dwfl ? dwfl_report_offline_memory(dwfl, path, path, b->data, b->len) : NULL;
	Dwarf_Addr bias;
	Elf *elf = NULL;
	int fd = -1;

	if (m && !dwfl_report_end(dwfl, NULL, NULL)) {
		dwfl_module_getdwarf(m, &bias);		/* relocates the debug information */
		elf = dwfl_module_getelf(m, &bias);
	}
	if (elf && (fd = memfd_create("module", MFD_CLOEXEC)) >= 0 && !write_linked(elf, fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		pt_err_set(e, "%s: not a module's file that can be read: %s", path,
			   elf ? elf_errmsg(-1) : dwfl_errmsg(-1));
	dwfl_end(dwfl);
	return fd;
}

/* -- as an object -- */

static void add_segments(struct pt_object *o)
{
	size_t nr = o->nr_sections;
	struct pt_section s;
	const char *name;

	o->segments = pt_realloc(o->segments, nr + 1, sizeof(*o->segments));
	o->nr_segments = 0;
	for (size_t i = 1; i < nr; i++)
		if (pt_object_section_at(o, i, &s, &name) && s.vaddr && s.flags & SHF_ALLOC)
			o->segments[o->nr_segments++] = (struct pt_segment){
				.vaddr = s.vaddr,
				.off = s.data ? (uint64_t)(s.data - o->file.data) : 0,
				.mem_bytes = s.len_bytes,
				.file_bytes = s.data ? s.len_bytes : 0,
				.flags = PF_R | (s.flags & SHF_WRITE ? PF_W : 0) |
					 (s.flags & SHF_EXECINSTR ? PF_X : 0),
			};
}

/* "name=dummy" of .modinfo, else from the file's name. */
static char *module_name_of(const struct pt_object *o, const char *path)
{
	const char *base = basename(path);
	struct pt_section s;
	char *name;

	if (pt_object_data(o, ".modinfo", &s))
		for (const char *p = (const char *)s.data, *end = p + s.len_bytes; p < end; ) {
			size_t len = strnlen(p, (size_t)(end - p));

			if (len > 5 && len < 64 && !memcmp(p, "name=", 5) &&
			    len < (size_t)(end - p) && !strpbrk(p, " \t\n:/+"))
				return pt_strdup(p + 5);
			p += len + 1;
		}
	name = pt_strndup(base, strcspn(base, "."));
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

bool pt_module_is(int fd)
{
	uint8_t head[18];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	bool big = head[EI_DATA] == ELFDATA2MSB;

	if (n < (ssize_t)sizeof(head))
		return false;
	return packing_of(head, (size_t)n) ||
	       (!memcmp(head, ELFMAG, SELFMAG) && head[big ? 17 : 16] == ET_REL &&
		!head[big ? 16 : 17]);
}

int pt_module_open(struct pt_object **o, char **name, int fd, const char *path, struct pt_err *e)
{
	struct pt_buf b = PT_BUF_INIT;
	int rc = read_unpacked(fd, path, &b, e);

	if (rc == 0)
		rc = check_headers(&b, path, e);
	if (rc == 0 && ((fd = linked(&b, path, e)) < 0 || pt_object_open_fd(o, fd, path, e) < 0))
		rc = -1;
	pt_buf_deinit(&b);
	if (rc < 0)
		return -1;
	(*o)->type = ET_REL;
	add_segments(*o);
	*name = module_name_of(*o, path);
	return 0;
}

const char *pt_module_section(const struct pt_object *o, uint64_t vaddr, uint64_t *start)
{
	struct pt_section s;
	const char *name;

	for (size_t n = 1; n < o->nr_sections; n++)
		if (pt_object_section_at(o, n, &s, &name) && s.flags & SHF_ALLOC &&
		    vaddr >= s.vaddr && vaddr - s.vaddr < s.len_bytes) {
			*start = s.vaddr;
			return name;
		}
	return NULL;
}
