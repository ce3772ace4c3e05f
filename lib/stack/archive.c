#include "stack/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ksyms.h"
#include "base/mem.h"
#include "base/newfile.h"
#include "elf/files.h"
#include "record/write/rotate.h"
#include "stack/frames.h"

static char *archive_path(const char *recording, size_t len)
{
	while (len > 1 && recording[len - 1] == '/')
		len--;
	return pt_asprintf("%.*s.archive", (int)len, recording);
}

/* Takes over the path. */
static void add_archive(struct pt_strs *archives, char *path)
{
	struct stat st;
	size_t i;

	for (i = 0; i < archives->nr && strcmp(archives->v[i], path); i++)
		;
	if (i == archives->nr && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		pt_strs_add(archives, path);
	else
		free(path);
}

void pt_archive_find(const char *recording, struct pt_strs *archives)
{
	size_t len = strlen(recording), output_len = pt_rotate_output_len(recording);
	DIR *folder = opendir(recording);
	const struct dirent *x;

	add_archive(archives, archive_path(recording, len));
	if (output_len < len)
		add_archive(archives, archive_path(recording, output_len));
	while (folder && (x = readdir(folder)))
		if (pt_source_is_archive(x->d_name))
			add_archive(archives, pt_asprintf("%s/%s", recording, x->d_name));
	if (folder)
		closedir(folder);
}

/* Of another user, or behind a link, files would be written where that user wants them. */
static int archive_make_archive(const char *archive, struct pt_err *e)
{
	struct stat st;

	if (mkdir(archive, 0777) == 0)
		return 0;
	if (errno != EEXIST || lstat(archive, &st) < 0)
		return pt_err_sys(e, errno, "%s", archive);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return pt_err_set(e, "%s is no directory of this user: remove it, or choose another -o",
				  archive);
	return 0;
}

static int add_object(const char *archive, const struct pt_build_id *id, const char *suffix,
		      const struct pt_object *o, struct pt_archived *done, struct pt_err *e)
{
	char *path = pt_build_id_path(archive, id, suffix);
	int rc = 0;

	if (!path) {
		done->no_build_id++;
		return 0;
	}
	if (access(path, F_OK) < 0)
		rc = pt_newfile_folders(path, e);
	if (rc == 0 && access(path, F_OK) < 0)
		rc = pt_newfile_put(path, 0666, o->file.data, o->file.len_bytes, e);
	done->files += rc == 0;
	free(path);
	return rc;
}

static int add_kallsyms(const char *archive, struct pt_archived *done, struct pt_err *e)
{
	char *path = pt_asprintf("%s/kallsyms", archive);
	struct pt_ksyms *k = pt_ksyms_of_file("/proc/kallsyms");
	int fd = -1, rc = 0;

	done->no_kallsyms = !k || !pt_ksyms_visible(k);
	if (!done->no_kallsyms && access(path, F_OK) < 0) {
		fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
		rc = fd < 0 ? pt_err_sys(e, errno, "/proc/kallsyms")
			    : pt_newfile_copy(path, 0666, fd, e);
	}
	if (fd >= 0)
		close(fd);
	pt_ksyms_free(k);
	free(path);
	return rc;
}

/* What was opened so far are the files that samples hit. */
static int add_files(const char *archive, struct pt_files *files, struct pt_archived *done,
		     struct pt_err *e)
{
	size_t nr = pt_files_nr(files), i;

	for (i = 0; i < nr; i++) {
		struct pt_object *o = pt_files_at(files, i), *debug = pt_files_debug(files, o);

		if (add_object(archive, &o->build_id, "/elf", o, done, e) < 0 ||
		    (debug && debug != o &&
		     add_object(archive, &o->build_id, "/debug", debug, done, e) < 0))
			return -1;
	}
	return add_kallsyms(archive, done, e);
}

int pt_archive_make(const char *output, const char *const *recordings, size_t nr,
		    struct pt_archived *done, struct pt_err *e)
{
	const struct pt_place_at *const *places;
	const struct pt_record *rec;
	struct pt_frames_how how;
	struct pt_source *s;
	struct pt_frames *f;
	char *archive;
	int rc;

	*done = (struct pt_archived){ 0 };
	if (pt_source_open_several(&s, recordings, nr, e) < 0)
		return -1;
	f = pt_frames_new(&(struct pt_frames_opts){ .no_inline = true });
	while ((rc = pt_source_next(s, &rec, e)) > 0) {
		pt_frames_feed(f, s, rec);
		if (rec->type == PERF_RECORD_SAMPLE)
			pt_frames_places(f, rec, &places, &how);
	}
	archive = archive_path(output, strlen(output));
	if (rc == 0)
		rc = archive_make_archive(archive, e);
	if (rc == 0)
		rc = add_files(archive, pt_frames_files(f), done, e);
	free(archive);
	pt_frames_free(f);
	pt_source_free(s);
	return rc;
}
