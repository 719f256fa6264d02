// Package config is the only reader of the process environment. It declares every setting of every
// program once, with its name, its one default and a sentence of explanation.
//
// What may enter: settings of the machine a program runs on (addresses, folders, sizes, secrets).
// What never happens here: rules of the process (limits, thresholds and definitions are rows and
// data, not settings), opening connections, reading files. Secrets come from the environment only
// and are never printed.
package config

import (
	"net"
	"path/filepath"
	"strings"
	"time"
)

// Environment says how guarded a program is: production closes the explorer and introspection,
// development opens them, demo is development on a private database with made-up people.
type Environment string

// The three environments.
const (
	Production  Environment = "production"
	Development Environment = "development"
	Demo        Environment = "demo"
)

// Config holds every setting. A field is added with the tags env (the name), doc (one sentence)
// and, where it has one, default; oneof lists the allowed words, min the smallest allowed number or
// duration, secret hides the value. An empty variable counts as not set.
type Config struct {
	Environment Environment `env:"COUNTERSIGN_ENV" default:"production" oneof:"production development demo" doc:"How guarded the programs are."`

	Database Database
	Redis    Redis
	HTTP     HTTP
	SignIn   SignIn
	Bounds   Bounds

	BreakGlass BreakGlass
	Publishing Publishing

	Storage Storage
	S3      S3
	Reading Reading
	Work    Work
	Model   Model
	Connect Connect
	Mail    Mail
	Audit   Audit
	Log     Log
	Tracing Tracing
	Client  Client
	Test    Test
}

// Database is where the facts are kept.
type Database struct {
	URL         string `env:"DATABASE_URL" secret:"true" doc:"Postgres as the application role, which cannot alter the past."`
	MigrateURL  string `env:"MIGRATE_DATABASE_URL" secret:"true" doc:"Postgres as the owner role, for migrate only."`
	Connections int    `env:"COUNTERSIGN_DB_CONNECTIONS" default:"16" min:"2" doc:"Most connections one program opens to Postgres."`
}

// Redis carries notifications only.
type Redis struct {
	URL string `env:"REDIS_URL" secret:"true" doc:"Redis, for queue wake-ups and live hints; it may be emptied at any time."`
}

// HTTP is the server's API.
type HTTP struct {
	Addr           string   `env:"COUNTERSIGN_ADDR" default:"127.0.0.1:8080" doc:"Address the server listens on."`
	PublicURL      string   `env:"COUNTERSIGN_PUBLIC_URL" doc:"Address people type; empty means http:// and the listen address."`
	MaxUploadBytes int64    `env:"COUNTERSIGN_MAX_UPLOAD_BYTES" default:"52428800" min:"1" doc:"Largest document accepted, in bytes; refused while streaming."`
	Metrics        bool     `env:"COUNTERSIGN_METRICS" default:"true" doc:"Whether the programs serve /metrics."`
	MetricsAddr    string   `env:"COUNTERSIGN_METRICS_ADDR" default:"127.0.0.1:8082" doc:"Address of the server's /metrics, which everybody who reaches it may read; the worker has its own."`
	MetricsToken   string   `env:"COUNTERSIGN_METRICS_TOKEN" secret:"true" doc:"Bearer token that reads /metrics at COUNTERSIGN_ADDR too; empty refuses it."`
	TrustedProxies []string `env:"COUNTERSIGN_TRUSTED_PROXIES" doc:"Proxies, as addresses or networks separated by commas, whose Forwarded or X-Forwarded-For names the client, when the server starts for the first time; empty means none. Later two administrators change them."`
	DemoPeople     string   `env:"COUNTERSIGN_DEMO_PEOPLE" doc:"File of the demo's people, whom the sign-in page then offers; only with COUNTERSIGN_ENV=demo."`
}

