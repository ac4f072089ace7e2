"""Numbers made up for the values of a function."""

from sonde.ir import parse_module
from sonde.ir.bookkeeping.samples import Samples


def test_no_bit_of_what_is_made_up_is_the_same_in_all_samples() -> None:
    # Else a pass that changed this bit alone would not be found out.
    text = "define void @f(i1 %a, i3 %b, i8 %c, i64 %d, ptr %e) {\n  ret void\n}\n"
    function = parse_module(text).functions["@f"]
    samples = Samples(function, {})
    for parameter, width in zip(function.parameters, (1, 3, 8, 64, 64), strict=True):
        ones = zeros = 0
        for bits in samples.of(parameter.name, parameter.type):
            assert bits is not None
            ones |= bits
            zeros |= ~bits
        assert ones & zeros & ((1 << width) - 1) == (1 << width) - 1, parameter.name
