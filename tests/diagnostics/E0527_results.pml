typedef Pair { byte a; byte b }
procedure none() { return 3 }
procedure some() : int { return }
procedure pair() : Pair { skip }
active proctype P() { int x; x = none(); x = some(); pair() }
