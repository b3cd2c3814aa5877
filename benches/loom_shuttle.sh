#!/bin/sh
# Side by side with loom 0.7 and shuttle 0.9 (depth-first): the same programs in one run. Prints a table of executions, executions
# per CPU second, and CPU seconds to the verdict. A `+` marks what was cut off after 20 s (loom) or 1,000,000 executions (shuttle).
set -eu
cd "$(dirname "$0")/loom_shuttle"
cargo build --release --quiet
"${CARGO_TARGET_DIR:-target}/release/beside-loom-shuttle"
