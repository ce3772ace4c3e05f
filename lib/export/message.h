/* message.h - messages of protocol buffers, put behind one another.
 *
 * The bytes of two messages of one type, one behind the other, are one message: fields that may be
 * repeated are those of both. So a long message is written in pieces, each with a few of its
 * fields, and never is in memory as a whole. */
#ifndef PT_EXPORT_MESSAGE_H
#define PT_EXPORT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "base/buf.h"

static inline void pt_message_add(struct pt_buf *b, const ProtobufCMessage *m)
{
	size_t len = protobuf_c_message_get_packed_size(m);

	pt_buf_grow(b, len);
	b->len += protobuf_c_message_pack(m, (uint8_t *)b->data + b->len);
	b->data[b->len] = '\0';
}

#endif