// BreakGlass is what the operator may do by the command line after the setup.
type BreakGlass struct {
	Delay    time.Duration `env:"COUNTERSIGN_BREAK_GLASS_DELAY" default:"24h" min:"8h" doc:"When a change by the command line of the operator that raises power takes effect without a second operator's key."`
	Lifetime time.Duration `env:"COUNTERSIGN_BREAK_GLASS_LIFETIME" default:"24h" min:"1m" doc:"When such a change is taken back, at most 168h."`
}

// Publishing is how versions of processes are published.
type Publishing struct {
	OwnersWait time.Duration `env:"COUNTERSIGN_OWNERS_WAIT" default:"168h" min:"24h" doc:"How old a proposal must be before two administrators may publish it without the owners of the process."`
}

// SignIn is how people sign in.
type SignIn struct {
	Providers string `env:"COUNTERSIGN_OIDC_FILE" doc:"YAML file of the OpenID Connect providers through which people sign in; empty means none."`
	Passwords string `env:"COUNTERSIGN_PASSWORDS" default:"on" oneof:"on off" doc:"Whether people sign in by password; off needs COUNTERSIGN_OIDC_FILE."`
}

// PasswordsOff reports whether no one signs in by password.
func (s SignIn) PasswordsOff() bool { return s.Passwords == "off" }

// Bounds are what one person or one network address may ask for. An IPv6 address counts by its /64.
type Bounds struct {
	Requests           int64 `env:"COUNTERSIGN_REQUESTS_PER_MINUTE" default:"1200" min:"1" doc:"Requests a minute of one person; an administrator can give an API token a number of its own."`
	AddressRequests    int64 `env:"COUNTERSIGN_ADDRESS_REQUESTS_PER_MINUTE" default:"1200" min:"1" doc:"Requests a minute from one network address whose sender is not known."`
	SignIns            int64 `env:"COUNTERSIGN_SIGN_INS_PER_MINUTE" default:"30" min:"1" doc:"Attempts to sign in a minute from one network address, and from one browser in which the person signed in before."`
	Uploads            int64 `env:"COUNTERSIGN_UPLOADS_PER_MINUTE" default:"600" min:"1" doc:"Files that one person begins to send a minute."`
	OpenUploads        int64 `env:"COUNTERSIGN_OPEN_UPLOADS" default:"300" min:"1" doc:"Unfinished uploads of one person."`
	OpenUploadBytes    int64 `env:"COUNTERSIGN_OPEN_UPLOAD_BYTES" default:"2147483648" min:"1" doc:"Size of all unfinished uploads of one person together, in bytes, as announced."`
	Connections        int   `env:"COUNTERSIGN_CONNECTIONS_PER_PERSON" default:"60" min:"1" doc:"WebSockets and event streams of one person on one server, each some 100 kB of memory."`
	AddressConnections int   `env:"COUNTERSIGN_CONNECTIONS_PER_ADDRESS" default:"600" min:"1" doc:"WebSockets and event streams from one network address on one server."`
	Subscriptions      int   `env:"COUNTERSIGN_SUBSCRIPTIONS_PER_PERSON" default:"300" min:"1" doc:"Subscriptions of one person on one server, over all connections."`
}

// Storage is where originals, page images and archive copies lie.
type Storage struct {
	BlobDir     string        `env:"COUNTERSIGN_BLOB_DIR" default:".data/blobs" doc:"Folder of originals, page images and archive copies."`
	OrphanGrace time.Duration `env:"COUNTERSIGN_ORPHAN_GRACE" default:"24h" min:"1h" doc:"How old a stored file that no case names must be before the worker removes it; at least twice COUNTERSIGN_READ_TIMEOUT."`
	UploadDir   string        `env:"COUNTERSIGN_UPLOAD_DIR" doc:"Folder of files that come in pieces, until a case takes them; empty means uploads, beside the folder of originals."`
	UploadKeep  time.Duration `env:"COUNTERSIGN_UPLOAD_KEEP" default:"24h" min:"1m" doc:"How long an unfinished upload is kept after its last part."`
	TempDir     string        `env:"COUNTERSIGN_TEMP_DIR" doc:"Folder for uploads in flight and for sandboxes; empty means the system's."`
}

