/* machines.h - made-up machines: what sysfs shows of their PMUs, written below a directory.
 *
 *     pt_machine_make(pt_test_dir(), "hybrid");		// DIR/sys/bus/event_source/devices/cpu_core/type ...
 *
 * The formats and events are those that kernels show on such machines. */
#ifndef PT_MACHINES_H
#define PT_MACHINES_H

/* "intel", "hybrid", "amd", "arm64", "s390", "power". Ends the program when it cannot be written. */
void pt_machine_make(const char *dir, const char *machine);

#endif
