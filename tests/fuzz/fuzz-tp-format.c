/* A format file: the first byte is the machine (1: foreign byte order, 2: longs of 4 bytes), the rest its text. What can be read prints records of some lengths. */
#include "tracepoint/tp.h"
#include "replay.h"

static void print(const struct pt_tp *tp, int fill, size_t len)
{
	struct pt_buf out = PT_BUF_INIT;
	uint8_t raw[512];

	memset(raw, fill, sizeof(raw));
	pt_tp_print(tp, raw + sizeof(raw) - len, len, &out);
	pt_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_tp_db *db;
	const struct pt_tp *tp;
	size_t i, n;
	uint64_t v;
	const void *p;

	if (!len)
		return 0;
	db = pt_tp_db_new(data[0] & 1, data[0] & 2 ? 4 : 8);
	pt_tp_db_add_format(db, "sys", (const char *)data + 1, len - 1, &e);
	tp = pt_tp_db_at(db, 0);
	if (tp) {
		static const uint8_t raw[64] = { 1, 2, 3, 4 };

		print(tp, 0, 512);
		print(tp, 0xff, 512);
		print(tp, 1, 40);
		print(tp, 'a', 0);
		for (i = 0; i < tp->nr_fields; i++) {
			pt_tp_value(&tp->fields[i], raw, sizeof(raw), data[0] & 1, &v);
			for (n = 0; n <= sizeof(raw); n += 4)
				pt_tp_faulted(&tp->fields[i], raw + sizeof(raw) - n, n, data[0] & 1);
			if (pt_tp_data(&tp->fields[i], raw, sizeof(raw), data[0] & 1, &p, &n) &&
			    ((const uint8_t *)p < raw || (const uint8_t *)p + n > raw + sizeof(raw)))
				__builtin_trap();
		}
	}
	pt_tp_db_free(db);
	return 0;
}
