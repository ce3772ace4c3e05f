/* Counting records without decoding them; build-ids; records of what runs already. */
#include "test.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/format/buildid.h"
#include "record/watch/synth.h"
#include "record/write/rawtally.h"

static const uint64_t ids_a[] = { 11, 12 }, ids_b[] = { 21 };

struct sample { struct perf_event_header h; uint64_t id, ip; uint32_t pid, tid; uint64_t time; };

static struct pt_rawtally *two_events(struct pt_build_ids *ids)
{
	struct pt_write_event ev[2] = { { .name = "a", .ids = ids_a, .nr_ids = 2 }, { .name = "b", .ids = ids_b, .nr_ids = 1 } };
	int i;

	for (i = 0; i < 2; i++)
		ev[i].attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return pt_rawtally_new(ev, 2, ids);
}

static struct sample sample(uint64_t id, uint64_t time)
{
	return (struct sample){ .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(struct sample) }, .id = id, .time = time };
}

/* One ring's content, cut into two pieces at each multiple of 8: the sums are the same, whatever wraps. */
TEST(wraps_anywhere)
{
	struct sample v[4] = { sample(11, 50), sample(21, 60), sample(12, 70), sample(99, 80) };
	struct { struct perf_event_header h; uint64_t id, lost; } lost = { { .type = PERF_RECORD_LOST, .size = 24 }, 11, 5 };
	uint8_t ring[sizeof(v) + sizeof(lost)];
	size_t cut;

	memcpy(ring, v, 2 * sizeof(*v));
	memcpy(ring + 2 * sizeof(*v), &lost, sizeof(lost));
	memcpy(ring + 2 * sizeof(*v) + sizeof(lost), v + 2, 2 * sizeof(*v));
	for (cut = 8; cut <= sizeof(ring); cut += 8) {
		uint8_t *part[2] = { pt_test_guarded(ring, cut), pt_test_guarded(ring + cut, sizeof(ring) - cut) };
		size_t len[2] = { cut, sizeof(ring) - cut };
		struct pt_rawtally *t = two_events(NULL);
		
		CHECK_INT(pt_rawtally_walk(t, part, len, len[1] ? 2 : 1), sizeof(ring));
		CHECK_INT(t->samples, 0);
		pt_rawtally_commit(t, true);
		CHECK_INT(t->events[0].samples, 2);
		CHECK_INT(t->events[1].samples, 1);
		CHECK_INT(t->samples, 3);
		CHECK_INT(t->lost, 5);
		
		CHECK_INT(t->first_ns, 50);
		CHECK_INT(t->last_ns, 70);
		pt_rawtally_free(t);
	}
}

/* A page fault with the id of another session's event is counted, where there is one event that it can be of. */
TEST(id_of_another_session)
{
	struct pt_write_event ev[2] = { { .name = "clock", .ids = ids_a, .nr_ids = 2 }, { .name = "faults", .ids = ids_b, .nr_ids = 1 } };
	struct sample v[3] = { sample(11, 50), sample(21, 60), sample(99, 70) };
	uint8_t *part[2] = { (uint8_t *)v, NULL };

	for (int both = 0; both < 2; both++) {
		struct pt_rawtally *t;

		ev[0].attr = ev[1].attr = (struct pt_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_type = PERF_SAMPLE_IDENTIFIER };
		if (!both)
			ev[0].attr.config = PERF_COUNT_SW_CPU_CLOCK;
		t = pt_rawtally_new(ev, 2, NULL);
		pt_rawtally_walk(t, part, (size_t[2]){ sizeof(v), 0 }, 1);
		pt_rawtally_commit(t, true);
		CHECK_INT(t->events[0].samples, 1);
		CHECK_INT(t->events[1].samples, both ? 1 : 2);
		pt_rawtally_free(t);
	}
}

TEST(dropped_is_not_written)
{
	struct sample v[2] = { sample(11, 50), sample(21, 60) };
	uint8_t *part[2] = { (uint8_t *)v, NULL };
	struct pt_rawtally *t = two_events(NULL);

	pt_rawtally_walk(t, part, (size_t[2]){ sizeof(v), 0 }, 1);
	pt_rawtally_commit(t, false);
	pt_rawtally_walk(t, part, (size_t[2]){ sizeof(*v), 0 }, 1);
	pt_rawtally_commit(t, true);
	CHECK_INT(t->events[0].samples, 1);
	CHECK_INT(t->events[0].dropped, 1);
	CHECK_INT(t->events[1].dropped, 1);
	CHECK_INT(t->dropped, 2);
	pt_rawtally_free(t);
}

