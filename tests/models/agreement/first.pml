/*
 * A random model that once told a fault.
 *
 * expect: safety violated
 * expect: p0 violated
 * expect: p1 holds
 * expect: acceptance holds
 */
mtype = { m0, m1 };
mtype s0 = m0;
byte g0[3];
bool g1;
inline f0(x, y) {
    if
    :: ((_pid / 2) == _pid) ->
        skip;
        assert(((y <= g0[x % 3]) && (3 > y)));
    :: ((g0[g1 % 3] <= g1) && (g1 > x)) ->
        g1 = 2;
    :: (s0 != m1) ->
        g1 = 1;
        assert(((1 >= _pid) || (_nr_pr == g1)));
        s0 = s0;
    :: else ->
        g1 = ((g1 + y) * 2) % 3;
    fi;
}
proctype P0(byte p) {
    byte l0;
    skip;
    d_step {
        p = 1;
        select (l0 : 1 .. 1);
    };
    {
        atomic { l0 < 2 -> l0++ };
        select (g1 : 1 .. 1);
        if
        :: p = (l0 + 1) % 3;
            if
            :: ((0 | g1) < l0) ->
                p = (l0 + g1) % 3;
                select (g1 : 1 .. 2);
                skip;
            :: ((l0 | g1) >= l0) ->
                assert((s0 != m0));
                assert(((g1 & p) != 2));
            fi;
        fi;
    } unless {
        (((_nr_pr * 3) != g0[1]) && ((_pid * 3) == 1)) ->
        skip;
        if
        :: ((p % 3) != g0[2]) ->
            do
            :: ((-3) > 0) ->
                l0 = ((g1 - g1) ^ ((l0 >= 3) -> g0[g1 % 3] : l0)) % 3;
                skip;
            :: skip;
            :: ((g1 < g1) || (l0 != p)) -> break;
            od;
        :: skip;
        :: l0 = (1 + 1) % 3;
            skip;
            skip;
        fi;
        skip;
        atomic { l0 < 2 -> l0++ };
    };
    ((l0 % 2) != _pid);
    assert(((g0[g1 % 3] >> 1) <= p));
    atomic { g1 < 2 -> g1++ };
    if
    :: s0 = m0;
        if
        :: p = 2;
            skip;
            atomic { g1 > 0 -> g1-- };
        :: ((g1 != g0[g1 % 3]) || (2 < _nr_pr)) ->
            l0 = 0;
            select (p : 1 .. 2);
            l0 = 2;
        fi;
        do
        :: (1 != l0) ->
            atomic {
                p = ((p % 2) ^ (g0[1] / 1)) % 3;
                timeout;
            };
            {
                g0[p % 3] = (((3 > g1) || (_nr_pr > g1)) -> (p & p) : (g0[1] | g1)) % 3;
                atomic { _nr_pr < 5 -> run P1() };
            } unless {
                ((g0[0] ^ g1) != p);
                skip;
                atomic { _nr_pr < 5 -> run P1() };
            };
            break;
        :: ((g0[g1 % 3] - l0) == p) ->
            p = 2;
            break;
        :: ((p + g1) == p) ->
            if
            :: ((p << 1) > 3) ->
                f0((1 & 3), g1);
                break;
            :: (_nr_pr != g0[2]) ->
                f0((2 - _nr_pr), l0);
                p = (l0 + 1) % 3;
                break;
            fi;
            s0 = s0;
            g1 = ((g0[g1 % 3] & 3) * 2) % 3;
        od;
        ((1 == g0[1]) && !((s0 != m1)));
    :: skip;
    :: skip;
    fi;
    if
    :: (s0 == m1) ->
        do
        :: (p >= g1) ->
            {
                ((g1 - p) != g1);
                l0 = ((g1 & p) + (l0 ^ p)) % 3;
                atomic { l0 > 0 -> l0-- };
            } unless {
                !(!((1 != l0)));
                l0 = 2;
            };
            f0((p + p), p);
        :: ((0 + g1) == _pid) -> break;
        od;
        skip;
    :: f0((p | p), p);
        ((g1 == g0[1]) || ((g0[g1 % 3] & g0[1]) != g1));
        timeout;
        skip;
    fi;
    ((g0[p % 3] != p) && (g1 != 2));
}
proctype P1() {
    byte l0;
    byte l1;
    chan lc = [1] of { byte };
    if
    :: ((l1 % 3) > 2) ->
        atomic { l1 < 2 -> l1++ };
        do
        :: if
            :: s0 = m0;
                l1 = (2 + 1) % 3;
                skip;
                lc!!((g0[l1 % 3] - l1) % 3) % 3;
                break;
            :: goto L2;
            fi;
            skip;
            end0: lc?eval((0 + 1) % 3);
            {
                g0[l1 % 3] = (g1 + 1) % 3;
            } unless {
                lc?l0;
                (((g1 < g1) && lc?[l0]) && !((1 == l1)));
                g0[g1 % 3] = g1 % 3;
            };
            goto L1;
        :: timeout;
            if
            :: ((0 != g0[l1 % 3]) || (0 >= g0[g1 % 3])) ->
                lc?[g0[0]];
                lc!0;
                lc?g0[0];
                break;
            fi;
            goto end0;
        od;
    fi;
    lc!0;
    L1: skip;
    ((_pid * 2) == g1);
    lc??l1;
    L2: lc?_;
    if
    :: g1 = 2;
        f0((_nr_pr + 1), l0);
    fi;
    g0[2] = (l1 - _pid) % 3;
}
active [2] proctype P2() {
    byte l0;
    if
    :: l0 = 0;
        accept0: skip;
    :: (g0[g1 % 3] == 2) ->
        select (g1 : 1 .. 2);
        skip;
        d_step {
            (_nr_pr > g1);
            assert(((g1 > 2) && (g1 != g1)));
            if
            :: ((l0 + l0) < _pid) ->
                g1 = (g0[l0 % 3] + 1) % 3;
                select (g1 : 0 .. 0);
                f0((g0[2] + 2), l0);
            :: else ->
                skip;
                select (l0 : 0 .. 1);
                assert((g0[1] > g0[1]));
            fi;
            assert(((1 == g0[1]) && (0 >= _nr_pr)));
        };
        f0((1 + g0[l0 % 3]), l0);
    fi;
}
init {
    atomic {
        skip;
        run P0((g1 + 1) % 3);
        run P1();
    };
    skip;
    d_step {
        if
        :: select (g1 : 0 .. 0);
            g0[1] = (((_nr_pr | g0[g1 % 3]) < g0[g1 % 3]) -> (g0[g1 % 3] * 3) : g1) % 3;
            if
            :: (3 == 3) ->
                s0 = m0;
                ((_pid / 1) > g0[g1 % 3]);
                g1 = g1 % 3;
            :: !((g0[g1 % 3] == g1)) ->
                select (g1 : 0 .. 0);
                atomic { g1 < 2 -> g1++ };
            :: !((g1 > g1)) ->
                skip;
                f0((g1 + g1), g0[1]);
            fi;
        fi;
        g0[2] = g0[2] % 3;
    };
    atomic { g1 > 0 -> g1-- };
    do
    :: ((g1 - g1) != g0[1]) ->
        g0[g1 % 3] = ((g0[g1 % 3] * 2) + (g0[g1 % 3] + g0[g1 % 3])) % 3;
        g0[0] = g0[1] % 3;
        skip;
    :: (g0[2] == g0[0]) ->
        skip;
        timeout;
        select (g1 : 0 .. 0);
        skip;
    :: ((2 == 3) && (1 >= 2)) ->
        atomic { g1 < 2 -> g1++ };
        g0[g1 % 3] = 1;
        if
        :: ((_pid + 2) != g1) ->
            select (g1 : 0 .. 0);
            if
            :: (g0[g1 % 3] != 3) ->
                assert((g0[g1 % 3] <= g1));
                f0((g0[g1 % 3] & g1), g1);
            :: ((g0[0] - g1) >= 1) ->
                (((g1 == g1) || (g0[g1 % 3] == g0[g1 % 3])) || ((2 < g1) || (_pid != g1)));
                g0[g1 % 3] = (g0[2] / 1) % 3;
                break;
            :: (g0[g1 % 3] != g1) ->
                s0 = m1;
                assert(!((g0[0] != g0[g1 % 3])));
                g1 = 0;
            fi;
        :: ((g0[1] * 3) >= g1) ->
            skip;
            d_step {
                g0[g1 % 3] = (((g0[g1 % 3] == g0[1]) -> g0[0] : _nr_pr) << 1) % 3;
                skip;
                g1 = 0;
                select (g1 : 0 .. 0);
            };
        :: skip;
        fi;
    od;
}

ltl p0 { ((! (g1 == g1)) V (((g0[1] != g1) || (g1 == g1)) V ((g0[0] & g1) >= g1))) }

ltl p1 { ((((g1 + g1) < g0[g1 % 3]) -> !((s0 != s0))) U [] (g1 <= g0[2])) }

