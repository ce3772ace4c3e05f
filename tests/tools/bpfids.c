/* bpfids - all BPF programs ("prog 17") and maps ("map 4") of this machine, a line each. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
	uint32_t id;

	for (id = 0; bpf_prog_get_next_id(id, &id) == 0; )
		printf("prog %u\n", id);
	if (errno == ENOENT) {
		for (id = 0; bpf_map_get_next_id(id, &id) == 0; )
			printf("map %u\n", id);
	}
	if (errno == ENOENT)
		return 0;
	perror("bpfids");
	return 1;
}
