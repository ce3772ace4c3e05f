/* The tracing-data section of a recording; each event in it prints a record. */
#include "tracepoint/tp.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t raw[256] = { 7, 0, 0, 0, 1, 2, 3 };
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	struct pt_err e = PT_ERR_INIT;
	struct pt_buf out = PT_BUF_INIT;
	size_t i;

	if (pt_tp_db_add_tracing_data(db, data, len, &e) < 0 && !*e.msg)
		__builtin_trap();
	for (i = 0; i < pt_tp_db_nr(db) && i < 64; i++) {
		pt_buf_clear(&out);
		pt_tp_print(pt_tp_db_at(db, i), raw, sizeof(raw), &out);
	}
	pt_buf_deinit(&out);
	pt_tp_db_free(db);
	return 0;
}
