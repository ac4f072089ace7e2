"""Dropping what records say wrongly."""

from typing import Literal

from sonde.ir.bookkeeping.confirmation import Confirmation, Verdict
from sonde.ir.bookkeeping.instances import Origin
from sonde.ir.bookkeeping.knowledge import Knowledge
from sonde.ir.bookkeeping.locations import Held, Lost, values_needed
from sonde.ir.bookkeeping.records import Known
from sonde.ir.bookkeeping.samples import Samples
from sonde.ir.bookkeeping.value_flow import ValueFlow

Trust = Literal["llvm", "unrefuted", "confirmed"]
"""Which records are believed.

    llvm         all
    unrefuted    but those that made-up numbers refute, and those that speak of the same values and are not confirmed
    confirmed    those that are confirmed: by made-up numbers, or since the optimised function still does the same
"""


def doubt(flow: ValueFlow, trust: Trust) -> None:
    """Let records say that a value is lost where they are not to be believed, and work out again what is known.

    Cost: as working it out, as often as more is found to be wrong; made-up numbers, some 30 us an instruction.
    """
    if trust == "llvm":
        return
    samples = Samples(flow.function, flow.metadata.module.types)
    confirmation = Confirmation(flow.metadata.marks, flow.instances, samples, flow.course)
    suspects: set[str] = set()
    while _is_any_dropped(flow, trust, confirmation, suspects):
        flow.solve()


def _is_any_dropped(flow: ValueFlow, trust: Trust, confirmation: Confirmation, suspects: set[str]) -> bool:
    is_any = False
    for block in flow.function.blocks:
        begin = flow.begins.get(block.name)
        if begin is None:
            continue
        knowledge = begin.copy()
        for index, instruction in enumerate(block.instructions):
            flow.arrive(knowledge, block.name, index)
            said = flow.records.get((block.name, index), [])
            for at, known in enumerate(said):
                location = known.location
                if location is None or isinstance(location, Lost):
                    flow.course.take_in(knowledge, known)
                    continue
                arrived = knowledge.copy()
                flow.course.arrive(arrived, known)
                if confirmation.is_chosen(known.origin):
                    verdict, relied_on = _verdict_on_choice(flow, confirmation, known, block.name, index, knowledge)
                else:
                    verdict = confirmation.judge(known.origin, location, arrived.values)
                    relied_on = confirmation.relied_on
                if verdict == "refuted":
                    # What it is said to be, or what that was made from is said to be: one of them is wrong.
                    doubts = confirmation.with_their_turns(relied_on) - {known.origin}
                    said[at] = Known(known.origin, Lost(verdict), known.doubts | doubts)
                    if isinstance(location, Held):
                        suspects.add(location.name)  # whoever names this value may mean what it was
                elif verdict == "open" and (trust == "confirmed" or not suspects.isdisjoint(values_needed(location))):
                    said[at] = Known(known.origin, Lost(verdict), known.doubts)
                is_any = is_any or said[at] is not known
                flow.course.take_in(knowledge, said[at])
            flow.leave(knowledge, block.name, index, instruction.result)
    return is_any


def _verdict_on_choice(
    flow: ValueFlow, confirmation: Confirmation, known: Known, block: str, index: int, knowledge: Knowledge
) -> tuple[Verdict, set[Origin]]:
    """The verdict, and the values whose places it took for granted."""
    location = known.location
    assert location is not None
    incoming = confirmation.samples.incoming.get(block)
    if incoming is None or index != flow.function.block(block).first_after_phis():
        return confirmation.judge_chosen(known.origin, location, knowledge), confirmation.relied_on
    verdicts: set[Verdict] = set()
    for source, changed in incoming.items():
        if source in flow.ends:
            verdict = confirmation.judge_chosen(known.origin, location, flow.ends[source], changed)
            if verdict == "refuted":
                return verdict, confirmation.relied_on
            verdicts.add(verdict)
    return ("open" if "open" in verdicts else "confirmed"), set()
