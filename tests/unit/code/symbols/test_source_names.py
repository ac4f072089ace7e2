"""Symbols as their source names them."""

import pytest

from sonde.code.symbols import plain_symbol, source_name
from sonde.instruments.decisions.readers.llvm import rust_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_RNvCskK7mfDs1mzF_1m5weigh", "m::weigh"),
        ("_RNCNvCskK7mfDs1mzF_1m4mains_0Cs1_1m", "m::main::{closure#1}"),
        ("_RINvNtCsgEmfK2I1SDS_4core3cmp3maxjECskK7mfDs1mzF_1m", "core::cmp::max::<usize>"),
        ("_RNvXCs1_1mNtB2_2SqNtB2_5Shape4area", "<m::Sq as m::Shape>::area"),
        ("_RINvCs1_1m1fAhj8_ThbERShE", "m::f::<[u8; 8], (u8, bool), &[u8]>"),
        ("_RINvCs1_1m1fKhna_Kb1_Kc41_E", "m::f::<-10, true, 'A'>"),
        ("_RINvCs1_1m1fDNtB2_5ShapeEL_FUKChEuE", 'm::f::<dyn m::Shape, unsafe extern "C" fn(u8)>'),
        ("_RNvCs1_1mu9bcher_kva", "m::b\xfccher"),
        ("_ZN1m4main17h0123456789abcdefE", "m::main"),
        ("_ZN4core3ops8function5FnMut8call_mut17h0123456789abcdefE.llvm.77", "core::ops::function::FnMut::call_mut"),
        ("_ZN6vectorI3FooE4pushEv", None),
        ("main", None),
        ("_R", None),
        ("_RNvC", None),
        ("_RNvB_1a", None),
        ("_RIC1aB3_E", None),
        ("_RNvC1a99999999999999999999b", None),
    ],
)
def test_names_of_rust(symbol: str, name: str | None) -> None:
    assert rust_name(symbol) == name


def test_the_older_mangling_escapes_letters() -> None:
    part = "_$LT$m..Sq$u20$as$u20$m..Shape$GT$"

    assert rust_name(f"_ZN{len(part)}{part}4area17h0123456789abcdefE") == "<m::Sq as m::Shape>::area"


def test_a_long_name_with_many_digits_is_looked_at_once() -> None:
    # As Numba's are, of parallel loops: a search that goes back and forth would not end.
    assert rust_name("_ZN13dynamic" + "B2v7B106c8tJTC" * 40 + "E") is None


@pytest.mark.parametrize("address", ["0x7fd74322dfd0", "0x55d0c0ffee10"])
def test_names_of_numbas_parallel_loops_have_no_addresses(address: str) -> None:
    name = f"__numba_parfor_gufunc_{address}"
    symbol = f"_ZN13_3cdynamic_3e{len(name)}{name}B2v7B10c8tJTC_2fWEy"

    assert source_name(symbol) == "_3cdynamic_3e::__numba_parfor_gufunc(unsigned long long)"
    assert source_name(f"__gufunc__.{symbol}") == f"__gufunc__.{source_name(symbol)}"
    assert source_name(f".kernel.{int(address, 16)}___gufunc__.{symbol}") == f".kernel.__gufunc__.{source_name(symbol)}"


def test_a_name_that_doubles_over_and_over_is_given_up() -> None:
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    symbol = "INvC1a1bTaE"
    begins = [8]  # of `TaE`
    for _ in range(40):
        begins.append(len(symbol))
        back = (
            f"B{digits[begins[-2] - 1]}_"
            if begins[-2] <= 62
            else f"B{digits[(begins[-2] - 1) // 62]}{digits[(begins[-2] - 1) % 62]}_"
        )
        symbol += f"T{back}{back}E"

    assert rust_name(f"_R{symbol}E") is None


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("\1_start", "_start"),
        ("_ZNK1S3getEi", "S::get(int) const"),
        ("_ZNK1S3getEi.cold", "S::get(int) const.cold"),
        ("walk.llvm.1234", "walk.llvm.1234"),
        ("_ZN8__main__5innerB2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx", "__main__::inner(long long)"),
        ("cfunc._ZN8__main__1gB2v1B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx", "cfunc.__main__::g(long long)"),
        (
            "_ZNSt6vectorIiSaIiEE9push_backB5cxx11Ei",
            "std::vector<int, std::allocator<int> >::push_back[abi:cxx11](int)",
        ),
    ],
)
def test_names_for_people(symbol: str, name: str) -> None:
    assert source_name(symbol) == name


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        ("f.cold", "f"),
        ("f.part.0", "f"),
        ("f.llvm.123.cold", "f"),
        ("f.constprop.0.isra.1", "f"),
        ("_ZN4core3fmt17h0123456789abcdefE", "_ZN4core3fmt17h0123456789abcdefE"),
        ("a.b", "a.b"),
    ],
)
def test_parts_and_copies_belong_to_their_function(symbol: str, plain: str) -> None:
    assert plain_symbol(symbol) == plain


def test_a_length_that_no_name_has_is_no_name_of_rust() -> None:
    symbol = f"_ZN{'9' * 5_000}x17h0123456789abcdefE"
    assert rust_name(symbol) is None
