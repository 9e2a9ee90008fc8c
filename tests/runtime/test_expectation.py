"""Averages over draws and members, and that a model with noise is an ordinary module."""

from __future__ import annotations

import copy
import io
import math
import pickle

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.backbones import convnet, mlp, resnet
from pdedsl.runtime.rng import frozen_noise, streams
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import CorrelatedNoise, GaussianNoise, LaplaceNoise, RelativeNoise


def member(depth: int = 2, std: float = 0.5) -> nn.Sequential:
    return mlp(8, depth, (3,), 4, activation="tanh").network(lambda layer: GaussianNoise(std, seed=layer))


def inputs(n: int = 5, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(0), dtype=dtype)


def image_model(**options: int) -> Expectation:
    members = [convnet(4, 2, (3, 8, 8), 4).network(lambda layer: RelativeNoise(0.3, seed=layer)) for _ in range(2)]
    return Expectation(members, seed=1, **options)


def probabilities_by_hand(model: Expectation, x: Tensor, samples: int) -> Tensor:
    total = torch.zeros(len(x), 4)
    for part, weight in zip(model.members, model.weights(), strict=True):
        for k in range(samples):
            for stream in streams(part):
                stream.first = k
            total += weight * part(x).softmax(-1) / samples
            for stream in streams(part):
                stream.first = 0
    return total


@pytest.mark.parametrize("rows", [1, 7, 10, 256])
def test_probabilities_are_averaged(rows: int) -> None:
    model = Expectation([member(), member(3)], seed=2, eval_samples=6, rows=rows, weights="learned").eval()
    assert model.weight_logits is not None
    nn.init.normal_(model.weight_logits, generator=torch.Generator().manual_seed(3))
    x = inputs()
    with frozen_noise(model):
        torch.testing.assert_close(model(x).softmax(-1), probabilities_by_hand(model, x, 6))
    torch.testing.assert_close(model(x).exp().sum(-1), torch.ones(5))


def test_logits_by_option() -> None:
    model = Expectation([member(), member()], seed=2, average="logits").eval()
    other = Expectation(model.members, seed=2).eval()
    for source in streams(model):
        source.frozen = True
    expected = (model.members[0](inputs()) + model.members[1](inputs())) / 2
    torch.testing.assert_close(model(inputs()), expected)
    assert not torch.allclose(other(inputs()).softmax(-1), expected.softmax(-1))


def test_large_scores_do_not_overflow() -> None:
    model = Expectation([nn.Linear(3, 4), nn.Linear(3, 4)], seed=0)
    scores = model(1e4 * inputs())
    scores.sum().backward()
    assert scores.isfinite().all()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_samples_in_evaluation_differ_from_training() -> None:
    model = Expectation([member()], seed=0)
    model(inputs())
    assert model.eval_samples is None
    with frozen_noise(model):
        one = model.eval()(inputs())
        model.eval_samples = 64
        many = model(inputs())
        model.samples = 64
        model.eval_samples = None
        assert torch.equal(model(inputs()), many)
    assert not torch.allclose(one, many)


def test_training_samples_are_independent_copies_of_the_batch() -> None:
    model = Expectation([member()], seed=0, samples=3)
    assert model(inputs()).shape == (5, 4)
    assert [stream.state[1].item() for stream in streams(model)] == [1, 1]


def test_the_mean_converges_to_the_integral() -> None:
    """E σ(s·ξ) at 0 for a two-class linear head: ½ by symmetry; 4,000 draws, within 4.9 standard errors."""
    head = nn.Linear(1, 2, bias=False)
    nn.init.constant_(head.weight[:1], 1.0)
    nn.init.constant_(head.weight[1:], -1.0)
    model = Expectation([nn.Sequential(GaussianNoise(1.0, seed=0), head)], seed=5, eval_samples=4000).eval()
    error = 0.5 / math.sqrt(4000)  # a number in [0, 1] has a standard deviation of at most ½
    assert abs(model(torch.zeros(1, 1)).exp()[0, 0] - 0.5) < 4.9 * error


def test_learned_weights_are_normalised_and_learn() -> None:
    model = Expectation([member(2), member(4)], seed=0, weights="learned")
    model(inputs())[:, 0].sum().backward()
    assert model.weight_logits is not None
    assert model.weight_logits.grad is not None
    assert model.weight_logits.grad.abs().sum() > 0
    assert float(model.weights().detach().sum()) == pytest.approx(1.0)


def test_members_trained_apart_are_integrated_with_their_own_streams() -> None:
    apart = [Expectation([member()], seed=0) for _ in range(2)]
    together = Expectation([m for model in apart for m in model.members], seed=0)
    seeds = [stream.state[0].item() for stream in streams(together)]
    assert len(set(seeds)) == 4
    assert sum(p.numel() for p in together.parameters()) == 2 * sum(p.numel() for p in apart[0].parameters())