/* The kernel leaves the bit of another recorder's event in ours: readers of the recording must not see it. */
TEST(leaked_build_id_bit_is_taken_back)
{
	struct { struct perf_event_header h; uint64_t words[8]; char name[16]; } r = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_MMAP_BUILD_ID | PERF_RECORD_MISC_USER, .size = sizeof(r) },
		.words = { 0, 0x1000, 0x1000, 0, 254, 1234, 0, PROT_READ | PROT_EXEC }, .name = "/nonexistent",
	};
	struct pt_write_event ev = { .name = "a", .ids = ids_a, .nr_ids = 2 };
	uint8_t *part[2] = { (uint8_t *)&r, NULL };

	for (int asks = 0; asks < 2; asks++) {
		struct pt_build_ids *ids = pt_build_ids_new();
		struct pt_rawtally *t;

		r.h.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		ev.attr.flags = asks ? PT_ATTR_BUILD_ID : 0;
		t = pt_rawtally_new(&ev, 1, ids);
		CHECK_INT(pt_rawtally_walk(t, part, (size_t[2]){ sizeof(r), 0 }, 1), sizeof(r));
		CHECK_INT(r.h.misc, PERF_RECORD_MISC_USER | (asks ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
		CHECK_INT(pt_build_ids_nr(ids), asks);
		pt_rawtally_free(t);
		pt_build_ids_free(ids);
	}
}

/* Where the kernel gives no build-id, the file that was mapped does, while it is still that file. */
TEST(missing_ids_are_read_from_the_files)
{
	struct { struct perf_event_header h; uint32_t pid, tid; uint64_t words[6]; uint32_t prot, flags; char name[4000]; } r = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = sizeof(r) }, .pid = (uint32_t)getpid(),
		.prot = PROT_READ | PROT_EXEC,
	};
	struct pt_write_event ev = { .name = "a", .ids = ids_a, .nr_ids = 2 };
	uint8_t *part[2] = { (uint8_t *)&r, NULL };
	struct pt_build_id id;
	struct stat st;

	CHECK_INT(stat("/proc/self/exe", &st), 0);
	CHECK(readlink("/proc/self/exe", r.name, sizeof(r.name) - 1) > 0);
	if (!pt_build_id_mapped(getpid(), r.name, st.st_ino, &id))
		SKIP("this program has no build-id");
	for (int other = 0; other < 2; other++) {
		struct pt_build_ids *ids = pt_build_ids_new();
		struct pt_rawtally *t = pt_rawtally_new(&ev, 1, ids);

		r.words[4] = st.st_ino + (uint64_t)other;
		CHECK_INT(pt_rawtally_walk(t, part, (size_t[2]){ sizeof(r), 0 }, 1), sizeof(r));
		CHECK_INT(pt_rawtally_missing_ids(t, 0), 1);
		CHECK_INT(pt_build_ids_nr(ids), 0);
		CHECK_INT(pt_rawtally_missing_ids(t, 5), 0);
		CHECK_INT(pt_build_ids_nr(ids), !other);
		CHECK_INT(pt_rawtally_missing_ids(t, 5), 0);
		pt_rawtally_free(t);
		pt_build_ids_free(ids);
	}
}

/* What no kernel writes: sizes of 0 and beyond the end. */
TEST(impossible_sizes)
{
	static const uint16_t sizes[] = { 0, 7, 200 };
	struct sample v[2] = { sample(11, 50), sample(21, 60) };
	size_t i;

	for (i = 0; i < PT_NR(sizes); i++) {
		struct pt_rawtally *t = two_events(NULL);
		uint8_t *part[2];

		v[1].h.size = sizes[i];
		part[0] = pt_test_guarded(v, sizeof(v));
		CHECK_INT(pt_rawtally_walk(t, part, (size_t[2]){ sizeof(v), 0 }, 1), sizeof(*v));
		pt_rawtally_free(t);
	}
}

