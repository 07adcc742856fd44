"""The summary of compare_ddp.py from planted raw files: ratios, intervals, verdicts, refusals, the order of arms; and that of
paired_steps.py from planted runs."""
import argparse
import ast
import contextlib
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
PEERS = BENCHMARKS / "peers"
sys.path += [str(PEERS), str(BENCHMARKS / "campaigns")]
import compare_ddp
import ddp_summary
import paired
import paired_steps

CAMPAIGN = {"what": "campaign", "cpu_model": "planted", "cores": 2, "short": False}


def run(number, arm, step_s, network="resnet50", layout="1x2", memory=1e9, **more):
    """Its median step is step_s, its mean is not."""
    return {"what": "run", "round": number, "network": network, "layout": layout, "arm": arm,
            "step_s": [step_s, step_s, 9 * step_s], "peak_memory_bytes": [memory / 2, memory]} | more


def rounds(arm, times_s, **more):
    return [run(number, arm, step_s, **more) for number, step_s in enumerate(times_s, 1)]


class Intervals(unittest.TestCase):
    def test_ranks_of_the_order_statistics(self):
        """As tables of the binomial distribution have them."""
        for n, place in ((6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (17, 5), (20, 6), (25, 8)):
            self.assertEqual(paired.median_interval(range(1, n + 1)), (place, n + 1 - place), n)
            outside = sum(math.comb(n, k) for k in range(place)) / 2 ** (n - 1)
            self.assertLessEqual(outside, 0.05)
            self.assertGreater(outside + math.comb(n, place) / 2 ** (n - 1), 0.05)

    def test_below_six_values_there_is_none(self):
        self.assertIsNone(paired.median_interval([1, 2, 3, 4, 5]))
        self.assertEqual(paired.verdict(None, 0.5), "undecided")

    def test_order_does_not_matter_and_one_outlier_neither(self):
        self.assertEqual(paired.median_interval([5, 900, 3, 4, 1, 7, 6, 2, 8]), (2, 8))

    def test_verdicts(self):
        self.assertEqual([paired.verdict(interval, 1.45) for interval in ((1.45, 1.6), (1.44, 1.6), (1.3, 1.45), (1.3, 1.44))],
                         ["met", "undecided", "undecided", "missed"])


class Summaries(unittest.TestCase):
    OURS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]

    def rows(self, *lines, campaign=CAMPAIGN):
        return {row[2]: row for case in ddp_summary.cases_of([campaign, *lines]) for row in case.rows()}

    def row(self, ratios, arm="default", **more):
        theirs = [ours * ratio for ours, ratio in zip(self.OURS, ratios)]
        return self.rows(*rounds("ours", self.OURS, **more), *rounds(arm, theirs, **more))[f"DDP {arm}"]

    def test_ratios_are_of_rounds_not_of_medians(self):
        row = self.row([1.5, 1.6, 1.4, 1.9, 1.7, 1.3, 1.8, 1.2, 1.1])
        self.assertEqual(row[3:7], ("7800", "1.500 (1.200–1.800)", "≥ 1.45", "undecided"))

    def test_a_bar_is_met_by_the_lower_limit(self):
        self.assertEqual(self.row([1.0] + [1.451] * 8)[6], "met")
        self.assertEqual(self.row([1.0, 1.0] + [1.6] * 7)[6], "undecided")

    def test_a_bar_is_missed_by_the_upper_limit(self):
        self.assertEqual(self.row([1.449] * 8 + [9])[6], "missed")
        self.assertEqual(self.row([1.2] * 7 + [1.6, 1.7])[6], "undecided")

    def test_each_network_layout_and_arm_has_its_bar(self):
        for (network, layout), bars in ddp_summary.BARS.items():
            for arm, bar in bars.items():
                for less, expected in ((0.049, "met"), (0.051, "missed")):
                    row = self.row([bar - less] * 9, arm, network=network, layout=layout)
                    self.assertEqual((row[0], row[1], row[5], row[6]), (network, layout, f"≥ {bar - ddp_summary.SLACK:.2f}", expected))

    def test_compile_is_shown_and_not_judged(self):
        self.assertEqual(self.row([0.5] * 9, "compile")[4:7], ("0.500 (0.500–0.500)", "", ""))

    def test_few_rounds_give_a_range_and_no_verdict(self):
        self.assertEqual(self.row([2.0, 3.0, 4.0])[4:7], ("3.000 (range 2.000–4.000)", "≥ 1.45", "undecided"))

    def test_a_round_without_ours_does_not_count(self):
        rows = self.rows(*rounds("ours", [1.0] * 8), *rounds("default", [2.0] * 8 + [99.0]))
        self.assertEqual(rows["DDP default"][4], "2.000 (2.000–2.000)")

    def test_memory_is_of_the_rank_that_has_most(self):
        for theirs, expected in ((0.92e9, "met"), (0.90e9, "missed")):
            rows = self.rows(*rounds("ours", self.OURS), *rounds("same", self.OURS, memory=theirs, memory_before_bytes=[2e8, 3e8]))
            self.assertEqual(rows["DDP same"][7:11], (f"{theirs / 1e6:.0f} (300)", f"{theirs / 1e9:.3f} ({theirs / 1e9:.3f}–"
                                                      f"{theirs / 1e9:.3f})", "≥ 0.91", expected))

    def test_the_share_of_sgemm_is_of_all_ranks_and_of_the_same_round(self):
        lines = [{"what": "operations", "network": "unet", "flop_per_step": 5e9},
                 *rounds("ours", [0.1, 0.2], network="unet", layout="2x1"),
                 *[run(number, arm, 0.4, "unet", "2x1", matrix_flop_per_s=rate) for number, arm, rate in
                   ((1, "default", 150e9), (1, "same", 200e9), (2, "default", 100e9), (2, "same", 50e9))]]
        rows = self.rows(*lines)
        self.assertEqual([rows[arm][11] for arm in ("ours", "DDP same")], ["50 %", "19 %"])
        self.assertEqual(self.rows(*rounds("ours", [1.0]))["ours"][11], "")

    def test_a_short_trial_is_not_judged(self):
        rows = self.rows(*rounds("ours", self.OURS), *rounds("same", self.OURS), campaign=CAMPAIGN | {"short": True})
        self.assertEqual(rows["DDP same"][5:7] + rows["DDP same"][9:11], ("", "", "", ""))

    def test_phases_and_disturbances_are_told(self):
        lines = rounds("ours", [0.5, 0.5], phases_s={"forward_s": 0.2, "backward_s": 0.3}, memory_format="contiguous")
        lines[1]["labels"] = ["busy_machine"]
        [case] = ddp_summary.cases_of([CAMPAIGN, *lines])
        self.assertEqual(case.phases(), "- resnet50 1x2: our step, ms: forward 200, backward 300; 1 of 2 of our runs disturbed by "
                                        "other programs; memory formats: ours contiguous")


