package casework_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// teamHistory is a case that random people with random duties change by every command.
type teamHistory struct {
	*liveCase
	team *team
	// agency and sister are counterparties of this history only, merged if merged is true.
	agency, sister string
	merged         bool
	bundled        bool      // its process has supporting documents
	linesDiffer    bool      // the line items of the e-invoice do not add up
	paired         bool      // another document has the same number
	content        string    // of the next file, "" for a new one
	number         string    // of the document that was written first
	conflicted     domain.ID // who has a conflict of interest with the agency
	delegations    []domain.ID
	// mayFall says that the last command may have resolved something.
	mayFall bool
	// cleared are the clearances of pairs of cases, by the references of both.
	cleared map[[2]string]clearance
	caseRecord
	// others are the other cases of a file that was split.
	others []followedCase
}

// caseRecord is what a history knows of the case that it follows.
type caseRecord struct {
	// conflictRevision is the revision of the facts after which the conflict counts.
	conflictRevision int64
	rate             int64 // the rate with which the case was last evaluated
	// given are the cases on which the votes that count were given.
	given map[voteKey]givenVote
	// archived is what was asserted about the cases from which the case inherits: the archived cases that it
	// corrects, the file of which it is a part.
	archived []archivedSet
	// submitters are those of the archived cases that the case corrects.
	submitters []domain.ID
	// pages are the words of the pages of the case, file those of all pages of its file.
	pages, file []string
	// kept are the reviews of the file of which the case is a part, with their levels.
	kept map[string]int
	// excluded are the people who split the file, or could not decide about it.
	excluded []domain.ID
	// paper is what the reader returned for the document of the case.
	paper paper
	// archivedBefore says that the case was archived when it was checked the last time.
	archivedBefore bool
	// split is the file of which the case is a part, nil if it is none.
	split *splitFile
}

// team are the reviewers of one database. Their roles and limits change from history to history.
type team struct {
	people   []domain.Actor
	roles    [][]domain.Role
	limits   map[domain.Role]int64
	sam      domain.Actor // who submits, at times one of the people
	outsider domain.Actor
	// outsiderRoles are those of the further account of the outsider.
	outsiderRoles []domain.Role
	// twins are further accounts of the first people, and of the outsider.
	twins  []domain.Actor
	heads  map[domain.ID]domain.ID // the person of a further account
	admins []domain.Actor
	// needs are the queues in which different people must be able to decide.
	needs []string
	rate  int64 // of EUR, in millionths
}

// roleSets are the duties that one person can have.
var roleSets = [][]domain.Role{{domain.RoleL1}, {domain.RoleSenior}, {domain.RoleL2},
	{domain.RoleManager}, {domain.RoleAML}, {domain.RoleL1, domain.RoleL2},
	{domain.RoleSenior, domain.RoleAML}, {domain.RoleManager, domain.RoleAML},
	{domain.RoleL1, domain.RoleAML}, {domain.RoleManager, domain.RoleSenior}}

// worksIn reports whether a person with the roles decides in a queue, by the words of the
// documentation.
func worksIn(roles []domain.Role, queue string) bool {
	return slices.ContainsFunc(roles, func(role domain.Role) bool {
		switch role {
		case domain.RoleAML:
			return queue == domain.QueueAML
		case domain.RoleL1, domain.RoleSenior:
			return queue == domain.QueueL1 || queue == domain.QueueRepair
		}
		return queue != domain.QueueAML
	})
}

// enough reports whether different people of those listed can approve in all queues, each in one.
func (m *team) enough(people []int, queues ...string) bool {
	if len(queues) == 0 {
		return true
	}
	return slices.ContainsFunc(people, func(at int) bool {
		return worksIn(m.roles[at], queues[0]) && m.enough(slices.DeleteFunc(slices.Clone(people),
			func(other int) bool { return other == at }), queues[1:]...)
	})
}

// staffed reports whether the remittance can be decided on every path, also without any one of the
// people in excluded.
func (m *team) staffed(excluded ...int) bool {
	var people []int
	for at := range m.people {
		if !slices.Contains(excluded, at) {
			people = append(people, at)
		}
	}
	return m.enough(people, m.needs...)
}

func newTeam(env *testEnv, people int) *team {
	env.t.Helper()
	m := &team{outsider: env.person("sam", domain.RoleSubmitter), rate: 1_100_000,
		needs:  []string{domain.QueueAML, domain.QueueL1, domain.QueueL2},
		admins: []domain.Actor{env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)}}
	for n := range people {
		m.people = append(m.people, env.reviewer(fmt.Sprintf("rev%d", n), domain.RoleManager,
			domain.RoleAML))
	}
	m.heads = map[domain.ID]domain.ID{}
	for _, person := range []domain.Actor{m.people[0], m.people[1], m.outsider} {
		twin := env.reviewer(person.Name+"+two", domain.RoleManager, domain.RoleAML)
		m.twins, m.heads[twin.UserID] = append(m.twins, twin), person.UserID
	}
	return m
}

