package layout

// PackageRule is one folder of the project with its packages. Imports lists the packages of the
// project that its source may import.
type PackageRule struct {
	Path    string
	Imports []string
	// Exists is set for packages of the tree. A listed package without it must not exist yet.
	Exists bool
	// Pure packages compute from values alone: no I/O, no wall clock, no goroutines.
	Pure bool
	// AllLibraries allows every listed library, because these packages measure or disturb the
	// services from outside.
	AllLibraries bool
	// IntegrationTests allows the package's tests to import every package except the adapters,
	// because they run the real parts together.
	IntegrationTests bool
}

// Names used in several lists of imports.
const (
	anyPackage = "*"
	// countries recognises countries in texts and codes.
	countries = "domain/country"
	// testsignal lets a test wait for a moment inside running code; it does nothing in production.
	testsignal = "internal/testsignal"
	// yamltext is the one reader of YAML.
	yamltext = "internal/yamltext"
	// racedetector says whether the program was built with the race detector.
	racedetector = "internal/racedetector"
	// slowbody holds the connections of HTTP to deadlines, clientaddr finds the client's address:
	// both serve every adapter.
	slowbody   = "internal/slowbody"
	clientaddr = "internal/clientaddr"
	// tracing follows one document through all programs. Only otlp, its exporter, imports
	// OpenTelemetry, and only programs import otlp.
	tracing     = "internal/tracing"
	otlpTracing = "internal/tracing/otlp"
	// programs starts and stops server and worker, and nothing else imports it.
	programs = "internal/program"
)

// packageRules is the table of design: the direction of imports. internal/ and test/ are many
// packages under one rule.
var packageRules = []PackageRule{
	{Path: "domain", Pure: true, Exists: true},
	{Path: countries, Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "expr", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "events", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "audit", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "facts", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "forecast", Pure: true, Exists: true},
	{Path: "sampling", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "search", Imports: []string{"domain", countries}, Pure: true, Exists: true},
	{Path: "reading/extraction", Imports: []string{"domain", countries}, Pure: true, Exists: true},
	{Path: "workflow", Imports: []string{"domain", "expr", yamltext}, Pure: true, Exists: true},
	{Path: "bpmn", Imports: []string{"domain", "workflow"}, Pure: true, Exists: true},
	{Path: "rules", Imports: []string{"domain", countries, "expr", yamltext}, Pure: true, Exists: true},
	{Path: "doctype", Imports: []string{"domain", yamltext}, Pure: true, Exists: true},
	{Path: "authz", Imports: []string{"domain", "expr"}, Exists: true},
	{Path: "store", Imports: []string{"domain", "audit", "search", "store/batch", "store/bulk", testsignal, tracing},
		Exists: true},
	{Path: "store/batch", Imports: []string{"domain"}, Exists: true},
	{Path: "store/bulk", Exists: true},
	{Path: "blob", Imports: []string{"domain"}, Exists: true},
	{Path: "blob/s3", Imports: []string{"domain", "blob"}, IntegrationTests: true, Exists: true},
	{Path: "blob/stores", Imports: []string{"domain", "blob", "blob/s3", "internal/config"}, Exists: true},
	{Path: "reading/parsing", Imports: []string{"domain", "reading/extraction"}, Pure: true, Exists: true},
	{Path: "reading/plane", Pure: true, Exists: true},
	{Path: "reading/ocr", Imports: []string{"domain", "reading/plane", testsignal, racedetector, tracing}, Exists: true},
	{Path: "connect", Imports: []string{"domain", "events", "feed", testsignal, tracing},
		IntegrationTests: true, Exists: true},
	{Path: "connect/kafka", Imports: []string{"domain", "feed", "connect"}, IntegrationTests: true, Exists: true},
	{Path: "connect/mail", Imports: []string{"domain", "events", "feed", "connect"}, IntegrationTests: true,
		Exists: true},
	{Path: "connect/senders", Imports: []string{"domain", "connect", "connect/kafka", "connect/mail"},
		Exists: true},
	{Path: "deliver", Imports: []string{"domain", "feed"}, IntegrationTests: true, Exists: true},
	{Path: "languagemodel", Imports: []string{"domain", "connect"}, IntegrationTests: true, Exists: true},
	{Path: "notify", Imports: []string{"domain", "connect", "connect/mail"}, IntegrationTests: true, Exists: true},
	{Path: "checkpoint", Imports: []string{"domain", "audit"}, IntegrationTests: true, Exists: true},
	{Path: "checkpoint/places", Imports: []string{"domain", "audit", "blob/s3", "checkpoint", "internal/config"},
		Exists: true},
	{Path: "feed", Imports: []string{"domain", "events"}, Exists: true},
	{Path: "contracts", Imports: []string{"domain", "events", "feed", "contracts/events"}, Exists: true},
	{Path: "contracts/events", Pure: true, Exists: true},
	{Path: "archivecopy", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "export", Imports: []string{"domain"}, Pure: true, Exists: true},
	{Path: "live", Imports: []string{"domain", "events", testsignal}, IntegrationTests: true,
		Exists: true},
	{Path: "languagemodel/stage", Imports: []string{"domain", "casework", "languagemodel", "internal/config"},
		Exists: true},
	{Path: "casework", IntegrationTests: true, Exists: true, Imports: []string{
		"domain", "archivecopy", "bpmn", countries, "expr", "events", "facts", "workflow", "rules", "doctype",
		"reading/extraction", "reading/parsing", "authz",
		"audit", "sampling", "search", "store", testsignal, tracing,
	}},
	{Path: "views", Imports: []string{"domain", "bpmn", countries, "expr", "events", "export", "feed", "facts", "forecast", "workflow",
		"rules", "doctype", "authz", "audit", "sampling", "search", "store"}, IntegrationTests: true,
		Exists: true},
	{Path: "tasks", Imports: []string{"domain", "casework", testsignal, tracing}, IntegrationTests: true,
		Exists: true},
	{Path: "graph", Imports: []string{"domain", "casework", "views", "live", "events", "feed", "facts", "forecast",
		"search", "identity", testsignal, slowbody, clientaddr, tracing}, IntegrationTests: true, Exists: true},
	{Path: "web", Imports: []string{"domain", "casework", "views", "live", "events", "export", "feed",
		"identity", testsignal, slowbody, clientaddr, tracing}, IntegrationTests: true, Exists: true},
	{Path: "identity", Imports: []string{"domain", "store", "audit"}, IntegrationTests: true, Exists: true},
	{Path: "identity/oidc", Imports: []string{"domain", "identity", yamltext}, IntegrationTests: true, Exists: true},
	{Path: "examples/ledger", Imports: []string{"contracts/events"}, Exists: true},
	{Path: "examples/mailbox", Exists: true},
	{Path: "migrations", Exists: true},
	{Path: "frontend", Exists: true},
	{Path: "cmd/server", Imports: []string{anyPackage}, Exists: true},
	{Path: "cmd/worker", Imports: []string{anyPackage}, Exists: true},
	{Path: "cmd/countersign", Imports: []string{anyPackage}, Exists: true},
	{Path: "cmd/ocrengine", Imports: []string{"cmd/ocrengine/onnx", "cmd/ocrengine/ppocr"},
		Exists: true},
	{Path: "cmd/ocrengine/onnx", Exists: true},
	{Path: "cmd/ocrengine/ppocr", Pure: true, Exists: true},
	{Path: yamltext, Pure: true, Exists: true},
	{Path: tracing, Exists: true},
	{Path: otlpTracing, Imports: []string{"domain", tracing}, Exists: true},
	{Path: programs, Imports: []string{"domain", "store", "migrations", tracing, otlpTracing, "internal"},
		Exists: true},
	{Path: "internal", Imports: []string{"domain", "audit", "store", "migrations"}, Exists: true},
	{Path: "test", Imports: []string{anyPackage}, AllLibraries: true, Exists: true},
}

