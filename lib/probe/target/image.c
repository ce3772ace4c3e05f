#include "probe/target/image.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/smallfile.h"
#include "probe/target/module.h"

enum { MAX_DEPTH = 16 };

struct search {
	const char *root, *symfs, *module;
	char release[sizeof(((struct utsname *)0)->release)];
	struct pt_build_id id;		/* len 0: unknown */
	char *other;			/* a file of another build */
};

static void search_init(struct search *s, const struct pt_image_where *w, const char *module)
{
	char *path;

	*s = (struct search){ .root = w->root ? w->root : "", .symfs = w->symfs, .module = module };
	path = pt_asprintf("%s/proc/sys/kernel/osrelease", s->root);
	if (pt_file_text(path, s->release, sizeof(s->release)) || strchr(s->release, '/'))
		*s->release = '\0';
	free(path);
	if (!pt_build_id_of_kernel(s->root, module, &s->id))
		s->id.len = 0;
}

/* True: it has debug information, and the wanted build-id where that is known. */
static bool image_fits(struct search *s, const char *path)
{
	int fd = pt_untrusted_open(NULL, path, PT_UNTRUSTED_USER, NULL);
	char *module = NULL;
	struct pt_section info;
	struct pt_object *o;
	bool good;

	if (fd < 0 || (pt_module_is(fd) ? pt_module_open(&o, &module, fd, path, NULL)
					: pt_object_open_fd(&o, fd, path, NULL)) < 0)
		return false;
	good = pt_object_section(o, ".debug_info", &info);
	if (good && s->id.len && o->build_id.len && !pt_build_id_equal(&s->id, &o->build_id)) {
		free(s->other);
		s->other = pt_strdup(path);
		good = false;
	}
	pt_object_put(o);
	free(module);
	return good;
}

/* Takes the path; returns it, or NULL. */
static char *image_try(struct search *s, char *path)
{
	if (image_fits(s, path))
		return path;
	free(path);
	return NULL;
}

static char *image_by_build_id(struct search *s, const char *top)
{
	char *dir = pt_asprintf("%s/usr/lib/debug", top),
	     *path = pt_build_id_path(dir, &s->id, ".debug");

	free(dir);
	return path ? image_try(s, path) : NULL;
}

static char *kernel_below(struct search *s, const char *top)
{
	/* around the release */
	static const char *const places[][2] = { { "/usr/lib/debug/boot/vmlinux-", "" },
						 { "/usr/lib/debug/lib/modules/", "/vmlinux" },
						 { "/usr/lib/debug/usr/lib/modules/", "/vmlinux" },
						 { "/boot/vmlinux-", "" },
						 { "/lib/modules/", "/vmlinux" },
						 { "/lib/modules/", "/build/vmlinux" },
						 { "/usr/lib/modules/", "/build/vmlinux" } };
	char *found = NULL;

	for (size_t i = 0; i < PT_NR(places) && !found && *s->release; i++)
		found = image_try(s, pt_asprintf("%s%s%s%s", top, places[i][0], s->release,
						 places[i][1]));
	return found ? found : image_by_build_id(s, top);
}

/* "dummy.ko", "dummy.ko.xz", "dummy.ko.debug"; file names have '-' where the kernel has '_'. */
static bool is_module_file(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module &&
		    !((*file == '-' || *file == '_') && (*module == '-' || *module == '_')))
			return false;
	return !strncmp(file, ".ko", 3) && (!file[3] || file[3] == '.');
}

static char *module_below(struct search *s, const char *dir, unsigned depth)
{
	DIR *d = depth < MAX_DEPTH ? opendir(dir) : NULL;
	char *found = NULL;
	struct dirent *x;

	while (d && !found && (x = readdir(d))) {
		if (x->d_type == DT_REG && is_module_file(x->d_name, s->module)) {
			found = image_try(s, pt_asprintf("%s/%s", dir, x->d_name));
		} else if (x->d_type == DT_DIR && x->d_name[0] != '.') {
			char *sub = pt_asprintf("%s/%s", dir, x->d_name);

			found = module_below(s, sub, depth + 1);
			free(sub);
		}
	}
	if (d)
		closedir(d);
	return found;
}

static char *module_in(struct search *s, const char *top)
{
	static const char *const dirs[] = { "/usr/lib/debug/lib/modules",
					    "/usr/lib/debug/usr/lib/modules", "/lib/modules" };
	char *found = NULL;

	for (size_t i = 0; i < PT_NR(dirs) && !found && *s->release; i++) {
		char *dir = pt_asprintf("%s%s/%s", top, dirs[i], s->release);

		found = module_below(s, dir, 0);
		free(dir);
	}
	return found ? found : image_by_build_id(s, top);
}

/* Takes the path. */
static bool is_there(char *path)
{
	bool is = !access(path, F_OK);

	free(path);
	return is;
}

/* The package to install, if the kernel is one of a distribution. */
static void advise(const struct search *s, struct pt_err *e)
{
	if (s->other)
		pt_err_advice(e, " (%s is of another build)", s->other);
	pt_err_advice(e, "; ");
	if (is_there(pt_asprintf("%s/var/lib/dpkg/info/linux-image-%s.list", s->root, s->release)))
		pt_err_advice(e, "install linux-image-%s-dbg (Ubuntu: -dbgsym), or ", s->release);
	else if (is_there(pt_asprintf("%s/lib/modules/%s/vmlinuz", s->root, s->release)))
		pt_err_advice(e, "`dnf debuginfo-install kernel-%s`, or ", s->release);
	pt_err_advice(e, "name a file that has it (of a kernel built with CONFIG_DEBUG_INFO): %s",
		      s->module ? "-m FILE.ko" : "-k VMLINUX");
}

char *pt_image_find(const struct pt_image_where *w, const char *module, struct pt_err *e)
{
	char *(*below)(struct search *s, const char *top) = module ? module_in : kernel_below;
	char *found = NULL;
	struct search s;

	if (module && (!*module || strchr(module, '/'))) {
		pt_err_set(e, "%s: no name of a module", module);
		return NULL;
	}
	search_init(&s, w, module);
	if (s.symfs)
		found = below(&s, s.symfs);
	if (!found)
		found = below(&s, s.root);
	if (!found && module)
		pt_err_set(e, "the module %s has no debug information here", module);
	else if (!found)
		pt_err_set(e, "the kernel's debug information is not here");
	if (!found)
		advise(&s, e);
	free(s.other);
	return found;
}

bool pt_image_is_file(const char *what)
{
	const char *dot = strstr(what, ".ko");

	return strchr(what, '/') || (dot && (!dot[3] || dot[3] == '.'));
}

bool pt_image_is_loaded(const char *module)
{
	return is_there(pt_asprintf("/sys/module/%s/initstate", module));
}

int pt_image_check(const struct pt_object *image, const char *module, struct pt_err *e)
{
	struct pt_build_id id;

	if (!pt_build_id_of_kernel("", module, &id) || !image->build_id.len ||
	    pt_build_id_equal(&id, &image->build_id))
		return 0;
	return pt_err_set(e, "%s is not the %s%s that %s: their build-ids differ", image->path,
			  module ? "module " : "image of the kernel", module ? module : "",
			  module ? "is loaded" : "runs");
}