// accounts are all accounts of the reviewers.
func (m *team) accounts() []domain.Actor { return slices.Concat(m.people, m.twins) }

// reassignDuties gives the people other roles, with which every path of the processes has enough
// of them, and the roles other limits. The staffing check must find the same.
func (m *team) reassignDuties(env *testEnv, random *rand.Rand) {
	env.t.Helper()
	own := -1
	for {
		m.roles = nil
		for range m.people {
			m.roles = append(m.roles, roleSets[random.IntN(len(roleSets))])
		}
		own = random.IntN(2*len(m.people)) - len(m.people) // one of the people submits at times
		if m.staffed(own) {
			break
		}
	}
	m.sam = m.outsider
	for _, twin := range m.twins {
		roles := m.rolesOf(twin.UserID)
		if m.heads[twin.UserID] == m.outsider.UserID {
			m.outsiderRoles = roleSets[random.IntN(len(roleSets))]
			roles = m.outsiderRoles
		}
		_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
			ID: twin.UserID, Email: twin.Name + "@example.com", Name: twin.Name, Roles: roles,
			Queues: []string{domain.QueueL1, domain.QueueL2, domain.QueueAML, domain.QueueRepair}}})
		must(env.t, err)
	}
	for at, person := range m.people {
		roles := m.roles[at]
		if at == own {
			roles = append(slices.Clone(roles), domain.RoleSubmitter)
			m.sam = person
		}
		_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
			ID: person.UserID, Email: person.Name + "@example.com", Name: person.Name, Roles: roles,
			Queues: []string{domain.QueueL1, domain.QueueL2, domain.QueueAML, domain.QueueRepair}}})
		must(env.t, err)
	}
	m.limits = map[domain.Role]int64{domain.RoleL1: 500_000_00, domain.RoleSenior: 2_000_000_00,
		domain.RoleL2: math.MaxInt64, domain.RoleManager: math.MaxInt64, domain.RoleAML: math.MaxInt64}
	if random.IntN(2) == 0 {
		for _, role := range []domain.Role{domain.RoleL2, domain.RoleManager, domain.RoleAML} {
			m.limits[role] = []int64{1_400_000_00, 2_000_000_00}[random.IntN(2)]
		}
	}
	for role, limit := range m.limits {
		must(env.t, env.svc.SetLimit(env.ctx, domain.SystemActor(), domain.Limit{Role: role,
			Action: domain.ActDecide, Unlimited: limit == math.MaxInt64,
			BaseMinor: limit % math.MaxInt64}))
	}
	_, err := env.svc.CheckStaffing(env.ctx, true)
	must(env.t, err)
	for _, problem := range env.staffingProblems(remittance) {
		if problem.Rule == "understaffed" {
			env.t.Fatalf("%v are enough people, but %s", m.roles, problem.Message)
		}
	}
}

// limitOf returns the largest amount that the person may decide.
func (m *team) limitOf(id domain.ID) int64 {
	limit := int64(-1)
	for _, role := range m.rolesOf(id) {
		limit = max(limit, m.limits[role])
	}
	return limit
}

func (m *team) rolesOf(id domain.ID) []domain.Role {
	if head, known := m.heads[id]; known {
		id = head
	}
	if id == m.outsider.UserID {
		return m.outsiderRoles // of the further account
	}
	at := slices.IndexFunc(m.people, func(p domain.Actor) bool { return p.UserID == id })
	if at < 0 {
		return nil
	}
	return m.roles[at]
}

// Whatever people with whatever duties do in whatever order, the risk basis falls only by a decision
// of the people that resolving demands, no case is archived without the people that its riskiest
// values demand, and from every state that is reached someone is offered a command that leads on, to
// the end of the case.
func TestRandomHistoriesOfTeams(t *testing.T) {
	t.Parallel()
	runTeamHistories(t, 40, []int{3, 4, 6}, (*teamHistory).submitAny)
}

// runTeamHistories runs random histories of the cases that submit submits, after prepare.
func runTeamHistories(
	t *testing.T, usual int, teams []int, submit func(*teamHistory), prepare ...func(*team, *testEnv),
) {
	t.Helper()
	for _, people := range teams {
		t.Run(fmt.Sprintf("%d people", people), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.knowVendors()
			env.approvedBefore("Hafen Logistik GmbH", "remittance", invoiceAccount)
			members := newTeam(env, people)
			for _, change := range prepare {
				change(members, env)
			}
			forHistories(t, usual, func(random *rand.Rand) {
				members.reassignDuties(env, random)
				h := &teamHistory{team: members, cleared: map[[2]string]clearance{}, agency: "Kontor " + letters(random, 8) + " GmbH",
					sister: "Werft " + letters(random, 8) + " GmbH",
					liveCase: &liveCase{testEnv: env, random: random, sam: members.sam,
						people: members.people, admin: members.admins[0], heads: members.heads}}
				submit(h)
				h.run()
			})
		})
	}
}

