"""Hints for lines in the notation of other programs: Mathematica, MATLAB, SymPy, Julia, FEniCS, DeepXDE, PyTorch.

`HINTS` is a table of regular expressions, each with the program that uses the notation and the rule of the language;
most rows have a replacement template. It is applied only after an error, to the lines with errors. The errors of a
matching line are replaced by one message, with the rewritten line; rewritten lines that cannot be parsed are discarded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice

from pdedsl import errors
from pdedsl.diagnostics import Diagnostic, Reporter, Source, Span, sort_diagnostics
from pdedsl.language.lexer import normalize_characters
from pdedsl.language.names import superscript
from pdedsl.language.parser import parse_syntax
from pdedsl.record import Record

MAX_LINE_LENGTH = 300  # characters: the patterns are tried only on lines that a person may have written
MAX_LINES = 500  # without a `space` statement every line is tried
MAX_NAMES = 50  # of each kind in the patterns, whose compilation takes time
MAX_NESTING = 4  # of brackets that one pattern rewrites from the inside out


class NotationHint(Record):
    """A notation of other programs.

    In `pattern`, `<u>` is a declared function with or without its arguments, `<x>` a variable, `<K>` an operator, all
    captured; `<f>` and `<v>` are names of functions and variables, not captured. `<no space>`, `<no time>` and
    `<one variable>` restrict a row to specs without such a statement, or with a single variable. In `replacement`,
    `<v0>`, `<v1>`, … are the variables in the order of declaration, `<x0>`, … the coordinates.
    """

    program: str
    pattern: str
    text: str
    replacement: str | None = None  # None: the line has no equivalent; see `advice`
    advice: str = ""
    only_unparsed: bool = False  # apply only to lines with syntax errors: the notation may be valid

    @property
    def message(self) -> str:
        return f"{self.program} notation: {self.text}" if self.program else self.text


# ---- The table


_NUMBER = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|pi|π|inf)"
_EQUATION = r"(?:[^\W\d∂∇]|[∂∇Δ]).*=.*"
_HEADS = r"\b(?:D|Diff|Derivative|derivative|deriv|pder|pdiff|PD|partial|d)[\[(]"
_DIFF = rf"(?:'?\bdiff\(|{_HEADS})"
_ENTRY = r"([^\s,;\[\]()=]+)"
_ROW = rf"{_ENTRY}[\s,]+{_ENTRY}[\s,]+{_ENTRY}"
_PAIR = rf"({_NUMBER})\s*,\s*({_NUMBER})"
_SPACE_IN = r"^(\s*space\b.*?(?:\bin|∈)\s+)(?:[\w.]*\.)?"
_ORIGIN = r"\W*0(?:\.0)?\s*,\s*0(?:\.0)?\W+?"
_DISK = r"(?:Disk|Disc|Circle|Ball)"
_SAMPLED = r"=\s*(?:[\w.]*\.)?(?:linspace|arange|range)"
_PIECES = r"=\s*(\S+)\s+if\s+(\w+)\s*{}\s*([\w./*]+)\s+else\s+(\S+)\s*$"
_PREFIX = r"(?:np|numpy|jnp|jax|math|Math|torch|nn|functional|autograd|optim|sympy|sp|tf|ufl|dde|grad|F|xp)\."
_FUNCTIONS = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "max", "min"),
    *("relu", "sigmoid", "softmax", "heaviside"),
)
_OTHER_FUNCTIONS = {"ArcSin": "asin", "ArcCos": "acos", "ArcTan": "atan", "HeavisideTheta": "heaviside", "Ln": "log"}
_CAPITALIZED = {name.capitalize(): name for name in _FUNCTIONS} | _OTHER_FUNCTIONS
_MODULES = {name: name.lower() for name in ("ReLU", "Tanh", "GELU", "SiLU", "Sigmoid", "Softplus", "ELU", "Mish")}
_OPTIMIZERS = {name: name.lower() for name in ("AdamW", "Adam", "SGD", "RMSprop", "LBFGS")}
_SUBSCRIPTS = {"i": "ᵢ", "j": "ⱼ", "k": "ₖ"}

DERIVATIVE = "derivatives are written ∂u/∂t, ∂²u/∂x²"
INTERVAL = "an interval is written [a, b], after 'in'"
DOMAIN = "a domain is a product of intervals, restricted by inequalities"
MATRIX = "a matrix is a list of rows"
DECLARATION = "names are declared by 'space', 'time', 'unknown', 'const' and 'let'"
SUM = "sums run over all components"


def _rules(text: str, *rows: tuple[str, str, str]) -> Iterator[NotationHint]:
    """Rows with the same rule of the language: program, pattern and replacement."""
    return (NotationHint(program, pattern, text, replacement) for program, pattern, replacement in rows)


HINTS: tuple[NotationHint, ...] = (
    *_rules(
        "equations are written in strong form, without integrals and test functions",
        (
            "FEniCS",
            r"^\s*(?:inner|dot)\(\s*grad\((<f>)\)\s*,\s*grad\((\w+)\)\s*\)\s*\*\s*dx"
            r"\s*=+\s*(.+?)\s*\*\s*\2\s*\*\s*dx\s*$",
            r"-Δ\1 = \3",
        ),
    ),
    # Lines without an equivalent
    NotationHint(
        "FEniCS",
        r"\b(?:inner|dot)\(\s*(?:grad|nabla)\b.*(?:grad|nabla)|\bint[123]d\(",
        "equations are written in strong form, without integrals and test functions",
        advice="write the equation, as in -Δu = f, and its boundary conditions: u = 0 on boundary",
    ),
    NotationHint(
        "",
        r"^\s*bcs?\s*=|^\s*\w+\s*=.*(?:Dirichlet|Neumann|Robin|Periodic)BC\b",
        "each boundary or initial condition is an equation on its own line",
        advice="as in: u = 0 on boundary, u(0, t) = 0, or u(x, 0) = … for the initial condition",
    ),
    NotationHint(
        "",
        r"\b(?:add_equation|N?DSolve(?:Value)?|dsolve|pdepe|PDE|PDESystem|TransientTerm|DiffusionTerm)\s*[\[(]|^\s*solve\(",
        "an equation is a statement, not an argument of a solver",
        advice="as in: ∂u/∂t = k Δu; the command 'pdedsl solve' solves it",
    ),
    NotationHint(
        "FEniCS",
        r"=\s*(?:\w+\.)?(?:\w*FunctionSpace|TrialFunctions?|TestFunctions?|FiniteElement|CellVariable|Grid[123]D)\(",
        "function spaces, grids and test functions are not declared",
        advice="leave this line out: the method chooses them, as in: realize equation by grid(n=128)",
    ),
    NotationHint(
        "Julia",
        r"^\s*\w+\s*=\s*Differential\(\w+\)(?:\s*\^\s*\d)?\s*;?\s*$",
        "derivatives are not declared",
        advice="leave this line out: a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)",
    ),
    NotationHint(
        "Julia, SymPy",
        r"^\s*@(?:parameters|variables|named|constants)\b(?!\s+\w+\s*=)|=\s*(?:\w+\.)?symbols?\(",
        DECLARATION,
        advice="as in: space x in [0, 1], time t in [0, 1], unknown u(x, t) : scalar, const k = 0.1",
    ),
    NotationHint(
        "",
        r"^\s*\w+(?:\([\w, ]*\))?\s*(?:->|→)",
        "a limit is not a boundary condition",
        advice="on a bounded domain write: u = 0 on boundary; on R^d no condition at infinity is needed",
    ),
    NotationHint("", r"□", "the d'Alembert operator is not supported", advice="write ∂²u/∂t² - c² Δu"),
    NotationHint(
        "",
        r"^\s*∂(?!Ω|Omega)[^/]*$",
        "a derivative is written on one line",
        advice="as in ∂u/∂t or ∂²u/∂x²: formulas copied from a page lose their fraction bars",
    ),
    # Lines as a whole
    *_rules("equations are not numbered", ("", rf"^\s*\d{{1,3}}[.)]\s+(?={_EQUATION}$)", "")),
    *_rules("formulas are written without $", ("LaTeX", r"^(\s*)\$+\s*([^$]+?)\s*\$+[^$=]*$", r"\1\2")),
    *_rules("formulas are not aligned by &", ("LaTeX", r"\s*&\s*=", " =")),
    *_rules("an equation is written with '='", ("Julia", r"^(?!\s*random\b)([^=~]*)~([^=~]*)$", r"\1=\2")),
    *_rules(
        "functions are defined by 'let'", ("Python", r"^(\s*)def\s+(\w+\([\w, ]*\))\s*:\s*return\s+", r"\1let \2 = ")
    ),
    *_rules(
        "the number of steps is an argument",
        ("", r"^(\s+(?:attack|adversary)\s+)(ifgsm|pgd)-(\d{1,4})\(([^()]+)\)", r"\1\2(\4, steps=\3)"),
    ),
    # Domains
    *_rules(
        INTERVAL,
        (
            "",
            rf"^(\s*(?:space|time)\s+)({_NUMBER})\s*(?:<=?|≤)\s*(\w+)\s*(?:<=?|≤)\s*({_NUMBER})((?:\s+periodic)?)\s*$",
            r"\1\3 in [\2, \4]\5",
        ),
        (
            "",
            rf"^(\s*(?:space|time)\s+)[({{]\s*(\w+)\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[)}}]((?:\s+periodic)?)\s*$",
            r"\1\2 in [\3, \4]\5",
        ),
        (
            "",
            rf"^(\s*(?:space|time)\s+)(\w+)\s*(?:\bin\b|∈|\bfrom\b|=|:)?\s*(?!image)[A-Za-z]*"
            rf"(?:\[(?=[^\[\]]*[\[)])|[({{](?=[^\[\](){{}}]*[)\]}}])|\](?=[^\[\]]*\[))?\s*"
            rf"({_NUMBER})\.?\s*(?:,|:|;|–|to|\.\.+|…)\s*({_NUMBER})\.?\s*[)\]\[}}]?((?:\s+periodic)?)\s*$",
            r"\1\2 in [\3, \4]\5",
        ),
    ),
    *_rules(
        "a space of images is written image(channels, height, width)",
        ("", r"^(\s*space\s+\w+\s+(?:in|∈)\s+)(?!image)[A-Za-z_.]*\((\d+, *\d+, *\d+)\)", r"\1image(\2)"),
    ),
    *_rules(
        INTERVAL,
        ("Julia", rf"^\s*<no time>t\s*∈\s*[A-Za-z]*[(\[]\s*{_PAIR}\s*[)\]]\s*$", r"time t in [\1, \2]"),
        ("Julia", rf"^\s*<no space>(\w+)\s*∈\s*[A-Za-z]*[(\[]\s*{_PAIR}\s*[)\]]\s*$", r"space \1 in [\2, \3]"),
    ),
    *_rules(
        DOMAIN,
        ("DeepXDE", rf"^\s*<no time>\w+\s*=\s*(?:[\w.]*\.)?TimeDomain\({_PAIR}\)\s*$", r"time t in [\1, \2]"),
        ("DeepXDE", rf"^\s*<no space>\w+\s*=\s*(?:[\w.]*\.)?Interval\({_PAIR}\)\s*$", r"space x in [\1, \2]"),
    ),
    *_rules(
        "grid points are chosen by the method; declare the interval",
        ("NumPy, MATLAB", rf"^\s*<no time>t\s*{_SAMPLED}\({_PAIR}\b.*\)\s*;?\s*$", r"time t in [\1, \2]"),
        ("NumPy, MATLAB", rf"^\s*<no space>(\w+)\s*{_SAMPLED}\({_PAIR}\b.*\)\s*;?\s*$", r"space \1 in [\2, \3]"),
    ),
    *_rules(
        DOMAIN,
        ("FEniCS", r"^\s*<no space>\w+\s*=\s*(?:[\w.]*\.)?UnitInterval\w*\(.*\);?\s*$", "space x in [0, 1]"),
        ("FEniCS", r"^\s*<no space>\w+\s*=\s*(?:[\w.]*\.)?UnitSquare\w*\(.*\);?\s*$", "space (x, y) in [0, 1]^2"),
        ("FEniCS", r"^\s*<no space>\w+\s*=\s*(?:[\w.]*\.)?UnitCube\w*\(.*\);?\s*$", "space (x, y, z) in [0, 1]^3"),
        ("FEniCS", rf"{_SPACE_IN}UnitInterval\w*(?:\(.*\))?\s*$", r"\1[0, 1]"),
        ("FEniCS", rf"{_SPACE_IN}UnitSquare\w*(?:\(.*\))?\s*$", r"\1[0, 1]^2"),
        ("FEniCS", rf"{_SPACE_IN}UnitCube\w*(?:\(.*\))?\s*$", r"\1[0, 1]^3"),
        ("", rf"{_SPACE_IN}(?:Rectangle|Rect|Box)\w*\(\W*{_PAIR}\W+?{_PAIR}\W*\)\s*$", r"\1[\2, \4] × [\3, \5]"),
        ("", rf"{_SPACE_IN}(?:UnitDisk|{_DISK}\({_ORIGIN}1(?:\.0)?\s*\))\s*$", r"\1[-1, 1]^2 where <v0>² + <v1>² < 1"),
        ("", rf"{_SPACE_IN}{_DISK}\({_ORIGIN}({_NUMBER})\s*\)\s*$", r"\1[-\2, \2]^2 where <v0>² + <v1>² < \2²"),
    ),
    *_rules(
        "the coordinates of a product of intervals are written in ( )",
        ("", r"^(\s*space\s+)(\w+\s*,\s*\w+)\s+(?:in|∈)\s+(\[[^\[\]]*\])\s*$", r"\1(\2) in \3^2"),
        ("", r"^(\s*space\s+)(\w+\s*,\s*\w+\s*,\s*\w+)\s+(?:in|∈)\s+(\[[^\[\]]*\])\s*$", r"\1(\2) in \3^3"),
        ("", r"^(\s*space\s+)(\w+(?:\s*,\s*\w+)+)(\s+(?:in|∈)\s+.*[×*^²³].*)$", r"\1(\2)\3"),
    ),
    *_rules(
        "a function in two pieces is written with heaviside",
        ("Python", _PIECES.format("<=?"), r"= \4 + (\1 - \4) heaviside(\3 - \2)"),
        ("Python", _PIECES.format(">=?"), r"= \4 + (\1 - \4) heaviside(\2 - \3)"),
    ),
    # Declarations
    *_rules(
        DECLARATION,
        ("Julia", r"^\s*@(?:parameters|constants)\s+(\w+\s*=)", r"const \1"),
        ("SymPy", r"""^\s*(\w+)\s*=\s*(?:\w+\.)?Function\(["']\w*["']\)(\([\w, ]+\))\s*$""", r"unknown \1\2 : scalar"),
    ),
    *_rules(
        "functions are defined by 'let'",
        ("MATLAB", r"^\s*(?:let\s+)?(\w+)\s*=\s*@\(([\w, ]+)\)\s*", r"let \1(\2) = "),
        ("Python", r"^\s*(?:let\s+)?(\w+)\s*=\s*lambda\s+(\w+(?:\s*,\s*\w+)*)\s*:\s*", r"let \1(\2) = "),
    ),
    *_rules(
        "a right-hand side is an expression, not a function",
        ("MATLAB", r"(=\s*+)@\([\w, ]*\)\s*", r"\1"),
        ("Python", r"(=\s*+)lambda\s+<v>(?:\s*,\s*<v>)*\s*:\s*", r"\1"),
        ("Julia", r"(=\s*+)\(?<v>(?:\s*,\s*<v>)*\)?\s*(?:->|↦|=>)\s*", r"\1"),
    ),
    *_rules(
        MATRIX,
        ("MATLAB", rf"\[\s*{_ENTRY}[\s,]+{_ENTRY}\s*;\s*{_ENTRY}[\s,]+{_ENTRY}\s*\]", r"[[\1, \2], [\3, \4]]"),
        ("MATLAB", rf"\[\s*{_ROW}\s*;\s*{_ROW}\s*;\s*{_ROW}\s*\]", r"[[\1, \2, \3], [\4, \5, \6], [\7, \8, \9]]"),
    ),
    *_rules(
        "a vector is written [1, 2]",
        ("MATLAB", rf"\[\s*{_ENTRY}\s*;\s*{_ENTRY}\s*\]", r"[\1, \2]"),
        ("MATLAB", rf"\[\s*{_ENTRY}\s*;\s*{_ENTRY}\s*;\s*{_ENTRY}\s*\]", r"[\1, \2, \3]"),
    ),
    NotationHint("MATLAB", r"\[[^\[\]]*;[^\[\]]*\]", MATRIX, advice="as in [[1, 0], [0, 2]]"),
    # Operators, numbers and functions
    *_rules(
        "products, powers and functions are written without dots",
        ("MATLAB, Julia", r"(?<=[\w)\]\s])\.(?=[*/^+-])", ""),
        ("Julia", r"(?<=[A-Za-z])\.(?=\()", ""),
    ),
    *_rules("numbers are written without separators", ("Python", r"(?<=\d)_(?=\d{3}(?!\d))", "")),
    *_rules(
        "activations, losses and optimizers are written in lower case, without 'nn' or 'optim'",
        *(("PyTorch", rf"(?<![\w.])(?:torch\.)?nn\.{old}\b(?:\(\))?", new) for old, new in _MODULES.items()),
        *(("PyTorch", rf"(?<![\w.])(?:torch\.)?optim\.{old}\b", new) for old, new in _OPTIMIZERS.items()),
        ("PyTorch", r"(?<![\w.])(?:torch\.)?nn\.CrossEntropyLoss\b(?:\(\))?", "cross_entropy"),
    ),
    *_rules(DERIVATIVE, ("PyTorch", r"\b(?:torch\.)?autograd\.grad\(<u>,\s*<x>[^()]*\)", r"∂\1/∂\2")),
    *_rules("functions are named without their library", ("NumPy, PyTorch", rf"(?<![\w.])(?:{_PREFIX})+(?=[a-z])", "")),
    *_rules(
        "functions are written sin(x), exp(x)",
        ("Mathematica", rf"\b({'|'.join(_CAPITALIZED)})\[([^\[\]]*)\]", r"\1(\2)"),
        ("Mathematica", rf"\b({'|'.join(_FUNCTIONS)})\[([^\[\]]*[^\w\[\]][^\[\]]*)\]", r"\1(\2)"),
        *(("Mathematica", rf"\b{old}(?=\()", new) for old, new in _CAPITALIZED.items()),
    ),
    *_rules(
        "arguments are written in ( )", ("Mathematica", r"\b(<f>)\[(?=[^\[\]]*\b<v>\b)([^\[\]]*,[^\[\]]*)\]", r"\1(\2)")
    ),
    *_rules(
        "coordinates have names",
        *(("FEniCS", rf"\bx\[{k}\]", f"<x{k}>") for k in range(3)),
    ),
    # Derivatives
    *_rules(
        DERIVATIVE,
        ("DeepXDE", r"\bd(<f>_<v>+)\b", r"\1"),
        ("", r"\bd([2-4])<u>\s*/\s*d<x>(?:\^|\*\*)\1(?!\w)", r"∂^\1\2/∂\3^\1"),
        ("SymPy", r"\b<u>\.diff\(<x>\)", r"∂\1/∂\2"),
        ("SymPy", r"\b<u>\.diff\(<x>,\s*([2-9])\)", r"∂^\3\1/∂\2^\3"),
        ("SymPy", r"\b<u>\.diff\(<x>,\s*\2\)", r"∂²\1/∂\2²"),
        ("Mathematica", rf"{_DIFF}<u>,\s*[{{(]\s*<x>\s*,\s*([2-9])\s*[}})][\])]", r"∂^\3\1/∂\2^\3"),
        ("Maple", rf"{_DIFF}<u>,\s*<x>\$([2-9])[\])]", r"∂^\3\1/∂\2^\3"),
        ("SymPy", rf"{_DIFF}<u>,\s*<x>,\s*([2-9])[\])]", r"∂^\3\1/∂\2^\3"),
        ("Mathematica", rf"{_HEADS}<u>,\s*<x>,\s*\2[\])]", r"∂²\1/∂\2²"),
        ("Mathematica", rf"{_HEADS}<u>,\s*<x>,\s*<x>[\])]", r"∂²\1/∂\2∂\3"),
        ("Mathematica", rf"{_HEADS}<u>,\s*<x>[\])]", r"∂\1/∂\2"),
        ("Julia, Dedalus", r"\b(?:d_d|[Dd]_?)<x>\1\(<u>\)", r"∂²\2/∂\1²"),
        ("Julia, Dedalus", r"\b(?:d_d|[Dd]_?)<x>\(<u>\)", r"∂\2/∂\1"),
        ("Julia", r"\bDifferential\(<x>\)\^([2-9])\s*\*?\s*\(<u>\)", r"∂^\2\3/∂\1^\2"),
        ("Julia", r"\bDifferential\(<x>\)\s*\*?\s*\(<u>\)", r"∂\2/∂\1"),
        *(
            ("DeepXDE", rf"\bjacobian\(<u>,\s*\w+(?:,\s*i\s*=\s*0)?,\s*j\s*=\s*{k}\)", rf"∂\1/∂<v{k}>")
            for k in range(4)
        ),
        *(("DeepXDE", rf"\bhessian\(<u>,\s*\w+,\s*i\s*=\s*{k},\s*j\s*=\s*{k}\)", rf"∂²\1/∂<v{k}>²") for k in range(4)),
        ("", r"\bpartial\s*\^?\s*([2-9])\s*<u>\s*/\s*\(?\s*partial\s*<x>\s*\^?\s*\1\b\s*\)?", r"∂^\1\2/∂\3^\1"),
        ("", r"\bpartial\s*<u>\s*/\s*partial\s*<x>\b", r"∂\1/∂\2"),
        ("", r"\b(<f>)(?:''|″)\(<v>\)<one variable>", r"∂²\1/∂<v0>²"),
        ("", r"\b(<f>)(?:''|″)<one variable>", r"∂²\1/∂<v0>²"),
        ("", r"\b(<f>)'\(<v>\)<one variable>", r"∂\1/∂<v0>"),
        ("", r"\b(<f>)'<one variable>", r"∂\1/∂<v0>"),
    ),
    *_rules("an adjoint is written Kᵀ or K^T", ("MATLAB", r"\b<K>['′](?!['′(])", r"\1ᵀ")),
    *_rules(
        "the Laplacian is written Δu",
        ("MATLAB", r"\b(?:del2|delsq)\(<u>\)", r"Δ\1"),
        ("Mathematica", r"\bLaplacian\[<u>(?:,\s*\{[^{}]*\})?\]", r"Δ\1"),
    ),
    *_rules("the Laplacian is written Δu or ∇²u", ("", r"∇[ \t]*2(?=\s*[^\W\d]|\s*\()", "∇²")),
    *_rules("the Hessian is written ∇∇u", ("", r"\b[Hh]ess(?:ian)?\(<u>\)", r"∇∇\1")),
    *_rules(
        "a trace of the Hessian is written Δu or A:∇∇u",
        ("", r"\b[Tt]r(?:ace)?\((?:∇∇|D²|D\^2)\s*(\w+)\)", r"Δ\1"),
        ("", r"\b[Tt]r(?:ace)?\((\w+)\s*[*·@]?\s*(?:∇∇|D²|D\^2)\s*(\w+)\)", r"\1:∇∇\2"),
    ),
    *_rules(
        SUM,
        *(
            ("LaTeX", rf"(?:\bsum|[Σ∑])_\{{?{i}(?:\s*=[^}}\s]*)?\}}?(?:\^(?:\{{[^}}]*\}}|\w+))?", f"Σ{s}")
            for i, s in _SUBSCRIPTS.items()
        ),
        *(("LaTeX", rf"^(.*Σ{s}.*[^\W\d_])_{i}(?![A-Za-z_])", rf"\1{s}") for i, s in _SUBSCRIPTS.items()),
    ),
    # Equations and conditions
    *_rules("an equation is written with '='", ("SymPy", r"^\s*Eq\(([^,]*),\s*([^,]*)\)\s*$", r"\1 = \2")),
    *_rules(
        "a boundary condition is an equation",
        (
            "FEniCS, Mathematica",
            r"^\s*Dirichlet(?:BC|Condition)\s*[\[(]\s*<u>\s*==?\s*([^,=]+?)\s*,.*[\])]\s*$",
            r"\1 = \2 on boundary",
        ),
        ("FEniCS", r"^\s*DirichletBC\s*\(\s*<u>\s*,\s*([^,()]+?)\s*(?:,.*)?\)\s*$", r"\1 = \2 on boundary"),
    ),
    NotationHint(
        "",
        r"^(.*=.*[\w)\]²³])(?:\s*,|\s+\.|(?<![0-9])\.)\s*$",
        "a statement ends without punctuation",
        r"\1",
        only_unparsed=True,
    ),
    NotationHint(
        "",
        r"^\s*(?:return\s+)?(?=.*(?:\b<f>_\w|∂\w*/∂|[Δ∇]|\bd\w+/d\w))(?!.*(?:[=<>≤≥:~{}]|\b(?:on|in|for|by|if)\b))(.*\S)\s*$",
        "an equation has two sides",
        r"\1 = 0",
        only_unparsed=True,
    ),
)


