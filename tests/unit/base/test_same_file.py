"""Two paths to one file are told to be so, and circles of links do no harm."""

from pathlib import Path

from sonde.base.same_file import real_path


def test_paths_of_one_file_are_equal_and_a_circle_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("run.sonde")
    (tmp_path / "circle").symlink_to("circle")

    assert real_path(tmp_path / "link") == real_path(tmp_path / "." / "run.sonde")
    assert real_path(tmp_path / "circle") != real_path(tmp_path / "link")
