package casework

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/sampling"
)

// CheckSample asks to record what a checker read from the document of a sample. A field that is
// missing or empty is not on the document. Approves is whether they would approve the document.
type CheckSample struct {
	SampleTarget
	Values   []FieldInput
	Approves bool
	Comment  string
}

// SettleSample asks to decide about a sample whose checker disagreed with the archived case.
type SettleSample struct {
	SampleTarget
	ArchivedRightly bool
	Reason          string
}

// CheckSample compares what the caller read with the archived case. If all agrees, the sample ends;
// otherwise a third person settles it.
func (svc *Service) CheckSample(
	ctx context.Context, actor domain.Actor, in CheckSample,
) (SampleResult, error) {
	return runSampleCommand(ctx, svc, actor, "checkSample", in.Once, in, domain.ActDecide,
		func(w *sampleWork) (SampleResult, error) {
			sample, found, err := w.lockCheckable(in.SampleID, domain.SampleOpen)
			if err != nil {
				return SampleResult{}, err
			}
			if domain.Longer(in.Comment, maxCaseReason) {
				return SampleResult{}, tooLong("comment", maxCaseReason)
			}
			check, err := w.compare(found, in)
			if err != nil {
				return SampleResult{}, err
			}
			check.SampleID, check.Person = sample.ID, w.person.ID
			if check.Blind, err = w.isBlind(found); err != nil {
				return SampleResult{}, err
			}
			agrees := check.Approves && !sampling.Disagree(check.Compared)
			next := domain.SampleDisputed
			if agrees {
				next = domain.SampleAgreed
			}
			w.emit(generated.QualityCheckedV1{SampleID: sample.ID, By: w.person.ID, Agrees: agrees,
				Blind: check.Blind})
			return SampleResult{SampleID: sample.ID, Status: next},
				w.tx.PutCheck(w.ctx, check, next, domain.NoID)
		})
}

// lockCheckable locks a sample that the caller has, which must have the status, and checks again that
// the caller may check it.
func (w *sampleWork) lockCheckable(
	id domain.ID, status domain.SampleStatus,
) (domain.Sample, sampledCase, error) {
	sample, err := w.lockOwn(id)
	if err != nil {
		return sample, sampledCase{}, err
	}
	if sample.Status != status {
		return sample, sampledCase{}, domain.Errorf(domain.StateMismatch,
			"The sample now has the status %s.", sample.Status).
			WithRemedy("Reload the page.").WithDetail("status", string(sample.Status))
	}
	found, refusal, err := w.mayCheck(sample)
	return sample, found, firstError(err, refusal)
}

// compare normalises what the checker entered and compares it with the archived fields.
func (w *sampleWork) compare(found sampledCase, in CheckSample) (domain.SampleCheck, error) {
	kind, err := w.svc.documentType(w.ctx, w.tx.Reader, found.record)
	if err != nil {
		return domain.SampleCheck{}, err
	}
	checked, err := normaliseChecked(kind, in.Values)
	if err != nil {
		return domain.SampleCheck{}, err
	}
	fields, err := w.tx.Fields(w.ctx, found.record.ID)
	if err != nil {
		return domain.SampleCheck{}, err
	}
	findings, err := w.tx.Findings(w.ctx, found.record.ID)
	if err != nil {
		return domain.SampleCheck{}, err
	}
	check := domain.SampleCheck{Approves: in.Approves, Reason: strings.TrimSpace(in.Comment),
		Compared: sampling.Compare(kind, fieldsFromRows(fields), checked),
		Rules:    []string{}}
	for _, finding := range findings {
		if !slices.Contains(check.Rules, finding.Rule) {
			check.Rules = append(check.Rules, finding.Rule)
		}
	}
	slices.Sort(check.Rules)
	return check, nil
}

// maxCheckedValue bounds a value that a checker enters, in characters.
const maxCheckedValue = 500

// normaliseChecked returns the entered values in the stored form of their fields.
func normaliseChecked(
	kind *domain.DocumentType, inputs []FieldInput,
) (map[string]string, error) {
	entered := map[string]string{}
	for _, input := range inputs {
		if _, twice := entered[input.Name]; twice ||
			!slices.Contains(sampling.Fields(kind), input.Name) {
			return nil, domain.Invalid(input.Name, "The field %q is not part of this check.",
				input.Name)
		}
		if domain.Longer(input.Value, maxCheckedValue) {
			return nil, tooLong(input.Name, maxCheckedValue)
		}
		if err := domain.CheckText(input.Name, input.Value); err != nil {
			return nil, err
		}
		entered[input.Name] = strings.TrimSpace(input.Value)
	}
	currency := strings.ToUpper(entered[domain.FieldCurrency])
	for name, value := range entered {
		if value == "" {
			continue
		}
		// Without a currency on the document only the number is compared.
		normalised, err := extraction.NormaliseIn(kind, name, value,
			cmp.Or(currency, domain.BaseCurrency))
		if err != nil {
			return nil, err
		}
		entered[name] = normalised
	}
	return entered, nil
}

// SettleSample decides whether the case of a disputed sample was archived rightly. If not, a
// correction case with the same document is submitted; the archived case stays as it is.
func (svc *Service) SettleSample(
	ctx context.Context, actor domain.Actor, in SettleSample,
) (SampleResult, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	correction, err := svc.prepareSettled(ctx, actor, in)
	if err != nil {
		return SampleResult{}, err
	}
	return runSampleCommand(ctx, svc, actor, "settleSample", in.Once, in, domain.ActDecide,
		func(w *sampleWork) (SampleResult, error) {
			if _, err := requireReason(in.Reason, domain.Reject); err != nil {
				return SampleResult{}, err
			}
			sample, found, err := w.lockCheckable(in.SampleID, domain.SampleDisputed)
			if err != nil {
				return SampleResult{}, err
			}
			blind, err := w.isBlind(found)
			if err != nil {
				return SampleResult{}, err
			}
			result := SampleResult{SampleID: sample.ID, Status: domain.SampleConfirmed}
			if !in.ArchivedRightly {
				result.Status = domain.SampleWrong
				if result.CorrectionID, err = w.settledCorrection(correction, sample,
					in.Reason); err != nil {
					return SampleResult{}, err
				}
			}
			w.emit(generated.QualitySettledV1{SampleID: sample.ID, By: w.person.ID,
				ArchivedRightly: in.ArchivedRightly, Reason: in.Reason,
				CorrectionID: result.CorrectionID})
			return result, w.tx.PutCheck(w.ctx, domain.SampleCheck{SampleID: sample.ID,
				Settles: true, Person: w.person.ID, Blind: blind, Approves: in.ArchivedRightly,
				Compared: []domain.ComparedField{}, Rules: []string{}, Reason: in.Reason},
				result.Status, result.CorrectionID)
		})
}

// settledCorrection returns the correction case of a sample that was found wrong. If a person has
// already submitted one, it is that one.
func (w *sampleWork) settledCorrection(
	s submission, sample domain.Sample, reason string,
) (domain.ID, error) {
	locked, _, err := w.tx.LockCase(w.ctx, sample.CaseID)
	if err != nil {
		return domain.NoID, err
	}
	existing, err := w.tx.CorrectionOf(w.ctx, locked.ID)
	if err != nil || existing != domain.NoID {
		return existing, err
	}
	if !locked.ErasedAt.IsZero() {
		return domain.NoID, erasedCase(locked)
	}
	return w.submitCorrection(s, locked, sample.ID, reason)
}
