package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// SetCalendar asks to create or change a working calendar.
type SetCalendar struct {
	Once            Once
	Name, Zone      string
	Hours           [7][]domain.TimeRange
	Holidays        []string
	ExpectedVersion string
}

// CalendarResult is the outcome of SetCalendar; see QueueResult.
type CalendarResult struct {
	Name       string
	ProposalID domain.ID
}

// CalendarDocument is a calendar as a proposal contains it, as JSON.
type CalendarDocument struct {
	Zone     string                `json:"zone"`
	Hours    [7][]domain.TimeRange `json:"hours"` // by weekday, Sunday first
	Holidays []string              `json:"holidays"`
}

// SetCalendar asks to create or change a working calendar. Managers and administrators propose it, and
// an administrator confirms it; the operator's command line, as the system, changes it immediately.
// Existing deadlines are not recomputed.
func (svc *Service) SetCalendar(
	ctx context.Context, actor domain.Actor, in SetCalendar,
) (CalendarResult, error) {
	if err := svc.inScope(ctx, actor, "setCalendar", domain.ActReassign); err != nil {
		return CalendarResult{}, err
	}
	calendar, err := domain.NewCalendar(strings.TrimSpace(in.Name), in.Zone, in.Hours, in.Holidays)
	if err != nil {
		return CalendarResult{}, err
	}
	return runDispatchProposal(ctx, svc, actor, "setCalendar", in.Once, in,
		func(p *permissionChange) (CalendarResult, error) {
			result := CalendarResult{Name: calendar.Name}
			known, err := loadQueueConfig(p.ctx, p.tx.Reader)
			if err != nil {
				return result, err
			}
			before, exists := known.calendars[calendar.Name]
			version := int64(0)
			if exists {
				version = before.Version
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.FormatInt(version, 10)); err != nil {
				return result, err
			}
			if p.actor.System {
				return result, p.writeCalendar(calendar)
			}
			change := domain.ControlDocument{Name: calendar.Name}
			if exists {
				if change.Before, err = jsonDocument(documentOf(before)); err != nil {
					return result, err
				}
			}
			if change.After, err = jsonDocument(documentOf(calendar)); err != nil {
				return result, err
			}
			if change.Before == change.After {
				return result, nil
			}
			proposed, err := p.proposeControl(domain.ControlCalendar, calendar.Name, "", change)
			result.ProposalID = proposed.ProposalID
			return result, err
		})
}

func documentOf(c *domain.Calendar) CalendarDocument {
	return CalendarDocument{c.Zone, c.Hours, append([]string{}, c.Holidays...)}
}

// jsonDocument encodes a value for a proposal.
func jsonDocument(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("casework: encode the proposal: %w", err)
	}
	return string(text), nil
}

// writeCalendar writes the calendar with the event.
func (p *permissionChange) writeCalendar(calendar *domain.Calendar) error {
	version, err := p.tx.PutCalendar(p.ctx, calendar)
	if err != nil {
		return err
	}
	minutes := 0
	for _, spans := range calendar.Hours {
		for _, span := range spans {
			minutes += span.To - span.From
		}
	}
	p.emit(generated.CalendarChangedV1{Calendar: calendar.Name, Zone: calendar.Zone,
		WeekMinutes: int64(minutes), Holidays: int64(len(calendar.Holidays)), CalendarVersion: version})
	return nil
}

func calendarBase(ctx context.Context, r store.Reader, key string) (int, error) {
	known, err := loadQueueConfig(ctx, r)
	if err != nil || known.calendars[key] == nil {
		return 0, err
	}
	return int(known.calendars[key].Version), nil
}

// applyCalendar writes a confirmed calendar.
func (p *permissionChange) applyCalendar(proposal domain.Proposal, change domain.ControlDocument) error {
	var document CalendarDocument
	err := json.Unmarshal([]byte(change.After), &document)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed calendar cannot be read.").WithCause(err)
	}
	calendar, err := domain.NewCalendar(proposal.Key, document.Zone, document.Hours, document.Holidays)
	if err != nil {
		return err
	}
	return p.writeCalendar(calendar)
}
