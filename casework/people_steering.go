package casework

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// DelegationDocument is a delegation as a proposal contains it, as JSON.
type DelegationDocument struct {
	Delegate     domain.ID `json:"delegate"`
	DelegateName string    `json:"delegateName"`
	From         time.Time `json:"from,omitzero"` // zero = when it is confirmed
	Until        time.Time `json:"until"`
	Queues       []string  `json:"queues,omitempty"`
	Types        []string  `json:"documentTypes,omitempty"`
	BaseMinor    *int64    `json:"baseMinor,omitempty"`
}

// proposeDelegation proposes a delegation between two other people. The delegate gains by it.
func (p *permissionChange) proposeDelegation(d domain.Delegation, wantedFrom time.Time,
	delegator, delegate domain.User) (DelegationResult, error) {
	if wantedFrom.Before(d.From) {
		d.From = time.Time{}
	}
	document, err := jsonDocument(DelegationDocument{Delegate: d.Delegate, DelegateName: delegate.Name,
		From: d.From, Until: d.Until, Queues: d.Scope.Queues, Types: d.Scope.DocumentTypes,
		BaseMinor: d.Scope.BaseMinor})
	if err != nil {
		return DelegationResult{}, err
	}
	key := d.Delegator.String() + "/" + d.Delegate.String()
	proposed, err := p.proposeControl(domain.ControlDelegation, key, d.Reason,
		domain.ControlDocument{Name: delegator.Name, Person: d.Delegate, After: document})
	return DelegationResult{ProposalID: proposed.ProposalID}, err
}

// delegationBase is always 0: a confirmed delegation is checked again completely.
func delegationBase(context.Context, store.Reader, string) (int, error) { return 0, nil }

// applyDelegation creates a confirmed delegation after the same checks as at the proposal.
func (p *permissionChange) applyDelegation(proposal domain.Proposal, change domain.ControlDocument) error {
	var document DelegationDocument
	if err := json.Unmarshal([]byte(change.After), &document); err != nil {
		return domain.Errorf(domain.Internal, "The proposed delegation cannot be read.").WithCause(err)
	}
	first, _, _ := strings.Cut(proposal.Key, "/")
	from, err := domain.ParseID(first)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed delegation cannot be read.").WithCause(err)
	}
	d := domain.Delegation{ID: domain.NewID(), Delegator: from, Delegate: document.Delegate,
		Scope: domain.Scope{Queues: document.Queues, DocumentTypes: document.Types,
			BaseMinor: document.BaseMinor},
		Reason: proposal.Note, CreatedBy: proposal.ProposedBy}
	if d.From, d.Until, err = p.checkPeriod(document.From, document.Until); err != nil {
		return err
	}
	delegator, delegate, err := p.loadPair(d.Delegator, d.Delegate)
	if err != nil {
		return err
	}
	if err := p.checkDelegation(d, delegator, delegate); err != nil {
		return err
	}
	return p.writeDelegation(d)
}

// SubstituteDocument is the substitute of an absence as a proposal contains it, as JSON.
type SubstituteDocument struct {
	Substitute domain.ID `json:"substitute"`
	Name       string    `json:"name"`
	Until      time.Time `json:"until"` // of the absence
}

// proposeSubstitute proposes who gets the reviews of another, absent person. The substitute gains by it.
func (p *permissionChange) proposeSubstitute(a domain.Absence, person domain.User, substitute domain.ID) (
	domain.ID, error) {
	user, err := p.tx.User(p.ctx, substitute)
	if err != nil {
		return domain.NoID, err
	}
	document, err := jsonDocument(SubstituteDocument{Substitute: substitute, Name: user.Name, Until: a.Until})
	if err != nil {
		return domain.NoID, err
	}
	proposed, err := p.proposeControl(domain.ControlAbsence, a.ID.String(), a.Reason,
		domain.ControlDocument{Name: person.Name, Person: substitute, After: document})
	return proposed.ProposalID, err
}

// absenceBase is 1 for an absence that has not ended and has no substitute, 0 otherwise.
func absenceBase(ctx context.Context, r store.Reader, key string) (int, error) {
	a, err := openAbsence(ctx, r, key)
	if err != nil || a == nil || a.Substitute != domain.NoID {
		return 0, err
	}
	return 1, nil
}

// openAbsence reads the absence of a proposal; nil if it has ended.
func openAbsence(ctx context.Context, r store.Reader, key string) (*domain.Absence, error) {
	id, err := domain.ParseID(key)
	if err != nil {
		return nil, domain.Errorf(domain.Internal, "The absence of the proposal cannot be read.").WithCause(err)
	}
	absences, err := r.Absences(ctx, nil)
	at := slices.IndexFunc(absences, func(a domain.Absence) bool { return a.ID == id })
	if err != nil || at < 0 {
		return nil, err
	}
	return &absences[at], nil
}

// applySubstitute gives an absence its confirmed substitute.
func (p *permissionChange) applySubstitute(proposal domain.Proposal, change domain.ControlDocument) error {
	var document SubstituteDocument
	if err := json.Unmarshal([]byte(change.After), &document); err != nil {
		return domain.Errorf(domain.Internal, "The proposed substitute cannot be read.").WithCause(err)
	}
	a, err := openAbsence(p.ctx, p.tx.Reader, proposal.Key)
	if err == nil && a == nil {
		err = staleControlChange()
	}
	if err != nil {
		return err
	}
	person, _, err := p.loadPair(a.Person, document.Substitute)
	if err != nil {
		return err
	}
	a.Substitute = document.Substitute
	if err := p.checkAbsence(*a, person); err != nil {
		return err
	}
	if err := p.tx.SetSubstitute(p.ctx, a.ID, a.Substitute); err != nil {
		return err
	}
	p.emit(generated.AbsenceSetV1{AbsenceID: a.ID, Person: a.Person, Substitute: a.Substitute,
		ValidFrom: a.From, ValidUntil: a.Until, Reason: a.Reason})
	return nil
}

