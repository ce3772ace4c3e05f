/* layout.h - what the programs in the kernel (programs.c) write, and what tells them what to read.
 *
 * A call is one record. It has the layout of a perf sample with IDENTIFIER, TID, TIME, CPU and RAW,
 * so that the stream takes it as it is; RAW is a pt_call_record with pieces behind it. Each piece
 * is memory of the process that an argument points to. Numbers are in this machine's byte order. */
#ifndef PT_SYSCALL_LAYOUT_H
#define PT_SYSCALL_LAYOUT_H

#include <stdint.h>

enum {
	PT_CALLS = 1024,		/* numbers of calls are below */
	PT_CALL_OTHER = PT_CALLS - 1,	/* the slot of all greater numbers, as x32 has */
	PT_CALL_SLOTS = 2 * PT_CALLS,	/* calls of 32-bit programs are behind the others */
	PT_CALL_ARGS = 6,
	PT_CALL_REGS = 9,		/* saved registers that hold arguments and the number */
	PT_FETCHES = 5,
	PT_PIECE_MAX = 2040,		/* bytes of one piece */
	PT_PIECES_START_MAX = 1784,	/* no piece starts behind that */
	PT_PIECES_BYTES = 3848,
	PT_VECTOR_MAX = 32,		/* strings of argv, buffers of an iovec */
	PT_SUM_BUCKETS = 320,		/* 8 to a power of two; the last takes what is longer */
	PT_SUM_PARTS_LOG2 = 3,
};

enum pt_call_kind { PT_CALL_DONE, PT_CALL_UNFINISHED, PT_CALL_SIGNAL, PT_CALL_EXIT };
enum pt_call_flag {
	PT_CALL_NO_START = 1,		/* begun before it was watched, or refused by seccomp */
	PT_CALL_OPEN = 4,		/* it had not returned when watching ended */
};

enum { PT_SIGNAL_UNREAD = -1000 };	/* the kernel does not let its siginfo_t be read */

struct pt_call_record {
	uint8_t kind;			/* enum pt_call_kind */
	uint8_t flags;
	uint16_t nr;			/* slot of the call; number of the signal */
	uint64_t start_ns, end_ns;
	/* As struct pt_regs has them; arguments of 32-bit programs are where others have them. */
	uint64_t regs[PT_CALL_REGS];
	/* PT_CALL_EXIT: as waitpid(2) gives it; PT_CALL_SIGNAL: 0 if there is a siginfo_t */
	int64_t ret;
} __attribute__((packed, aligned(4)));

struct pt_call_sample {
	uint32_t type;
	uint16_t misc, size;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint32_t raw_size;
	struct pt_call_record call;
} __attribute__((packed, aligned(4)));

enum pt_piece_flag {
	PT_PIECE_AT_EXIT = 1,		/* read when the call returned */
	PT_PIECE_AGAIN = 2,		/* the same, because the first try failed */
	PT_PIECE_END = 4,		/* of a vector; `index` is the number of its elements */
	PT_PIECE_FAULT = 8,		/* an element that could not be read */
	PT_PIECE_ROOT = 16,		/* of a path: the root of a mount */
};
enum pt_piece_item {			/* 0 to 5: the argument */
	PT_PIECE_EXEC_PATH = 8,		/* of sched_process_exec */
	PT_PIECE_NAME = 9,		/* msg_name, msg_control of a msghdr */
	PT_PIECE_CONTROL = 10,
	PT_PIECE_IOVEC = 11,		/* msg_iov */
	PT_PIECE_FILE = 16,		/* of a descriptor: struct pt_piece_file, then names */
};
struct pt_piece {
	uint16_t len;			/* bytes behind it, padded to 8 */
	uint8_t item;			/* argument, or enum pt_piece_item */
	uint8_t flags;
	uint32_t index;			/* in a vector */
};

/* The file of a descriptor, with index 0. Behind it are pieces of the same item with index 1, 2
 * ...: the names of its directory entries, innermost first. One with PT_PIECE_ROOT is the root of a
 * mount, whose name counts only if it is the first. */
struct pt_piece_file {
	int64_t fd;			/* AT_FDCWD: the working directory */
	uint64_t magic, ino;		/* of the file system; of the inode */
	uint32_t mode;
	uint32_t dev;			/* of a device: 12 bits major, 20 minor */
	uint64_t hashed;		/* 0: deleted */
};

