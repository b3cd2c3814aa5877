/*
 * Timeout beside another option.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [1] of { byte }; bit seen;
active proctype P() { byte v; do :: c?v -> assert(!seen) :: timeout -> seen = 1; break od; c?v }
active proctype Q() { c!1; c!2; seen -> c!3 }
active proctype R() { bit l; l = 1; l = 0; seen = 1 }
