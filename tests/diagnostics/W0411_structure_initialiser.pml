typedef R { byte a };
R r[2] = 255;
active proctype P() { r[0].a = 1; assert(r[1].a == 0) }
