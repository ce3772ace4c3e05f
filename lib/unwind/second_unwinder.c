#include "unwind/second_unwinder.h"

#include <string.h>

#include "base/mem.h"

#if defined(PT_WITH_LIBUNWIND) && defined(__x86_64__)
#include <libunwind.h>

enum { PTR_ENC_DATAREL_SDATA4 = 0x3b, PTR_ENC_UDATA4 = 0x03 };

/* Searches a table of another process. libunwind exports it but declares it in no header. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip,
					      unw_dyn_info_t *di, unw_proc_info_t *pi,
					      int need_info, void *arg);

struct asked {				/* argument of libunwind's callbacks */
	const struct pt_unwind_ops *ops;
	void *ctx;
	const struct pt_regs *regs;
	struct pt_place place;		/* whose tables are being read */
};

static int find_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need_info,
		     void *arg)
{
	struct asked *q = arg;
	const struct pt_object *o;
	unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	const uint8_t *hdr;
	uint32_t count;

	if (!q->ops->find(q->ctx, ip, &q->place) || !(o = q->place.object) ||
	    !o->eh_frame_hdr_vaddr)
		return -UNW_ENOINFO;
	/* version, encodings of .eh_frame's address, of the count, of the table (LSB Core, "The
	 * .eh_frame_hdr section") */
	hdr = pt_object_bytes(o, o->eh_frame_hdr_vaddr, 12, false);
	if (!hdr || hdr[0] != 1 || hdr[2] != PTR_ENC_UDATA4 || hdr[3] != PTR_ENC_DATAREL_SDATA4)
		return -UNW_ENOINFO;
	memcpy(&count, hdr + 8, 4);
	if (count > o->eh_frame_hdr_bytes / 8)
		return -UNW_ENOINFO;
	di.end_ip = ~(unw_word_t)0;
	di.u.rti.segbase = q->place.bias + o->eh_frame_hdr_vaddr;
	di.u.rti.table_data = di.u.rti.segbase + 12;
	di.u.rti.table_len = count;	/* in 8-byte words: one for each entry */
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_info, arg);
}

static void put_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg;
}

static int no_list(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as, (void)list, (void)arg;
	return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *arg)
{
	struct asked *q = arg;
	const struct pt_object *o = q->place.object;
	const uint8_t *bytes;
	uint64_t len;

	(void)as;
	*v = write ? *v : 0;
	if (write)
		return -UNW_EINVAL;
	if (q->ops->read(q->ctx, addr, v, sizeof(*v)))
		return 0;
	/* Recordings have no mappings of read-only data, so tables are read from the object. */
	bytes = o ? pt_object_from(o, addr - q->place.bias, &len) : NULL;
	if (!bytes)
		return -UNW_EINVAL;
	memcpy(v, bytes, PT_MIN(len, (uint64_t)sizeof(*v)));
	return 0;
}

/* libunwind's register numbers are DWARF's, with the return address last. */
static int access_register(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *v, int write,
			   void *arg)
{
	const struct asked *q = arg;

	(void)as;
	if (write || reg < 0 || reg > UNW_X86_64_RIP || !(q->regs->valid >> reg & 1))
		return -UNW_EBADREG;
	*v = q->regs->r[reg];
	return 0;
}

static size_t by_libunwind(const struct pt_arch *a, const struct pt_unwind_ops *ops, void *ctx,
			   const struct pt_regs *regs, struct pt_frame *frames, size_t max,
			   struct pt_unwind_result *result)
{
	unw_accessors_t accessors = { .find_proc_info = find_info,
				      .put_unwind_info = put_info,
				      .get_dyn_info_list_addr = no_list,
				      .access_mem = access_memory,
				      .access_reg = access_register };
	struct asked q = { .ops = ops, .ctx = ctx, .regs = regs };
	unw_addr_space_t as = a == &pt_arch_x86_64 ? unw_create_addr_space(&accessors, 0) : NULL;
	unw_cursor_t cursor;
	unw_word_t ip;
	bool exact = true;
	size_t n = 0;
	int rc = -1;

	*result = (struct pt_unwind_result){ .end = PT_UNWIND_NO_RULE };
	if (as && !unw_init_remote(&cursor, as, &q))
		do {
			struct pt_place p = { .object = NULL };

			if (n == max || unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip)
				break;
			if ((!ops->find(ctx, ip - !exact, &p) || !p.exec) && n)
				break;
			frames[n++] = (struct pt_frame){ ip, ip - !exact, p.object,
							 ip - !exact - p.bias, p.user };
			exact = unw_is_signal_frame(&cursor) > 0;
		} while ((rc = unw_step(&cursor)) > 0);
	if (!rc)
		result->end = PT_UNWIND_COMPLETE;
	if (as)
		unw_destroy_addr_space(as);
	return n;
}

const struct pt_unwind_by *pt_second_unwinder(void)
{
	static const struct pt_unwind_by libunwind = { "libunwind", by_libunwind };

	return &libunwind;
}
#else
const struct pt_unwind_by *pt_second_unwinder(void) { return NULL; }
#endif
