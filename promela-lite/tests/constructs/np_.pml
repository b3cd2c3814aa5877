/* Whether no process makes progress; in claims. */
byte x;
active proctype P() { progress: do :: x = 1 - x od }
never { do :: true :: np_ -> break od; accept: do :: np_ od }
