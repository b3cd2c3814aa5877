/*
 * Random receive waits for its message.
 *
 * expect: safety violated
 * reduction: on
 */
chan c = [2] of { byte }; byte x;
active proctype S() { c!1; c!2 }
active proctype R() { if :: c??2 -> x = 2 :: c??1 -> x = 1 fi; assert(x != 2) }
