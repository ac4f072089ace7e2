"""What `sonde doctor` says of looking at C functions."""

import pytest

from sonde.cli import doctor
from sonde.instruments.contexts.sources.sampling import stack_sampling


def test_it_says_whether_there_is_a_library_that_unwinds_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, verdict, cure in ((0, "ok", ""), (1, "limited", "libdw1"), (2, "limited", "0.188")):
        monkeypatch.setattr(stack_sampling, "find_unwinder", lambda answer=answer: answer)
        finding = doctor._c_stacks()
        assert finding.verdict == verdict
        assert cure in finding.cure
