#!/usr/bin/env bash
# Three seeds of a shipped study's arms on 1 and on 2 ranks: is the model as good on 2?
# Usage: quality.sh [STUDY [FOLDER]]: unet-nuclei (25 min on two cores) or resnet50-cells (20 min).
# The results are committed: results/measured/unet-nuclei, results/measured/resnet50-cells. Exit:
# that of scalestudy.
set -euo pipefail
cd "$(dirname "$0")/../.."
study=${1:-unet-nuclei}
out=${2:-out/$study}
build/release/suite/app/scalestudy run "$study" --out "$out" --set repeats=3
build/release/suite/app/scalestudy report "$out"
