# Every target installs what it needs first, and does nothing twice.
.DEFAULT_GOAL := help
.PHONY: help manifests pictures up down test compat check soak bench build dist spec map types format clean packages vm compat-podsecurity compat-cel compat-deploy compat-policy conformance

# This Node slows down threefold when it is told of extra certificates.
unexport NODE_EXTRA_CA_CERTS

node := node_modules/.bin/node
modules := node_modules/.package-lock.json

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# npm needs them, where there are any, to trust the registry.
$(modules): export NODE_EXTRA_CA_CERTS := $(NODE_EXTRA_CA_CERTS)
$(modules): package.json package-lock.json
	@echo "installing npm packages ($(shell grep -c '"integrity"' package-lock.json) in package-lock.json)"
	@PATH="$$PATH:/usr/sbin:/sbin" ldconfig -p | grep -q libatomic.so.1 || tools/install-packages tools/packages-node.txt
	@npm install --no-save --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

packages:
	@tools/install-packages

up: $(modules) packages build ## bring up a dual-stack cluster on this machine
	@bin/tandem up --detach

down: $(modules) ## take it down again; nothing stays behind
	@bin/tandem down

check: $(modules) ## format, lint, types, import rules, unit tests: under a minute
	@tools/check

test: $(modules) packages build ## check, then every test against real parts
	@tools/install-packages tools/packages-test.txt
	@tools/check
	@$(node) tools/test.ts compat e2e fault security

compat: $(modules) ## programs of others, built from Go modules, against our API server
	@$(node) tools/test.ts genuine

soak: $(modules) packages build ## the long runs: full kill counts, full matrices
	@tools/install-packages tools/packages-test.txt
	@TANDEM_SOAK=1 $(node) tools/test.ts
	@$(MAKE) --no-print-directory vm

vm: $(modules) ## tests on a kernel of Debian's in a virtual machine: ipvs, SCTP sockets
	@tools/install-packages tools/packages-vm.txt
	@tools/vm

compat-podsecurity: $(modules) ## Pod Security against all fixtures of Kubernetes' own (needs Go)
	@$(node) tools/compat-podsecurity.ts

compat-policy: $(modules) packages build ## suites of others for network policies (needs Go; SUITE=cyclonus, netpol or cluster; FIRST=ipv4, ipv6 or ipv6-only)
	@test/policy-suites/run $(or $(SUITE),cyclonus) $(or $(FIRST),ipv4)

compat-deploy: $(modules) packages build ## the bases of deploy/ in a live cluster with the image of `make dist`, and the chart by genuine Helm (needs Go)
	@TANDEM_DEPLOY_IMAGE=built $(node) tools/test.ts test/e2e/deploy.test.ts test/genuine/helm.test.ts

compat-cel: $(modules) ## CEL against genuine code, on the vectors of CEL and of Kubernetes (needs Go)
	@$(node) tools/compat-cel.ts

conformance: $(modules) packages build ## Kubernetes' own suite (needs Go; FOCUS= SKIP= CLUSTER=ipv6-first, ipv6-only or three-control-planes)
	@tools/install-packages tools/packages-conformance.txt
	@$(node) test/conformance/run.ts

bench: $(modules) packages build ## benchmarks; ONLY=net runs one of them, RUNS=5 sets the repeats
	@$(node) bench/run.ts $(ONLY)

build: $(modules) ## put the stand-alone programs into build/
	@tools/build

dist: $(modules) packages build ## packages for this architecture into dist/: a tarball with Node inside, a .deb, checksums
	@$(node) tools/dist.ts

manifests: $(modules) ## write the manifests of deploy/ from tools/deploy
	@$(node) tools/deploy.ts

spec: $(modules) ## which rule of docs/spec.md is proven by which test
	@$(node) tools/spec.ts

types: $(modules) ## write src/api/types from the tables of src/api/schema
	@$(node) tools/generate-types.ts

map: $(modules) ## draw the floors and doors of src into docs/pictures/map.svg
	@$(node) tools/map.ts

pictures: $(modules) packages build ## take the pictures of the dashboard in docs/pictures, on a cluster of its own
	@tools/install-packages tools/packages-test.txt
	@$(node) tools/pictures.ts

format: $(modules) ## let the formatter and the linter mend what they can
	@node_modules/.bin/biome check --write --log-level=warn
	@node_modules/.bin/oxlint --type-aware --fix --quiet

clean: ## remove what the other targets made in this folder
	@rm -rf build dist .cache node_modules
