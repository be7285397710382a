"""Signs that are lost."""

from __future__ import annotations

from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.signs import lost_signs


def test_one_sign_differs_from_all_others_of_its_column() -> None:
    (one,) = lost_signs(read("x,a,b\nr,10,−5.1\ns,20,-6.2\nt,30,7.3\nu,40,-8.4\nv,50,-9.5\n".encode(), "t")[0])
    assert (one.place, one.expected) == ((2, 1), -7.3)


def test_mixed_signs_and_small_values_say_nothing() -> None:
    assert not list(lost_signs(read(b"x,a,b\nr,10,-5\ns,-2,-6\nt,30,7\nu,40,-8\n", "t")[0]))
    assert not list(lost_signs(read(b"x,a,b\nr,10,-5\ns,20,-6\nt,30,7\nu,40,-8\nv,50,-9\n", "t")[0])), "single digits"
    assert not list(lost_signs(read(b"x,a\nr,-50\ns,-60\nt,0.1\nu,-80\nv,-90\n", "t")[0]))
