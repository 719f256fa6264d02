package web

import (
	"cmp"
	"context"
	"encoding/json"
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
	"countersign/views"
)

// Authenticator authenticates requests and signs users in and out.
type Authenticator interface {
	Identify(ctx context.Context, credential identity.Credential) (identity.Identity, error)
	SignIn(ctx context.Context, in identity.SignInRequest) (identity.SignInResult, error)
	SignOut(ctx context.Context, actor domain.Actor) error
	// DeviceKey returns the key of the device with the cookie's secret if the user with the e-mail
	// address signed in on it before, else "".
	DeviceKey(ctx context.Context, email, device string) (string, error)
	PasskeyAuthenticator
	ProviderAuthenticator
}

// PasskeyAuthenticator authenticates by passkeys, and registers them.
type PasskeyAuthenticator interface {
	RelyingParty() string
	BeginPasskeySignIn(ctx context.Context) (identity.PasskeyRequest, error)
	SignInWithPasskey(ctx context.Context, in identity.PasskeySignIn) (identity.SignInResult, error)
	BeginConfirmation(ctx context.Context, actor domain.Actor) (identity.PasskeyRequest, error)
	Confirm(ctx context.Context, actor domain.Actor, signed domain.PasskeyAssertion) error
	ConfirmPassword(ctx context.Context, actor domain.Actor, proof identity.PasswordProof) (string, error)
	BeginRegistration(ctx context.Context, actor domain.Actor, proof identity.RegisteringProof) (
		json.RawMessage, error)
	FinishRegistration(ctx context.Context, actor domain.Actor, response []byte) (domain.Passkey, error)
}

// Files opens files of a case for actors who may read the case. casework.Service implements it.
type Files interface {
	OpenBlob(ctx context.Context, actor domain.Actor, in casework.OpenBlob) (casework.OpenedBlob,
		error)
	OpenComparedPage(ctx context.Context, actor domain.Actor, in casework.CompareCases, page int) (
		casework.OpenedBlob, error)
	OpenAttachment(ctx context.Context, actor domain.Actor, in casework.OpenAttachment) (
		casework.OpenedBlob, error)
}

// Feed reads the feed of events for receivers. views.Views implements it.
type Feed interface {
	Feed(ctx context.Context, actor domain.Actor, query views.FeedQuery) (views.FeedPage, error)
	Accesses(ctx context.Context, actor domain.Actor, after string, limit int) (views.AccessPage, error)
	AwaitFeed(ctx context.Context, page views.FeedPage, most time.Duration) (bool, error)
}

// People reads users.
type People interface {
	User(ctx context.Context, id domain.ID) (domain.User, error)
	PeopleOfRole(ctx context.Context, role domain.Role, queue string) ([]domain.ID, error)
	PersonSettings(ctx context.Context, person domain.ID) (map[domain.PersonSetting]int, error)
}

// Check probes a dependency of the server. The server is ready even if a check that is not required
// fails.
type Check struct {
	Name     string
	Required bool
	Probe    func(ctx context.Context) error
}

// Options of a handler.
type Options struct {
	Callers Callers // with the Authenticator
	Files   Files
	People  People
	// Feed reads the feed of events; nil disables it.
	Feed Feed
	// Exports reads what is exported, and Reads records that it was; nil disables exports.
	Exports Exports
	Reads   ReadLog
	// Unsubscribe checks the token of a link in an e-mail and, if confirmed, switches the e-mails of its
	// kinds off. nil disables the links.
	Unsubscribe func(ctx context.Context, token string, confirmed bool) error
	// GraphQL is mounted unchanged at /graphql. It calls Callers.Identify itself, again for each
	// message of a socket. nil disables it.
	GraphQL http.Handler
	// AllowInlineScripts allows inline scripts in the GraphQL pages, for the explorer in
	// development.
	AllowInlineScripts bool
	// the built application with index.html at its root; nil if it was not built
	App    fs.FS
	Checks []Check
	// AdmitSignIn counts sign-in attempts under a key, which is the client's network address or a
	// known device, and refuses with RateLimited; nil means no limit.
	AdmitSignIn func(ctx context.Context, key string) error
	// WritePack writes evidence packs.
	WritePack PackWriter
	// ChoosePassword sets the password of the person whose one-time link it is; nil = there are no
	// links.
	ChoosePassword func(ctx context.Context, secret, passwordHash string) error
	// Passkeys changes people's passkeys; nil disables them.
	Passkeys Passkeys
	// Uploads limits uploads; the pages read the limits before they upload.
	Uploads UploadRules
	// DemoPeople reads the users that the sign-in page offers; nil outside the demo.
	DemoPeople func() ([]DemoPerson, error)
	// Version is the program's version, for /healthz.
	Version string
	// PublicURL is the server's public address. Its pages may send commands like the server's own.
	PublicURL string
	// Metrics enables metrics, with QueueAges and Collectors in addition to those of this package.
	// MetricsServer serves them; /metrics of this handler does too if MetricsToken is set and sent.
	Metrics      bool
	MetricsToken string
	QueueAges    func(ctx context.Context) ([]QueueAge, error)
	Collectors   []prometheus.Collector
	// Proxies are trusted to report the client's address.
	Proxies clientaddr.Source
	// Admit counts a request by its actor, or by the client's address without one, and refuses with
	// RateLimited; nil means no limit.
	Admit func(ctx context.Context, actor domain.Actor, client string) error
	// Pace limits slow bodies and slow readers, HeaderTimeout a slow header (default 10 s), and
	// IdleTimeout the time between two requests of a connection (default 2 min).
	Pace                       slowbody.Pace
	HeaderTimeout, IdleTimeout time.Duration
	Clock                      domain.Clock
	Log                        *slog.Logger
}