TEST(notes)
{
	struct { Elf64_Nhdr h; char name[4]; uint8_t desc[20]; } n = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } };
	struct { Elf64_Nhdr h; char name[8]; uint8_t desc[4]; } other = { { 5, 4, 1 }, "Other", { 9 } };
	uint8_t both[sizeof(other) + sizeof(n)], *p;
	struct pt_build_id id;
	size_t len;

	memcpy(both, &other, sizeof(other));
	memcpy(both + sizeof(other), &n, sizeof(n));
	p = pt_test_guarded(both, sizeof(both));
	CHECK(pt_build_id_of_notes(pt_notes(p, sizeof(both), 4, false), &id));
	CHECK_INT(id.len, 20);
	CHECK_MEM(id.bytes, n.desc, 20);
	for (len = 0; len < sizeof(both); len++)
		CHECK(!pt_build_id_of_notes(pt_notes(pt_test_guarded(both, len), len, 4, false), &id));
	n.h.n_namesz = 0xffffffff;
	CHECK(!pt_build_id_of_notes(pt_notes(pt_test_guarded(&n, sizeof(n)), sizeof(n), 4, false), &id));
	n.h.n_namesz = 4;
	n.h.n_descsz = 0xfffffffe;
	CHECK(!pt_build_id_of_notes(pt_notes(pt_test_guarded(&n, sizeof(n)), sizeof(n), 4, false), &id));
}

