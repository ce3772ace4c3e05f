/* text_priv.h - how single types are written, for the table in text_types.c. */
#ifndef PT_SYSCALL_TEXT_PRIV_H
#define PT_SYSCALL_TEXT_PRIV_H

#include "syscall/text.h"

#define PRINTS(name) void name(struct pt_text *t, const struct pt_value *v)

PRINTS(pt_put_pointer);
PRINTS(pt_put_path);
PRINTS(pt_put_string);
PRINTS(pt_put_hex_bytes);
PRINTS(pt_put_stat);
PRINTS(pt_put_statx);
PRINTS(pt_put_fcntl_argument);
PRINTS(pt_put_ioctl_argument);
PRINTS(pt_put_prctl_argument);
PRINTS(pt_put_pointers);
PRINTS(pt_put_dirents);
PRINTS(pt_put_strings);
PRINTS(pt_put_iovec);
PRINTS(pt_put_sockaddr);
PRINTS(pt_put_message);
PRINTS(pt_put_epoll_event);
PRINTS(pt_put_fd_set);
PRINTS(pt_put_sigset);
PRINTS(pt_put_sigaction);
PRINTS(pt_put_wait_status);
PRINTS(pt_put_futex);
PRINTS(pt_put_clone);
PRINTS(pt_put_clone_args);
PRINTS(pt_put_capability_sets);
PRINTS(pt_put_file_time);
PRINTS(pt_put_siginfo);
PRINTS(pt_put_sigevent);

/* The bytes of a piece. */
struct pt_value pt_value_of(const struct pt_piece *p, int arg);
/* The member of a call's structure, ", name=0x10". */
void pt_text_member(struct pt_text *t, const char *name, uint64_t value);
/* By a table of flags.def. */
void pt_text_bits(struct pt_buf *b, const char *table, uint64_t value);
/* The same; the table is that of the call's CPU where it differs. */
void pt_text_cpu_bits(struct pt_text *t, const char *table, uint64_t value);
void pt_text_constant(struct pt_buf *b, const char *table, uint64_t value);

/* A copy of what was read; what is missing is 0. */
void pt_value_copy(void *to, size_t size, const struct pt_value *v);
#define COPY(thing) pt_value_copy(&(thing), sizeof(thing), v)

/* What pt_text_value() has parsed. */
void pt_types_free(struct pt_spec **members);

#endif