/* What to read for a call: rows of the array map `plans`, by slot. */
enum pt_fetch_kind {
	PT_FETCH_NONE, PT_FETCH_TEXT, PT_FETCH_BYTES,
	PT_FETCH_STRINGS, PT_FETCH_IOVECS, PT_FETCH_MESSAGE,	/* vectors */
	PT_FETCH_POINTERS, PT_FETCH_DIRENTS,			/* how many there are */
};
enum pt_fetch_count { PT_COUNT_ONE, PT_COUNT_ARG, PT_COUNT_RET, PT_COUNT_POINTED };
enum { PT_AT_ENTRY = 1, PT_AT_EXIT = 2 };
struct pt_fetch {
	uint8_t kind;
	uint8_t when;			/* PT_AT_ENTRY, PT_AT_EXIT */
	uint8_t item;			/* for the piece */
	uint8_t address_at;		/* offset in regs */
	uint8_t count;			/* enum pt_fetch_count */
	uint8_t count_at;		/* offset in regs */
	/* Bytes of an element (of a message: of its iovec); 0: count is of bits. DIRENTS: where an
	 * entry has its length. */
	uint16_t unit;
	uint16_t max;			/* bytes */
	uint16_t reserved;
};
/* Descriptors whose paths are wanted. */
enum pt_file_kind { PT_FILE_NONE, PT_FILE_ARG, PT_FILE_RESULT, PT_FILE_FIRST, PT_FILE_SECOND };
enum { PT_FILES = 3 };
struct pt_file_fetch {
	uint8_t kind;			/* FIRST, SECOND: of the pair at an address */
	uint8_t at;			/* offset in regs */
	uint16_t reserved;
};
enum {
	PT_PLAN_WANTED = 1, PT_PLAN_EXEC = 2,
	PT_PLAN_SIGRETURN = 4,		/* its first argument is where the signal mask is */
};
struct pt_plan {
	uint8_t flags;
	uint8_t reads;			/* whether there is any fetch */
	uint16_t reserved;
	struct pt_fetch fetch[PT_FETCHES];
	struct pt_fetch vector, tally;
	struct pt_file_fetch files[PT_FILES];	/* the first is of the result */
};

/* The value of the hash map `tasks`, by tid. */
enum pt_task_flag {
	PT_TASK_AWAITS_EXEC = 1,	/* nothing is shown before its first exec that works */
	PT_TASK_IN_CALL = 2,
	PT_TASK_NEWBORN = 4,		/* returns from the fork that made it */
};
struct pt_task_state {
	uint32_t flags;
	uint32_t faulted;		/* fetches to repeat at the exit of the call */
	uint32_t len;			/* of pieces */
	uint32_t reserved;
	uint64_t off_ns;		/* of the call: not on a CPU */
	uint64_t off_since_ns;
	uint64_t reserved2;		/* aligns what follows */
	struct pt_call_sample sample;
	uint8_t pieces[PT_PIECES_BYTES];
} __attribute__((packed, aligned(4)));

/* The map `scratch`, one a CPU: a signal's record. */
struct pt_signal_state {
	uint32_t reserved;		/* aligns what follows */
	struct pt_call_sample sample;
	uint8_t info[128];		/* siginfo_t */
} __attribute__((packed, aligned(4)));

/* The hash map `sums`. Each CPU has rows of its own, so no atomic operations are needed. */
struct pt_sum_key {
	uint64_t of;			/* tid or cgroup; 0: all */
	uint32_t slot, cpu;
};
struct pt_sum_value {
	uint64_t calls, errors;
	uint64_t untimed;		/* of the calls: PT_CALL_NO_START, in no other figure */
	uint64_t total_ns, max_ns, off_ns;
	uint32_t buckets[PT_SUM_BUCKETS];
};

/* The array map `stats`, one a CPU. */
enum pt_stat_row {
	PT_STAT_CALLS,			/* records that were to be written */
	PT_STAT_CALLS_LOST,		/* those that found the ring full */
	PT_STAT_OTHERS,			/* signals and exits, the same */
	PT_STAT_OTHERS_LOST,
	PT_STAT_NO_TASK,		/* tasks, or sums, that found no room */
	PT_NR_STATS
};

_Static_assert(sizeof(struct pt_call_record) == 100, "pieces are aligned to 8 in a sample");
_Static_assert(sizeof(struct pt_call_sample) % 8 == 0, "samples are multiples of 8");

#endif
