"""Speed peer: trains the original Noise2Void on the chromosomes stack and prints times as JSON.

The work of performance comparisons: patch 16x64x64, batch 2 per replica, 10 steps x 8 epochs at one
replica; at R replicas (MirroredStrategy over R logical CPU devices) epochs / R, learning rate x R.
"""
import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

START = time.perf_counter()

import n2v_original as original  # noqa: E402  (after START: imports are part of the process time)

PATCH = (16, 64, 64)
BATCH = 2
LEARNING_RATE = 4e-4


def strategy_for(replicas):
    """One replica trains as n2v's users do, without a strategy."""
    import tensorflow as tf
    if replicas == 1:
        return contextlib.nullcontext()
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * replicas)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)]).scope()


def disable_image_callback():
    """It fails when a replica gets no image; off at every replica count, so that work is equal."""
    from csbdeep.utils.tf import CARETensorBoardImage
    CARETensorBoardImage.on_epoch_end = lambda self, epoch, logs=None: None


def train(arguments, folder):
    """(seconds of fit, history) of one training."""
    import tensorflow as tf
    scope = strategy_for(arguments.replicas)
    tf.keras.utils.set_random_seed(arguments.seed)
    _, patches = original.load_patches(arguments.data, PATCH)
    training, validation = (patches[:-original.VALIDATION_PATCHES],
                            patches[-original.VALIDATION_PATCHES:])
    with scope:
        model = original.build_model(
            training, folder, n2v_perc_pix=0.198, n2v_patch_shape=PATCH,
            train_batch_size=BATCH * arguments.replicas, train_epochs=arguments.epochs // arguments.replicas,
            train_steps_per_epoch=arguments.steps,
            train_learning_rate=LEARNING_RATE * arguments.replicas)
        model.prepare_for_training()
        start = time.perf_counter()
        history = model.train(training, validation)
        return time.perf_counter() - start, history.history


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="compute threads of the process")
    parser.add_argument("--data", type=pathlib.Path, default=original.CHROMOSOMES)
    parser.add_argument("--steps", type=int, default=10, help="steps per epoch")
    parser.add_argument("--epochs", type=int, default=8, help="epochs at one replica")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.replicas < 1 or arguments.epochs < arguments.replicas:
        parser.error("needs replicas >= 1 and epochs >= replicas")
    original.set_threads(arguments.threads)
    disable_image_callback()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        fit_s, history = train(arguments, folder)
    cpu = os.times()
    print(json.dumps({
        "peer": "n2v", "replicas": arguments.replicas, "threads": arguments.threads,
        "local_batch_size": BATCH, "epochs": arguments.epochs // arguments.replicas,
        "steps_per_epoch": arguments.steps, "fit_s": fit_s, "process_s": time.perf_counter() - START,
        "cpu_time_s": cpu.user + cpu.system, "training_loss": [float(v) for v in history["loss"]],
        "cpu_model": original.cpu_model(), "versions": original.versions()}))


if __name__ == "__main__":
    main()
