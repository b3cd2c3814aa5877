byte a[0];
byte b[-3];
init { a[0] = b[0] }
