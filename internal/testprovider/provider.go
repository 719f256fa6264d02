// Package testprovider runs a real OpenID Connect provider in a test: the one of zitadel/oidc, with
// people, groups, and ways to break what it answers.
//
// What may enter: the provider, its people, signing in at its page, signing tokens with its key. What
// never happens here: code of the product.
package testprovider

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The client of every provider.
const (
	ClientID     = "countersign"
	ClientSecret = "a secret of the client"
	password     = "a password at the provider"
)

// Person is a person whom the provider knows.
type Person struct {
	Subject  string
	Employee any // the claim employee_id; nil = none
	Groups   []string
	Session  string         // sid
	Claims   map[string]any // further claims
}

// Provider is a running provider.
type Provider struct {
	Issuer string

	server  *httptest.Server
	storage *people
	down    atomic.Bool
	mu      sync.Mutex
	replace func(idToken string) string
}

// New starts a provider for the callbacks of a client.
func New(t testing.TB, callbacks ...string) *Provider {
	t.Helper()
	p := &Provider{}
	var handler http.Handler
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodPost && r.URL.Path == "/oauth/token" {
			p.serveToken(w, r, handler)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	p.Issuer = p.server.URL
	p.storage = &people{known: map[string]Person{}}
	p.storage.Storage = storage.NewStorageWithClients(p.storage, map[string]*storage.Client{
		ClientID: storage.WebClient(ClientID, ClientSecret, callbacks...)})
	handler = p.routes(t)
	return p
}

// routes are those of the example server of the library, which is not used itself because it changes a
// variable of the package that all providers of the process read.
func (p *Provider) routes(t testing.TB) http.Handler {
	t.Helper()
	config := &op.Config{CryptoKey: sha256.Sum256([]byte("test")), CryptoKeyId: "key1", CodeMethodS256: true,
		AuthMethodPost: true}
	provider, err := op.NewProvider(config, p.storage, op.StaticIssuer(p.Issuer), op.WithAllowInsecure())
	if err != nil {
		t.Fatal(err)
	}
	issuer := op.NewIssuerInterceptor(provider.IssuerFromRequest)
	callback := op.AuthCallbackURL(provider)
	routes := http.NewServeMux()
	routes.HandleFunc("GET /login/username", func(http.ResponseWriter, *http.Request) {}) // the form
	routes.Handle("POST /login/username", issuer.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("id")
		if err := p.storage.CheckUsernamePassword(r.FormValue("username"), r.FormValue("password"), id); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		http.Redirect(w, r, callback(r.Context(), id), http.StatusFound)
	}))
	routes.Handle("/", provider)
	return routes
}

// Put adds a person, or replaces one.
func (p *Provider) Put(person Person) {
	p.storage.mu.Lock()
	defer p.storage.mu.Unlock()
	p.storage.known[person.Subject] = person
}

// SetDown makes the provider answer nothing but errors, or lets it answer again.
func (p *Provider) SetDown(down bool) { p.down.Store(down) }

// ReplaceIDTokens changes the ID tokens that the provider issues from now on; nil stops it.
func (p *Provider) ReplaceIDTokens(change func(idToken string) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replace = change
}

// serveToken serves the token endpoint with the changed ID token.
func (p *Provider) serveToken(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	recorded := httptest.NewRecorder()
	handler.ServeHTTP(recorded, r)
	p.mu.Lock()
	change := p.replace
	p.mu.Unlock()
	var answer map[string]any
	if change == nil || json.Unmarshal(recorded.Body.Bytes(), &answer) != nil || answer["id_token"] == nil {
		w.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
		w.WriteHeader(recorded.Code)
		_, _ = io.Copy(w, recorded.Body)
		return
	}
	answer["id_token"] = change(answer["id_token"].(string)) //nolint:forcetypeassert // a text, or the test fails
	encoded, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.Copy(w, bytes.NewReader(encoded))
}

// SignIn signs a person in at the provider's page, as a browser that was sent to the address, and
// returns the address to which the provider sends the browser back.
func (p *Provider) SignIn(t testing.TB, address, subject string) *url.URL {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), p.Issuer) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page := p.get(t, browser, http.MethodGet, address, nil)
	answer := p.get(t, browser, http.MethodPost, p.Issuer+"/login/username", url.Values{
		"username": {subject}, "password": {password}, "id": {page.Request.URL.Query().Get("authRequestID")}})
	back, err := answer.Location()
	if err != nil {
		t.Fatalf("the provider sent the browser nowhere: %s %v", answer.Status, err)
	}
	return back
}

func (p *Provider) get(t testing.TB, browser *http.Client, method, address string,
	form url.Values) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address,
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

// Key returns the provider's private key and its id.
func (p *Provider) Key(t testing.TB) (*rsa.PrivateKey, string) {
	t.Helper()
	key, err := p.storage.SigningKey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	private, ok := key.Key().(*rsa.PrivateKey)
	if !ok {
		t.Fatal("the provider has no RSA key")
	}
	return private, key.ID()
}

// Sign signs claims with the provider's key.
func (p *Provider) Sign(t testing.TB, claims map[string]any) string {
	t.Helper()
	key, id := p.Key(t)
	return Sign(t, jose.RS256, key, id, claims)
}

// Sign signs claims with any key.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm,
		Key: jose.JSONWebKey{Key: key, KeyID: id}}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// LogoutClaims returns the claims of a logout token that is issued now.
func (p *Provider) LogoutClaims(now time.Time, id, subject, session string) map[string]any {
	claims := map[string]any{"iss": p.Issuer, "aud": ClientID, "iat": now.Unix(),
		"exp": now.Add(2 * time.Minute).Unix(), "jti": id,
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
	for name, value := range map[string]string{"sub": subject, "sid": session} {
		if value != "" {
			claims[name] = value
		}
	}
	return claims
}

// people is the provider's storage with the people of the test.
type people struct {
	*storage.Storage
	mu    sync.Mutex
	known map[string]Person
}

// GetUserByID implements storage.UserStore.
func (p *people) GetUserByID(subject string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.known[subject]; !ok {
		return nil
	}
	return &storage.User{ID: subject, Username: subject, Password: password}
}

// GetUserByUsername implements storage.UserStore.
func (p *people) GetUserByUsername(subject string) *storage.User { return p.GetUserByID(subject) }

// ExampleClientID implements storage.UserStore.
func (p *people) ExampleClientID() string { return storage.ServiceUserID }

// SetUserinfoFromRequest sets the claims of an ID token.
func (p *people) SetUserinfoFromRequest(_ context.Context, info *oidc.UserInfo, token op.IDTokenRequest,
	_ []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	person := p.known[token.GetSubject()]
	info.Subject = person.Subject
	if person.Employee != nil {
		info.AppendClaims("employee_id", person.Employee)
	}
	if person.Groups != nil {
		info.AppendClaims("groups", person.Groups)
	}
	if person.Session != "" {
		info.AppendClaims("sid", person.Session)
	}
	for name, value := range person.Claims {
		info.AppendClaims(name, value)
	}
	return nil
}
