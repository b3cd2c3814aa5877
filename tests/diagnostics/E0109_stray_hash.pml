init { x = #define }
