#include "base/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* More mappings than slots at one time are refused; symbol files of a whole machine fit. */
enum { SLOTS = 4096 };

static struct guard {
	pthread_once_t once;
	pthread_mutex_t lock;
	struct sigaction before;
	long page_bytes;
	atomic_int used;		/* slots ever used: what the handler looks through */
	struct {
		_Atomic(uintptr_t) start;	/* 0: free */
		_Atomic(uintptr_t) end;
		atomic_bool shrunk;
	} slots[SLOTS];
} guard = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;
	int saved = errno, i, used = atomic_load(&guard.used);

	for (i = 0; i < used; i++) {
		uintptr_t start = atomic_load(&guard.slots[i].start);
		uintptr_t page = addr & ~((uintptr_t)guard.page_bytes - 1);

		if (!start || addr < start || addr >= atomic_load(&guard.slots[i].end))
			continue;
		if (mmap((void *)page, (size_t)guard.page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			break;
		atomic_store(&guard.slots[i].shrunk, true);
		errno = saved;
		return;
	}
	if (guard.before.sa_flags & SA_SIGINFO) {
		guard.before.sa_sigaction(sig, info, context);
	} else if (guard.before.sa_handler != SIG_DFL && guard.before.sa_handler != SIG_IGN) {
		guard.before.sa_handler(sig);
	} else {
		signal(sig, SIG_DFL);	/* the access is tried again, and kills */
	}
	errno = saved;
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	guard.page_bytes = sysconf(_SC_PAGESIZE);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &guard.before);
}

/* Returns a slot, -1 when all are taken. */
static int register_range(const void *data, size_t len)
{
	int i;

	pthread_once(&guard.once, install);
	pthread_mutex_lock(&guard.lock);
	for (i = 0; i < SLOTS && atomic_load(&guard.slots[i].start); i++)
		;
	if (i < SLOTS) {
		atomic_store(&guard.slots[i].shrunk, false);
		atomic_store(&guard.slots[i].end, (uintptr_t)data + len);
		atomic_store(&guard.slots[i].start, (uintptr_t)data);
		if (i >= atomic_load(&guard.used))
			atomic_store(&guard.used, i + 1);
	}
	pthread_mutex_unlock(&guard.lock);
	return i < SLOTS ? i : -1;
}

int pt_mapfile_open(struct pt_mapfile *m, const char *path, struct pt_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*m = (struct pt_mapfile){ .slot = -1, .fd = -1 };
	if (fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	return pt_mapfile_open_fd(m, fd, path, e);
}

static int map_fd(struct pt_mapfile *m, int fd, const char *name, struct pt_err *e)
{
	struct stat st;
	void *p;

	*m = (struct pt_mapfile){ .data = (const uint8_t *)"", .slot = -1, .fd = fd };
	if (fstat(fd, &st) < 0) {
		pt_err_sys(e, errno, "%s", name);
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		pt_err_sys(e, S_ISDIR(st.st_mode) ? EISDIR : ESPIPE, "%s", name);
		goto fail;
	}
	if (!st.st_size)
		return 0;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		pt_err_sys(e, errno, "%s: cannot map", name);
		goto fail;
	}
	m->slot = register_range(p, (size_t)st.st_size);
	if (m->slot < 0) {
		munmap(p, (size_t)st.st_size);
		pt_err_set(e, "%s: too many mapped files", name);
		goto fail;
	}
	m->data = p;
	m->len_bytes = (size_t)st.st_size;
	return 0;
fail:
	close(fd);
	m->fd = -1;
	return -1;
}

int pt_mapfile_open_fd(struct pt_mapfile *m, int fd, const char *name, struct pt_err *e)
{
	return map_fd(m, fd, name, e);
}

void pt_mapfile_close(struct pt_mapfile *m)
{
	if (m->slot >= 0) {
		atomic_store(&guard.slots[m->slot].start, 0);
		munmap((void *)m->data, m->len_bytes);
	}
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct pt_mapfile){ .data = (const uint8_t *)"", .slot = -1, .fd = -1 };
}

bool pt_mapfile_shrunk(const struct pt_mapfile *m)
{
	return m->slot >= 0 && atomic_load(&guard.slots[m->slot].shrunk);
}
