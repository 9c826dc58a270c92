"""Builds the package without tools: pip needs no index. The wheel has the files of the folder as they are (PEP 517)."""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).parent


def _project() -> Dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _metadata(project: Dict[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text("utf-8")]
    return "\n".join(lines)


def _files() -> List[Tuple[str, bytes]]:
    names = sorted(path for path in (ROOT / "daybook").iterdir() if path.suffix in (".py", ".typed"))
    return [(f"daybook/{path.name}", path.read_bytes()) for path in names]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Writes a wheel; returns its name."""
    project = _project()
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{stem}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: daybook\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = [*_files(), (f"{info}/METADATA", _metadata(project).encode()), (f"{info}/WHEEL", wheel.encode())]
    record = ""
    for name, content in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    target = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content)
    return target


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """A release has the folder of the commit as an archive: nothing builds another one."""
    raise NotImplementedError("build_sdist: got a call, expected none: use the archive of a release")
