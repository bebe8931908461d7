"""Annotations of recorded and imported games: stored, read, exported to PDN, merged."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arena.checkers import pdn
from arena.errors import IllegalMove, StoreError, UsageError
from arena.play import Session, new_setup
from arena.store import Results, Store

if TYPE_CHECKING:
    from pathlib import Path

PDN = """[Event "one"] [Annotator "Dr. No"] [Result "1-0"]
{before} 1. 11-15! {0.25} 23-19 $2 {why?} 2. 8-11 1-0

[Event "two"] [Result "0-1"]
1. 9-13 22-18 0-1
"""


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A database with the game people/1 of four plies (11-15 first) and the collection ``human`` of two games."""
    with Store.open(tmp_path / "arena.sqlite") as store:
        record_game(store)
        with store.collector("human") as collector:
            for game in pdn.read(io.StringIO(PDN)):
                assert isinstance(game, pdn.PDNGame)
                collector.add(game)
        yield store


def record_game(store: Store) -> None:
    """Record a game of a person, which resigns in the opponent's first turn or its own second one."""
    session = Session(new_setup(store, "m1", name="Ann", seed=1), store)
    session.play(session.game.board.legal_moves[2])
    session.resign()
    session.record()


def content(store: Store, table: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store.location)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def test_several_people_annotate_a_move_and_the_game_stays_as_it_was(store: Store) -> None:
    before = content(store, "games")
    one = store.annotations.add("people/1", 1, "Ann", mark="?", better="9x14".replace("x", "-"), score=-0.5)
    other = store.annotations.add("last", 1, " Bob ", comment="  fine\n move ")
    nameless = store.annotations.add(content(store, "games")[0][1], 0, comment="start")
    assert [one.number, other.number, nameless.number] == [1, 2, 3]
    assert (other.annotator, other.comment, nameless.annotator) == ("Bob", "fine move", "human")
    assert store.annotations.of("people/1") == [nameless, one, other]
    assert one.text == "?, better 9-14, score -0.50"
    assert content(store, "games") == before


def test_annotations_are_removed_by_number_and_numbers_are_not_used_again(store: Store) -> None:
    store.annotations.add("people/1", 1, mark="!")
    store.annotations.remove(1)
    assert store.annotations.of("people/1") == []
    with pytest.raises(StoreError, match="holds no annotation 1;"):
        store.annotations.remove(1)
    assert store.annotations.add("people/1", 1, mark="!").number == 2


