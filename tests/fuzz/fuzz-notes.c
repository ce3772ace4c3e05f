/* fuzz-notes: ELF notes of strangers; the first byte chooses alignment and byte order. Whole files go through pt_build_id_mapped() in unit tests. */
#include "replay.h"

#include "elf/notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_build_id id;

	if (len && pt_build_id_of_notes(pt_notes(data + 1, len - 1, data[0] & 1 ? 8 : 4, data[0] & 2), &id) && (!id.len || id.len > sizeof(id.bytes)))
		__builtin_trap();
	return 0;
}
