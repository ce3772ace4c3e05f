/* machine - writes a made-up machine's PMUs (tests/lib/machines.h) below a directory: `machine hybrid DIR`. */
#include "machines.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: machine NAME DIR\n");
		return 2;
	}
	pt_machine_make(argv[2], argv[1]);
	return 0;
}
