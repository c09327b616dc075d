"""A browser without window, in which pages are opened."""

import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

Attributes = Dict[str, Optional[str]]


class Elements(HTMLParser):
    """Attributes and text of the elements of one kind."""

    def __init__(self, tag: str, page: str) -> None:
        super().__init__()
        self.tag = tag
        self.found: List[Tuple[Attributes, str]] = []
        self._open = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == self.tag:
            self._open += 1
            self.found.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._open -= tag == self.tag

    def handle_data(self, data: str) -> None:
        if self._open:
            attributes, text = self.found[-1]
            self.found[-1] = (attributes, text + data)


@pytest.fixture(scope="session")
def elements() -> Callable[[str, str], List[Tuple[Attributes, str]]]:
    """Find the elements of one kind in a page."""
    return lambda tag, page: Elements(tag, page).found


@pytest.fixture
def browse(tmp_path: Path) -> Callable[..., str]:
    """Open a page in a browser, and get what its scripts made of it.

    page (str): The page.
    fragment (str): Behind the # of its address.
    script (str): Runs behind the page's own script.
    options (str): Further options of the browser.
    RETURNS (str): The page when the scripts have run.
    """
    if BROWSER is None:
        pytest.skip("no Chromium found")

    def run(page: str, fragment: str = "", script: str = "", options: Tuple[str, ...] = ()) -> str:
        path = tmp_path / "page.html"
        path.write_text(page.replace("</body>", f"<script>{script}</script></body>"), "utf8")
        result = subprocess.run(
            [
                str(BROWSER),
                *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
                f"--user-data-dir={tmp_path / 'profile'}",
                "--virtual-time-budget=3000",
                *(options or ("--dump-dom",)),
                f"{path.as_uri()}#{fragment}",
            ],
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            timeout=180,
            check=True,
        )
        return result.stdout.decode("utf8")

    return run
