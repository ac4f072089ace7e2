"""How far figures can be believed: what is lost, what is proven, what is likely, what is doubtful; a type each."""

from sonde.evidence.bound import Bound
from sonde.evidence.interval import Interval
from sonde.evidence.reservations import Doubt, Loss, Remark, Reservation, cut_off, in_words
from sonde.evidence.shares import share_interval

__all__ = ["Bound", "Doubt", "Interval", "Loss", "Remark", "Reservation", "cut_off", "in_words", "share_interval"]
