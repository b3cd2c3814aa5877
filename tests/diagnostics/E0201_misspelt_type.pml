bite x;
init { intt y; x = y }
