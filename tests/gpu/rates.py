"""How much of what the device can do the workloads' steps reach.

The device's rates are measured by benchmarks/peers/device_rates.py: products of large matrices in each precision, and
copies on the device. A step's operations (2 per multiply-add of convolutions and matrix products, forward and backward)
and bytes (each operator of eager PyTorch reads its arguments and writes its results once) are counted on the same
network by gpu_train.py --count; its time is the steady one of a run of the acceptance study:

    share of the matrix rate    = operations of a step ÷ steady_step_s ÷ matrix rate of the same precision
    share of the copy bandwidth = bytes of a step ÷ steady_step_s ÷ (bytes read and written per second by a copy)

The second may be above 1: what stays in a cache moves nothing. Writes OUT/rates.md and .json.

    rates.py --driver build/gpu/bin/scalestudy --python python3 --out out/gpu

Exit: 0 done, 1 a program failed.
"""
import json
import sys

from throughput import PEER, Failed, Work, answer_of, options_of, write

CASES = ["n2v-fp32", "n2v-tf32", "n2v-bf16", "unet-fp32", "unet-bf16", "resnet50-bf16", "resnet50-fp16"]
# With --short, on the processor.
SHORT_CASES = ["n2v-fp32"]
SHORT_RATES = ["--device", "cpu", "--matrix", 256, "--copy-mib", 8, "--repeats", 3]


def shares(step_s, counted, matrix_flop_per_s, copy_bytes_per_s):
    return {"matrix_frac": counted["flop_per_step"] / step_s / matrix_flop_per_s,
            "copy_frac": counted["bytes_per_step"] / step_s / copy_bytes_per_s}


def rates_of(arguments):
    options = SHORT_RATES if arguments.short else []
    program = PEER.with_name("device_rates.py")
    return json.loads(answer_of([arguments.python, program, *options]).splitlines()[-1])


def steps_of(arguments, rates):
    """One row per case."""
    for case in SHORT_CASES if arguments.short else CASES:
        work = Work(case, arguments.driver, arguments.python, arguments.short)
        step_s = work.ours()["summary"]["steady_step_s"]["value"]
        counted = {name: count for name, count in work.theirs("--count").items() if name.endswith("_per_step")}
        yield {"case": case, "batch": work.batch, "size": work.size, "steady_step_s": step_s} | counted | shares(
            step_s, counted, rates["matrix_flop_per_s"][work.precision], rates["copy_bytes_per_s"]["device"])


def table_of(rates, steps):
    lines = [f"{rates['device_name']}, PyTorch {rates['torch']}, CUDA {rates['cuda']}", "",
             "| what the device reaches | measured |", "|---|---|"]
    lines += [f"| product of two matrices of {rates['matrix']}², {precision} | {rate * 1e-12:.1f} TFLOP/s |"
              for precision, rate in rates["matrix_flop_per_s"].items()]
    lines += [f"| copy, {where} | {rate * 1e-9:.1f} GB/s |" for where, rate in rates["copy_bytes_per_s"].items()]
    lines += ["", "| step | time | operations | bytes | share of the matrix rate | share of the copy bandwidth |",
              "|---|---|---|---|---|---|"]
    lines += [f"| {step['case']} | {step['steady_step_s'] * 1e3:.2f} ms | {step['flop_per_step'] * 1e-9:.1f} GFLOP | "
              f"{step['bytes_per_step'] * 1e-9:.2f} GB | {step['matrix_frac']:.1%} | {step['copy_frac']:.1%} |"
              for step in steps]
    return "\n".join(lines) + "\n"


def main():
    arguments = options_of(__doc__).parse_args()
    try:
        rates = rates_of(arguments)
        steps = list(steps_of(arguments, rates))
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    write(arguments.out, "rates", table_of(rates, steps), {"rates": rates, "steps": steps})
    return 0


if __name__ == "__main__":
    sys.exit(main())
