/* Which sends and receives may follow each other; only constants are looked at. */
chan a = [1] of { byte };
chan b = [1] of { byte };
active proctype P() { byte v; a!1; b!2; a?v; b?v }
trace { do :: a!1; b!_ :: a?_ od }
