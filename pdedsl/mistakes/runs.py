"""E70x: what a spec lacks to be trained."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.mistakes.code import Code

NO_TRAIN = Code("E701", "a spec to be trained has no `train` block")
NO_DATA = Code("E702", "a `train` block has no data")
FOR_IMAGES = Code("E703", "an augmentation of images is asked for points")
NOTHING_TO_TRAIN = Code("E704", "the unknown of a spec to be trained is not a class probability")
NOTHING_TO_SOLVE = Code("E706", "a spec to be solved is not on a physical domain")
NO_STEPS = Code("E705", "a schedule of steps says neither `at` nor `every`")


def no_train_block(span: Span) -> PdeError:
    return NO_TRAIN.error("this spec has no 'train' block", span, "add: train { data moons }")


def no_data(span: Span) -> PdeError:
    return NO_DATA.error("this 'train' block has no data", span, "add: data moons")


def for_images(augmentation: str, span: Span) -> PdeError:
    return FOR_IMAGES.error(f"{augmentation} is for images, not for points", span, "points take gaussian(std)")


def nothing_to_train(unknown: str, span: Span) -> PdeError:
    message = f"'{unknown}' is not a class probability, so there is nothing to train"
    hint = "train a spec whose unknown is a simplex(k); where nothing is learned: pdedsl crosscheck SPEC"
    return NOTHING_TO_TRAIN.error(message, span, hint)


def solved_not_trained(span: Span) -> PdeError:
    message = "an equation on a physical domain is solved, not trained on data"
    return NOTHING_TO_TRAIN.error(message, span, "run: pdedsl solve SPEC -o RUN")


def trained_not_solved(span: Span) -> PdeError:
    message = "only an equation on a physical domain is solved"
    hint = "on data or pixels: pdedsl train SPEC -o RUN; on R^d, where nothing is learned: pdedsl crosscheck SPEC"
    return NOTHING_TO_SOLVE.error(message, span, hint)


def schedule_without_steps(span: Span) -> PdeError:
    return NO_STEPS.error("this schedule has no steps", span, "add at=[…] or every=…")
