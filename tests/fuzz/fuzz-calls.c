/* fuzz-calls: a system call with any arguments, result and memory of the process, as text and as
 * JSON. What a process has in its memory must not reach a terminal unescaped.
 *
 * Bytes: kind, flags, number of the call (2), then the arguments and the result, then pieces
 * (syscall/layout.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay.h"
#include "syscall/line.h"
#include "syscall/paths.h"

enum { FRONT = 4 + 8 * (PT_CALL_ARGS + 1) };

static void check(struct pt_buf *text)
{
	for (size_t i = 0; i + 1 < text->len; i++)
		if ((uint8_t)text->data[i] < ' ' || (uint8_t)text->data[i] > 126)
			__builtin_trap();
	if (!text->len || text->data[text->len - 1] != '\n')
		__builtin_trap();
	pt_buf_clear(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_line line = { .column = 40, .wall_ns = 1 };
	struct pt_calls *calls;
	struct pt_buf text = PT_BUF_INIT;
	struct pt_call c = { .pid = 7, .tid = 8, .start_ns = 1000, .end_ns = 3000 };
	uint64_t *memory;

	if (len < FRONT)
		return 0;
	calls = pt_calls_new();
	c.kind = data[0] % 4;
	c.flags = data[1] & PT_CALL_NO_START;
	c.nr = (data[2] | data[3] << 8) % PT_CALLS;
	c.compat = data[1] & 2;
	memcpy(c.args, data + 4, sizeof(c.args));
	memcpy(&c.ret, data + 4 + sizeof(c.args), sizeof(c.ret));
	if (c.kind == PT_CALL_DONE || c.kind == PT_CALL_UNFINISHED)
		c.name = pt_calls_name(calls, pt_call_slot(&c));
	/* aligned as in a ring, and not a byte longer than it says */
	c.len = len - FRONT;
	memory = pt_alloc(c.len);
	memcpy(memory, data + FRONT, c.len);
	c.data = (const uint8_t *)memory;
	for (int how = 0; how < 4; how++) {
		line.json = how & 1;
		line.paths = line.devices = line.text.names = how & 2;
		line.text.text_max = how & 2 ? 4 : 32;
		pt_line_add(&line, &c, NULL, 0, &text);
		check(&text);
	}
	if (c.name)
		pt_paths_has(&c, "/etc/hosts");
	free(memory);
	pt_buf_deinit(&text);
	pt_text_deinit(&line.text);
	pt_calls_free(calls);
	return 0;
}
