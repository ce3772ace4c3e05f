/* jvm.h - asks a running Java virtual machine to write the names of the code that it has compiled
 * to /tmp/perf-PID.map, as `jcmd PID Compiler.perfmap` does (Java 17 and later).
 *
 * HotSpot's attach protocol (its attachListener_posix.cpp): a file /tmp/.attach_pidPID and SIGQUIT
 * make the machine listen at the socket /tmp/.java_pidPID, which takes commands of its own user and
 * of root. Both names are below the machine's root directory, which belongs to others. So a child
 * of ours does all of it as that user: it can do nothing there that the user could not, and it is
 * killed if it does not end in time. */
#ifndef PT_STACK_JVM_H
#define PT_STACK_JVM_H

#include <stdint.h>

#include "base/err.h"

/* The message for a machine that has ended. */
#define PT_JVM_ENDED                                                                              \
	"it has ended (with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit it writes "     \
	"them at its end)"

/* 0: the map is written. -1: the message says why not. May take 10 seconds. */
int pt_jvm_write_map(uint32_t pid, struct pt_err *e);

#endif
