"""An engine for tests of the client. It knows no rules: its first argument says how it answers ``go``.

With the second argument, a file, it appends its process id and all lines that it reads to that file.
"""

import os
import signal
import subprocess
import sys
import time

mode = sys.argv[1]
notes = open(sys.argv[2], "a", buffering=1) if len(sys.argv) > 2 else None  # noqa: PTH123, SIM115


def write(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def go() -> None:  # noqa: PLR0912  (a branch for each mode)
    match mode:
        case "hang" | "hang-deaf":
            time.sleep(600)
        case "mute":
            pass
        case "exit":
            print("something is wrong", file=sys.stderr, flush=True)
            sys.exit(3)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "close":
            os.close(1)
            time.sleep(600)
        case "illegal":
            write("done move=1-5")
        case "nothing":
            write("done")
        case "garbage":
            write("hello", "???", "info =", "pv")
        case "flood":
            while True:
                write("info depth=1")
        case "endless":
            while True:
                sys.stdout.write("x" * 10000)
        case "binary":
            sys.stdout.buffer.write(b"\xff\xfe\n\r\ninfo depth=2 score=0.25 nodes=7\ndone move=11-15\n")
            sys.stdout.flush()
        case "error":
            write('error message="out of luck"')
        case "memory":
            hog = bytearray(400 << 20)
            hog[::4096] = b"x" * len(hog[::4096])
            time.sleep(600)
        case "child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            time.sleep(600)
        case "absurd":
            write("info depth=many score=nan nodes=-1", 'info pv="11-15 99-1"', "done move=11-15 ponder=1-2")
        case "good":
            write("info depth=3 score=0.5", 'info nodes=10 pv="11-15 23-19 8-11"', "done move=11-15", "done move=1-2")


if notes:
    notes.write(f"{os.getpid()}\n")
if mode == "hang-deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for text in sys.stdin:
    if notes:
        notes.write(text)
    match text.split()[0]:
        case "hub" if mode == "silent":
            time.sleep(600)
        case "hub":
            write("id name=fake version=0", "param name=seed value=0 type=int", "param name=quiet-plies value=80")
            write("param name=hash value=1", "wait")
        case "init":
            write("ready")
        case "go":
            go()
        case "quit":
            break
