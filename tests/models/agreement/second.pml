/*
 * Another random model that once told a fault.
 *
 * expect: safety violated
 * expect: p0 holds
 * expect: p1 holds
 * expect: p2 violated
 */
mtype = { m0, m1, m2 };
mtype s0 = m0;
byte g0 = 1;
bit g1[2];
short g2;
bit g3[2] = 1;
typedef T { byte f; bit g[2] }
typedef M { byte k; bit v }
T t;
M w;
typedef N { T inner[2] }
N n;
chan c0 = [1] of { M };
chan c1 = [1] of { short, short };
inline f0(x) {
    g3[0] = 2;
}
inline f1(x) {
    if
    :: empty(c0) ->
        g2 = (g2 + 1) % 3;
        g3[1] = 1;
    :: ((w.k <= g3[1]) && (n.inner[0].g[1] == g2)) ->
        n.inner[0].g[1] = ((-t.g[1]) >> 1) % 3;
        f0(w.k);
    :: empty(c0) ->
        f0(n.inner[1].f);
        f0(g0);
    :: else ->
        n.inner[1].f = (g2 + 1) % 3;
    fi;
}
active proctype P0() {
    s0 = m0;
    f0(g1[g0 % 2]);
    g1[1] = ((_nr_pr ^ w.k) ^ (g3[1] + _pid)) % 3;
    c0?<w>;
    do
    :: ((2 - t.g[n.inner[1].f % 2]) == t.g[w.k % 2]) ->
        select (g0 : 1 .. 1);
        if
        :: c0!w;
            if
            :: ((w.k | g1[g0 % 2]) == t.g[t.f % 2]) ->
                c0!w;
                c1?[g2, eval((g0 + 1) % 3)];
            :: c1!((w.k & w.k) - (-n.inner[0].g[1])) % 3, (n.inner[0].g[w.k % 2] >> 1) % 3;
                L0: t.f = (t.g[0] << 1) % 3;
                f0(w.k);
                c0!w;
                goto L0;
            fi;
        :: goto L0;
        :: ((w.k != g3[0]) || (g3[0] == 3)) ->
            c1!((g1[1] != g1[1]) -> ((g0 < _pid) -> g2 : 0) : (g2 | n.inner[0].g[1])) % 3, 2;
            f1(g3[1]);
            break;
        fi;
    :: (s0 == s0) ->
        (((g1[w.k % 2] != n.inner[0].g[w.k % 2]) || (g1[g0 % 2] != g2)) && ((g1[0] - g3[n.inner[1].f % 2]) == len(c1)));
        t.g[1] = (len(c0) + 1) % 3;
        {
            for (w in c0) {
                ((n.inner[1].f | g0) >= n.inner[0].g[t.f % 2]);
                g0 = 2;
            };
        } unless {
            c0?w;
            select (g0 : 2 .. 2);
        };
    :: else ->
        L1: if
        :: ((g3[0] | n.inner[0].g[0]) >= g0) ->
            {
                (g1[1] == 2);
                n.inner[0].g[1] = (g3[n.inner[1].f % 2] / 1) % 3;
            } unless {
                (((2 / 1) >= t.g[n.inner[1].f % 2]) || ((0 + t.f) == _pid)) ->
                L2: skip;
                s0 = m1;
                t.f = (g2 + 1) % 3;
                select (g0 : 0 .. 0);
            };
            g2 = ((1 - w.k) % 3) % 3;
            atomic { n.inner[1].f < 2 -> n.inner[1].f++ };
        :: else ->
            skip;
            d_step {
                g3[n.inner[1].f % 2] = (3 ^ (n.inner[0].g[0] + g1[g0 % 2])) % 3;
                g3[1] = ((len(c1) & _pid) / 1) % 3;
                f0(t.g[n.inner[1].f % 2]);
            };
            if
            :: (n.inner[1].f != g3[1]) ->
                empty(c1);
                select (g0 : 0 .. 0);
            fi;
        fi;
        break;
    od;
}
active proctype P1() provided (((g0 > g2) && (g1[0] < n.inner[1].f))) {
    byte l0;
    byte l1;
    L0: {
        byte b1 = 2;
        t.f = 2 % 3;
        if
        :: ((l0 - w.k) != _nr_pr) ->
            atomic {
                g2 = (_nr_pr + 1) % 3;
            };
            for (w in c0) {
                g3[t.f % 2] = (t.f + 1) % 3;
                skip;
            };
        :: (((l0 >= g2) -> t.f : g2) == b1) ->
            atomic {
                c1!(g1[n.inner[1].f % 2] + 1) % 3, 0;
                c0!w;
            };
            L1: c1!(((3 >= g0) -> l1 : 0) >> 1) % 3, 2;
            atomic {
                ((l0 - l1) == n.inner[1].f);
            };
        fi;
    };
    {
        t.f = t.f % 3;
    };
    L2: c1?g0, l0;
}
init {
    atomic {
        skip;
    };
    atomic {
        g2 = 1;
        t.f < 2 -> t.f++;
        g0 = 1;
    };
    do
    :: (n.inner[0].g[1] < n.inner[0].g[n.inner[1].f % 2]) ->
        if
        :: c1?w.k, t.f;
            n.inner[0].g[w.k % 2] = 3 % 3;
            do
            :: ((g2 == 2) && (n.inner[1].f < w.k)) ->
                atomic { t.f < 2 -> t.f++ };
            :: ((g2 < t.f) || (s0 != m0)) ->
                byte b1 = 2;
                s0 = m2;
            :: else ->
                atomic { n.inner[1].f < 2 -> n.inner[1].f++ };
                t.f = (n.inner[1].f + 1) % 3;
                f0(g3[0]);
                break;
            od;
        fi;
        if
        :: (s0 != s0);
            for (w in c0) {
                select (g0 : 2 .. 2);
                c1!((t.f | t.g[n.inner[1].f % 2]) | (w.k - n.inner[1].f)) % 3, (n.inner[0].g[0] + 1) % 3;
            };
            atomic {
                c1?_, n.inner[0].g[t.f % 2];
                (nempty(c1) || ((n.inner[1].f > n.inner[1].f) && (3 != g3[1])));
                select (g0 : 1 .. 1);
            };
        :: c0!w;
            (s0 == m0);
        :: if
            :: n.inner[0].g[0] = 1;
                c1?<n.inner[1].f, eval((((len(c0) != len(c1)) -> _pid : t.f) | t.f) % 3)>;
                atomic { n.inner[1].f < 2 -> n.inner[1].f++ };
            fi;
            (c1?[eval(((g0 - 2) | g1[1]) % 3), n.inner[1].f] && (((g3[w.k % 2] == n.inner[1].f) -> 3 : w.k) != 1));
        fi;
        {
            c1?<n.inner[1].f, g2>;
        } unless {
            c1?n.inner[1].f, 1;
            if
            :: ((g3[0] == n.inner[1].f) || (w.k == g1[1])) ->
                L0: atomic { w.k < 2 -> w.k++ };
                g2 = 1;
            :: !((t.g[0] != 3)) ->
                s0 = m0;
            :: ((g3[t.f % 2] & g2) != n.inner[1].f) ->
                c0?w;
                f1(g3[g0 % 2]);
            :: else ->
                ((g2 + g3[w.k % 2]) == n.inner[1].f);
                n.inner[0].g[0] = 1;
                goto L0;
            fi;
            atomic { w.k > 0 -> w.k-- };
        };
        goto L0;
    :: ((g3[0] < t.g[1]) || (g3[g0 % 2] != 3)) ->
        skip;
        d_step {
            if
            :: g3[t.f % 2] = (w.k + 1) % 3;
                c1?n.inner[1].f, _;
            fi;
            if
            :: ((t.f > t.g[t.f % 2]) && (s0 == m0)) ->
                f1(t.g[0]);
            :: else ->
                n.inner[0].g[0] = 1;
            fi;
            if
            :: ((g2 < n.inner[1].f) && (g1[0] <= g3[0])) ->
                g3[0] = len(c0) % 3;
                t.f = (~(2 << 1)) % 3;
            :: else ->
                g0 = (n.inner[0].g[t.f % 2] / 1) % 3;
                select (g0 : 1 .. 2);
            fi;
        };
        break;
    :: (0 < w.k) ->
        f1(t.f);
    :: else ->
        g1[w.k % 2] = ((len(c1) | g1[n.inner[1].f % 2]) % 3) % 3;
    od;
    atomic { t.f < 2 -> t.f++ };
}

ltl p0 { <> (! (s0 == m1)) }

ltl p1 { (<> (P1[1]@L2) W ((g0 < n.inner[1].f) || (len(c0) != 1))) }

ltl p2 { ((! (2 <= t.g[0])) U [] ((0 != t.g[n.inner[1].f % 2]) && (len(c1) < 3))) }

