/* sdtarg.h - arguments of SDT markers, as the assembler wrote them into the note, made into what
 * tracefs fetches.
 *
 *     "-4@-20(%rbp) 8@%rdi -4@$3"  ->  "-20(%bp)" s32, "%di" u64, "\3" s32
 *
 * An operand is SIZE@PLACE, SIZE in bytes, negative for a signed one; PLACE is an operand of the
 * CPU's assembler. What the kernel cannot fetch (an index register, a register of floating point)
 * is refused with the reason. Source of the format: sys/sdt.h of SystemTap, the wiki page named in
 * elf/sdt.h; register names: arch/CPU/include/asm/ptrace.h, regs_query_register_offset(). */
#ifndef PT_PROBE_VALUE_SDTARG_H
#define PT_PROBE_VALUE_SDTARG_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "elf/sdt.h"
#include "probe/tracefs/def.h"

/* The number of operands of a marker. */
size_t pt_sdt_nr_args(const char *args);
/* The i-th operand's fetch text and type. */
int pt_sdt_arg(struct pt_object *o, const struct pt_sdt *sdt, size_t i, struct pt_buf *fetch,
	       const char **type, struct pt_err *e);

#endif
