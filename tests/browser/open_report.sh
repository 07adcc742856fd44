#!/usr/bin/env bash
# open_report.sh REPORT.html [--screenshots DIR]: opens a report in headless Chromium; see open_report.py.
exec python3 "$(dirname "$0")/open_report.py" "$@"
