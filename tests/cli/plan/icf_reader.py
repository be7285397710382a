"""A reader of Iometer's configuration files, written from what Iometer accepts, without the writer."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_LINE = 199
IDLE = "Idle"
NAME = "Access specification name,default assignment"


@dataclass
class Worker:
    name: str
    settings: dict[str, str] = field(default_factory=dict)
    assigned: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)

    @property
    def depth(self) -> int:
        key = "Number of outstanding IOs,test connection rate,transactions per connection"
        return int(self.settings[key].split(",")[0])

    @property
    def sectors(self) -> tuple[int, int]:
        """Number and start."""
        number, start = self.settings["Disk maximum size,starting sector"].split(",")
        return int(number), int(start)


@dataclass
class Icf:
    setup: dict[str, str]
    display: dict[str, str]
    specifications: dict[str, list[tuple[int, ...]]]
    workers: list[Worker]

    @property
    def run_time_s(self) -> int:
        hours, minutes, seconds = map(int, self.setup["Run Time"].split())
        return 3600 * hours + 60 * minutes + seconds


class Lines:
    """The lines between two markers, taken one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def peek(self) -> str:
        return self._lines[0]

    def take(self, expected: str = "") -> str:
        line = self._lines.pop(0)
        assert line == expected or not expected, (line, expected)
        return line

    def pair(self) -> tuple[str, str]:
        """A comment without its apostrophe, and the line behind it. Other comments between them head columns."""
        key = self.take()
        assert key.startswith("'"), key
        if key.lower().startswith("'end"):
            return key[1:], ""
        while self.peek().startswith("'"):
            assert self.peek().startswith("'\t"), self.peek()
            self.take()
        value = self.take()
        assert value.startswith("\t"), value
        return key[1:], value.strip()

    def pairs(self, end: str) -> dict[str, str]:
        found: dict[str, str] = {}
        while (pair := self.pair())[0] != end:
            assert pair[0] not in found
            found[pair[0]] = pair[1]
        return found


def read_icf(raw: bytes) -> Icf:
    """Fail for a file that Iometer would refuse."""
    text = raw.decode("ascii")
    assert text.endswith("\r\n")
    lines = text.removesuffix("\r\n").split("\r\n")
    assert not any("\n" in line or "\r" in line for line in lines)
    assert max(map(len, lines)) <= LONGEST_LINE
    assert lines[0].split() == lines[-1].split() == ["Version", "2006.07.27"]
    rest = Lines(lines[1:-1])
    _section(rest, "TEST SETUP")
    setup = rest.pairs("END test setup")
    _section(rest, "RESULTS DISPLAY")
    display = rest.pairs("END results display")
    _section(rest, "ACCESS SPECIFICATIONS")
    specifications = _specifications(rest)
    _section(rest, "MANAGER LIST")
    icf = Icf(setup, display, specifications, _workers(rest))
    for worker in icf.workers:
        assert set(worker.assigned) <= {IDLE, *specifications}
    return icf


def _section(lines: Lines, name: str) -> None:
    line = lines.take()
    assert line.startswith(f"'{name} ====") and not line.strip("'=").removeprefix(name).strip()


def _specifications(lines: Lines) -> dict[str, list[tuple[int, ...]]]:
    found: dict[str, list[tuple[int, ...]]] = {}
    while (pair := lines.pair())[0] != "END access specifications":
        key, value = pair
        assert key == NAME
        name, assignment = value.split(",")
        assert assignment in {"NONE", "ALL", "DISK", "NET"}
        assert name.lower() not in {IDLE.lower(), *map(str.lower, found)}, "Iometer would replace the earlier one"
        rows = []
        # `pair` takes the names of columns for a comment before a value, and they are one.
        lines.take("'size,% of size,% reads,% random,delay,burst,align,reply")
        while lines.peek().startswith("\t"):
            rows.append(tuple(map(int, lines.take().strip().split(","))))
        assert all(len(row) == 8 for row in rows)
        assert all(0 <= number <= 100 for row in rows for number in row[1:4])
        assert sum(row[1] for row in rows) == 100
        found[name] = rows
    return found


def _workers(lines: Lines) -> list[Worker]:
    key, manager = lines.pair()
    assert key == "Manager ID, manager name" and manager.split(",")[0] == "1"
    assert lines.pair()[0] == "Manager network address"
    found: list[Worker] = []
    while (pair := lines.pair())[0] != "End manager":
        assert pair[0] == "Worker"
        worker = Worker(pair[1])
        assert lines.pair() == ("Worker type", "DISK")
        lines.take("'Default target settings for worker")
        worker.settings = lines.pairs("End default target settings for worker")
        lines.take("'Assigned access specs")
        while lines.peek().startswith("\t"):
            worker.assigned.append(lines.take().strip())
        lines.take("'End assigned access specs")
        lines.take("'Target assignments")
        while (target := lines.pair())[0] != "End target assignments":
            assert target[0] == "Target"
            worker.targets.append(target[1])
            assert lines.pair() == ("Target type", "DISK")
            lines.take("'End target")
        lines.take("'End worker")
        found.append(worker)
    lines.take("'END manager list")
    return found
