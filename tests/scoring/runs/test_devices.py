"""A worker on a device that is not there says so and stops."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
from django.utils import timezone

from evalapp.work.models import WorkerBeat
from scoring import pulse
from scoring.management import supervisor
from scoring.runs import devices
from tests.scoring.processes import environment


@pytest.fixture(autouse=True)
def _all_visible(monkeypatch):
    monkeypatch.delenv(devices.VISIBLE, raising=False)


def problem(name: str, gpus: int = 2, mps: bool = False) -> str:
    return devices.problem(name, gpus=lambda: gpus, mps=lambda: mps)


@pytest.mark.parametrize("name", ["auto", "cpu", "cuda", "cuda:0", "cuda:1"])
def test_what_is_there_is_no_problem(name):
    assert problem(name) == ""


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "CUDA", "", "cuda:1 "])
def test_what_is_no_device_is_told_with_what_is(name):
    assert "expected auto, cpu, mps, cuda or cuda:NUMBER" in problem(name)


@pytest.mark.parametrize(
    ("name", "gpus", "said"),
    [
        ("cuda:2", 2, "sees 2 GPUs. Set one of cuda:0 to cuda:1."),
        ("cuda:1", 1, "sees one GPU. Set DEVICE=cuda:0."),
        ("cuda", 0, "torch finds no GPU here"),
        ("mps", 2, "no Apple GPU"),
    ],
)
def test_what_is_not_there_is_told_with_what_is_there(name, gpus, said):
    assert said in problem(name, gpus)


def test_numbers_count_only_the_gpus_that_are_shown(monkeypatch):
    monkeypatch.setenv(devices.VISIBLE, "3")
    assert "CUDA_VISIBLE_DEVICES is '3'" in problem("cuda:3", 1)


@pytest.mark.parametrize("name", ["auto", "cpu", "gpu"])
def test_torch_is_not_imported_where_no_gpu_was_asked_for(name):
    devices.problem(name, gpus=lambda: pytest.fail("asked"))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_on_no_device_ends_with_a_sentence(tmp_path):
    env = {**environment(tmp_path), "DEVICE": "cuda:97"}
    found = subprocess.run(
        supervisor.worker_command(),
        env=env,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert found.returncode == devices.NOT_THERE
    assert found.stderr.count("DEVICE=cuda:97: ") == 1
    assert "Traceback" not in found.stderr


class Cuda:
    """As `torch.cuda` of a process that has loaded something on its second GPU."""

    loaded = True

    def is_available(self):
        return True

    def is_initialized(self):
        return self.loaded

    def device_count(self):
        return 2

    def memory_reserved(self, number):
        return number * 2**30

    def mem_get_info(self, number):
        assert number == 1  # asking the other one would take memory of it
        return 50 * 2**30, 80 * 2**30


class TestMemory:
    @pytest.fixture
    def cuda(self, monkeypatch):
        cuda = Cuda()
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
        return cuda

    def test_it_tells_how_full_those_are_that_are_used(self, cuda):
        found = devices.memory("auto")
        assert found == ((("cuda:1", 30 * 2**30, 80 * 2**30),), "")

    def test_a_gpu_that_is_not_used_is_not_asked(self, cuda):
        cuda.loaded = False
        assert devices.memory("cuda:1") == ((), devices.UNUSED)

    def test_nothing_is_imported_for_it(self, monkeypatch):
        monkeypatch.delitem(sys.modules, "torch", raising=False)
        assert devices.memory("auto") == ((), devices.UNUSED)
        assert "torch" not in sys.modules

    def test_a_worker_without_one_says_why(self, cuda):
        assert devices.memory("cpu").why_none == "DEVICE is cpu"
        cuda.is_available = lambda: False
        assert devices.memory("auto").why_none == "torch finds no GPU here"

    def test_a_gpu_that_broke_ends_no_sign_of_life(self, cuda):
        def broken(number):
            raise RuntimeError("CUDA error: " + 200 * "x")

        cuda.mem_get_info = broken
        said = devices.memory("auto").why_none
        assert said.startswith("the GPU does not answer: CUDA") and len(said) == 100

    @pytest.mark.django_db
    def test_each_sign_of_life_tells_it(self, cuda, settings):
        settings.DEVICE = "auto"
        pulse.once(owner="lab/7/x", now=timezone.now())
        beat = WorkerBeat.objects.get()
        told = {"device": "cuda:1", "used": 30 * 2**30, "total": 80 * 2**30}
        assert (beat.gpus, beat.no_gpu) == ([told], "")
