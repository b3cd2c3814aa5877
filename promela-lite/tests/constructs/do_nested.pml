/* break leaves the innermost loop; an option may begin with a loop or a choice. */
byte x;
active proctype P() {
    do
    :: do :: x < 3 -> x++ :: else -> break od; break
    :: if :: x == 0 :: x == 1 -> x = 2 fi
    od
}
