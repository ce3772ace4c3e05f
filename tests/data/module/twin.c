extern int seen;
static __attribute__((noipa)) int twin(long x) { return x + seen--; }
__attribute__((noinline)) int other(long x) { return twin(x) * 5 + twin(x + 1); }
