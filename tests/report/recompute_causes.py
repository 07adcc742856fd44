"""Recomputes what a report says of causes (tables "causes" of summary.json) from the raw columns of the run files, by
analysis/METRICS.md#causes alone; recompute_first_page.py (`page`) calls it and lends its Student's t and agree()."""
import json
import pathlib

import h5py
import numpy as np

from report_summary import decisions, estimate

CAUSES = ["input", "transfer", "exchange_contention", "slow_rank", "imbalance", "interference", "oversubscription", "optimizer"]
BY_CLOCK = ("transfer", "exchange_contention", "interference", "oversubscription")
BARRIER, ALONE, SYNTHETIC, NEITHER = ARMS = ("barrier_only", "no_communication", "synthetic_input",
                                             "synthetic_input_no_communication")


class Launch:
    def __init__(self, path):
        with h5py.File(path) as file:
            spec = json.loads(file["settings/resolved"][()])
            steps = {name: file["steps"][name][:] for name in file["steps"]}
            clock_error_s = file["ranks"].get("clock_offset_error_s", np.zeros(1))[:]
        self.key, self.repeat = (spec["control_arm"] or "", spec["ranks"]), spec["repeat"]
        warmup = spec["settings"]["warmup_steps"]
        self.step_s = steps["step_s"][:, warmup:].mean()
        self.samples = steps["sample_count"][:, warmup:].mean()
        self.clock_error_s = np.max(clock_error_s)
        self.shares = None if self.key[0] else shares_of_path(steps, max(warmup, 1))


