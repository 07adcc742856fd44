"""throughput.py, rates.py and node.py with programs that answer what the test planted: ratios, verdicts, order, refusals."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import node
import rates
import throughput

HERE = pathlib.Path(__file__).resolve().parent
STUDY = {"workload": "unet", "settings": {"size": [256, 256], "local_batch_size": 64, "steps_per_epoch": 150,
                                          "warmup_steps": 50, "device": "cuda"}}
# Both programs: what is asked for goes to CALLS, the answers come from ANSWERS.
PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, sys
words, answers = sys.argv[1:], json.loads(os.environ["ANSWERS"])
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(words) + "\\n")
if answers.get("fails") in words:
    sys.exit("no memory is left")
if words[0] == "run":
    run = pathlib.Path(words[words.index("--out") + 1]) / "runs/one/run.h5"
    run.parent.mkdir(parents=True)
    run.touch()
elif words[0] == "list":
    print(json.dumps(answers["study"]))
elif words[0] == "inspect":
    print(json.dumps({"status": answers["status"], "summary": {"samples_per_s": {"value": answers["scalestudy"]}},
                      "facts": {"libtorch_configuration": {"value": answers["build"]}}}))
else:
    mode = words[words.index("--mode") + 1]
    print("a warning", file=sys.stderr)
    print(json.dumps({"samples_per_s": answers[mode], "device_name": "planted", "torch": "1", "cuda": "2", "cudnn": 3,
                      "configuration": "built for CUDA 2"}))
"""


class Verdicts(unittest.TestCase):
    BARS = {"samples_per_s": 100.0, "eager": 1.05, "compile": 0.97}

    def rows(self, ours, eager, compiled):
        return list(throughput.rows_of({"scalestudy": ours, "eager": eager, "compile": compiled}, self.BARS))

    def passed(self, *found):
        return [row[-1] for row in self.rows(*found)]

    def test_ratios_are_of_pairs_not_of_medians(self):
        row = self.rows([100, 200, 400], [100, 100, 800], [100, 100, 100])[1]
        self.assertEqual(row[:3], ("PyTorch eager", 100, "1.000 (0.500–2.000)"))

    def test_what_reaches_its_bar_passes(self):
        self.assertEqual(self.passed([105, 105, 105], [100, 100, 100], [105, 105, 105]), [True, True, True])
        self.assertEqual(self.passed([100.0] * 3, [50.0] * 3, [50.0] * 3), [True, True, True])

    def test_each_bar_is_missed_on_its_own(self):
        self.assertEqual(self.passed([99.9] * 3, [50] * 3, [50] * 3), [False, True, True])
        self.assertEqual(self.passed([200] * 3, [191] * 3, [50] * 3), [True, False, True])
        self.assertEqual(self.passed([200] * 3, [50] * 3, [207] * 3), [True, True, False])

    def test_equal_programs_are_no_gain(self):
        self.assertEqual(self.passed([200] * 3, [200] * 3, [200] * 3), [True, False, True])

    def test_one_bad_round_does_not_decide(self):
        self.assertEqual(self.passed([200, 200, 20], [150] * 3, [150] * 3), [True, True, True])

    def test_without_a_bar_there_is_no_verdict(self):
        found = {"scalestudy": [1.0], "eager": [2.0], "compile": [2.0]}
        self.assertEqual([row[-1] for row in throughput.rows_of(found, {})], [None] * 3)

    def test_a_round_that_misses_a_program_is_an_error(self):
        with self.assertRaises(ValueError):
            self.rows([1, 2], [1], [1, 2])

    def test_shares(self):
        found = rates.shares(0.5, {"flop_per_step": 3e12, "bytes_per_step": 1e9}, 12e12, 4e9)
        self.assertEqual(found, {"matrix_frac": 0.5, "copy_frac": 0.5})


