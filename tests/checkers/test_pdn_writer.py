"""The PDN that the writer produces is read back, by this project's reader and by pydraughts."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from draughts.PDN import PDNReader
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.checkers import pdn
from arena.checkers.notation import move_text
from positions import boards, random_game

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="{}"), max_size=60).map(
    lambda text: " ".join(text.split())
)
TAGS = st.dictionaries(st.sampled_from(["Event", "Site", "Date", "Round", "Black", "White", "ECO", "X_1"]), TEXT)


@st.composite
def pdn_games(draw: st.DrawFn) -> pdn.PDNGame:
    """Any game, from any position, with any tags, comments and result."""
    played = arena.Game(draw(st.none() | boards()))
    for _ in range(draw(st.integers(0, 60))):
        if played.board.legal_moves:
            played.play(draw(st.sampled_from(played.board.legal_moves)))
    comments = draw(st.just(()) | st.lists(TEXT, min_size=played.ply + 1, max_size=played.ply + 1).map(tuple))
    if not any(comments):
        comments = ()
    return pdn.PDNGame(played.boards, played.moves, draw(st.sampled_from(pdn.game.RESULTS)), draw(TAGS), comments)


def written(*games: pdn.PDNGame) -> str:
    file = io.StringIO()
    assert pdn.write(games, file) == len(games)
    return file.getvalue()


@given(st.lists(pdn_games(), max_size=3))
def test_written_games_are_read_back(games: list[pdn.PDNGame]) -> None:
    read = list(pdn.read(io.StringIO(written(*games))))
    if not games:
        assert [str(error) for error in read] == ["<text>: holds no game"]
        return
    for number, (game, read_game) in enumerate(zip(games, read, strict=True), 1):
        assert isinstance(read_game, pdn.PDNGame), read_game
        start = {} if game.boards[0] == arena.Board.start() else {"SetUp": "1", "FEN": game.boards[0].fen}
        tags = game.tags | {"Result": game.result, "GameType": "21"} | start
        assert read_game == replace(game, tags=tags, file="<text>", number=number, line=read_game.line)


def test_order_of_tags_quoting_and_line_width() -> None:
    game = arena.Game()
    while game.ply < 30:
        game.play(game.board.legal_moves[0])
    comments = ("A game.", "", "best", *[""] * 28)
    tags = {"ECO": "?", "White": 'A "B" C', "Event": "here\nthere", "Result": "0-1", "FEN": "nonsense"}
    text = written(pdn.PDNGame(game.boards, game.moves, "1/2-1/2", tags, comments))
    header, movetext = text.split("1. ", 1)
    assert header == (
        '[Event "here there"]\n[White "A \\"B\\" C"]\n[Result "1/2-1/2"]\n[ECO "?"]\n[GameType "21"]\n{A game.} '
    )
    assert movetext.endswith("\n1/2-1/2\n\n")
    assert movetext.split()[1:5] == [str(game.moves[1]), "{best}", "2.", str(game.moves[2])]
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines[-3]) > 60


def test_a_first_move_of_white_has_number_one() -> None:
    game = arena.Game(arena.Board.from_fen("W:W32,27,24,22:B20,15,10,7"))
    game.play(game.board.legal_moves[0])
    game.play(game.board.legal_moves[0])
    text = written(pdn.PDNGame(game.boards, game.moves))
    assert '[SetUp "1"]\n[FEN "W:W22,24,27,32:B7,10,15,20"]\n1. ' in text
    assert "2." not in text


def test_braces_in_a_comment_become_parentheses() -> None:
    game = pdn.PDNGame((arena.Board.start(),), (), comments=("a {b}\nc",))
    [read] = pdn.read(io.StringIO(written(game)))
    assert isinstance(read, pdn.PDNGame)
    assert read.comments == ("a (b) c",)


def test_marks_are_written_after_their_moves() -> None:
    game = random_game(4, plies=3)
    text = written(pdn.PDNGame(game.boards, game.moves, comments=("", "why not"), marks=("!", "", "??")))
    one, two, three = game.moves
    assert f"1. {one}! {{why not}} {two} 2. {three}?? *" in text


@pytest.mark.parametrize("seed", range(20))
def test_pydraughts_reads_written_games(seed: int) -> None:
    games = [random_game(seed), random_game(seed + 100, plies=37)]
    games[1:] = [arena.Game(next(board for board in games[0].boards[9:] if board.side is arena.Side.WHITE))]
    for _ in range(31):
        if games[1].board.legal_moves:
            games[1].play(games[1].board.legal_moves[seed % len(games[1].board.legal_moves)])
    tags = {"Event": "Random (test)", "Black": "random", "White": "minimax:depth=2"}
    marks = ("!", "", "?", "!?")
    pdn_games = [pdn.PDNGame(game.boards, game.moves, "1/2-1/2", tags, marks=marks) for game in games]
    games_read = PDNReader(written(*pdn_games)).games
    assert len(games_read) == 2
    for game, read in zip(pdn_games, games_read, strict=True):
        assert read.variant == "english"
        assert read.tags | tags == read.tags
        assert read.game_ending == "1/2-1/2"
        assert read.moves == [move_text(*step) for step in zip(game.boards, game.moves, strict=False)]
    assert games_read[1].tags["FEN"] == pdn_games[1].boards[0].fen
