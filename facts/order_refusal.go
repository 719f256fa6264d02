package facts

import (
	"strings"

	"countersign/domain"
)

// Refusal explains why the order may not pass, beside the orders on its evidence that have passed; nil
// if it may.
func (c OrderCheck) Refusal(shared SharedEvidence) error {
	switch {
	case !c.PayeeCovered():
		return domain.Errorf(domain.OrderUnsupported,
			"The document names another payee or account than the order.").
			WithRemedy("State why the order is right and let a second reviewer confirm it, "+
				"or return or reject the order.").WithDetail("reason", "payee")
	case !c.AmountCovered() && c.NoAmount:
		return domain.Errorf(domain.OrderUnsupported,
			"The document states no amount that supports the order.").
			WithRemedy("Explain the difference and let a second person confirm the reason, or return the order.").
			WithDetail("reason", "no_amount")
	case !c.AmountCovered():
		return domain.Errorf(domain.OrderUnsupported,
			"The order of %s differs from the document (%s).",
			c.Order.Amount.FormatGrouped(), c.otherAmounts(domain.Money.FormatGrouped)).
			WithRemedy("Explain the difference and let a second person confirm the reason, or return the order.").
			WithDetail("reason", "amount").WithDetail("order", c.Order.Amount.FormatGrouped()).
			WithDetail("document", c.otherAmounts(domain.Money.FormatGrouped))
	case shared.Exceeded:
		return domain.Errorf(domain.OrderUnsupported,
			"Together with %s, the orders on this document are %s, but it supports %s.",
			strings.Join(shared.References(), ", "), shared.Sum.FormatGrouped(),
			shared.Evidence.FormatGrouped()).
			WithRemedy("Return or reject the order.").WithDetail("reason", "exceeded").
			WithDetail("cases", strings.Join(shared.References(), ", ")).
			WithDetail("sum", shared.Sum.FormatGrouped()).
			WithDetail("document", shared.Evidence.FormatGrouped())
	}
	return nil
}

// OtherAmountsText lists the amounts of the evidence that differ from the order's, for programs.
func (c OrderCheck) OtherAmountsText() string { return c.otherAmounts(domain.Money.String) }

// otherAmounts lists them in the given form.
func (c OrderCheck) otherAmounts(format func(domain.Money) string) string {
	texts := make([]string, len(c.OtherAmounts))
	for i, amount := range c.OtherAmounts {
		texts[i] = format(amount)
	}
	return strings.Join(texts, ", ")
}
