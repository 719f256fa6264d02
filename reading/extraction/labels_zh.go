package extraction

// chinese holds the words of Chinese documents.
var chinese = language{
	name: "zh",
	street: []string{
		"路", "街", "号楼", "大道", "区", "弄", "室",
	},
	contact: []string{
		"电话", "传真", "税号", "识别号", "日期", "发票*", "开户行", "账号",
	},
	sub: []string{
		"小计", "小計",
	},
	net: []string{
		"不含税",
	},
	tax: []string{
		"税额", "稅額",
	},
	grand: []string{
		"价税合计", "總金額", "总计", "總計", "总金额", "金额合计", "小写",
	},
	due: []string{
		"应付",
	},
	plain: []string{
		"合计", "合計",
	},
	paid: []string{
		"已付", "实收",
	},
	change: []string{
		"找零",
	},
	other: []string{
		"优惠", "折扣",
	},
	date: []string{
		"日期",
	},
	issueDate: []string{
		"开票日期",
	},
	dueDate: []string{
		"到期", "付款期限",
	},
	otherDate: []string{
		"订单日期", "交货日期",
	},
	orderNumber: []string{
		"订单号", "订单编号", "采购订单",
	},
	deliveryDate: []string{
		"交货日期", "送货日期", "交付日期",
	},
	paymentTerms: []string{
		"付款条件",
	},
	prepaid: []string{
		"已付", "预付",
	},
	currency: []string{
		"币种", "货币", "幣種",
	},
	payment: []string{
		"付款", "转账", "支付",
	},
	earlier: []string{
		"原",
	},
}
