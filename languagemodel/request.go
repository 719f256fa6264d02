package languagemodel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
)

const (
	maxRequest      = 32 << 20 // bytes of texts and images
	maxSchema       = 256 << 10
	maxTokens       = 200_000
	maxSchemaName   = 64
	maxRepairAnswer = 16 << 10 // bytes of an answer that are sent back
)

// imageTypes are the images that models read.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp"}

// prompt is an encoded request with the sizes from which tokens are estimated.
type prompt struct {
	body          []byte
	text          int // bytes
	images        int
	imageTokens   int // of one image
	encodedImages int // bytes of the body
	maxTokens     int
}

// repair is the second turn: the answer and what is wrong with it.
type repair struct {
	answer   string
	problems []string
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // text or parts
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type completionRequest struct {
	Model          string         `json:"model"`
	Messages       []message      `json:"messages"`
	ResponseFormat responseFormat `json:"response_format"`
	Temperature    float64        `json:"temperature"`
	MaxTokens      int            `json:"max_tokens"`
	Stream         bool           `json:"stream,omitempty"`
	StreamOptions  *streamOptions `json:"stream_options,omitempty"`
}

// check returns the compiled schema, or InvalidInput.
func (r Request) check() (*jsonschema.Schema, error) {
	size := len(r.System) + len(r.User)
	for _, image := range r.Images {
		size += len(image.Label) + len(image.Bytes)
		if !slices.Contains(imageTypes, image.MediaType) || len(image.Bytes) == 0 {
			return nil, domain.Invalid("images", "An image is empty, or not PNG, JPEG or WebP.")
		}
	}
	switch {
	case r.User == "" && len(r.Images) == 0:
		return nil, domain.Invalid("user", "The request has no text and no image.")
	case size > maxRequest:
		return nil, domain.Invalid("images", "The request has %d bytes; the maximum is %d.", size, maxRequest)
	case r.MaxTokens < 0 || r.MaxTokens > maxTokens:
		return nil, domain.Invalid("maxTokens", "The bound of tokens must be 0 to %d.", maxTokens)
	case r.SchemaName == "" || len(r.SchemaName) > maxSchemaName ||
		strings.ContainsFunc(r.SchemaName, notInSchemaName):
		return nil, domain.Invalid("schemaName",
			"The name of a schema has 1 to %d letters, digits, hyphens and underscores.", maxSchemaName)
	case len(r.Schema) > maxSchema:
		return nil, domain.Invalid("schema", "The schema has more than %d bytes.", maxSchema)
	}
	return compile(r.Schema)
}

func notInSchemaName(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}

// encode returns the body of a call.
func (c *Client) encode(r Request, repair *repair) (prompt, *domain.Error) {
	messages := make([]message, 0, 4)
	if r.System != "" {
		messages = append(messages, message{"system", r.System})
	}
	messages = append(messages, message{"user", userContent(r)})
	p := prompt{text: len(r.System) + len(r.User) + len(r.Schema), images: len(r.Images),
		imageTokens: c.settings.ImageTokens, maxTokens: orDefault(r.MaxTokens, DefaultMaxTokens)}
	for _, image := range r.Images {
		p.text += len(image.Label)
		p.encodedImages += base64.StdEncoding.EncodedLen(len(image.Bytes))
	}
	if repair != nil {
		answer := strings.ToValidUTF8(repair.answer[:min(len(repair.answer), maxRepairAnswer)], "")
		request := "Your answer cannot be used:\n- " + strings.Join(repair.problems, "\n- ") +
			"\nAnswer again with one JSON value that matches the schema, and nothing else."
		messages = append(messages, message{"assistant", answer}, message{"user", request})
		p.text += len(answer) + len(request)
	}
	body := completionRequest{Model: c.settings.Model, Messages: messages,
		Temperature: c.settings.Temperature, MaxTokens: p.maxTokens,
		ResponseFormat: responseFormat{"json_schema", jsonSchema{r.SchemaName, true, r.Schema}}}
	if c.settings.Stream {
		body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return prompt{}, domain.Errorf(domain.Internal, "The request cannot be encoded.").
			WithCause(fmt.Errorf("languagemodel: encode: %w", err))
	}
	p.body = encoded.Bytes()
	return p, nil
}

// userContent is a text, or parts if there are images. Some servers accept parts only for models
// that read images.
func userContent(r Request) any {
	if len(r.Images) == 0 {
		return r.User
	}
	parts := make([]part, 0, 1+2*len(r.Images))
	if r.User != "" {
		parts = append(parts, part{Type: "text", Text: r.User})
	}
	for _, image := range r.Images {
		if image.Label != "" {
			parts = append(parts, part{Type: "text", Text: image.Label})
		}
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{
			"data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Bytes)}})
	}
	return parts
}
