"""A result against labels: pairs, the best threshold, and the groups."""

from __future__ import annotations
