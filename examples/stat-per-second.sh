#!/bin/sh
# How many context switches and page faults a second has each CPU? For five seconds.
exec pt-stat -a -A -I 1000 --for 5 -e context-switches,page-faults