TEST(own_build_id)
{
	struct pt_build_id id, again;
	char path[PATH_MAX], cmd[PATH_MAX + 64], hex[64] = "";
	struct stat st;
	FILE *f;
	int i;

	CHECK(realpath("/proc/self/exe", path) && stat(path, &st) == 0);
	if (!pt_build_id_mapped(getpid(), path, st.st_ino, &id))
		SKIP("this program has no build-id");
	CHECK(pt_build_id_mapped(-1, path, st.st_ino, &again));	/* a process that is gone */
	CHECK_MEM(id.bytes, again.bytes, 20);
	CHECK(!pt_build_id_mapped(getpid(), path, st.st_ino + 1, &again));
	CHECK(!pt_build_id_mapped(getpid(), "/", 0, &again));
	CHECK(!pt_build_id_mapped(getpid(), "/dev/null", 0, &again));
	snprintf(cmd, sizeof(cmd), "readelf -n %s 2>/dev/null | sed -n 's/.*Build ID: //p'", path);
	f = popen(cmd, "r");
	if (!f || !fgets(hex, sizeof(hex), f))
		*hex = '\0';
	if (f)
		pclose(f);
	for (i = 0; *hex && i < again.len; i++) {
		char want[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		CHECK_INT(again.bytes[i], strtol(want, NULL, 16));
	}
}

TEST(section_of_ids)
{
	struct pt_build_id id = { .len = 20, .bytes = { 0xab } };
	struct pt_build_ids *l = pt_build_ids_new();
	struct pt_buf b = PT_BUF_INIT;

	pt_build_ids_add(l, PERF_RECORD_MISC_USER, &id, "/bin/x", 6);
	pt_build_ids_add(l, PERF_RECORD_MISC_USER, &id, "/bin/x", 6);
	id.bytes[0] = 1;
	pt_build_ids_add(l, PERF_RECORD_MISC_USER, &id, "/bin/x", 6);
	CHECK_INT(pt_build_ids_nr(l), 2);
	pt_build_ids_section(l, &b);
	CHECK_INT(b.len, 2 * (36 + 64));
	CHECK_INT((uint8_t)b.data[12], 0xab);
	CHECK_STR(b.data + 36, "/bin/x");
	pt_buf_deinit(&b);
	pt_build_ids_free(l);
}

struct seen { size_t comms, forks, maps, with_id; uint64_t here; bool found_here, sizes_ok, kernel; };

static void look(void *ctx, const void *record, size_t len)
{
	struct perf_event_header h;
	struct seen *s = ctx;
	uint64_t addr, map_len;

	memcpy(&h, record, sizeof(h));
	s->sizes_ok = s->sizes_ok && h.size == len && len % 8 == 0 && !memcmp((const char *)record + len - 8, "trailer.", 8);
	s->comms += h.type == PERF_RECORD_COMM;
	s->forks += h.type == PERF_RECORD_FORK;
	s->kernel = s->kernel || (h.type == PERF_RECORD_MMAP && !strncmp((const char *)record + 40, "[kernel.kallsyms]", 17));
	if (h.type != PERF_RECORD_MMAP2)
		return;
	s->maps++;
	s->with_id += !!(h.misc & 1u << 14);
	memcpy(&addr, (const char *)record + 16, 8);
	memcpy(&map_len, (const char *)record + 24, 8);
	s->found_here = s->found_here || (s->here >= addr && s->here < addr + map_len);
}

TEST(this_process)
{
	struct seen seen = { .sizes_ok = true, .here = (uint64_t)(uintptr_t)&look };
	struct pt_synth s = { .emit = look, .ctx = &seen, .trailer = "trailer.", .trailer_len = 8, .want_maps = true, .build_ids = true };
	struct pt_build_id id;
	char path[PATH_MAX];

	pt_synth_process(&s, getpid());
	pt_synth_deinit(&s);
	CHECK(seen.sizes_ok);
	CHECK(seen.comms >= 1);
	CHECK_INT(seen.forks, 0);	/* as perf record -p: readers look for the parent in vain */
	CHECK(seen.maps >= 2);
	CHECK(seen.found_here);
	CHECK(realpath("/proc/self/exe", path));
	CHECK(!pt_build_id_mapped(getpid(), path, 0, &id) || seen.with_id);
	CHECK_INT(pt_synth_leader(getpid()), getpid());
}

TEST(all_processes_have_parents)
{
	struct seen seen = { .sizes_ok = true };
	struct pt_synth s = { .emit = look, .ctx = &seen, .trailer = "trailer.", .trailer_len = 8 };

	pt_synth_all(&s);
	pt_synth_deinit(&s);
	CHECK(seen.comms >= 1);
	CHECK_INT(seen.comms, seen.forks);
}

/* The build-ids of all mappings, in their order. */
static void keep_ids(void *ctx, const void *record, size_t len)
{
	struct perf_event_header h;

	memcpy(&h, record, sizeof(h));
	if (len >= 64 && h.type == PERF_RECORD_MMAP2 && h.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		pt_buf_add(ctx, (const char *)record + 40, 24);
}

/* Files beyond those that are remembered get their own build-ids, and do not change the others'. */
TEST(more_files_than_are_remembered)
{
	struct pt_buf all = PT_BUF_INIT, few = PT_BUF_INIT;

	for (size_t max = 0; max < 3; max++) {
		struct pt_synth s = {
			.emit = keep_ids, .ctx = max ? &few : &all, .trailer = "trailer.", .trailer_len = 8,
			.want_maps = true, .want_data_maps = true, .build_ids = true, .max_files = max,
		};

		pt_buf_clear(&few);
		pt_synth_process(&s, getpid());
		pt_synth_process(&s, getpid());
		pt_synth_deinit(&s);
		if (!all.len)
			SKIP("no mapped file has a build-id");
		if (max) {
			CHECK_INT(few.len, all.len);
			CHECK_MEM(few.data, all.data, all.len);
		}
	}
	pt_buf_deinit(&all);
	pt_buf_deinit(&few);
}

TEST(nobody_there)
{
	struct seen seen = { .sizes_ok = true };
	struct pt_synth s = { .emit = look, .ctx = &seen, .trailer = "trailer.", .trailer_len = 8, .want_maps = true };
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	pt_synth_process(&s, pid);
	pt_synth_deinit(&s);
	CHECK_INT(seen.comms + seen.maps, 0);
}

TEST(kernel)
{
	struct seen seen = { .sizes_ok = true };
	struct pt_synth s = { .emit = look, .ctx = &seen, .trailer = "trailer.", .trailer_len = 8, .want_maps = true };
	struct pt_build_ids *ids = pt_build_ids_new();

	pt_synth_kernel(&s, ids);
	pt_synth_deinit(&s);
	CHECK(seen.sizes_ok);
	if (!access("/sys/kernel/notes", R_OK))
		CHECK(pt_build_ids_nr(ids) >= 1);
	pt_build_ids_free(ids);
}
