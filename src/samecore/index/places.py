"""Where an index may lie: a local file system. Locks and mapped files are not to be trusted on others."""

from __future__ import annotations

import os
from pathlib import Path

from samecore.index.errors import IndexFault

#: File systems of other machines, as /proc/mounts names them; 'fuse.' and 'fuseblk.' before the name is left out.
NETWORK = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "ncpfs",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "beegfs",
        "gpfs",
        "orangefs",
        "pvfs2",
        "ocfs2",
        "gfs2",
        "sshfs",
        "davfs",
        "s3fs",
        "gcsfuse",
        "rclone",
        "goofys",
        "moosefs",
        "juicefs",
    ]
)

MOUNTS = Path("/proc/mounts")


def refuse_network(path: Path) -> None:
    """An IndexFault if `path` lies on a network file system. Systems without /proc/mounts are not asked."""
    kind = file_system(path)
    if kind is not None and kind.removeprefix("fuse.").removeprefix("fuseblk.") in NETWORK:
        raise IndexFault(
            f"expected a local file system, found {kind}: locks and mapped files cannot be trusted there; "
            "keep the index on a local disk",
            path=path,
        )


def file_system(path: Path) -> str | None:
    """The type of the file system that holds `path`, by the longest mount point above it; None if unknown."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    whole = os.path.realpath(path)
    best, kind = -1, None
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = whole == point or whole.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:  # a later mount on the same point hides the earlier
            best, kind = len(point), fields[2]
    return kind


def sync_folder(folder: Path) -> None:
    """Make new names in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
