"""E614: networks of the user's own, `torch("package.module:Name")`."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.mistakes.code import Code
from pdedsl.mistakes.networks import MISFIT
from pdedsl.mistakes.words import VALUE

IMPORTED = Code("E614", "a network of your own is not trusted, cannot be imported, or does not fit the equation")
GIVE_MAPS = 'name the class of its residual maps, as in torch("package.module:Name", maps="Block")'


# ---- how it is written


def not_a_path(span: Span) -> PdeError:
    message = "a network of your own is named by its module and its class, with a colon between them"
    return VALUE.error(message, span, 'as in torch("package.module:Name")')


def not_a_python_name(name: str, span: Span) -> PdeError:
    return VALUE.error(f"'{name}' cannot be the name of an argument in Python", span)


def hidden_module(name: str, span: Span) -> PdeError:
    message = f"a module called '{name}' would be hidden by a file of the compiled package"
    return MISFIT.error(message, span, "give your module another name")


def random_maps(span: Span) -> PdeError:
    message = "the residual maps of a network of your own cannot be dropped or shared"
    return MISFIT.error(message, span, "write them so in your module, or use resnet")


# ---- importing it


def not_trusted(span: Span) -> PdeError:
    message = "this names code of your own, which may do anything: it is imported only if you trust it"
    return IMPORTED.error(message, span, "if you do, give --trust; in a script, the argument trust")


def not_imported(what: str, span: Span) -> PdeError:
    """`what` happened, in Python's words or ours."""
    return IMPORTED.error(what, span)


def not_found(module: str, span: Span) -> PdeError:
    hint = "work in the folder that holds it, install it, or add its folder to PYTHONPATH"
    return IMPORTED.error(f"Python finds no module '{module}'", span, hint)


def no_maps(problem: str, span: Span) -> PdeError:
    """Noise stands behind residual maps, and these were not found."""
    return IMPORTED.error(problem, span, GIVE_MAPS)
