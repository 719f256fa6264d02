package notify

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// E-mails about notes name the case by its reference in the language of the person, and nothing else about it:
// the names of people who mention others could tell that a case is with the AML team.
func TestMailsAboutNotes(t *testing.T) {
	t.Parallel()
	links := NewLinks([]byte("a key of the test"), "https://review.example")
	for locale, subjects := range map[string]map[domain.NoticeKind]string{
		"en": {domain.NoticeMention: "A note about CS-2026-000007 mentions you",
			domain.NoticeNote: "There is a new note about CS-2026-000007", domain.NoticeWatched: "Something happened on CS-2026-000007"},
		"zh": {domain.NoticeMention: "CS-2026-000007 的一条备注提到了您", domain.NoticeNote: "CS-2026-000007 有新备注",
			domain.NoticeWatched: "CS-2026-000007 有新进展"},
	} {
		for kind, subject := range subjects {
			mail := compose(domain.DueMail{Person: domain.User{ID: domain.NewID(), Email: "jo@example.com", Locale: locale},
				Notices: []domain.NoticeLine{{Notice: domain.Notice{ID: domain.NewID(), Kind: kind, CaseID: domain.NewID()},
					Reference: "CS-2026-000007", PersonName: "Amara Diallo"}}}, links, time.Now())
			if mail.Subject != subject || !strings.Contains(mail.Text, subject) ||
				strings.Contains(mail.Text+mail.Subject, "Amara") || mail.Headers["List-Unsubscribe"] == "" {
				t.Errorf("%s %s: %q\n%s", locale, kind, mail.Subject, mail.Text)
			}
		}
	}
}

// A reminder names the case, the deadline and the time that is left, but not the queue, which could tell
// that a case is with the AML team.
func TestMailsOfReminders(t *testing.T) {
	t.Parallel()
	links := NewLinks([]byte("a key of the test"), "https://review.example")
	answers := map[string]string{"en": "Reminder: CS-2026-000007 waits for your answer",
		"zh": "提醒：CS-2026-000007 等待您的答复"}
	due := time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)
	for locale, text := range map[string]string{
		"en": "Reminder: a review of CS-2026-000007 waits for you (until 2026-11-27 16:00 UTC, 3 h 55 min left)",
		"zh": "提醒：CS-2026-000007 的一项审核等待您处理（截止 2026-11-27 16:00 UTC，剩余 3 小时 55 分钟）",
	} {
		reminder := domain.NoticeLine{Notice: domain.Notice{ID: domain.NewID(), CaseID: domain.NewID(),
			Kind: domain.NoticeReminder, ReviewID: domain.NewID(), Due: due},
			Reference: "CS-2026-000007", Queue: "AML"}
		mail := compose(domain.DueMail{Person: domain.User{ID: domain.NewID(), Locale: locale},
			Notices: []domain.NoticeLine{reminder}}, links, due.Add(-235*time.Minute))
		if !strings.Contains(mail.Text, text) || strings.Contains(mail.Subject+mail.Text, "AML") {
			t.Errorf("%s: %q\n%s", locale, mail.Subject, mail.Text)
		}
		returned := domain.NoticeLine{Notice: domain.Notice{ID: domain.NewID(), CaseID: domain.NewID(),
			Kind: domain.NoticeReminder}, Reference: "CS-2026-000007"}
		answer := compose(domain.DueMail{Person: domain.User{ID: domain.NewID(), Locale: locale},
			Notices: []domain.NoticeLine{returned}}, links, due)
		if answer.Subject != answers[locale] {
			t.Errorf("%s: %q", locale, answer.Subject)
		}
		late := compose(domain.DueMail{Person: domain.User{ID: domain.NewID(), Locale: locale},
			Notices: []domain.NoticeLine{reminder}}, links, due.Add(time.Hour))
		if !strings.Contains(late.Text, "16:00 UTC)") && !strings.Contains(late.Text, "16:00 UTC）") {
			t.Errorf("after the deadline: %s", late.Text)
		}
	}
}

// A finished case is named with its outcome, and nothing else of it.
func TestOutcomeInAnEMail(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		locale, want string
		outcome      domain.Status
	}{{"en", "CS-1 was approved and archived", domain.Archived}, {"en", "CS-1 was rejected", domain.Rejected},
		{"en", "CS-1 is finished", ""}, {"zh", "CS-1 已批准并归档", domain.Archived}, {"zh", "CS-1 已被拒绝", domain.Rejected}} {
		said := languages[one.locale].sentence(&domain.NoticeLine{Notice: domain.Notice{Kind: domain.NoticeFinished},
			Reference: "CS-1", Outcome: one.outcome, Counterparty: "Quick Print"}, "ann@example.com")
		if said != one.want {
			t.Errorf("%s: %q", one.locale, said)
		}
	}
}

// Every kind of notice has a sentence in both languages, with the name of what it is about.
func TestEveryNoticeHasASentence(t *testing.T) {
	t.Parallel()
	names := map[domain.NoticeKind]string{domain.NoticeDelegation: "Ann", domain.NoticeAbsence: "Ann",
		domain.NoticeConnector: "ledger", domain.NoticeComment: "expense", domain.NoticeOwner: "expense",
		domain.NoticeProposal: "expense",
		domain.NoticeSignIn:   "ann@example.com", domain.NoticeOperator: "Countersign"}
	for locale, texts := range languages {
		for _, kind := range domain.NoticeKinds() {
			said := texts.sentence(&domain.NoticeLine{Notice: domain.Notice{Kind: kind, ReviewID: domain.NewID()},
				Reference: "CS-1", PersonName: "Ann", ConnectorName: "ledger", ProposalKey: "expense"}, "ann@example.com")
			if !strings.Contains(strings.ToLower(said), strings.ToLower(cmp.Or(names[kind], "CS-1"))) {
				t.Errorf("%s of %s names something else: %q", kind, locale, said)
			}
			if strings.Count(texts.kinds[kind], "%s") != 1 {
				t.Errorf("%s has no sentence about %s: %q", locale, kind, texts.kinds[kind])
			}
		}
	}
}

// The e-mail about a change of control data says nothing of it, and leads to the page of changes to confirm.
func TestAChangeOfControlDataIsNotNamed(t *testing.T) {
	t.Parallel()
	line := &domain.NoticeLine{Notice: domain.Notice{Kind: domain.NoticeProposal, Proposal: domain.NewID()},
		ControlKind: domain.ControlLimit, ProposalKey: "reviewer_l1/*"}
	for locale, texts := range languages {
		if said := texts.sentence(line, "ann@example.com"); strings.Contains(said, "reviewer") || strings.Contains(said, "%") {
			t.Errorf("in %s: %q", locale, said)
		}
	}
	if to := NewLinks(nil, "https://x").to(line); to != "https://x/admin/controls" {
		t.Errorf("it leads to %s", to)
	}
}
