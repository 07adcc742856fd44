"""Writes the fidelity golden file: what the original Noise2Void computes, step by step.

One masked batch of the chromosomes stack made by the original's own N2V_DataWrapper, its loss and
gradients, the weights after three of its Adam steps, and a tiled prediction. See README.md.
"""
import argparse
import json
import pathlib
import tempfile

import n2v_original as original

PATCH = (8, 32, 32)
BATCH = 4
MASKED_PERCENT = 0.8   # box 11: 0 to 9 points per patch, so that patches weigh differently
STEPS = 3
LEARNING_RATE = 4e-4
SEED = 5   # no max-pool near-tie that float32 rounding decides differently: see check_same
CROP = ((10, 15), (40, 97), (0, 126))  # z, y, x: sides 5, 57, 126, padded to 8, 60, 128
TILES = (1, 2, 3)
BLOCKS = ["down0/conv0", "down0/conv1", "down1/conv0", "down1/conv1", "middle/conv0",
          "middle/conv1", "up1/conv0", "up1/conv1", "up0/conv0", "up0/conv1", "head"]


def named_variables(keras_model):
    """{stable name: variable} of all 11 convolutions and 10 batch norms, in forward order."""
    from tensorflow.keras.layers import BatchNormalization, Conv3D
    convolutions = [layer for layer in keras_model.layers if isinstance(layer, Conv3D)]
    norms = [layer for layer in keras_model.layers if isinstance(layer, BatchNormalization)]
    assert len(convolutions) == len(BLOCKS) and len(norms) == len(BLOCKS) - 1
    found = {}
    for block, convolution in zip(BLOCKS, convolutions):
        found[f"{block}/kernel"] = convolution.kernel
        found[f"{block}/bias"] = convolution.bias
    for block, norm in zip(BLOCKS, norms):
        found[f"{block}/gamma"] = norm.gamma
        found[f"{block}/beta"] = norm.beta
        found[f"{block}/moving_mean"] = norm.moving_mean
        found[f"{block}/moving_variance"] = norm.moving_variance
    return found


def masked_batch(model, patches):
    """The first batch of the original's data wrapper: input and [target, mask], channels last."""
    import numpy as np
    from n2v.internals.N2V_DataWrapper import N2V_DataWrapper
    from n2v.utils.n2v_utils import pm_uniform_withCP
    mean, std = (np.float32(model.config.means[0]), np.float32(model.config.stds[0]))
    normalised = (patches - mean) / std
    wrapper = N2V_DataWrapper(normalised, np.concatenate([normalised, np.zeros_like(normalised)], -1),
                              batch_size=BATCH, length=1, perc_pix=MASKED_PERCENT, shape=PATCH,
                              value_manipulation=pm_uniform_withCP(5))
    x, y = wrapper[0]
    return x.copy(), y.copy()


def loss_and_gradients(model, x, y):
    """Loss, prediction and gradients with batch statistics; the moving statistics stay untouched."""
    import tensorflow as tf
    from n2v.internals.n2v_losses import loss_mse
    network = model.keras_model
    before = network.get_weights()
    with tf.GradientTape() as tape:
        prediction = network(x, training=True)
        loss = loss_mse()(tf.constant(y), prediction)
    gradients = tape.gradient(loss, network.trainable_variables)
    network.set_weights(before)
    names = {id(variable): name for name, variable in named_variables(network).items()}
    by_name = {names[id(v)]: g.numpy() for v, g in zip(network.trainable_variables, gradients)}
    return float(loss), prediction.numpy(), by_name


def check_loss(loss, prediction, y):
    """The formula, in float64, from the recorded arrays."""
    import numpy as np
    target, mask = (y[..., :1].astype(np.float64), y[..., 1:].astype(np.float64))
    expected = np.sum((target - prediction.astype(np.float64) * mask) ** 2) / np.sum(mask)
    assert abs(loss - expected) <= 1e-6 * expected, (loss, expected)


def use_float64():
    """Makes models built from now on compute in float64. TensorFlow's CPU kernels for 3D max pooling
    and fused batch norm have no float64: pooling becomes a maximum over 2x2x2 blocks, and Keras takes
    its unfused batch norm. `check_same` proves that both compute what the float32 model computes."""
    import n2v.nets.unet_blocks as blocks
    import tensorflow as tf
    from tensorflow.keras.layers import Lambda

    def maximum_of_blocks(x):
        x = tf.maximum(x[:, 0::2], x[:, 1::2])
        x = tf.maximum(x[:, :, 0::2], x[:, :, 1::2])
        return tf.maximum(x[:, :, :, 0::2], x[:, :, :, 1::2])

    tf.keras.backend.set_floatx("float64")
    blocks.MaxPooling3D = lambda pool, name: Lambda(maximum_of_blocks, name=name)


