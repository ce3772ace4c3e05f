/* What programs must know of this kernel: where members are, by its BTF, and whether its memory may
 * be read. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include "base/mem.h"
#include "syscall/programs.h"

/* The offset of a member of a struct in bytes; -1: unknown. Anonymous members are looked into. */
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

struct member { int *at; const char *type, *name; };

static int find_members(const struct btf *btf, const struct member *m, size_t nr, struct pt_err *e)
{
	for (; nr--; m++) {
		int id = btf__find_by_name_kind(btf, m->type, BTF_KIND_STRUCT);

		*m->at = id < 0 ? -1 : member_at(btf, btf__type_by_id(btf, (uint32_t)id), m->name);
		if (*m->at < 0)
			return pt_err_set(e, "the kernel's BTF has no %s.%s", m->type, m->name);
	}
	return 0;
}

#if defined(__x86_64__)
/* Whether a system call is a 32-bit one: TS_COMPAT in thread_info.status. */
static void find_status(struct pt_programs_kernel *k, const struct btf *btf)
{
	int info;
	const struct member members[] = { { &info, "task_struct", "thread_info" },
					  { &k->status, "thread_info", "status" } };
	struct pt_err e = PT_ERR_INIT;

	k->status = find_members(btf, members, PT_NR(members), &e) < 0 ? -1 : info + k->status;
}
#endif

/* A kernel in lockdown does not let programs read its memory: include/linux/security.h,
 * LOCKDOWN_BPF_READ_KERNEL. */
static bool may_read_kernel(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_probe_read_kernel,
				       NULL) != 0;
}

int pt_programs_know_kernel(struct pt_programs *p, const struct btf *btf, struct pt_err *e)
{
	struct pt_programs_kernel *k = &p->kernel;
	const struct member of_tasks[] = {
		{ &k->pid, "task_struct", "pid" }, { &k->tgid, "task_struct", "tgid" },
		{ &k->exit_code, "task_struct", "exit_code" },
		{ &k->signal, "task_struct", "signal" },
		{ &k->signal_flags, "signal_struct", "flags" },
		{ &k->bprm_filename, "linux_binprm", "filename" },
	}, of_paths[] = {
		{ &k->files, "task_struct", "files" }, { &k->fs, "task_struct", "fs" },
		{ &k->fdt, "files_struct", "fdt" }, { &k->max_fds, "fdtable", "max_fds" },
		{ &k->fds, "fdtable", "fd" }, { &k->root, "fs_struct", "root" },
		{ &k->pwd, "fs_struct", "pwd" }, { &k->path, "file", "f_path" },
		{ &k->parent, "dentry", "d_parent" }, { &k->name, "dentry", "d_name" },
		{ &k->inode, "dentry", "d_inode" }, { &k->hash, "dentry", "d_hash" },
		{ &k->ino, "inode", "i_ino" }, { &k->mode, "inode", "i_mode" },
		{ &k->rdev, "inode", "i_rdev" }, { &k->sb, "inode", "i_sb" },
		{ &k->magic, "super_block", "s_magic" }, { &k->mount, "mount", "mnt" },
		{ &k->mount_parent, "mount", "mnt_parent" },
		{ &k->mount_point, "mount", "mnt_mountpoint" },
		{ &k->mount_root, "vfsmount", "mnt_root" },
	};

	k->status = -1;
	p->no_kernel_reads = !may_read_kernel();
	p->paths &= !p->no_kernel_reads;
	if (find_members(btf, of_tasks, PT_NR(of_tasks), e) < 0 ||
	    (p->paths && find_members(btf, of_paths, PT_NR(of_paths), e) < 0))
		return -1;
#if defined(__x86_64__)
	/* r10 r9 r8 ax cx dx si di orig_ax; the mask is the last member of struct ucontext; of
	 * 32-bit programs: bx cx dx si di bp */
	p->regs = (struct pt_programs_regs){ 56, 64, 152, 296, { 40, 88, 96, 104, 112, 32 } };
	find_status(k, btf);
#elif defined(__aarch64__)
	/* x0 to x8; the number is in x8 */
	p->regs = (struct pt_programs_regs){ 0, 64, -1, -1, { 0 } };
#else
	return pt_err_set(e, "its registers at system calls are not known here");
#endif
	return 0;
}
