"""CITATION.cff is what the Citation File Format 1.2.0 allows, and tells of this version."""

import datetime
import re

import yaml

import samovar
from support.documents import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {
    *("abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url"),
    *("preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url"),
    "version",
}
PERSON = {"address", "affiliation", "alias", "city", "country", "email", "family-names", "fax", "given-names"} | {
    *("name-particle", "name-suffix", "orcid", "post-code", "region", "tel", "website")
}
ENTITY = {"address", "alias", "city", "country", "date-end", "date-start", "email", "fax", "location", "name"} | {
    *("orcid", "post-code", "region", "tel", "website")
}


def test_it_has_the_fields_of_the_format_and_no_others() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION.keys() >= REQUIRED
    assert CITATION.keys() <= ALLOWED
    assert CITATION["type"] in ("software", "dataset")
    assert CITATION["authors"]
    for author in CITATION["authors"]:
        assert author.keys() <= (ENTITY if "name" in author else PERSON)
    texts = [CITATION[name] for name in ("message", "title", "abstract", "license")] + CITATION["keywords"]
    assert all(isinstance(text, str) and text for text in texts)


def test_its_version_and_day_are_those_of_the_package() -> None:
    """The day is that of the release in the changelog."""
    assert CITATION["version"] == samovar.__version__
    assert isinstance(CITATION["date-released"], datetime.date)
    released = re.search(
        rf"^## {re.escape(samovar.__version__)} \((.*)\)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    assert released is not None
    assert released[1] == CITATION["date-released"].isoformat()
