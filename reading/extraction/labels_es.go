package extraction

// spanish holds the words of Spanish documents.
var spanish = language{
	name: "es",
	street: []string{
		"calle", "avenida", "avda", "plaza", "paseo", "carretera", "camino", "polígono", "apartado",
	},
	contact: []string{
		"teléfono", "nif", "cif", "factura*", "fecha", "correo",
	},
	net: []string{
		"base imponible", "importe neto",
	},
	tax: []string{
		"iva", "impuesto", "impuestos", "cuota iva",
	},
	grand: []string{
		"total factura", "total a pagar", "importe total",
	},
	due: []string{
		"a pagar", "importe pendiente",
	},
	plain: []string{
		"*importe*",
	},
	paid: []string{
		"efectivo", "entregado", "pagado",
	},
	change: []string{
		"cambio", "vuelto",
	},
	other: []string{
		"*descuento*",
	},
	date: []string{
		"fecha",
	},
	issueDate: []string{
		"fecha de factura", "fecha factura", "fecha de emisión",
	},
	dueDate: []string{
		"vencimiento",
	},
	otherDate: []string{
		"fecha de entrega", "fecha de pedido",
	},
	orderNumber: []string{
		"número de pedido", "pedido n°", "su pedido",
	},
	deliveryDate: []string{
		"fecha de entrega",
	},
	paymentTerms: []string{
		"condiciones de pago",
	},
	prepaid: []string{
		"anticipo*", "ya pagado", "pagado a cuenta",
	},
	currency: []string{
		"moneda", "divisa", "importes en",
	},
	payment: []string{
		"pago", "pagos", "transferencia", "cobro",
	},
	earlier: []string{
		"rectificada", "anterior",
	},
}