# ---- Declared names


_DECLARATION = re.compile(
    r"^[ \t]*(space|time|unknown|let|const|learn)\b[ \t]*([^\n:=#]*)(?::[ \t]*(operator)\b)?", re.MULTILINE
)
_NAME = re.compile(r"[^\W\d]\w*")


class SpecNames(Record):
    """The names that a text declares, by regular expressions: the text may have errors."""

    functions: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()
    time: str | None = None
    operators: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.coordinates, *([self.time] if self.time else ()))


def declared_names(text: str) -> SpecNames:
    functions, operators, names = [], [], set()
    coordinates: tuple[str, ...] = ()
    time = None
    for keyword, declared, operator in _DECLARATION.findall(text):
        words = _NAME.findall(declared.partition(" in ")[0].partition("∈")[0])
        if keyword == "space":
            coordinates = tuple(words)
        elif keyword == "time" and words:
            time = words[0]
        elif words and "(" in declared:
            functions.append(words[0])
        operators += words[:1] if operator else []
        names |= {*words[:1]}
    return SpecNames(tuple(functions), coordinates, time, tuple(operators), frozenset(names | {*coordinates}))


# ---- Rewriting of a line


_STRING = re.compile(r'"[^"]*"')
_QUOTED_NOTATION = re.compile(r"\bFunction\(")  # quotes are part of the notation


