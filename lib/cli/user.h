/* user.h - users by name or number, and what they run. */
#ifndef PT_CLI_USER_H
#define PT_CLI_USER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int pt_user_id(const char *text, uint32_t *uid, struct pt_err *e);
/* Adds the processes of the user `text`, except this one, to a sorted list on the heap. A user
 * without processes is an error. */
int pt_user_processes(const char *text, int **pids, size_t *nr, struct pt_err *e);

#endif
