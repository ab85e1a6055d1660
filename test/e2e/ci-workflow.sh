#!/bin/sh
# What the workflow in README.md does, without GitHub: ci-workflow.sh TROUPE PROJECT FOLDER
# Clones both repositories into FOLDER, installs troupe, has it review the project's newest commit, and leaves
# report.xml and summary.md there. Its exit code is that of the run. INSTALL says how troupe is installed ("npm ci").
set -eu
troupe=$1 project=$2 folder=$3
cd "$folder"
git clone --quiet --depth 1 "file://$troupe" troupe
(cd troupe && sh -c "${INSTALL:-npm ci}") >install.log 2>&1 || { cat install.log >&2; exit 1; }
git clone --quiet "file://$project" checkout
cd checkout
export CI=true GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$folder/summary.md"
exec node ../troupe/bin/troupe.js run review --set base=HEAD~1 --timeout 20m --max-budget-usd 5 --junit ../report.xml
