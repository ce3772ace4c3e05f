/* thisboot.h - is a recording of this machine, and was the kernel not started again since? Then
 * what the running kernel says of itself
 * (/proc/kallsyms) holds for the recording, too. The answer is no when in doubt: hidden addresses,
 * sections that are missing. */
#ifndef PT_RECORD_THISBOOT_H
#define PT_RECORD_THISBOOT_H

#include "record/info.h"
#include "record/record.h"

/* `kernel_map`: the MMAP record of the kernel's text, "[kernel.kallsyms]_text" or "_stext", whose
 * offset is that symbol's address. */
bool pt_this_boot(const struct pt_info *info, const struct pt_build_id_entry *build_ids,
		  size_t nr_build_ids, const struct pt_record *kernel_map);

#endif
