byte x;
int main() { return 0 }
init {
    while (x < 3) { x++ };
    if (x == 1) { x = 2 } else { x = 3 };
    x = x > 1 ? 2 : 3
}
