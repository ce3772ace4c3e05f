/* Definitions of probes, operands of markers, names of events: the first byte chooses. A definition that is read is written as one that reads the same; a name that
 * is made is one that the kernel takes. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "probe/tracefs/event.h"
#include "probe/value/sdtarg.h"
#include "replay.h"

static void definition(const char *text, size_t len, bool user)
{
	struct pt_def a, b;
	struct pt_buf out = PT_BUF_INIT;

	if (pt_def_parse(&a, text, len, user, NULL) < 0)
		return;
	pt_def_text(&a, &out);
	if (pt_def_parse(&b, out.data, out.len, user, NULL) < 0 || !pt_def_same(&a, &b) || strcmp(a.group, b.group) || strcmp(a.event, b.event))
		__builtin_trap();
	pt_def_deinit(&a);
	pt_def_deinit(&b);
	pt_buf_deinit(&out);
}

static void operands(const char *text, uint16_t machine)
{
	struct pt_sdt sdt = { .provider = "p", .name = "n", .args = text, .vaddr = 0x1000 };
	const struct pt_section none = { .len_bytes = 0 };
	struct pt_object *o = pt_object_of_code("", 0, 0, machine, &none, "test");
	size_t nr = pt_sdt_nr_args(text);

	for (size_t i = 0; i <= nr && i < 64; i++) {
		struct pt_buf b = PT_BUF_INIT;
		const char *type = NULL;
		struct pt_err e = PT_ERR_INIT;

		if (pt_sdt_arg(o, &sdt, i, &b, &type, &e) < 0 ? !e.msg[0] : !b.len || strpbrk(b.data, " \t\n#"))
			__builtin_trap();
		pt_buf_deinit(&b);
	}
	pt_object_put(o);
}

static void name(const char *text, bool ret, uint32_t line)
{
	struct pt_buf b = PT_BUF_INIT;

	pt_event_name(text, line, ret, &b);
	if (pt_event_check(pt_buf_str(&b), NULL) < 0)
		__builtin_trap();
	pt_buf_deinit(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text;

	if (!len || len > 8192)
		return 0;
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	switch (data[0] % 8) {
	case 0: definition(text, len - 1, true); break;
	case 1: definition(text, len - 1, false); break;
	case 2: operands(text, EM_X86_64); break;
	case 3: operands(text, EM_AARCH64); break;
	case 4: operands(text, EM_S390); break;
	case 5: operands(text, EM_NONE); break;
	default: name(text, data[0] & 8, data[0] & 16 ? 4000000000u : 0); break;
	}
	free(text);
	return 0;
}
