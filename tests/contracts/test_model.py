"""Models and weights files."""

from __future__ import annotations

import json
import stat
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file, save_file

from arena.contracts.model import Model
from arena.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

PROVENANCE = {"command": "arena train lms --seed 1", "seed": "1", "games": "500"}


def model() -> Model:
    return Model("lms", {"w": np.array([0.5, -1.0]), "b": np.float32([[3]])}, PROVENANCE)


def test_a_saved_model_is_read_back(tmp_path: Path) -> None:
    saved = model()
    saved.save(tmp_path / "m", PROVENANCE)
    read = Model.file(tmp_path / "m")
    assert (read.kind, read.provenance, read.path) == ("lms", PROVENANCE, tmp_path / "m")
    assert read.hash == saved.hash
    assert read.tensors.keys() == saved.tensors.keys()
    for name, tensor in saved.tensors.items():
        np.testing.assert_array_equal(read.tensors[name], tensor, strict=True)
    assert list(tmp_path.iterdir()) == [tmp_path / "m"]
    assert saved.path is None


dtypes = hnp.integer_dtypes(endianness="?") | hnp.floating_dtypes(sizes=(32, 64), endianness="?")
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "transposed": np.transpose,
    "backwards": np.flip,
}


@given(arrays, st.sampled_from(sorted(LAYOUTS)))
def test_arrays_of_any_type_and_layout_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray[Any, Any], layout: str
) -> None:
    array = LAYOUTS[layout](array)
    path = tmp_path_factory.mktemp("models") / "m"
    made = Model("k", {"a": array})
    made.save(path, {})
    read = Model.file(path)
    np.testing.assert_array_equal(read.tensors["a"], array)
    assert read.hash == made.hash


def test_the_file_is_plain_safetensors(tmp_path: Path) -> None:
    model().save(tmp_path / "m", {})
    np.testing.assert_array_equal(load_file(tmp_path / "m")["w"], [0.5, -1.0])


def test_provenance_cannot_replace_kind_and_format(tmp_path: Path) -> None:
    model().save(tmp_path / "m", {"kind": "td", "format": "other", "seed": "1"})
    read = Model.file(tmp_path / "m")
    assert (read.kind, read.provenance) == ("lms", {"kind": "td", "format": "other", "seed": "1"})


def test_the_hash_depends_on_kind_names_shapes_types_and_numbers() -> None:
    w = np.array([0.5, -1.0])
    models = [
        Model("lms", {"w": w}),
        Model("td", {"w": w}),
        Model("lms", {"v": w}),
        Model("lms", {"w": w.reshape(1, 2)}),
        Model("lms", {"w": w.astype(np.float32)}),
        Model("lms", {"w": np.nextafter(w, 1)}),
        Model("lms", {"w": w[:1], "x": w[1:]}),
        Model("lms", {}),
    ]
    assert len({each.hash for each in models}) == len(models)
    assert Model("lms", {"w": w}, PROVENANCE).hash == models[0].hash
    assert Model("lms", {"a": w, "b": w[:1]}).hash == Model("lms", {"b": w[:1], "a": w}).hash
    assert len(models[0].hash) == 32
    assert int(models[0].hash, 16)


def test_a_model_is_frozen() -> None:
    w = np.zeros(3)
    made = Model("lms", {"w": w})
    before = made.hash
    w[0] = 7
    assert made.tensors["w"][0] == 0
    assert Model("lms", made.tensors).hash == before
    with pytest.raises(ValueError, match="read-only"):
        made.tensors["w"][0] = 1  # type: ignore[index]


def test_save_does_not_overwrite_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b"precious")
    with pytest.raises(ModelError, match="m exists already; name another file"):
        model().save(path, {})
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot write .*m: No such file or directory"):
        model().save(tmp_path / "nowhere" / "m", {})


def test_all_users_may_read_the_file(tmp_path: Path) -> None:
    model().save(tmp_path / "m", {})
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) & 0o444 == 0o444


def test_a_file_is_not_read_before_the_first_access(tmp_path: Path) -> None:
    later = Model.file(tmp_path / "m")
    assert repr(later) == f"Model({str(tmp_path / 'm')!r})"
    model().save(tmp_path / "m", {})
    assert later.kind == "lms"
    assert repr(model()) == "Model(kind='lms')"


def test_a_shipped_model_is_a_data_file_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "shipping"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('a model must not import its package')")
    model().save(package / "m", {})
    monkeypatch.syspath_prepend(tmp_path)
    assert Model.shipped("shipping", "m").hash == model().hash
    with pytest.raises(ModelError, match="no weights file"):
        _ = Model.shipped("no_such_package", "m").kind


def test_equal_models_have_equal_bytes_and_a_stored_model_has_its_name() -> None:
    one = Model("lms", {"w": np.array([0.5, -1.0]), "b": np.float32([[3]])}, PROVENANCE)
    other = Model("lms", {"b": np.float32([[3]]), "w": np.array([0.5, -1.0])})
    assert one.to_bytes() == other.to_bytes() != one.to_bytes(PROVENANCE)
    read = Model.stored("lms@500", one.to_bytes(PROVENANCE))
    assert (read.hash, read.provenance, read.path) == (one.hash, PROVENANCE, None)
    assert (read.name, str(read), repr(read)) == ("lms@500", "lms@500", "Model('lms@500')")
    assert one.name is None
    with pytest.raises(ModelError, match="lms@500 is not a weights file"):
        Model.stored("lms@500", b"garbage")


def raw(header: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def metadata(header: dict[str, Any]) -> dict[str, Any]:
    return {"__metadata__": {"checkers-arena": json.dumps(header)}}


BFLOAT = {"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"hello, I am a text and no weights at all",
        raw({"a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}, bytes(15)),
        raw({"a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}, bytes(16)),
        raw(BFLOAT, bytes(2)),
        raw({**metadata({"format": 1, "kind": "lms", "provenance": {}}), **BFLOAT}, bytes(2)),
        raw(metadata({"format": 1}), b""),
        raw(metadata({"format": 2, "kind": "lms", "provenance": {}}), b""),
        raw({"__metadata__": {"checkers-arena": "{"}}, b""),
    ],
    ids=[
        "empty",
        "short",
        "text",
        "cut off",
        "without metadata",
        "without metadata, unknown type",
        "unknown type",
        "no kind",
        "newer format",
        "broken header",
    ],
)
def test_a_file_that_is_not_a_weights_file_is_a_one_line_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelError, match="m is not a weights file") as error:
        _ = Model.file(tmp_path / "m").tensors
    assert "\n" not in str(error.value)


def test_an_unpaired_surrogate_in_the_metadata_is_a_one_line_error() -> None:
    for header in (
        {"format": 1, "kind": "\ud800", "provenance": {}},
        {"format": 1, "kind": "lms", "provenance": {"seed": "\ud800"}},
    ):
        with pytest.raises(ModelError, match="m is not a weights file") as error:
            Model.stored("m", raw(metadata(header), b""))
        assert str(error.value).encode()


def test_the_error_for_another_safetensors_file_names_the_command_that_makes_weights(tmp_path: Path) -> None:
    save_file({"w": np.zeros(3)}, tmp_path / "m")
    with pytest.raises(ModelError, match=r"not a weights file of Checkers Arena \(arena train makes them\)"):
        _ = Model.file(tmp_path / "m").hash


def test_a_missing_file_and_a_folder_are_one_line_errors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no weights file .*m"):
        _ = Model.file(tmp_path / "m").kind
    with pytest.raises(ModelError) as error:
        _ = Model.file(tmp_path).kind
    assert str(error.value) == f"{tmp_path} cannot be read: Is a directory"
