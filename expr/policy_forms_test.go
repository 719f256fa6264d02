package expr

import "testing"

// The form of conditions writes these texts (frontend: authority/condition-parts.ts). Each is a policy
// condition, alone and joined with the others.
func TestTheFormWritesPolicyConditions(t *testing.T) {
	t.Parallel()
	const person = `"01890a5d-ac96-774b-bcce-b302099a8057"`
	var texts []string
	for _, name := range []string{"review.queue", "review.document_type", "review.country", "review.status"} {
		texts = append(texts, name+` == "L\"1"`, name+` != "L1"`, name+` in ["a", "b"]`, `!(`+name+` in ["a"])`)
	}
	for _, name := range []string{"review.submitter", "user.id"} {
		texts = append(texts, name+` == `+person, name+` != `+person, name+` in [`+person+`]`,
			`!(`+name+` in [`+person+`, `+person+`])`)
	}
	for _, name := range []string{"review.level", "review.base_minor"} {
		for _, operator := range []string{"==", "!=", "<", "<=", ">", ">="} {
			texts = append(texts, name+" "+operator+" -500")
		}
		texts = append(texts, name+" in [1, -2]", "!("+name+" in [1])")
	}
	for _, name := range []string{"user.roles", "user.queues"} {
		texts = append(texts, `"manager" in `+name, `!("manager" in `+name+`)`)
	}
	texts = append(texts, "review.queue in user.queues", "!(review.queue in user.queues)",
		"review.submitter == user.id", "review.submitter != user.id", "review.amount_known", "!review.amount_known")
	for _, text := range texts {
		for _, source := range []string{text, text + " && review.level > 1", text + " || review.level > 1"} {
			if _, err := CompilePolicy(source); err != nil {
				t.Errorf("%s: %v", source, err)
			}
		}
	}
}
