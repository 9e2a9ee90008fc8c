"""E70x, E72x: specs that cannot be trained or solved, and missing or invalid data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code, join_comma

MISSING_TRAIN_BLOCK = Code("E701", "the spec has no `train` block")
MISSING_DATA = Code("E702", "the `train` block has no data")
IMAGE_AUGMENTATION = Code("E703", "an image augmentation cannot be applied to points")
NOTHING_TO_TRAIN = Code("E704", "only classifiers can be trained on data")
NOTHING_TO_SOLVE = Code("E706", "only equations on a physical domain can be solved")
EMPTY_SCHEDULE = Code("E705", "a step schedule needs `at` or `every`")
MISSING_VALIDATION = Code("E708", "a selection of weights needs validation samples, or an adversary")
MISSING_SWEEP = Code("E707", "the spec has no `sweep` block")


missing_train_block = MISSING_TRAIN_BLOCK.at("this spec has no 'train' block", "add: train { data moons }")
missing_data = MISSING_DATA.at("this 'train' block has no data", "add: data moons")
image_augmentation = IMAGE_AUGMENTATION.of(
    "{augmentation} needs images, found points", "available for points: gaussian(std)"
)
selection_without_validation = MISSING_VALIDATION.at(
    "the selection of weights needs validation samples", "add a fraction to the data set, as validation=0.1"
)
selection_without_adversary = MISSING_VALIDATION.at(
    "select robust attacks the validation samples by the adversary of the training, but there is none",
    "add: adversary pgd(eps=…), or write: select validation",
)
nothing_to_train = NOTHING_TO_TRAIN.of(
    "nothing to train: '{unknown}' is not a class probability",
    "declare the unknown as simplex(k); for an equation without learned parts: pdedsl crosscheck SPEC",
)
solved_not_trained = NOTHING_TO_TRAIN.at(
    "this is a problem on a physical domain: it is solved, not trained on data", "run: pdedsl solve SPEC -o RUN"
)
trained_not_solved = NOTHING_TO_SOLVE.at(
    "only equations on a physical domain can be solved",
    "on data or pixels: pdedsl train SPEC -o RUN; on R^d without learned parts: pdedsl crosscheck SPEC",
)
missing_sweep = MISSING_SWEEP.at(
    "this spec has no 'sweep' block", "add: sweep { train.seed in 0..4 }, or use --seeds 5"
)
empty_schedule = EMPTY_SCHEDULE.at("a step schedule needs at or every", "add at=[…] or every=…")


# ---- Data (E72x): the location is the `data` entry of the spec


DATA_FILE_NOT_FOUND = Code("E720", "data file not found")
INVALID_ARRAYS = Code("E721", "data file with missing or invalid arrays")
NOT_DOWNLOADED = Code("E722", "the files of a public data set are missing and cannot be downloaded")
CORRUPT = Code("E723", "the files of a public data set are corrupt, or belong to another data set")
SAMPLE_SHAPE = Code("E724", "the sample shape and the input shape of the model differ")
CLASS_COUNT = Code("E725", "the number of classes of data and model differ")
TOO_FEW_SAMPLES = Code("E726", "not enough samples")
VALIDATION = Code("E727", "the validation fraction leaves no samples for training or validation")

Shape = tuple[int, ...]


# ---- NumPy files


def data_file_not_found(name: str, tried: Sequence[str], span: Span) -> PdeError:
    return DATA_FILE_NOT_FOUND(f"data file {name} not found", span, f"searched: {join_comma(tried)}")


not_npz = INVALID_ARRAYS.of("{file} is not an npz file (numpy.savez)")
unknown_data_dimension = INVALID_ARRAYS.of(
    "cannot infer the dimension of the space: {file} contains no array x or x_train",
    "specify the dimension, as in R^2, or save x and y with numpy.savez",
)


def unexpected_arrays(
    file: str, arrays: Sequence[str], expected: str, span: Span, intended: Mapping[str, str] | None = None
) -> PdeError:
    """`intended` maps the expected names to the arrays that were probably intended."""
    held_text = join_comma(arrays) or "nothing"
    again = f'; save as: np.savez("{file}", {join_comma(f"{k}={v}" for k, v in intended.items())})' if intended else ""
    return INVALID_ARRAYS(f"{file} contains {held_text}", span, f"expected: {expected}{again}")


def labels_from_one(file: str, limit: int, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"the labels in {file} run from 1 to {limit}", span, "labels must start at 0: save y - 1")


def unreadable_array(name: str, file: str, span: Span) -> PdeError:
    message = f"cannot read {name} in {file}: it is corrupt, or has object dtype"
    return INVALID_ARRAYS(message, span, "save numeric arrays")


def array_too_large(name: str, file: str, size: int, span: Span) -> PdeError:
    message = f"{name} in {file} would decompress to {size / 2**30:.0f} GB"
    return INVALID_ARRAYS(message, span, "save it without compression, with numpy.savez")


single_sample = INVALID_ARRAYS.at("a single sample cannot be split into training and test data")


def sample_count_mismatch(x: str, samples: int, y: str, labels: int, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"{x} has {samples} samples and {y} has {labels} labels", span)


def invalid_sample_shape(name: str, shape: Shape, span: Span) -> PdeError:
    hint = "expected: points (n, d), or images (n, h, w), (n, c, h, w) or (n, h, w, c)"
    return INVALID_ARRAYS(f"{name} has shape {shape}", span, hint)


def invalid_observation_shape(name: str, shape: Shape, columns: int, span: Span) -> PdeError:
    expected = "(n,)" if columns == 1 else f"(n, {columns})"
    return INVALID_ARRAYS(f"{name} has shape {shape}", span, f"expected: {expected}, one row per observation")


def invalid_dtype(name: str, dtype: object, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"{name} has dtype {dtype}", span, "expected: uint8 or float32")


def not_finite(name: str, sample: int, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"{name} has a NaN or infinite value in sample {sample}", span)


def observation_outside_domain(sample: int, coordinate: str, value: float, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"observation {sample} is outside the domain: {coordinate} = {value:g}", span)


def values_too_large(name: str, limit: float, span: Span) -> PdeError:
    return INVALID_ARRAYS(
        f"{name} has values of magnitude above {limit:g}".replace("e+", "e"), span, "rescale the data"
    )


def invalid_labels(name: str, shape: Shape, dtype: object, span: Span) -> PdeError:
    single = f"; if these are one-hot, save {name}.argmax(1)" if len(shape) == 2 else ""
    hint = f"expected: one integer label per sample, starting at 0{single}"
    return INVALID_ARRAYS(f"{name} has shape {shape} and dtype {dtype}", span, hint)


def label_out_of_range(name: str, label: object, limit: int, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"label {label} in {name} is out of range", span, f"labels must be from 0 to {limit}")


def train_test_mismatch(train: str, test: str, span: Span) -> PdeError:
    return INVALID_ARRAYS(f"x_train and x_test have different sample shapes: {train} and {test}", span)


# ---- Public data sets


def download_failed(
    name: str, root: object, problem: str, site: str, files: Sequence[str], arrays: Sequence[str], span: Span
) -> PdeError:
    """The files are not in the folder `root`, and `problem` prevents the download."""
    hint = f"download from {site} into that folder: {join_comma(files)}; or save {name}.npz with {join_comma(arrays)}"
    return NOT_DOWNLOADED(f"the files of {name} are not in {root}: {problem}", span, hint)


def corrupt_files(name: str, root: object, problem: object, span: Span) -> PdeError:
    message = f"the files of {name} in {root} are corrupt: {problem}"
    return CORRUPT(message, span, "delete them and download them again")


def other_data_set(path: object, classes: int, shape: Shape, expected: tuple[int, Shape], span: Span) -> PdeError:
    message = f"{path} has {classes} classes and samples of shape {shape}"
    return CORRUPT(message, span, f"expected: {expected[0]} classes and samples of shape {expected[1]}")


# ---- Compatibility with the model


def sample_shape_mismatch(name: str, found: Shape, model: Shape, span: Span) -> PdeError:
    message = f"the samples of {name} are {_samples(found)}; the model takes {_samples(model)}"
    return SAMPLE_SHAPE(message, span, _fitting_space(found))


def _samples(shape: Shape) -> str:
    return f"points of R^{shape[0]}" if len(shape) == 1 else f"images {'x'.join(map(str, shape))}"


def _fitting_space(shape: Shape) -> str:
    if len(shape) == 1:
        return f"use space x in R^{shape[0]}"
    image = f"image({join_comma(map(str, shape))})"
    return f"use space x in {image} or x in R^{prod(shape)}; on pixels: network {{ input {image} }}"


def class_count_mismatch(name: str, found: int, model: int, span: Span) -> PdeError:
    message = f"{name} has {found} classes; the model has {model}"
    return CLASS_COUNT(message, span, f"use a model with {found} classes")


def too_few_samples(name: str, key: str, samples: int, expected: int, span: Span) -> PdeError:
    message = f"{name} has only {samples} samples for {key}, requested {expected}"
    return TOO_FEW_SAMPLES(message, span, f"{key} must be at most {samples}")


def empty_split(fraction: float, samples: int, validates: bool, span: Span) -> PdeError:
    """`validates` if all samples would be used for validation."""
    left = "no training samples" if validates else "no validation samples"
    return VALIDATION(f"validation={fraction:g} of {samples} samples leaves {left}", span)


# ---- Values on a grid


def invalid_grid(file: str, reason: str, span: Span) -> PdeError:
    hint = (
        "save a one-dimensional array for each coordinate and the values on their grid, as in np.savez(file, x=x, u=u)"
    )
    return INVALID_ARRAYS(f"{file}: {reason}", span, hint)


def grid_too_small(
    file: str, name: str, found: tuple[float, float], needed: tuple[float, float], span: Span
) -> PdeError:
    message = f"{file}: '{name}' covers [{found[0]:g}, {found[1]:g}] only, not [{needed[0]:g}, {needed[1]:g}]"
    return INVALID_ARRAYS(message, span, "values are interpolated, not extrapolated: enlarge the grid of the file")
