//! How fast a model of 10,000 lines goes through the front end: preprocess, parse and lower.
//!
//! `cargo bench -p promela-lite --bench front_end` prints times and lines per second (the throughput's `elem` is a line).
//! The model is a made-up family of protocols, one pair of processes after the other, written as people write Promela:
//! comments, macros, an inline, typedefs, channels, timeouts, atomic steps and a formula each.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use promela_lite::{Input, MemoryLoader, Options, Session, compile, parse, tokenize};
use std::hint::black_box;
use std::path::Path;

const LINES: usize = 10_000;

const HEADER: &str = "\
/* A family of windowed protocols over lossy lines. */
#define WINDOW  4
#define MAXSEQ  (2 * WINDOW)
#define inc(x)  x = (x + 1) % MAXSEQ
#define within(a, b, c)  (((a) <= (b) && (b) < (c)) || ((c) < (a) && ((a) <= (b) || (b) < (c))))

mtype = { data, ack, nak, reset };

typedef Frame {
    mtype kind;
    byte  seq;
    byte  load[2];
}

byte faults;

inline lose(line) {
    if
    :: faults < 3 -> faults++; line?_,_,_
    :: else
    fi
}

";

const MEMBER: &str = "
// ---- member NN ----
chan toNN   = [WINDOW] of { mtype, byte, byte };
chan fromNN = [WINDOW] of { mtype, byte, byte };
byte sentNN, doneNN;
bool busyNN = false;
Frame lastNN;

active proctype SenderNN()
{   byte next, base, load;
    bool acked[MAXSEQ];

    /* send as long as the window is open */
    do
    :: (within(base, next, base + WINDOW) && nfull(toNN)) ->
        atomic {
            toNN!data,next,load;
            lastNN.kind = data;
            lastNN.seq = next;
            lastNN.load[load % 2] = load;
            acked[next] = false;
            inc(next);
            sentNN++
        }
    :: fromNN?ack,base,_ ->
        d_step { acked[base % MAXSEQ] = true; inc(base); doneNN = base }
    :: fromNN?nak,next,_ -> busyNN = true
    :: timeout ->
        if
        :: base != next -> next = base
        :: else -> goto finished
        fi
    od;
finished:
    assert(sentNN >= doneNN || sentNN < WINDOW);
    busyNN = false
}

active proctype ReceiverNN()
{   byte expected, seq, load;

end:
    do
    :: toNN?data,seq,load ->
        if
        :: seq == expected ->
            inc(expected);
progress:   fromNN!ack(expected, load)
        :: seq != expected && nfull(fromNN) -> fromNN!nak(expected, 0)
        :: else -> printf(\"receiver %d: lost %d\\n\", _pid, seq)
        fi
    :: lose(toNN)
    :: toNN?reset,_,_ -> atomic { expected = 0; seq = 0; load = (busyNN -> 1 : 0) }
    od unless { faults > 2 && empty(toNN) }
}

ltl liveNN { [] (busyNN -> <> (doneNN == sentNN)) }
";

/// A model of at least that many lines.
fn model(lines: usize) -> String {
    let mut text = HEADER.to_string();
    let members = (lines - HEADER.lines().count()).div_ceil(MEMBER.lines().count());
    for member in 0..members {
        text.push_str(&MEMBER.replace("NN", &member.to_string()));
    }
    text
}

fn front_end(criterion: &mut Criterion) {
    let text = model(LINES);
    let lines = text.lines().count() as u64;
    let mut loader = MemoryLoader::default().with("m", text.as_str());
    let mut group = criterion.benchmark_group("front_end");
    group.throughput(Throughput::Elements(lines));
    group.bench_function("tokenize", |bencher| {
        bencher.iter_with_large_drop(|| {
            let mut session = Session::default();
            let stream = tokenize(
                Path::new("m"),
                &[],
                &Options::default(),
                &mut loader,
                &mut session,
            );
            black_box(stream.tokens.len())
        });
    });
    let mut session = Session::default();
    let stream = tokenize(
        Path::new("m"),
        &[],
        &Options::default(),
        &mut loader,
        &mut session,
    );
    group.bench_function("parse", |bencher| {
        bencher.iter_with_large_drop(|| {
            black_box(parse::parse(&stream, &session.symbols, &mut session.diagnostics).is_some())
        });
    });
    group.bench_function("compile", |bencher| {
        bencher.iter_with_large_drop(|| {
            let compiled = compile(Path::new("m"), &Input::default(), &mut loader);
            assert!(compiled.program.is_some());
            black_box(compiled.diagnostics.dropped())
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = front_end
}
criterion_main!(benches);
