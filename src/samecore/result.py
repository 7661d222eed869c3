"""What a run found: pairs, groups and the ledger, at any threshold down to the floor.

Columns are a contract:

    pairs    left, right, score; frame_score where frames were learned, core_score where they count
    groups   id, group, representative, score, status
    ledger   id, partner, score, method, reason
    reviews  group, representative, size, density, mean_score, flags
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.contents import Index, Members, best_of, best_partner, count_rows, expand
from samecore.errors import MissingExtra, SettingError, unknown_name
from samecore.features.csr import Features
from samecore.frames.parts import Parts
from samecore.group import flags, keep
from samecore.group.groupers import GROUPERS
from samecore.match.matches import Matches
from samecore.match.threshold import exact_threshold
from samecore.methods import Method

if TYPE_CHECKING:
    from samecore.explain import Explanation
    from samecore.read import Source

#: The status of a page with too little core to compare.
FRAME_ONLY = "frame-only"

#: More rows than this are not made into one table; `iter_pairs` streams them instead.
MAX_PAIR_ROWS = 100_000_000


@dataclass(frozen=True)
class Settings:
    """How a result was made; the manifest holds all of it.

    `pairs` says which pairs were kept: "all" down to the floor; a "forest" of them, enough for
    components at any threshold; or those of members with their "leaders", enough for one threshold.
    """

    method: Method
    threshold: float
    floor: float
    group: str = "average"
    keep: str = "first"
    pairs: str = "all"
    seed: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.group not in GROUPERS:
            raise unknown_name("group", self.group, GROUPERS)


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of `find` or `dedupe`.

    `documents` has one row per document in the order of the input, those that could not be read
    last, with `id, status, detail, read, features, length, text_hash` and what the input had of
    `title, url, date, source`; `source_id` is the id in the source where two collections share it. Documents with the same features are one *content*: `content[i]` is that of
    document `i`, or -1 if it was skipped. `found` holds the pairs of contents that score at
    least `settings.floor`. When one collection was compared with another, the second begins
    at row `other_from`; otherwise that is None. `features` are those of the contents, kept
    only where a weight depends on the corpus, so that `explain` can tell which ones counted.
    `frames` are the features of each document that belong to the frame of its site, where such
    were learned; `cores` the others, kept only where frames are reported rather than ignored.
    `sources` are where the documents came from; a loaded result has their descriptions instead.
    """

    settings: Settings
    documents: pa.Table
    content: Index
    found: Matches
    other_from: int | None = None
    features: Features | None = field(default=None, repr=False)
    sources: tuple[Source | Mapping[str, Any], ...] = field(default=(), repr=False)
    frames: Parts | None = field(default=None, repr=False)
    cores: Parts | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return int(self.documents.num_rows)

    def at(self, threshold: float, *, group: str | None = None) -> Result:
        """The same run at another threshold, not below the floor, or grouped another way."""
        settings = self.settings
        exact_threshold(threshold)
        threshold, group = float(threshold), group or settings.group
        if threshold < settings.floor:
            expected = f"{settings.floor:g} (the floor of this run) to 1; run again with a lower floor"
            raise SettingError("threshold", found=threshold, expected=expected)
        if settings.pairs == "forest" and group != "components":
            raise SettingError(
                "group", found=group, expected="'components': this run kept only a forest of pairs"
            )
        if settings.pairs == "leaders" and (group != "leader" or threshold != settings.threshold):
            expected = f"'leader' at {settings.threshold:g}: this run kept only pairs with leaders; use find"
            raise SettingError("group", found=f"{group} at {threshold:g}", expected=expected)
        return replace(self, settings=replace(settings, threshold=threshold, group=group))

    # -- tables about documents ---------------------------------------------------------

    @property
    def ids(self) -> pa.ChunkedArray:
        """The ids of all documents in input order."""
        return self.documents["id"]

    @cached_property
    def pair_count(self) -> int:
        """How many rows `pairs` has: pairs of documents at or above the threshold."""
        return count_rows(self.members, self._linked, copies=self.other_from is None)

    @property
    def pairs(self) -> pa.Table:
        """`left, right, score`: the pairs of documents at or above the threshold, in input order.

        Where frames were learned, `frame_score` says how alike the frames of the two are. If they are
        ignored, `score` is that of the cores; if they are reported, it is that of the whole documents
        and `core_score` that of the cores.
        """
        if self.pair_count > MAX_PAIR_ROWS:
            expected = f"at most {MAX_PAIR_ROWS:,} in one table; take iter_pairs(), content_pairs or groups"
            raise SettingError("pairs", found=f"{self.pair_count:,} rows", expected=expected)
        parts = list(expand(self.members, self._linked, copies=self.other_from is None))
        if not parts:
            return self._scored_table(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
        left, right, score = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.lexsort((right, left))
        return self._scored_table(left[order], right[order], score[order])

    def iter_pairs(self) -> Iterator[pa.Table]:
        """The rows of `pairs` in bounded tables, always in the same order."""
        for left, right, score in expand(self.members, self._linked, copies=self.other_from is None):
            yield self._scored_table(left, right, score)

    @property
    def content_pairs(self) -> pa.Table:
        """`left, right, score, left_copies, right_copies`: one row per pair of distinct contents."""
        pairs, copies = self._linked, self.members.copies
        table = self._pair_table(self._first[pairs.left], self._first[pairs.right], pairs.score)
        table = table.append_column("left_copies", pa.array(copies[pairs.left]))
        return table.append_column("right_copies", pa.array(copies[pairs.right]))

    @cached_property
    def groups(self) -> pa.Table:
        """`id, group, representative, score, status`: one row per document, in input order.

        Groups are numbered by first appearance. `score` is the verified score to the
        representative, 1.0 for itself and null below the floor. A skipped document has null
        in these columns and the reason in `status`.
        """
        group, _ = self._grouped
        chosen = self._representative_of
        score = self._score_between(np.arange(len(self)), chosen)
        return pa.table(
            {
                "id": self.ids,
                "group": pa.array(group, mask=group < 0),
                "representative": self._ids_at(chosen),
                "score": _nullable(score),
                "status": self.documents["status"],
            }
        )

    @cached_property
    def ledger(self) -> pa.Table:
        """`id, partner, score, method, reason`: one row per document linked to another, or skipped.

        The partner is the group's representative if the two match, else the document of the
        group that matches best. `reason` is `same-features`, `matches-representative`,
        `matches-member`, or why the document was skipped.
        """
        partner, score, reason = self.links
        rows = np.flatnonzero(reason != "")
        return pa.table(
            {
                "id": self._ids_at(rows),
                "partner": self._ids_at(partner[rows]),
                "score": _nullable(score[rows]),
                "method": pa.array([self.settings.method.name] * len(rows), pa.string()),
                "reason": pa.array(reason[rows], pa.string()),
            }
        )

    @cached_property
    def reviews(self) -> pa.Table:
        """`group, representative, size, density, mean_score, flags`: one row per group of several documents.

        `density` is the share of its pairs of contents that match, `mean_score` their mean, pairs below
        the floor as 0. `flags` names what a person should look at (`weak-bridge`, `weak-joint`, `loose`, `giant`),
        and is empty otherwise.
        """
        group, representative = self._grouped
        facts = flags.describe(
            len(self.members.copies),
            self.found.left,
            self.found.right,
            self.found.score,
            labels=self._labels.astype(np.uint32),
            threshold=self.settings.threshold,
            multiplicity=self.members.copies.astype(np.uint32),
        )
        density, mean, flagged = facts.density, facts.mean, facts.flags
        if self.settings.pairs != "all":  # what lies inside a group is not known then
            density, mean = np.full(len(density), np.nan), np.full(len(mean), np.nan)
            flagged = np.where(np.char.find(flagged, "giant") >= 0, "giant", "")
        number = group[self._first[facts.group]]
        several = np.flatnonzero(facts.documents > 1)
        rows = several[np.argsort(number[several], kind="stable")]
        return pa.table(
            {
                "group": pa.array(number[rows]),
                "representative": self._ids_at(representative[number[rows]]),
                "size": pa.array(facts.documents[rows].astype(np.int64)),
                "density": _nullable(density[rows]),
                "mean_score": _nullable(mean[rows]),
                "flags": pa.array(flagged[rows], pa.string()),
            }
        )

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Per document, whether deduplication keeps it: one of each group. Skipped ones are not."""
        kept = np.zeros(len(self), np.bool_)
        kept[self._grouped[1]] = True
        return kept

    # -- for people ---------------------------------------------------------------------

    def explain(self, left: str, right: str) -> Explanation:
        """Why these two documents match, or do not: the shared passages, read from the source again."""
        from samecore.explain import explain

        return explain(self, left, right)

    def counts(self) -> dict[str, int]:
        """Documents, contents, pairs, groups and skipped documents, in numbers."""
        status = self.documents["status"]
        sizes = np.bincount(self._grouped[0][self._grouped[0] >= 0])
        return {
            "documents": len(self),
            "skipped": int((self.content < 0).sum()),
            "fallback": pc.sum(pc.equal(status, "fallback")).as_py() or 0,
            "contents": len(self.members.copies),
            "pairs": self.pair_count,
            "groups": int((sizes > 1).sum()),
            "grouped": int(sizes[sizes > 1].sum()),
            "kept": len(sizes),
        }

    def summary(self) -> list[str]:
        """A few lines that say what was found, what was skipped and what deserves a look."""
        n, settings = self.counts(), self.settings
        lines = [
            f"{n['documents']:,} documents, {n['contents']:,} distinct: {n['pairs']:,} pairs at {settings.threshold:g} or more"
            f" ({settings.method.name}, {settings.method.match.name}), {n['groups']:,} groups of {n['grouped']:,} documents"
            f" ({settings.group})"
        ]
        if n["fallback"]:
            lines.append(
                f"{n['fallback']:,} documents with too few signatures were compared by shingles instead"
            )
        bare = pc.sum(pc.equal(self.documents["status"], FRAME_ONLY)).as_py()
        if bare:
            lines.append(f"{bare:,} pages are all frame but for a few words; only their copies match them")
        if n["skipped"]:
            skipped = self.documents.filter(pa.array(self.content < 0))
            reasons = pc.value_counts(skipped["status"]).to_pylist()
            named = ", ".join(
                f"{one['counts']:,} {one['values'].removeprefix('skipped:')}" for one in reasons
            )
            first = skipped["detail"][0].as_py() or skipped["id"][0].as_py()
            lines.append(f"{n['skipped']:,} documents were skipped: {named}; first: {first}")
        flagged = self.reviews.filter(pc.not_equal(self.reviews["flags"], ""))
        if flagged.num_rows:
            lines.append(f"{flagged.num_rows:,} groups deserve a look: see reviews")
        return [*lines, *settings.notes]

    def write(self, path: str | Path) -> None:
        """Write the result into a folder, whole or not at all; `samecore.load` reads it."""
        from samecore.store import write

        write(self, path)

    def to_arrow(self, table: str = "groups") -> pa.Table:
        """One of the contract tables: "groups", "pairs", "ledger" or "reviews"."""
        tables = ("groups", "pairs", "ledger", "reviews")
        if table not in tables:
            raise unknown_name("table", table, tables)
        return getattr(self, table)

    def to_pandas(self, table: str = "groups") -> Any:
        """The same as a pandas DataFrame."""
        try:
            return self.to_arrow(table).to_pandas()
        except ImportError:
            raise MissingExtra("pandas", extra="pandas", needed_for="Result.to_pandas") from None

    def to_polars(self, table: str = "groups") -> Any:
        """The same as a polars DataFrame."""
        try:
            import polars
        except ImportError:
            raise MissingExtra("polars", extra="polars", needed_for="Result.to_polars") from None
        return polars.from_arrow(self.to_arrow(table))

    def __repr__(self) -> str:
        return f"<Result: {self.summary()[0]}>"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in self.summary())
        rows = [self.reviews.column_names, *(row.values() for row in self.reviews.slice(0, 20).to_pylist())]
        cells = ("".join(f"<td>{html.escape(str(value))}</td>" for value in row) for row in rows)
        return f"{lines}<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"

    # -- how they are made --------------------------------------------------------------

    @cached_property
    def members(self) -> Members:
        """The documents of each content."""
        return Members.of(self.content, int(self.content.max(initial=-1)) + 1)

    @cached_property
    def _linked(self) -> Matches:
        """The pairs of contents at or above the threshold."""
        return self.found.select(self.found.score >= self.settings.threshold)

    @cached_property
    def _rank(self) -> Index:
        """The order of the documents under the keep policy; a second collection goes before the first."""
        rank = keep.rank(self.documents, self.settings.keep)
        if self.other_from is not None:
            rank[self.other_from :] -= len(self)
        return rank

    @cached_property
    def _first(self) -> Index:
        """The document that stands for each content: the one the keep policy prefers."""
        return best_of(self.content, self._rank, groups=len(self.members.copies))

    @cached_property
    def _labels(self) -> Index:
        """The group of each content, named by one of its contents."""
        contents = len(self.members.copies)
        if self.other_from is not None:  # each document goes to the best match in the other collection
            partner, _ = best_partner(self._linked, contents)
            label = np.arange(contents)
            first = np.unique(self.content[: self.other_from])
            first = first[first >= 0]
            label[first] = np.where(partner[first] >= 0, partner[first], first)
            return label
        order = np.argsort(self._rank[self._first], kind="stable").astype(np.uint32)
        copies = self.members.copies.astype(np.uint32)
        grouper = GROUPERS[self.settings.group]
        labels = grouper(contents, self.found, self.settings.threshold, copies, order, os.cpu_count() or 1)
        return labels.astype(np.int64)

    @cached_property
    def _grouped(self) -> tuple[Index, Index]:
        """The group of each document, -1 if skipped, and the representative of each group."""
        kept = self.content >= 0
        group = np.full(len(self), -1, np.int64)
        seen, first_at, inverse = np.unique(
            self._labels[self.content[kept]], return_index=True, return_inverse=True
        )
        number = np.empty(len(seen), np.int64)
        number[np.argsort(first_at, kind="stable")] = np.arange(len(seen))
        group[kept] = number[inverse.reshape(-1)]
        return group, best_of(group, self._rank, groups=len(seen))

    @property
    def _representative_of(self) -> Index:
        """The representative of each document, -1 if skipped."""
        group, representative = self._grouped
        return np.append(representative, -1)[group]

    def _score_between(self, left: Index, right: Index) -> npt.NDArray[np.float64]:
        """The scores of pairs of documents; NaN below the floor and where `right` is -1."""
        score = np.full(len(left), np.nan)
        real = right >= 0
        score[real] = self.found.look_up(self.content[left[real]], self.content[right[real]])
        return score

    @cached_property
    def links(self) -> tuple[Index, npt.NDArray[np.float64], npt.NDArray[np.str_]]:
        """Per document the row of its partner (-1: none), their score, and the reason: what `ledger` lists."""
        labels, everyone = self._labels, np.arange(len(self))
        inside = self._linked.select(labels[self._linked.left] == labels[self._linked.right])
        best_content, _ = best_partner(inside, len(labels))

        first = np.append(self._first, -1)  # content -1, a skipped document, has none
        partner = self._representative_of
        score = self._score_between(everyone, partner)
        reason = np.full(len(self), "matches-representative", object)
        far = (partner >= 0) & ~(score >= self.settings.threshold)
        copy = far & (first[self.content] != everyone)
        partner[copy] = first[self.content[copy]]
        near = far & ~copy
        partner[near] = first[best_content[self.content[near]]]
        score[far] = self._score_between(everyone[far], partner[far])
        reason[far] = "matches-member"
        reason[(partner >= 0) & (self.content == self.content[partner])] = "same-features"
        itself = partner == everyone
        partner[itself], score[itself], reason[itself] = -1, np.nan, ""
        skipped = self.content < 0
        reason[skipped] = self.documents["status"].to_numpy()[skipped]
        return partner, score, reason

    def _ids_at(self, rows: Index) -> pa.ChunkedArray:
        return pc.take(self.ids, pa.array(rows, mask=rows < 0))

    def _pair_table(self, left: Index, right: Index, score: npt.NDArray[np.float64]) -> pa.Table:
        names = self.ids
        if "source_id" in self.documents.column_names:
            # left and right tell two collections apart, so here documents go by the ids of their sources
            names = pc.coalesce(self.documents["source_id"], names)
        columns = {"left": pc.take(names, pa.array(left)), "right": pc.take(names, pa.array(right))}
        return pa.table({**columns, "score": pa.array(score)})

    def _scored_table(self, left: Index, right: Index, score: npt.NDArray[np.float64]) -> pa.Table:
        """Pairs with the scores of cores and frames, where they are known."""
        table = self._pair_table(left, right, score)
        for name, parts in (("core_score", self.cores), ("frame_score", self.frames)):
            if parts is not None:
                multiset = self.settings.method.multiset
                found = parts.scores(left, right, multiset=multiset, threads=os.cpu_count() or 1)
                table = table.append_column(name, pa.array(found))
        return table


def _nullable(values: npt.NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
