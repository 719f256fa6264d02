package web

import (
	"cmp"
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
	"countersign/internal/clientaddr"
	"countersign/internal/slowbody"
)

// Authenticator tells who comes and lets people in and out.
type Authenticator interface {
	Identify(ctx context.Context, credential identity.Credential) (identity.Identity, error)
	SignIn(ctx context.Context, in identity.SignInRequest) (identity.SignInResult, error)
	SignOut(ctx context.Context, actor domain.Actor) error
	// DeviceKey names the device, by its cookie's secret, if the person with the e-mail signed in on it before; "" else.
	DeviceKey(ctx context.Context, email, device string) (string, error)
}

// Files opens a case's files for those who may read the case; casework.Service is one.
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
	Probe    func(ctx context.Context) error
}

// Options of a handler.
type Options struct {
	Callers Callers // with the gate
	Files   Files
	People  People
	// GraphQL is mounted at /graphql as it is and asks Callers.Identify itself, anew for each message of a socket; nil = none.
	GraphQL http.Handler
	// AllowInlineScripts admits scripts inside the pages of GraphQL, which the explorer of development is.
	AllowInlineScripts bool
	App                fs.FS // the built page, rooted at its index.html; nil = not built
	Checks             []Check
	// AdmitSignIn counts attempts to sign in under a key, which stands for the client's network address or for a device on
	// which the person signed in before, and refuses with RateLimited; nil = no limit.
	AdmitSignIn func(ctx context.Context, key string) error
	// Uploads says what may be sent; pages ask before they send.
	Uploads UploadRules
	// DemoPeople reads whom the sign-in page offers; nil outside the demo.
	DemoPeople func() ([]DemoPerson, error)
	// Version of the program, for /healthz.
	Version string
	// PublicURL is the address people type; its pages may send commands beside the server's own.
	PublicURL string
	// Metrics counts, with QueueAges and Collectors beside the adapter   # graph, web, tasks; in test/browser "the server"'s own figures. MetricsServer shows them; /metrics of this
	// door does to callers that show MetricsToken, if there is one.
	Metrics      bool
	MetricsToken string
	QueueAges    func(ctx context.Context) ([]QueueAge, error)
	Collectors   []prometheus.Collector
	// Proxies are trusted to report the client's address.
	Proxies clientaddr.Proxies
	// Admit counts a request by its sender, or by the client's address where there is none, and refuses with RateLimited;
	// nil = no limit.
	Admit func(ctx context.Context, actor domain.Actor, client string) error
	// Pace bounds slow bodies and slow readers, HeaderTimeout a slow header (default 10 s), IdleTimeout a connection between
	// two requests (default 2 min).
	Pace                       slowbody.Pace
	HeaderTimeout, IdleTimeout time.Duration
	Clock                      domain.Clock
	Log                        *slog.Logger
}

// Handler answers all HTTP of the server. It is an http.Handler.
type Handler struct {
	options        Options
	callers        Callers
	secure         bool // the address people type is https
	log            *slog.Logger
	clock          domain.Clock
	crossOrigin    *http.CrossOriginProtection
	requestMetrics *requestMetrics // nil without metrics
	assets         assetCache
	tus            http.Handler // nil where no file is taken in pieces
	handler        http.Handler
}

// New makes the adapter   # graph, web, tasks; in test/browser "the server". A public address that is no URL is InvalidInput.
func New(options Options) (*Handler, error) {
	public, err := url.Parse(options.PublicURL)
	if err != nil || public.Host == "" || (public.Scheme != "http" && public.Scheme != "https") {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL", "%q is not an address that starts with http:// or https://", options.PublicURL)
	}
	d := &Handler{options: options, callers: options.Callers, secure: public.Scheme == "https", log: options.Log, clock: options.Clock,
		crossOrigin: http.NewCrossOriginProtection()}
	if err := d.crossOrigin.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL", "%q is not an address of this server", options.PublicURL).WithCause(err)
	}
	if options.Metrics {
		if d.requestMetrics, err = newRequestMetrics(options); err != nil {
			return nil, err
		}
	}
	if options.Uploads.Folder != nil {
		if d.tus, err = newTus(options.Uploads, options.Log); err != nil {
			return nil, err
		}
	}
	d.handler = d.guarded(d.table())
	return d, nil
}

// ServeHTTP answers one request.
func (d *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// Server wraps the adapter   # graph, web, tasks; in test/browser "the server" in an HTTP server. Every request is held to the pace; handlers that stream set their own
// deadlines for writing.
func (d *Handler) Server(addr string) *http.Server { return d.serverOf(addr, d) }

func (d *Handler) serverOf(addr string, handler http.Handler) *http.Server {
	return &http.Server{Addr: addr, Handler: handler, ReadHeaderTimeout: cmp.Or(d.options.HeaderTimeout, 10*time.Second),
		IdleTimeout: cmp.Or(d.options.IdleTimeout, 2*time.Minute), MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug)}
}

// guarded serves the table. A handler learns who is signed in by signedIn alone, which asks for the route's scopes. What
// surrounds every route (log line, headers, deadlines) is put around it here, once.
func (d *Handler) guarded(table []route) http.Handler {
	mux := http.NewServeMux()
	for _, line := range table {
		mux.HandleFunc(line.Pattern, func(w http.ResponseWriter, r *http.Request) {
			line.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), scopesKey{}, line.Scopes)))
		})
	}
	return slowbody.Handler(d.instrument(mux), d.options.Pace, d.clock)
}

// Patterns are those of the two tables, so that what is said of every route can be tried on every route.
func (d *Handler) Patterns() (public, metrics []string) {
	for _, line := range d.table() {
		public = append(public, line.Pattern)
	}
	if d.requestMetrics != nil {
		for _, line := range d.metricsRoutes() {
			metrics = append(metrics, line.Pattern)
		}
	}
	return public, metrics
}

func (d *Handler) notFound(w http.ResponseWriter, r *http.Request) {
	d.writeError(w, r, domain.Errorf(domain.NotFound, "There is nothing at this address."))
}

// explorerPolicy lets the explorer's page, served in development only, hold its own script.
const explorerPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

func (d *Handler) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	if d.options.AllowInlineScripts {
		w.Header().Set("Content-Security-Policy", explorerPolicy)
	}
	d.options.GraphQL.ServeHTTP(w, r)
}