@pytest.mark.parametrize(
    ("ply", "annotation", "message"),
    [
        (1, {}, "has a mark, a better move"),
        (1, {"comment": "  "}, "has a mark, a better move"),
        (1, {"mark": "!!!"}, "a mark is one of"),
        (1, {"score": 1.5}, r"from -1 \(lost\) to 1 \(won\), not 1.5"),
        (1, {"score": float("nan")}, "not nan"),
        (1, {"better": "11-15"}, "11-15 is the move that was played"),
        (1, {"comment": "x" * 2001}, "at most 2000 printable"),
        (1, {"comment": "\x1b[2J"}, "printable"),
        (1, {"comment": "\ud800"}, "printable"),
        (2, {"mark": "!"}, "the game has the plies 1 to 1, and 0"),
        (-1, {"mark": "!"}, "not -1"),
        (0, {"mark": "!"}, "can only have a comment"),
        (0, {"better": "9-13"}, "can only have a comment"),
        (1, {"annotator": "x" * 41, "mark": "!"}, "a name has at most 40"),
    ],
)
def test_invalid_annotations_are_refused(store: Store, ply: int, annotation: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        store.annotations.add("people/1", ply, **annotation)
    assert content(store, "move_annotations") == []


def test_a_better_move_must_be_legal(store: Store) -> None:
    with pytest.raises(IllegalMove, match="legal moves"):
        store.annotations.add("people/1", 1, better="1-5")


def test_the_same_annotation_is_stored_once(store: Store) -> None:
    store.annotations.add("people/1", 1, "Ann", mark="?")
    with pytest.raises(StoreError, match="on record already, with the number 1"):
        store.annotations.add("people/1", 1, "Ann", mark="?")
    store.annotations.add("people/1", 1, "Bob", mark="?")


@pytest.mark.parametrize("game", ["nobody/1", "people/2", "human/3", "human/x", "17", "people"])
def test_unknown_games_are_one_line_errors(store: Store, game: str) -> None:
    with pytest.raises((StoreError, UsageError)) as error:
        store.annotations.add(game, 1, mark="!")
    assert "\n" not in str(error.value)


def test_pdn_marks_and_comments_are_annotations_by_the_annotator_of_the_file(store: Store) -> None:
    found = [
        (each.ply, each.annotator, each.mark, each.comment, each.number) for each in store.annotations.of("human/1")
    ]
    assert found == [
        (0, "Dr. No", None, "before", None),
        (1, "Dr. No", "!", "0.25", None),
        (2, "Dr. No", "?", "why?", None),
    ]
    assert store.annotations.of("human/2") == []


def test_results_have_a_row_for_each_annotation(store: Store) -> None:
    store.annotations.add("people/1", 1, "Ann", mark="?", better="9-14", score=-0.5)
    store.annotations.add("human/2", 2, "Bob", comment="good")
    with Results(store.location) as results:
        frame = results.annotations()
        assert list(frame.game) == ["people/1", "human/1", "human/1", "human/1", "human/2"]
        assert list(frame.source) == ["people", *["human"] * 4]
        ann, *_, bob = frame.astype(object).where(frame.notna(), None).to_dict("records")
        assert ann.pop("added").year >= 2026
        assert ann == {
            **{"annotation": 1, "game": "people/1", "source": "people", "ply": 1, "side": "black", "move": "11-15"},
            **{"annotator": "Ann", "mark": "?", "better": "9-14", "score": -0.5, "comment": None},
        }
        assert (bob["side"], bob["move"], bob["comment"]) == ("white", "22-18", "good")
        assert list(results.annotations("people").annotation) == [1]
        assert len(results.annotations(collection="human")) == 4
        assert list(results.annotations(game="human/2").annotator) == ["Bob"]
        assert (
            results.annotations(game="human/2")
            .dtypes[["annotation", "ply", "score", "added"]]
            .equals(frame.dtypes[["annotation", "ply", "score", "added"]])
        )
        assert [each.mark for each in results.game_annotations("last")] == ["?"]


def test_games_of_collections_with_several_files_are_named_by_their_ids(store: Store) -> None:
    with store.collector("human") as collector:
        for game in pdn.read(io.StringIO('[Event "three"]\n1. 12-16 {far} *\n')):
            assert isinstance(game, pdn.PDNGame)
            collector.add(pdn.PDNGame(game.boards, game.moves, "*", game.tags, game.comments, (), "b.pdn", 1))
    with pytest.raises(StoreError, match="several files of 'human' have a game 1: name it by its id"):
        store.annotations.of("human/1")
    with Results(store.location) as results:
        name = results.annotations().game.iloc[-1]
    assert store.annotations.of(name) == store.annotations.of(name.removeprefix("human/"))
    assert store.annotations.of(name)[0].comment == "far"


def test_export_writes_marks_and_comments(store: Store) -> None:
    store.annotations.add("people/1", 1, "Ann", mark="?", better="9-14", score=-0.5, comment="a {bad} move")
    with Results(store.location) as results:
        [text] = results.pdn("people")
        assert '[Annotator "Ann"]' in text
        assert "1. 11-15? {better 9-14, score -0.50, a (bad) move} 0-1" in text
        store.annotations.add("people/1", 1, "Bob", mark="!")
        store.annotations.add("human/1", 1, "Bob", mark="??")
        assert "Annotator" not in next(results.pdn("people"))
        assert "1. 11-15? {Ann: better 9-14, score -0.50, a (bad) move; Bob: !} 0-1" in " ".join(
            next(results.pdn("people")).split()
        )
        assert "{before} 1. 11-15! {0.25; Bob: ??} 23-19? {why?} 2. 8-11 1-0" in next(results.pdn(collection="human"))


def test_exported_annotations_are_read_by_the_importer(store: Store) -> None:
    store.annotations.add("people/1", 1, "Ann", mark="?", comment="lost")
    with Results(store.location) as results, store.collector("again") as collector:
        [game] = pdn.read(io.StringIO("".join(results.pdn("people"))))
        assert isinstance(game, pdn.PDNGame)
        collector.add(game)
    [imported] = store.annotations.of("again/1")
    assert (imported.annotator, imported.mark, imported.comment) == ("Ann", "?", "lost")


def test_merging_adds_the_annotations_that_are_missing(store: Store, tmp_path: Path) -> None:
    with Store.open(tmp_path / "other.sqlite") as other:
        other.create_tournament("earlier", 1, {}, ())
        other.merge(store.location, lambda *_: ())
        other.annotations.add("people/1", 1, "Cy", mark="!?")
        store.annotations.add("people/1", 1, "Ann", mark="?")
        store.annotations.add("human/1", 3, "Ann", score=0.5)
        for _ in range(2):
            other.merge(store.location, lambda *_: ())
            assert [each.annotator for each in other.annotations.of("people/1")] == ["Cy", "Ann"]
            assert other.annotations.of("human/1")[-1].score == 0.5
