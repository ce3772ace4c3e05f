/* call.h - one system call, signal or exit of a task, wherever it comes from: the programs of
 * collect.h, or tracepoints syscalls:* and raw_syscalls:* (live or recorded), which have no memory
 * of the process.
 *
 *     struct pt_calls *calls = pt_calls_new();
 *     if (pt_calls_feed(calls, source, rec, &call)) ... // call: valid until the next record
 *
 * Times are those of the records. */
#ifndef PT_SYSCALL_CALL_H
#define PT_SYSCALL_CALL_H

#include "record/read/source.h"
#include "syscall/layout.h"

struct pt_call {
	enum pt_call_kind kind;
	uint8_t flags;			/* enum pt_call_flag */
	int64_t nr;			/* of the call or the signal */
	bool compat;			/* of a 32-bit program: it has other numbers and layouts */
	const char *machine;		/* where it was made, as uname -m says it */
	const char *name;		/* of the call; NULL: unknown */
	uint32_t pid, tid, cpu;
	uint64_t start_ns, end_ns;
	uint64_t args[PT_CALL_ARGS];
	int64_t ret;
	/* pieces (struct pt_piece) of the process's memory; of a signal its siginfo_t */
	const uint8_t *data;
	size_t len;
	bool no_memory;			/* from tracepoints: it never has pieces */
};

static inline bool pt_call_failed(const struct pt_call *c)
{
	return c->ret < 0 && c->ret >= -4095;
}

/* Its duration is known. */
static inline bool pt_call_timed(const struct pt_call *c)
{
	return !(c->flags & PT_CALL_NO_START);
}

/* Which of PT_CALL_SLOTS the call is. */
static inline int pt_call_slot(const struct pt_call *c)
{
	int nr = c->nr < 0 || c->nr >= PT_CALLS ? PT_CALL_OTHER : (int)c->nr;

	return nr + (c->compat ? PT_CALLS : 0);
}

/* The piece of an argument; `flags`: 0 read at the entry (or again), PT_PIECE_AT_EXIT. NULL: it
 * could not be read, or was not asked for. */
const struct pt_piece *pt_call_piece(const struct pt_call *c, int item, int flags);
/* An element of a vector. */
const struct pt_piece *pt_call_element(const struct pt_call *c, int item, uint32_t index);

/* Where argument `i` is in pt_call_record.regs of this machine, in bytes. */
int pt_call_arg_at(int i);

struct pt_calls;
struct pt_calls *pt_calls_new(void);
void pt_calls_free(struct pt_calls *c);
/* True: *call is set. */
bool pt_calls_feed(struct pt_calls *c, const struct pt_source *s, const struct pt_record *rec,
		   struct pt_call *call);
/* Of this machine, or of the recording that was fed. NULL: unknown. */
const char *pt_calls_name(struct pt_calls *c, int slot);
/* The machine of the recording that was fed, as uname -m says it; NULL: it is this one. */
const char *pt_calls_foreign(const struct pt_calls *c);
/* The call that a task is in at end_ns, by the state that programs keep of it. False: none. */
bool pt_calls_of_task(struct pt_calls *c, uint32_t tid, const struct pt_task_state *state,
		      uint64_t end_ns, struct pt_call *call);
/* Calls of tracepoints that have not ended when the records do, at end_ns; one after the other. */
bool pt_calls_open(struct pt_calls *c, size_t *i, uint64_t end_ns, struct pt_call *call);

#endif
