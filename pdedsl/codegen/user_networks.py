"""Import of user networks, `torch("module.Class")`: the only place that runs user code, with the user's permission."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from pdedsl import errors
from pdedsl.codegen.learned_fields import user_module_node
from pdedsl.codegen.program import Program, compile_node
from pdedsl.config.base import Located
from pdedsl.config.networks import Network, Torch
from pdedsl.diagnostics import Span
from pdedsl.ir.plan import BaseNetwork, DataPlan, Model, ResidualBlocks, TimeConditioned
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector

EMPTY_PROGRAM = Program("", ())


def import_user_networks(spec: Spec, model: Model, trust: bool) -> Spec:
    """The spec with the residual blocks of user networks counted, if noise follows them; unchanged without such."""
    own = [w.net for w in spec.learned if w.net is not None and isinstance(w.net.config, Torch)]
    if not own:
        return spec
    if not trust:
        raise errors.networks.not_trusted(own[0].span)
    counted = tuple(replace(w, net=_count_residual_blocks(w.net, model)) for w in spec.learned)
    for learned in counted:
        _check_field(learned, spec, model)
    return replace(spec, learned=counted)


def _check_field(learned: Learned, spec: Spec, model: Model) -> None:
    """A vector field on points must take them, and the time if it depends on it, and return vectors."""
    net = learned.net
    if net is None or not isinstance(net.config, Torch) or not isinstance(model, DataPlan) or model.image is not None:
        return
    if not isinstance(learned.type, Vector):
        return
    from pdedsl.runtime.user_modules import UserField

    timed = spec.time is not None and spec.time.symbol in learned.arguments
    try:
        UserField(
            compile_node(user_module_node(net.config), EMPTY_PROGRAM)({}),
            model.dimension,
            learned.type.size or model.dimension,
            timed,
        )
    except Exception as error:  # user code may raise anything
        inputs = f"points{' and times' * timed}"
        what = f"{_failure_text(net.config, error)}; '{learned.name}' must map {inputs} to vectors"
        raise errors.networks.import_failed(what, net.span) from error


def _count_residual_blocks(chosen: Located[Network] | None, model: Model) -> Located[Network] | None:
    if chosen is None or not isinstance(chosen.config, Torch):
        return chosen
    _import(chosen.config, chosen.span)
    noisy = isinstance(model, DataPlan) and any(
        isinstance(p, ResidualBlocks) and p.net == chosen.config and p.noise is not None for p in model.parts
    )
    if not noisy:
        _check_logits(chosen.config, chosen.span, model)
        return replace(chosen, config=replace(chosen.config, residual_blocks=0))
    assert isinstance(model, DataPlan)
    assert model.classes is not None
    from pdedsl.runtime.user_modules import NoResidualBlocks, user_backbone

    shape = model.image or (model.dimension,)
    try:
        module = compile_node(user_module_node(chosen.config), EMPTY_PROGRAM)({})
        count = len(user_backbone(module, shape, model.classes, residual_blocks=chosen.config.maps).residual_blocks)
    except NoResidualBlocks as error:
        raise errors.networks.no_residual_blocks(str(error), chosen.span) from None
    except Exception as error:  # user code may raise anything
        raise errors.networks.import_failed(_failure_text(chosen.config, error), chosen.span) from error
    return replace(chosen, config=replace(chosen.config, residual_blocks=count))


def _check_logits(net: Torch, span: Span, model: Model) -> None:
    """A network on images must take their channels, and that of the time where it depends on it, and return logits."""
    if not isinstance(model, DataPlan) or model.image is None or model.classes is None:
        return
    from pdedsl.runtime.user_modules import user_backbone

    nets = (p for p in model.parts if isinstance(p, BaseNetwork | TimeConditioned | ResidualBlocks))
    for part in (p for p in nets if p.net == net):
        time = isinstance(part, TimeConditioned)
        try:
            module = compile_node(user_module_node(net), EMPTY_PROGRAM)({})
            user_backbone(module, model.image, model.classes, time=time)
        except Exception as error:  # user code may raise anything
            channels, *size = model.image
            inputs = f"images of shape {(channels + time, *size)}{', with the time as the last channel,' * time}"
            what = f"{_failure_text(net, error)}; it must map {inputs} to {model.classes} logits"
            raise errors.networks.import_failed(what, span) from error


def _import(net: Torch, span: Span) -> None:
    path, name = net.path
    try:
        module = import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            raise errors.networks.module_not_found(path, span) from None
        raise errors.networks.import_failed(_failure_text(net, error), span) from error
    except Exception as error:  # user code may raise anything
        raise errors.networks.import_failed(_failure_text(net, error), span) from error
    if not callable(getattr(module, name, None)):
        raise errors.networks.import_failed(f"the module '{path}' has no class or function '{name}'", span)


def _failure_text(net: Torch, error: Exception) -> str:
    """The message of our own checks, or the Python error."""
    from pdedsl.runtime.user_modules import IncompatibleNetwork

    message = str(error).strip().split("\n")[0]
    if isinstance(error, IncompatibleNetwork):
        return message
    return f"'{net.network}' fails: {type(error).__name__}: {message}"