@lru_cache(16)
def hint_table(names: SpecNames) -> HintTable:
    """The table of a spec, cached: an editor checks the text after every change."""
    return HintTable(names)


class HintTable:
    """The table with the declared names of a spec in its patterns."""

    def __init__(self, names: SpecNames) -> None:
        self._names = names
        variables = _alternatives(names.variables)
        own = rf"(?:[\[(]\s*{variables}(?:\s*,\s*{variables})*\s*[\])])?"
        self._patterns = {
            "<u>": rf"({_alternatives(names.functions)}){own}",
            "<x>": f"({variables})",
            "<f>": _alternatives(names.functions),
            "<v>": variables,
            "<K>": f"({_alternatives(names.operators)})",
            "<no space>": "(?!)" if names.coordinates else "",
            "<no time>": "(?!)" if names.time else "",
            "<one variable>": "" if len(names.variables) == 1 else "(?!)",
        }
        self._templates = {f"<v{k}>": v for k, v in enumerate(names.variables)}
        self._templates |= {f"<x{k}>": x for k, x in enumerate(names.coordinates) if len(names.coordinates) > 1}

    def rewrite(self, line: str, unparsed: bool = True) -> tuple[NotationHint | None, str]:
        """The first hint that applies to a line, and the line after all replacements."""
        strings = [] if _QUOTED_NOTATION.search(line) else _STRING.findall(line)
        line = _STRING.sub('""', line) if strings else line
        first: NotationHint | None = None
        for hint in HINTS:
            if hint.only_unparsed and not unparsed:
                continue
            changed = self._apply(hint, line)
            if changed is None:
                return hint, ""
            first = first if changed == line or (first and not first.only_unparsed) else hint
            line = changed
        if first is not None:
            line = _tidy(line, self._names)
        texts = iter(strings)
        return first, _STRING.sub(lambda _: next(texts, '""'), line) if strings else line

    @cached_property
    def _compiled(self) -> dict[NotationHint, re.Pattern[str]]:
        return {hint: re.compile(_substitute(hint.pattern, self._patterns)) for hint in HINTS}

    def _apply(self, hint: NotationHint, line: str) -> str | None:
        """The line after a replacement; None if the hint applies and has none."""
        pattern = self._compiled[hint]
        if pattern.search(line) is None:
            return line
        if hint.replacement is None:
            return None
        replacement = _substitute(hint.replacement, self._templates)
        if re.search(r"<\w+>", replacement):  # a variable that the spec does not have
            return line
        for _ in range(MAX_NESTING):
            line = pattern.sub(replacement, line)
        return line


