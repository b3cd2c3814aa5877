init { c_code { now.x++; } }
