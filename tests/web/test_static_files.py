"""Where the files of a site without a server go."""

from pathlib import Path

import pytest

from samovar.errors import NotWritten
from samovar.web.static_site.files import WORKER, write_site


def test_a_folder_with_other_files_stays_as_it_is(tmp_path: Path) -> None:
    """All that lies beside the site would be kept in the browsers of its visitors."""
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(NotWritten, match="an empty folder"):
        write_site([], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_site_is_written_anew_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "www"
    for _ in range(2):
        assert folder / WORKER in write_site([], folder)
