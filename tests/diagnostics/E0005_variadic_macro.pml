#define LOG(...) printf
