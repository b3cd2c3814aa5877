/*
 * An index further right sees what is received further left.
 *
 * expect: safety holds
 * finds: nothing
 */
chan c = [2] of { byte, byte }; byte a[3];
active proctype S() { c!1,7; c!2,8; c!0,9 }
active proctype R() { byte i; c?i,a[i]; assert(a[1] == 7); c?i,a[i]; assert(a[2] == 8); c?i,a[i]; assert(a[0] == 9) }
