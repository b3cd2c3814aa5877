#!/bin/sh
# Guards the kernel: instructions per transition, counted by callgrind, compared with those on record.
#
#   benches/instructions.sh            compare; exit code 1 if a search has become more than TOLERANCE % dearer
#   benches/instructions.sh --record   put what is measured on record (benches/instructions.txt)
#
# Times differ from run to run, counts do not: the same binary executes the same instructions on every machine of its
# architecture, but for a few in the C library. What it takes to start and to read the model is measured by itself, by a
# search that stops at its first state, and subtracted. Takes well under a minute. Needs a release build
# (cargo build --release) and valgrind, which is installed on Debian if it is missing.
set -eu

tolerance=${TOLERANCE:-4}
root=$(cd "$(dirname "$0")/.." && pwd)
ample=${CARGO_TARGET_DIR:-$root/target}/release/ample
record=$root/benches/instructions.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v valgrind >/dev/null || {
    echo 'valgrind is missing: installing it' >&2
    sudo=''
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get install -y -qq valgrind >&2
}

# Model and options. The first ones are full searches of the model as written, the others the default.
searches() {
    cat <<'END'
--plain leader -D STEP=4
--plain token_ring -D N=2
--plain peterson_n
--plain dtp -D K=5 -D B=3
--plain philosophers -D N=6 --no-end-check
--plain sliding_window
--plain accounting
--plain sieve
pftp
sliding_window
peterson_n
END
}

# Instructions of a search, and its transitions: count NAME OPTIONS
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$ample" check --check safety --all-errors --no-trail --format json --workers 1 "$@" >"$work/out" 2>"$work/err" || true
    sed -n 's/^==.*Collected : //p' "$work/err"
}

measure() {
    searches | while read -r line; do
        # shellcheck disable=SC2086 # options are words
        set -- $line
        plain=''
        if [ "$1" = --plain ]; then
            plain=--plain
            shift
        fi
        name=$1
        shift
        all=$(count $plain "$root/examples/$name.pml" "$@")
        transitions=$(sed -n 's/^ *"transitions": \([0-9]*\),$/\1/p' "$work/out")
        start=$(count $plain --states 1 "$root/examples/$name.pml" "$@")
        echo "$(((all - start) / transitions)) $line"
    done
}

if [ "${1:-}" = --record ]; then
    measure >"$record"
    cat "$record"
    exit
fi

measure >"$work/now"
printf '%-44s %8s %8s %8s\n' search record now change
paste -d '|' "$record" "$work/now" | awk -F '|' -v tolerance="$tolerance" '{
    split($1, before, " "); split($2, now, " ")
    name = substr($2, length(now[1]) + 2)
    if (name != substr($1, length(before[1]) + 2)) {
        print "the record is of other searches: " $1; bad = 1; next
    }
    change = 100 * (now[1] / before[1] - 1)
    mark = ""
    if (change > tolerance) { mark = "dearer"; bad = 1 }
    if (change < -tolerance) mark = "cheaper: put it on record"
    printf "%-44s %8d %8d %+7.1f%% %s\n", name, before[1], now[1], change, mark
} END { exit bad }'
