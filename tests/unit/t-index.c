/* dwarf/inlines_flat.c: inlined functions of a small program, from its DWARF and from what was kept: the same; not from what was kept of another build. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "dwarf/inlines.h"
#include "elf/symtab.h"
#include "test.h"

static const char source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) void inner(int i) { sink += i; sink *= 3; }\n"
	"static inline __attribute__((always_inline)) void middle(int i) { for (; i; i--) inner(i); }\n"
	"void other(int i);\n"
	"__attribute__((noinline)) void outer(int i) { middle(i); NEXT(i + 1); }\n"
	"__attribute__((noinline)) void other(int i) { inner(i); }\n"
	"int main(int argc, char **argv) { (void)argv; outer(argc); other(argc); return 0; }\n";

static void build_with(const char *next, const char *options)
{
	char cmd[600];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "%s/prog.c", pt_test_dir());
	f = fopen(cmd, "w");
	fputs(source, f);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cd %s && gcc -O2 -g -Wl,--build-id%s -DNEXT=%s -o prog prog.c 2>/dev/null", pt_test_dir(), options, next);
	if (system(cmd))
		SKIP("no compiler");
}

static void build(const char *next)
{
	build_with(next, "");
}

/* What DWARF says of each byte of the two functions, as text. `learned`: what it had to read for that. */
static struct pt_buf look(struct pt_diskcache *keep, size_t *learned)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_object *o;
	struct pt_inlines *in;
	struct pt_inline frames[8];
	char path[300];
	uint64_t from, to, v;
	size_t n, i;

	snprintf(path, sizeof(path), "%s/prog", pt_test_dir());
	CHECK(pt_object_open(&o, path, NULL) == 0);
	in = pt_inlines_new(o);
	pt_inlines_load(in, keep, o);
	CHECK(pt_symtab_named(pt_symtab_of(o), "outer", &from) && pt_symtab_named(pt_symtab_of(o), "other", &to));
	if (to < from)
		v = from, from = to, to = v;
	for (v = from; v < to + 16; v++) {
		n = pt_inlines_at(in, v, frames, 8);
		for (i = 0; i < n; i++)
			pt_buf_printf(&b, "%s ", frames[i].name);
		pt_buf_putc(&b, '\n');
	}
	*learned = pt_inlines_learned(in);
	pt_inlines_save(in, keep, o);
	pt_inlines_free(in);
	pt_object_put(o);
	return b;
}

TEST(kept_as_read)
{
	struct pt_diskcache *keep = pt_diskcache_open_in(pt_test_dir(), 64 << 20);
	struct pt_buf without, first, second, touched, rebuilt;
	size_t n;
	char cmd[600];

	build("inner");
	without = look(NULL, &n);
	CHECK(n > 0);
	CHECK_HAS(pt_buf_str(&without), "inner middle outer ");
	first = look(keep, &n);
	CHECK(n > 0);
	second = look(keep, &n);
	CHECK_INT(n, 0);
	CHECK_STR(pt_buf_str(&first), pt_buf_str(&without));
	CHECK_STR(pt_buf_str(&second), pt_buf_str(&without));
	/* The same build, written anew: who knows. */
	snprintf(cmd, sizeof(cmd), "cd %s && cp -p prog again && mv again prog", pt_test_dir());
	CHECK(system(cmd) == 0);
	touched = look(keep, &n);
	CHECK(n > 0);
	CHECK_STR(pt_buf_str(&touched), pt_buf_str(&without));
	build("other");
	rebuilt = look(keep, &n);
	CHECK(n > 0);
	CHECK(strcmp(pt_buf_str(&rebuilt), pt_buf_str(&without)));
	pt_diskcache_close(keep);
	pt_buf_deinit(&without);
	pt_buf_deinit(&first);
	pt_buf_deinit(&second);
	pt_buf_deinit(&touched);
	pt_buf_deinit(&rebuilt);
}

/* A program with the build-id and the size of a genuine one: inlined functions of the one are never shown for the other. */
TEST(forged_build_id_in_the_cache)
{
	static const char id[] = "=0x0123456789abcdef0123456789abcdef01234567";
	const char *dir = pt_test_dir();
	struct pt_diskcache *keep = pt_diskcache_open_in(dir, 64 << 20);
	struct pt_buf forged, genuine, again;
	char cmd[800];
	size_t n;
	int i;

	for (i = 0; i < 2; i++) {	/* the same program, a name of the same length replaced in place */
		build_with("inner", id);
		snprintf(cmd, sizeof(cmd), "cd %s && rm -f inl-*; cp prog genuine && LC_ALL=C sed s/middle/forged/g prog > f && chmod +x f && mv f forged", dir);
		CHECK(system(cmd) == 0);
		snprintf(cmd, sizeof(cmd), "cd %s && ln -f %s prog", dir, i ? "genuine" : "forged");
		CHECK(system(cmd) == 0);
		forged = look(keep, &n);	/* the other way round in the second round */
		CHECK_HAS(pt_buf_str(&forged), i ? "inner middle outer" : "inner forged outer");
		snprintf(cmd, sizeof(cmd), "cd %s && ln -f %s prog", dir, i ? "forged" : "genuine");
		CHECK(system(cmd) == 0);
		genuine = look(keep, &n);
		CHECK_HAS(pt_buf_str(&genuine), i ? "inner forged outer" : "inner middle outer");
		again = look(keep, &n);
		CHECK_INT(n, 0);
		pt_buf_deinit(&forged);
		pt_buf_deinit(&genuine);
		pt_buf_deinit(&again);
	}
	pt_diskcache_close(keep);
}
