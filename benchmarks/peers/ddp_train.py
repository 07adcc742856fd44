"""Speed peer: the training step of a workload in Python PyTorch DDP over gloo; prints one line of JSON.

Network and loss of the workload, Adam, and one batch again and again, so that no step waits for input.

    default  what users get who change nothing
    same     what scalestudy-rank does and Python can do too: channels-last (or --memory-format contiguous), fused Adam,
             gradients as views of the buckets, a static graph, no broadcast of buffers, freed memory kept by glibc,
             oneDNN for kernels of size 1
    compile  same, and torch.compile around DDP

A step's time goes from before the gradients are zeroed to after the update, the slowest rank's. `matrix_flop_per_s` is what
all ranks together reach in float32 products of two 2048 x 2048 matrices (MKL's sgemm), at the same time and right after
training: less than the peak of fused multiply-adds. Needs `environments/setup.sh --gpu`.
"""
import argparse
import json
import os
import resource
import socket
import statistics
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import networks
from gpu_train import BATCHES, LOSSES, device_name
from paired import work_of

LEVERS = ("default", "same", "compile")
MATRIX, PRODUCTS = 2048, 5
# As keep_freed_memory() of scalestudy-rank; glibc reads it when a process starts.
KEEP_FREED_MEMORY = f"glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold={2 ** 64 - 1}:glibc.malloc.top_pad={256 << 20}"


def peak_memory_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def minor_faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def make_batch(arguments):
    parts = BATCHES[arguments.network](arguments.local_batch_size, arguments.size)
    if arguments.memory_format == "contiguous":
        return parts
    layout = torch.channels_last_3d if len(arguments.size) == 3 else torch.channels_last
    return [part.contiguous(memory_format=layout) if part.dim() > 1 else part for part in parts]


def compute_pointwise_in_onednn(net):
    """As settings.onednn_pointwise: PyTorch gives oneDNN all convolutions that are dilated."""
    for module in net.modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Conv3d)) and set(module.kernel_size) == {1}:
            module.dilation = tuple(2 for _ in module.kernel_size)


def make_model(arguments):
    net = networks.build(arguments.network)
    if arguments.memory_format == "channels_last":
        net = net.to(memory_format=torch.channels_last_3d if len(arguments.size) == 3 else torch.channels_last)
    if arguments.levers == "default":
        return DistributedDataParallel(net)
    if arguments.threads == 1 and arguments.local_batch_size < 16:
        compute_pointwise_in_onednn(net)
    net = DistributedDataParallel(net, gradient_as_bucket_view=True, static_graph=True, broadcast_buffers=False)
    return torch.compile(net) if arguments.levers == "compile" else net


def train(arguments):
    """(seconds of each step, pages touched anew in a step after the warm-up, the last loss) of this rank."""
    torch.manual_seed(arguments.seed)
    net, loss_of = make_model(arguments), LOSSES[arguments.network]
    optimizer = torch.optim.Adam(net.parameters(), lr=arguments.learning_rate, eps=1e-8,
                                 fused=arguments.levers != "default" or None)
    torch.manual_seed(arguments.seed + 1 + dist.get_rank())
    x, *wanted = make_batch(arguments)
    step_s = []
    for step in range(arguments.warmup + arguments.steps):
        if step == arguments.warmup:
            faults = minor_faults()
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(net(x), *wanted)
        loss.backward()
        optimizer.step()
        step_s.append(time.perf_counter() - start)
    return step_s[arguments.warmup:], (minor_faults() - faults) / arguments.steps, loss.item()


def matrix_flop_per_s():
    """Of this rank, while the others do the same."""
    factors = [torch.randn(MATRIX, MATRIX) for _ in range(2)]
    product = torch.mm(*factors)
    times_s = []
    dist.barrier()
    for _ in range(PRODUCTS):
        start = time.perf_counter()
        torch.mm(*factors, out=product)
        times_s.append(time.perf_counter() - start)
    return 2 * MATRIX ** 3 / min(times_s)


def rank_main(rank, arguments, port, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(arguments.threads)
    before = peak_memory_bytes()
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    step_s, faults_per_step, loss = train(arguments)
    found = {"step_s": step_s, "minor_faults_per_step": faults_per_step, "final_loss": loss,
             "memory_before_bytes": before, "peak_memory_bytes": peak_memory_bytes(),
             "matrix_flop_per_s": matrix_flop_per_s()}
    of_ranks = [None] * arguments.ranks
    dist.all_gather_object(of_ranks, found)
    if rank == 0:
        results.put(of_ranks)
    dist.barrier()  # gloo aborts a rank whose peer leaves during a collective
    dist.destroy_process_group()
    os._exit(0)  # threads of PyTorch that still look for Python while it goes down now and then abort


def summary_of(of_ranks):
    values = {name: [found[name] for found in of_ranks] for name in of_ranks[0]}
    step_s = [max(times) for times in zip(*values["step_s"])]
    return {"step_s_median": statistics.median(step_s), "step_s": step_s, "final_loss": values["final_loss"][0],
            "matrix_flop_per_s": sum(values["matrix_flop_per_s"])} | {
                name: values[name] for name in ("peak_memory_bytes", "memory_before_bytes", "minor_faults_per_step")}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", choices=list(BATCHES), default="noise2void")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="compute threads per rank")
    parser.add_argument("--levers", choices=LEVERS, default="same")
    parser.add_argument("--memory-format", choices=["channels_last", "contiguous"],
                        help="not with levers default, which is contiguous (default: channels_last)")
    parser.add_argument("--local-batch-size", type=int, help="default: that of ddp-NETWORK.json")
    parser.add_argument("--size", type=int, nargs="+", help="(Z) Y X of a sample; default: that of ddp-NETWORK.json")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=5, help="steps before, not timed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    batch, size, arguments.learning_rate = work_of(arguments.network)
    arguments.local_batch_size = arguments.local_batch_size or batch
    arguments.size = arguments.size or size
    if len(arguments.size) != len(size):
        parser.error(f"--size of {arguments.network} has {len(size)} sides.")
    if arguments.levers == "default" and arguments.memory_format:
        parser.error("--memory-format is a lever, which default leaves alone. Use --levers same.")
    if min(arguments.ranks, arguments.threads, arguments.local_batch_size, arguments.steps, *arguments.size) < 1:
        parser.error("ranks, threads, samples, steps and sides are at least 1.")
    if arguments.warmup < 0:
        parser.error("--warmup is at least 0.")
    arguments.memory_format = (arguments.memory_format or
                               ("contiguous" if arguments.levers == "default" else "channels_last"))
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.levers != "default":
        os.environ["GLIBC_TUNABLES"] = KEEP_FREED_MEMORY  # of the ranks, which are started below
    import torch.multiprocessing as processes
    results = processes.get_context("spawn").SimpleQueue()
    processes.spawn(rank_main, (arguments, free_port(), results), nprocs=arguments.ranks)
    stated = ("network", "levers", "memory_format", "ranks", "threads", "local_batch_size", "size", "steps", "warmup")
    print(json.dumps({"peer": "pytorch_ddp"} | {name: getattr(arguments, name) for name in stated} |
                     summary_of(results.get()) |
                     {"glibc_tunables": os.environ.get("GLIBC_TUNABLES", ""), "cpu_model": device_name("cpu"),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
