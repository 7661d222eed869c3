#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace nb = nanobind;

void bind_join(nb::module_& m) {
    (void)m;
}
