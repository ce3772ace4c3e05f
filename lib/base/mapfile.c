#include "base/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"

/* The table grows by blocks that never move: the handler reads them without a lock. */
enum { BLOCK = 4096, BLOCKS = 256, USUAL_MAP_COUNT = 65530 };

enum { SOON_BYTES = 4 << 20 };

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22		/* Linux 5.14 */
#endif

struct slot {
	_Atomic(uintptr_t) start;	/* 0: free */
	_Atomic(uintptr_t) end;
	atomic_bool shrunk;
};

static struct guard {
	pthread_once_t once;
	pthread_mutex_t lock;
	struct sigaction before;
	long page_bytes;
	int most;			/* limit of mappings at one time */
	int free_from;			/* all slots below are used */
	atomic_int used;		/* slots ever used, which the handler searches */
	_Atomic(struct slot *) blocks[BLOCKS];
} guard = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

static struct slot *slot_at(int i)
{
	return &atomic_load(&guard.blocks[i / BLOCK])[i % BLOCK];
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;
	int saved = errno, i, used = atomic_load(&guard.used);

	for (i = 0; i < used; i++) {
		struct slot *s = slot_at(i);
		uintptr_t start = atomic_load(&s->start);
		uintptr_t page = addr & ~((uintptr_t)guard.page_bytes - 1);

		if (!start || addr < start || addr >= atomic_load(&s->end))
			continue;
		if (mmap((void *)page, (size_t)guard.page_bytes, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		atomic_store(&s->shrunk, true);
		errno = saved;
		return;
	}
	if (guard.before.sa_flags & SA_SIGINFO) {
		guard.before.sa_sigaction(sig, info, context);
	} else if (guard.before.sa_handler != SIG_DFL && guard.before.sa_handler != SIG_IGN) {
		guard.before.sa_handler(sig);
	} else {
		signal(sig, SIG_DFL);	/* the access is repeated and kills */
	}
	errno = saved;
}

/* The kernel limits a process's mappings (vm.max_map_count). An eighth is left for memory and
 * threads. */
static int most_mappings(void)
{
	int64_t most = pt_file_number("/proc/sys/vm/max_map_count", USUAL_MAP_COUNT);

	return (int)PT_MIN(most - most / 8, (int64_t)BLOCK * BLOCKS);
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	guard.page_bytes = sysconf(_SC_PAGESIZE);
	guard.most = most_mappings();
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &guard.before);
}

/* Returns a slot, -1 if there are too many mappings. */
static int register_range(const void *data, size_t len)
{
	struct slot *s;
	int i;

	pthread_once(&guard.once, install);
	pthread_mutex_lock(&guard.lock);
	for (i = guard.free_from; i < atomic_load(&guard.used) && atomic_load(&slot_at(i)->start);
	     i++)
		;
	if (i < guard.most) {
		if (!atomic_load(&guard.blocks[i / BLOCK]))
			atomic_store(&guard.blocks[i / BLOCK],
				     pt_alloc_array(BLOCK, sizeof(struct slot)));
		s = slot_at(i);
		atomic_store(&s->shrunk, false);
		atomic_store(&s->end, (uintptr_t)data + len);
		atomic_store(&s->start, (uintptr_t)data);
		if (i >= atomic_load(&guard.used))
			atomic_store(&guard.used, i + 1);
		guard.free_from = i + 1;
	} else {
		i = -1;
	}
	pthread_mutex_unlock(&guard.lock);
	return i;
}

static void unregister(int i)
{
	pthread_mutex_lock(&guard.lock);
	atomic_store(&slot_at(i)->start, 0);
	guard.free_from = PT_MIN(guard.free_from, i);
	pthread_mutex_unlock(&guard.lock);
}

int pt_mapfile_open(struct pt_mapfile *m, const char *path, struct pt_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*m = (struct pt_mapfile){ .slot = -1, .fd = -1 };
	if (fd < 0)
		return pt_err_sys(e, errno, "%s", path);
	return pt_mapfile_open_fd(m, fd, path, e);
}

int pt_mapfile_open_fd(struct pt_mapfile *m, int fd, const char *name, struct pt_err *e)
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
		pt_err_set(
			e,
			"%s: %d files are mapped at once, and no more may be: raise the sysctl vm.max_map_count",
			name, guard.most);
		if (e)
			e->sys = ENOMEM;
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

void pt_mapfile_soon(struct pt_mapfile *m, size_t at)
{
	size_t from;

	if (m->slot < 0 || at < m->soon || at >= m->len_bytes)
		return;
	from = at & ~((size_t)guard.page_bytes - 1);
	m->soon = PT_MIN(from + SOON_BYTES, m->len_bytes);
	madvise((uint8_t *)m->data + from, m->soon - from, MADV_POPULATE_READ);
}

void pt_mapfile_close(struct pt_mapfile *m)
{
	if (m->slot >= 0) {
		unregister(m->slot);
		munmap((void *)m->data, m->len_bytes);
	}
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct pt_mapfile){ .data = (const uint8_t *)"", .slot = -1, .fd = -1 };
}

bool pt_mapfile_shrunk(const struct pt_mapfile *m)
{
	return m->slot >= 0 && atomic_load(&slot_at(m->slot)->shrunk);
}
