package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAge is how much the time of a signature may differ from the clock.
const maxAge = 5 * time.Minute

// parseSecrets reads secrets of the form whsec_<base64>, separated by commas.
func parseSecrets(text string) ([][]byte, error) {
	var secrets [][]byte
	for part := range strings.SplitSeq(text, ",") {
		encoded, found := strings.CutPrefix(strings.TrimSpace(part), "whsec_")
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(secret) < 24 {
			return nil, errors.New("the file must have one or two secrets whsec_…")
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// verify checks the signature of a delivery as Standard Webhooks defines it. Any signature by any of
// the secrets suffices, so that secrets can be rotated.
func verify(header http.Header, body []byte, secrets [][]byte, now time.Time) error {
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" {
		return errors.New("the delivery has no id or time")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age.Abs() > maxAge {
		return errors.New("the delivery is too old")
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(header.Get("webhook-signature")) {
			if hmac.Equal([]byte(given), []byte(want)) {
				return nil
			}
		}
	}
	return errors.New("the signature is not valid")
}