// run runs random commands, and then those that end the case.
func (h *teamHistory) run() {
	h.t.Helper()
	h.check()
	for range h.random.IntN(16) {
		h.followAnother()
		h.before = h.caseByID(h.id)
		if h.before.Status.Final() && !h.reopen() {
			break
		}
		h.command()
		h.drainQueue()
		h.check()
	}
	h.finishAll()
	h.endDelegations()
	if h.t.Failed() {
		h.t.Fatalf("the log is wrong after %v", h.commands)
	}
}

// letters returns a random word, by which names and numbers differ from history to history.
func letters(random *rand.Rand, length int) string {
	word := make([]byte, length)
	for i := range word {
		word[i] = byte('a' + random.IntN(26))
	}
	return string(word)
}

// submitAny submits a document to one of the built-in processes: with or without an order, which
// fits its document or does not.
func (h *teamHistory) submitAny() {
	h.t.Helper()
	kind := h.random.IntN(4)
	total, number, vendor := h.writeDocument()
	if kind > 1 {
		h.submitWithOrder(total, number, vendor)
		return
	}
	h.submitWithout(kind, total)
}

// writeDocument writes a document, and returns its total, number and vendor.
func (h *teamHistory) writeDocument() (total, number, vendor string) {
	total = pick(h.liveCase, "900.00", "20000.00", "95000.00", "450000.00", "460000.00",
		"920000.00", "1200000.00", "1500000.00", "3000000.00")
	number = "L-" + letters(h.random, 10)
	h.number = number
	vendor = pick(h.liveCase, "Hafen Logistik GmbH", "Muster Werke GmbH", h.agency)
	h.reader.change, h.reader.vendorConfidence, h.reader.image, h.reader.others = nil, 0, 0, nil
	if h.random.IntN(3) == 0 {
		h.reader.lines, h.reader.xml = nil, invoiceXML(total, number)
		if h.linesDiffer = h.random.IntN(3) == 0; h.linesDiffer {
			h.reader.xml = withLines(h.reader.xml, [4]string{"Screws", "1", "9.00", "9.00"})
		}
	} else {
		h.reader.xml, h.reader.lines = nil, append(invoiceLines(vendor, number, total),
			"or 500.00 USD 700.00", "Alster Werke GmbH")
		h.reader.vendorConfidence = pick(h.liveCase, 0, 0, 0.3)
	}
	h.reader.lines = h.withBank(h.reader.lines)
	h.addPages(2)
	return total, number, vendor
}

// submitWithout submits the document without an order to the process of the kind.
func (h *teamHistory) submitWithout(kind int, total string) {
	h.t.Helper()
	declared := pick(h.liveCase, []string{"", ""}, []string{total, "EUR"}, []string{"700.00", "EUR"},
		[]string{"1500000.00", "USD"})
	switch kind {
	case 0:
		h.id = h.submitContent(h.sam, h.newContent(), "document_approval", "invoice", declared[0], declared[1], "")
		return
	case 2, 3:
		h.submitBundle([]string{"bundle", "council"}[kind-2], declared[0], declared[1])
		return
	}
	h.id = h.submitContent(h.sam, h.newContent(), remittance, "remittance", declared[0], declared[1],
		pick(h.liveCase, "", "DE", "FR", "IR"))
}

// submitWithOrder submits an order with the document as evidence.
func (h *teamHistory) submitWithOrder(total, number, vendor string) {
	h.t.Helper()
	h.order = order(pick(h.liveCase, total, total, "700.00", "1200000.00"),
		pick(h.liveCase, "EUR", "EUR", "USD"), number)
	h.order.Payee = pick(h.liveCase, vendor, vendor, "Muster Werke GmbH")
	h.order.Country = pick(h.liveCase, "DE", "DE", "FR", "IR", "CN")
	h.order.Account = pick(h.liveCase, invoiceAccount, invoiceAccount, "GB29NWBK60161331926819")
	h.order.BIC = pick(h.liveCase, "", "", germanBank, iranianBank)
	if h.random.IntN(4) == 0 {
		h.order.Ground = &casework.GroundInput{Kind: domain.GroundPartPayment, Explanation: "part"}
	}
	h.id = h.mustOrder(h.sam, h.order)
	h.order.Ground = nil
}
