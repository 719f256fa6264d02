package notify_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/testpasskey"
	"countersign/notify"
)

var welcomeLink = regexp.MustCompile(`https://review\.example/welcome#([A-Za-z0-9_-]+)`)

func (env *testEnv) administrator(name string) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAdmin}}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name}
}

// reset lets two administrators reset the sign-in of a person.
func (env *testEnv) reset(ada, adam, person domain.Actor) casework.ControlResult {
	env.t.Helper()
	proposed, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: person.UserID,
		Reason: "lost"})
	must(env.t, err)
	confirmed, err := env.svc.ConfirmControlChange(env.ctx, adam,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(env.t, err)
	return confirmed
}

// A link goes to the person only. If the mail server refuses it, no one gets it.
func TestSignInLinkGoesToThePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam, jo := env.administrator("ada"), env.administrator("adam"), env.person("jo", "zh")
	confirmed := env.reset(ada, adam, jo)
	if confirmed.Link != nil || confirmed.LinkFailed || confirmed.LinkSentTo != "jo@example.com" {
		t.Fatalf("%+v", confirmed)
	}
	mails := env.box.received() // among them the notice of the proposal to the other administrator
	letter := mails[slices.IndexFunc(mails, func(m received) bool { return m.to == "jo@example.com" })]
	found := welcomeLink.FindStringSubmatch(strings.ReplaceAll(letter.text, "=\r\n", ""))
	if found == nil || !strings.Contains(letter.subject, "密码") {
		t.Fatalf("%+v", letter)
	}
	must(t, env.svc.ChoosePassword(env.ctx, found[1], "hash"))
	env.box.refusing(550)
	if failed := env.reset(ada, adam, jo); failed.Link != nil || !failed.LinkFailed ||
		failed.LinkSentTo != "" {
		t.Errorf("%+v", failed)
	}
}

// The e-mail about a changed sign-in can be switched off neither by a setting nor by a link nor by
// reading the notice first.
func TestSignInNoticeIsAlwaysSent(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo := env.person("jo", "en")
	jo.SessionID = domain.NewID()
	err := env.svc.SetNoticeMail(env.ctx, jo, casework.SetNoticeMail{Kind: domain.NoticeSignIn,
		Mail: domain.MailOff})
	if !domain.HasCode(err, domain.InvalidInput) {
		t.Fatal(err)
	}
	must(t, env.svc.Unsubscribe(env.ctx, jo.UserID, domain.NoticeKinds()))
	env.box.refusing(450) // away for now
	_, err = env.svc.AddPasskey(env.ctx, jo, testpasskey.New("localhost", "http://localhost").Passkey("key"))
	must(t, err)
	env.wait("it was tried", func() bool { return env.tried(jo) > 0 })
	_, err = env.svc.ReadNotices(env.ctx, jo, casework.ReadNotices{Until: time.Now().Add(time.Hour)})
	must(t, err)
	env.box.refusing(0)
	env.advance(24 * time.Hour)
	env.wait("the e-mail", func() bool { return len(env.box.received()) > 0 })
	letter := env.box.received()[0]
	if !strings.Contains(letter.subject, "way in which jo@example.com signs in") ||
		letter.header.Get("List-Unsubscribe") != "" {
		t.Errorf("%+v", letter)
	}
}

func TestOpenServer(t *testing.T) {
	t.Parallel()
	for _, settings := range [][3]string{{"smtp://mail.example:587", "login", "a@b.example"},
		{"smtp://mail.example:587", ":x", "a@b.example"}, {"http://mail.example", "", "a@b.example"},
		{"smtp://mail.example:587", "", "no address"}} {
		if _, err := notify.OpenServer(settings[0], settings[1], settings[2]); !domain.HasCode(err,
			domain.InvalidInput) {
			t.Errorf("%q: %v", settings, err)
		}
	}
}
