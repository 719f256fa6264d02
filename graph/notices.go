package graph

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
)

func (r queryResolver) Notices(ctx context.Context, first int, after *string, onlyUnread bool) (
	*donotuse.NoticeConnection, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	query := domain.NoticeQuery{OnlyUnread: onlyUnread, Limit: first}
	if after != nil {
		var err error
		if query.Before, err = parseNoticeCursor(*after); err != nil {
			return nil, err
		}
	}
	page, err := r.views.NoticeList(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.NoticeConnection{Edges: []donotuse.NoticeEdge{}, Nodes: []donotuse.Notice{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for i := range page.Lines {
		node := noticeShown(&page.Lines[i])
		connection.Nodes = append(connection.Nodes, node)
		connection.Edges = append(connection.Edges, donotuse.NoticeEdge{
			Cursor: noticeCursor(page.Lines[i].Notice), Node: node})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func noticeShown(line *domain.NoticeLine) donotuse.Notice {
	shown := donotuse.Notice{ID: scalar.GlobalID(scalar.KindNotice, line.ID), Kind: line.Kind,
		At: line.At, ReadAt: timeOrNil(line.ReadAt), Due: timeOrNil(line.Due)}
	if line.CaseID != domain.NoID {
		id := scalar.GlobalID(scalar.KindCase, line.CaseID)
		shown.CaseID, shown.Reference = &id, &line.Reference
	}
	if line.ReviewID != domain.NoID {
		id := scalar.GlobalID(scalar.KindReview, line.ReviewID)
		shown.ReviewID = &id
	}
	if line.Queue != "" {
		shown.Queue = &line.Queue
	}
	if line.ConnectorName != "" {
		shown.Connector = &line.ConnectorName
	}
	shown.ProposalKey = optional(line.ProposalKey)
	shown.ProposalKind, shown.ControlKind = optional(line.ProposalKind), optional(line.ControlKind)
	shown.ProposalVersion = optional(line.ProposalVersion)
	if line.Outcome != "" {
		shown.Outcome = &line.Outcome
		if line.Counterparty != "" {
			shown.Counterparty = &line.Counterparty
		}
		if line.Amount.Currency != "" {
			shown.Amount = &line.Amount
		}
	}
	if line.Person != domain.NoID {
		shown.Person = &line.PersonName
	}
	return shown
}

func noticeCursor(n domain.Notice) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "n%d.%s", n.At.UnixMicro(), n.ID))
}

func parseNoticeCursor(cursor string) (n domain.Notice, err error) {
	var micros int64
	var id string
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(plain), "n%d.%s", &micros, &id)
	}
	if err == nil {
		n.ID, err = domain.ParseID(id)
	}
	if n.At = time.UnixMicro(micros).UTC(); err != nil || n.At.Year() < 2000 || n.At.Year() > 9999 {
		return n, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
	}
	return n, nil
}

func (r queryResolver) NoticeSettings(ctx context.Context) (*donotuse.NoticeSettings, error) {
	return r.noticeSettings(ctx)
}

func (r *resolver) noticeSettings(ctx context.Context) (*donotuse.NoticeSettings, error) {
	choices, user, err := r.views.NoticePreferences(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	calendars, err := r.views.Reader().Calendars(ctx)
	if err != nil {
		return nil, err
	}
	shown := &donotuse.NoticeSettings{MailAvailable: r.service.SendsMail(), Address: user.Email,
		Calendars: []string{}}
	for _, kind := range domain.NoticeKinds() {
		if kind.Fixed() {
			continue
		}
		shown.Kinds = append(shown.Kinds, donotuse.NoticeSetting{Kind: kind, Mail: choices.MailFor(kind)})
	}
	for _, calendar := range calendars {
		shown.Calendars = append(shown.Calendars, calendar.Name)
	}
	if choices.Calendar != "" {
		shown.Calendar = &choices.Calendar
	}
	if choices.Refused == user.Email {
		shown.Refusal, shown.RefusedAt = &choices.Refusal, timeOrNil(choices.RefusedAt)
	}
	return shown, nil
}

func (r mutationResolver) MarkNoticesRead(ctx context.Context, in donotuse.MarkNoticesReadInput) (
	*donotuse.MarkNoticesReadPayload, error) {
	command := casework.ReadNotices{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Until: timeOrZero(in.Until)}
	var err error
	if (in.Ids == nil) == (in.Until == nil) {
		err = domain.Invalid("ids", "Give either ids or a time.")
	}
	for _, id := range in.Ids {
		if err == nil {
			var parsed domain.ID
			parsed, err = scalar.IDOf(scalar.KindNotice, "ids", id)
			command.IDs = append(command.IDs, parsed)
		}
	}
	payload := &donotuse.MarkNoticesReadPayload{}
	if err == nil && (in.Until != nil || len(in.Ids) > 0) {
		var read int64
		read, err = r.service.ReadNotices(ctx, callerOf(ctx), command)
		payload.Count = int(read)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) SetNoticeMail(ctx context.Context, in donotuse.SetNoticeMailInput) (
	*donotuse.NoticeSettingsPayload, error) {
	return r.noticeSettingsPayload(ctx, r.service.SetNoticeMail(ctx, callerOf(ctx),
		casework.SetNoticeMail{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Kind: in.Kind, Mail: in.Mail}))
}

func (r mutationResolver) SetNoticeCalendar(ctx context.Context, in donotuse.SetNoticeCalendarInput) (
	*donotuse.NoticeSettingsPayload, error) {
	return r.noticeSettingsPayload(ctx, r.service.SetNoticeCalendar(ctx, callerOf(ctx),
		casework.SetNoticeCalendar{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Calendar: valueOrEmpty(in.Calendar)}))
}

func (r mutationResolver) RetryMailAddress(ctx context.Context, in donotuse.RetryMailAddressInput) (
	*donotuse.NoticeSettingsPayload, error) {
	return r.noticeSettingsPayload(ctx, r.service.RetryMailAddress(ctx, callerOf(ctx),
		casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}))
}

func (r mutationResolver) noticeSettingsPayload(ctx context.Context, err error) (
	*donotuse.NoticeSettingsPayload, error) {
	payload := &donotuse.NoticeSettingsPayload{}
	if err == nil {
		payload.Settings, err = r.noticeSettings(ctx)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
