"""Where boxes and lines go: layers from top to bottom, loops back up in columns of their own.

The steps, each in a file: layers and the vertices that long lines pass through (`layering`), the order in each layer
(`ordering`), horizontal places (`alignment`, `tightening`), where lines meet boxes (`ports`, `spread`), heights of the
horizontal parts of lines (`tracks`), and all of it together (`placement`).
"""

from sonde.views.graph.layout.alignment import align
from sonde.views.graph.layout.layering import Layering, layer
from sonde.views.graph.layout.ordering import count_crossings, order_layers
from sonde.views.graph.layout.placement import Box, Picture, place
from sonde.views.graph.layout.ports import Line, Ports, place_ports, widths_for_ports
from sonde.views.graph.layout.spread import spread
from sonde.views.graph.layout.tightening import tighten
from sonde.views.graph.layout.tracks import Span, assign_tracks

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
