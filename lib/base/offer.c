#include "base/offer.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

bool pt_offer_note(struct pt_offer *o, const char *name, bool chosen)
{
	size_t len = sizeof(o->names[0]) - 1;

	if (o->some || !name)
		return chosen;
	o->some = chosen;
	for (size_t i = 0; i < o->nr; i++)
		if (!strncmp(o->names[i], name, len))
			return chosen;
	if (o->nr < PT_NR(o->names))
		memcpy(o->names[o->nr++], name, strnlen(name, len));
	return chosen;
}

void pt_offer_puts(const struct pt_offer *o, struct pt_buf *b)
{
	for (size_t i = 0; i < o->nr; i++) {
		pt_buf_puts(b, i ? ", " : "");
		pt_text_puts(b, o->names[i]);
	}
	if (o->nr == PT_NR(o->names))
		pt_buf_puts(b, ", ...");
}
