/* What programs must know of this kernel: where members are, by its BTF, and whether its memory may
 * be read. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/bootanswer.h"
#include "base/mapfile.h"
#include "base/mem.h"
#include "syscall/programs.h"

enum need { ALWAYS, FOR_PATHS, IF_THERE };

#define OFFSET(member) offsetof(struct pt_programs_kernel, member)

static const struct {
	const char *type, *member;
	size_t at;			/* in struct pt_programs_kernel */
	enum need need;
} members[] = {
	{ "task_struct", "pid", OFFSET(pid), ALWAYS },
	{ "task_struct", "tgid", OFFSET(tgid), ALWAYS },
	{ "task_struct", "exit_code", OFFSET(exit_code), ALWAYS },
	{ "task_struct", "signal", OFFSET(signal), ALWAYS },
	{ "signal_struct", "flags", OFFSET(signal_flags), ALWAYS },
	{ "linux_binprm", "filename", OFFSET(bprm_filename), ALWAYS },
	{ "task_struct", "thread_info", OFFSET(thread_info), IF_THERE },
	{ "thread_info", "status", OFFSET(status), IF_THERE },
	{ "task_struct", "files", OFFSET(files), FOR_PATHS },
	{ "task_struct", "fs", OFFSET(fs), FOR_PATHS },
	{ "files_struct", "fdt", OFFSET(fdt), FOR_PATHS },
	{ "fdtable", "max_fds", OFFSET(max_fds), FOR_PATHS },
	{ "fdtable", "fd", OFFSET(fds), FOR_PATHS },
	{ "fs_struct", "root", OFFSET(root), FOR_PATHS },
	{ "fs_struct", "pwd", OFFSET(pwd), FOR_PATHS },
	{ "file", "f_path", OFFSET(path), FOR_PATHS },
	{ "dentry", "d_parent", OFFSET(parent), FOR_PATHS },
	{ "dentry", "d_name", OFFSET(name), FOR_PATHS },
	{ "dentry", "d_inode", OFFSET(inode), FOR_PATHS },
	{ "dentry", "d_hash", OFFSET(hash), FOR_PATHS },
	{ "inode", "i_ino", OFFSET(ino), FOR_PATHS },
	{ "inode", "i_mode", OFFSET(mode), FOR_PATHS },
	{ "inode", "i_rdev", OFFSET(rdev), FOR_PATHS },
	{ "inode", "i_sb", OFFSET(sb), FOR_PATHS },
	{ "super_block", "s_magic", OFFSET(magic), FOR_PATHS },
	{ "mount", "mnt", OFFSET(mount), FOR_PATHS },
	{ "mount", "mnt_parent", OFFSET(mount_parent), FOR_PATHS },
	{ "mount", "mnt_mountpoint", OFFSET(mount_point), FOR_PATHS },
	{ "vfsmount", "mnt_root", OFFSET(mount_root), FOR_PATHS },
};

static int *value_of(struct pt_programs_kernel *k, size_t i)
{
	return (int *)((char *)k + members[i].at);
}

/* The offset of a member in bytes; -1: there is none. Anonymous members are looked into. */
static int member_at(const struct btf *btf, const struct btf_type *t, const char *member)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *inner = btf__type_by_id(btf, m[i].type);
		int at = (int)btf_member_bit_offset(t, i) / 8, within;

		if (!strcmp(name, member))
			return at;
		if (!*name && btf_is_composite(inner) &&
		    (within = member_at(btf, inner, member)) >= 0)
			return at + within;
	}
	return -1;
}

/* 5 MB. Kernels since 6.16 let it be mapped; reading it takes a system call a page. */
static struct btf *kernel_types(void)
{
	struct pt_err e = PT_ERR_INIT;
	struct btf *types = NULL;
	struct pt_mapfile file;

	if (pt_mapfile_open(&file, "/sys/kernel/btf/vmlinux", &e) == 0) {
		types = btf__new(file.data, (uint32_t)file.len_bytes);
		pt_mapfile_close(&file);
	}
	return types ? types : btf__load_vmlinux_btf();
}

/* Fills a struct pt_programs_kernel, with -1 for what this kernel lacks. */
static int find_types(void *kernel, struct pt_err *e)
{
	struct pt_programs_kernel *k = kernel;
	struct btf *btf = kernel_types();
	char name[64];
	int id;

	if (!btf)
		return pt_err_sys(e, errno, "the kernel's type information (BTF)");
	for (size_t i = 0; i < PT_NR(members); i++) {
		id = btf__find_by_name_kind(btf, members[i].type, BTF_KIND_STRUCT);
		*value_of(k, i) = id < 0 ? -1
					 : member_at(btf, btf__type_by_id(btf, (uint32_t)id),
						     members[i].member);
	}
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++) {
		snprintf(name, sizeof(name), "btf_trace_%s", pt_program_kinds[i].tracepoint);
		id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
		k->tracepoints[i] = id < 0 ? -1 : id;
	}
	btf__free(btf);
	return 0;
}

/* libbpf takes 50 ms to read 5 MB of BTF. Root keeps what was found until the next boot; with
 * another table of members it has another name. */
static int know_types(struct pt_programs *p, struct pt_err *e)
{
	uLong sum = crc32(0, NULL, 0);
	char name[32];

	for (size_t i = 0; i < PT_NR(members); i++) {
		sum = crc32_z(sum, (const Bytef *)members[i].type, strlen(members[i].type) + 1);
		sum = crc32_z(sum, (const Bytef *)members[i].member, strlen(members[i].member) + 1);
		sum = crc32_z(sum, (const Bytef *)&members[i].at, sizeof(members[i].at));
	}
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++)
		sum = crc32_z(sum, (const Bytef *)pt_program_kinds[i].tracepoint,
			      strlen(pt_program_kinds[i].tracepoint) + 1);
	snprintf(name, sizeof(name), "pt-kernel-types-%08lx", sum);
	if (pt_bootanswer_data(name, &p->kernel, sizeof(p->kernel), find_types, e) < 0)
		return -1;
	for (size_t i = 0; i < PT_NR(members); i++) {
		enum need need = members[i].need;

		if (*value_of(&p->kernel, i) < 0 &&
		    (need == ALWAYS || (need == FOR_PATHS && p->paths)))
			return pt_err_set(e, "the kernel's BTF has no %s.%s", members[i].type,
					  members[i].member);
	}
	return 0;
}

/* A kernel in lockdown does not let programs read its memory: include/linux/security.h,
 * LOCKDOWN_BPF_READ_KERNEL. */
static bool may_read_kernel(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_probe_read_kernel,
				       NULL) != 0;
}

int pt_programs_know_kernel(struct pt_programs *p, struct pt_err *e)
{
	struct pt_programs_kernel *k = &p->kernel;

	p->no_kernel_reads = !may_read_kernel();
	p->paths &= !p->no_kernel_reads;
	if (know_types(p, e) < 0)
		return -1;
	k->compat_status = k->thread_info < 0 || k->status < 0 ? -1 : k->thread_info + k->status;
#if defined(__x86_64__)
	/* r10 r9 r8 ax cx dx si di orig_ax; the mask is the last member of struct ucontext; of
	 * 32-bit programs: bx cx dx si di bp */
	p->regs = (struct pt_programs_regs){ 56, 64, 152, 296, { 40, 88, 96, 104, 112, 32 } };
#elif defined(__aarch64__)
	/* x0 to x8; the number is in x8 */
	p->regs = (struct pt_programs_regs){ 0, 64, -1, -1, { 0 } };
	k->compat_status = -1;
#else
	return pt_err_set(e, "its registers at system calls are not known here");
#endif
	return 0;
}
