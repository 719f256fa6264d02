package audit

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"countersign/domain"
)

// signedDecision is an approval with its key and a function that signs messages.
type signedDecision struct {
	domain.Decision
	key  RegisteredKey
	sign func(message []byte) []byte
}

func newSignedDecision(t *testing.T, private crypto.Signer) *signedDecision {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	d := &signedDecision{Decision: domain.Decision{CaseID: domain.NewID(), ReviewID: domain.NewID(),
		ID: domain.NewID(), Actor: domain.NewID(), Verdict: domain.Approve, Reason: "checked",
		Evidence: domain.Evidence{Amount: "5.00 EUR", Overrides: []domain.ID{domain.NewID()}}}}
	d.key = RegisteredKey{ID: domain.NewID(), Person: d.Actor, RelyingParty: "review.example",
		CredentialID: []byte("credential"), PublicKey: public}
	d.sign = func(message []byte) []byte {
		hash, digest := crypto.SHA256, sha256.Sum256(message)
		text := digest[:]
		if _, ok := private.(ed25519.PrivateKey); ok {
			hash, text = crypto.Hash(0), message
		}
		signature, err := private.Sign(rand.Reader, text, hash)
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	statement, err := StatementOf(&d.Decision, "3", nil)
	if err != nil {
		t.Fatal(err)
	}
	d.signStatement(statement, clientData{Type: "webauthn.get", Origin: "https://review.example"}, nil)
	return d
}

// signStatement signs a statement with the client data; change alters the authenticator's data before.
func (d *signedDecision) signStatement(statement string, client clientData, change func([]byte) []byte) {
	challenge := sha256.Sum256([]byte(statement))
	if client.Challenge == "" {
		client.Challenge = base64.RawURLEncoding.EncodeToString(challenge[:])
	}
	encoded, _ := json.Marshal(client)
	party := sha256.Sum256([]byte(d.key.RelyingParty))
	data := append(party[:], flagUserPresent|flagUserVerified, 0, 1, 0, 7)
	if change != nil {
		data = change(data)
	}
	hash := sha256.Sum256(encoded)
	d.Signature = &domain.ApprovalSignature{PasskeyID: d.key.ID, Statement: statement,
		PasskeyAssertion: domain.PasskeyAssertion{CredentialID: d.key.CredentialID, ClientData: encoded,
			AuthenticatorData: data, Signature: d.sign(append(append([]byte{}, data...), hash[:]...))}}
}

// Signatures by each kind of key verify, and none that says something else, of any kind.
func TestVerifyApproval(t *testing.T) {
	t.Parallel()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	modulus, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	right := clientData{Type: "webauthn.get", Origin: "https://review.example"}
	for name, private := range map[string]crypto.Signer{"ES256": curve, "EdDSA": edwards, "RS256": modulus} {
		d := newSignedDecision(t, private)
		if err := VerifyApproval(&d.Decision, d.key); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		count, err := VerifyAssertion(d.key, d.Signature.PasskeyAssertion, challengeOf(d.Signature.Statement))
		if err != nil || count != 0x10007 {
			t.Fatalf("%s: count %d %v", name, count, err)
		}
		for what, change := range map[string]func(*signedDecision){
			"the case":         func(d *signedDecision) { d.CaseID = domain.NewID() },
			"the review":       func(d *signedDecision) { d.ReviewID = domain.NewID() },
			"the delegator":    func(d *signedDecision) { d.OnBehalfOf = domain.NewID() },
			"the verdict":      func(d *signedDecision) { d.Verdict = domain.Reject },
			"the reason":       func(d *signedDecision) { d.Reason = "other" },
			"the evidence":     func(d *signedDecision) { d.Evidence.Amount = "6.00 EUR" },
			"the person":       func(d *signedDecision) { d.Actor = domain.NewID() },
			"the key's person": func(d *signedDecision) { d.key.Person = domain.NewID() },
			"the passkey":      func(d *signedDecision) { d.key.ID = domain.NewID() },
			"the credential":   func(d *signedDecision) { d.key.CredentialID = []byte("x") },
			"the public key":   func(d *signedDecision) { d.key.PublicKey = []byte("x") },
			"the domain":       func(d *signedDecision) { d.key.RelyingParty = "evil.example" },
			"no domain":        func(d *signedDecision) { d.key.RelyingParty = "" },
			"the statement":    func(d *signedDecision) { d.Signature.Statement += " " },
			"the signature":    func(d *signedDecision) { d.Signature.Signature[8] ^= 1 },
			"no signature":     func(d *signedDecision) { d.Signature.Signature = nil },
			"client data that is no JSON": func(d *signedDecision) {
				d.Signature.ClientData = []byte("{")
			},
			"a registration": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: "webauthn.create", Origin: right.Origin}, nil)
			},
			"within another page": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: right.Origin, CrossOrigin: true}, nil)
			},
			"another challenge": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: right.Origin, Challenge: "AAAA"}, nil)
			},
			"another page": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: "https://evil.example"}, nil)
			},
			"a part of the domain": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: "https://x.review.example"}, nil)
			},
			"without HTTPS": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: "http://review.example"}, nil)
			},
			"no address": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, clientData{Type: right.Type, Origin: ":"}, nil)
			},
			"no person": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, right, func(data []byte) []byte {
					data[32] = flagUserVerified
					return data
				})
			},
			"no PIN": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, right, func(data []byte) []byte {
					data[32] = flagUserPresent
					return data
				})
			},
			"the authenticator's domain": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, right, func(data []byte) []byte {
					data[0] ^= 1
					return data
				})
			},
			"short data": func(d *signedDecision) {
				d.signStatement(d.Signature.Statement, right, func(data []byte) []byte { return data[:36] })
			},
			"a statement that is no JSON": func(d *signedDecision) { d.signStatement("x", right, nil) },
			"a statement of another format": func(d *signedDecision) {
				var s domain.ApprovalStatement
				_ = json.Unmarshal([]byte(d.Signature.Statement), &s)
				s.Format = "countersign.approval.v0"
				text, _ := domain.CanonicalJSON(s)
				d.signStatement(string(text), right, nil)
			},
			"a statement of another reviewer": func(d *signedDecision) {
				var s domain.ApprovalStatement
				_ = json.Unmarshal([]byte(d.Signature.Statement), &s)
				s.Actor = domain.NewID()
				text, _ := domain.CanonicalJSON(s)
				d.signStatement(string(text), right, nil)
			},
		} {
			d := newSignedDecision(t, private)
			change(d)
			if VerifyApproval(&d.Decision, d.key) == nil {
				t.Errorf("%s, %s: verified", name, what)
			}
		}
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := newSignedDecision(t, curve)
	forged.sign = newSignedDecision(t, other).sign
	forged.signStatement(forged.Signature.Statement, right, nil)
	if VerifyApproval(&forged.Decision, forged.key) == nil {
		t.Error("signed with another key: verified")
	}
}

