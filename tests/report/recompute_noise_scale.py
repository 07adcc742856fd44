"""Recomputes the gradient noise scale of a report (table "noise-scale" of summary.json) from the square norms in the run files, by
analysis/METRICS.md#noise-scale alone; recompute_first_page.py (`page`) lends its Student's t and agree()."""
import json

import h5py
import numpy as np

from report_summary import estimate


def noise_scale(path, ranks):
    """Of one launch with so many ranks: mean of tr Sigma over mean of |G|^2; None of others."""
    with h5py.File(path) as file:
        spec = json.loads(file["settings/resolved"][()])
        if spec["control_arm"] or spec["ranks"] != ranks:
            return None
        names = ("local_gradient_square_norm", "global_gradient_square_norm", "loss_weight", "sample_count")
        local, whole, weight, samples = (file["steps"][name][:, spec["settings"]["warmup_steps"]:] for name in names)
    share = weight / weight.sum(axis=0)
    known = np.isfinite(local).all(axis=0) & np.isfinite(whole).all(axis=0)
    small, large = ((share ** power / samples).sum(axis=0)[known] for power in (1, 2))
    mean_of_ranks, of_all = (share * local).sum(axis=0)[known], whole[0, known]
    variance = (mean_of_ranks - of_all) / (small - large)
    return variance.mean() / (of_all - large * variance).mean()


def check_noise_scale(page, series):
    (found,) = series.rows("noise-scale") or [{"noise_scale_samples": None}]
    if estimate(found, "noise_scale_samples")["interval"] is None:
        return
    ranks = found["ranks"]
    scales = [noise_scale(path, ranks) for path in page.PATHS]
    logs = np.log([scale for scale in scales if scale is not None])
    reach = page.critical_t(len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
    for name, unit in (("noise_scale_samples", 1), ("reached_at_ranks", ranks / found["global_batch_size"])):
        low, middle, high = unit * np.exp(logs.mean() + reach * np.array([-1, 0, 1]))
        page.agree(f"noise scale: {name}", estimate(found, name), (middle, (low, high), np.nan))