// SetSkills asks to set the skills of a person, by which queues assign reviews: document types,
// languages, or any other skill that definitions require.
type SetSkills struct {
	Once   Once
	Person domain.ID
	Skills []string
	// Expected are the present skills that the caller read; nil skips the check.
	Expected []string `json:",omitempty"`
}

// SkillsResult is the outcome of SetSkills.
type SkillsResult struct {
	Person domain.ID
	// ProposalID is what another person must confirm, NoID if nothing waits.
	ProposalID domain.ID
}

const (
	// maxSkills bounds the number of skills of a person.
	maxSkills = 50
	// minSkilledOthers is how many other people must keep a skill that one person takes away alone.
	minSkilledOthers = 2
)

// SetSkills asks to replace the skills of a person. It is permitted to managers and administrators. A
// skill is taken away immediately while enough other people keep it. A skill that is added, or taken
// from almost all people, directs reviews to certain people, so an administrator must confirm it.
func (svc *Service) SetSkills(
	ctx context.Context, actor domain.Actor, in SetSkills,
) (SkillsResult, error) {
	if err := svc.inScope(ctx, actor, "setSkills", domain.ActReassign); err != nil {
		return SkillsResult{}, err
	}
	skills := []string{}
	for _, skill := range in.Skills {
		if skill = strings.TrimSpace(skill); skill != "" {
			skills = append(skills, skill)
		}
		if domain.Longer(skill, 100) || len(skills) > maxSkills {
			return SkillsResult{},
				domain.Invalid("skills",
					"A person can have at most %d skills of at most 100 characters.", maxSkills)
		}
	}
	slices.Sort(skills)
	skills = slices.Compact(skills)
	return runDispatchProposal(ctx, svc, actor, "setSkills", in.Once, in,
		func(p *permissionChange) (SkillsResult, error) { return p.setSkills(in, skills) })
}

func (p *permissionChange) setSkills(in SetSkills, wanted []string) (SkillsResult, error) {
	person := in.Person
	result := SkillsResult{Person: person}
	user, err := p.tx.User(p.ctx, person)
	if err != nil {
		return result, err
	}
	all, err := p.tx.Skills(p.ctx, nil)
	if err != nil {
		return result, err
	}
	if !slices.Equal(all[person], wanted) {
		if err := p.checkExpectedSet(in.Expected, all[person], domain.NoID); err != nil {
			return result, err
		}
	}
	lower := wanted
	if !p.actor.System {
		if lower, err = p.loweredSkills(person, all, wanted); err != nil {
			return result, err
		}
	}
	if err := p.writeSkills(person, all[person], lower); err != nil || slices.Equal(lower, wanted) {
		return result, err
	}
	change := domain.ControlDocument{Name: user.Name, Person: person}
	if change.Before, err = jsonDocument(lower); err != nil {
		return result, err
	}
	if change.After, err = jsonDocument(wanted); err != nil {
		return result, err
	}
	proposed, err := p.proposeControl(domain.ControlSkills, person.String(), "", change)
	result.ProposalID = proposed.ProposalID
	return result, err
}

// loweredSkills returns the present skills without those that one person may take away.
func (p *permissionChange) loweredSkills(person domain.ID, all map[domain.ID][]string, wanted []string) (
	[]string, error) {
	users, err := p.tx.Users(p.ctx, nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all[person]), func(skill string) bool {
		others := 0
		for _, user := range users {
			if user.ID != person && !user.Disabled && slices.Contains(all[user.ID], skill) {
				others++
			}
		}
		return !slices.Contains(wanted, skill) && others >= minSkilledOthers
	}), nil
}

func (p *permissionChange) writeSkills(person domain.ID, before, after []string) error {
	if slices.Equal(before, after) {
		return nil
	}
	p.emit(generated.PersonSkillsChangedV1{Person: person, Before: append([]string{}, before...),
		After: append([]string{}, after...)})
	return p.tx.PutSkills(p.ctx, person, append([]string{}, after...))
}

// skillsBase identifies the present skills of a person, because skills have no version.
func skillsBase(ctx context.Context, r store.Reader, key string) (int, error) {
	id, err := domain.ParseID(key)
	if err != nil {
		return 0, domain.Errorf(domain.Internal, "The person of the proposal cannot be read.").WithCause(err)
	}
	skills, err := r.Skills(ctx, []domain.ID{id})
	return int(crc32.ChecksumIEEE([]byte(strings.Join(skills[id], "\n"))) & math.MaxInt32), err
}

// applySkills writes confirmed skills.
func (p *permissionChange) applySkills(_ domain.Proposal, change domain.ControlDocument) error {
	var skills []string
	if err := json.Unmarshal([]byte(change.After), &skills); err != nil {
		return domain.Errorf(domain.Internal, "The proposed skills cannot be read.").WithCause(err)
	}
	present, err := p.tx.Skills(p.ctx, []domain.ID{change.Person})
	if err != nil {
		return err
	}
	return p.writeSkills(change.Person, present[change.Person], skills)
}
