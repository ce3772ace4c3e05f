/* build_ids.h - whether attr.build_id may be used without harm to other recorders.
 *
 * Some kernels set PERF_RECORD_MISC_MMAP_BUILD_ID for one event and leave it set in the MMAP2
 * records of the events that they visit next, though these records hold a device and an inode. A
 * recorder that believes the bit then reads a length that is none: perf record crashes. Such a
 * kernel must never be asked for build-ids. */
#ifndef PT_EVENT_BUILD_IDS_H
#define PT_EVENT_BUILD_IDS_H

enum pt_build_ids_are {
	PT_BUILD_IDS_UNTESTED,		/* the test failed: treat them as harmful */
	PT_BUILD_IDS_HARMLESS,
	PT_BUILD_IDS_HARMFUL,
};

/* Opens two events on the calling thread, one that asks for build-ids and one that does not, and
 * checks the records of a mapping. Returns one of these. */
int pt_build_ids_test(void);
/* The same, but root's answer is kept in /run until the next boot. Other users test again, which
 * takes 0.2 ms. Tests name another directory, which is used by any user; NULL: /run. */
enum pt_build_ids_are pt_build_ids_are(const char *dir);

#endif
