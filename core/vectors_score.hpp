// The score, defined once. Products of two floats are exact in double, so a sum in key
// order has one rounding per shared key, fused or not: the same bits on every machine.
#pragma once

#include <algorithm>
#include <cmath>

#include "vectors.hpp"

namespace samecore::vectors {

// From x.y, x.x and y.y, each summed in key order. At most 1; exactly 1 for equal vectors,
// because sqrt(n * n) is n in binary arithmetic. No float can make the terms overflow.
inline double score(Measure measure, double dot, double left_square, double right_square) {
    if (measure == Measure::cosine) return std::min(1.0, dot / std::sqrt(left_square * right_square));
    return std::min(1.0, dot / (left_square + right_square - dot));
}

// The least cosine a pair of any lengths needs. Extended Jaccard >= t means
// x.y >= t/(1+t) (|x|^2 + |y|^2), and |x|^2 + |y|^2 >= 2|x||y|.
inline double least_cosine(Measure measure, double threshold) {
    return measure == Measure::cosine ? threshold : 2 * threshold / (1 + threshold);
}

}  // namespace samecore::vectors
