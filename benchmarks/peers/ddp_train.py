"""Speed peer: the Noise2Void step in Python PyTorch DDP over gloo; prints its times as JSON.

Same network (networks.py), masked loss and batch as workload noise2void. Levers `default` is what users
get who change nothing; `same` is what scalestudy-rank uses. Needs `environments/setup.sh --gpu`.
"""
import argparse
import json
import os
import socket
import statistics
import time

LEARNING_RATE = 4e-4
MASKED_FRAC = 0.00198


def make_batch(arguments, rank):
    """Input, target and mask; the step's cost does not depend on the values."""
    import torch
    generator = torch.Generator().manual_seed(arguments.seed + rank)
    shape = (arguments.local_batch_size, 1, *arguments.patch)
    target = torch.randn(shape, generator=generator)
    mask = (torch.rand(shape, generator=generator) < MASKED_FRAC).float()
    mask[(0,) * 5] = 1
    manipulated = torch.where(mask > 0, torch.randn(shape, generator=generator), target)
    return manipulated, target * mask, mask


def rank_main(rank, arguments, port, results):
    import torch
    import torch.distributed as dist
    import networks
    from torch.nn.parallel import DistributedDataParallel
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(arguments.threads)
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    torch.manual_seed(arguments.seed)
    same = arguments.levers == "same"
    net = networks.build("noise2void")
    batch = make_batch(arguments, rank)
    if same:
        net = net.to(memory_format=torch.channels_last_3d)
        batch = [part.contiguous(memory_format=torch.channels_last_3d) for part in batch]
    net = DistributedDataParallel(net, gradient_as_bucket_view=same, static_graph=same)
    optimizer = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE * arguments.ranks, eps=1e-7,
                                 fused=same or None)
    x, target, mask = batch
    step_s = []
    for _ in range(arguments.warmup + arguments.steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = ((target - net(x) * mask) ** 2).sum() / mask.sum()
        loss.backward()
        optimizer.step()
        step_s.append(time.perf_counter() - start)
    slowest = torch.tensor(step_s, dtype=torch.float64)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    if rank == 0:
        results.put((slowest[arguments.warmup:].tolist(), float(loss.detach())))
    del net, optimizer
    dist.barrier()  # gloo aborts a rank whose peer leaves during a collective
    dist.destroy_process_group()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_model():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="compute threads per rank")
    parser.add_argument("--levers", choices=["default", "same"], default="same")
    parser.add_argument("--patch", type=int, nargs=3, default=[16, 64, 64])
    parser.add_argument("--local-batch-size", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    import torch
    import torch.multiprocessing as processes
    results = processes.get_context("spawn").SimpleQueue()
    processes.spawn(rank_main, (arguments, free_port(), results), nprocs=arguments.ranks)
    step_s, loss = results.get()
    print(json.dumps({
        "peer": "pytorch_ddp", "torch": torch.__version__, "levers": arguments.levers,
        "ranks": arguments.ranks, "threads": arguments.threads, "patch": arguments.patch,
        "local_batch_size": arguments.local_batch_size, "steps": arguments.steps,
        "step_s_median": statistics.median(step_s), "step_s_min": min(step_s), "step_s_max": max(step_s),
        "final_loss": loss, "cpu_model": cpu_model()}))


if __name__ == "__main__":
    main()
