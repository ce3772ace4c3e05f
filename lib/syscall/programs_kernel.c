/* What programs must know of this kernel: where members are, by its BTF, and whether its memory may
 * be read. */
#include <bpf/libbpf.h>

#include "base/mem.h"
#include "syscall/kerneltypes.h"
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

/* Fills `kernel`. */
static int find_types(struct pt_programs *p, struct pt_err *e)
{
	struct pt_kerneltype wanted[PT_NR(members) + PT_PROGRAM_KINDS];

	for (size_t i = 0; i < PT_NR(members); i++)
		wanted[i] = (struct pt_kerneltype){
			members[i].type, members[i].member,
			(int *)((char *)&p->kernel + members[i].at)
		};
	for (size_t i = 0; i < PT_PROGRAM_KINDS; i++)
		wanted[PT_NR(members) + i] = (struct pt_kerneltype){
			pt_program_kinds[i].tracepoint, NULL, &p->kernel.tracepoints[i]
		};
	if (pt_kerneltypes_find(wanted, PT_NR(wanted), e) < 0)
		return -1;
	for (size_t i = 0; i < PT_NR(members); i++) {
		enum need need = members[i].need;

		if (*wanted[i].value < 0 && (need == ALWAYS || (need == FOR_PATHS && p->paths)))
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
	if (find_types(p, e) < 0)
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
