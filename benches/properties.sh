#!/bin/sh
# SPIN and ample side by side on properties that hold: full search of the product, the same models.
#
#   benches/properties.sh [-r RUNS] MODEL:PROPERTY[:DEFINES]...
#
# For each: product states and seconds of the search (best of RUNS, default 3) of SPIN (pan -a, -DNOREDUCE, no other
# optimisation), of ample with the classic product (its twin) and with the product that steps on changes (both --plain),
# and the ratios SPIN / ample; then both as they come, with their reductions, and that ratio. Needs spin, gcc and a release
# build (cargo build --release). DEFINES is a list such as -DN=4,-DM=2.
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

# spin_run FLAGS-OF-SPIN FLAGS-OF-GCC: sets states and seconds
spin_run() {
    (cd "$work" && spin $1 $defines -a "$name" >/dev/null && gcc -O2 -w $2 -DMEMLIM=8000 -o pan pan.c)
    seconds=''
    for _ in $(seq "$runs"); do
        start=$(date +%s.%N)
        (cd "$work" && ./pan -m5000000 -n -a -N "$property" >pan.out)
        end=$(date +%s.%N)
        seconds=$(best "$seconds" "$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')")
    done
    grep -q 'errors: 0' "$work/pan.out" || echo "SPIN does not say that $name $property holds" >&2
    states=$(awk '/states, stored/ { printf "%d", $1 }' "$work/pan.out")
}

# ample_run OPTIONS: the same
ample_run() {
    seconds=''
    for _ in $(seq "$runs"); do
        (cd "$work" && "$ample" check $defines --claim "$property" --no-trail --no-warnings --format json "$@" \
            "$name" >ample.out 2>/dev/null) || echo "ample does not say that $name $property holds" >&2
        seconds=$(best "$seconds" "$(field seconds <"$work/ample.out" | tail -1)")
    done
    states=$(field states <"$work/ample.out" | head -1)
}

printf '%-26s %10s %7s %10s %7s %6s %10s %7s %6s | %9s %7s %9s %7s %6s\n' \
    'model property' spin s classic s ratio changes s ratio 'spin red.' s 'ample' s ratio
for case in "$@"; do
    model=$(echo "$case" | cut -d: -f1)
    property=$(echo "$case" | cut -d: -f2)
    defines=$(echo "$case" | cut -s -d: -f3 | tr ',' ' ')
    name=$(basename "$model")
    cp "$(dirname "$model")"/* "$work" 2>/dev/null || true
    spin_run '-o1 -o2 -o3' -DNOREDUCE
    s0=$states t0=$seconds
    ample_run --plain --classic-product
    s1=$states t1=$seconds
    ample_run --plain
    s2=$states t2=$seconds
    spin_run '' ''
    s3=$states t3=$seconds
    ample_run
    awk -v n="$name $property" -v s0="$s0" -v t0="$t0" -v s1="$s1" -v t1="$t1" -v s2="$s2" -v t2="$t2" \
        -v s3="$s3" -v t3="$t3" -v s4="$states" -v t4="$seconds" 'BEGIN {
        printf "%-26s %10d %7.2f %10d %7.2f %6.2f %10d %7.2f %6.2f | %9d %7.2f %9d %7.2f %6.2f\n",
            n, s0, t0, s1, t1, t0 / t1, s2, t2, t0 / t2, s3, t3, s4, t4, t3 / t4 }'
done
