package languagemodel

import (
	"context"
	"net/url"

	"countersign/domain"
)

// maxModelName bounds the name of a model, in bytes.
const maxModelName = 200

// Client asks one model at one endpoint. It is safe for concurrent use.
type Client struct {
	settings Settings
	endpoint *url.URL
}

// New returns a client. It returns InvalidInput for an invalid setting, without the key.
func New(settings Settings) (*Client, error) {
	endpoint, err := settings.validate()
	if err != nil {
		return nil, err
	}
	return &Client{settings: settings.withDefaults(), endpoint: endpoint}, nil
}

// Ask returns the answer to the request, or why there is none.
func (c *Client) Ask(context.Context, Request) (Answer, error) {
	return Answer{}, domain.Errorf(domain.Unavailable, "The language model cannot be asked yet.")
}
