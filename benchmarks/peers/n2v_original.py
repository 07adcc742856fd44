"""What the scripts that run the original Noise2Void share: its data, its model, provenance."""
import os
import pathlib
import platform
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMOSOMES = ROOT / "workloads/noise2void/data/chromosomes.tif"
VALIDATION_PATCHES = 3


def set_threads(threads):
    """Before the first TensorFlow operation."""
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1 if threads == 1 else 2)


def load_patches(path, shape):
    """The original's own patches of one stack: grid, eightfold, shuffled. (S, Z, Y, X, 1) float32."""
    import numpy as np
    import tifffile
    from n2v.internals.N2V_DataGenerator import N2V_DataGenerator
    stack = tifffile.imread(path).astype(np.float32)
    patches = N2V_DataGenerator().generate_patches_from_list([stack[None, ..., None]], shape=shape)
    return stack, patches


def build_model(training_patches, folder, **settings):
    """N2V as its 3D notebook builds it; `settings` go into N2VConfig."""
    from n2v.models import N2V, N2VConfig
    config = N2VConfig(training_patches, unet_kern_size=3, unet_n_depth=2, unet_n_first=32,
                       batch_norm=True, train_loss="mse", n2v_manipulator="uniform_withCP",
                       n2v_neighborhood_radius=5, **settings)
    return N2V(config, name="peer", basedir=str(folder))


def cpu_model():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def versions():
    from importlib.metadata import version
    names = ["n2v", "csbdeep", "tensorflow-cpu", "keras", "numpy", "h5py", "tifffile"]
    return {"python": sys.version.split()[0], **{name: version(name) for name in names}}