// S3 is a bucket for files, in place of the folders, so that hosts share no disk.
type S3 struct {
	Bucket    string `env:"COUNTERSIGN_S3_BUCKET" doc:"Bucket for originals, page images, archive copies and uploads; empty means that COUNTERSIGN_BLOB_DIR has them."`
	Endpoint  string `env:"COUNTERSIGN_S3_ENDPOINT" doc:"Address of the S3 service, such as https://s3.eu-central-1.amazonaws.com; needed with COUNTERSIGN_S3_BUCKET."`
	Region    string `env:"COUNTERSIGN_S3_REGION" doc:"Region of the bucket; empty means us-east-1."`
	Prefix    string `env:"COUNTERSIGN_S3_PREFIX" doc:"Beginning of the names of all objects, such as countersign/; may be empty."`
	AccessKey string `env:"COUNTERSIGN_S3_ACCESS_KEY" secret:"true" doc:"Access key."`
	SecretKey string `env:"COUNTERSIGN_S3_SECRET_KEY" secret:"true" doc:"Secret of the access key."`
	LockDays  int    `env:"COUNTERSIGN_S3_LOCK_DAYS" default:"0" min:"0" doc:"Days for which object lock (governance mode) protects each stored file; the bucket must have object lock. 0 means no lock."`
}

// Reading is how documents are turned into words.
type Reading struct {
	Tesseract           string        `env:"COUNTERSIGN_TESSERACT" default:"tesseract" doc:"The OCR program: a name on PATH or a path."`
	Engine              string        `env:"COUNTERSIGN_OCR_ENGINE" default:"both" oneof:"tesseract ppocr both" doc:"What reads scanned pages; both means ppocr, compared with a second reading by tesseract. ppocr and both fall back to tesseract where the files of ppocr are missing."`
	EngineProgram       string        `env:"COUNTERSIGN_OCR_ENGINE_PROGRAM" default:"ocrengine" doc:"The program of ppocr: a path, or a name on PATH or beside the worker."`
	EngineLibrary       string        `env:"COUNTERSIGN_OCR_LIBRARY" default:".data/ocrengine/libonnxruntime.so.1" doc:"ONNX Runtime, for ppocr."`
	EngineModels        string        `env:"COUNTERSIGN_OCR_MODELS" default:".data/ocrengine" doc:"Folder of the networks of ppocr, into which scripts/ocrengine/install.sh puts them and ONNX Runtime."`
	Languages           string        `env:"COUNTERSIGN_OCR_LANGUAGES" doc:"Languages in tesseract's names, joined by plus, the likeliest first; empty means eng, then whatever script a page is in."`
	Timeout             time.Duration `env:"COUNTERSIGN_READ_TIMEOUT" default:"10m" min:"1s" doc:"Longest time of one attempt to read a document. The next attempt continues after the pages that were read; each page has limits of its own far below."`
	SandboxAcceptLimits bool          `env:"COUNTERSIGN_SANDBOX_ACCEPT_LIMITS" default:"false" doc:"Accept resource limits alone where no sandbox can be had."`
}

// Work is what a worker does.
type Work struct {
	Queues      []string      `env:"COUNTERSIGN_QUEUES" default:"light,ocr,model,timers,connect" doc:"Queues this worker serves, separated by commas."`
	Concurrency int           `env:"COUNTERSIGN_OCR_CONCURRENCY" default:"0" min:"0" doc:"Documents read at the same time; 0 means one per processor."`
	HealthAddr  string        `env:"COUNTERSIGN_WORKER_ADDR" default:"127.0.0.1:8081" doc:"Address of the worker's /healthz, /readyz and /metrics."`
	ClaimLease  time.Duration `env:"COUNTERSIGN_CLAIM_LEASE" default:"30m" min:"1s" doc:"How long a claimed review stays with its reviewer without a sign of life."`
	ClaimLimit  int           `env:"COUNTERSIGN_CLAIM_LIMIT" default:"25" min:"1" doc:"Most reviews that one person can have claimed at a time."`
	// The server and the worker need the same value, since both set deadlines of reviews.
	DeadlineSpeed int `env:"COUNTERSIGN_DEADLINE_SPEED" default:"1" min:"1" doc:"How many times faster the deadlines of reviews come than the definitions say: 60 lets two hours pass in two minutes, to show it."`
}

