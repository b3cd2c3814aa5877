init { if :: break fi }
