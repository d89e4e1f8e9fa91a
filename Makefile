# Every target installs what it needs; a new machine needs python3, make and (for the Kafka tests) java and mvn.
PY := .venv/bin/python
.DEFAULT_GOAL := help
.PHONY: help setup tools demo test check bench bench-grounding bench-stream bench-drift soak constraints dashboard format

# Most tests wait more than they work: three files side by side, each with a broker of its own, the slow ones first.
# Faults have three brokers, alone, but for those that the embedded broker has.
OTHER_TESTS := $(filter-out tests/stream/ tests/faults/ tests/soak/ tests/__pycache__/,$(sort $(wildcard tests/*/ tests/test_*.py)))
EMBEDDED := tests/faults/test_codes.py
define RUN_TESTS
$(PY) -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder tests/stream $(EMBEDDED) $(OTHER_TESTS)
$(PY) -m pytest -m "not slow" $(addprefix --ignore=,$(EMBEDDED)) tests/faults
endef

help: ## the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: .venv/.stamp ## .venv with pinned dependencies (idempotent)

.venv/.stamp: pyproject.toml constraints.txt
	test -x $(PY) || python3 -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,drift]'
	touch $@

tools: .tools/kafka/.stamp .tools/prometheus/.stamp ## Apache Kafka's jars, promtool and amtool for the tests (cached)

.tools/kafka/.stamp: tests/broker/pom.xml
	@command -v java >/dev/null && command -v mvn >/dev/null || { echo "the Kafka tests need java (17 or newer) and mvn on PATH" >&2; exit 1; }
	rm -rf $(@D) && mkdir -p $(@D)
	mvn --quiet --batch-mode --file $< dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(@D)/libs
	touch $@

# Debian's packages, unpacked here and not installed; whoever has both tools on PATH needs none of them.
.tools/prometheus/.stamp:
	rm -rf $(@D) && mkdir -p $(@D)
	@command -v promtool >/dev/null && command -v amtool >/dev/null || { \
	  { [ "$$(id -u)" != 0 ] || apt-get update -qq; } && cd $(@D) && apt-get download -qq prometheus prometheus-alertmanager && \
	  for package in *.deb; do dpkg -x $$package . || exit 1; done; } || \
	  { echo "the alerts' tests need promtool and amtool on PATH, or apt-get to fetch them" >&2; exit 1; }
	touch $@

demo: setup ## the main job on the embedded broker
	$(PY) -m guardrail demo

test: setup tools ## the tests, real Kafka included; slow faults are in soak
	$(RUN_TESTS)

check: setup tools ## format, lint, types, contracts, tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(RUN_TESTS)

dashboard: setup ## deploy/grafana/guardrail.json from its code
	$(PY) deploy/grafana/dashboard.py > deploy/grafana/guardrail.json

format: setup ## write the house's format
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: setup ## figures: open cases, structural path, patterns, grounding
	$(PY) -m tests.benchmarks

bench-grounding: setup ## grounding alone; writes docs/results/grounding.md
	$(PY) -m tests.benchmarks.grounding --write

bench-stream: setup tools .tools/quix/.stamp ## the stream on a real Kafka, beside Quix Streams; writes docs/results/stream.md
	$(PY) -m tests.benchmarks.stream --write

bench-drift: setup .tools/river/.stamp ## drift by simulation, beside river's ADWIN; writes docs/results/drift.md
	$(PY) -m tests.benchmarks.drift

.tools/river/.stamp: Makefile
	rm -rf $(@D)
	python3 -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check river==0.22.0
	touch $@

.tools/quix/.stamp: Makefile
	rm -rf $(@D)
	python3 -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check quixstreams==3.28.1
	touch $@

soak: setup tools ## the slow tests, and the laws on examples never tried
	$(PY) -m pytest --numprocesses 2 --hypothesis-profile search tests/laws tests/judge
	$(PY) -m pytest -m slow tests/faults
	$(PY) -m pytest -o python_files="soak_*.py" -s tests/soak

constraints: ## pin the dependencies again (no index address is recorded)
	$(PY) -m pip install --quiet pip-tools
	$(PY) -m piptools compile --quiet --all-extras --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate --no-header --output-file constraints.txt pyproject.toml
