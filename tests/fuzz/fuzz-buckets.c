/* fuzz-buckets: what pt-lat --buckets writes, from anybody (pt-lat --merge). What was read is written, and read again: it is the same. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lat/lat_sum.h"

static char *read_lines(struct pt_lat_sum *s, const char *p, size_t len)
{
	char *by = NULL;

	pt_lat_sum_init(s);
	for (const char *end = p + len, *next; p < end; p = next + 1) {
		char *line;

		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next : end;
		line = pt_strndup(p, (size_t)(next - p));
		pt_lat_sum_read(s, line, &by, NULL);
		free(line);
	}
	return by;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_buf text = PT_BUF_INIT, first = PT_BUF_INIT, second = PT_BUF_INIT;
	struct pt_lat_sum s, again;
	char *by = read_lines(&s, (const char *)data, len), *by_again;

	pt_lat_sum_table(&s, by, &text);
	pt_lat_sum_hists(&s, by, &text);
	pt_lat_sum_json(&s, by, 0, true, &text);
	pt_lat_sum_buckets(&s, by, &first);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] < 32 && text.data[i] != '\n')
			__builtin_trap();
	by_again = read_lines(&again, pt_buf_str(&first), first.len);
	pt_lat_sum_buckets(&again, by_again, &second);
	if (strcmp(pt_buf_str(&first), pt_buf_str(&second)))
		__builtin_trap();
	pt_lat_sum_deinit(&s);
	pt_lat_sum_deinit(&again);
	pt_buf_deinit(&text);
	pt_buf_deinit(&first);
	pt_buf_deinit(&second);
	free(by);
	free(by_again);
	return 0;
}