class Arms(unittest.TestCase):
    def arms(self, compile_rounds):
        campaign = compare_ddp.Campaign.__new__(compare_ddp.Campaign)
        campaign.arguments = argparse.Namespace(compile_rounds=compile_rounds)
        return [campaign.arms(number) for number in range(1, 10)]

    def test_each_arm_is_as_often_first_second_and_last(self):
        for place in range(3):
            there = [arms[place] for arms in self.arms(0)]
            self.assertEqual([there.count(arm) for arm in ("ours", "default", "same")], [3, 3, 3])

    def test_compile_is_in_the_first_rounds_only(self):
        self.assertEqual(["compile" in arms for arms in self.arms(2)], [True] * 2 + [False] * 7)
        self.assertTrue(all(len(set(arms)) == len(arms) for arms in self.arms(2)))


class Files(unittest.TestCase):
    LINES = [CAMPAIGN, *rounds("ours", [1.0] * 9), *rounds("default", [2.0] * 9)]

    def summarise(self, text):
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place, "raw.jsonl")
            file.write_text(text, encoding="utf-8")
            return self.compare("--summarise", file)

    def compare(self, *words):
        return subprocess.run([sys.executable, "-B", PEERS / "compare_ddp.py", *words], text=True, capture_output=True)

    def test_a_summary_comes_from_the_file_alone(self):
        done = self.summarise("".join(json.dumps(line) + "\n" for line in self.LINES))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("planted, 2 cores", done.stdout)
        self.assertIn("| resnet50 | 1x2 | DDP default | 2000 | 2.000 (2.000–2.000) | ≥ 1.45 | met |", done.stdout)

    def test_damaged_files_are_refused_with_their_line(self):
        good = [json.dumps(line) for line in self.LINES]
        nameless = json.dumps({key: value for key, value in run(1, "ours", 1.0).items() if key != "arm"})
        for wrong in ("{", "[]", "7", "{}", nameless, json.dumps(run(1, "ours", 0.0)), json.dumps(run(1, "tuned", 1.0)),
                      json.dumps(run(1, "ours", 1.0, layout="8x8")), json.dumps(run(1, "ours", 1.0) | {"step_s": []}), good[1]):
            done = self.summarise("\n".join([*good, wrong]))
            self.assertEqual((done.returncode, done.stdout), (2, ""), wrong)
            self.assertIn(f"raw.jsonl:{len(good) + 1} ", done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_files_without_a_campaign_are_refused(self):
        for text in ("", json.dumps(CAMPAIGN), json.dumps(self.LINES[1])):
            self.assertEqual(self.summarise(text).returncode, 2)
        self.assertEqual(self.compare("--summarise", "/nonexistent/raw.jsonl").returncode, 2)

    def test_wrong_usage(self):
        for words in (("--networks", "vgg"), ("--layouts", "1x2,1x2"), ("--rounds", "0"), ("--steps", "none"), ("--speed",)):
            self.assertEqual(self.compare(*words).returncode, 2, words)

    def test_what_is_missing_is_named(self):
        done = self.compare("--python", "/nonexistent/python")
        self.assertEqual(done.returncode, 4)
        self.assertIn("environments/setup.sh --gpu", done.stderr)
        done = self.compare("--python", sys.executable, "--scalestudy", "/nonexistent/scalestudy")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no /nonexistent/scalestudy", done.stderr)


class Pairs(unittest.TestCase):
    """Of strong_scaling.sh and bf16.sh."""

    def planted(self, repeat, ranks, step_s, backward_s, psnr_db=30.0):
        phases_s = dict.fromkeys(paired.PHASES, 0.0) | {"backward_s": backward_s}
        return {"resolved": {"repeat": repeat, "ranks": ranks}, "step_s": [step_s, step_s, 9.0], "phases_s": phases_s, "labels": [],
                "summary": {"psnr_db": psnr_db}, "input_psnr_db": 28.0}

    def told(self, tell, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            tell(*arguments)
        return out.getvalue()

    def pairs(self, ratio):
        return [(self.planted(repeat, 1, ratio * second_s, 0.6), self.planted(repeat, 2, second_s, 0.4))
                for repeat, second_s in enumerate((0.5, 0.6, 0.7, 0.8, 0.5, 0.6))]

    def test_steps(self):
        for ratio, expected in ((1.7, "met"), (1.5, "missed")):
            told = self.told(paired_steps.tell_steps, self.pairs(ratio), ("1", "2"), 1.6)
            self.assertIn(f"ratio {ratio:.3f} ({ratio:.3f}–{ratio:.3f}), bar 1.60: {expected}", told)
        self.assertIn(": undecided", self.told(paired_steps.tell_steps, self.pairs(1.7)[:5], ("1", "2"), 1.6))

    def test_phases_beyond_the_share(self):
        self.assertIn("backward\t600.0\t400.0\t+100.0", self.told(paired_steps.tell_phases, self.pairs(1.5), ("1", "2"), 0.5))

    def test_what_one_rank_alone_takes_bounds_the_ratio(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place, "runs/0")
            folder.mkdir(parents=True)
            (folder / "run.h5").touch()
            with unittest.mock.patch.object(paired_steps, "read_run", return_value={"step_s": [0.4]}):
                told = self.told(paired_steps.tell_most, [({"step_s": [0.6]}, {"step_s": [0.5]})], pathlib.Path(place))
            self.assertIn("0.4000 s; the ratio could be 1.50", told)
            with self.assertRaises(paired.Failed):
                paired_steps.tell_most([], folder)

    def test_psnr(self):
        for differences, expected in (((0.01, -0.01, 0.02), "met"), ((0.09, -0.09, 0.05), "undecided"), ((0.01, 0.01), "undecided"),
                                      ((0.007, 0.067, -0.195), "undecided"), ((0.2, 0.22, 0.21), "missed"),
                                      ((-0.2, -0.22, -0.21), "missed")):
            pairs = [(self.planted(0, 1, 1, 1, 30.0), self.planted(0, 1, 1, 1, 30.0 + each)) for each in differences]
            self.assertIn(f": {expected}\n", self.told(paired_steps.tell_psnr, pairs, ("fp32", "bf16"), 0.1))
        self.assertIn("mean -0.040 dB (95 % interval -0.38 to +0.30), margin 0.1: undecided", self.told(
            paired_steps.tell_psnr, [(self.planted(0, 1, 1, 1, 30.0), self.planted(0, 1, 1, 1, 30.0 + each))
                                     for each in (0.007, 0.067, -0.195)], ("fp32", "bf16"), 0.1))

    def test_untrained_models_are_not_compared(self):
        for one, other in ((30.0, 27.9), (28.0, 28.0)):
            pairs = [(self.planted(0, 1, 1, 1, one), self.planted(0, 1, 1, 1, other))] * 3
            self.assertIn(": undecided, ", self.told(paired_steps.tell_psnr, pairs, ("fp32", "bf16"), 5.0))

    def test_runs_that_make_no_pairs_are_refused(self):
        first, second = self.planted(0, 1, 1, 1), self.planted(0, 2, 1, 1)
        for runs in ([], [first], [first, second, self.planted(1, 2, 1, 1)], [first, second, second]):
            with tempfile.TemporaryDirectory() as place, unittest.mock.patch.object(paired_steps, "read_run", side_effect=runs):
                for number in range(len(runs)):
                    pathlib.Path(place, f"runs/{number}").mkdir(parents=True)
                    pathlib.Path(place, f"runs/{number}/run.h5").touch()
                with self.assertRaises(paired.Failed):
                    paired_steps.read_pairs(pathlib.Path(place), paired_steps.VALUE_OF["ranks"], ("1", "2"))


class Imports(unittest.TestCase):
    """Programs that need PyTorch are not started here."""

    def test_what_peers_take_from_each_other_is_there(self):
        trees = {file.stem: ast.parse(file.read_text(encoding="utf-8")) for file in PEERS.glob("*.py")}
        for name, tree in trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module in trees:
                    for taken in node.names:
                        self.assertIn(taken.name, self.names_of(trees[node.module]), f"{name}.py imports it from {node.module}")

    @staticmethod
    def names_of(tree):
        assigned = {target.id for node in tree.body if isinstance(node, ast.Assign) for each in node.targets
                    for target in ast.walk(each) if isinstance(target, ast.Name)}
        imported = {alias.asname or alias.name for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))
                    for alias in node.names}
        return assigned | imported | {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


if __name__ == "__main__":
    unittest.main()
