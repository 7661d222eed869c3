"""The quality of learned weights on labelled pages, as a floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from conftest import labelled

from samecore.features.csr import Features
from samecore.learn.corpus import read_corpus
from samecore.learn.fit import Training, fit, learned, prepare
from samecore.learn.folds import halves
from samecore.learn.labels import match_labels, read_labels
from samecore.learn.scores import max_f1, pair_scores
from samecore.similarity.cosine import tfidf


def test_learned_weights_beat_tfidf_on_news_pages() -> None:
    folder = labelled("spotsigs")
    labels = read_labels(folder / "labels.tsv")
    corpus = read_corpus(str(folder), labels.ids, threads=2)
    truth, problems = match_labels(labels, corpus.ids)
    assert not problems
    training = Training(preferences=10_000, most=600, iterations=50)
    material = prepare(corpus, truth, training)
    plain = Features(material.facts.offsets, material.facts.keys, material.facts.counts)
    weights = tfidf(plain, table=corpus.frequencies[1], documents=corpus.documents).values.astype(np.float64)
    ours, theirs = [], []
    for run in range(3):
        train, test = halves(truth, seed=run)
        settings = replace(training, seed=run)
        vectors = learned(material, settings, fit(material, settings, units=train)).weigh(material.facts)
        left, right, same = truth.pairs(test)
        ours.append(max_f1(pair_scores(vectors, left, right, measure="cosine"), same).f1)
        theirs.append(max_f1(pair_scores(plain, left, right, measure="cosine", values=weights), same).f1)
    assert np.mean(ours) > 0.96
    assert np.mean(ours) > np.mean(theirs) + 0.05
