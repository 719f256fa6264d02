package notify

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/connect/mail"
	"countersign/domain"
)

// words are the texts of the e-mails of one language.
type words struct {
	kinds                          map[domain.NoticeKind]string // of the case, or of the person
	due, several, open, off, about string
	outcomes                       map[domain.Status]string // of a finished case
	control                        string                   // of a change of control data that waits
	answer                         string                   // of a reminder for the submitter of a returned document
	left                           string                   // of a reminder: hours and minutes until its deadline
}

var languages = map[string]words{
	"en": {kinds: map[domain.NoticeKind]string{
		domain.NoticeReturned:   "%s was returned to you",
		domain.NoticeFinished:   "%s is finished",
		domain.NoticeAssigned:   "a review of %s was assigned to you",
		domain.NoticeLapse:      "your review of %s is due soon",
		domain.NoticeReminder:   "reminder: a review of %s waits for you",
		domain.NoticeOverdue:    "a review of %s is overdue",
		domain.NoticeIncident:   "%s cannot continue without help",
		domain.NoticeDelegation: "there is a new delegation between you and %s",
		domain.NoticeConnector:  "the connector %s needs a person",
		domain.NoticeSignIn:     "the way in which %s signs in was changed",
		domain.NoticeAbsence:    "%s changed whether you are out of office",
		domain.NoticeMention:    "a note about %s mentions you",
		domain.NoticeNote:       "there is a new note about %s",
		domain.NoticeWatched:    "something happened on %s",
		domain.NoticeComment:    "there is a new comment on the proposal for %s",
		domain.NoticeProposal:   "a proposal for %s waits for another administrator",
		domain.NoticeOwner:      "a proposal for %s waits for its owners, or an owner decided about it",
		domain.NoticeOperator:   "the operator of %s used the command line to change accounts or limits; see Control data"},
		outcomes: map[domain.Status]string{domain.Archived: "%s was approved and archived",
			domain.Rejected: "%s was rejected"},
		control: "a change waits for another administrator, on the page Confirmations",
		due:     " (until %s)", answer: "reminder: %s waits for your answer", left: ", %d h %d min left", several: "%d notices", open: "Open: %s",
		off:   "To get no more e-mails of this kind: %s",
		about: "You can choose which e-mails you get: %s"},
	"zh": {kinds: map[domain.NoticeKind]string{
		domain.NoticeReturned:   "%s 已退回给您",
		domain.NoticeFinished:   "%s 已结束",
		domain.NoticeAssigned:   "%s 的一项审核已分配给您",
		domain.NoticeLapse:      "您对 %s 的审核即将到期",
		domain.NoticeReminder:   "提醒：%s 的一项审核等待您处理",
		domain.NoticeOverdue:    "%s 的一项审核已逾期",
		domain.NoticeIncident:   "%s 需要处理后才能继续",
		domain.NoticeDelegation: "您与%s之间有新的委托",
		domain.NoticeConnector:  "连接器 %s 需要处理",
		domain.NoticeSignIn:     "%s 的登录方式已更改",
		domain.NoticeAbsence:    "%s 更改了您的外出设置",
		domain.NoticeMention:    "%s 的一条备注提到了您",
		domain.NoticeNote:       "%s 有新备注",
		domain.NoticeWatched:    "%s 有新进展",
		domain.NoticeComment:    "%s 的提议有新评论",
		domain.NoticeProposal:   "%s 的提议等待另一位管理员发布",
		domain.NoticeOwner:      "%s 的提议等待负责人批准，或负责人已作出决定",
		domain.NoticeOperator:   "%s 的运维人员通过命令行更改账户或限额，请查看管控数据"},
		outcomes: map[domain.Status]string{domain.Archived: "%s 已批准并归档",
			domain.Rejected: "%s 已被拒绝"},
		control: "有更改等待另一位管理员确认，请查看“待确认变更”页面",
		due:     "（截止 %s）", answer: "提醒：%s 等待您的答复", left: "，剩余 %d 小时 %d 分钟", several: "%d 条通知", open: "打开：%s", off: "不再接收此类邮件：%s",
		about: "选择您要接收的邮件：%s"},
}

// compose writes the e-mail about notices. It names cases by their references and nothing that is in
// them, because a mailbox is outside of the rights of the application.
func compose(due domain.DueMail, links Links, now time.Time) mail.Message {
	texts, ok := languages[due.Person.Locale]
	if !ok {
		texts = languages["en"]
	}
	var lines []string
	var kinds []domain.NoticeKind
	for i := range due.Notices {
		notice := &due.Notices[i]
		lines = append(lines, texts.sentence(notice, due.Person.Email)+texts.until(notice, now), fmt.Sprintf(texts.open, links.to(notice)), "")
		if !notice.Kind.Fixed() {
			kinds = append(kinds, notice.Kind)
		}
	}
	first := &due.Notices[0]
	subject := texts.sentence(first, due.Person.Email)
	if len(due.Notices) > 1 {
		subject = fmt.Sprintf(texts.several, len(due.Notices))
	}
	lines = append(lines, fmt.Sprintf(texts.about, links.publicURL+"/notices"))
	message := mail.Message{To: []string{due.Person.Email}, Subject: subject,
		ID: "notice." + first.ID.String()}
	if len(kinds) > 0 {
		off := links.Unsubscribe(due.Person.ID, kinds)
		lines = append(lines, fmt.Sprintf(texts.off, off))
		message.Headers = map[string]string{"List-Unsubscribe": "<" + off + ">",
			"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} // RFC 8058
	}
	message.Text = strings.Join(lines, "\n") + "\n"
	return message
}

// sentence is what a notice says. Names have no control characters in an e-mail.
func (w words) sentence(notice *domain.NoticeLine, recipient string) string {
	name := notice.Reference
	switch notice.Kind {
	case domain.NoticeDelegation, domain.NoticeAbsence:
		name = notice.PersonName
	case domain.NoticeConnector:
		name = notice.ConnectorName
	case domain.NoticeComment, domain.NoticeOwner, domain.NoticeProposal:
		name = notice.ProposalKey
	case domain.NoticeSignIn:
		name = recipient
	case domain.NoticeOperator:
		name = "Countersign"
	}
	said := w.kinds[notice.Kind]
	if notice.Kind == domain.NoticeReminder && notice.ReviewID == domain.NoID {
		said = w.answer
	}
	if outcome, ok := w.outcomes[notice.Outcome]; ok {
		said = outcome
	}
	text := w.control
	if notice.ControlKind == "" {
		text = fmt.Sprintf(said, name)
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// until is the deadline that a notice names, and of a reminder the time that is left.
func (w words) until(notice *domain.NoticeLine, now time.Time) string {
	if notice.Due.IsZero() || notice.Kind == domain.NoticeOverdue {
		return ""
	}
	due := notice.Due.UTC().Format("2006-01-02 15:04 UTC")
	if left := notice.Due.Sub(now).Round(time.Minute); notice.Kind == domain.NoticeReminder && left > 0 {
		due += fmt.Sprintf(w.left, int(left.Hours()), int(left.Minutes())%60)
	}
	return fmt.Sprintf(w.due, due)
}
