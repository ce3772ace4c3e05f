#!/bin/bash
# What can be counted here? Events of each kind that work for this user, why hardware events do not, and the fields of a tracepoint.
set -eu
pt-list -j | jq -r 'select(.opens) | .kind' | sort | uniq -c
pt-list hardware || true
pt-list -l sched:sched_switch || true
