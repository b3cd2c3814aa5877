/* Narrow vectors: three walkers share a height that none may raise above M.

   Each walker climbs and descends by single steps and keeps the height of its own climb; raising the common height and
   its own are two statements, so the walkers get in each other's way. A state is a dozen bytes.
   Size: -DL=n (own height), -DM=n (common height). */
#ifndef L
#define L 4
#endif
#ifndef M
#define M 8
#endif

byte height;

active [3] proctype Walker() {
    byte own;
    do
    :: height < M && own < L -> height++; own++
    :: own > 0 -> own--; height--
    :: own == L -> assert(height >= L); height = height - own; own = 0
    od
}
