package layout

// Room is one folder of the house with its packages. Imports are the rooms of ours that its source may import.
type Room struct {
	Path    string
	Imports []string
	// Present says that the room stands: it failing to exist is then a breach, and so is existing without it.
	Present bool
	// Pure rooms compute from values alone: no I/O, no wall clock, no goroutines.
	Pure bool
	// Measures says that the room may use every listed library, to measure or disturb the parts from outside.
	Measures bool
	// Wires says that the room's tests put the real parts below it together, and may import every room but the doors.
	Wires bool
}

// Names that stand for more than one room in a list of imports.
const (
	everyRoom = "*"
	// testsignal lets a test wait for a moment inside a room; it is silent in production, so rooms may hold one.
	testsignal = "internal/testsignal"
)

// rooms is the table of design: the direction of imports. internal/ and test/ are many packages under one rule.
var rooms = []Room{
	{Path: "domain", Pure: true, Present: true},
	{Path: "expr", Imports: []string{"domain"}, Pure: true, Present: true},
	{Path: "events", Imports: []string{"domain"}, Pure: true, Present: true},
	{Path: "audit", Imports: []string{"domain"}, Pure: true, Present: true},
	{Path: "reading/extraction", Imports: []string{"domain"}, Pure: true, Present: true},
	{Path: "workflow", Imports: []string{"domain", "expr"}, Pure: true, Present: true},
	{Path: "rules", Imports: []string{"domain", "expr"}, Pure: true, Present: true},
	{Path: "authz", Imports: []string{"domain", "expr"}, Present: true},
	{Path: "store", Imports: []string{"domain", testsignal}, Present: true},
	{Path: "blob", Imports: []string{"domain"}, Present: true},
	{Path: "reading/ocr", Imports: []string{"domain", testsignal}, Present: true},
	{Path: "connect", Imports: []string{"domain", "events", testsignal}, Wires: true, Present: true},
	{Path: "live", Imports: []string{"domain", "events", testsignal}, Wires: true, Present: true},
	{Path: "casework", Wires: true, Present: true, Imports: []string{
		"domain", "expr", "events", "workflow", "rules", "reading/extraction", "authz", "audit", "store", testsignal,
	}},
	{Path: "views", Imports: []string{"domain", "expr", "workflow", "rules", "authz", "audit", "store"}, Wires: true, Present: true},
	{Path: "tasks", Imports: []string{"domain", "casework", testsignal}, Wires: true, Present: true},
	{Path: "graph", Imports: []string{"domain", "casework", "views", "live", "events", "identity", testsignal}, Wires: true, Present: true},
	{Path: "web", Imports: []string{"domain", "casework", "views", "live", "events", "identity", testsignal}, Wires: true, Present: true},
	{Path: "identity", Imports: []string{"domain", "store"}, Wires: true, Present: true},
	{Path: "migrations", Present: true},
	{Path: "frontend", Present: true},
	{Path: "cmd/server", Imports: []string{everyRoom}, Present: true},
	{Path: "cmd/worker", Imports: []string{everyRoom}, Present: true},
	{Path: "cmd/countersign", Imports: []string{everyRoom}, Present: true},
	{Path: "internal", Imports: []string{"domain", "store", "migrations"}, Present: true},
	{Path: "test", Imports: []string{everyRoom}, Measures: true, Present: true},
}

// doors never know each other, and no test below them knows them either.
var doors = []string{"graph", "web", "tasks", "cmd/server", "cmd/worker", "cmd/countersign", "test"}

// Library is a third-party module, or a part of one, and the rooms whose source may import it. Tests of every room
// may import one marked Tests.
type Library struct {
	Path  string
	Rooms []string
	Tests bool
}

