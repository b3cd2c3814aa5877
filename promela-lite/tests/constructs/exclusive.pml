/* xr and xs: only this process uses the channel in that direction. */
chan q = [2] of { byte };
chan r = [1] of { byte };
active proctype P() { xs q; xr r; byte v; q!1; r?v }
active proctype Q() { xr q; byte v; q?v }
