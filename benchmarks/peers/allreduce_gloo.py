"""Speed peer: the sum over ranks by gloo, from Python PyTorch, by size; prints its times as JSON.

As benchmarks/allreduce_benchmark.cpp: in place, float32, a call's time is that of the slowest rank from a barrier on (here
one of shared memory: gloo's own lets ranks go tens of microseconds apart), a size's the median of its calls. Calls go
through Python, some tens of microseconds of small ones. Needs `environments/setup.sh --gpu`.
"""
import argparse
import json
import os
import statistics
import time

from ddp_train import free_port
from gpu_train import device_name

FLOAT_BYTES = 4


class SharedBarrier:
    """Ranks count their arrivals in memory that all see."""

    def __init__(self, arrivals, rank):
        self.arrivals, self.rank, self.turn = arrivals, rank, 0

    def wait(self):
        self.turn += 1
        self.arrivals[self.rank] = self.turn
        while int(self.arrivals.min()) < self.turn:
            time.sleep(0)


def call_count(size_bytes):
    return max(3, min(100, 16 * 2**20 // (size_bytes + 1024)))


def measure(size_bytes, rank, barrier):
    """Median time of a call [s], and whether the first and the last result of the same input differ."""
    import torch
    import torch.distributed as dist
    given = torch.rand(size_bytes // FLOAT_BYTES, generator=torch.Generator().manual_seed(rank)) + 0.5
    first, again = given.clone(), given.clone()
    dist.all_reduce(first)
    values, times_s = first.clone(), []
    for _ in range(call_count(size_bytes)):
        barrier.wait()
        start = time.perf_counter()
        dist.all_reduce(values)
        times_s.append(time.perf_counter() - start)
    dist.all_reduce(again)
    slowest_s = torch.tensor(times_s, dtype=torch.float64)
    dist.all_reduce(slowest_s, dist.ReduceOp.MAX)
    unequal = torch.tensor(0 if torch.equal(first, again) else 1)
    dist.all_reduce(unequal)
    return statistics.median(slowest_s.tolist()), int(unequal)


def rank_main(rank, arguments, port, arrivals, results):
    import torch
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    barrier = SharedBarrier(arrivals, rank)
    measured = {size: measure(size, rank, barrier) for size in arguments.sizes}
    if rank == 0:
        results.put(measured)
    dist.barrier()  # gloo aborts a rank whose peer leaves during a collective
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 2**20, 64 * 2**20], help="bytes, multiples of 4")
    arguments = parser.parse_args()
    import torch
    import torch.multiprocessing as processes
    results = processes.get_context("spawn").SimpleQueue()
    arrivals = torch.zeros(arguments.ranks, dtype=torch.int64).share_memory_()
    processes.spawn(rank_main, (arguments, free_port(), arrivals, results), nprocs=arguments.ranks)
    measured = results.get()
    print(json.dumps({
        "peer": "gloo", "torch": torch.__version__, "ranks": arguments.ranks,
        "median_us": {str(size): 1e6 * time_s for size, (time_s, _) in measured.items()},
        "unequal": sum(unequal for _, unequal in measured.values()), "cpu_model": device_name("cpu")}))


if __name__ == "__main__":
    main()