// Model is the language model that processes with a stage of the behaviour parse ask. Only the worker
// uses it.
type Model struct {
	Endpoint      string        `env:"COUNTERSIGN_MODEL_ENDPOINT" doc:"Address of an OpenAI-compatible endpoint, in front of /chat/completions, such as https://models.example/v1; empty means that nothing is ever sent to a language model."`
	Name          string        `env:"COUNTERSIGN_MODEL_NAME" doc:"Name of the model; needed with COUNTERSIGN_MODEL_ENDPOINT."`
	Key           string        `env:"COUNTERSIGN_MODEL_KEY" secret:"true" doc:"API key of the endpoint, sent as a bearer token."`
	DocumentTypes []string      `env:"COUNTERSIGN_MODEL_DOCUMENT_TYPES" doc:"Document types whose text may be sent, and images of whose pages as COUNTERSIGN_MODEL_INPUT says, separated by commas; empty means none."`
	Input         string        `env:"COUNTERSIGN_MODEL_INPUT" default:"text" oneof:"text images" doc:"What is sent of a document: the text of its pages, or also images of them, for a model that reads images. Document types with never_sent fields send text only."`
	ImagePages    int           `env:"COUNTERSIGN_MODEL_IMAGE_PAGES" default:"10" min:"1" doc:"Of how many pages of a document images are sent, the first ones."`
	ImageSide     int           `env:"COUNTERSIGN_MODEL_IMAGE_SIDE" default:"1568" min:"256" doc:"Most pixels of the longer side of an image; a larger one is made smaller."`
	ImageBytes    int64         `env:"COUNTERSIGN_MODEL_IMAGE_BYTES" default:"1048576" min:"65536" doc:"Most bytes of one image; a larger PNG becomes a JPEG. All images of a request have at most 20 MB."`
	ImageTokens   int           `env:"COUNTERSIGN_MODEL_IMAGE_TOKENS" default:"2500" min:"1" doc:"What an image counts in the budgets before a call, and at least after it, whatever the endpoint reports; docs/model.md has the figures of models."`
	Timeout       time.Duration `env:"COUNTERSIGN_MODEL_TIMEOUT" default:"1m" min:"1s" doc:"How long one call may take."`
	Retries       int           `env:"COUNTERSIGN_MODEL_RETRIES" default:"2" min:"0" doc:"Further calls after a temporary failure."`
	Stream        bool          `env:"COUNTERSIGN_MODEL_STREAM" default:"false" doc:"Whether answers are streamed."`
	Concurrency   int           `env:"COUNTERSIGN_MODEL_CONCURRENCY" default:"4" min:"1" doc:"Calls of this worker at a time."`
	MaxTokens     int           `env:"COUNTERSIGN_MODEL_MAX_TOKENS" default:"4096" min:"64" doc:"Most tokens of one answer."`
	CaseTokens    int64         `env:"COUNTERSIGN_MODEL_CASE_TOKENS" default:"200000" min:"0" doc:"Most tokens for one case; 0 means no bound, as for all these budgets."`
	HourTokens    int64         `env:"COUNTERSIGN_MODEL_HOUR_TOKENS" default:"2000000" min:"0" doc:"Most tokens in an hour (UTC), of all workers."`
	DayTokens     int64         `env:"COUNTERSIGN_MODEL_DAY_TOKENS" default:"20000000" min:"0" doc:"Most tokens on a day (UTC), of all workers."`
	CaseCost      int64         `env:"COUNTERSIGN_MODEL_CASE_COST" default:"0" min:"0" doc:"Most money for one case, in millionths of COUNTERSIGN_MODEL_CURRENCY."`
	HourCost      int64         `env:"COUNTERSIGN_MODEL_HOUR_COST" default:"0" min:"0" doc:"Most money in an hour (UTC), in millionths."`
	DayCost       int64         `env:"COUNTERSIGN_MODEL_DAY_COST" default:"0" min:"0" doc:"Most money on a day (UTC), in millionths."`
	InputPrice    int64         `env:"COUNTERSIGN_MODEL_INPUT_PRICE" default:"0" min:"0" doc:"Price of a million tokens of prompts, in millionths: 2500000 is 2.50."`
	OutputPrice   int64         `env:"COUNTERSIGN_MODEL_OUTPUT_PRICE" default:"0" min:"0" doc:"Price of a million tokens of answers, in millionths."`
	Currency      string        `env:"COUNTERSIGN_MODEL_CURRENCY" default:"USD" doc:"Currency of prices and costs, a three-letter code."`
}

