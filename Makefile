# make demo   sets everything up and walks one picture from an integration to three frames
# make run    keeps a service and a small fleet running
# make test   sets everything up and passes the tests; it says at its end what takes long and was left to CI
# make check  is what a change is tried with before it is committed, in two minutes
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: setup demo run test test-long fuzz check lint texts lock clean
# The Node of .node-version, where setup brought it because this machine's is older.
export PATH := $(CURDIR)/.node/bin:$(PATH)

setup:
	.ci/install

demo: setup
	./papergate demo

run: setup
	./papergate demo --keep

# POSTGRES=--postgres runs the journeys again on a throwaway PostgreSQL, as DATABASE_URL does on one of yours; SEEDS=300 plays
# as many fresh seeds of the simulation. Where MAY_SKIP is set, a test that this machine cannot run fails unless it is named there.
test: lint
	.ci/install tests
	$(if $(POSTGRES),.ci/install postgres)
	node --import tsx test/run.ts $(POSTGRES)

# What `make test` leaves to CI; the two together are all there is.
test-long: setup
	.ci/install tests
	$(if $(POSTGRES),.ci/install postgres)
	node --import tsx test/run.ts --long $(POSTGRES)

# Ten minutes of guided fuzzing for each target; FUZZ="calendars images" names some of them, FUZZ_SECONDS another time.
fuzz: setup
	node --import tsx test/fuzz/fuzz.ts $(FUZZ) --seconds $${FUZZ_SECONDS:-600}

# Two minutes before a commit: what the compiler and the linter say, and the tests of the rooms that were changed.
check: lint
	node --import tsx test/run.ts --changed

lint: setup
	node_modules/.bin/tsc -b . console test
	node_modules/.bin/biome check --error-on-warnings .

# What translators have to do before a release: the texts that a language lacks, which are shown in English.
texts:
	node --import tsx test/console/missing-texts.ts

# A lockfile written over installed packages forgets those of other platforms, and `npm ci` then refuses it.
lock:
	d=$$(mktemp -d) && cp package.json .npmrc $$d && cd $$d && npm install --package-lock-only --ignore-scripts \
	  && npm ci --dry-run --ignore-scripts >/dev/null && cp package-lock.json $(CURDIR)/ && rm -rf $$d

clean:
	rm -rf demo data node_modules .node
