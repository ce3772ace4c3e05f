/* analysis_text.c - recording or text? */
#include "cli/analysis.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/read/scan.h"

/* Reads the first bytes of a pipe or a socket, as many as a recording may begin with. Whoever reads
 * the rest gets them first. */
static void analysis_text_read_start(struct pt_input_args *in)
{
	ssize_t n;

	do {
		n = read(STDIN_FILENO, in->start + in->start_len,
			 sizeof(in->start) - in->start_len);
		in->start_len += n > 0 ? (size_t)n : 0;
	} while ((n > 0 || (n < 0 && errno == EINTR)) && in->start_len < sizeof(in->start) &&
		 pt_magic_is(in->start, in->start_len));
}

enum content { RECORDING, TEXT, UNREADABLE };

static enum content content_of(const char *path, struct pt_input_args *in)
{
	/* The operand rules have advice for programs. */
	static const char *const magics[] = { "\177ELF", "#!" };
	char first[16] = "";
	struct stat st;
	ssize_t n = 0;
	size_t i;
	int fd = STDIN_FILENO;

	if (strcmp(path, "-")) {
		if (stat(path, &st) < 0 ||
		    (S_ISREG(st.st_mode) && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0))
			return UNREADABLE;
		if (S_ISDIR(st.st_mode))
			return RECORDING;
		n = fd ? pread(fd, first, sizeof(first), 0) : 0;
		if (fd)
			close(fd);
	} else if (fstat(fd, &st) < 0) {
		return UNREADABLE;
	} else if (S_ISREG(st.st_mode)) {
		n = pread(fd, first, sizeof(first), lseek(fd, 0, SEEK_CUR));
	} else if (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) {
		analysis_text_read_start(in);
		n = (ssize_t)in->start_len;
		memcpy(first, in->start, in->start_len);
	}
	if (n >= PT_MAGIC_BYTES && pt_magic_is(first, PT_MAGIC_BYTES))
		return RECORDING;
	for (i = 0; i < PT_NR(magics); i++)
		if (n >= (ssize_t)strlen(magics[i]) && !memcmp(first, magics[i], strlen(magics[i])))
			return RECORDING;
	/* No text: a recording whose first bytes are damaged, or something compressed. Who reads
	 * recordings says what it is not. */
	return n > 0 && memchr(first, '\0', (size_t)n) ? RECORDING : TEXT;
}

const char *pt_analysis_text(struct pt_analysis *an)
{
	struct pt_operands *operands = &an->operands;
	struct pt_input_args *in = an->input;
	const char *path = in->file;
	struct stat st;
	int fd;

	if (pt_watch_asked(an->watch) || operands->dashes || operands->nr > !path)
		return NULL;
	if (operands->nr)
		path = operands->v[0];
	/* A pipe with a name, as of <(command): it can be opened once only, so it becomes standard
	 * input. */
	if (path && strcmp(path, "-") && !stat(path, &st) && S_ISFIFO(st.st_mode) &&
	    (fd = open(path, O_RDONLY)) >= 0) {
		dup2(fd, STDIN_FILENO);
		close(fd);
		path = "-";
		*(operands->nr ? (const char **)&operands->v[0] : &in->file) = path;
	}
	if (!path)
		path = pt_input_is_piped() ? "-" : NULL;
	return path && content_of(path, in) == TEXT ? path : NULL;
}
