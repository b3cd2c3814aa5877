/*
 * An impossible priority for a process.
 *
 * expect: safety violated, priority
 * spin: same
 */
byte i; active proctype P() { set_priority(i, 300) }
