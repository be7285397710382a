"""The Phoronix Test Suite 10.8, what its other results may be, and XML that does harm."""

import pytest

from tests.imports.files import captured, numbers, written
from virtometer.errors import UsageError
from virtometer.imports.value import Origin

ENTRY = "<Entry><Identifier>{0}</Identifier><Value>{1}</Value><RawString>{2}</RawString></Entry>"
RESULT = (
    "<Result><Identifier>pts/x-1</Identifier><Title>X</Title><Arguments>-a</Arguments>"
    "<Description>Test: A</Description><Scale>{0}</Scale><Proportion>{1}</Proportion><Data>{2}</Data></Result>"
)


def suite(*results: str) -> str:
    return f'<?xml version="1.0"?>\n<PhoronixTestSuite><System/>{"".join(results)}</PhoronixTestSuite>'


def test_a_result_of_two_systems() -> None:
    file = captured("phoronix-10.8.xml")
    loops = [(one.environment, one.value) for one in file.values if "100000" in one.benchmark]
    assert loops == [
        ("native", 37455), ("native", 84588), ("native", 51049), ("runc", 139551), ("runc", 108042), ("runc", 145852)
    ]  # fmt: skip
    assert {(one.unit, one.better) for one in file.values} == {("Loops Per Second", "higher")}


def test_raw_values_of_each_system() -> None:
    entries = ENTRY.format("native", "2", "1.5:2:2.5") + ENTRY.format("gvisor", "4", "")
    file = written(suite(RESULT.format("MB/s", "HIB", entries), RESULT.format("Seconds", "LIB", entries)))
    assert {key: of[:3] for key, of in numbers(file).items()} == {
        ("X Test: A", "MB/s", "B/s", "higher"): [1.5e6, 2e6, 2.5e6],
        ("X Test: A", "Seconds", "s", "lower"): [1.5, 2.0, 2.5],
    }
    assert [(one.environment, one.origin, one.start) for one in file.values[:4]] == [
        ("native", Origin.START, 1),
        ("native", Origin.START, 2),
        ("native", Origin.START, 3),
        ("gvisor", Origin.SUMMARY, 1),
    ]


LINES = RESULT.replace("<Data>", "<DisplayFormat>LINE_GRAPH</DisplayFormat><Data>").replace("<Title>X", "<Title>Heat")


def test_a_series_is_left_out_and_the_rest_is_read() -> None:
    entries = ENTRY.format("a", "60.0,55.0", "60.0,55.0") + ENTRY.format("b", "61.0,52.5", "61.0,52.5")
    series = LINES.format("Celsius", "LIB", entries)
    bars = RESULT.replace("<Data>", "<DisplayFormat>BAR_GRAPH</DisplayFormat><Data>")
    file = written(suite(series, bars.format("s", "LIB", ENTRY.format("a", "2", "2:3"))))
    assert [one.value for one in file.values] == [2, 3]
    assert [one.benchmark for one in file.left_out] == ["Heat Test: A"]
    with pytest.raises(UsageError, match="LINE_GRAPH"):
        written(suite(series))


def test_a_result_without_direction_is_left_out() -> None:
    entry = ENTRY.format("a", "2", "2")
    file = written(suite(RESULT.format("Watts", "", entry), RESULT.format("Watts", "LIB", entry)))
    assert len(file.values) == 1


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<PhoronixTestSuite>&b;</PhoronixTestSuite>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><PhoronixTestSuite>&a;</PhoronixTestSuite>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "declares entities"),
        (OUTSIDE, "declares entities"),
        (suite()[:-5], "the XML is wrong here"),
        (suite("<a>" * 60), "nested too deeply"),
        ("<x><PhoronixTestSuite/></x>", "the root is x"),
        (suite(), "no values"),
        (suite(RESULT.format("s", "LIB", ENTRY.format("a", "2", "1:two"))), "is not a number"),
    ],
    ids=["bomb", "outside", "cut", "deep", "root", "empty", "text"],
)
def test_wrong_xml_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        written(text)