class Rounds(unittest.TestCase):
    def run_case(self, **answers):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            program = place / "program"
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(0o755)
            answers = {"study": STUDY, "status": "complete", "scalestudy": 110, "eager": 100, "compile": 100,
                       "build": "built for CUDA 2"} | answers
            done = subprocess.run(
                [sys.executable, "-B", HERE / "throughput.py", "unet-bf16", "--driver", program, "--python", program,
                 "--out", place / "out"], text=True, capture_output=True,
                env=os.environ | {"ANSWERS": json.dumps(answers), "CALLS": str(place / "calls")})
            self.calls = [json.loads(line) for line in (place / "calls").read_text().splitlines()]
            self.written = {file.name: file.read_text(encoding="utf-8") for file in place.glob("out/*")}
            return done

    def test_seven_rounds_every_other_one_reversed(self):
        done = self.run_case()
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {"run": "ours", "eager": "eager", "compile": "compile"}
        order = [names[word] for call in self.calls for word in call if word in names]
        there = ["ours", "eager", "compile"]
        self.assertEqual(order, (there + there[::-1]) * 3 + there)

    def test_all_do_the_same_work(self):
        self.run_case()
        peer = next(call for call in self.calls if "--mode" in call)
        self.assertEqual(peer[1:], ["--workload", "unet", "--precision", "bf16", "--batch", "64", "--steps", "100",
                                    "--warmup", "50", "--device", "cuda", "--mode", "eager", "--size", "256", "256"])
        ours = next(call for call in self.calls if call[0] == "run")
        self.assertEqual(ours[1], "gpu-acceptance-unet")
        self.assertIn('axes.precision=["bf16"]', ours)

    def test_the_table_names_device_ratios_and_verdicts(self):
        done = self.run_case()
        table = self.written["throughput-unet-bf16.md"]
        self.assertIn(table, done.stdout)
        self.assertIn("unet, bf16, batch 64 of 256 × 256: planted", table)
        self.assertIn("| PyTorch eager | 100.0 | 1.100 (1.100–1.100) | ≥ 1.05 | passed |", table)
        self.assertEqual(json.loads(self.written["throughput-unet-bf16.json"])["samples_per_s"]["eager"], [100] * 7)

    def test_a_missed_bar_fails_and_is_written(self):
        self.assertEqual(self.run_case(eager=106).returncode, 1)
        self.assertIn("| ≥ 1.05 | MISSED |", self.written["throughput-unet-bf16.md"])
        self.assertIn("| ≥ 0.97 | passed |", self.written["throughput-unet-bf16.md"])

    def test_a_run_that_is_not_complete_does_not_count(self):
        done = self.run_case(status="diverged")
        self.assertEqual((done.returncode, self.written), (1, {}))
        self.assertIn("is diverged", done.stderr)

    def test_another_build_of_pytorch_is_no_peer(self):
        done = self.run_case(build="built for CUDA 1")
        self.assertEqual((done.returncode, self.written), (1, {}))
        self.assertIn("another build than ours", done.stderr)

    def test_a_program_that_fails_is_quoted(self):
        for fails in ("run", "eager"):
            done = self.run_case(fails=fails)
            self.assertEqual((done.returncode, self.written), (1, {}))
            self.assertIn("no memory is left", done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_without_a_compiler_the_other_arms_count(self):
        done = self.run_case(fails="compile")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.written["throughput-unet-bf16.md"]
        self.assertIn("| PyTorch eager | 100.0 | 1.100 (1.100–1.100) | ≥ 1.05 | passed |", table)
        self.assertNotIn("| PyTorch compile", table)
        self.assertIn("torch.compile cannot be tried here: no memory is left", table)
        self.assertEqual(sum("compile" in call for call in self.calls), 1)


class SharedGpu(unittest.TestCase):
    def test_losses_are_means_over_ranks_by_weight(self):
        rows = [{"run_id": run, "rank": rank, "step": step, "loss": loss, "loss_weight": weight}
                for run, rank, step, loss, weight in (("a", 0, 0, 3, 1), ("a", 0, 1, 5, 2), ("b", 0, 0, 2, 1), ("b", 0, 1, 4, 1),
                                                      ("b", 1, 1, 7, 3), ("b", 1, 0, None, 0))]
        self.assertEqual(node.losses(rows), {"a": [3, 5], "b": [2, 6.25]})


class AllReduce(unittest.TestCase):
    # all_reduce_perf of nccl-tests 2.13: out of place, then in place.
    ANSWER = """# nThread 1 nGpus 2 minBytes 16777216 maxBytes 67108864 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
    16777216       4194304     float     sum      -1    150.1  111.78  111.78      0    149.0  112.60  112.60      0
    67108864      16777216     float     sum      -1    500.0  134.22  134.22      0    499.0  134.49  134.49      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 123.27
"""

    def test_the_bus_bandwidth_in_place_is_taken(self):
        found = {size: round(rate * 1e-9, 2) for size, rate in node.bus_bandwidths(self.ANSWER).items()}
        self.assertEqual(found, {16777216: 112.60, 67108864: 134.49})

    def passed(self, *ratios):
        rounds = [{size: ratio * 1e9 for size in node.SIZES_BYTES} for ratio in ratios]
        return [row[-1] for row in node.compared(rounds, [dict.fromkeys(node.SIZES_BYTES, 1e9)] * len(ratios))]

    def test_seven_per_cent_either_way_pass(self):
        for ratio, passed in ((0.92, False), (0.94, True), (1.06, True), (1.08, False)):
            self.assertEqual(self.passed(ratio, ratio, ratio), [passed] * 3, ratio)

    def test_one_bad_round_does_not_decide(self):
        self.assertEqual(self.passed(1.0, 1.0, 0.5), [True] * 3)


if __name__ == "__main__":
    unittest.main()
