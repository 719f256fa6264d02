package domain

import (
	"slices"
	"strings"
	"time"
)

// ViewList is a list that views are saved of.
type ViewList string

// The lists.
const (
	ViewOfCases ViewList = "cases"
	ViewOfQueue ViewList = "queue"
)

// Valid reports whether the list exists.
func (l ViewList) Valid() bool { return l == ViewOfCases || l == ViewOfQueue }

// ViewAudience is who a saved view is shared with.
type ViewAudience string

// The audiences.
const (
	ViewPersonal ViewAudience = "personal" // its owner only
	ViewForQueue ViewAudience = "queue"    // the people with a queue
	ViewForRole  ViewAudience = "role"     // the people with a role
	ViewForAll   ViewAudience = "everyone"
)

// The bounds of saved views.
const (
	MaxViewName   = 80
	MaxViewText   = 200 // of one parameter
	MaxOwnViews   = 100
	MaxSharedWith = 50 // views of one list with one audience
)

// SavedView is a named address of a list: its filters, order and columns. It contains no rows. Each reader
// gets what the list shows to them.
type SavedView struct {
	ID          ID
	List        ViewList
	Owner       ID
	Name        string
	Parameters  map[string]string // of the address
	Audience    ViewAudience
	AudienceKey string // queue or role; "" for the other audiences
	Version     int64
	UpdatedAt   time.Time
	UpdatedBy   ID
	Default     bool // the reader's list opens with it
}

// Shared reports whether others than the owner may see the view.
func (v *SavedView) Shared() bool { return v.Audience != ViewPersonal }

// viewParameters are the parameters of the lists' addresses.
var viewParameters = map[ViewList][]string{
	ViewOfCases: {"text", "status", "process", "type", "counterparty", "submitter", "source", "from", "to",
		"currency", "amountFrom", "amountTo", "minRisk", "maxRisk", "queue", "rule", "sort", "columns"},
	ViewOfQueue: {"whose", "queue", "text", "sort"},
}

// ViewParameters returns the names of the parameters that a view of the list may have.
func ViewParameters(list ViewList) []string { return slices.Clone(viewParameters[list]) }

// workParameters are about the review work, which only staff see.
var workParameters = []string{"minRisk", "maxRisk", "queue", "rule"}

// AsksWork reports whether the view filters or orders by the review work.
func (v *SavedView) AsksWork() bool {
	sort := v.Parameters["sort"]
	return v.List == ViewOfQueue || strings.HasPrefix(sort, "risk") || sort == "deadline" ||
		slices.ContainsFunc(workParameters, func(name string) bool { return v.Parameters[name] != "" })
}

// IsSharedWith reports whether the user is in the audience of the view.
func (v *SavedView) IsSharedWith(user *User) bool {
	switch v.Audience {
	case ViewForAll:
		return true
	case ViewForRole:
		return user.HasRole(Role(v.AudienceKey))
	case ViewForQueue:
		return slices.Contains(user.Queues, v.AudienceKey)
	}
	return false
}

// Confidential reports whether the view is shared with the people of a confidential queue only.
func (v *SavedView) Confidential() bool {
	return v.Audience == ViewForQueue && ConfidentialQueue(v.AudienceKey)
}

// PartiesOf returns the names of the parties of the conflicts and of their groups.
func PartiesOf(conflicts []Conflict) []string {
	var names []string
	for i := range conflicts {
		names = append(append(names, conflicts[i].Party), conflicts[i].Reach...)
	}
	return names
}

// ManagesViews reports whether the user may change and delete views that others share, and share views
// with everyone.
func (u *User) ManagesViews() bool { return u.HasRole(RoleManager) || u.HasRole(RoleAdmin) }

// UsableBy reports whether the user could have made the view: they may filter and order by everything in
// it, and it names no party with which they have a conflict of interest. A view that is not usable is not
// shown to other people than its owner, so that neither its name nor its filters say what they may not know.
// Whether they see the submitter that it names is checked by the caller.
func (v *SavedView) UsableBy(user *User, conflicts []string) bool {
	if v.AsksWork() && !user.IsStaff() {
		return false
	}
	if ConfidentialQueue(v.Parameters["queue"]) && !user.SeesConfidential() {
		return false
	}
	for _, party := range conflicts {
		if v.names(party) {
			return false
		}
	}
	return true
}

// OfferedTo reports whether the view is shared with the user, or whether they manage it: people who manage
// views manage all that are shared, but those of confidential queues. They see it if it is usable.
func (v *SavedView) OfferedTo(user *User) bool {
	return v.Shared() && (v.IsSharedWith(user) || user.ManagesViews() && !v.Confidential())
}

// shortestPartial is the length from which a part of a party's name is taken for the party.
const shortestPartial = 3

// names reports whether a text of the view contains the party, or is a part of its name.
func (v *SavedView) names(party string) bool {
	party = strings.ToLower(strings.TrimSpace(party))
	for _, text := range []string{v.Name, v.Parameters["text"], v.Parameters["counterparty"]} {
		text = strings.ToLower(strings.TrimSpace(text))
		if party != "" && strings.Contains(text, party) ||
			len(text) >= shortestPartial && strings.Contains(party, text) {
			return true
		}
	}
	return false
}

// CheckView cleans the view's texts and refuses one that is not a view of its list.
func CheckView(v *SavedView) error {
	if !v.List.Valid() {
		return Invalid("list", "There is no list %q.", string(v.List))
	}
	if err := CheckText("name", v.Name); err != nil {
		return err
	}
	v.Name = strings.Join(strings.Fields(CleanNote(v.Name)), " ")
	if v.Name == "" {
		return Invalid("name", "Enter a name for the view.")
	}
	if Longer(v.Name, MaxViewName) {
		return Invalid("name", "The name of a view has at most %d characters.", MaxViewName)
	}
	parameters := make(map[string]string, len(v.Parameters))
	for name, text := range v.Parameters {
		if !slices.Contains(viewParameters[v.List], name) {
			return Invalid("parameters", "This list has no filter %.40q.", name)
		}
		if err := CheckText("parameters", text); err != nil {
			return err
		}
		if Longer(text, MaxViewText) {
			return Invalid("parameters", "The value of the filter %q is longer than %d characters.", name,
				MaxViewText)
		}
		if text = strings.TrimSpace(text); text != "" {
			parameters[name] = text
		}
	}
	v.Parameters = parameters
	return checkViewAudience(v)
}

func checkViewAudience(v *SavedView) error {
	switch v.Audience {
	case ViewPersonal, ViewForAll:
		if v.AudienceKey != "" {
			return Invalid("audienceKey", "This audience has no name.")
		}
	case ViewForRole:
		if role := Role(v.AudienceKey); !slices.Contains(Roles(), role) || role == RoleExternal {
			return Invalid("audienceKey", "There is no role %.40q to share a view with.", v.AudienceKey)
		}
	case ViewForQueue:
		if v.AudienceKey == "" || Longer(v.AudienceKey, MaxViewName) {
			return Invalid("audienceKey", "Choose the queue that you share the view with.")
		}
	default:
		return Invalid("audience", "There is no audience %.40q.", string(v.Audience))
	}
	return nil
}
