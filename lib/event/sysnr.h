/* sysnr.h - the numbers of system calls and their names, by machine as uname -m says it, since a
 * recording may be another machine's. Source: libseccomp's tables; a call that is newer than the
 * installed libseccomp has no name. */
#ifndef PT_EVENT_SYSNR_H
#define PT_EVENT_SYSNR_H

#include <stdbool.h>
#include <stdint.h>

struct pt_sysnr;
/* "i386", "i686": a machine with 32 bits. */
bool pt_sysnr_is_i386(const char *arch);
/* arch: "x86_64"; for NULL or an unknown machine no call has a name. */
struct pt_sysnr *pt_sysnr_new(const char *arch);
void pt_sysnr_free(struct pt_sysnr *s);
/* "read"; NULL: unknown. It lives as long as *s. */
const char *pt_sysnr_name(struct pt_sysnr *s, int64_t nr);
/* The number of a name, or of a number as text; -1: none. */
int64_t pt_sysnr_find(const struct pt_sysnr *s, const char *name);

#endif
