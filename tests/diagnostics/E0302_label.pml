byte A;
init { A: skip; B: skip; B: skip; B: skip; goto B }
