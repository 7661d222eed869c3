"""The persistent index: documents are added, removed and asked about for years; see docs/index.md."""
