"""A network that is none of ours: a small GPT in Python PyTorch DDP over gloo; prints its step times as JSON.

With --profile FILE one rank records what its steps take, for workload replay (workloads/replay/README.md); replays of that
file are compared with more ranks of this script (benchmarks/validation/replay_prediction.sh). Needs `environments/setup.sh --gpu`.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "workloads" / "replay"))
from ddp_train import free_port
from gpu_train import device_name

WARMUP_STEPS = 5
VOCABULARY, CONTEXT, WIDTH, LAYERS, HEADS = 256, 128, 192, 4, 6


def build():
    from torch import nn
    import torch

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

        def forward(self, x):
            heads = self.qkv(self.norm1(x)).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.project(seen.transpose(1, 2).flatten(2))
            return x + self.mlp(self.norm2(x))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

        def forward(self, tokens):
            x = self.token(tokens) + self.position(torch.arange(CONTEXT))
            return self.head(self.norm(self.blocks(x)))

    return Gpt()


def rank_main(rank, arguments, port, results):
    import torch
    import torch.distributed as dist
    from record_profile import record_profile
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(arguments.threads)
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    torch.manual_seed(1)
    net = torch.nn.parallel.DistributedDataParallel(build())
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    torch.manual_seed(2 + rank)
    step_s = []
    recording = record_profile(net, optimizer, arguments.profile) if arguments.profile else contextlib.nullcontext()
    with recording:
        for _ in range(WARMUP_STEPS + arguments.steps):
            start = time.perf_counter()
            tokens = torch.randint(VOCABULARY, (arguments.local_batch_size, CONTEXT + 1))
            optimizer.zero_grad()
            logits = net(tokens[:, :-1])
            torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
            optimizer.step()
            step_s.append(time.perf_counter() - start)
    slowest = torch.tensor(step_s, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    if rank == 0:
        results.put(slowest[WARMUP_STEPS:].tolist())
    del net, optimizer
    dist.barrier()  # gloo aborts a rank whose peer leaves during a collective
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="compute threads per rank")
    parser.add_argument("--local-batch-size", type=int, default=8)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--profile", help="with one rank: the file to write")
    arguments = parser.parse_args()
    import torch
    import torch.multiprocessing as processes
    results = processes.get_context("spawn").SimpleQueue()
    processes.spawn(rank_main, (arguments, free_port(), results), nprocs=arguments.ranks)
    step_s = results.get()
    print(json.dumps({
        "peer": "pytorch_ddp_gpt", "torch": torch.__version__, "ranks": arguments.ranks, "threads": arguments.threads,
        "local_batch_size": arguments.local_batch_size, "steps": arguments.steps,
        "step_s_median": statistics.median(step_s), "step_s_min": min(step_s), "step_s_max": max(step_s),
        "cpu_model": device_name("cpu")}))


if __name__ == "__main__":
    main()
