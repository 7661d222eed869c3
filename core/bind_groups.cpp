#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace nb = nanobind;

void bind_groups(nb::module_& m) {
    (void)m;
}
