//! Promela front end: text to control-flow graphs.
