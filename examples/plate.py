"""Temperature of a plate with a cooled hole, by finite elements: the picture of the README.

python examples/plate.py    writes plate.png
"""

import re
from pathlib import Path

import pdedsl
from pdedsl.runs.figure_style import save_figure

README = Path(__file__).parents[1] / "README.md"


def main() -> None:
    spec = re.findall(r"```pde\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[0]
    solution = pdedsl.solve(spec)
    print(solution)
    save_figure(solution.plot(), Path("plate.png"))


if __name__ == "__main__":
    main()
