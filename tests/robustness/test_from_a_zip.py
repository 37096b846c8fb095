"""In a zip file the package says at once that it must be unpacked."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import minitape


def test_a_zip_file_must_be_unpacked(tmp_path):
    folder = Path(minitape.__file__).parent
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        for each in folder.rglob("*.py"):
            archive.write(each, each.relative_to(folder.parent))
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'lib.zip')!r}); import minitape"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "unpack the zip file" in done.stderr.splitlines()[-1]
