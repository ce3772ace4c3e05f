/* gcc -O2 -g -fno-pic -mcmodel=kernel -ffile-prefix-map=... -c step.c twin.c; ld -r: see make.sh */
struct packet { int len; struct packet *next; const char *name; };
int seen;
static __attribute__((noipa)) int twin(struct packet *p) { return p->len + seen++; }
static inline __attribute__((always_inline)) int often(struct packet *p) { seen++; return p->len * 3; }
__attribute__((noinline)) int work(struct packet *p, int times)
{
	int sum = often(p);

	while (times-- > 0)
		sum += twin(p);
	return sum + often(p->next);
}
__attribute__((section(".init.text"), cold)) int step_init(void) { return work(0, 1); }
static const char name[] __attribute__((section(".modinfo"), used)) = "name=step_it";
