"""record_profile.py without PyTorch: a planted module stands in for what it uses of it."""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "workloads" / "replay" / "record_profile.py"


class Tensor:
    def __init__(self, *shape):
        self.shape = shape


torch = types.ModuleType("torch")
torch.__version__ = "planted"
torch.Tensor = Tensor
torch.distributed = types.SimpleNamespace(is_available=lambda: False)
torch.is_grad_enabled = lambda: True
torch.is_autocast_enabled = lambda _: False
torch.get_num_threads = lambda: 1
torch.channels_last, torch.channels_last_3d = "channels_last", "channels_last_3d"
sys.modules["torch"] = torch
sys.path.insert(0, str(SCRIPT.parent))
from record_profile import record_profile


class Hooks:
    """Something that hooks are registered at."""

    def __init__(self):
        self.hooks = {}

    def register(self, kind, hook):
        self.hooks[kind] = hook
        return types.SimpleNamespace(remove=lambda: self.hooks.pop(kind))

    def __getattr__(self, name):
        if not name.startswith("register_"):
            raise AttributeError(name)
        return lambda hook, **_: self.register(name.removeprefix("register_").removesuffix("_hook"), hook)


class Parameter(Hooks):
    requires_grad = True
    device = types.SimpleNamespace(type="cpu")

    def __init__(self, count, itemsize=4):
        super().__init__()
        self.numel = lambda: count
        self.dtype = types.SimpleNamespace(itemsize=itemsize)

    def dim(self):
        return 1


class Training(Hooks):
    """Model and optimiser in one; gradients come from the last parameter to the first."""

    def __init__(self):
        super().__init__()
        self.parameters = {"first": Parameter(10), "last": Parameter(3)}

    def named_parameters(self):
        return self.parameters.items()

    def forward(self, *inputs, **keywords):
        self.hooks["forward_pre"](self, inputs, keywords)
        self.hooks["forward"](self)

    def backward(self):
        for parameter in reversed(self.parameters.values()):
            parameter.hooks["post_accumulate_grad"](parameter)

    def update(self):
        self.hooks["step_post"](self)

    def step(self, *inputs, **keywords):
        self.forward(*inputs, **keywords)
        self.backward()
        self.update()


def record(file, steps, *inputs, batch_size=None, **keywords):
    training = Training()
    with record_profile(training, training, file, batch_size=batch_size):
        for _ in range(steps):
            training.step(*(inputs if inputs or keywords else [Tensor(8, 3)]), **keywords)


class RecordedProfiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "profile.json"

    def test_25_steps_make_one(self):
        record(self.file, 25)
        profile = json.loads(self.file.read_text(encoding="utf-8"))
        self.assertEqual((profile["local_batch_size"], profile["origin"]["steps"]), (8, 20))
        self.assertEqual([(one["name"], one["element_count"]) for one in profile["parameters"]], [("last", 3), ("first", 10)])

    def recorded(self, train, training=None):
        """The profile of what `train` does with a training in each of 25 steps."""
        training = training or Training()
        with record_profile(training, training, self.file) as profile:
            for step in range(25):
                train(training, profile, step)
        return json.loads(self.file.read_text(encoding="utf-8"))

    def test_the_batch_is_found_wherever_it_is_handed_over(self):
        batch = Tensor(6, 3)
        for inputs, keywords in [((batch,), {}), ((), {"input_ids": batch}), (({"images": [batch, Tensor(2)]},), {}),
                                 ((0.5, Tensor(), [None, (batch,)]), {})]:
            record(self.file, 25, *inputs, **keywords)
            self.assertEqual(json.loads(self.file.read_text(encoding="utf-8"))["local_batch_size"], 6)

    def test_a_batch_that_no_tensor_tells_is_asked_for(self):
        with self.assertRaisesRegex(RuntimeError, "give batch_size="):
            record(self.file, 25, "a text")
        record(self.file, 25, "a text", batch_size=3)
        self.assertEqual(json.loads(self.file.read_text(encoding="utf-8"))["local_batch_size"], 3)

    def test_a_step_without_its_update_does_not_count(self):
        def train(training, _, step):
            if step % 10 == 0:  # a GradScaler found an infinite gradient
                training.forward(Tensor(8))
                training.backward()
            training.step(Tensor(8))
        self.assertEqual(self.recorded(train)["origin"]["steps"], 20)

    def test_accumulation_is_refused(self):
        def train(training, _, _step):
            training.forward(Tensor(8))
            training.backward()
            training.step(Tensor(8))
        with self.assertRaisesRegex(RuntimeError, "25 forward passes without an update; record without accumulation"):
            self.recorded(train)

    def test_a_backward_pass_beside_the_steps_is_none_of_theirs(self):
        def train(training, _, _step):
            training.step(Tensor(8))
            training.backward()
        self.assertEqual(self.recorded(train)["origin"]["steps"], 20)

    def test_updates_without_backward_passes_are_named(self):
        def train(training, _, _step):
            training.forward(Tensor(8))
            training.update()
        with self.assertRaisesRegex(RuntimeError, "25 updates without a forward and backward pass"):
            self.recorded(train)

    def test_a_frozen_network_has_nothing_to_record(self):
        training = Training()
        for parameter in training.parameters.values():
            parameter.requires_grad = False
        with self.assertRaisesRegex(RuntimeError, "no parameter of the model needs a gradient"):
            self.recorded(Training.step, training)

    def test_only_what_a_profile_has_is_timed(self):
        def train(training, profile, _):
            with profile.timed("eval"):
                pass
        with self.assertRaisesRegex(ValueError, 'time "evaluation" or "checkpoint"'):
            self.recorded(train)

    def test_elements_of_several_sizes_count_as_the_bytes_they_have(self):
        training = Training()
        training.parameters["half"] = Parameter(5, itemsize=2)
        profile = self.recorded(lambda trained, *_: trained.step(Tensor(8)), training)
        self.assertEqual((profile["element_bytes"], [one["element_count"] for one in profile["parameters"]]), (2, [5, 6, 20]))

    def test_fewer_steps_leave_the_one_that_was_there(self):
        self.file.write_text("of an earlier training", encoding="utf-8")
        with self.assertRaisesRegex(RuntimeError, "24 steps are too few; train 25 or more"):
            record(self.file, 24)
        self.assertEqual(self.file.read_text(encoding="utf-8"), "of an earlier training")
        self.assertEqual(list(self.file.parent.iterdir()), [self.file])

    def test_what_cannot_be_written_leaves_nothing_behind(self):
        self.file.mkdir()
        with self.assertRaises(OSError):
            record(self.file, 25)
        self.assertEqual(list(self.file.parent.iterdir()), [self.file])

    def test_help_is_printed_without_pytorch(self):
        asked = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertIn("with record_profile(model, optimizer", asked.stdout)
        self.assertEqual(subprocess.run([sys.executable, SCRIPT], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
