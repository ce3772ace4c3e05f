/* A filter's text, parsed and tried on a record (text of the command line, but recordings bring the fields). */
#include <stdlib.h>

#include "base/mem.h"
#include "replay.h"
#include "tracepoint/tp_filter.h"

static const char format[] = "name: e\nID: 5\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			     "\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\tfield:char b[4];\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc char[] c;\toffset:12;\tsize:4;\tsigned:0;\n"
			     "\nprint fmt: \"%d\", REC->a\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_tp_db *db = pt_tp_db_new(false, 8);
	char *text = pt_strndup((const char *)data, len);
	struct pt_tp_filter *f = pt_tp_filter_new(text, NULL);

	pt_tp_db_add_format(db, "s", format, sizeof(format) - 1, NULL);
	if (f) {
		pt_tp_filter_holds(f, pt_tp_db_by_id(db, 5), data, len, 0);
		pt_tp_filter_missing(f);
	}
	pt_tp_filter_free(f);
	pt_tp_db_free(db);
	free(text);
	return 0;
}