// Connect is the way to other systems.
type Connect struct {
	Addresses []string      `env:"COUNTERSIGN_CONNECTORS" doc:"Systems that sagas call, each as name=address, separated by commas, such as bank=https://bank.example/api."`
	Token     string        `env:"COUNTERSIGN_CONNECTOR_TOKEN" secret:"true" doc:"Bearer token shown to those systems."`
	Timeout   time.Duration `env:"COUNTERSIGN_CONNECTOR_TIMEOUT" default:"20s" min:"1s" doc:"How long one call to another system may take."`
	Secrets   []string      `env:"COUNTERSIGN_CONNECTOR_SECRETS" secret:"true" doc:"Secrets of connectors, separated by commas: name=whsec_… signs webhooks, name=login:USER:PASSWORD signs in at brokers and mail servers; the server and the worker need the same."`
	Networks  []string      `env:"COUNTERSIGN_CONNECTOR_NETWORKS" doc:"Private networks and addresses that connectors may reach, such as 10.1.0.0/16, separated by commas; empty means public addresses only."`
	CompareAt int           `env:"COUNTERSIGN_RECONCILE_HOUR" default:"2" min:"0" doc:"Hour of the day (UTC) after which connectors are compared with their receivers, 0 to 23."`
}

// Mail is how notices are sent by e-mail.
type Mail struct {
	Server string `env:"COUNTERSIGN_SMTP_URL" doc:"Mail server for notices: smtps://host:465, smtp://host:587 (STARTTLS) or, without encryption, smtp-plain://host:25; empty means that notices are not sent by e-mail."`
	From   string `env:"COUNTERSIGN_SMTP_FROM" doc:"Address of the sender of notices; needed with COUNTERSIGN_SMTP_URL."`
	Login  string `env:"COUNTERSIGN_SMTP_LOGIN" secret:"true" doc:"USER:PASSWORD for the mail server; empty means that it needs none."`
}

