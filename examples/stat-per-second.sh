#!/bin/sh
# How many context switches and page faults a second, on each CPU, for five seconds.
exec pt-stat -a -A -I 1000 --for 5 -e context-switches,page-faults
