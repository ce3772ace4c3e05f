/* A print format over fixed fields, then the record: a byte for the machine (as in fuzz-tp-format), the print format up to a NUL, the record's bytes. */
#include <stdlib.h>

#include "base/mem.h"
#include "tracepoint/tp.h"
#include "replay.h"

static const char fields[] =
	"name: t\nID: 9\nformat:\n"
	"\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u8 a;\toffset:4;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 s;\toffset:6;\tsize:2;\tsigned:1;\n"
	"\tfield:int d;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 x;\toffset:12;\tsize:8;\tsigned:0;\n"
	"\tfield:void * p;\toffset:20;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 ip[16];\toffset:44;\tsize:16;\tsigned:0;\n"
	"\tfield:u32 words[4];\toffset:60;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:76;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u32[] dyn;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:84;\tsize:4;\tsigned:0;\n"
	"\tfield:char rest[];\toffset:88;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: ";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *nul = len ? memchr(data + 1, 0, len - 1) : NULL, *record;
	struct pt_buf text = PT_BUF_INIT, out = PT_BUF_INIT;
	struct pt_tp_db *db;
	size_t record_len;

	if (!nul)
		return 0;
	record_len = (size_t)(data + len - (nul + 1));
	record = pt_memdup(nul + 1, record_len);	/* of its own, so that a read behind it is seen */
	pt_buf_puts(&text, fields);
	pt_buf_add(&text, data + 1, (size_t)(nul - data - 1));
	db = pt_tp_db_new(data[0] & 1, data[0] & 2 ? 4 : 8);
	if (pt_tp_db_add_format(db, "sys", text.data, text.len, NULL) < 0)
		abort();
	pt_tp_print(pt_tp_db_at(db, 0), record, record_len, &out);
	pt_tp_db_free(db);
	pt_buf_deinit(&text);
	pt_buf_deinit(&out);
	free((void *)record);
	return 0;
}
