/* btf.h - arguments of kernel functions by name and type, from BTF: the kernel carries it along, so
 * that no debug information is needed.
 *
 *     struct pt_btf *b = pt_btf_open(NULL, &e);               // or a module's name
 *     if (pt_btf_func(b, "vfs_read", &f, &e) < 0) ...
 *     pt_btf_fetch(b, &f, machine, &arg, false, &fetch, &type, &e);   // "count" -> "%dx", "u64"
 *     pt_btf_free(b);
 *
 * Newer kernels take such names themselves; told by registers of the calling convention, they work
 * on older ones too, and errors are found before the kernel is asked. Arguments are where the
 * convention has them at the first instruction only. Source: Documentation/bpf/btf.rst; libbpf
 * reads it. */
#ifndef PT_PROBE_VALUE_BTF_H
#define PT_PROBE_VALUE_BTF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "probe/spec/arg.h"

enum { PT_BTF_PARAMS = 64 };

struct pt_btf;
struct pt_btf_func {
	const char *name;
	uint32_t result;		/* type ids; 0: void */
	struct { const char *name; uint32_t type; } params[PT_BTF_PARAMS];
	unsigned nr_params;
};

/* NULL: the kernel has none, or this user may not read it. */
struct pt_btf *pt_btf_open(const char *module, struct pt_err *e);
/* Of a file with raw BTF (/sys/kernel/btf/vmlinux) or an ELF file with a .BTF section. */
struct pt_btf *pt_btf_open_file(const char *path, struct pt_err *e);
void pt_btf_free(struct pt_btf *b);

int pt_btf_func(struct pt_btf *b, const char *name, struct pt_btf_func *f, struct pt_err *e);
/* "struct file *"; "?" */
void pt_btf_type_text(struct pt_btf *b, uint32_t type, struct pt_buf *out);
/* An expression over parameters, or over $retval (ret), as fetch text and kernel type. `machine`:
 * EM_*. */
int pt_btf_fetch(struct pt_btf *b, const struct pt_btf_func *f, uint16_t machine,
		 const struct pt_arg *arg, bool ret, struct pt_buf *fetch, struct pt_buf *type,
		 struct pt_err *e);

#endif
