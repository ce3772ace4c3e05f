/* bootanswer.h - what a test found out about the running kernel, kept until the next boot.
 *
 * An answer is a small number: 0 means that the test could not tell, and is not kept. It is an item
 * of base/keep.h, so the directory must belong to this user and be writable for nobody else. */
#ifndef PT_BASE_BOOTANSWER_H
#define PT_BASE_BOOTANSWER_H

/* The kept answer, or that of test(). */
int pt_bootanswer_in(const char *dir, const char *name, int (*test)(void));
/* The same in /run, which only root has; other users test again. */
int pt_bootanswer(const char *name, int (*test)(void));

#endif
