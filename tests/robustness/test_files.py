"""Writing files: what is there is replaced as a whole or left, and replaced only if a file."""

from __future__ import annotations

import functools
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import minitape as tf
from minitape import viz
from minitape.__main__ import main
from minitape.viz.base.files import make_folder, write_whole
from minitape.viz.course.course import copied, lessons, one_by_one
from minitape.viz.course.pages import write_course
from viz_traces import chain

SCRIPT = (
    "import minitape as tf\nx = tf.Variable(3.0)\n"
    "with tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n"
)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "lesson.py"
    path.write_text(SCRIPT)
    return path


def recorded():
    x = tf.Variable([1.0, 2.0])
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * x)
    return tape, y, x


# Everything that saves: how, and the ending of its file.
SAVERS = {
    "write_whole": (lambda path: write_whole(path, "new"), ".txt"),
    "a player": (lambda path: viz.step(*recorded()).save(path), ".html"),
    "a trace": (lambda path: chain(3).save(path), ".json"),
    "a drawing": (lambda path: viz.draw(recorded()[0]).save(path), ".svg"),
    "a Mermaid text": (lambda path: viz.draw(recorded()[0]).save(path), ".mmd"),
    "the memory": (lambda path: viz.memory(recorded()[0]).save(path), ".svg"),
    "a curve": (lambda path: viz.curve(tf.sin, (-1.0, 1.0)).save(path), ".html"),
    "a jacobian": (lambda path: viz.jacobian(*recorded()).save(path), ".svg"),
    "minitape step": (lambda path: stepped(path), ".html"),
}
savers = pytest.mark.parametrize(("save", "ending"), SAVERS.values(), ids=list(SAVERS))

# The others, whose tests take their time.
MORE = {
    **SAVERS,
    "a film": (lambda path: filmed().save(path), ".html"),
    "a graph": (lambda path: viz.graph(tf.function(tf.sin), tf.constant(1.0)).save(path), ".svg"),
    "what waits": (lambda path: viz.pending(tf.sin, tf.constant(1.0)).save(path), ".html"),
    "a surface": (lambda path: viz.surface(lambda a, b: a * b, (0, 1), (0, 1)).save(path), ".html"),
    "a flow": (lambda path: viz.flow({"w": [1.0, 2.0]}).save(path), ".html"),
    "an explanation": (lambda path: viz.explain(*asked_about_nothing()).save(path), ".html"),
    "an exploration": (lambda path: viz.explore(tf.sin, x=(0.0, 1.0)).save(path), ".html"),
    "a quiz": (lambda path: viz.quiz(*recorded()).save(path), ".html"),
    "a pair": (
        lambda path: viz.beside(viz.step(*recorded()), viz.step(*recorded())).save(path),
        ".html",
    ),
    "pushed tangents": (lambda path: viz.push(*recorded(), tf.ones(2)).save(path), ".html"),
    "minitape show": (lambda path: commanded(path, "show", "@.json", "--out"), ".html"),
    "minitape explain": (lambda path: commanded(path, "explain", "@.py", "--out"), ".html"),
    "its findings": (lambda path: commanded(path, "explain", "@.py", "--json"), ".json"),
    "its correction": (lambda path: commanded(path, "explain", "@.py", "--fix"), ".py"),
}  # fmt: skip
all_savers = pytest.mark.parametrize(("save", "ending"), MORE.values(), ids=list(MORE))


def filmed():
    w = tf.Variable(4.0)
    film = viz.film([w])
    with tf.GradientTape() as tape:
        loss = w * w
    film.note(tape, loss)
    return film


def asked_about_nothing():
    x, v = tf.constant(3.0), tf.Variable(1.0)
    with viz.recording(), tf.GradientTape(persistent=True) as tape:
        y = v * v
    return tape, y, x