// Handler serves all HTTP of the server. It is an http.Handler.
type Handler struct {
	options        Options
	callers        Callers
	secure         bool // the public address is https
	log            *slog.Logger
	clock          domain.Clock
	crossOrigin    *http.CrossOriginProtection
	requestMetrics *requestMetrics // nil without metrics
	assets         assetCache
	exports        exportSlots
	tus            http.Handler // nil without resumable uploads
	handler        http.Handler
}

// New returns the handler. It returns InvalidInput if the public address is not a valid URL.
func New(options Options) (*Handler, error) {
	public, err := url.Parse(options.PublicURL)
	if err != nil || public.Host == "" || (public.Scheme != "http" && public.Scheme != "https") {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL",
			"%q is not a URL that starts with http:// or https://.", options.PublicURL)
	}
	if options.Proxies == nil {
		options.Proxies = clientaddr.Proxies(nil)
	}
	h := &Handler{options: options, callers: options.Callers, secure: public.Scheme == "https",
		log: options.Log, clock: options.Clock,
		crossOrigin: http.NewCrossOriginProtection()}
	if err := h.crossOrigin.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return nil, domain.Invalid("COUNTERSIGN_PUBLIC_URL",
			"%q is not a valid address of this server.", options.PublicURL).WithCause(err)
	}
	if options.Metrics {
		if h.requestMetrics, err = newRequestMetrics(options); err != nil {
			return nil, err
		}
	}
	if options.Uploads.Store != nil {
		if h.tus, err = newTus(options.Uploads, options.Log); err != nil {
			return nil, err
		}
	}
	h.handler = h.guarded(h.table())
	return h, nil
}

// ServeHTTP handles one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.handler.ServeHTTP(w, r) }

// Server wraps the handler in an HTTP server. Every request is subject to Pace; streaming handlers
// set their own write deadlines.
func (h *Handler) Server(addr string) *http.Server { return h.serverOf(addr, h) }

func (h *Handler) serverOf(addr string, handler http.Handler) *http.Server {
	return &http.Server{Addr: addr, Handler: handler,
		ReadHeaderTimeout: cmp.Or(h.options.HeaderTimeout, 10*time.Second),
		IdleTimeout:       cmp.Or(h.options.IdleTimeout, 2*time.Minute), MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug)}
}

// guarded registers the routes and their scopes, and wraps all of them in the middleware (log line,
// headers, deadlines).
func (h *Handler) guarded(table []route) http.Handler {
	mux := http.NewServeMux()
	for _, line := range table {
		mux.HandleFunc(line.Pattern, func(w http.ResponseWriter, r *http.Request) {
			line.handler.ServeHTTP(w, r.WithContext(
				context.WithValue(r.Context(), scopesKey{}, line.Scopes)))
		})
	}
	return slowbody.Handler(h.instrument(mux), h.options.Pace, h.clock)
}

// Patterns returns the patterns of both route tables, so that tests can cover every route.
func (h *Handler) Patterns() (public, metrics []string) {
	for _, line := range h.table() {
		public = append(public, line.Pattern)
	}
	if h.requestMetrics != nil {
		for _, line := range h.metricsRoutes() {
			metrics = append(metrics, line.Pattern)
		}
	}
	return public, metrics
}

func (h *Handler) notFound(w http.ResponseWriter, r *http.Request) {
	h.writeError(w, r, domain.Errorf(domain.NotFound, "Page not found."))
}

// explorerPolicy allows the explorer's page, which is served in development only, to use its inline
// script.
const explorerPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

func (h *Handler) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	if h.options.AllowInlineScripts {
		w.Header().Set("Content-Security-Policy", explorerPolicy)
	}
	h.options.GraphQL.ServeHTTP(w, r)
}