def shares_of_path(steps, start):
    """METRICS.md#path: each cause's share of the mean step from release to release, and that of `other`."""
    known = np.all([np.isfinite(steps[name]) for name in ("peer_wait_s", "ready_s", "released_s")], axis=(0, 1))
    epoch, n = steps["epoch"][0], len(steps["epoch"])
    at = np.array([k for k in range(start, len(known)) if epoch[k] == epoch[k - 1] and known[k] and known[k - 1]])
    last = steps["ready_s"][:, at].argmax(axis=0)
    of = lambda name, when: steps[name][last, when] if name in steps else np.zeros(len(when))
    computing = sum(steps[name][:, at] for name in ("host_to_device_s", "device_step_s", "forward_s", "backward_s"))
    mean = computing.mean(axis=0)
    first, second = ((computing - mean)[:, half].sum(axis=1) for half in np.split(np.arange(len(at)), [len(at) // 2]))
    sizes = len(at) // 2, len(at) - len(at) // 2
    persistent = ((second[first.argmax()] / sizes[1] + first[second.argmax()] / sizes[0]) / 2 * n / (n - 1)
                  if n > 1 and len(at) > 1 else 0.0)
    excess = (first / max(sizes[0], 1) + second / sizes[1]).argmax()
    parts = {"input": of("input_wait_s", at), "transfer": of("exposed_transfer_s", at) + of("phase_transfer_s", at),
             "slow_rank": persistent, "compute": mean - persistent / n,
             "imbalance": computing[last, range(len(at))] - mean + of("phase_wait_s", at) + persistent / n - persistent,
             "optimizer": of("optimizer_s", at - 1) - of("early_update_s", at - 1) + of("early_update_s", at)}
    between = sum(np.nan_to_num(of(name, at)) for name in ("recording_s", "saving_s", "evaluation_s"))
    whole = np.mean(np.diff(steps["released_s"].max(axis=0))[at - 1] - between)
    shares = {name: np.mean(part) / whole for name, part in parts.items()}
    queued = steps["run_queue_wait_s"][:, at].mean() / whole
    slow_queue = 0.0
    if n > 1 and len(at) > 1:
        waits = steps["run_queue_wait_s"][:, at].mean(axis=1)
        slow_queue = min(max((waits[excess] - waits.mean()) * n / (n - 1), 0.0), max(persistent, 0.0)) / whole
    uneven = (of("input_wait_s", at) - steps["input_wait_s"][:, at].mean(axis=0)).mean() / whole
    early = steps["early_update_s"] if "early_update_s" in steps else np.zeros_like(steps["optimizer_s"])
    updated = steps["optimizer_s"][:, at - 1] - early[:, at - 1] + early[:, at]
    uneven_update = (updated[last, range(len(at))] - updated.mean(axis=0)).mean() / whole
    return shares | {"other": 1 - sum(shares.values()), "queue": queued, "uneven_input": uneven,
                     "uneven_optimizer": uneven_update, "slow_queue": slow_queue, "slowest_rank": int(excess)}


class Look:
    """Σ factor × time of the arm + Σ factor × growth of a part of the path."""

    def __init__(self, terms=(), parts=()):
        self.terms, self.parts = dict(terms), dict(parts)

    def __add__(self, other, sign=1):
        both = lambda a, b: {key: a.get(key, 0) + sign * b.get(key, 0) for key in {**a, **b}}
        return Look(both(self.terms, other.terms), both(self.parts, other.parts))

    def __sub__(self, other):
        return self.__add__(other, -1)


class Fit:
    """METRICS.md#block-fit: log t = arm + block + scatter."""

    def __init__(self, launches):
        keys, y, n = sorted({l.key for l in launches}), np.log([l.step_s for l in launches]), len(launches)
        arm = np.array([keys.index(l.key) for l in launches])
        block = np.unique([l.repeat for l in launches], return_inverse=True)[1]
        self.blocks = block.max() + 1
        self.k = n - len(keys) - self.blocks + 1
        design = np.hstack([np.eye(len(keys))[arm], np.eye(self.blocks)[block]])
        limit, weights = np.inf, np.ones(n)
        for _ in range(2000 if self.k >= 6 else 1):
            root = np.sqrt(weights)
            fitted = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
            fitted += np.repeat([1, -1], [len(keys), self.blocks]) * fitted[len(keys):].mean()
            rest = abs(y - design @ fitted)
            if self.k >= 6:
                cut = np.minimum(rest, limit)
                limit = 1.345 * np.sqrt((cut ** 2).sum() / self.k / (0.7102 if np.isfinite(limit) else 1))
                weights = np.minimum(1, limit / np.maximum(rest, 1e-300))
        w = (weights == 1).mean()
        self.variance = (1 + (n - self.k) / n * (1 - w) / w) ** 2 * ((weights * rest) ** 2).sum() / self.k / w ** 2
        self.common = max(0.0, fitted[len(keys):].var(ddof=1) - self.variance * self.blocks / n) / self.blocks
        self.step, self.count = dict(zip(keys, np.exp(fitted))), dict(zip(keys, np.bincount(arm)))
        self.weight = dict(zip(launches, weights))


class Causes:
    """METRICS.md#causes, of n ranks. An estimate is a value, a variance and degrees of freedom, or None."""

    def __init__(self, page, launches, n, margin_frac):
        self.page, self.n = page, n
        keys = [("", 1), (SYNTHETIC, 1), ("", n), *((arm, n) for arm in ARMS)]
        self.fit = Fit([l for l in launches if l.key in keys])
        self.one, self.many = ([l for l in launches if l.key == ("", ranks)] for ranks in (1, n))
        self.work = np.mean([l.samples for l in self.many]) / np.mean([l.samples for l in self.one])
        self.ideal, self.loss = self.work * self.fit.step["", 1], self.sum_of({("", n): 1, ("", 1): -self.work})
        self.margin = margin_frac * self.ideal
        self.is_loss = self.interval(self.loss)[0] > self.margin
        slowest = [l.shares["slowest_rank"] for l in self.many]
        self.slowest_rank = next((r for r in set(slowest) if 10 * slowest.count(r) >= 9 * len(slowest)), None)
        self.other = self.of(Look(parts={"other": 1}))
        records, arms = self.looks()
        self.told = [cause for cause in CAUSES if cause in records]
        self.looks_at = {cause: (records[cause], arms.get(cause)) for cause in self.told}
        self.column = {cause: self.of(records[cause]) for cause in self.told}
        self.contrast = {cause: cause in arms and self.of(arms[cause]) or None for cause in self.told}
        self.growth = {cause: self.contrast[cause] or self.column[cause] for cause in self.told}
        more = self.passing({cause: self.chance(self.growth[cause], 1, cause == "exchange_contention", cause) for cause in self.told})
        less = self.passing({cause: self.chance_of_less(cause) for cause in self.told})
        recorded = self.passing({cause: 1.0 if cause == self.bound else self.chance(self.column[cause], 1, True, cause)
                                 for cause in self.told})
        agree = [cause for cause in self.told if self.looks_agree(cause)]
        self.verdict = {cause: "SUPPORTED" if self.is_loss and cause in more and cause in agree else
                        "REFUTED" if cause in less and cause in agree else "UNDECIDED" for cause in self.told}
        self.recorded = [cause for cause in agree if cause in recorded and cause not in less]

    def interval(self, estimate, level=0.05):
        half = self.page.critical_t(estimate[2], level) * np.sqrt(estimate[1])
        return estimate[0] - half, estimate[0] + half

    def add(self, estimate, variance, k, is_never_narrower=True):
        """One more independent term, degrees of freedom after Welch and Satterthwaite."""
        value, before, before_k = estimate
        if variance == 0:
            return estimate
        wider = value, before + variance, (before + variance) ** 2 / (before ** 2 / before_k + variance ** 2 / k)
        return estimate if is_never_narrower and self.interval(wider)[1] < self.interval(estimate)[1] else wider

    def sum_of(self, factors):
        """METRICS.md#block-fit: Σ factor × exp(arm)."""
        if any(self.fit.count.get(key, 0) < 3 for key in factors):
            return None
        fit, value = self.fit, sum(factor * self.fit.step[key] for key, factor in factors.items())
        variance = sum((f * fit.step[key]) ** 2 * fit.variance / fit.count[key] for key, f in factors.items())
        return self.add((value, variance, fit.k), value ** 2 * fit.common, fit.blocks - 1)

    def of(self, look):
        """The arms' times, and shares of the steps that the fit tells; scatter of the shares with its weights."""
        terms, errors = dict(look.terms), []
        for group, factor in ((self.many, 1), (self.one, -self.work)):
            key, weights, k = group[0].key, [self.fit.weight[l] for l in group], len(group) - 1
            values = np.array([sum(f * l.shares[part] for part, f in look.parts.items()) for l in group])
            mean = np.average(values, weights=weights)
            terms[key] = terms.get(key, 0) + factor * mean
            spread = np.average((values - mean) ** 2, weights=weights)
            errors.append(((factor * self.fit.step[key]) ** 2 * spread / k, k))
        found = None if np.isnan([*terms.values()]).any() else self.sum_of(terms)
        return found and self.add(self.add(found, *errors[0]), *errors[1])

    def looks(self):
        """METRICS.md#causes, the table: by records and by arms."""
        n, w = self.n, self.work
        has = lambda *keys: all(self.fit.count.get(key, 0) >= 3 for key in keys)
        part = lambda name, factor=1: Look(parts={name: factor})
        share = 1 / n if self.slowest_rank is not None else 0
        slow, in_mean = part("slow_rank", 1 - 1 / n + share), part("slow_rank", share)
        compute, queue = part("compute") + part("slow_rank", 1 / n - share), part("queue") - part("slow_queue", share)
        exchange = waiting = computing = None
        if has((BARRIER, n)):
            exchange = Look({("", n): 1, (BARRIER, n): -1})
        if has((BARRIER, n), (ALONE, n)):
            waiting = Look({(BARRIER, n): 1, (ALONE, n): -1})
        if has((NEITHER, n), (SYNTHETIC, 1)):
            computing = Look({(NEITHER, n): 1, (SYNTHETIC, 1): -w}) - part("optimizer") + part("uneven_optimizer") - in_mean
        elif has((ALONE, n)):
            computing = Look({(ALONE, n): 1, ("", 1): -w}) - part("optimizer") + part("uneven_optimizer") - in_mean - part("input") + part("uneven_input")
        beside = (compute - queue - (exchange - part("transfer")) if exchange else (computing or compute) - queue)
        records = {"input": part("input"), "transfer": part("transfer"), "slow_rank": slow, "imbalance": part("imbalance"),
                   "interference": beside, "oversubscription": queue, "optimizer": part("optimizer")}
        if exchange or computing:
            records["exchange_contention"] = compute - (computing or queue)
        self.bound = None if computing else "exchange_contention"
        self.together = self.of(compute - queue)
        arms = {}
        if has((SYNTHETIC, n), (SYNTHETIC, 1)):
            arms["input"] = Look({("", n): 1, (SYNTHETIC, n): -1, ("", 1): -w, (SYNTHETIC, 1): w})
        if exchange:
            arms["exchange_contention"] = exchange - part("transfer")
        if computing:
            arms["interference"] = computing - queue
        if exchange and computing:
            arms |= {"transfer": exchange - compute + computing, "oversubscription": computing - beside}
        if waiting:
            arms |= {"slow_rank": waiting - part("imbalance") - part("uneven_input") - part("uneven_optimizer") + in_mean,
                     "imbalance": waiting - slow + in_mean - part("uneven_input") - part("uneven_optimizer")}
        return records, arms

    def clock_error_s(self, cause):
        return max(l.clock_error_s for l in self.many) if cause in BY_CLOCK else 0.0

    def chance(self, estimate, sign, has_clock, cause):
        """One-sided, of so much more (sign 1) or less (−1) than the margin, and the clocks' error."""
        if not estimate:
            return 1.0
        value, variance, k = estimate
        limit = self.margin + sign * (self.clock_error_s(cause) if has_clock else 0)
        t = sign * (value - limit) / np.sqrt(max(variance, 1e-300))
        return 0.5 - np.sign(t) * self.page.share_within(abs(t), k) / 2

    def chance_of_less(self, cause):
        alone = self.chance(self.column[cause], -1, True, cause)
        beside = self.contrast["interference"]
        is_negative = cause == "exchange_contention" and beside and self.interval(beside)[1] < 0
        if cause not in ("interference", "exchange_contention") or is_negative:
            return alone
        return min(alone, self.chance(self.together, -1, False, cause))

    def passing(self, chances):
        """METRICS.md#holm."""
        order = sorted(chances, key=chances.get)
        fails = [place for place, cause in enumerate(order) if chances[cause] > 0.05 / (len(order) - place)]
        return order[:min(fails, default=len(order))]

    def looks_agree(self, cause):
        column, contrast, error_s = self.column[cause], self.contrast[cause], self.clock_error_s(cause)
        if not contrast:
            return True
        if not column:
            return False
        (low, high), (arms_low, arms_high) = (self.interval(look, 0.05 / 16) for look in (column, contrast))
        if cause == self.bound:
            low, high, arms_low, arms_high = min(0, low), high, arms_low - error_s, arms_high + error_s
        else:
            low, high = low - error_s, high + error_s
        return max(low, arms_low) - min(high, arms_high) < self.margin

    def launches_to_decide(self, cause):
        """How many would decide in four of five studies, if it is as large as it looks."""
        growth = self.growth[cause]
        if self.verdict[cause] != "UNDECIDED" or not growth or not self.looks_agree(cause):
            return None
        (value, variance, k), now = growth if growth[0] > self.margin else self.column[cause], len(self.many)
        for n in range(now + 1, 1001):
            t = self.page.critical_t(k * (n - 1) / (now - 1), 2 * 0.05 / 8)
            if (t + 0.8416) * np.sqrt(variance * now / n) <= abs(value - self.margin):
                return n
        return None

    def leads(self, one, other):
        """By more than half of the margin in the records and, where an arm tells either, by the arms."""
        best = lambda cause: self.looks_at[cause][1] or self.looks_at[cause][0]
        pairs = [(best(one), best(other))]
        if self.bound not in (one, other):
            pairs.append((self.looks_at[one][0], self.looks_at[other][0]))
        ahead = [self.of(first - second) for first, second in pairs]
        return all(found and self.interval(found)[0] > self.margin / 2 for found in ahead)

    def main(self):
        """The largest, if it is supported and enough is explained, and what is not surely smaller."""
        likely = [cause for cause in self.told if self.growth[cause] and self.verdict[cause] != "REFUTED"]
        first, *others = sorted(likely, key=lambda cause: -self.growth[cause][0]) or [None]
        if self.verdict.get(first) != "SUPPORTED" or abs(self.other[0]) > 0.2 * self.loss[0]:
            return []
        if any(self.verdict[cause] == "UNDECIDED" and not self.leads(first, cause) for cause in others):
            return []
        return [first] + [cause for cause in others if self.verdict[cause] == "SUPPORTED" and
                          (not self.leads(first, cause) or {first, cause} == {"slow_rank", "imbalance"})]

    def hidden(self):
        """What both save, and the sum of what each alone saves, where that is surely less."""
        of = lambda *f: self.sum_of({(arm, self.n): x for arm, x in zip(("", SYNTHETIC, ALONE, NEITHER), f)})
        more = of(-1, 1, 1, -1)
        if more and self.interval(more)[0] > self.margin:
            return {"without_both_s": of(1, 0, 0, -1), "without_one_s": of(2, -1, -1)[0]}


def same(page, mine, name, theirs, own):
    """Of parts that are estimates, numbers, or texts and None."""
    for part, value in own.items():
        if isinstance(value, tuple):
            page.agree(f"{name}: {part}", estimate(theirs, part), (value[0], mine.interval(value), np.nan))
        elif isinstance(value, float):
            page.agree(f"{name}: {part}", theirs[part], value)
        elif value != theirs[part]:
            page.wrong.append(f"{name}: {part} is {theirs[part]} in the report, {value} recomputed")


def check_causes(page, series, folder):
    """Of all numbers of ranks that have three launches, as one rank has."""
    launches = [Launch(path) for path in page.PATHS]
    plan = pathlib.Path(folder) / "plan.json"
    floor = json.loads(plan.read_text(encoding="utf-8")).get("floor") if plan.exists() else None
    proper = [l.key[1] for l in launches if not l.key[0]]
    expected = [n for n in sorted(set(proper) - {1}, reverse=True) if min(proper.count(1), proper.count(n)) >= 3]
    for n, found in zip(expected, decisions(series), strict=True):
        mine = Causes(page, launches, n, floor["margin"] if floor else 0.03)
        hidden = mine.hidden() or {"without_both_s": None, "without_one_s": None}
        decision = hidden | {
            "ranks": n, "ideal_step_s": float(mine.ideal), "margin_s": float(mine.margin), "loss_s": mine.loss,
            "is_loss": "yes" if mine.is_loss else "no", "unexplained_s": float(mine.other[0]),
            "work_ratio": float(mine.work), "slowest_rank": mine.slowest_rank}
        main = mine.main()
        for one, cause in zip(found["rows"], mine.told, strict=True):
            same(page, mine, cause, one, decision | {
                "cause": cause, "verdict": mine.verdict[cause], "main": "main" if cause in main else "",
                "is_recorded": "yes" if cause in mine.recorded else "no",
                "column_s": mine.column[cause], "contrast_s": mine.contrast[cause],
                "launches_to_decide": mine.launches_to_decide(cause)})
            page.said.append(mine.launches_to_decide(cause) or np.nan)
