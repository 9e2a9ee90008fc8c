"""Temperature of a plate with a cooled hole, by finite elements: the picture of the README.

python examples/plate.py    writes plate.png
"""

from pathlib import Path

import pdedsl
from pdedsl.runs.figure_style import save_figure

PLATE = """\
pde Plate "A plate with a cooled hole"

space   (x, y) in [-1, 1]² where x² + y² > 0.09
unknown T(x, y) : scalar

-ΔT = 0
T = 1 on left
T = 0 on right
∂T/∂n = 0 on bottom, top
∂T/∂n + 2T = 0 on x² + y² = 0.09
"""


def main() -> None:
    solution = pdedsl.solve(PLATE)
    print(solution)
    save_figure(solution.plot(), Path("plate.png"))


if __name__ == "__main__":
    main()
