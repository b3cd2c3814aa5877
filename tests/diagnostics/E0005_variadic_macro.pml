#define LOG(text) printf(text, __VA_ARGS__)
