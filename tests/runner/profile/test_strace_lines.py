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


def test_calls_on_sockets_are_of_the_class_that_their_family_costs() -> None:
    made = of(
        "7 socket(AF_INET6, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<socket:[13]>",
        "7 accept4(3<socket:[13]>,  <unfinished ...>",
        "8 socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 4<socket:[14]>",
        "7 <... accept4 resumed>NULL, NULL, SOCK_CLOEXEC) = 5<socket:[15]>",
        "8 accept(4<socket:[14]>, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)",
        "7 read(5<socket:[15]>,  <unfinished ...>",
        '8 write(4<socket:[14]>, ""..., 40) = 40',
        '8 sendto(4<socket:[14]>, ""..., 2, 0, NULL, 0) = 2',
        '7 <... read resumed>""..., 100) = 10',
        '7 read(5<socket:[15]>, 0x7f, 100) = -1 EAGAIN (Resource temporarily unavailable)',
        "7 sendfile(5<socket:[15]>, 6</a>, [0] => [100], 100) = 100",
        "7 splice(5<socket:[15]>, NULL, 9<pipe:[1]>, NULL, 50, 0) = 7",
        "7 splice(8<pipe:[1]>, NULL, 5<socket:[15]>, NULL, 50, 0) = 200",
        "7 splice(6</a>, [0], 9<pipe:[1]>, NULL, 50, 0) = 50",
        '7 read(0<socket:[77]>, ""..., 100) = 3000',
    )  # fmt: skip
    assert dict(made.classes) == {"network": 4, "pipes": 3, "simple calls": 3 + 2, "writes": 1}
    assert (made.sent, made.received) == (40 + 2 + 100 + 200, 10 + 7 + 3_000)


def test_bytes_of_many_messages_are_those_that_the_result_counts() -> None:
    made = of(
        "7 sendmmsg(4<socket:[1]>, [{msg_hdr={}, msg_len=10}, {msg_hdr={}, msg_len=20}], 2, 0) = 1",
        "7 recvmmsg(4<socket:[1]>, [{msg_hdr={}, msg_len=30}], 9, 0, {tv_sec=1, tv_nsec=0}) = 1 (left {tv_sec=0, "
        "tv_nsec=9})",
        "7 recvmmsg(4<socket:[1]>, 0x7f, 3, MSG_DONTWAIT, NULL) = -1 EAGAIN (Resource temporarily unavailable)",
    )
    assert dict(made.classes) == {"network": 2, "simple calls": 1}
    assert (made.sent, made.received) == (10, 30)
