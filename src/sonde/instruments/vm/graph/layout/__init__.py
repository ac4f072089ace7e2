"""Where boxes and lines go: layers from top to bottom, loops back up in columns of their own.

The steps, each in a file: layers and the vertices that long lines pass through (`layering`), the order in each layer
(`ordering`), horizontal places (`alignment`, `tightening`), where lines meet boxes (`ports`, `spread`), heights of the
horizontal parts of lines (`tracks`), and all of it together (`placement`).
"""

from sonde.instruments.vm.graph.layout.alignment import align
from sonde.instruments.vm.graph.layout.layering import Layering, layer
from sonde.instruments.vm.graph.layout.ordering import count_crossings, order_layers
from sonde.instruments.vm.graph.layout.placement import Box, Picture, place
from sonde.instruments.vm.graph.layout.ports import Line, Ports, place_ports, widths_for_ports
from sonde.instruments.vm.graph.layout.spread import spread
from sonde.instruments.vm.graph.layout.tightening import tighten
from sonde.instruments.vm.graph.layout.tracks import Span, assign_tracks

__all__ = [
    "Box",
    "Layering",
    "Line",
    "Picture",
    "Ports",
    "Span",
    "align",
    "assign_tracks",
    "count_crossings",
    "layer",
    "order_layers",
    "place",
    "place_ports",
    "spread",
    "tighten",
    "widths_for_ports",
]
