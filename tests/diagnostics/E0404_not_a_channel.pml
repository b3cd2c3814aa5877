byte x;
bool y;
init { x!1; y?x; len(x) > 0; xr x }
