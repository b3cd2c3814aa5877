#!/bin/sh
# SPIN and ample side by side under weak fairness, on properties that hold: full search, the same models.
#
#   benches/fairness.sh [-r RUNS] MODEL:PROPERTY[:DEFINES]...
#
# For each: states and seconds of the search (best of RUNS, default 3) of SPIN (pan -a -f, -DNOREDUCE, no other
# optimisation), whose states are those it stores (one record each, copies in it) and those it visits in all copies; the same
# of ample (--plain --fairness weak); and the ratios SPIN / ample of states stored, of states visited and of seconds. Needs
# spin, gcc and a release build (cargo build --release). DEFINES is a list such as -DN=4,-DM=2. For example
#
#   benches/fairness.sh examples/token_ring.pml:sends:-DN=4,-DWORK=2
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

field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p"; }
best() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b < a) ? b : a }'; }

printf '%-30s %12s %12s %8s %12s %8s %8s %8s %8s\n' \
    'model property' 'spin stored' 'spin visited' s ample s stored visited time
for case in "$@"; do
    model=$(echo "$case" | cut -d: -f1)
    property=$(echo "$case" | cut -d: -f2)
    defines=$(echo "$case" | cut -s -d: -f3 | tr ',' ' ')
    name=$(basename "$model")
    cp "$(dirname "$model")"/* "$work" 2>/dev/null || true
    # NFAIR=3: room for the copies of more than 6 processes.
    (cd "$work" && spin -o1 -o2 -o3 $defines -a "$name" >/dev/null &&
        gcc -O2 -w -DNOREDUCE -DNFAIR=3 -DMEMLIM=8000 -o pan pan.c)
    t_spin='' t_ample=''
    for _ in $(seq "$runs"); do
        start=$(date +%s.%N)
        (cd "$work" && ./pan -m20000000 -n -a -f -N "$property" >pan.out)
        end=$(date +%s.%N)
        t_spin=$(best "$t_spin" "$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')")
        (cd "$work" && "$ample" check $defines --plain --fairness weak --claim "$property" --no-trail --no-warnings \
            --format json "$name" >ample.out 2>/dev/null) ||
            echo "ample does not say that $name $property holds" >&2
        t_ample=$(best "$t_ample" "$(field seconds <"$work/ample.out" | tail -1)")
    done
    grep -q 'errors: 0' "$work/pan.out" || echo "SPIN does not say that $name $property holds" >&2
    ! grep -q 'max search depth too small' "$work/pan.out" || echo "SPIN's search of $name is cut" >&2
    stored=$(awk '/states, stored/ { printf "%d", $1 }' "$work/pan.out")
    visited=$(sed -n 's/.*states, stored (\([0-9.e+]*\) visited).*/\1/p' "$work/pan.out")
    s_ample=$(field states <"$work/ample.out" | head -1)
    awk -v n="$name $property" -v s="$stored" -v v="${visited:-$stored}" -v ts="$t_spin" -v a="$s_ample" -v ta="$t_ample" \
        'BEGIN { printf "%-30s %12d %12d %8.2f %12d %8.2f %8.2f %8.2f %8.2f\n", n, s, v, ts, a, ta, s / a, v / a, ts / ta }'
done
