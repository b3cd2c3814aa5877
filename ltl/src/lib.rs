//! Linear temporal logic and Büchi automata.
