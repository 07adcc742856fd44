"""What a device reaches at most, measured in Python PyTorch: matrix products and copies; prints one line of JSON.

`matrix_flop_per_s`: 2 n³ ÷ time of the product of two n × n matrices, by precision of the factors.
`copy_bytes_per_s`: device: bytes read + bytes written ÷ time of a copy on the device; from_host: bytes ÷ time of a copy
from pinned memory. All are medians of `--repeats` timed calls after three that are not timed.

    device_rates.py
    device_rates.py --device cpu --matrix 256 --copy-mib 8 --repeats 3

Exit: 0 done, 4 there is no such device.
"""
import argparse
import json
import statistics

import torch

from gpu_train import CAST_TO, device_name, step_times_cpu, step_times_cuda, use_device, use_precision, versions

WARMUP = 3


def median_s(action, arguments):
    times_of = step_times_cuda if arguments.device == "cuda" else step_times_cpu
    times_of(action, WARMUP)
    return statistics.median(times_of(action, arguments.repeats))


def matrix_rate(precision, arguments):
    use_precision(precision)
    n = arguments.matrix
    factors = [torch.randn(n, n, device=arguments.device).to(CAST_TO.get(precision, torch.float32)) for _ in range(2)]
    product = torch.empty_like(factors[0])
    return 2 * n ** 3 / median_s(lambda: torch.matmul(*factors, out=product), arguments)


def copy_rates(arguments):
    floats = arguments.copy_mib * 2 ** 18
    target = torch.empty(floats, device=arguments.device)
    source = torch.ones(floats, device=arguments.device)
    rates = {"device": 2 * 4 * floats / median_s(lambda: target.copy_(source), arguments)}
    if arguments.device == "cuda":
        host = torch.ones(floats, pin_memory=True)
        rates["from_host"] = 4 * floats / median_s(lambda: target.copy_(host, non_blocking=True), arguments)
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matrix", type=int, default=8192, help="n")
    parser.add_argument("--copy-mib", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    arguments = parser.parse_args()
    use_device(arguments.device)
    precisions = ["fp32", "tf32", "bf16", "fp16"] if arguments.device == "cuda" else ["fp32", "bf16"]
    print(json.dumps({"peer": "pytorch", "matrix": arguments.matrix, "copy_mib": arguments.copy_mib,
                      "repeats": arguments.repeats,
                      "matrix_flop_per_s": {each: matrix_rate(each, arguments) for each in precisions},
                      "copy_bytes_per_s": copy_rates(arguments),
                      "device": arguments.device, "device_name": device_name(arguments.device)} | versions()))


if __name__ == "__main__":
    main()