// adapters never know each other, and no test below them knows them either.
var adapters = []string{"graph", "web", "tasks", "cmd/server", "cmd/worker", "cmd/countersign",
	"test"}

// Library is a third-party module, or a part of one, and the packages whose source may import it.
// Tests of every package may import one marked Tests.
type Library struct {
	Path     string
	Packages []string
	Tests    bool
}

// libraries lists every third-party library of the project with the packages that own it. A library
// that no package imports fails the test.
var libraries = []Library{
	// Values and their rules.
	{Path: "github.com/bojanz/currency", Packages: []string{"domain"}},
	{Path: "github.com/google/uuid", Packages: []string{"domain", "store"}, Tests: true},
	{Path: "cel.dev/cel-go", Packages: []string{"expr"}},
	{Path: "github.com/goccy/go-yaml", Packages: []string{yamltext}},
	{Path: "github.com/santhosh-tekuri/jsonschema/v6", Packages: []string{"events", "feed", "workflow",
		"languagemodel"},
		Tests: true},
	{Path: "github.com/transparency-dev/merkle", Packages: []string{"audit"}},
	{Path: "github.com/transparency-dev/formats", Packages: []string{"audit", "checkpoint"}},
	{Path: "golang.org/x/mod/sumdb/note", Packages: []string{"audit", "checkpoint"}},
	{Path: "github.com/casbin/casbin/v2", Packages: []string{"authz"}},
	// Postgres.
	{Path: "github.com/jackc/pgx/v5", Packages: []string{"store", "store/bulk", "migrations",
		"internal", "examples/ledger"}, Tests: true},
	{Path: "github.com/pressly/goose/v3", Packages: []string{"migrations"}},
	// Redis and the queue.
	{Path: "github.com/redis/go-redis/v9", Packages: []string{"live", "tasks", "internal"},
		Tests: true},
	{Path: "github.com/hibiken/asynq", Packages: []string{"tasks"}},
	{Path: "github.com/alicebob/miniredis/v2", Packages: []string{"internal"}},
	// Adapters.
	{Path: "github.com/99designs/gqlgen", Packages: []string{"graph"}},
	{Path: "github.com/vektah/gqlparser/v2", Packages: []string{"graph"}, Tests: true},
	{Path: "github.com/Khan/genqlient", Packages: []string{"cmd/countersign"}},
	{Path: "github.com/vikstrous/dataloadgen", Packages: []string{"graph"}},
	{Path: "github.com/coder/websocket", Packages: []string{"graph", "web", "cmd/countersign"},
		Tests: true},
	{Path: "github.com/tus/tusd/v2", Packages: []string{"web"}},
	{Path: "golang.org/x/exp/slog", Packages: []string{"web"}}, // in which tusd logs
	// Authentication.
	{Path: "github.com/alexedwards/argon2id", Packages: []string{"identity"}},
	{Path: "github.com/go-webauthn/webauthn", Packages: []string{"identity"}},
	{Path: "github.com/coreos/go-oidc/v3", Packages: []string{"identity/oidc"}},
	{Path: "golang.org/x/oauth2", Packages: []string{"identity/oidc"}},
	{Path: "github.com/zitadel/oidc/v3", Packages: []string{"internal"}},
	{Path: "github.com/go-jose/go-jose/v4", Packages: []string{"internal"}, Tests: true},
	{Path: "github.com/descope/virtualwebauthn", Packages: []string{"internal"}},
	// Documents and their files.
	{Path: "github.com/gabriel-vasile/mimetype", Packages: []string{"reading/ocr"}},
	{Path: "golang.org/x/image", Packages: []string{"reading/ocr", "internal"}},
	{Path: "github.com/agnivade/levenshtein", Packages: []string{"reading/extraction", "search", "internal"}},
	{Path: "github.com/ebitengine/purego", Packages: []string{"cmd/ocrengine/onnx"}},
	{Path: "github.com/alecthomas/kong", Packages: []string{"cmd/countersign"}},
	{Path: "github.com/minio/minio-go/v7", Packages: []string{"blob/s3"}, Tests: true},
	// Receivers of events.
	{Path: "github.com/twmb/franz-go", Packages: []string{"connect/kafka", "examples/ledger"}, Tests: true},
	{Path: "github.com/wneessen/go-mail", Packages: []string{"connect/mail"}},
	{Path: "github.com/emersion/go-smtp", Packages: []string{"examples/mailbox"}, Tests: true},
	{Path: "github.com/emersion/go-sasl", Tests: true},
	// Observability.
	{Path: "github.com/prometheus/client_golang", Packages: []string{"cmd/server", "cmd/worker",
		programs, "web", "tasks"}},
	{Path: "go.opentelemetry.io/otel", Packages: []string{otlpTracing}},
	{Path: "github.com/exaring/otelpgx", Packages: []string{otlpTracing}},
	{Path: "go.opentelemetry.io/proto/otlp", Packages: []string{"test"}},
	{Path: "google.golang.org/protobuf", Packages: []string{"test"}},
	// Go's extended library.
	{Path: "golang.org/x/sys", Packages: []string{"reading/ocr", "blob", "internal"}},
	{Path: "golang.org/x/text", Packages: []string{"domain", countries, "reading/extraction", "search"}},
	// Tests only.
	{Path: "pgregory.net/rapid", Packages: []string{"internal"}, Tests: true},
	{Path: "go.uber.org/goleak", Tests: true},
}

// standard lists packages of the standard library that only these packages may import.
var standard = []Library{
	{Path: "database/sql", Packages: []string{"migrations"}},
	{Path: "net/http", Packages: []string{"examples/ledger", "examples/mailbox", "graph", "web", "identity", "identity/oidc", "connect", "languagemodel", "checkpoint", "reading/ocr",
		"cmd/server", "cmd/worker", "cmd/countersign", "internal", "test"}, Tests: true},
	{Path: "os/exec", Packages: []string{"reading/ocr", "cmd/countersign", "internal", "test"},
		Tests: true},
	{Path: "embed", Packages: []string{countries, "migrations", "frontend", "workflow", "rules", "doctype",
		"events", "export", "authz", "graph", "reading/extraction", "internal", "test"}},
}

// impure are packages a pure package may not import: they reach the machine or carry hidden values.
var impure = []string{"context", "crypto/rand", "io/ioutil", "log", "log/slog", "math/rand",
	"math/rand/v2", "net", "os", "path/filepath", "syscall"}

// Pure reports whether the package computes from values alone.
func Pure(importPath string) bool {
	rule := projectRules.ruleOf(importPath)
	return rule != nil && rule.Pure
}
