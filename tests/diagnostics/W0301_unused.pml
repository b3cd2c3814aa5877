byte x;
hidden byte h;
init { byte y; skip }
