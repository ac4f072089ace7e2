"""What led to a difference, as far as compilers said: reasons, receivers, what was not inlined, what came before."""

from sonde.instruments.decisions.why.background import Background
from sonde.instruments.decisions.why.calls import call_reasons
from sonde.instruments.decisions.why.chain import MOST_LINES, reasons_for
from sonde.instruments.decisions.why.decisions import decision_reasons
from sonde.instruments.decisions.why.wording import SIDES, WIDEST

__all__ = ["MOST_LINES", "SIDES", "WIDEST", "Background", "call_reasons", "decision_reasons", "reasons_for"]
