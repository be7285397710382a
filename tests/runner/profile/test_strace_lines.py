"""Lines of strace, counted."""

from __future__ import annotations

from virtometer.runner.profile.strace_lines import Counted


def of(*lines: str) -> Counted:
    made = Counted()
    made.take([line.encode() for line in lines])
    made.end()
    return made


def test_classes_by_name_descriptor_and_result() -> None:
    made = of(
        '7 execve("/a/ls", ["ls"], 0x1 /* 3 vars */) = -1 ENOENT (No such file or directory)',
        '7 execve("/b/ls", ["ls"], 0x1 /* 3 vars */) = 0',
        '7 read(3</etc/passwd>, ""..., 4096) = 512',
        '7 read(0<pipe:[12]>, ""..., 4096) = 100',
        '7 write(1<socket:[13]>, ""..., 5) = 5',
        "7 getppid() = 6",
        "7 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0}, 88) = 8",
        "7 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 9",
        '7 recvfrom(4<socket:[14]>, ""..., 10, 0, NULL, NULL) = 10',
        "7 fsync(3</a>) = 0",
        "7 exit_group(0) = ?",
        "7 +++ exited with 0 +++",
        "",
    )
    assert dict(made.classes) == {
        "file look-ups": 1, "starts of programs": 1, "reads": 1, "pipes": 2, "simple calls": 1, "threads": 1,
        "forks": 1, "network": 1, "syncs": 1, "ends": 1,
    }  # fmt: skip
    assert (made.read, made.sent, made.received) == (512, 5, 10)
    assert made.calls["execve"] == 2


def test_a_call_in_two_lines_counts_once() -> None:
    made = of(
        "7 read(3</a>,  <unfinished ...>",
        "8 read(0<pipe:[1]>,  <unfinished ...>",
        '7 <... read resumed>""..., 10) = 10',
        '8 <... read resumed>""..., 10) = 9',
        "9 wait4(-1,  <unfinished ...>",
    )
    assert dict(made.classes) == {"reads": 1, "pipes": 1, "ends": 1}
    assert made.read == 10


def test_one_process_has_no_number() -> None:
    assert dict(of("getpid() = 3", '<... read resumed>"", 1) = 1').calls) == {"getpid": 1, "read": 1}