// libraries lists every third-party library of the house with its owner.
var libraries = []Library{
	// The law of values.
	{Path: "github.com/bojanz/currency", Rooms: []string{"domain"}},
	{Path: "github.com/google/uuid", Rooms: []string{"domain", "store"}, Tests: true},
	{Path: "cel.dev/cel-go", Rooms: []string{"expr"}},
	{Path: "github.com/goccy/go-yaml", Rooms: []string{"workflow", "rules"}},
	{Path: "github.com/santhosh-tekuri/jsonschema/v6", Rooms: []string{"events", "workflow"}},
	{Path: "github.com/transparency-dev/merkle", Rooms: []string{"audit"}},
	{Path: "github.com/casbin/casbin/v2", Rooms: []string{"authz"}},
	{Path: "github.com/casbin/govaluate", Rooms: []string{"authz"}},
	// Postgres.
	{Path: "github.com/jackc/pgx/v5", Rooms: []string{"store", "migrations", "internal"}, Tests: true},
	{Path: "github.com/exaring/otelpgx", Rooms: []string{"store"}},
	{Path: "github.com/pressly/goose/v3", Rooms: []string{"migrations"}},
	// Redis and the queue.
	{Path: "github.com/redis/go-redis/v9", Rooms: []string{"live", "internal"}, Tests: true},
	{Path: "github.com/hibiken/asynq", Rooms: []string{"tasks"}},
	{Path: "github.com/alicebob/miniredis/v2", Rooms: []string{"internal"}},
	// The doors.
	{Path: "github.com/99designs/gqlgen", Rooms: []string{"graph"}},
	{Path: "github.com/vektah/gqlparser/v2", Rooms: []string{"graph"}},
	{Path: "github.com/vikstrous/dataloadgen", Rooms: []string{"graph"}},
	{Path: "github.com/coder/websocket", Rooms: []string{"graph", "web", "cmd/countersign"}, Tests: true},
	{Path: "github.com/tus/tusd/v2", Rooms: []string{"web"}},
	{Path: "golang.org/x/exp/slog", Rooms: []string{"web"}}, // in which tusd logs
	// Who someone is.
	{Path: "github.com/coreos/go-oidc/v3", Rooms: []string{"identity"}},
	{Path: "golang.org/x/oauth2", Rooms: []string{"identity"}},
	{Path: "github.com/alexedwards/argon2id", Rooms: []string{"identity"}},
	// Documents and their files.
	{Path: "github.com/gabriel-vasile/mimetype", Rooms: []string{"reading/ocr"}},
	{Path: "github.com/pdfcpu/pdfcpu", Rooms: []string{"reading/ocr"}},
	{Path: "golang.org/x/image", Rooms: []string{"reading/ocr"}},
	{Path: "gocloud.dev", Rooms: []string{"blob"}},
	{Path: "github.com/alecthomas/kong", Rooms: []string{"cmd/countersign"}},
	// Outward.
	{Path: "github.com/wneessen/go-mail", Rooms: []string{"connect"}},
	{Path: "github.com/twmb/franz-go", Rooms: []string{"connect"}},
	// Sight.
	{Path: "github.com/prometheus/client_golang", Rooms: []string{"cmd/server", "cmd/worker", "web", "tasks"}},
	{Path: "go.opentelemetry.io/otel", Rooms: []string{"cmd/server", "cmd/worker", "graph", "web", "tasks"}},
	// The language's own further packages.
	{Path: "golang.org/x/sys", Rooms: []string{"reading/ocr", "blob", "internal"}},
	{Path: "golang.org/x/sync", Rooms: []string{"casework", "live", "reading/ocr", "tasks", "graph", "cmd/server", "cmd/worker", "cmd/countersign"}, Tests: true},
	{Path: "golang.org/x/text", Rooms: []string{"domain", "reading/extraction"}},
	// Tests only.
	{Path: "pgregory.net/rapid", Tests: true},
	{Path: "go.uber.org/goleak", Tests: true},
	{Path: "github.com/anishathalye/porcupine", Tests: true},
}

// standard lists packages of the standard library that only these rooms may import.
var standard = []Library{
	{Path: "database/sql", Rooms: []string{"migrations"}},
	{Path: "net/http", Rooms: []string{"graph", "web", "identity", "connect", "reading/ocr", "cmd/server", "cmd/worker", "cmd/countersign", "internal", "test"}, Tests: true},
	{Path: "os/exec", Rooms: []string{"reading/ocr", "cmd/countersign", "internal", "test"}, Tests: true},
	{Path: "embed", Rooms: []string{"migrations", "frontend", "workflow", "rules", "events", "authz", "graph", "internal", "test"}},
}

// impure are packages a pure room may not import: they reach the machine or carry hidden values.
var impure = []string{"context", "crypto/rand", "io/ioutil", "log", "log/slog", "math/rand", "math/rand/v2", "net", "os", "path/filepath", "syscall"}
