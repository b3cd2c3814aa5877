inline set(v, n) {
  v = n
}
init {
  set(x)
}
