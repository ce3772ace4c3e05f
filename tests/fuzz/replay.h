/* replay.h - gives a fuzz entry a main() that runs it over the files named (the corpus), unless libFuzzer brings its own (PT_LIBFUZZER).
 * Each input is a copy that ends at an unmapped page, so that a read behind it crashes without a sanitizer, too. */
#ifndef PT_REPLAY_H
#define PT_REPLAY_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#ifndef PT_LIBFUZZER
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len, room;
	uint8_t *m;

	if (!f || fseek(f, 0, SEEK_END) || ftell(f) < 0) {
		perror(path);
		exit(1);
	}
	len = (size_t)ftell(f);
	rewind(f);
	room = (len + page - 1) / page * page;
	m = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED || mprotect(m + room, page, PROT_NONE) || fread(m + room - len, 1, len, f) != len) {
		perror(path);
		exit(1);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(m + room - len, len);
	munmap(m, room + page);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%d inputs\n", argc - 1);
	return argc < 2;	/* a corpus that is not there tests nothing */
}
#endif
#endif
