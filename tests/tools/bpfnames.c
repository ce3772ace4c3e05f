/* bpfnames - the names of all BPF programs ("program sys_enter") and maps of this machine, a line
 * each. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	uint32_t id = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;		/* it has gone */
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
			printf("program %s\n", info.name);
		close(fd);
	}
	if (errno != ENOENT) {
		perror("bpfnames");
		return 1;
	}
	for (id = 0; bpf_map_get_next_id(id, &id) == 0; ) {
		struct bpf_map_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
			printf("map %s\n", info.name);
		close(fd);
	}
	return 0;
}
