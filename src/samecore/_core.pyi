"""Compiled kernels of samecore: arrays and bytes in, arrays out."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def cpu_level() -> str:
    """
    The instruction set in use: 'portable', 'avx2' or 'avx512'. SAMECORE_CPU in the environment lowers it.
    """

def measure_html(page: bytes) -> tuple[Any, ...]:
    """
    Of an HTML page: the number of '<', the most tags open at once, the bytes from one '<' to the next at most, and whether there are table cells.
    """

def unicode_version() -> str:
    """Version of the Unicode tables that define a word."""

def hash_word(word: bytes, seed: int = 0) -> int:
    """The hash of a normalised word's UTF-8 bytes."""

def code_point_classes() -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    For each code point after folding: 0 separator, 1 word, 2 mark, 3 unspaced script, 4 ignored, 5 unassigned, 6 several.
    """

def tokens(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int = 0, cjk: int = 0, threads: int = 1) -> tuple[Any, ...]:
    """
    Words as (offsets[n + 1], hashes, starts, ends); starts and ends are bytes of data.
    """

def words(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, cjk: int = 0) -> tuple[Any, ...]:
    """
    Normalised words as (offsets[n + 1] into word_offsets, word_offsets into text, text).
    """

def word_frequencies(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, seed: int = 0, cjk: int = 0, threads: int = 1) -> tuple[Any, ...]:
    """
    Distinct words as (hashes ascending, occurrences, documents, starts, ends of the first place).
    """

class SpotTable:
    """Antecedents and stop words of up to 40 languages, compiled."""

    def __init__(self, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stop_masks: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], spec_words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], spec_languages: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], step_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], languages: int, *, skip_stop_words: bool = True, partial: bool = True, key: int = 0, cjk: int = 0, seed: int = 0, least: int = 0, otherwise: bool = False) -> None: ...

def spots(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: SpotTable, *, places: bool = False, threads: int = 1) -> tuple[Any, ...]:
    """
    Spot signatures as ((offsets[n + 1], keys, counts, places), language[n]); language 255 = unknown, places None if not asked for.
    """

def spot_occurrences(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], table: SpotTable) -> tuple[Any, ...]:
    """
    Spots of one document in text order: (language, keys, antecedents, antecedent_starts, antecedent_ends, starts, ends, chain_offsets, chain_tokens); antecedents number the table's words, starts and ends are bytes.
    """

def shingles(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, width: int = 5, unit: int = 0, seed: int = 0, cjk: int = 0, places: bool = False, threads: int = 1) -> tuple[Any, ...]:
    """
    Shingles of width words (unit 0) or characters (unit 1) as (offsets[n + 1], keys, counts, places); places None if not asked for.
    """

def shingle_occurrences(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, width: int = 5, unit: int = 0, seed: int = 0, cjk: int = 0) -> tuple[Any, ...]:
    """Shingles of one document in text order: (keys, starts, ends), bytes."""

def document_frequencies(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """Ascending keys and the number of documents that have each."""

def entry_frequencies(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """For every entry the number of documents that have its key."""

def sort_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The order of the entries in which the keys of each row ascend."""

def pair_scores(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiset: bool, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The Jaccard similarity of each pair of documents; 0 where neither has keys.
    """

def collapse(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiset: bool, threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    For every document the first one with the same features; empty documents stay apart.
    """

def rank_elements(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiset: bool, threads: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], int]:
    """
    The chosen documents as sets of ranked elements: documents, sizes, offsets, ranks, weights, left.
    """

def rank_elements_of_two(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], other_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], other_weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiset: bool, threads: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], int]:
    """
    As rank_elements, for two collections that will be joined with each other.
    """

