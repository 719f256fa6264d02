package modelvendor

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

const (
	maxBody    = 64 << 20
	hugeAnswer = 10 << 20
)

// request is a request for a chat completion.
type request struct {
	Model    string
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens      int `json:"max_tokens"`
	ResponseFormat struct {
		JSONSchema struct {
			Name   string
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`

	key    string
	images []SeenImage
}

// userText returns the text of the first message of the user.
func (r *request) userText() string {
	for _, message := range r.Messages {
		if message.Role != "user" {
			continue
		}
		found := parts(message.Content)
		if len(found) == 1 {
			return found[0].Text
		}
		text := ""
		for _, one := range found {
			text += one.Text + "\n"
		}
		return text
	}
	return ""
}

// isRepair reports whether the request has an earlier answer.
func (r *request) isRepair() bool {
	for _, message := range r.Messages {
		if message.Role == "assistant" {
			return true
		}
	}
	return false
}

func (v *Vendor) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var asked request
	if err != nil || json.Unmarshal(body, &asked) != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "The body cannot be read.")
		return
	}
	asked.key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	problem := asked.decodeImages()
	behaviour := v.enter(Seen{Model: asked.Model, Key: asked.key, Repair: asked.isRepair(),
		Stream: asked.Stream, Body: body, Images: asked.images})
	defer v.leave()
	if v.options.Key != "" && asked.key != v.options.Key {
		behaviour = Unauthorized
	}
	if problem != nil {
		refuse(w, http.StatusBadRequest, "invalid_image", problem.Error())
		return
	}
	if v.breakHTTP(w, r, &asked, behaviour) {
		return
	}
	if behaviour == Slow && !v.pause(r, v.options.Slow) {
		return
	}
	v.send(w, r, &asked, v.answer(&asked, behaviour), behaviour)
}

// breakHTTP responds with something else than an answer. It reports whether it did.
func (v *Vendor) breakHTTP(w http.ResponseWriter, r *http.Request, asked *request, behaviour Behaviour) bool {
	switch behaviour {
	case NeverAnswers:
		select {
		case <-r.Context().Done():
		case <-v.closed:
		}
	case HangsUp:
		panic(http.ErrAbortHandler)
	case RateLimited:
		v.setRetryAfter(w)
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Too many requests.")
	case QuotaUsedUp:
		refuse(w, http.StatusTooManyRequests, "insufficient_quota", "The quota is used up.")
	case Error500:
		refuse(w, http.StatusInternalServerError, "server_error", "An error.")
	case Error503:
		v.setRetryAfter(w)
		refuse(w, http.StatusServiceUnavailable, "overloaded", "Overloaded.")
	case BadRequest:
		refuse(w, http.StatusBadRequest, "unsupported_parameter", "The document says: "+asked.userText())
	case RefusesImages:
		if len(asked.images) == 0 {
			return false
		}
		refuse(w, http.StatusBadRequest, "image_not_supported", "The model reads no images.")
	case Unauthorized:
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+asked.key)
	case UnknownModel:
		refuse(w, http.StatusNotFound, "model_not_found", "There is no model "+asked.Model)
	case Redirects:
		target := v.options.RedirectTo
		if target == "" {
			target = strings.TrimSuffix(v.URL, "/v1") + "/elsewhere"
		}
		w.Header().Set("Location", target)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case HeaderBomb:
		for range 100 {
			w.Header().Add("X-Bomb", strings.Repeat("x", 10<<10))
		}
		w.WriteHeader(http.StatusOK)
	case NotACompletion:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Sign in to the network</body></html>")
	default:
		return false
	}
	return true
}

func (v *Vendor) setRetryAfter(w http.ResponseWriter) {
	if v.options.RetryAfter != "" {
		w.Header().Set("Retry-After", v.options.RetryAfter)
	}
}

// refuse responds with an error of the protocol.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": code, "code": code, "param": nil}})
}