def commanded(path, command, given, option):
    """A command of one input and one output, with the line that it complains in as an error."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, given.replace("@", "input"))
        if command == "show":
            chain(3).save(place)
        else:
            place.write_text(SCRIPT.replace("tf.Variable", "tf.constant"))
        done = subprocess.run(
            [sys.executable, "-m", "minitape", command, str(place), option, str(path)],
            capture_output=True,
            text=True,
        )
    if done.returncode == 2:
        assert done.stderr.startswith("minitape: ")
        assert done.stderr.count("\n") == 1
        raise OSError(done.stderr)
    return Path(path)


def stepped(path):
    """`minitape step`, with the line that it complains in as an error."""
    folder = Path(path).parent
    script = (folder.parent if folder.name == "small" else folder) / "lesson.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "minitape", "step", str(script), "--out", str(path)],
        capture_output=True,
        text=True,
    )
    script.unlink()
    if done.returncode:
        assert done.stderr.startswith("minitape: ")
        assert done.stderr.count("\n") == 1
        raise OSError(done.stderr)
    return Path(path)


def make_fifo(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


def make_circle(path):
    path.symlink_to(path.with_name("other"))
    path.with_name("other").symlink_to(path)


SPECIAL = {
    "a FIFO": (make_fifo, "it is a pipe (FIFO) and no regular file"),
    "a socket": (make_socket, "it is a socket and no regular file"),
    "a link to a device": (lambda path: path.symlink_to(os.devnull), "it is a device"),
    "a link to a folder": (lambda path: path.symlink_to(path.parent), "it is a folder"),
    "a folder": (lambda path: path.mkdir(), "it is a folder; add a file name"),
    "links in a circle": (make_circle, "the symbolic links lead in a circle"),
    "a link into a folder that is not there": (
        lambda path: path.symlink_to(path.parent / "gone" / "a"),
        "does not exist; create it first",
    ),
}


@pytest.mark.slow
@all_savers
@pytest.mark.parametrize(("make", "part"), SPECIAL.values(), ids=list(SPECIAL))
def test_what_is_no_regular_file_is_refused_and_stays(save, ending, make, part, tmp_path):
    place = tmp_path / f"a{ending}"
    make(place)
    before = place.lstat()
    with pytest.raises(OSError) as caught:  # noqa: PT011
        save(place)
    assert part in str(caught.value)
    assert "[Errno" not in str(caught.value)
    assert place.lstat().st_mode == before.st_mode
    assert place.lstat().st_ino == before.st_ino


@savers
def test_a_link_stays_one_and_its_target_is_written(save, ending, tmp_path):
    target, link = tmp_path / f"target{ending}", tmp_path / f"link{ending}"
    target.write_text("old")
    link.symlink_to(target.name)
    assert save(link) == link
    assert link.is_symlink()
    assert target.read_text() != "old"
    assert not target.is_symlink()


@savers
def test_a_link_to_a_file_that_is_not_there_yet_makes_it(save, ending, tmp_path):
    link = tmp_path / f"link{ending}"
    link.symlink_to(f"new{ending}")
    save(link)
    assert link.is_symlink()
    assert (tmp_path / f"new{ending}").stat().st_size > 0


@savers
def test_another_name_of_the_same_file_keeps_what_it_had(save, ending, tmp_path):
    place, other = tmp_path / f"a{ending}", tmp_path / "other"
    place.write_text("old")
    os.link(place, other)
    save(place)
    assert other.read_text() == "old"
    assert place.read_text() != "old"


@savers
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("a" * 300, "File name too long; choose another path"),
        ("gone/a", "does not exist; create it first"),
        ("lesson.txt/a", "does not exist; create it first"),
    ],
)
def test_a_name_that_no_file_can_have_is_told_in_words(save, ending, name, part, tmp_path):
    (tmp_path / "lesson.txt").write_text("a file")
    if save is SAVERS["minitape step"][0] and "/" in name:
        pytest.skip("its script stands in that folder")
    with pytest.raises(OSError) as caught:  # noqa: PT011
        save(tmp_path / (name + ending))
    assert part in str(caught.value)
    assert "[Errno" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("save", [each for name, (each, _) in SAVERS.items() if "step" not in name])
@pytest.mark.parametrize("path", [None, 3, b"a.svg", [], float, object()])
def test_what_is_no_path_is_named(save, path):
    with pytest.raises(TypeError, match="cannot write to .*: it is no path; write its name as a"):
        save(path)


@savers
@pytest.mark.parametrize("letter", ["\ud800", "\0"])
def test_a_letter_that_no_file_name_can_have_is_told(save, ending, letter, tmp_path):
    if save is SAVERS["minitape step"][0]:
        pytest.skip("no command line can have it")
    with pytest.raises(ValueError, match="cannot write .*; choose another name"):
        save(tmp_path / f"a{letter}{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_write_protected_file_is_kept(tmp_path):
    place = tmp_path / "a.txt"
    place.write_text("old")
    place.chmod(0o444)
    with pytest.raises(PermissionError, match="it is write-protected; choose another name"):
        write_whole(place, "new")
    assert place.read_text() == "old"


def test_a_write_protected_file_is_kept_by_root_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    place = tmp_path / "a.txt"
    place.write_text("old")
    with pytest.raises(PermissionError, match="it is write-protected"):
        write_whole(place, "new")
    assert place.read_text() == "old"


# The input.


@pytest.mark.parametrize("way", ["its name", "a longer way", "a link", "a hard link"])
def test_a_script_is_not_written_over_by_its_own_page(way, script, tmp_path, capsys):
    place = {"its name": script, "a longer way": tmp_path / "x" / ".." / "lesson.py"}.get(
        way, tmp_path / "other.py"
    )
    (tmp_path / "x").mkdir()
    if way == "a link":
        place.symlink_to(script)
    if way == "a hard link":
        os.link(script, place)
    assert main(["step", str(script), "--out", str(place)]) == 2
    assert "it is the file that the result is made from" in capsys.readouterr().err
    assert script.read_text() == place.read_text() == SCRIPT


@pytest.mark.parametrize("options", [
    ["--out", "same", "--fix", "same"],
    ["--json", "same", "--fix", "x/../same"],
    ["--json", "same", "--out", "link"],
])  # fmt: skip
def test_two_results_of_one_command_do_not_replace_each_other(
    options, script, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("x").mkdir()
    Path("link").symlink_to("same")
    script.write_text(SCRIPT.replace("tf.Variable", "tf.constant"))
    assert main(["explain", str(script), *options]) == 2
    assert "two results would be written to one file" in capsys.readouterr().err
    assert not Path("same").exists()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs that name")
def test_the_standard_output_is_a_pipe_and_no_place_for_a_page(script):
    command = [sys.executable, "-m", "minitape", "step", str(script), "--out", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "it is a pipe (FIFO) and no regular file" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


def test_the_courses_pages_are_not_written_through_a_pipe_or_over_a_file(tmp_path):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    (tmp_path / "place").write_text("mine")
    with pytest.raises(NotADirectoryError, match="a file is in its place; choose another folder"):
        write_course(tmp_path / "place")
    os.mkfifo(tmp_path / "index.html")
    with pytest.raises(OSError, match="no regular file"):
        write_course(tmp_path)
    assert (tmp_path / "place").read_text() == "mine"


def test_a_lesson_is_not_copied_over_a_pipe_nor_through_a_circle(tmp_path):
    first, second = lessons()[:2]
    os.mkfifo(tmp_path / first.path.name)
    make_circle(tmp_path / second.path.name)
    assert copied([first], tmp_path)[0].state == "kept"
    with pytest.raises(OSError, match="lead in a circle"):
        copied([second], tmp_path)
    assert stat.S_ISFIFO((tmp_path / first.path.name).lstat().st_mode)


def test_a_lessons_data_is_not_copied_where_a_file_has_the_folders_name(tmp_path):
    (tmp_path / "data").write_text("mine")
    with pytest.raises(NotADirectoryError, match="a file is in its place"):
        copied(lessons()[:1], tmp_path)
    assert (tmp_path / "data").read_text() == "mine"


# A disk that fills up, and a write that is interrupted.


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 16 kB, where one may be mounted."""
    place = tmp_path / "small"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no `mount` to make a small disk with")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def big_player(path):
    tape, y, x = recorded()
    viz.step(tape, y, x, title="x" * 80_000).save(path)