// The statement has the overrides of the approval, and the hash of a signature is that of its JSON.
func TestStatementOf(t *testing.T) {
	t.Parallel()
	d := &domain.Decision{Verdict: domain.Approve}
	without, err := StatementOf(d, "1", nil)
	if err != nil || !strings.Contains(without, `"overrides":[]`) {
		t.Errorf("%s %v", without, err)
	}
	with, err := StatementOf(d, "1", []domain.StatementOverride{{Rule: "iban_check", Reason: "called the bank"}})
	if err != nil || !strings.Contains(with, `"overrides":[{"reason":"called the bank","rule":"iban_check"}]`) {
		t.Errorf("%s %v", with, err)
	}
	signature := &domain.ApprovalSignature{Statement: with}
	text, err := domain.CanonicalJSON(signature)
	if err != nil {
		t.Fatal(err)
	}
	if hash, err := SignatureHash(signature); err != nil || hash != hexSum(text) {
		t.Errorf("%s %v", hash, err)
	}
}

func challengeOf(statement string) []byte {
	sum := sha256.Sum256([]byte(statement))
	return sum[:]
}

// A signature is valid only by a passkey that the record registers before the decision.
func TestApprovalVerifier(t *testing.T) {
	t.Parallel()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := newSignedDecision(t, private)
	unsigned := domain.Decision{ReviewID: domain.NewID()}
	key := Leaf{Kind: LeafPasskey, Item: d.key.ID, Hash: d.key.Hash()}
	decided := Leaf{Kind: LeafDecision, Item: d.ReviewID}
	for what, tc := range map[string]struct {
		leaves   []Leaf
		keys     bool
		complete bool
		valid    bool
	}{
		"in order":                  {[]Leaf{key, decided}, true, true, true},
		"in no checkpoint yet":      {nil, true, true, true},
		"the key alone":             {[]Leaf{key}, true, true, true},
		"registered later":          {[]Leaf{decided, key}, true, true, false},
		"registered nowhere":        {[]Leaf{decided}, true, true, false},
		"an unknown key":            {[]Leaf{key, decided}, false, false, false},
		"another key in the log":    {[]Leaf{{Kind: LeafPasskey, Item: d.key.ID}, decided}, true, true, false},
		"a registration is missing": {[]Leaf{key, {Kind: LeafPasskey, Item: domain.NewID()}, decided}, true, true, false},
		"another's registration":    {[]Leaf{key, {Kind: LeafPasskey, Item: domain.NewID()}, decided}, true, false, true},
	} {
		v := newApprovalVerifier()
		for i, leaf := range tc.leaves {
			v.addLeaf(leaf, int64(i))
		}
		if tc.keys {
			body, _ := json.Marshal(passkeyBody{PasskeyID: d.key.ID, UserID: d.key.Person,
				RelyingParty: d.key.RelyingParty,
				CredentialID: base64.RawURLEncoding.EncodeToString(d.key.CredentialID),
				PublicKey:    base64.RawURLEncoding.EncodeToString(d.key.PublicKey)})
			v.addEvent(&domain.Event{Type: domain.PasskeyRegistered, Body: body})
		}
		v.addEvent(&domain.Event{Type: domain.PasskeyRegistered, Body: []byte("{")})
		v.addEvent(&domain.Event{Type: domain.UserChanged, Body: []byte("{}")})
		v.addDecisions([]domain.Decision{unsigned, d.Decision})
		found := v.breaks(tc.complete)
		if (len(found) == 0) != tc.valid || tc.valid != (v.valid == 1 && len(found) == 0) {
			t.Errorf("%s: %d valid, %v", what, v.valid, found)
		}
	}
	for _, body := range []string{`{"credentialId":"!"}`, `{"publicKey":"!"}`, `[]`} {
		if _, err := ParseRegistration(&domain.Event{Body: []byte(body)}); err == nil {
			t.Errorf("%s was read", body)
		}
	}
}