def join(documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: int, two_sides: bool, num: int, den: int, threads: int, forest: bool, max_pairs: int, sure: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    Pairs at or above num/den as left, right, score, overlap, by (left, right). OverflowError when there are more than max_pairs.
    """

def count_partners(documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: int, two_sides: bool, num: int, den: int, threads: int, sure: int, contents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """How many pairs the join reports from each of the given contents."""

def partition_bounds(num: int, den: int, longest: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Lower bounds of the length partitions of SpotSigs 2008."""

def match_2008(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, num: int, den: int, multiset: bool, partitions: bool, pruning: bool, threads: int) -> tuple[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], int]:
    """
    The matcher of SpotSigs 2008: pairs (left, right, score, overlap), comparisons per document, partitions.
    """

def components(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Label of each content: the smallest content of its connected component.
    """

def stars(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Leader of each content and the score with it; a leader leads itself with 1.
    """

def average_linkage(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float, multiplicity: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Label of each content: the smallest content of its average-linkage group.
    """

def complete_linkage(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float, threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Label of each content: the smallest content of its complete-linkage group.
    """

def spanning_forest(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    1 for each edge that joins two trees when edges are taken in order, else 0.
    """

def bridges(n: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]:
    """
    Numbers of the edges that are bridges (ascending) and the nodes on the smaller side of each; then the nodes that are joints (ascending) and the nodes in the smaller part when each is taken out.
    """

def hamming_distinct(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> tuple[Any, ...]:
    """
    (group uint32[n], first uint32[g]): the content number of each row, and the first row of each content.
    """

def hamming_join(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], limit: int, max_pairs: int, threads: int, method: str) -> tuple[Any, ...]:
    """
    (left uint32, right uint32, distance uint16) of all pairs within `limit` bits, left < right, in order.
    """

def hamming_look_up(queries: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], stored: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], limit: int, max_pairs: int, threads: int, method: str) -> tuple[Any, ...]:
    """
    (query uint32, stored uint32, distance uint16) of all pairs within `limit` bits, in order.
    """

def hamming_expand(left_group: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], left_groups: int, right_group: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right_groups: int, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], self: bool, threads: int) -> tuple[Any, ...]:
    """
    Pairs of groups turned into pairs of documents (left, right, distance), in order; a self join adds the pairs inside each group.
    """

def text_hashes(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """A stable 64-bit hash of the bytes of each text."""

def vector_join(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], other_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, jaccard: bool, threads: int, max_pairs: int, block_rows: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], dict[str, Any]]:
    """
    Pairs of distinct vectors at or above the threshold as left, right, score; then for every vector the first with the same entries (of either side), and counts of the work done. OverflowError when there are more than max_pairs.
    """

def containment_join(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, num: int, den: int, multiset: bool, threads: int, max_pairs: int, slack: int, block_rows: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], dict[str, Any]]:
    """
    Pairs of distinct documents of which one lies in the other to a share of num/den or more: left, right, overlap, overlap/size of left, overlap/size of right; then for every document the first with the same features (of either side), and counts of the work done. OverflowError when there are more than max_pairs.
    """

def minhash_texts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, slots: int = 128, seed: int = 0, width: int = 5, unit: int = 0, shingle_seed: int = 0, cjk: int = 0, threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """Minima over the shingles of each text, one row of slots per document."""

def minhash_keys(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, slots: int = 128, seed: int = 0, multiset: bool = False, threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Minima over the keys of each document; with multiset, over its occurrences.
    """

def equal_slots(left_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], right_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    In how many slots the rows of each pair agree; those of empty documents never do.
    """

def minhash_prime_texts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, slots: int = 128, seed: int = 0, width: int = 5, unit: int = 0, shingle_seed: int = 0, cjk: int = 0, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """Minima over the shingles of each text, one row of slots per document."""

def minhash_prime_keys(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, slots: int = 128, seed: int = 0, multiset: bool = False, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """
    Minima over the keys of each document; with multiset, over its occurrences.
    """

def equal_slots_prime(left_rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], right_rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    In how many slots the rows of each pair agree; those of empty documents never do.
    """

def simhash_texts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, bits: int = 64, seed: int = 0, width: int = 1, unit: int = 0, shingle_seed: int = 0, cjk: int = 0, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """SimHash of each text over its shingles, every occurrence weighing 1."""

def simhash_keys(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weighing: int = 1, bits: int = 64, seed: int = 0, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """
    SimHash of each document; a key weighs 1, its count, or its count times its weight.
    """

def modp_texts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, modulus: int = 25, seed: int = 0, width: int = 10, unit: int = 0, shingle_seed: int = 0, cjk: int = 0, threads: int = 1) -> tuple[Any, ...]:
    """
    The shingles of each text that belong to the sample: (offsets, keys, counts).
    """

def modp_keys(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, modulus: int = 25, seed: int = 0) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """For each key, 1 if it belongs to the sample."""

def match_in_order(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], elements: int, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], num: int, den: int, full: bool, best: bool, add_duplicates: bool, size_bound: bool, seeds: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Documents against an index in the given order: partner, overlap, collisions, compared, indexed, seconds.
    """

def lsh_join(sketches: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None] | None, other: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, other_documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, other_features: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None] | None, bands: int, rows: int, num: int, den: int, multiset: bool, threads: int, forest: bool, max_pairs: int, bucket_limit: int, forest_budget: int) -> tuple[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]], tuple[int, int, int, int, int, bool]]:
    """
    Pairs (left, right, score, overlap) that agree in a band and reach num/den, and the counts (candidates, verified, largest bucket, large buckets, contents in them, linked). OverflowError when there are more than max_pairs.
    """

def collapse_sketches(sketches: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    For every sketch the first equal one; those of empty documents stay apart.
    """

class IndexSegment:
    """
    The arrays of one segment of an index; BufferError if they are damaged.
    """

    def __init__(self, numbers: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], prints: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None: ...

    def damage(self) -> str:
        """What is wrong with the arrays, or ''. Reads everything."""

class IndexRecent:
    """Contents that are in no segment yet."""

    def __init__(self, print_words: int) -> None: ...

    def __len__(self) -> int: ...

    def add(self, numbers: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], prints: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None: ...

class IndexReader:
    """Queries against segments and recent contents. One call at a time."""

    def __init__(self, segments: list[IndexSegment], recent: IndexRecent, print_words: int) -> None: ...

    def search(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, num: int, den: int, threads: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        (row, content, overlap, union) of every content with Jaccard >= num/den, by (row, content).
        """

    def identical(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Per row the number of a content with exactly these keys and counts, or 2**32 - 1.
        """

    def search_bits(self, prints: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], blocks: int, max_bits: int, threads: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        (row, content, differing bits, bits) of every content within max_bits, by (row, content).
        """

def index_build(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    (starts, keys, values, words) of a segment of these rows, taken in `order`.
    """

def index_merge(segments: Sequence[IndexSegment], places: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], part: int, bits: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    (starts, keys, values, words) of one of 64 parts of the merged segment, counted from the part's beginning.
    """

def index_blocks(prints: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], blocks: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """The blocks of each fingerprint as keys, ascending, row after row."""

FACT_COUNT: int = 19

class CodeTable:
    """From the leading 40 bits of a key to a code; 0 for keys not listed."""

    def __init__(self, prefixes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

def facts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], title_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], title_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], url_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], url_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], spots: SpotTable, grams: CodeTable, words: CodeTable, queries: CodeTable, *, k: int = 1, threads: int = 1) -> tuple[Any, ...]:
    """
    Facts of every k-gram as (offsets[n + 1], keys, counts, codes[keys * FACT_COUNT]).
    """

def weigh_facts(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], title_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], title_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], url_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], url_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], spots: SpotTable, grams: CodeTable, words: CodeTable, queries: CodeTable, singles: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], product_facts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], products: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int = 1, active: int = 0, threads: int = 1) -> tuple[Any, ...]:
    """
    Weighted k-grams as (offsets[n + 1], keys, counts); see core/facts.hpp.
    """