@pytest.mark.parametrize("save", [
    lambda path: write_whole(path, "x" * 100_000),
    big_player,
    stepped,
], ids=["write_whole", "a player", "minitape step"])  # fmt: skip
def test_a_full_disk_leaves_the_old_file_whole(small_disk, save):
    place = small_disk / "a.html"
    place.write_text("old")
    with pytest.raises(OSError, match="No space left on device; nothing was changed") as caught:
        save(place)
    assert "[Errno" not in str(caught.value)
    assert place.read_text() == "old"
    assert [each.name for each in small_disk.iterdir()] == ["a.html"]


WRITER = """
import sys
from minitape.viz.base.files import make_folder, write_whole
n = 0
while True:
    write_whole(sys.argv[1], str(n % 10) * 300_000)
    if not n:
        print("ready", flush=True)
    n += 1
"""


@pytest.mark.slow
@all_savers
def test_on_a_disk_without_a_byte_left_everything_leaves_the_old_file_whole(
    small_disk, save, ending
):
    place = small_disk / f"a{ending}"
    place.write_text("old")
    with pytest.raises(OSError, match="No space left"), open(small_disk / "rest", "wb", 0) as rest:
        while True:
            rest.write(b"x" * 4096)
    with pytest.raises(OSError, match="No space left on device; nothing was changed") as caught:
        save(place)
    assert "[Errno" not in str(caught.value)
    assert place.read_text() == "old"
    assert sorted(each.name for each in small_disk.iterdir()) == sorted(["rest", place.name])


