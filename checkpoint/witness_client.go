package checkpoint

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/audit"
	"countersign/domain"
)

// witnessTimeout bounds one request to a witness.
const witnessTimeout = 10 * time.Second

// WitnessClient is a place at a witness.
type WitnessClient struct {
	address string
	key     WitnessKey
	client  *http.Client
	known   uint64 // size of the newest checkpoint of the witness
}

// NewWitnessClient returns a place at the witness with the address and the public key.
func NewWitnessClient(address, key string) (*WitnessClient, error) {
	parsed, err := ParseWitnessKey(key)
	if err != nil {
		return nil, err
	}
	return &WitnessClient{address: strings.TrimSuffix(address, "/"), key: parsed,
		client: &http.Client{Timeout: witnessTimeout}}, nil
}

// Name implements Place.
func (*WitnessClient) Name() string { return "witness" }

// Keep implements Place.
func (w *WitnessClient) Keep(ctx context.Context, given audit.Checkpoint, note []byte, prove Prove) (
	string, error) {
	// The first answer may say that the witness is at another size.
	for range 2 {
		if w.known > given.Size {
			return "", &ForkError{Place: "the witness", Kept: w.known, Given: given.Size}
		}
		status, body, err := w.add(ctx, given, note, prove)
		if err != nil {
			return "", err
		}
		switch status {
		case http.StatusOK:
			if !w.key.confirms(append(bytes.Clone(note), body...)) {
				return "", domain.Errorf(domain.Unavailable,
					"The answer of the witness is not signed with its key.")
			}
			w.known = given.Size
			return string(body), nil
		case http.StatusConflict:
			size, err := strconv.ParseUint(strings.TrimSpace(string(body)), 10, 63)
			if err != nil {
				return "", unexpected(status, body)
			}
			if size == w.known {
				return "", &ForkError{Place: "the witness", Kept: size, Given: given.Size}
			}
			w.known = size
		case http.StatusUnprocessableEntity:
			return "", &ForkError{Place: "the witness", Kept: w.known, Given: given.Size}
		default:
			return "", unexpected(status, body)
		}
	}
	return "", domain.Errorf(domain.Unavailable, "The witness is busy with another checkpoint.")
}

func unexpected(status int, body []byte) error {
	return domain.Errorf(domain.Unavailable, "The witness answered with status %d: %.200s.", status,
		strings.TrimSpace(string(body)))
}

// add sends the checkpoint with a proof from the known size.
func (w *WitnessClient) add(ctx context.Context, given audit.Checkpoint, note []byte, prove Prove) (int,
	[]byte, error) {
	var body bytes.Buffer
	_, _ = fmt.Fprintf(&body, "old %d\n", w.known)
	if w.known > 0 && w.known < given.Size {
		path, err := prove(ctx, w.known)
		if err != nil {
			return 0, nil, err
		}
		for _, hash := range path {
			body.WriteString(base64.StdEncoding.EncodeToString(hash) + "\n")
		}
	}
	body.WriteString("\n")
	body.Write(note)
	return w.request(ctx, http.MethodPost, "/add-checkpoint", &body)
}

func (w *WitnessClient) request(ctx context.Context, method, path string, body io.Reader) (int, []byte,
	error) {
	request, err := http.NewRequestWithContext(ctx, method, w.address+path, body)
	if err != nil {
		return 0, nil, domain.Invalid("COUNTERSIGN_WITNESS_URL", "The address of the witness cannot be used.").
			WithCause(err)
	}
	answer, err := w.client.Do(request)
	if err != nil {
		return 0, nil, domain.Errorf(domain.Unavailable, "The witness does not answer.").WithCause(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxRequest))
	if err != nil {
		return 0, nil, domain.Errorf(domain.Unavailable, "The answer of the witness was cut.").
			WithCause(err)
	}
	return answer.StatusCode, content, nil
}

// Notes implements Place: it returns the newest checkpoint of the witness, if its confirmation is
// valid.
func (w *WitnessClient) Notes(ctx context.Context) ([]audit.ExternalNote, error) {
	status, note, err := w.request(ctx, http.MethodGet, "/checkpoint", nil)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusNotFound:
		return nil, nil
	case status != http.StatusOK:
		return nil, unexpected(status, note)
	case !w.key.confirms(note):
		return nil, domain.Errorf(domain.Unavailable,
			"The checkpoint of the witness is not signed with its key.").
			WithRemedy("Check COUNTERSIGN_WITNESS_URL and COUNTERSIGN_WITNESS_KEY.")
	}
	return []audit.ExternalNote{{Place: "the witness", Note: note}}, nil
}
