/*
 * The maker of a channel waits until the other process has used it.
 *
 * expect: safety holds
 * reduction: on
 */
chan g;
active proctype P() { (g != 0); g!1 }
active proctype Q() { chan c = [1] of { byte }; g = c; c?_ }
