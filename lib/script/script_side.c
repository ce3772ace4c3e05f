/* Side-band records as perf script's --show-... options print them. */

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "script/script.h"
#include "script/script_priv.h"

void pt_script_about(const struct pt_record *rec, uint32_t *pid, uint32_t *tid)
{
	*pid = rec->has & PERF_SAMPLE_TID ? rec->pid : 0;
	*tid = rec->has & PERF_SAMPLE_TID ? rec->tid : 0;
	switch (rec->type) {
	case PERF_RECORD_COMM: *pid = rec->u.comm.pid, *tid = rec->u.comm.tid; break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: *pid = rec->u.task.pid, *tid = rec->u.task.tid; break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: *pid = rec->u.mmap.pid, *tid = rec->u.mmap.tid; break;
	case PERF_RECORD_NAMESPACES:
		*pid = rec->u.namespaces.pid, *tid = rec->u.namespaces.tid;
		break;
	}
}

static void add_comm(const struct pt_record *rec, struct pt_buf *b)
{
	pt_buf_printf(b, "COMM%s: ", rec->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "");
	pt_text_puts(b, rec->u.comm.comm);
	pt_buf_printf(b, ":%d/%d", (int)rec->u.comm.pid, (int)rec->u.comm.tid);
}

static void add_task(const struct pt_record *rec, struct pt_buf *b)
{
	pt_buf_printf(b, "%s(%d:%d):(%d:%d)", rec->type == PERF_RECORD_FORK ? "FORK" : "EXIT",
		      (int)rec->u.task.pid, (int)rec->u.task.tid, (int)rec->u.task.ppid,
		      (int)rec->u.task.ptid);
}

static void script_side_add_mmap(const struct pt_record *rec, struct pt_buf *b)
{
	pt_buf_printf(b, "%s %d/%d: [%#llx(%#llx) @ ",
		      rec->type == PERF_RECORD_MMAP ? "MMAP" : "MMAP2", (int)rec->u.mmap.pid,
		      (int)rec->u.mmap.tid, (unsigned long long)rec->u.mmap.addr,
		      (unsigned long long)rec->u.mmap.len_bytes);
	pt_buf_printf(b, rec->type == PERF_RECORD_MMAP || rec->u.mmap.pgoff ? "%#llx" : "%llx",
		      (unsigned long long)rec->u.mmap.pgoff);
	if (rec->type == PERF_RECORD_MMAP) {
		pt_buf_puts(b, rec->misc & PERF_RECORD_MISC_MMAP_DATA ? "]: r " : "]: x ");
	} else {
		if (rec->u.mmap.build_id_len) {
			pt_buf_puts(b, " <");
			pt_buf_hex_bytes(b, rec->u.mmap.build_id,
					 PT_MIN(rec->u.mmap.build_id_len,
						sizeof(rec->u.mmap.build_id)), "");
			pt_buf_putc(b, '>');
		} else {
			pt_buf_printf(b, " %02x:%02x %llu %llu", rec->u.mmap.maj, rec->u.mmap.min,
				      (unsigned long long)rec->u.mmap.ino,
				      (unsigned long long)rec->u.mmap.ino_generation);
		}
		pt_buf_printf(b, "]: %c%c%c%c ", rec->u.mmap.prot & 1 ? 'r' : '-',
			      rec->u.mmap.prot & 2 ? 'w' : '-', rec->u.mmap.prot & 4 ? 'x' : '-',
			      rec->u.mmap.flags & 1 ? 's' : 'p');
	}
	pt_text_puts(b, rec->u.mmap.path);
}

static void script_side_add_switch(const struct pt_record *rec, struct pt_buf *b)
{
	bool out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;

	pt_buf_printf(b, "SWITCH%s %s", rec->type == PERF_RECORD_SWITCH ? "" : "_CPU_WIDE",
		      !out                                              ? "IN         "
		      : rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt"
									: "OUT        ");
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		pt_buf_printf(b, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev",
			      (int)rec->u.sw.pid, (int)rec->u.sw.tid);
}

static void add_namespaces(const struct pt_record *rec, struct pt_buf *b)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t i, nr = rec->u.namespaces.nr;

	pt_buf_printf(b, "NAMESPACES %d/%d - nr_namespaces: %u\n\t\t[", (int)rec->u.namespaces.pid,
		      (int)rec->u.namespaces.tid, (unsigned)nr);
	for (i = 0; i < nr; i++) {
		if (i && i % 4 == 0)
			pt_buf_puts(b, "\n\t\t ");
		pt_buf_printf(b, "%u/%s: %llu/%#llx%s", (unsigned)i,
			      i < PT_NR(names) ? names[i] : "unknown",
			      (unsigned long long)rec->u.namespaces.links[i].dev,
			      (unsigned long long)rec->u.namespaces.links[i].ino,
			      i + 1 == nr ? "]" : ", ");
	}
}

bool pt_script_side_text(const struct pt_record *rec, struct pt_buf *b)
{
	switch (rec->type) {
	case PERF_RECORD_COMM: add_comm(rec, b); return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: add_task(rec, b); return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: script_side_add_mmap(rec, b); return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: script_side_add_switch(rec, b); return true;
	case PERF_RECORD_NAMESPACES: add_namespaces(rec, b); return true;
	case PERF_RECORD_LOST:
		pt_buf_printf(b, "LOST lost %llu", (unsigned long long)rec->u.lost.lost);
		return true;
	case PERF_RECORD_LOST_SAMPLES:
		pt_buf_printf(b, "LOST_SAMPLES lost %llu", (unsigned long long)rec->u.lost.lost);
		return true;
	case PERF_RECORD_THROTTLE: pt_buf_puts(b, "THROTTLE"); return true;
	case PERF_RECORD_UNTHROTTLE: pt_buf_puts(b, "UNTHROTTLE"); return true;
	case PERF_RECORD_CGROUP:
		pt_buf_printf(b, "CGROUP cgroup: %llu ", (unsigned long long)rec->u.cgroup.id);
		pt_text_puts(b, rec->u.cgroup.path);
		return true;
	case PERF_RECORD_KSYMBOL:
		pt_buf_printf(b, "KSYMBOL addr %llx len %u type %u flags 0x%x name ",
			      (unsigned long long)rec->u.ksymbol.addr, rec->u.ksymbol.len_bytes,
			      rec->u.ksymbol.kind, rec->u.ksymbol.flags);
		pt_text_puts(b, rec->u.ksymbol.name);
		return true;
	case PERF_RECORD_BPF_EVENT:
		pt_buf_printf(b, "BPF_EVENT type %u, flags %u, id %u", rec->u.bpf.kind,
			      rec->u.bpf.flags, rec->u.bpf.id);
		return true;
	}
	return false;
}

void pt_script_side(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		    const char *comm, struct pt_buf *b)
{
	const struct pt_event *ev = rec->event                 ? rec->event
				    : pt_source_nr_events(src) ? pt_source_event(src, 0)
							       : NULL;
	size_t from = b->len;

	if (!ev)
		return;
	pt_script_start(s, pt_script_plan(s, src, ev), rec, comm, b);
	pt_buf_puts(b, "PERF_RECORD_");
	if (pt_script_side_text(rec, b))
		pt_buf_putc(b, '\n');
	else
		b->len = from;
}
