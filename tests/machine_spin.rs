//! Numbers of states against SPIN's, construct by construct.
//!
//! What SPIN 6.5.2 says of each model with `-o1 -o2 -o3`, `-DNOREDUCE -DSAFETY -DNOCLAIM` and `-n -c0`: states stored,
//! states matched, atomic steps, errors.

mod support;

use support::machine::explore;
use support::search::program;

/// A model and SPIN's figures for it.
type Case = (&'static str, &'static str, (usize, usize, usize, usize));

const CASES: &[Case] = &[
    (
        "stray_comment_end",
        r#"byte n; active proctype P() { n = 1; */ n = 2 }
"#,
        (4, 0, 0, 0),
    ),
    (
        "structure_initialiser",
        r#"typedef R { byte a; byte b }; R r[2] = 255; R s = 7; active proctype P() { s.a++; r[1].b++; assert(s.a == 1 && r[1].b == 1) }
"#,
        (5, 0, 0, 0),
    ),
    (
        "for_over_nothing",
        r#"byte i, n; active proctype P() { for (i : 0 .. 1-2) { n++ }; assert(n == 0); n = 5 }
"#,
        (6, 0, 0, 0),
    ),
    (
        "undeclared_set_of_constants",
        r#"mtype:colour c; byte n; active proctype P() { c = 3; n = c; assert(n == 3) }
"#,
        (5, 0, 0, 0),
    ),
    (
        "structures_declared_in_an_option",
        r#"typedef R { int id }; active proctype P() { int n; n = 1; do :: R a; R b; n = 2; break od }
"#,
        (6, 0, 0, 0),
    ),
    (
        "structures_and_skips_in_an_option",
        r#"typedef R { int id }; active proctype P() { byte n; do :: skip; skip; R a; R b; skip; n++; break od }
"#,
        (7, 0, 0, 0),
    ),
    (
        "arrays_declared_in_an_option",
        r#"active proctype P() { byte n; do :: byte a[2]; byte b[2]; n = 2; break od }
"#,
        (5, 0, 0, 0),
    ),
    (
        "structures_declared_in_an_atomic",
        r#"typedef R { int id }; byte g; active proctype P() { byte n; do :: atomic { R a; R b; n = 2 }; break od } active proctype Q() { g++ }
"#,
        (7, 2, 6, 0),
    ),
    (
        "structures_declared_in_an_inline",
        r#"typedef R { int id }; byte g; inline f() { R a; R b; g++ } active proctype P() { do :: f(); break od }
"#,
        (5, 0, 0, 0),
    ),
    (
        "structures_declared_in_sequence",
        r#"typedef R { int id }; byte g; active proctype P() { g = 1; R a; R b; R c[2]; g = 2 }
"#,
        (7, 0, 0, 0),
    ),
    (
        "array_of_bits",
        r#"bit a[2]; bool b;
active proctype A() { a[0] = 2; b = 2; if :: a[0] == 2 -> a[1] = 255 + 1 :: a[0] == 0 -> assert(false) fi; b = (a[1] == 0) }
active proctype B() { a[0]++; a[0] = a[0] * 2 }
"#,
        (52, 20, 0, 2),
    ),
    (
        "active_many",
        r#"byte x;
active [4] proctype A() { x = x + _pid; x == 6 }
"#,
        (60, 75, 0, 0),
    ),
    (
        "arithmetic",
        r#"short x = 7;
active proctype P() { do :: x = (x * 5 - 3) % 17 :: x = (x << 2 ^ 5) & 63 :: x = -x / 3 | 1 :: x = ~x >> 1 :: x = (x > 3 -> x - 1 : x + 2) :: x > 60 || x < -60 -> break od }
"#,
        (95, 373, 0, 0),
    ),
    (
        "arrays_of_bits",
        r#"bool done[5]; byte n;
active [2] proctype P() { byte i; for (i : 0 .. 4) { if :: !done[i] -> done[i] = 1; n++ :: else fi } }
"#,
        (2113, 1906, 0, 0),
    ),
    (
        "assertions_go_on",
        r#"byte x;
active [2] proctype P() { x++; assert(x == 1); x = x + 2 }
"#,
        (21, 12, 0, 7),
    ),
    (
        "atomic_blocks",
        r#"byte x, y;
active proctype A() { atomic { x = 1; y == 1; x = 2 }; x = 3 }
active proctype B() { atomic { x == 1 -> y = 1; y = 2; y = 1 } }
active proctype C() { do :: y++; y-- :: x == 3 -> break od }
"#,
        (30, 14, 12, 1),
    ),
    (
        "atomic_else",
        r#"byte x; chan c = [1] of { bit };
active [2] proctype A() { do :: atomic { if :: c!1 -> x++ :: else -> c?1; x-- fi } :: x > 0 -> break od }
"#,
        (11, 9, 25, 0),
    ),
    (
        "atomic_end",
        r#"byte x;
proctype K() { atomic { x++; x++ } }
init { atomic { run K(); run K(); x = 5 }; x = 6 }
"#,
        (27, 9, 15, 0),
    ),
    (
        "atomic_nested_goto",
        r#"byte x;
active [2] proctype A() {
again:
  atomic { x < 4 -> x++; if :: x == 2 -> goto out :: x == 3 -> goto again :: else fi; x++ };
  goto again;
out:
  x = 7
}
"#,
        (4, 3, 22, 1),
    ),
    (
        "buffered",
        r#"chan c = [2] of { byte, short };
active proctype S() { byte i; do :: i < 4 -> c!i,-i; i++ :: i == 4 -> break od }
active proctype R() { byte a; short b; do :: c?a,b -> assert(a + b == 0) :: timeout -> break od }
"#,
        (65, 40, 0, 0),
    ),
    (
        "channel_array",
        r#"chan q[3] = [1] of { byte };
active [3] proctype P() { byte v; do :: v < 2 -> q[(_pid + 1) % 3]!v; q[_pid]?v; v++ :: else -> break od }
"#,
        (268, 333, 0, 0),
    ),
    (
        "channels_in_messages",
        r#"chan a = [0] of { chan, byte }; 
active proctype S() { chan r = [0] of { byte }; byte k; do :: k < 2 -> a!r,k; r?eval(k); k++ :: else -> break od }
active proctype T() { chan q; byte v; do :: a?q,v; q!v od }
"#,
        (10, 0, 0, 1),
    ),
    (
        "conditional_expression",
        r#"byte x, y;
active [2] proctype A() { do :: x < 3 -> x = (y > 1 && x != 2 || !y -> x + 1 : 3); y = (x == 1 -> 2 : y) :: else -> break od }
"#,
        (95, 60, 0, 0),
    ),
    (
        "d_step",
        r#"byte x, y;
active [2] proctype A() {
  byte i;
  d_step { x < 3 -> x++; i = 0; do :: i < 3 -> y = y + i; i++ :: else -> break od; if :: y > 7 -> y = 0 :: else fi };
  y++
}
active proctype B() { do :: d_step { y == 0 -> x = 0 } :: d_step { x == 3; y++ } :: x > 1 && y > 1 -> break od }
"#,
        (20, 14, 0, 0),
    ),
    (
        "d_step_guarded_send",
        r#"chan c = [2] of { byte };
byte s;
active proctype A() { byte i; do :: i < 3 -> d_step { nfull(c) -> c!i; i++ } :: else -> break od }
active proctype B() { byte v; do :: d_step { c?v; s = s + v } :: d_step { if :: c?[2] -> c?v :: full(c) -> c?_; c?_; s = 0 fi } od }
"#,
        (30, 12, 0, 5),
    ),
    (
        "d_step_rendezvous_choice",
        r#"chan c = [0] of { byte };
chan d = [0] of { byte };
byte s;
active proctype A() { c!1; c!2; d!3 }
active proctype D() { d!4 }
active proctype B() { byte v; do :: d_step { if :: c?v -> s = s + v :: d?v -> s = v fi; v = 0 } od }
"#,
        (12, 2, 0, 2),
    ),
    (
        "d_step_rendezvous_receive",
        r#"chan c = [0] of { byte };
byte s;
active proctype A() { c!1; c!2; c!3 }
active proctype B() { byte v; do :: d_step { c?v; s = s + v; v = 0 } od }
"#,
        (4, 0, 0, 1),
    ),
    (
        "deterministic",
        r#"byte x;
active D_proctype A() { do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x > 1 -> break od }
"#,
        (7, 0, 0, 0),
    ),
    (
        "dynamic_rendezvous",
        r#"chan a = [0] of { byte }; chan b = [0] of { byte }; 
active proctype S() { chan c; if :: c = a :: c = b fi; c!1; c!2 }
active proctype R() { byte v; do :: a?v :: b?v; b?2; break od }
"#,
        (9, 0, 0, 1),
    ),
    (
        "else_beside_channels",
        r#"chan c = [1] of { bit };
chan r = [0] of { bit };
byte x;
active proctype A() { do :: c!1 -> x = 1 :: r!1 -> x = 2 :: else -> x = 3 od }
active proctype B() { do :: c?1 :: r?1 :: else -> x = 4 od }
"#,
        (55, 61, 0, 0),
    ),
    (
        "else_then_channels",
        r#"chan c = [0] of { byte }; byte x;
active proctype A() { do :: c?1 -> x = 1 :: else -> x = 2; c?2; break od }
active proctype B() { c!1; c!2 }
"#,
        (10, 0, 0, 1),
    ),
    (
        "empty_choice_goto",
        r#"byte x;
active proctype A() { do :: goto l1 :: break :: x = 1 od; l1: x = 2 }
"#,
        (6, 4, 0, 0),
    ),
    (
        "enabled_and_pc",
        r#"byte x;
active proctype A() { x == 1; x = 2; x == 7 }
active proctype B() { do :: enabled(0) -> x = 3; break :: !enabled(0) && x == 0 -> x = 1 od; (pc_value(0) > 2) -> x = 7 }
"#,
        (19, 3, 0, 2),
    ),
    (
        "end_labels",
        r#"chan c = [1] of { bit };
active proctype A() { end: do :: c?1 od }
active proctype B() { c!1; c!1 }
"#,
        (7, 1, 0, 0),
    ),
    (
        "eval_in_receive",
        r#"chan c = [2] of { byte, byte };
active [2] proctype A() { byte v; do :: c!_pid,v :: c?eval(1 - _pid),v -> v++; v > 2 -> break od }
"#,
        (39, 16, 0, 5),
    ),
    (
        "goto_labels",
        r#"byte x;
active proctype A() {
start: if :: x < 3 -> x++; goto start :: x == 3 -> goto finish fi;
finish: do :: x > 0 -> x-- :: x == 0 -> goto end1 od;
end1: skip
}
"#,
        (17, 0, 0, 0),
    ),
    (
        "hidden",
        r#"hidden byte h; byte x;
active proctype P() { do :: h = h + 1; x = (x + h) % 4; h = 0 od }
"#,
        (12, 1, 0, 0),
    ),
    (
        "hidden_scratch",
        r#"hidden byte h; byte x;
active [2] proctype P() { h = _pid; x = x + h }
"#,
        (18, 6, 0, 0),
    ),
    (
        "if_without_executable",
        r#"byte x;
active proctype A() { if :: x == 1 -> x = 2 :: x == 2 -> x = 3 fi; x = 0 }
active proctype B() { x = 1; x = 2 }
"#,
        (21, 7, 0, 0),
    ),
    (
        "init_values",
        r#"byte a = 3; byte b = 4; int c[3] = 7; bool t = true; short neg = -5; mtype = { one, two }; mtype m = two; chan q = [1] of { mtype };
proctype P(byte k; mtype z) { byte l = k + b; m = z; c[1] = l; neg = neg + l }
init { q!m; run P(a, one); q?m }
"#,
        (18, 3, 0, 0),
    ),
    (
        "inline_calls",
        r#"byte x;
inline bump(v, n) { byte t = n; v = v + t; assert(v < 9) }
active [2] proctype A() { bump(x, 1); bump(x, 2) }
"#,
        (57, 42, 0, 0),
    ),
    (
        "interleaving",
        r#"byte x;
active [3] proctype P() { byte t; t = x; x = t + 1 }
"#,
        (145, 92, 0, 0),
    ),
    (
        "last",
        r#"byte x;
active [2] proctype P() { do :: _last != _pid -> x = !x od }
"#,
        (16, 9, 0, 0),
    ),
    (
        "last_rendezvous",
        r#"byte x; chan c = [0] of { bit };
active proctype P() { do :: c!1 :: x = _last; x = 0 od }
active proctype Q() { do :: c?1 od }
"#,
        (4, 3, 0, 0),
    ),
    (
        "local_channels",
        r#"chan home = [1] of { chan };
proctype client(byte k) { chan mine = [1] of { byte }; byte v; home!mine; mine?v; assert(v == k) }
proctype server() { chan c; byte i; do :: home?c -> i++; c!i; if :: i == 2 -> break :: else fi od }
init { atomic { run server(); run client(1) }; (_nr_pr == 1) -> run client(1) }
"#,
        (13, 3, 1, 1),
    ),
    (
        "long_channel_field",
        r#"chan c = [1] of { bit, bit };
active proctype A() { c!3,2; c!5,7 }
active proctype B() { byte a, b; c?a,b; c?1,b }
"#,
        (7, 0, 0, 0),
    ),
    (
        "mtypes",
        r#"mtype:fruit = { apple, pear }; mtype:car = { vw, bmw, fiat }; mtype = { x1, x2 };
mtype:fruit f = pear; mtype:car k; mtype p = x1; chan c = [1] of { mtype:car, mtype:fruit };
active proctype A() { k = fiat; c!bmw,apple; p = x2 }
active proctype B() { c?k,f; if :: k == bmw -> p = x1 :: else fi }
"#,
        (16, 3, 0, 0),
    ),
    (
        "mutex_peterson",
        r#"bool flag[2]; bit turn; byte inside;
active [2] proctype P() {
  do
  :: flag[_pid] = 1; turn = _pid;
     (flag[1 - _pid] == 0 || turn == 1 - _pid);
     inside++; assert(inside == 1); inside--;
     flag[_pid] = 0
  od
}
"#,
        (38, 27, 0, 0),
    ),
    (
        "nested_choice_else",
        r#"byte x;
active proctype A() { do :: if :: x == 0 -> x = 1 :: x == 2 -> x = 3 :: else -> x = 2 fi :: x == 3 -> break od }
active proctype B() { x == 2; x = 0 }
"#,
        (40, 18, 0, 1),
    ),
    (
        "notrace",
        r#"chan c = [1] of { byte };
active proctype A() { c!1; c!2; c!3 }
active proctype B() { c?_; c?_; c?_ }
notrace { c!1; c?1; c?2 }
"#,
        (9, 0, 0, 0),
    ),
    (
        "peek_and_poll",
        r#"chan c = [2] of { byte };
byte seen;
active proctype S() { c!1; c!2; c!3 }
active proctype R() {
  byte v;
  do
  :: c?<v> -> seen = v
  :: c?[1] -> c?v
  :: c??[2] -> c??2
  :: c??<3> -> c?v; break
  od
}
"#,
        (90, 40, 0, 0),
    ),
    (
        "pids_reused",
        r#"byte n; 
proctype K(byte a) { chan c = [1] of { byte }; c!a; c?n }
init { byte i; do :: i < 3 -> i++; if :: run K(i) :: _nr_pr < 3 -> run K(i + 10) fi :: else -> break od }
"#,
        (1058, 1274, 0, 0),
    ),
    (
        "printf_is_a_step",
        r#"byte x;
active proctype A() { printf("a\n"); x = 1; printf("b %d\n", x) }
active proctype B() { x = 2; skip; x = 3 }
"#,
        (30, 14, 0, 0),
    ),
    (
        "priorities",
        r#"byte x;
active proctype lo() priority 1 { x = 1; x = 2; x = 3 }
active proctype mid() priority 5 { x == 2 -> x = 10; x = 11 }
active proctype hi() priority 10 { x > 1 -> x = 20 }
"#,
        (7, 0, 0, 1),
    ),
    (
        "priority_run",
        r#"byte x;
proctype w(byte k) { x = k; _priority = 1; x = k + 10 }
init { atomic { run w(1) priority 3; run w(2) priority 4; run w(3) }; x = 0 }
"#,
        (221, 175, 4, 0),
    ),
    (
        "provided",
        r#"byte turn;
active proctype A() provided (turn == 0) { do :: turn = 1 :: turn = 2 od }
active proctype B() provided (turn != 0) { do :: turn = 0 :: turn = 2; turn = 1 od }
"#,
        (4, 4, 0, 0),
    ),
    (
        "provided_pid",
        r#"byte turn = 1; chan c = [0] of { bit };
active [2] proctype A() provided (turn == _pid) { turn = 1 - _pid; c!1; turn = 1 - _pid }
active proctype B() provided (turn != 2) { c?1; c?1 }
"#,
        (10, 1, 0, 0),
    ),
    (
        "queries",
        r#"chan c = [2] of { bit };
active proctype S() { do :: nfull(c) -> c!1 od }
active proctype R() { byte n; do :: full(c) -> c?_ :: nempty(c) && n < 2 -> c?_; n++ :: len(c) == 1 && empty(c) -> assert(false) od }
"#,
        (34, 19, 0, 0),
    ),
    (
        "random_receive",
        r#"chan c = [3] of { byte };
active proctype S() { c!3; c!1; c!2; c!1 }
active proctype R() { byte v; c??1; c??eval(v + 2); do :: c?v -> skip :: c??1 -> break od }
"#,
        (21, 4, 0, 1),
    ),
    (
        "receive_into_array",
        r#"chan c = [2] of { byte, byte }; byte a[3];
active proctype S() { c!1,7; c!2,8; c!0,9 }
active proctype R() { byte i, v; do :: c?v,a[i] -> i = (i + v) % 3 :: a[2] == 9 -> break od }
"#,
        (15, 5, 0, 1),
    ),
    (
        "receive_match",
        r#"mtype = { red, green };
chan c = [3] of { mtype, byte };
active proctype S() { do :: c!red(1) :: c!green(2) od }
active proctype R() { byte v; do :: c?red(v) -> assert(v == 1) :: c?green,eval(v + 1) :: c?_,2 od }
"#,
        (45, 48, 0, 0),
    ),
    (
        "remote_pid",
        r#"byte x; 
proctype P(byte k) { byte v = k; x = v; M: v++; x = v }
init { pid a; a = run P(3); run P(5); P[a]@M; assert(P[a]:v <= 4); x = 77 }
"#,
        (150, 130, 0, 5),
    ),
    (
        "remote_references",
        r#"byte x;
active [2] proctype P() { byte v; v = 3; 
L: x++; v = 4 }
active proctype W() { (P[0]@L && P[1]:v == 4) -> x = 50 }
"#,
        (36, 16, 0, 1),
    ),
    (
        "rendezvous",
        r#"chan c = [0] of { byte };
active [2] proctype S() { do :: c!_pid od }
active [2] proctype R() { byte v; do :: c?v -> v = 0 :: c?1 od }
"#,
        (9, 22, 0, 0),
    ),
    (
        "rendezvous_in_atomic",
        r#"chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;
active proctype A() { atomic { x++; c!1; x++; d?_; x = 0 } }
active proctype B() { byte v; atomic { c?v; x = x + 10; d!2; x++ }; x++ }
active proctype C() { do :: x < 30 -> x++ :: x > 11 -> break od }
"#,
        (696, 513, 541, 0),
    ),
    (
        "rendezvous_sender_atomic",
        r#"chan c = [0] of { byte };
byte x;
active proctype A() { atomic { c!1; x++; x++ }; x++ }
active [2] proctype B() { c?_; x = x + 10 }
"#,
        (16, 6, 5, 2),
    ),
    (
        "run_and_die",
        r#"byte n;
proctype child(byte k) { byte t = k + 1; n = n + t; if :: k > 0 -> run child(k - 1) :: else fi }
init { pid p; p = run child(1); run child(0); (_nr_pr == 1); assert(p == 1); n = 0 }
"#,
        (42, 22, 0, 0),
    ),
    (
        "select_and_for",
        r#"byte sum;
active proctype P() { byte i; byte a[3]; select (i : 1 .. 3); for (i in a) { a[i] = i; sum = sum + a[i] } }
"#,
        (19, 2, 0, 0),
    ),
    (
        "self_rendezvous",
        r#"chan a = [0] of { byte };
active proctype S() { do :: a!1 :: a?1 :: break od }
"#,
        (3, 0, 0, 0),
    ),
    (
        "set_priority",
        r#"byte x;
active proctype A() { byte l; x++; set_priority(1, 5); x++; assert(get_priority(1) > 3); l = x }
active proctype B() { byte l; x++; x++; set_priority(_pid, 1); set_priority(0, 9); l = x }
"#,
        (30, 11, 0, 2),
    ),
    (
        "sorted_random",
        r#"mtype = { a, b, d };
chan c = [3] of { mtype, byte };
active proctype S() { byte i; do :: i < 3 -> i++; if :: c!!a,i :: c!!d,i fi :: else -> break od }
active proctype R() { byte v; do :: c??d,v :: c??a,3 :: c??[b,_] -> assert(false) :: c?<a,v> -> c?a,_ od }
"#,
        (140, 103, 0, 8),
    ),
    (
        "sorted_send",
        r#"chan c = [3] of { byte, byte };
active proctype S() { c!!3,1; c!!1,2; c!!2,0; c!!1,1 }
active proctype R() { byte a, b; do :: c?a,b :: timeout -> break od }
"#,
        (37, 9, 0, 0),
    ),
    (
        "stale_channel_names",
        r#"chan g; byte x;
proctype P() { chan own = [1] of { byte }; g = own; own!1; own?x }
init { run P(); (_nr_pr == 1); run P(); (_nr_pr == 1); x = 9 }
"#,
        (15, 0, 0, 0),
    ),
    (
        "structures",
        r#"typedef inner { byte a; short b[2] };
typedef outer { inner f[2]; bit z };
outer o; outer p[2];
active proctype P() { byte i; do :: i < 2 -> o.f[i].b[1 - i] = i + 1; p[i].f[1].a = o.f[i].b[1 - i]; i++ :: else -> break od; p[1].z = 1 }
active proctype Q() { p[0].f[1].a == 1 -> o.z = 1 }
"#,
        (36, 21, 0, 0),
    ),
    (
        "structures_in_messages",
        r#"typedef msg { byte a; byte b };
chan c = [1] of { msg, byte };
active proctype S() { msg m; m.a = 1; m.b = 2; do :: c!m,3 :: m.a++; m.a > 2 -> break od }
active proctype R() { msg n; byte k; do :: c?n,k -> assert(n.b == 2) od }
"#,
        (14, 6, 0, 2),
    ),
    (
        "timeout_after_atomic",
        r#"byte x;
active proctype A() { atomic { x = 1; timeout; x = 2; x == 5; x = 6 } }
active proctype B() { x == 2 -> x = 3; timeout -> x = 5 }
"#,
        (11, 1, 5, 0),
    ),
    (
        "timeout_in_all",
        r#"byte x;
active proctype A() { x == 1 -> x = 2 }
active proctype B() { do :: timeout -> if :: x < 3 -> x++ :: else -> break fi od }
active proctype C() { timeout -> x = 1 }
"#,
        (36, 4, 0, 0),
    ),
    (
        "trace_loop",
        r#"mtype = { req, ack };
chan c = [1] of { mtype }; chan d = [1] of { mtype };
active proctype A() { do :: c!req; d?ack od }
active proctype B() { do :: c?req; d!ack od }
trace { do :: c!req; c?req; d!ack; d?ack od }
"#,
        (4, 1, 0, 0),
    ),
    (
        "trace_ok",
        r#"chan c = [1] of { byte }; chan d = [1] of { byte };
active proctype A() { c!1; d!5; c!2 }
active proctype B() { c?_; d?_; c?_ }
trace { c!1; c?1; c!2; c?2 }
"#,
        (11, 2, 0, 0),
    ),
    (
        "trace_violated",
        r#"chan c = [1] of { byte };
active proctype A() { if :: c!1 :: c!2 fi; c!1 }
active proctype B() { c?_; c?_ }
trace { c!1; c?1; c!1; c?1 }
"#,
        (13, 0, 0, 2),
    ),
    (
        "truncation",
        r#"bit b; byte y; short s; int i; unsigned u : 3;
active proctype P() { do :: b = b + 3; y = y + 100; s = s + 16384; i = i + 1073741824; u = u + 3 od }
"#,
        (320, 1, 0, 0),
    ),
    (
        "truncation_in_messages",
        r#"chan c = [2] of { byte, bool, short, int };
active proctype P() { int k; do :: k < 4 -> c!k * 100,k,k * 20000,k * 1000000000; k++ :: else -> break od }
active proctype Q() { int a, b, d, e; do :: c?a,b,d,e od }
"#,
        (35, 17, 0, 1),
    ),
    (
        "uneven_scopes",
        r#"byte x;
active proctype A() { byte v = 2; if :: { byte w = 5; x = w }; x = x + v :: { int w; w = w + x; x = w + 1 } fi }
"#,
        (9, 0, 0, 0),
    ),
    (
        "unless_covers_receive",
        r#"chan c = [0] of { byte };
byte n;
active proctype A() { { c?_; c?_; n = 5 } unless { n == 1 -> n = 2 } }
active proctype S() { c!1; n = 1; c!2 }
"#,
        (12, 2, 0, 1),
    ),
    (
        "unless_d_step",
        r#"byte x, y;
active proctype A() { { do :: d_step { y < 3; y++; x = y } od } unless { atomic { x == 2; x = 7; y = 5 } } }
active proctype B() { y = 1; x = 0 }
"#,
        (27, 7, 10, 1),
    ),
    (
        "unless_guard",
        r#"byte x;
active proctype A() { { do :: x < 5 -> x++ :: x > 2 -> x-- od } unless { x == 4 -> x = 9 }; x = 0 }
active proctype B() { do :: x == 0 -> x = 1 :: x == 2 -> x = 3; break od }
"#,
        (65, 37, 0, 1),
    ),
    (
        "unless_in_if",
        r#"byte x; chan c = [1] of { byte };
active proctype A() { byte v; do :: { c?v; x = v } unless { x == 2; x = 0 } od }
active proctype B() { c!1; c!2; c!3 }
"#,
        (22, 9, 0, 1),
    ),
    (
        "unless_nested",
        r#"byte x, y;
active proctype A() { { { x++; x++; x++ } unless { y == 1 -> x = 10 }; x++ } unless { y == 2 -> x = 20 } }
active proctype B() { y = 1; y = 2 }
"#,
        (50, 23, 0, 0),
    ),
    (
        "unless_rendezvous",
        r#"chan c = [0] of { byte };
chan stop = [0] of { bit };
byte n;
active proctype A() { byte v; { do :: c?v -> n = v od } unless { stop?1 }; n = 9 }
active proctype S() { c!1; c!2 }
active proctype K() { stop!1 }
"#,
        (25, 9, 0, 2),
    ),
    (
        "unless_rendezvous_send",
        r#"chan c = [0] of { byte };
chan stop = [0] of { bit };
byte n;
active proctype A() { { do :: n < 2 -> n++ od } unless { stop!1 }; n = 9 }
active proctype K() { n == 1; stop?_ }
active proctype L() { if :: stop?0 :: n == 9 fi }
"#,
        (13, 1, 0, 1),
    ),
];

#[test]
fn states_are_as_many_as_spin_stores() {
    let mut wrong = Vec::new();
    for &(name, source, expected) in CASES {
        let counts = explore(program(source));
        let found = (
            counts.stored,
            counts.matched,
            counts.atomic,
            counts.deadlocks + counts.faults.len(),
        );
        if found != expected {
            wrong.push(format!("{name}: expected {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