@pytest.mark.parametrize("average", ["probabilities", "logits"])
def test_each_member_by_itself(average: str) -> None:
    """`each` has the scores of every member over its own draws, and their weighted mean is the model."""
    model = Expectation([member(), member(3)], seed=2, eval_samples=4, average=average).eval().double()
    x = inputs(dtype=torch.float64)
    with frozen_noise(model):
        each = model.each(x)
        assert each.shape == (2, 5, 4)
        mean = each.exp().mean(0).log() if average == "probabilities" else each.mean(0)
        torch.testing.assert_close(model(x), mean, rtol=1e-12, atol=1e-12)
        assert torch.autograd.gradcheck(model.each, x[:1].requires_grad_())


def test_no_members_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least one member"):
        Expectation([], seed=0)


@pytest.mark.parametrize("eval_samples", [1, 5])
def test_a_frozen_output_does_not_depend_on_its_batch(eval_samples: int) -> None:
    model = image_model(eval_samples=eval_samples).eval().double()
    x = torch.randn(7, 3, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    with frozen_noise(model):
        together = model(x)
        assert torch.equal(model(x), together)
        torch.testing.assert_close(torch.cat([model(row) for row in x.split(1)]), together, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(model(x.flip(0)).flip(0), together, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("eval_samples", [1, 5])
def test_every_call_has_new_noise(eval_samples: int) -> None:
    """Rows with the same input differ, as do two calls; the results do not depend on the chunks of samples."""
    model, x = image_model(eval_samples=eval_samples).eval(), torch.ones(6, 3, 8, 8)
    other = copy.deepcopy(model)
    other.rows = 7
    first, second = model(x), model(x)
    assert len(first.unique(dim=0)) == 6
    assert not torch.allclose(first, second)
    torch.testing.assert_close(other(x), first)
    torch.testing.assert_close(other(x), second)


@pytest.mark.parametrize("training", [True, False])
def test_meta_device(training: bool) -> None:
    model = image_model(samples=2).train(training).to("meta")
    scores = model(torch.empty(3, 3, 8, 8, device="meta"))
    scores.sum().backward()
    assert scores.shape == (3, 4)
    assert all(p.grad is not None for p in model.parameters())


def test_gradcheck() -> None:
    model = Expectation([member(), member()], seed=0, samples=2, weights="learned").eval().double()
    x = inputs(2, torch.float64).requires_grad_()
    with frozen_noise(model):
        assert torch.autograd.gradcheck(model, x)
        assert torch.autograd.gradgradcheck(model, x)


def test_a_resumed_run_continues_exactly() -> None:
    def step(model: nn.Module, optimizer: torch.optim.Optimizer) -> float:
        loss = nn.functional.cross_entropy(model(inputs()), torch.arange(5) % 4)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    model = Expectation([member(), member()], seed=0)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    step(model, optimizer)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    expected = [step(model, optimizer) for _ in range(3)]
    file.seek(0)
    other = Expectation([member(), member()], seed=77)
    other.load_state_dict(torch.load(file, weights_only=True))
    again = torch.optim.SGD(other.parameters(), 0.1)
    assert [step(other, again) for _ in range(3)] == expected


def test_deepcopy_and_pickle() -> None:
    model = image_model(eval_samples=3).eval()
    x = torch.ones(2, 3, 8, 8)
    twins = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    expected = model(x)
    assert all(torch.equal(twin(x), expected) for twin in twins)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.filterwarnings("ignore")  # torch's own
def test_compile_without_graph_breaks(training: bool) -> None:
    """The `aot_eager` backend: everything but code generation, which takes half a minute when its cache is cold."""
    kinds = [
        nn.Sequential(nn.Linear(3, 4), noise, nn.Linear(4, 4))
        for noise in (LaplaceNoise(0.1, seed=0), RelativeNoise(0.1, seed=0), CorrelatedNoise(torch.eye(4), seed=0))
    ]
    model = Expectation(kinds, seed=0, samples=2).train(training)
    plain = copy.deepcopy(model)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    for _ in range(3):
        torch.testing.assert_close(compiled(inputs()), plain(inputs()))
    assert [s.state.tolist() for s in streams(model)] == [s.state.tolist() for s in streams(plain)]


@pytest.mark.filterwarnings("ignore")
def test_export_in_evaluation_with_any_batch_size() -> None:
    model = image_model(eval_samples=3).eval()
    x = torch.randn(5, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    program = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for batch in (x, x, x[:2]):
        torch.testing.assert_close(loaded(batch), model(batch))


@pytest.mark.filterwarnings("ignore")  # torch.func imports torch.jit.script
def test_functional_transforms() -> None:
    model = Expectation([member()], seed=0).eval()
    for source in streams(model):
        source.frozen = True
    _, tangent = torch.func.jvp(model, (inputs(),), (torch.ones(5, 3),))
    jacobian = torch.func.vmap(torch.func.jacrev(lambda x: model(x.unsqueeze(0)).squeeze(0)))(inputs())
    torch.testing.assert_close(jacobian.sum(-1), tangent)


def test_five_members_of_resnet20() -> None:
    model = Expectation([resnet(20).network(lambda layer: RelativeNoise(0.1, seed=layer)) for _ in range(5)], seed=0)
    assert sum(p.numel() for p in model.parameters()) == 1_361_410
    assert len({int(stream.state[0]) for stream in streams(model)}) == 45
