# One command to try it: make demo. One command to prove it: make test.
SHELL := /bin/sh
# Programs, linters, generators and tests are compiled in one way, so that a fresh machine compiles each package once; the
# race detector, which needs cgo, is the other. No version stamp from git: a checkout may belong to another user.
export CGO_ENABLED = 0
export GOFLAGS := $(GOFLAGS) -trimpath -buildvcs=false
STATICCHECK := go tool -modfile=tools/go.mod staticcheck

.DEFAULT_GOAL := help
.PHONY: help demo demo-reset build page install check test stories-slow lint generate generate-check events-land bench read-bench parts-bench through model-bench desk-bench recording faults fuzz fresh-machine

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{printf "  make %-16s %s\n", $$1, $$2}'

# --- run it ----------------------------------------------------------------------------------------------------------

demo: install build ## install what is missing, build, and run everything on this machine
	@exec bin/countersign demo

demo-reset: build ## delete the demo's data
	bin/countersign demo --reset

install:
	@scripts/install.sh

build: page ## build the page and the programs into bin/
	@mkdir -p bin
	go build -o bin/ ./cmd/... ./examples/ledger ./examples/mailbox

page: ## build the application of the browser into frontend/dist, from where the server takes it
	@cd frontend && npm run --silent build

# --- prove it --------------------------------------------------------------------------------------------------------

check: page lint generate-check ## the fast part: format, vet, staticcheck, layout, generated files, tests without the race detector
	go run ./internal/testrun -short -pages

test: ## everything that CI runs; installs what is missing
	@scripts/install.sh --tests
	@$(MAKE) --no-print-directory build lint generate-check
	go run ./internal/testrun -race -installed -pages

stories-slow: page ## browser stories with late answers, late live events and slow pages, to find those that depend on the speed of the machine: make stories-slow [STORIES='queue|review']
	go test -count=1 -timeout 180m ./test/browser -run 'TestStories/($(or $(STORIES),.*))$$' -slow -v

lint:
	@scripts/format.sh
	go vet ./...
	$(STATICCHECK) ./...
	go test -count=1 ./internal/layout

generate: ## write the generated files
	go run ./internal/generate

generate-check:
	go run ./internal/generate -check

events-land: ## add new event contracts to events/landed.lock
	go run ./events/land

# --- measure it ------------------------------------------------------------------------------------------------------

bench: install ## the table of speeds, beside the CPU it costs; with DATA=folder how documents are read too
	npm ci --prefix test/bench/lists/peer --ignore-scripts --no-audit --no-fund --loglevel=error
	@for program in test/bench/*/; do \
		case "$$program" in *readbench/|*partsbench/) continue;; esac; go run "./$$program" || exit 1; \
	done
	@[ -z "$(DATA)" ] || go run ./test/bench/readbench -data "$(DATA)"

read-bench: install ## how well documents are read, with COUNTERSIGN_MODEL_* by a language model too: make read-bench DATA=folder [ENGINE=tesseract,ppocr]
	@[ -n "$(DATA)" ] || { echo "usage: make read-bench DATA=folder [ENGINE=tesseract,ppocr]" >&2; exit 64; }
	@mkdir -p bin
	go build -o bin/ ./cmd/ocrengine
	go run ./test/bench/readbench -data "$(DATA)" -engine "$(or $(ENGINE),tesseract)"

parts-bench: install ## how many files with several documents are found: make parts-bench DATA=folder [KEPT=folder of readbench -save]
	@[ -n "$(DATA)" ] || { echo "usage: make parts-bench DATA=folder [KEPT=folder]" >&2; exit 64; }
	go run ./test/bench/partsbench -data "$(DATA)" $(if $(KEPT),-singles "$(KEPT)")

through: install ## process every document of a folder through API, queue and worker: make through DATA=folder TYPE=invoice
	@[ -n "$(DATA)" ] || { echo "usage: make through DATA=folder [TYPE=invoice]" >&2; exit 64; }
	go test -count=1 -timeout 60m ./test/e2e -run TestEveryDocumentEnds -v -documents "$(abspath $(DATA))" -documents-type $(or $(TYPE),invoice)

desk-bench: install build ## open the review of every kind of document of a folder in Chromium and measure the desk: make desk-bench DATA=folder [EACH=8 documents of a subfolder] [PHOTOGRAPH=yes]
	@[ -n "$(DATA)" ] || { echo "usage: make desk-bench DATA=folder [EACH=8]" >&2; exit 64; }
	DESK_DOCUMENTS="$(abspath $(DATA))" DESK_PER_FOLDER=$(or $(EACH),8) go test -tags=deskbench -count=1 -timeout 120m ./test/browser -run 'TestDeskOfDocuments$$' -v $(if $(PHOTOGRAPH),-photograph)

recording: install build ## draw the pictures of docs/recording.md: ten documents by keyboard, a word found, the board, processes designed
	@rm -rf .data/pages
	go test -count=1 ./test/browser -run 'Test(Stories|Figures)/(keyboard|search|statistics|designer|definitions)$$' -photograph -v | grep -a '^figure'
	scripts/recording.sh .data/pages docs/images

model-bench: install ## process a folder once for each behaviour of a stub of a language model: make model-bench DATA=folder [TYPE=receipt] [BEHAVIOURS=honest,slow] [SAMPLE=4, 0 for all] [INPUT=images] [RESULTS=file]
	@[ -n "$(DATA)" ] || { echo "usage: make model-bench DATA=folder [TYPE=receipt] [BEHAVIOURS=all] [SAMPLE=4] [INPUT=text] [RESULTS=file]" >&2; exit 64; }
	go test -count=1 -timeout 60m ./test/e2e -run 'TestModelBehaviours$$' -v -documents "$(abspath $(DATA))" -documents-type $(or $(TYPE),invoice) \
		-model-behaviours $(or $(BEHAVIOURS),all) -model-sample $(or $(SAMPLE),4) -model-input $(or $(INPUT),text) -model-results "$(abspath $(or $(RESULTS),.data/model-results.jsonl))" \
		-model-commit "$$(git rev-parse --short HEAD)"

faults: install ## kill, freeze, empty and cut off the real parts while documents are under way
	go run ./internal/testrun -timeout 60m ./test/faults/...
	GOFLAGS=-tags=faults go run ./internal/testrun -run 'TestTamperingsAreFound|TestUntouchedRecords' ./casework
	go test -count=1 -timeout 30m ./casework -run 'TestConcurrentClaimsAndDecisions|TestRightsChangeDuringTheDecision|TestForgedAmounts|TestConcurrentDelegationsFormNoCycle' -v -abuse-rounds 200
	go test -count=1 -timeout 30m ./casework -run TestOneOfTwoConcurrentDuplicatesHasTheFinding -v -abuse-rounds 1000
	go test -count=1 -timeout 30m ./casework -run TestMigrationUnderLoad -v -migrated-cases 1000
	go test -count=1 -timeout 30m ./test/e2e -run TestPermissionsOverTwoServers -v -abuse-rounds 200
	@cat .data/faults.txt

fuzz: ## feed every parser nonsense and check random histories of cases: make fuzz LENGTH=30s
	scripts/fuzz.sh $(or $(LENGTH),30s)
	go test -count=1 -timeout 30m ./facts -run TestRandomHistories -v -histories 200000
	go test -count=1 -timeout 60m ./casework -run 'TestRandomHistories|TestSomeoneCanAlwaysGoOn' -v -histories-for 5m

fresh-machine: ## demo and tests on a bare Debian 12, as root and as an ordinary user; needs root, debootstrap, time
	scripts/fresh-machine.sh
