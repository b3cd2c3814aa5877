#!/bin/sh
# Prints the table of docs/states.md: states of reduced searches, ours and SPIN's, and of full ones. Needs spin and gcc.
set -eu
cd "$(dirname "$0")/.."
AMPLE_RECORD=1 cargo test --release --test beside_spin -- --nocapture | grep '^|'