def _alternatives(names: Iterable[str]) -> str:
    """A pattern for one of the names, the longest first; without names it never matches."""
    longest_first = sorted(islice(names, MAX_NAMES), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})"


def _substitute(text: str, values: dict[str, str]) -> str:
    for key, value in values.items():
        text = text.replace(key, value)
    return text


def _tidy(line: str, names: SpecNames) -> str:
    """Orders of derivatives as superscripts, and notation that is accepted but not ours: ==, Pi."""
    line = re.sub(r"(∂[^\W\d]*)\^([2-9])", lambda m: m[1] + superscript(int(m[2])), line)
    line = re.sub(r"(?<![=<>:])==(?!=)", "=", line)
    return line if "Pi" in names.names else re.sub(r"\bPi\b", "pi", line)


# ---- Hints for a text with errors


_LINE = re.compile(r"[^\r\n]+")
_CODE = re.compile(r'(?:"[^"]*"|[^"#])*')
_ASSIGNED = re.compile(r"\s*(?:@\w+ )?([\w, ]+)(?:=|$)")  # `V = …`, `@variables k`
INVALID = errors.syntax.INVALID_SYNTAX.name
_LATEX = re.compile(r"\\[A-Za-z\[\]\\]|\|_")  # reported by the lexer, with a translation


