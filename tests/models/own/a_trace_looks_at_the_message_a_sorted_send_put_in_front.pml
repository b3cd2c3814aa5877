/*
 * A trace looks at the message a sorted send put in front.
 *
 * expect: safety holds
 * finds: nothing
 */
chan c = [2] of { byte }; active proctype A() { c!!5; c!!3 } trace { c!5; c!3 }
