#!/usr/bin/python3
"""The figures of `gopherscope probe`, computed by numpy and scipy.

    python3 docs/probe_numpy.py --make 4096x4096 w.npy
    python3 docs/probe_numpy.py w.npy --gopherscope ./gopherscope

The first line writes a Gaussian matrix. The second computes the default figures of
the matrix here, runs `gopherscope probe --json --no-time` on the same file, prints
both columns and their relative differences, and the time that each took: here, from
the array in memory to the figures, the smaller of two runs; there, the whole program
from its start, reading the file included, the smaller of three runs. To see
gopherscope's figures alone:

    gopherscope probe w.npy --layout in,out --json --no-time

FILE is a two-dimensional .npy of float32, or raw little-endian float32 with --shape.
Debian has what this needs in python3-numpy and python3-scipy.

Both round, count and sum by the same definitions, those of package opscope. The
codes are computed in float32 here and in float64 there, so that errors differ in the
sixth digit or later. Above 512 on the smaller side the largest singular value comes
from ARPACK here and from a sketch there, which bounds it from below; the ranks come
from sketches on both sides, with random vectors of their own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

EXACT_SIDE = 512
SKETCH = 128
CHUNK = 1 << 19  # elements that are worked on at a time, to stay in the cache


def sum_sq(x):
    """The sum of squares in float64."""
    return float(np.sum(np.square(x), dtype=np.float64))


def inverse(steps):
    """1/steps, and 0 for 0."""
    return np.divide(1, steps, out=np.zeros_like(steps), where=steps > 0)


def rounding_error_sq(w, largest, bits):
    """The squared error of symmetric rounding; largest broadcasts against w."""
    step = (largest / np.float32(2 ** (bits - 1) - 1)).astype(np.float32)
    q = w * inverse(step)
    np.rint(q, out=q)
    q *= step
    q -= w
    return sum_sq(q)


def grouped(chunk, size):
    """chunk[channels, k] as [channels, groups, size], filled up with zeros."""
    missing = -chunk.shape[1] % size
    if missing:
        chunk = np.pad(chunk, ((0, 0), (0, missing)))
    return chunk.reshape(chunk.shape[0], -1, size)


def outliers(largest):
    nonzero = np.sort(largest[largest > 0])
    if len(nonzero) == 0:
        return 0, 0.0
    median = float(nonzero[len(nonzero) // 2])
    return int(np.sum(nonzero > 6 * median)), float(nonzero[-1]) / median


def singular_values(w):
    """The largest singular value, and all of them or the leading ones from a sketch."""
    if min(w.shape) <= EXACT_SIDE:
        values = scipy.linalg.svdvals(w.astype(np.float64))
        return values[0], values, True
    largest = scipy.sparse.linalg.svds(w, k=1, tol=1e-3, return_singular_vectors=False, random_state=1)[0]
    rng = np.random.default_rng(1)
    y = w @ rng.standard_normal((w.shape[1], SKETCH), dtype=np.float32)
    for _ in range(2):
        q = scipy.linalg.qr(y, mode="economic")[0]
        y = w @ (w.T @ q)
    q = scipy.linalg.qr(y, mode="economic")[0]
    return largest, scipy.linalg.svdvals(q.T @ w), False


def rank_within(values, norm_sq, error):
    """The smallest rank within an error; more than what a sketch holds is '>'."""
    tail = norm_sq - np.concatenate(([0], np.cumsum(np.square(values, dtype=np.float64))))
    enough = np.nonzero(tail <= error * error * norm_sq * (1 + 1e-12))[0]
    return str(enough[0]) if len(enough) else f">{len(values)}"


def probe(w, out_in, budget):
    """The figures of W[k,n], stored as w = W, or as its transpose if out_in."""
    figures = {}
    absolute = np.abs(w)
    if not np.isfinite(absolute.max()):
        sys.exit("the matrix has non-finite values")
    row_max, col_max = absolute.max(axis=1), absolute.max(axis=0)
    tensor_max = row_max.max()
    mean_abs = float(np.mean(absolute, dtype=np.float64))
    norm_sq = sum_sq(w)
    mean = float(np.mean(w, dtype=np.float64))
    figures["zeros"] = int(w.size - np.count_nonzero(w))
    figures["density"] = 1 - figures["zeros"] / w.size
    figures["norm"] = norm_sq**0.5
    figures["min"], figures["max"], figures["mean"] = float(w.min()), float(w.max()), mean
    del absolute

    n, k = w.shape if out_in else w.shape[::-1]
    channel_max, input_max = (row_max, col_max) if out_in else (col_max, row_max)
    soughts = {3: 0.0, 5: 0.0, 6: 0.0}
    totals = dict.fromkeys(
        [f"int{b} {g}" for b in (8, 4) for g in ("tensor", "row", "column", "group 32", "group 128")], 0.0)
    m2 = m4 = dropped = kept_sum = 0.0
    kept = 0
    distinct = np.zeros(0)
    grid = (norm_sq / w.size) ** 0.5 / 4096
    threshold = np.float32(0.7 * mean_abs)
    step = max(1, CHUNK // k)
    for first in range(0, n, step):
        chunk = w[first:first + step] if out_in else np.ascontiguousarray(w[:, first:first + step].T)
        largest = channel_max[first:first + step, None]
        for bits in (8, 4):
            totals[f"int{bits} tensor"] += rounding_error_sq(chunk, np.float32(tensor_max), bits)
            totals[f"int{bits} row"] += rounding_error_sq(chunk, input_max[None, :], bits)
            totals[f"int{bits} column"] += rounding_error_sq(chunk, largest, bits)
        for bits in soughts:
            if soughts[bits] <= budget**2 * norm_sq:
                soughts[bits] += rounding_error_sq(chunk, largest, bits)
        for size in (32, 128):
            groups = grouped(chunk, size)
            group_max = np.abs(groups).max(axis=2, keepdims=True)
            for bits in (8, 4):
                totals[f"int{bits} group {size}"] += rounding_error_sq(groups, group_max, bits)
        squares = np.square(grouped(chunk, 4))
        squares.partition(1, axis=2)
        dropped += float(np.sum(squares[:, :, :2], dtype=np.float64))
        magnitudes = np.abs(chunk)
        magnitudes = magnitudes[magnitudes > threshold]
        kept += magnitudes.size
        kept_sum += float(np.sum(magnitudes, dtype=np.float64))
        centred = np.square(chunk - np.float32(mean))
        m2 += float(np.sum(centred, dtype=np.float64))
        m4 += sum_sq(centred)
        if len(distinct) <= 1 << 16:
            distinct = np.union1d(distinct, np.rint(chunk * np.float32(1 / grid)))

    figures["kurtosis"] = (m4 / w.size) / (m2 / w.size) ** 2
    for name, total in totals.items():
        figures[name] = (total / norm_sq) ** 0.5
    within = {bits: total <= budget**2 * norm_sq for bits, total in soughts.items()}
    within |= {bits: figures[f"int{bits} column"] <= budget for bits in (4, 8)}
    figures["best bits"] = min((bits for bits in within if within[bits]), default=0)
    figures["outliers row"], figures["max/median row"] = outliers(input_max)
    figures["outliers column"], figures["max/median column"] = outliers(channel_max)
    figures["2:4"] = (dropped / norm_sq) ** 0.5
    figures["ternary"] = max(0, 1 - kept_sum**2 / kept / norm_sq) ** 0.5
    figures["distinct"] = min(len(distinct), 1 << 16)

    largest, values, exact = singular_values(w)
    figures["stable rank"] = norm_sq / float(largest) ** 2
    figures["rank 10%"] = rank_within(values, norm_sq, 0.1)
    figures["rank 1%"] = rank_within(values, norm_sq, 0.01)
    return figures, exact


def from_json(profile):
    """The same figures out of a profile of gopherscope."""
    figures = {name: profile[name] for name in ("zeros", "density", "norm", "min", "max", "mean", "kurtosis", "ternary")}
    for q in profile["quant"]:
        group = f" {q['group']}" if "group" in q else ""
        figures[f"int{q['bits']} {q['granularity']}{group}"] = q["error"]
    for o in profile["outliers"]:
        figures[f"outliers {o['axis']}"], figures[f"max/median {o['axis']}"] = o["count"], o["ratio"]
    figures["best bits"] = profile["best_bits"]
    figures["2:4"] = profile["sparse"][0]["error"]
    figures["distinct"] = profile["cardinality"]["distinct"]
    figures["stable rank"] = profile["stable_rank"]
    for name, key in (("rank 10%", "rank_10pct"), ("rank 1%", "rank_1pct")):
        rank = profile["spectral"][key]
        figures[name] = (">=" if rank.get("at_least") else "") + str(rank["rank"])
    return figures


def run_gopherscope(program, path, layout, budget, runs=3):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        out = subprocess.run(
            [program, "probe", path, "--layout", layout, "--budget", str(budget), "--json", "--no-time"],
            check=True, stdout=subprocess.PIPE).stdout
        seconds.append(time.perf_counter() - start)
    return from_json(json.loads(out.splitlines()[0])["profile"]), min(seconds)


def difference(a, b):
    if isinstance(a, str) or a == b:
        return "" if a != b else "0"
    return f"{abs(a - b) / max(abs(a), abs(b)):.1e}"


def show(value):
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--make", metavar="ROWSxCOLS", help="write a Gaussian matrix to FILE, and stop")
    parser.add_argument("--shape", metavar="ROWSxCOLS", help="FILE is raw float32 of this shape")
    parser.add_argument("--layout", choices=["in,out", "out,in"], default="in,out", help="what rows and columns are")
    parser.add_argument("--budget", type=float, default=0.02, help="the error that the best bits must keep")
    parser.add_argument("--gopherscope", metavar="PROGRAM", help="run this program as well, and compare")
    args = parser.parse_args()

    if args.make:
        shape = tuple(map(int, args.make.split("x")))
        np.save(args.file, np.random.default_rng(1).standard_normal(shape, dtype=np.float32))
        return
    if args.shape:
        w = np.fromfile(args.file, dtype="<f4").reshape(tuple(map(int, args.shape.split("x"))))
    else:
        w = np.load(args.file)
    if w.ndim != 2 or w.dtype != np.float32 or not w.any():
        sys.exit(f"{args.file}: want a matrix of float32 that is not all zero, not {w.dtype} of shape {w.shape}")

    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        figures, exact = probe(w, args.layout == "out,in", args.budget)
        seconds.append(time.perf_counter() - start)
    elapsed = min(seconds)
    if not args.gopherscope:
        for name, value in figures.items():
            print(f"{name:18} {show(value):>16}")
        print(f"{'seconds':18} {elapsed:16.3f}")
        return

    with tempfile.TemporaryDirectory() as folder:
        path = args.file
        if args.shape:
            path = os.path.join(folder, "w.npy")
            np.save(path, w)
        other, other_elapsed = run_gopherscope(args.gopherscope, path, args.layout, args.budget)
    print(f"{'':18} {'numpy':>16} {'gopherscope':>16} {'difference':>11}")
    for name, value in figures.items():
        print(f"{name:18} {show(value):>16} {show(other[name]):>16} {difference(value, other[name]):>11}")
    print(f"{'seconds':18} {elapsed:16.3f} {other_elapsed:16.3f} {elapsed / other_elapsed:10.1f}x")
    if not exact:
        print("The ranks are from sketches on both sides.")


if __name__ == "__main__":
    main()