def train_steps(model, x, y):
    """Losses before each step, weights after the last, by the original's own optimiser and loss."""
    model.prepare_for_training()
    losses = [model.keras_model.train_on_batch(x, y, return_dict=True)["loss"] for _ in range(STEPS)]
    return losses, {n: v.numpy() for n, v in named_variables(model.keras_model).items()}


def unbias_moving_variances(weights):
    """The fused kernel keeps the unbiased batch variance n/(n-1) v, the unfused one v. The moving
    variance is 0.99^3 * 1 + sum of weighted v, and no training step reads it."""
    start = 0.99 ** STEPS
    for block in BLOCKS[:-1]:
        level = 2 if block.startswith("middle") else int(block.split("/")[0][-1])
        count = BATCH * PATCH[0] * PATCH[1] * PATCH[2] / 8 ** level
        name = f"{block}/moving_variance"
        weights[name] = start + (weights[name] - start) * count / (count - 1)


def set_weights(keras_model, weights):
    for name, variable in named_variables(keras_model).items():
        variable.assign(weights[name])


def relative(a, b):
    import numpy as np
    a, b = (np.asarray(v, dtype=np.float64) for v in (a, b))
    return float(np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-30))


def run_batch(model, weights, x, y):
    set_weights(model.keras_model, weights)
    loss, prediction, gradients = loss_and_gradients(model, x, y)
    assert sum(g.size for g in gradients.values()) == 859521
    check_loss(loss, prediction, y)
    losses, after = train_steps(model, x, y)
    assert abs(losses[0] - loss) <= 1e-6 * loss
    return {"loss": loss, "prediction": prediction, "gradients": gradients, "losses": losses,
            "weights_after_3_steps": after}


def check_same(exact, plain):
    """The float64 run is the original's computation: the float32 run differs by rounding only."""
    for key in ("loss", "prediction"):
        assert relative(plain[key], exact[key]) < 2e-5, key
    for name, gradient in exact["gradients"].items():
        if not name.endswith("bias") or name.startswith("head"):
            assert relative(plain["gradients"][name], gradient) < 5e-5, name
    # Adam moves a weight by the learning rate whatever the size of its gradient, so that rounding decides
    # where gradients are next to nothing: how far float32 kernels part depends on the processor. A
    # variance is quadratic in them.
    after, after_plain = exact["weights_after_3_steps"], plain["weights_after_3_steps"]
    parted = max(relative(after_plain[n], w) for n, w in after.items() if n.endswith("kernel"))
    assert parted < 1e-3, parted
    for name, weight in after.items():
        if name.endswith("moving_variance"):
            difference = relative(after_plain[name], weight)
            assert difference < 2 * parted, (name, difference, original.cpu_model())


def compute():
    import numpy as np
    import tensorflow as tf
    original.set_threads(1)
    tf.keras.utils.set_random_seed(SEED)
    stack, patches = original.load_patches(original.CHROMOSOMES, PATCH)
    settings = {"n2v_perc_pix": MASKED_PERCENT, "n2v_patch_shape": PATCH, "train_batch_size": BATCH,
                "train_learning_rate": LEARNING_RATE}
    crop = stack[tuple(slice(*side) for side in CROP)]
    with tempfile.TemporaryDirectory() as folder:
        model = original.build_model(patches, folder, **settings)
        x, y = masked_batch(model, patches)
        counts = y[..., 1].sum(axis=(1, 2, 3))
        assert len(set(counts)) > 1 and counts.min() > 0, counts
        initial = {n: v.numpy() for n, v in named_variables(model.keras_model).items()}
        assert sum(v.size for v in initial.values()) == 860545
        plain = run_batch(model, initial, x, y)
        use_float64()
        exact_model = original.build_model(patches, folder, **settings)
        exact = run_batch(exact_model, initial, x.astype(np.float64), y.astype(np.float64))
        unbias_moving_variances(exact["weights_after_3_steps"])
        check_same(exact, plain)
        tf.keras.backend.set_floatx("float32")
        set_weights(model.keras_model, {n: w.astype(np.float32)
                                        for n, w in exact["weights_after_3_steps"].items()})
        predicted = model.predict(crop, axes="ZYX", n_tiles=TILES)
    config = {k: v for k, v in vars(model.config).items()
              if isinstance(v, (int, float, str, list, dict, tuple, bool))}
    return {"x": x, "y": y, "initial": initial, "plain": plain, "exact": exact, "crop": crop,
            "predicted": predicted, "config": config}


