/* bootanswer.h - what a test found out about the running kernel, kept until the next boot.
 *
 * An answer is a small number: 0 means that the test could not tell, and is not kept. It is kept
 * in a directory that belongs to this user and is writable for nobody else, in a file that only
 * this user can have written: "BOOT-ID ANSWER\n". */
#ifndef PT_BASE_BOOTANSWER_H
#define PT_BASE_BOOTANSWER_H

/* The kept answer, or that of test(). */
int pt_bootanswer_in(const char *dir, const char *name, int (*test)(void));
/* The same in /run, which only root has; other users test again. */
int pt_bootanswer(const char *name, int (*test)(void));

#endif
