#include "model.pml"
