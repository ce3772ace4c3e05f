#include "cli/hits.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/input.h"
#include "cli/out.h"
#include "record/live.h"
#include "task/tasks.h"
#include "script/script.h"

static int add_events(struct pt_event_list *l, const struct pt_events *events, const char *group,
		      struct pt_err *e)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct pt_new_event *ev = &events->v[i];
		char *name = pt_asprintf("%s:%s", ev->group, ev->name);
		int rc = pt_event_list_add(l, name, e);

		free(name);
		if (rc < 0)
			return -1;
		free(l->specs[l->nr - 1].name);
		l->specs[l->nr - 1].name = pt_asprintf("%s:%s", group, ev->name);
	}
	return 0;
}

static int show(struct pt_source *src, const char *command, bool json, struct pt_out *out,
		struct pt_err *e)
{
	struct pt_script *script = pt_script_new(NULL);
	struct pt_tasks *tasks = pt_tasks_new();
	pid_t pid = pt_session_command_pid(pt_source_session(src));
	const struct pt_record *rec;
	struct pt_buf b = PT_BUF_INIT;
	int rc;

	if (pid > 0)	/* until its exec it is this program's child */
		pt_tasks_hint(tasks, (uint32_t)pid, (uint32_t)pid, command, strlen(command));
	while ((rc = pt_source_next(src, &rec, e)) > 0) {
		if (rec->type != PERF_RECORD_SAMPLE) {
			pt_tasks_see(tasks, rec);
			continue;
		}
		if (!rec->event)
			continue;
		pt_buf_clear(&b);
		if (json)
			pt_script_json(script, rec, pt_tasks_comm(tasks, rec->tid), &b);
		else
			pt_script_sample(script, src, rec, pt_tasks_comm(tasks, rec->tid),
					 &b);
		if (pt_out_write(out, b.data, b.len, e) < 0) {
			rc = -1;
			break;
		}
	}
	pt_buf_deinit(&b);
	pt_tasks_free(tasks);
	pt_script_free(script);
	return rc;
}

int pt_hits_run(const struct pt_tool *tool, char **command, const struct pt_events *events,
		const char *group, bool json)
{
	struct pt_watch w = { .command = command,
			      .clockid = CLOCK_MONOTONIC,
			      .exclude_self = true,
			      .command_output = PT_COMMAND_TO_STDERR };
	struct pt_source *src = NULL;
	struct pt_out *out = NULL;
	struct pt_err e = PT_ERR_INIT;
	int rc;

	pt_event_list_init(&w.events);
	rc = add_events(&w.events, events, group, &e);
	if (rc == 0)
		rc = pt_source_open_live(&src, &w, &e);
	if (rc == 0)
		rc = pt_out_open(&out, NULL, &e);
	if (rc == 0) {
		pt_out_live(out, 0);
		if (pt_source_tps(src))
			pt_tp_db_prepare(pt_source_tps(src));
		rc = show(src, command[0], json, out, &e);
	}
	rc = pt_finish(tool, src, out, rc, &e);
	pt_source_free(src);
	pt_event_list_deinit(&w.events);
	return rc;
}
