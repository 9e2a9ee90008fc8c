"""E70x: what a spec lacks to be trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code, all_of, one_of

# ---- runs


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


# ---- data
# E72x: data that are missing, damaged, or do not fit the model. Each points at the `data` entry of the spec.


NO_FILE = Code("E720", "a file of data does not exist")
CONTENTS = Code("E721", "a file of data does not hold what it should")
NOT_THERE = Code("E722", "the files of a public data set are missing and cannot be downloaded")
DAMAGED = Code("E723", "the files of a public data set are damaged, or hold something else")
SHAPE = Code("E724", "the samples do not have the shape that the model takes")
CLASSES = Code("E725", "the data and the model differ in their number of classes")
FEW = Code("E726", "more samples are asked for than there are")
VALIDATION = Code("E727", "the validation share leaves nothing to train or to validate with")

Shape = tuple[int, ...]


# ---- files of one's own


def no_file(name: str, tried: Sequence[str], span: Span) -> PdeError:
    return NO_FILE.error(f"there is no file {name}", span, f"looked for at {one_of(tried)}")


def not_npz(file: str, span: Span) -> PdeError:
    return CONTENTS.error(f"{file} was not written by numpy's savez", span)


def no_shape(file: str, span: Span) -> PdeError:
    message = f"{file} does not tell the dimension of the space: it holds no samples x or x_train"
    return CONTENTS.error(message, span, "give the dimension, as in R^2, or save x and y by numpy's savez")


def other_arrays(
    file: str, held: Sequence[str], wanted: str, span: Span, meant: Mapping[str, str] | None = None
) -> PdeError:
    """`meant` are the arrays that are probably those which are wanted, by the names that they should have."""
    held_text = all_of(held) or "nothing"
    again = f'; save them again: np.savez("{file}", {all_of(f"{k}={v}" for k, v in meant.items())})' if meant else ""
    return CONTENTS.error(f"{file} holds {held_text}", span, f"expected: {wanted}{again}")


def counted_from_one(file: str, most: int, span: Span) -> PdeError:
    return CONTENTS.error(f"the labels in {file} run from 1 to {most}", span, "count classes from 0: save y - 1")


def unreadable_array(name: str, file: str, span: Span) -> PdeError:
    message = f"{name} in {file} cannot be read: it is damaged, or holds objects instead of numbers"
    return CONTENTS.error(message, span, "save arrays of numbers")


def too_large(name: str, file: str, size: int, span: Span) -> PdeError:
    message = f"{name} in {file} would unpack to {size / 2**30:.0f} GB"
    return CONTENTS.error(message, span, "save it without compression, by numpy's savez")


def single_sample(span: Span) -> PdeError:
    return CONTENTS.error("a single sample cannot be divided into training and test samples", span)


def counts_differ(x: str, samples: int, y: str, labels: int, span: Span) -> PdeError:
    return CONTENTS.error(f"{x} has {samples} samples and {y} has {labels} labels", span)


def not_samples(name: str, shape: Shape, span: Span) -> PdeError:
    hint = "expected: points (n, d), or images (n, h, w), (n, c, h, w) or (n, h, w, c)"
    return CONTENTS.error(f"{name} has shape {shape}", span, hint)


def not_measurements(name: str, shape: Shape, columns: int, span: Span) -> PdeError:
    wanted = "(n,)" if columns == 1 else f"(n, {columns})"
    return CONTENTS.error(f"{name} has shape {shape}", span, f"expected: {wanted}, a row for each measurement")


def not_numbers(name: str, dtype: object, span: Span) -> PdeError:
    return CONTENTS.error(f"{name} holds {dtype}", span, "save bytes (uint8) or real numbers (float32)")


def not_finite(name: str, sample: int, span: Span) -> PdeError:
    return CONTENTS.error(f"{name} holds a value that is not a finite number, in sample {sample}", span)


def measured_outside(sample: int, coordinate: str, value: float, span: Span) -> PdeError:
    return CONTENTS.error(f"measurement {sample} is outside the domain: {coordinate} = {value:g}", span)


def huge_values(name: str, most: float, span: Span) -> PdeError:
    return CONTENTS.error(f"{name} holds values beyond {most:g}".replace("e+", "e"), span, "scale them")


def not_labels(name: str, shape: Shape, dtype: object, span: Span) -> PdeError:
    single = f"; if these are one-hot, save {name}.argmax(1)" if len(shape) == 2 else ""
    hint = f"expected: one whole number for each sample, its class counted from 0{single}"
    return CONTENTS.error(f"{name} has shape {shape} and holds {dtype}", span, hint)


def label_out_of_range(name: str, label: object, most: int, span: Span) -> PdeError:
    return CONTENTS.error(f"{name} holds the label {label}", span, f"labels are counted from 0, up to {most} at most")


def halves_differ(train: str, test: str, span: Span) -> PdeError:
    return CONTENTS.error(f"x_train and x_test differ: samples of {train} and of {test}", span)


# ---- public sets


def cannot_be_downloaded(
    name: str, root: object, problem: str, site: str, files: Sequence[str], arrays: Sequence[str], span: Span
) -> PdeError:
    """The files are not in the folder `root`, and `problem` keeps them from coming there."""
    hint = f"get them from {site}, and put into that folder: {all_of(files)}; or {name}.npz with {all_of(arrays)}"
    return NOT_THERE.error(f"the files of {name} are not in {root}, and {problem}", span, hint)


def damaged(name: str, root: object, problem: object, span: Span) -> PdeError:
    message = f"the files of {name} in {root} are damaged: {problem}"
    return DAMAGED.error(message, span, "delete them and get them again")


def another_set(path: object, classes: int, shape: Shape, expected: tuple[int, Shape], span: Span) -> PdeError:
    message = f"{path} holds {classes} classes of samples {shape}"
    return DAMAGED.error(message, span, f"expected: {expected[0]} classes of {expected[1]}")


# ---- against the model


def shape_differs(name: str, found: Shape, model: Shape, span: Span) -> PdeError:
    message = f"the samples of {name} are {_samples(found)}; the model takes {_samples(model)}"
    return SHAPE.error(message, span, _fitting_space(found))


def _samples(shape: Shape) -> str:
    return f"points of R^{shape[0]}" if len(shape) == 1 else f"images {'x'.join(map(str, shape))}"


def _fitting_space(shape: Shape) -> str:
    if len(shape) == 1:
        return f"a space x in R^{shape[0]} fits"
    image = f"image({all_of(map(str, shape))})"
    return f"a space x in {image}, or x in R^{prod(shape)}, fits; on pixels it is the network's input {image}"


def classes_differ(name: str, found: int, model: int, span: Span) -> PdeError:
    message = f"{name} has {found} classes; the model has {model}"
    return CLASSES.error(message, span, f"a model of {found} classes fits")


def too_few_samples(name: str, key: str, there: int, wanted: int, span: Span) -> PdeError:
    message = f"{name} has {there} samples for {key}, not {wanted}"
    return FEW.error(message, span, f"{key} is at most {there}")


def nothing_left(share: float, samples: int, validates: bool, span: Span) -> PdeError:
    """`validates` if all samples would be set aside for validation."""
    left = "nothing to train with" if validates else "nothing to validate with"
    return VALIDATION.error(f"validation={share:g} of {samples} samples leaves {left}", span)
