/* A group of workers; the first error counts. */
proctype Task(chan errs; byte k) { if :: errs!k :: errs!0 fi }
init { chan errs = [3] of { byte }; byte e, first, i; run Task(errs, 1); run Task(errs, 2); run Task(errs, 3);
  do :: i < 3 -> errs?e; i++; if :: first == 0 -> first = e :: else fi :: else -> break od }
