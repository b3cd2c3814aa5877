init { again: skip; goto agian }
