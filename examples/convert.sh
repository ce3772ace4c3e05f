#!/bin/bash
# How do I look at this in pprof, Perfetto, speedscope or the Firefox Profiler? A profile and a timeline of a command, as a file for each of them.
#     examples/convert.sh make -j4        # leaves profile.pb.gz, profile.speedscope.json, profile.firefox.json and timeline.pftrace in this directory
# Needs root, or what pt-doctor names.
set -eu
[ $# -gt 0 ] || { echo "usage: ${0##*/} COMMAND [ARG...]" >&2; exit 2; }

recording=$(mktemp)
trap 'rm -f "$recording"' EXIT
pt-record -g -F 499 -o "$recording" -- "$@"
for form in pb.gz speedscope.json firefox.json; do pt-convert -o "profile.$form" "$recording"; done
pt-convert --block -o timeline.pftrace -- "$@"

if command -v go > /dev/null; then
	echo "functions, by pprof:"
	go tool pprof -top profile.pb.gz 2> /dev/null | head -12
fi
echo "profile.speedscope.json is for www.speedscope.app, profile.firefox.json for profiler.firefox.com, timeline.pftrace for ui.perfetto.dev."
