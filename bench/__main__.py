"""Every speed claim, one after another: `make bench`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    data = os.environ.get("SAMECORE_DATA")
    scale = Path(data) / "scale.parquet" if data else None
    for name in sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("__main__", "corpus")):
        takes_file = (
            name in ("text", "pipeline", "vectors", "languages", "frames", "compression", "learn")
            and scale is not None
            and scale.exists()
        )
        print(f"\n== {name} ==", flush=True)
        subprocess.run(
            [sys.executable, str(HERE / f"{name}.py"), *([str(scale)] if takes_file else [])], check=True
        )


if __name__ == "__main__":
    main()
