#!/bin/sh
# Side by side with stateright 0.31: one worker each and then all cores, in one run. Prints a table of unique states, seconds,
# peak memory, and how many times as much stateright takes; fails if the states are not equal. Each figure is the best of $RUNS
# runs (3 unless said). The models are the same on both sides, apart from those rows that name two: there stateright runs its own
# program, and ample the same protocol written for it.
set -eu
cd "$(dirname "$0")/stateright"
cargo build --release --quiet
tool=target/release/beside-stateright
cores=$(nproc)
runs=${RUNS:-3}

# The run with the least time: unique states, seconds, KiB.
best() {
    for _ in $(seq "$runs"); do "$tool" "$@"; done | sort -k2 -g | head -1
}

echo '| model | workers | states | ample | stateright bfs | stateright dfs |'
echo '| --- | ---: | ---: | ---: | ---: | ---: |'
for workers in 1 "$cores"; do
    for pair in '2pc 8' '2pc 9' '2pc-compact 8' '2pc-compact 9' '2pc-compact 8, 2pc 8' '2pc-compact 9, 2pc 9' 'paxos 2'; do
        ours=${pair%,*} theirs=${pair#*, }
        # shellcheck disable=SC2086
        { best ample $ours "$workers"; best stateright-bfs $theirs "$workers"; best stateright-dfs $theirs "$workers"; } |
            awk -v model="$pair" -v workers="$workers" '
                { states[NR] = $1; seconds[NR] = $2; mib[NR] = $3 / 1024 }
                END {
                    if (states[1] != states[2] || states[1] != states[3]) {
                        print model ": the states differ: " states[1], states[2], states[3] > "/dev/stderr"
                        exit 1
                    }
                    printf "| %s | %d | %d | %.2f s, %.0f MiB |", model, workers, states[1], seconds[1], mib[1]
                    for (i = 2; i <= 3; i++)
                        printf " %.2f s (%.1f×), %.0f MiB (%.1f×) |", seconds[i], seconds[i] / seconds[1], mib[i], mib[i] / mib[1]
                    print ""
                }'
    done
done
echo
"$tool" ample ring
