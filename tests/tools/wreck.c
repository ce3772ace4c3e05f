/* wreck SEED FILE: a copy of the file on standard output with damage that depends on the seed alone: cut at a byte, bytes flipped, blocks
 * swapped, cleared or written twice, sizes and numbers falsified. wreck SEED FILE SEED2 OUT: all seeds from SEED up to SEED2, as files OUT.N. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct bytes {
	unsigned char *p;
	size_t len;
};

static unsigned long long state;

static unsigned long long roll(unsigned long long n)	/* 0 .. n-1 */
{
	unsigned long long z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return n ? (z ^ z >> 31) % n : 0;
}

static void flip(struct bytes *b)
{
	int n = 1 + (int)roll(8);

	while (n--)
		b->p[roll(b->len)] ^= (unsigned char)(1u << roll(8));
}

static void overwrite(struct bytes *b)
{
	static const unsigned long long values[] = { 0, 1, 7, 8, 255, 65535, 65536, 0x7fffffff, 0xffffffff, 0x100000000, 1ull << 40, 1ull << 62,
						     0x7fffffffffffffff, ~0ull, ~0ull - 7 };
	size_t width = 1u << roll(4), at = b->len > 8 ? roll(b->len - 8) & ~(width - 1) : 0;
	unsigned long long v = roll(4) ? values[roll(sizeof(values) / sizeof(*values))] : roll(~0ull);

	if (b->len > 8)
		memcpy(b->p + at, &v, width);
}

/* The sizes of records: walks from the data section's start, which stands at byte 40 of a file. */
static void falsify_size(struct bytes *b)
{
	unsigned long long at = 16, target = roll(400), n;
	unsigned short size, new;

	if (b->len < 200)
		return;
	memcpy(&n, b->p + 8, 8);
	if (n == 104)
		memcpy(&at, b->p + 40, 8);
	for (n = 0; at + 8 <= b->len; n++, at += size) {
		memcpy(&size, b->p + at + 6, 2);
		if (n == target) {
			new = (unsigned short)(roll(2) ? roll(65536) : size + roll(33) - 16);
			memcpy(b->p + at + 6, &new, 2);
			return;
		}
		if (size < 8)
			return;
	}
}

static void blocks(struct bytes *b, int kind)
{
	size_t len = 1 + roll(b->len / 4 < 4096 ? b->len / 4 : 4096), from = roll(b->len - len), to = roll(b->len - len), i;

	for (i = 0; i < len; i++) {
		unsigned char t = b->p[to + i];

		b->p[to + i] = kind ? kind == 1 ? 0 : 0xff : b->p[from + i];
		if (!kind && roll(2) == 0)
			b->p[from + i] = t;
	}
}

static void damage(struct bytes *b, unsigned long long seed)
{
	int n;

	state = seed * 0x2545f4914f6cdd1du;
	for (n = 1 + (int)roll(3); n-- && b->len > 64;)
		switch (roll(8)) {
		case 0: b->len = roll(b->len); break;
		case 1: flip(b); break;
		case 2: case 3: overwrite(b); break;
		case 4: case 5: falsify_size(b); break;
		case 6: blocks(b, 0); break;
		default: blocks(b, 1 + (int)roll(2));
		}
}

static void put(FILE *f, const unsigned char *whole, size_t len, unsigned long long seed)
{
	struct bytes b = { malloc(len + 8), len };

	memcpy(b.p, whole, len);
	damage(&b, seed);
	if (fwrite(b.p, 1, b.len, f) != b.len || fflush(f)) {
		perror("wreck");
		exit(1);
	}
	free(b.p);
}

int main(int argc, char **argv)
{
	FILE *f = argc > 2 ? fopen(argv[2], "rb") : NULL;
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0, last;
	unsigned char *whole;
	struct stat st;
	size_t len = f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
	char name[4096];

	if (!len || (argc != 3 && argc != 5)) {
		fprintf(stderr, "usage: wreck SEED FILE [LAST OUT]\n");
		return 2;
	}
	whole = malloc(len);
	len = fread(whole, 1, len, f);
	fclose(f);
	if (argc == 3) {
		put(stdout, whole, len, seed);
		free(whole);
		return 0;
	}
	for (last = strtoull(argv[3], NULL, 0); seed <= last; seed++) {
		snprintf(name, sizeof(name), "%s.%llu", argv[4], seed);
		f = fopen(name, "wb");
		if (!f) {
			perror(name);
			return 1;
		}
		put(f, whole, len, seed);
		fclose(f);
	}
	free(whole);
	return 0;
}
