/* walk - what unwinding a recording's samples takes, nothing named.
 *
 *     walk FILE           a line: samples, frames, ns a frame the first time, ns a frame right again (all rows known and in the cache), samples a second */
#include <stdio.h>
#include <time.h>

#include "base/mem.h"
#include "record/read/source.h"
#include "stack/frames.h"

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	struct pt_frames *f = pt_frames_new(&(struct pt_frames_opts){ .no_inline = true });
	uint64_t first_ns = 0, again_ns = 0, frames = 0, samples = 0, clock_ns, t[3];
	const struct pt_place_at *const *places;
	const struct pt_record *rec;
	struct pt_frames_how how;
	struct pt_source *s;
	struct pt_err e = PT_ERR_INIT;

	if (argc != 2 || pt_source_open(&s, argv[1], NULL, &e) < 0) {
		fprintf(stderr, "walk FILE: %s\n", e.msg);
		return 2;
	}
	t[0] = cpu_ns();
	for (int i = 0; i < 1000; i++)
		t[1] = cpu_ns();
	clock_ns = (t[1] - t[0]) / 1000;
	while (pt_source_next(s, &rec, &e) > 0) {
		const volatile uint8_t *p = rec->data;

		pt_frames_feed(f, s, rec);
		if (rec->type != PERF_RECORD_SAMPLE || !(rec->has & PERF_SAMPLE_STACK_USER))
			continue;
		for (uint32_t i = 0; i < rec->len_bytes; i += 4096)	/* the file's pages are there */
			(void)p[i];
		t[0] = cpu_ns();
		frames += pt_frames_places(f, rec, &places, &how);
		t[1] = cpu_ns();
		pt_frames_places(f, rec, &places, &how);
		t[2] = cpu_ns();
		samples++;
		first_ns += t[1] - t[0] - PT_MIN(clock_ns, t[1] - t[0]);
		again_ns += t[2] - t[1] - PT_MIN(clock_ns, t[2] - t[1]);
	}
	if (!frames)
		return 1;
	printf("%llu samples, %llu frames, %.0f ns a frame, %.0f ns again, %.0f samples a second\n", (unsigned long long)samples, (unsigned long long)frames,
	       (double)first_ns / (double)frames, (double)again_ns / (double)frames, (double)samples / ((double)first_ns / 1e9));
	pt_frames_free(f);
	pt_source_free(s);
	return 0;
}
