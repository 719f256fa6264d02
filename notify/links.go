package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"countersign/domain"
)

// Links makes and checks the links in e-mails. A link with which a person unsubscribes is signed, so
// it needs no signing in and is good for nothing else.
type Links struct {
	key       []byte
	publicURL string
}

// NewLinks returns links of the application at the address, signed with the key.
func NewLinks(key []byte, publicURL string) Links { return Links{key, publicURL} }

const (
	idLength  = len(domain.ID{})
	macLength = 16
)

// linkKinds are the kinds by their bit in a link. A new kind comes last, because e-mails keep their links.
func linkKinds() []domain.NoticeKind {
	return []domain.NoticeKind{domain.NoticeReturned, domain.NoticeFinished, domain.NoticeAssigned, domain.NoticeLapse,
		domain.NoticeOverdue, domain.NoticeIncident, domain.NoticeDelegation, domain.NoticeConnector, domain.NoticeSignIn,
		domain.NoticeAbsence, domain.NoticeOperator, domain.NoticeMention, domain.NoticeNote, domain.NoticeWatched,
		domain.NoticeComment, domain.NoticeReminder, domain.NoticeOwner, domain.NoticeProposal}
}

// Unsubscribe returns the link that switches the e-mails of the kinds off.
func (l Links) Unsubscribe(person domain.ID, kinds []domain.NoticeKind) string {
	token := append([]byte{}, person[:]...)
	var bits uint32
	for i, kind := range linkKinds() {
		if slices.Contains(kinds, kind) {
			bits |= 1 << i
		}
	}
	token = binary.BigEndian.AppendUint32(token, bits)
	return l.publicURL + domain.UnsubscribePath + base64.RawURLEncoding.EncodeToString(l.sign(token))
}

func (l Links) sign(token []byte) []byte {
	mac := hmac.New(sha256.New, l.key)
	mac.Write(token)
	return append(token, mac.Sum(nil)[:macLength]...)
}

// Open returns whose e-mails of which kinds a token switches off. It returns NotFound for a token
// that was not made with the key.
func (l Links) Open(token string) (domain.ID, []domain.NoticeKind, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	kindsLength := len(raw) - idLength - macLength // 1 or 2 in e-mails of before, for fewer kinds
	if err != nil || !slices.Contains([]int{1, 2, 4}, kindsLength) ||
		!hmac.Equal(raw, l.sign(slices.Clone(raw[:idLength+kindsLength]))) {
		return domain.NoID, nil, domain.Errorf(domain.NotFound, "This link is not valid.").
			WithRemedy("Use the link of the e-mail, or sign in and change it on the page of your notices.")
	}
	var bits uint32
	for _, kinds := range raw[idLength : idLength+kindsLength] {
		bits = bits<<8 | uint32(kinds)
	}
	var kinds []domain.NoticeKind
	for i, kind := range linkKinds() {
		if bits&(1<<i) != 0 {
			kinds = append(kinds, kind)
		}
	}
	return domain.ID(raw[:idLength]), kinds, nil
}

// to returns the address of the page of the case, review, connectors, changes to confirm or proposal, or of the
// notices themselves.
func (l Links) to(notice *domain.NoticeLine) string {
	switch {
	case notice.ReviewID != domain.NoID:
		return l.publicURL + "/reviews/" + domain.PublicID("Review", notice.ReviewID)
	case notice.CaseID != domain.NoID:
		return l.publicURL + "/cases/" + domain.PublicID("Case", notice.CaseID)
	case notice.Connector != domain.NoID:
		return l.publicURL + "/admin/connectors"
	case notice.ControlKind != "":
		return l.publicURL + "/admin/controls"
	}
	if page, ok := proposalPages[notice.ProposalKind]; ok {
		return l.publicURL + page + notice.ProposalKey
	}
	return l.publicURL + "/notices"
}

// proposalPages are the pages on which proposals are discussed, before the key.
var proposalPages = map[domain.ProposalKind]string{domain.ProposeProcess: "/definitions/",
	domain.ProposeRuleSet: "/rules/", domain.ProposeDocumentType: "/types/"}