GROUPS = {
    "gradients": "d loss / d weight at weights_initial on this batch, batch statistics in batch norm",
    "weights_after_3_steps": "Weights and moving statistics after 3 Adam steps on this batch",
}
ATTRIBUTES = {
    "title": "What the original Noise2Void computes on one real batch",
    "made_by": "benchmarks/peers/n2v_golden.py",
    "data": "workloads/noise2void/data/chromosomes.tif",
    "arithmetic": "prediction/*: float32. All else: the original's model in float64 on float32 weights "
                  "and batch, stored as float32, with the pooling and batch norm kernels replaced by "
                  "equal ones that know float64",
    "float32_difference_rel": "attribute of many datasets: |a - b| / |b|, a from the original's "
                              "unchanged float32 model (oneDNN, 1 thread), b this dataset. Adam's first "
                              "step is lr * sign(gradient), so after a step no two float32 programs "
                              "agree better than this; gradients do",
    "bias_before_batch_norm": "the gradient of a convolution's bias before batch norm is zero but for "
                              "rounding; compare it, and that bias, absolutely",
    "kernel_layout": "kernel: (kz, ky, kx, in, out); all others: (channels)",
    "array_layout": "batch: (sample, z, y, x); prediction: (z, y, x)",
    "adam": json.dumps({"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7, "epsilon_rule": "keras"}),
    "batch_norm": json.dumps({"epsilon": 1e-3, "keras_momentum": 0.99, "moving_variance": "unbiased"}),
    "seed": SEED,
    "learning_rate": LEARNING_RATE,
}


def put(file, name, array, description, unit="1", plain=None):
    import numpy as np
    stored = np.asarray(array, dtype=np.float32)
    packed = {"compression": "gzip", "compression_opts": 9, "shuffle": True} if stored.size > 64 else {}
    dataset = file.create_dataset(name, data=stored, **packed)
    dataset.attrs["description"] = description
    dataset.attrs["unit"] = unit
    if plain is not None:
        dataset.attrs["float32_difference_rel"] = relative(plain, array)


def write(path, result):
    import h5py
    import numpy as np
    plain, exact, config = result["plain"], result["exact"], result["config"]
    with h5py.File(path, "w") as file:
        file.attrs.update(ATTRIBUTES)
        file.attrs["versions"] = json.dumps(original.versions())
        file.attrs["config"] = json.dumps(config)
        file.attrs["cpu_model"] = original.cpu_model()
        file.attrs["normalisation_mean"] = np.float32(config["means"][0])
        file.attrs["normalisation_std"] = np.float32(config["stds"][0])
        put(file, "batch/input", result["x"][..., 0], "Normalised input with manipulated voxels")
        put(file, "batch/target", result["y"][..., 0], "Original value at masked voxels, else 0")
        put(file, "batch/mask", result["y"][..., 1], "1 at masked voxels, else 0")
        put(file, "batch/prediction", exact["prediction"][..., 0],
            "Network output at weights_initial, batch statistics in batch norm",
            plain=plain["prediction"][..., 0])
        put(file, "batch/loss", exact["loss"], "sum((target - prediction * mask)^2) / sum(mask)",
            plain=plain["loss"])
        put(file, "batch/losses_before_step", exact["losses"], "Loss before each of the 3 Adam steps",
            plain=plain["losses"])
        for name, array in result["initial"].items():
            put(file, f"weights_initial/{name}", array, "As the original initialises it, from the seed")
        for group, description in GROUPS.items():
            for name, array in exact[group].items():
                put(file, f"{group}/{name}", array, description, plain=plain[group][name])
        put(file, "prediction/input", result["crop"], "Raw crop of the stack", "grey values")
        put(file, "prediction/output", result["predicted"],
            "N2V.predict with weights_after_3_steps and moving statistics: normalise, reflect-pad to "
            "multiples of 4, tile with overlap, crop, denormalise", "grey values")
        file["prediction"].attrs["n_tiles_requested_zyx"] = TILES
        file["prediction"].attrs["crop_zyx"] = CROP


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=original.ROOT / "tests/data/n2v_golden.h5")
    arguments = parser.parse_args()
    result = compute()
    write(arguments.out, result)
    print(f"made on {original.cpu_model()}; {arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB, "
          f"losses {result['exact']['losses']}")


if __name__ == "__main__":
    main()
