"""E6xx: equations that are right and have no network, or not the one that is asked for."""

from __future__ import annotations

from pdedsl.mistakes.code import Code

NO_DATA_NETWORK = Code("E601", "an equation on a data space has a term that no network realizes")
NO_LAYER = Code("E602", "an equation on pixels has a part that no layer realizes")
PHYSICAL = Code("E603", "an equation on a physical domain has no network yet")
MISFIT = Code("E604", "a network or method does not fit the equation, its space or the other methods")
INTEGRATOR = Code("E605", "a time integrator does not fit the equation")
NO_OPERATOR = Code("E606", "an equation has no evolution operator")
NO_FRAME = Code("E607", "an equation on pixels has no `network` block")
WIDTHS = Code("E608", "the widths of a `network` block do not fit together")
NOT_COMPUTABLE = Code("E609", "an expression cannot be computed in a network")
CONSTRAINT = Code("E610", "a constraint does not fit the network, or another constraint")
