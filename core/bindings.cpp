// The Python module `samecore._core`. Each kernel family has one bind_*.cpp that
// converts and checks; no algorithm lives in a binding.
#include <nanobind/nanobind.h>

#include "cpu.hpp"

namespace nb = nanobind;

void bind_text(nb::module_& m);    // measures of pages, tokens, spots, shingles, word counts
void bind_join(nb::module_& m);    // document frequencies, exact join
void bind_groups(nb::module_& m);  // union-find, linkage
void bind_hamming(nb::module_& m);  // pairs of fingerprints within k bits
void bind_contents(nb::module_& m);  // hashes of whole texts
void bind_vectors(nb::module_& m);   // weighted joins: cosine, extended Jaccard, containment
void bind_sketch(nb::module_& m);  // minhash, simhash, mod-m samples
void bind_procedures(nb::module_& m);  // full, incremental and seeded matching
void bind_lsh(nb::module_& m);  // pairs of sketches that agree in a band
void bind_index(nb::module_& m);  // the persistent index
void bind_facts(nb::module_& m);  // facts of k-grams, learned weights

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of samecore: arrays and bytes in, arrays out.";
    m.def("cpu_level", []() { return samecore::cpu_level_name(samecore::cpu_level()); },
          "The instruction set in use: 'portable', 'avx2' or 'avx512'. "
          "SAMECORE_CPU in the environment lowers it.");
    bind_text(m);
    bind_join(m);
    bind_groups(m);
    bind_hamming(m);
    bind_contents(m);
    bind_vectors(m);
    bind_sketch(m);
    bind_procedures(m);
    bind_lsh(m);
    bind_index(m);
    bind_facts(m);
}
