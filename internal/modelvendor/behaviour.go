package modelvendor

// Behaviour is how the vendor responds to one request.
type Behaviour string

// The behaviours.
const (
	// Honest answers from the text of the document.
	Honest Behaviour = "honest"
	// Obeys answers what instructions within the document demand.
	Obeys Behaviour = "obeys"
	// OtherDocument answers from the text of another document.
	OtherDocument Behaviour = "other_document"
	// WrongType answers valid JSON that is not an object.
	WrongType Behaviour = "wrong_type"
	// NumbersAsWords answers numbers and amounts in words.
	NumbersAsWords Behaviour = "numbers_as_words"
	InvalidJSON    Behaviour = "invalid_json"
	SchemaMiss     Behaviour = "schema_miss"
	// InvalidJSONOnce and SchemaMissOnce are honest in the repair turn.
	InvalidJSONOnce Behaviour = "invalid_json_once"
	SchemaMissOnce  Behaviour = "schema_miss_once"
	// Refuses is the refusal of the model.
	Refuses Behaviour = "refuses"
	// StopsAtLength ends in the middle with the reason length.
	StopsAtLength Behaviour = "stops_at_length"
	// EchoesKey puts the API key into the answer.
	EchoesKey Behaviour = "echoes_key"
	// NegativeUsage, AbsurdUsage and NoUsage are honest, but for the tokens that they report.
	NegativeUsage Behaviour = "negative_usage"
	AbsurdUsage   Behaviour = "absurd_usage"
	NoUsage       Behaviour = "no_usage"
	// TextUsage is honest, but reports no tokens for images.
	TextUsage Behaviour = "text_usage"

	// Slow is honest after Options.Slow.
	Slow         Behaviour = "slow"
	NeverAnswers Behaviour = "never_answers"
	// Drips sends one byte of an answer, then one more per Options.Pace.
	Drips Behaviour = "drips"
	// Huge answers 10 MB.
	Huge Behaviour = "huge"
	// Cuts closes the connection within the answer.
	Cuts Behaviour = "cuts"
	// HangsUp closes the connection without a response.
	HangsUp Behaviour = "hangs_up"

	RateLimited  Behaviour = "rate_limited"
	QuotaUsedUp  Behaviour = "quota_used_up"
	Error500     Behaviour = "error_500"
	Error503     Behaviour = "error_503"
	BadRequest   Behaviour = "bad_request"
	Unauthorized Behaviour = "unauthorized" // with the key in the message
	UnknownModel Behaviour = "unknown_model"
	// RefusesImages refuses a request with an image, and is honest otherwise.
	RefusesImages Behaviour = "refuses_images"
	Redirects     Behaviour = "redirects"
	// HeaderBomb sends 1 MB of headers.
	HeaderBomb Behaviour = "header_bomb"
	// NotACompletion answers a page in HTML.
	NotACompletion Behaviour = "not_a_completion"
)

// Behaviours returns every behaviour.
func Behaviours() []Behaviour {
	return []Behaviour{Honest, Obeys, OtherDocument, WrongType, NumbersAsWords, InvalidJSON, SchemaMiss,
		InvalidJSONOnce, SchemaMissOnce, Refuses, StopsAtLength, EchoesKey, NegativeUsage, AbsurdUsage,
		NoUsage, TextUsage, Slow, NeverAnswers, Drips, Huge, Cuts, HangsUp, RateLimited, QuotaUsedUp, Error500,
		Error503, BadRequest, Unauthorized, UnknownModel,
		RefusesImages, Redirects, HeaderBomb, NotACompletion}
}