class _Match(Record):
    """A line with its hint; `new` is the line in our notation, if there is one."""

    span: Span
    hint: NotationHint
    old: str
    new: str

    def diagnostics(self) -> Sequence[Diagnostic]:
        if self.hint.replacement is None:
            start = self.span.start + len(self.old) - len(self.old.lstrip())
            return errors.syntax.unsupported_line(
                self.hint.message, self.hint.advice, Span(start, self.span.end)
            ).diagnostics
        return errors.syntax.foreign_notation(self.hint.message, self.old, self.new, self.span).diagnostics


def hints_for(source: Source, diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The errors of a text, those of lines in other notations replaced by hints; names that such a line declares are
    not reported as undeclared. Without a `space`, equations are not elaborated, so that all lines are tried."""
    names = declared_names(normalize_characters(source.text))
    table = hint_table(names)
    failing = {source.position(d.span.start)[0] for d in diagnostics if d.is_error}
    unparsed = {source.position(d.span.start)[0] for d in diagnostics if d.code.startswith("E1")}  # syntax errors
    matches: dict[int, _Match] = {}
    for number, span, line in _code_lines(source):
        if (number in failing or not names.coordinates) and not _LATEX.search(line):
            hint, new = table.rewrite(line, number in unparsed)
            if hint is not None and (new.strip() or hint.replacement is None):
                matches[number] = _Match(span, hint, line, new)
    matches = _parseable(source, matches) if matches else {}
    translated = [edit.new for d in diagnostics if d.code == INVALID for fix in d.fixes for edit in fix.edits]
    if not matches and not translated:
        return tuple(diagnostics)
    declared = declared_names("\n".join([*translated, *(m.new for m in matches.values())]))
    hidden = declared.names | {*declared.variables} | (_assigned_names(matches.values()) - names.names)
    remaining = [d for d in diagnostics if not _is_explained(d, source, matches, hidden, bool(declared.coordinates))]
    return sort_diagnostics([*remaining, *(d for m in matches.values() for d in m.diagnostics())])


def equation_number_warnings(source: Source) -> Iterator[Diagnostic]:
    """Warnings for equations that may carry a number, `Δu = 0 (2.3)`: it is parsed as a factor."""
    names = declared_names(normalize_characters(source.text)).names
    for _, span, line in _code_lines(source):
        new = without_equation_number(line, names)
        if new != line:
            yield errors.syntax.equation_number(new, span)


def without_equation_number(line: str, names: Collection[str]) -> str:
    """`∂u/∂t = Δu   (2.3)` and `(1) ∂u/∂t = Δu` without the number; `sin (2)` is a call."""
    before = re.fullmatch(rf"\s*\(\d{{1,3}}[a-z]?\)\s+({_EQUATION})", line)
    if before:
        return before[1]
    after = re.fullmatch(r"([^#\"]*=[^#\"]*?(\S))\s+\((\d{1,3}(?:\.\d{1,3})*[a-z]?)\)\s*", line)
    if after is None or after[2] in "+-*/^=,·×:(":
        return line
    last = {word.lstrip("Δ") for word in _NAME.findall(after[1])[-1:]}
    return line if after[2].isalpha() and not last & {*names} else after[1]


def _code_lines(source: Source) -> Iterator[tuple[int, Span, str]]:
    """Lines without their comments: number, span and text; '#' in a string does not start a comment."""
    for line in islice(_LINE.finditer(normalize_characters(source.text)), MAX_LINES):
        match = _CODE.match(line[0])
        code = match[0].rstrip() if match else line[0]
        if len(code) <= MAX_LINE_LENGTH:
            yield source.position(line.start())[0], Span(line.start(), line.start() + len(code)), code


def _parseable(source: Source, matches: dict[int, _Match]) -> dict[int, _Match]:
    """The matches without those whose replacement has syntax errors."""
    text = source.text
    for match in reversed(matches.values()):
        new = match.new if match.hint.replacement is not None else ""
        text = text[: match.span.start] + new + text[match.span.end :]
    candidate, reporter = Source(text, source.name), Reporter()
    with reporter.guard():
        parse_syntax(candidate, reporter)
    failing = {candidate.position(d.span.start)[0] for d in reporter.errors}
    return {k: m for k, m in matches.items() if k not in failing or m.hint.replacement is None}


def _assigned_names(matches: Iterable[_Match]) -> set[str]:
    """Names on the left of lines without an equivalent, such as `V = FunctionSpace(…)`."""
    lefts = (_ASSIGNED.match(m.old) for m in matches if m.hint.replacement is None)
    return {name for left in lefts if left for name in _NAME.findall(left[1])}


def _is_explained(
    diagnostic: Diagnostic, source: Source, matches: Collection[int], declared: Collection[str], has_space: bool
) -> bool:
    """Whether an error is on a line with a hint, or follows from one: a name or the space that the line declares."""
    if source.position(diagnostic.span.start)[0] in matches or (
        has_space and diagnostic.code == errors.syntax.MISSING_SPACE.name
    ):
        return True
    quoted = _NAME.findall(source.quote(diagnostic.span)) if diagnostic.code.startswith("E2") else []
    return any(name in declared or name.partition("_")[0] in declared for name in quoted)
