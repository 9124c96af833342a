"""Pipelines as folders of files: what is exported comes back, and what is wrong changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakeui_client.cli import pipeline_files
from tests.client.test_command import Call, document, lake

__all__ = ["lake"]

SOURCE = "-- @unique_key: id\nSELECT 1 AS id\n"
CONFIG = "# ours\nmerge_strategy: incremental\n"


def write(folder: Path, name: str = "Load", *, config: str = CONFIG, source: str = SOURCE, **changes: str) -> Path:
    own = folder / "gold" / name
    own.mkdir(parents=True, exist_ok=True)
    place = {"name": name, "layer": "gold", "database": "d", "table": name.lower(), **changes}
    (own / "pipeline.json").write_text(json.dumps(place))
    (own / "pipeline.sql").write_text(source)
    if config:
        (own / "config.yaml").write_text(config)
    return own


def actions(found: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(change["name"], change["action"]) for change in found]


def test_what_is_imported_and_exported_is_the_same(lake: Call, tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "one", "Plain", config="", schedule="0 5 * * *", schedule_timezone="Europe/Berlin")
    assert actions(document(lake, "pipelines", "import", str(tmp_path / "one"), "--dry-run")) == [
        ("Load", "created"),
        ("Plain", "created"),
    ]
    assert document(lake, "pipelines") == []
    document(lake, "pipelines", "import", str(tmp_path / "one"))
    assert {entry["name"] for entry in document(lake, "pipelines")} == {"Load", "Plain"}
    document(lake, "pipelines", "export", str(tmp_path / "two"))
    again = document(lake, "pipelines", "import", str(tmp_path / "two"))
    assert actions(again) == [("Load", "unchanged"), ("Plain", "unchanged")]
    own = tmp_path / "two" / "gold" / "Load"
    assert ((own / "pipeline.sql").read_text(), (own / "config.yaml").read_text()) == (SOURCE, CONFIG)
    assert not (tmp_path / "two" / "gold" / "Plain" / "config.yaml").exists()


def test_only_what_differs_is_edited(lake: Call, tmp_path: Path) -> None:
    own = write(tmp_path)
    document(lake, "pipelines", "import", str(tmp_path))
    (own / "pipeline.sql").write_text(SOURCE + "WHERE true\n")
    status, said, _ = lake("pipelines", "import", str(tmp_path))
    assert (status, said) == (0, "edited Load (source)\n")
    identity = document(lake, "pipelines")[0]["id"]
    assert document(lake, "api", "GET", f"pipelines/{identity}/")["version"] == 2


def test_a_mistake_names_file_and_line_changes_nothing(lake: Call, tmp_path: Path) -> None:
    write(tmp_path, "Fine")
    own = write(tmp_path, "Wrong", config="merge_strategy: incremental\nstrikt: true\n")
    status, _, said = lake("pipelines", "import", str(tmp_path))
    assert status == 1
    assert f"{own / 'config.yaml'}:2: There is no key strikt." in said
    assert document(lake, "pipelines") == []


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({"tabel": "x"}, "there is no field tabel"),
        ({"name": ""}, "does not say name"),
        ({"layer": 1}, "no object of texts"),
    ],
)
def test_what_a_file_may_not_say_is_refused(lake: Call, tmp_path: Path, place: dict[str, str], words: str) -> None:
    own = write(tmp_path)
    known = json.loads((own / "pipeline.json").read_text())
    (own / "pipeline.json").write_text(json.dumps(known | place))
    assert words in lake("pipelines", "import", str(tmp_path))[2]
    assert words in document(lake, "pipelines", "import", str(tmp_path), status=1)["detail"]


def test_ambiguous_folders_are_refused(lake: Call, tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b", name="LOAD")
    assert "both name the pipeline" in lake("pipelines", "import", str(tmp_path))[2]
    assert "No pipeline.json lies below" in lake("pipelines", "import", str(tmp_path / "c"))[2]


def test_a_folder_is_followed(
    lake: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipeline_files, "LOOK_SECONDS", 0.05)
    own = write(tmp_path)
    looks: list[int] = []

    def stop_after_three(_: float) -> None:
        looks.append(len(looks))
        if len(looks) == 1:
            (own / "config.yaml").write_text("strikt: true\n")
        if len(looks) == 2:
            (own / "config.yaml").write_text("merge_strategy: append_only\n")
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(pipeline_files.time, "sleep", stop_after_three)
    with pytest.raises(KeyboardInterrupt):
        lake("pipelines", "import", str(tmp_path), "--watch")
    said = capsys.readouterr().out.splitlines()
    assert (said[0], said[-1]) == ("created Load", "edited Load (config)")
    assert any("config.yaml:1: There is no key strikt." in line for line in said)
    assert document(lake, "pipelines")[0]["strategy"] == "append_only"


def test_forms_that_are_not_whole_are_refused(lake: Call, tmp_path: Path) -> None:
    assert "Write lake pipelines send ID ZONE FILE" in lake("pipelines", "send", "7")[2]
    assert "Write lake pipelines run ID" in lake("pipelines", "run", "7", "8")[2]
    assert "no id of a pipeline" in lake("pipelines", "run", "x")[2]


def test_a_file_is_sent_to_a_landing_zone(lake: Call, tmp_path: Path) -> None:
    write(tmp_path, source="SELECT * FROM {{ landing('in') }}", config="")
    document(lake, "pipelines", "import", str(tmp_path))
    identity = str(document(lake, "pipelines")[0]["id"])
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id\n1\n2\n")
    status, said, _ = lake("pipelines", "send", identity, "in", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert (status, said) == (0, "a.csv is in in, waiting: 2 rows.\nb.csv is in in, waiting: 2 rows.\n")
    assert document(lake, "pipelines", "zones", identity)[0]["waiting"] == 2
    assert [file["name"] for file in document(lake, "pipelines", "files", identity, "in")] == ["b.csv", "a.csv"]
