package extraction

// english holds the words of English documents.
var english = language{
	name: "en",
	street: []string{
		"street", "st", "road", "rd", "avenue", "ave", "lane", "drive", "boulevard", "floor",
		"level", "suite", "unit", "lot", "block", "building", "tower", "plaza", "mall", "park",
		"p o box", "house", "square", "highway",
	},
	contact: []string{
		"tel*", "phone", "fax", "hp", "mobile", "e mail", "email", "website", "www*", "http*",
		"gst*", "vat", "tax*", "reg", "registration", "company no", "co no", "roc", "formerly",
		"licensee", "invoice*", "receipt*", "date*", "time", "cashier*", "table", "bill", "order",
		"member*", "sales*", "served", "customer*", "attn", "welcome", "thank*", "cash*", "qty",
		"item*", "description", "desc", "amount", "price", "doc*", "page", "operator", "trans*",
		"careline", "hotline", "incorporated", "trading as", "copy", "guest*", "counter",
	},
	sub: []string{
		"sub total",
	},
	net: []string{
		"net am*", "taxable*", "amount excl*", "untaxed*", "excluded", "excluding", "exclusive",
	},
	tax: []string{
		"gst*", "vat", "tax", "sst", "cgst", "sgst", "igst", "qst", "pst", "hst", "svc tax",
	},
	grand: []string{
		"you pay", "payable amount", "balance due", "amount due", "amount payable",
		"invoice amount", "invoice value",
	},
	due: []string{
		"amount due", "amount payable", "amount to pay", "balance due", "balance payable", "due payable",
		"residual*", "due",
	},
	plain: []string{
		"payable*",
	},
	paid: []string{
		"cash", "tender*", "paid", "visa*", "master card*", "credit card*", "debit*", "card",
		"received*", "payment*",
	},
	change: []string{
		"change*",
	},
	other: []string{
		"*saving*", "*discount*", "disc", "*rounding*", "round off", "round adj*", "rnd", "rndg",
		"adj*", "*point*", "qty*", "*quantity*", "item*", "*pcs*", "*deposit*", "*voucher*",
		"*redeem*", "balance b*", "credit limit*", "*count*", "*weight*", "*shipping*",
	},
	date: []string{
		"date", "dated",
	},
	issueDate: []string{
		"invoice date", "inv date", "inv dt", "bill date", "issue date", "receipt date",
		"document date", "doc date", "date of issue", "date of invoice",
	},
	dueDate: []string{
		"due", "payable by*", "pay by*", "pay before*", "payment date",
	},
	otherDate: []string{
		"*order*", "*deliver*", "*shipp*", "*expir*", "*valid*", "*print*", "*birth*", "*period*",
		"check in*", "check out*", "*from*", "*until*", "*member*", "*effective*", "*since*",
		"*ssm*", "*arriv*", "*depart*",
	},
	orderNumber: []string{
		"order no", "order number", "purchase order", "po no", "po number", "your order",
		"customer order",
	},
	deliveryDate: []string{
		"delivery date", "date of delivery", "date of supply", "supply date", "service date",
		"date of service", "service period",
	},
	paymentTerms: []string{
		"payment terms", "terms of payment", "payment conditions",
	},
	prepaid: []string{
		"amount paid", "already paid", "prepaid", "prepayment*", "down payment*", "advance payment*",
		"deposit paid", "paid to date",
	},
	currency: []string{
		"currency", "invoice currency", "amounts in", "all amounts in",
	},
	payment: []string{
		"payment", "payments", "paid", "*wire transfer", "bank transfer", "credit card", "sepa*",
	},
	earlier: []string{
		"original", "previous", "corrected", "ref", "reference", "against",
	},
}
