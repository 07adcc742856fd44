#!/usr/bin/env bash
# Three seeds of unet-nuclei on 1 and on 2 ranks (20 min on two cores): is the model as good on 2?
# The result is committed: results/measured/unet-nuclei. Exit: that of scalestudy.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-out/unet-nuclei}
build/release/bin/scalestudy run unet-nuclei --out "$out"
build/release/bin/scalestudy report "$out"
