/* btf.h - functions and types of the running kernel by BTF, which the kernel carries along, so
 * that no debug information is needed.
 *
 * Newer kernels take names of parameters themselves. Registers of the calling convention work on
 * older kernels too, and errors are found before the kernel is asked. Source: the kernel's
 * Documentation/bpf/btf.rst; libbpf reads it. */
#ifndef PT_PROBE_VALUE_BTF_H
#define PT_PROBE_VALUE_BTF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "probe/value/type.h"

enum { PT_BTF_PARAMS = 64 };

struct pt_btf_func {
	const char *name;
	struct pt_type result;
	struct { const char *name; struct pt_type type; } params[PT_BTF_PARAMS];
	unsigned nr_params;
};

/* Of the running kernel, or of a module with the kernel's below it. NULL: the kernel has none, or
 * this user may not read it. */
struct btf *pt_btf_open(const char *module, struct pt_err *e);
/* Of a file with raw BTF (/sys/kernel/btf/vmlinux) or an ELF file with a .BTF section. */
struct btf *pt_btf_open_file(const char *path, struct pt_err *e);
void pt_btf_free(struct btf *b);

/* Names and types are valid until pt_btf_free(). */
int pt_btf_func(const struct btf *b, const char *name, struct pt_btf_func *f, struct pt_err *e);

#endif