// Audit is how the checkpoints of the audit log are signed, where they are kept outside of the
// database, and what they are verified with.
type Audit struct {
	SignerFile string        `env:"COUNTERSIGN_CHECKPOINT_SIGNER" doc:"File with the private key that signs checkpoints, made by countersign audit keygen; only the worker needs it. Empty means that this program signs none."`
	TrustFile  string        `env:"COUNTERSIGN_CHECKPOINT_TRUST" doc:"File with the public keys that checkpoints are verified with; empty means that they are not verified."`
	Every      time.Duration `env:"COUNTERSIGN_CHECKPOINT_EVERY" default:"1m" min:"1s" doc:"Time between two checkpoints."`
	Dir        string        `env:"COUNTERSIGN_CHECKPOINT_DIR" doc:"Folder that keeps every checkpoint outside of the database, best on another machine; empty means none."`
	Bucket     string        `env:"COUNTERSIGN_CHECKPOINT_BUCKET" doc:"Bucket that keeps every checkpoint, at the S3 service of COUNTERSIGN_S3_ENDPOINT; empty means none."`
	LockDays   int           `env:"COUNTERSIGN_CHECKPOINT_LOCK_DAYS" default:"0" min:"0" doc:"Days for which object lock (compliance mode) protects each checkpoint in the bucket; 0 means no lock."`
	WitnessURL string        `env:"COUNTERSIGN_WITNESS_URL" doc:"Address of a witness that confirms checkpoints (countersign audit witness, or another one of C2SP tlog-witness); empty means none."`
	Witness    string        `env:"COUNTERSIGN_WITNESS_TRUST" doc:"Public key of the witness (name+hash+key); needed with COUNTERSIGN_WITNESS_URL."`
}

// Systems are the addresses by name; false names an entry that is not name=address, or that gives a
// name a second address.
func (c Connect) Systems() (systems map[string]string, wrong string, ok bool) {
	systems = map[string]string{}
	for _, entry := range c.Addresses {
		name, address, found := strings.Cut(entry, "=")
		name, address = strings.TrimSpace(name), strings.TrimSpace(address)
		if _, twice := systems[name]; twice || !found || name == "" || address == "" {
			return nil, entry, false
		}
		systems[name] = address
	}
	return systems, "", true
}

// Log is what the programs say about themselves.
type Log struct {
	Level  string `env:"COUNTERSIGN_LOG_LEVEL" default:"info" oneof:"debug info warn error" doc:"Smallest level that is logged."`
	Format string `env:"COUNTERSIGN_LOG_FORMAT" default:"json" oneof:"json text" doc:"Shape of a log line."`
}

// Tracing is where spans go. The names are those of OpenTelemetry.
type Tracing struct {
	Endpoint string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"Receiver of traces over OTLP/HTTP, such as http://127.0.0.1:4318; empty means that nothing is recorded."`
	Ratio    float64 `env:"OTEL_TRACES_SAMPLER_ARG" default:"0.1" doc:"Share of requests whose traces are recorded, 0 to 1; what follows from a recorded request is recorded too."`
}

// Client is how the command-line tool reaches a server.
type Client struct {
	URL   string `env:"COUNTERSIGN_URL" default:"http://127.0.0.1:8080" doc:"Server the command-line tool talks to."`
	Token string `env:"COUNTERSIGN_TOKEN" secret:"true" doc:"API token of the command-line tool."`
}

// Test holds settings of tests, which never read DATABASE_URL or REDIS_URL.
type Test struct {
	DatabaseURL string `env:"TEST_DATABASE_URL" secret:"true" doc:"A Postgres superuser on a server that tests may fill and empty; empty means a private one."`
	Programs    string `env:"COUNTERSIGN_TEST_PROGRAMS" doc:"Folder of programs that were built for the tests; empty means that each test process builds its own."`
}

// UploadFolder is the folder of files that come in pieces.
func (s Storage) UploadFolder() string {
	if s.UploadDir != "" {
		return s.UploadDir
	}
	return filepath.Join(filepath.Dir(filepath.Clean(s.BlobDir)), "uploads")
}

// PublicAddress is the address people type, without a slash at its end.
func (h HTTP) PublicAddress() string {
	if h.PublicURL != "" {
		return strings.TrimRight(h.PublicURL, "/")
	}
	host, port, err := net.SplitHostPort(h.Addr)
	if err != nil || host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // listening everywhere is reached here too
	}
	return "http://" + net.JoinHostPort(host, port)
}

// MigrationURL is the owner's URL, or the application's where no owner is given (one role for
// both).
func (d Database) MigrationURL() string {
	if d.MigrateURL == "" {
		return d.URL
	}
	return d.MigrateURL
}