@pytest.mark.slow
def test_the_course_on_a_disk_that_is_too_small_leaves_whole_lessons(small_disk):
    command = [sys.executable, "-m", "minitape", "tutorials", "--no-lab"]
    done = subprocess.run(command, cwd=small_disk, capture_output=True, text=True)
    assert done.returncode == 2
    assert "No space left on device; nothing was changed" in done.stderr
    assert done.stderr.count("\n") == 1
    whole = {each.path.name: each.path.read_bytes() for each in lessons()}
    assert all(whole[each.name] == each.read_bytes() for each in small_disk.iterdir())


def test_files_that_are_written_one_by_one_are_told_when_the_disk_is_full(small_disk):
    places = [small_disk / name for name in ("a", "b", "c", "d")]
    files = [
        (place, functools.partial(write_whole, place, "x" * size))
        for place, size in zip(places, [100, 200, 100_000, 100], strict=True)
    ]
    with pytest.raises(OSError, match="No space left on device") as caught:
        one_by_one(files)
    said = str(caught.value)
    assert f"Written, each whole: {places[0]}, {places[1]}. " in said
    assert f"Not written: {places[2]}, {places[3]}. " in said
    assert sorted(small_disk.iterdir()) == places[:2]


def test_a_copy_of_lessons_that_stops_says_what_is_there_and_what_is_not(tmp_path):
    first, second, third = lessons()[:3]
    make_circle(tmp_path / second.path.name)
    with pytest.raises(OSError, match="lead in a circle") as caught:
        copied([first, second, third], tmp_path)
    here, missing = str(caught.value).split("Not written: ")
    assert first.path.name in here
    assert second.path.name in missing
    assert third.path.name in missing
    assert (tmp_path / first.path.name).read_bytes() == first.path.read_bytes()


def test_the_first_file_that_cannot_be_written_says_that_none_is_there(tmp_path):
    (tmp_path / "data").write_text("a file")
    with pytest.raises(NotADirectoryError, match="Written, each whole: none. Not written: .*data"):
        one_by_one([(tmp_path / "data", lambda: make_folder(tmp_path / "data"))])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whenever_a_writer_is_ended_the_file_is_one_whole_version(number, tmp_path):
    place = tmp_path / "a.txt"
    for i in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as writer:
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(0.03 + 0.011 * i)
            writer.send_signal(number)
        text = place.read_text()
        assert (len(text), len(set(text))) == (300_000, 1)
        if number == signal.SIGINT:  # the others leave Python no time to clean up
            assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
