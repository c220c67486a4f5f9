"""What several tests need to be given."""

from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium, which .ci/run is to install")
        pytest.skip("there is no Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright  # which tests/adapters do without

    with sync_playwright() as playwright:
        # without the sandbox, which root cannot have: the pages are our own
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
