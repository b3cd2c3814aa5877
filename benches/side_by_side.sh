#!/bin/sh
# SPIN and ample side by side: the pure interleaving semantics, full search, the same models.
#
#   benches/side_by_side.sh [-r RUNS] MODEL...
#
# For each model: states, seconds of the search (best of RUNS, default 3) of each, and the ratio SPIN / ample;
# then seconds from model to verdict (SPIN's generation and gcc included), and that ratio. Needs spin, gcc and a
# release build (cargo build --release). Searches that do not store the same number of states are marked with !.
set -eu

runs=3
if [ "${1:-}" = -r ]; then
    runs=$2
    shift 2
fi
ample=$(cd "$(dirname "$0")/.." && pwd)
ample=${CARGO_TARGET_DIR:-$ample/target}/release/ample
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

now() { date +%s.%N; }
field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p"; }

printf '%-22s %12s %12s %9s %9s %6s %9s %9s %6s\n' \
    model 'states spin' 'states ample' spin/s ample/s ratio 'all spin' 'all ample' ratio
for model in "$@"; do
    name=$(basename "$model")
    cp "$(dirname "$model")"/* "$work" 2>/dev/null || true
    best_spin='' best_ample='' all_spin='' all_ample='' states_spin='' states_ample=''
    best() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'; }
    for _ in $(seq "$runs"); do
        start=$(now)
        (cd "$work" && spin -o1 -o2 -o3 -a "$name" >/dev/null &&
            gcc -O2 -w -DNOREDUCE -DSAFETY -DNOCLAIM -DMEMLIM=8000 -o pan pan.c)
        middle=$(now)
        (cd "$work" && ./pan -m10000000 -n -c0 >pan.out)
        end=$(now)
        best_spin=$(best "$best_spin" "$(awk -v a="$middle" -v b="$end" 'BEGIN { print b - a }')")
        all_spin=$(best "$all_spin" "$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')")
        states_spin=$(awk '/states, stored/ { printf "%d", $1 }' "$work/pan.out")

        start=$(now)
        (cd "$work" && "$ample" check --plain --check safety --all-errors --no-trail --format json \
            "$name" >ample.out 2>/dev/null) || true
        end=$(now)
        # The result of the run is the only one; its time is the last "seconds" with a number.
        best_ample=$(best "$best_ample" "$(field seconds <"$work/ample.out" | tail -1)")
        all_ample=$(best "$all_ample" "$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')")
        states_ample=$(field states <"$work/ample.out" | head -1)
    done
    mark=''
    [ "$states_spin" = "$states_ample" ] || mark='!'
    awk -v n="$name" -v m="$mark" -v ss="$states_spin" -v sa="$states_ample" -v a="$best_spin" \
        -v b="$best_ample" -v c="$all_spin" -v d="$all_ample" 'BEGIN {
        printf "%-22s %12d %12d %9.2f %9.2f %6.2f %9.2f %9.2f %6.2f %s\n", n, ss, sa, a, b, a / b, c, d, c / d, m }'
done
