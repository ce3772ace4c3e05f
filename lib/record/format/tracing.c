/* tracing.c - writes the tracing-data section, whose layout is in tracepoint/tracing.h. What only
 * root may read (printk formats) is left empty for others. */
#include "record/format/section.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "tracepoint/tracefs.h"
#include "tracepoint/tracing.h"

enum { MAX_FILE_BYTES = 64 << 20 };	/* printk formats and saved names have some hundred KB */

/* Appends a file behind its size in `size_bytes` bytes. */
static int add_sized(struct pt_buf *b, size_t size_bytes, const char *dir, const char *file,
		     struct pt_err *e)
{
	char *path = pt_asprintf("%s/%s", dir, file);
	size_t at = b->len;
	uint64_t len;
	int sys;

	pt_buf_fill(b, 0, size_bytes);
	sys = pt_file_add(path, MAX_FILE_BYTES, b);
	if (sys)
		pt_err_sys(e, sys, "%s", path);
	free(path);
	len = b->len - at - size_bytes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	len <<= 64 - 8 * size_bytes;
#endif
	memcpy(b->data + at, &len, size_bytes);
	return sys ? -1 : 0;
}

static int format_tracing_by_system(const void *a, const void *b)
{
	const struct pt_tp *x = *(const struct pt_tp *const *)a,
			   *y = *(const struct pt_tp *const *)b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

static int format_tracing_add_events(struct pt_buf *b, const char *tracefs,
				     const struct pt_tp **tps, size_t nr, struct pt_err *e)
{
	size_t i, k, at = b->len, count_at;
	uint32_t systems = 0, count;
	char *file;
	int rc = 0;

	pt_buf_u32(b, 0);
	for (i = 0; i < nr && rc == 0; i = k) {
		pt_buf_add(b, tps[i]->system, strlen(tps[i]->system) + 1);
		count_at = b->len;
		pt_buf_u32(b, 0);
		for (k = i, count = 0; k < nr && rc == 0 && !strcmp(tps[k]->system, tps[i]->system);
		     k++) {
			if (k > i && !strcmp(tps[k]->name, tps[k - 1]->name))
				continue;
			file = pt_asprintf("events/%s/%s/format", tps[k]->system, tps[k]->name);
			rc = add_sized(b, 8, tracefs, file, e);
			free(file);
			count++;
		}
		memcpy(b->data + count_at, &count, sizeof(count));
		systems++;
	}
	memcpy(b->data + at, &systems, sizeof(systems));
	return rc;
}

/* Adds all parts up to the formats of events. */
static int add_start(struct pt_buf *b, const char *version, const char **tracefs,
		     const struct pt_tp *const *tps, size_t nr, struct pt_err *e)
{
	const struct pt_tp **sorted;
	int rc;

	if (pt_tracefs_find(tracefs, e) < 0)
		return -1;
	pt_buf_add(b, PT_TRACING_MAGIC, sizeof(PT_TRACING_MAGIC) - 1);
	pt_buf_add(b, version, strlen(version) + 1);
	pt_buf_putc(b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pt_buf_putc(b, (char)sizeof(long));
	pt_buf_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	pt_buf_add(b, "header_page", 12);
	if (add_sized(b, 8, *tracefs, "events/header_page", e) < 0)
		return -1;
	pt_buf_add(b, "header_event", 13);
	if (add_sized(b, 8, *tracefs, "events/header_event", e) < 0)
		return -1;
	pt_buf_u32(b, 0);	/* ftrace's own events: none is recorded */
	sorted = pt_memdup(tps, nr * sizeof(*tps));
	qsort(sorted, nr, sizeof(*sorted), format_tracing_by_system);
	rc = format_tracing_add_events(b, *tracefs, sorted, nr, e);
	free(sorted);
	return rc;
}

/* A missing file only shortens texts. */
int pt_tracing_data(struct pt_buf *b, const struct pt_tp *const *tps, size_t nr, struct pt_err *e)
{
	const char *tracefs;

	if (add_start(b, "0.6", &tracefs, tps, nr, e) < 0)
		return -1;
	pt_buf_u32(b, 0);	/* kallsyms: [kernel.kallsyms] is found by build-id */
	add_sized(b, 4, tracefs, "printk_formats", NULL);
	add_sized(b, 8, tracefs, "saved_cmdlines", NULL);
	return 0;
}

int pt_tracing_data_of_tracedat(struct pt_buf *b, const struct pt_tp *const *tps, size_t nr,
				struct pt_err *e)
{
	const char *tracefs;

	if (add_start(b, "6", &tracefs, tps, nr, e) < 0)
		return -1;
	add_sized(b, 4, "/proc", "kallsyms", NULL);
	add_sized(b, 4, tracefs, "printk_formats", NULL);
	return 0;
}
