package web

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
)

// Gate tells who comes and lets people in and out.
type Gate interface {
	Identify(ctx context.Context, credential identity.Credential) (identity.Known, error)
	SignIn(ctx context.Context, in identity.SignIn) (identity.SignedInPerson, error)
	SignOut(ctx context.Context, actor domain.Actor) error
}

// Files opens a case's files for those who may read the case; the hall is one.
type Files interface {
	OpenBlob(ctx context.Context, actor domain.Actor, in casework.OpenBlob) (casework.OpenedBlob, error)
}

// People tells what is known of a person.
type People interface {
	User(ctx context.Context, id domain.ID) (domain.User, error)
}

// Check asks whether something this server stands on answers. One that is not required is reported, but the server is
// ready without it.
type Check struct {
	Name     string
	Required bool
	Ask      func(ctx context.Context) error
}

// Options of a door.
type Options struct {
	Callers Callers // with the gate
	Files   Files
	People  People
	// GraphQL is mounted at /graphql as it is and asks Callers.Identify itself, anew for each message of a socket; nil = none.
	GraphQL http.Handler
	// Inline admits scripts inside the pages of GraphQL, which the explorer of development is.
	Inline bool
	App    fs.FS // the built page, rooted at its index.html; nil = not built
	Checks []Check
	// AdmitSignIn counts attempts to sign in from one network address and refuses with RateLimited; nil = no limit.
	AdmitSignIn func(ctx context.Context, address string) error
	// Uploads says what may be sent; pages ask before they send.
	Uploads UploadRules
	// DemoPeople reads whom the sign-in page offers; nil outside the demo.
	DemoPeople func() ([]DemoPerson, error)
	// PublicURL is the address people type; its pages may send commands beside the server's own.
	PublicURL string
	// Metrics serves /metrics, with QueueAges and Collectors beside the door's own figures: to this machine itself, and to
	// whoever shows MetricsToken, if there is one.
	Metrics      bool
	MetricsToken string
	QueueAges    func(ctx context.Context) ([]QueueAge, error)
	Collectors   []prometheus.Collector
	Clock        domain.Clock
	Log          *slog.Logger
}

// Door answers all HTTP of the server. It is an http.Handler.
type Door struct {
	options Options
	callers Callers
	secure  bool // the address people type is https
	log     *slog.Logger
	clock   domain.Clock
	guard   *http.CrossOriginProtection
	figures *figures // nil without metrics
	assets  assetShelf
	tus     http.Handler // nil where no file is taken in pieces
	handler http.Handler
}

// New makes the door. A public address that is no URL is InvalidInput.
func New(options Options) (*Door, error) {
	public, err := url.Parse(options.PublicURL)
	if err != nil || public.Host == "" || (public.Scheme != "http" && public.Scheme != "https") {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL", "%q is not an address that starts with http:// or https://", options.PublicURL)
	}
	d := &Door{options: options, callers: options.Callers, secure: public.Scheme == "https", log: options.Log, clock: options.Clock,
		guard: http.NewCrossOriginProtection()}
	if err := d.guard.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL", "%q is not an address of this server", options.PublicURL).Because(err)
	}
	if options.Metrics {
		if d.figures, err = newFigures(options); err != nil {
			return nil, err
		}
	}
	if options.Uploads.Folder != nil {
		if d.tus, err = newTus(options.Uploads, options.Log); err != nil {
			return nil, err
		}
	}
	d.handler = d.observed(d.routes())
	return d, nil
}

// ServeHTTP answers one request.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// Server wraps the door in an HTTP server whose patience has an end. Handlers that stream set their own deadlines.
func (d *Door) Server(addr string) *http.Server {
	return &http.Server{Addr: addr, Handler: d, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug)}
}

func (d *Door) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /auth/sign-in", d.short(d.signIn))
	mux.Handle("POST /auth/sign-out", d.short(d.signOut))
	mux.Handle("GET /auth/me", d.short(d.me))
	mux.Handle("GET /auth/options", d.short(d.signInOptions))
	mux.Handle("GET /cases/{id}/document", d.file(casework.BlobOriginal))
	mux.Handle("GET /cases/{id}/pages/{n}", d.file(casework.BlobPage))
	mux.Handle("GET /cases/{id}/manifest", d.file(casework.BlobManifest))
	mux.HandleFunc("GET /healthz", d.healthy)
	mux.HandleFunc("GET /readyz", d.ready)
	if d.figures != nil {
		mux.HandleFunc("GET /metrics", d.metrics)
	}
	if d.options.GraphQL != nil {
		mux.HandleFunc("/graphql", d.graphQL)
	}
	if d.tus != nil {
		mux.HandleFunc(uploadsPath, d.uploads)
	}
	// Whatever else begins like an interface of ours is not a page of the application.
	for _, prefix := range []string{"/auth/", "/graphql/", uploadsPath} {
		if prefix != uploadsPath || d.tus == nil {
			mux.HandleFunc(prefix, d.nowhere)
		}
	}
	mux.HandleFunc("/", d.app)
	return mux
}

func (d *Door) nowhere(w http.ResponseWriter, r *http.Request) {
	d.fail(w, r, domain.Fail(domain.NotFound, "There is nothing at this address."))
}

// explorerPolicy lets the explorer's page, served in development only, hold its own script.
const explorerPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

func (d *Door) graphQL(w http.ResponseWriter, r *http.Request) {
	if d.options.Inline {
		w.Header().Set("Content-Security-Policy", explorerPolicy)
	}
	d.options.GraphQL.ServeHTTP(w, r)
}
