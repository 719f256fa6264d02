// Exact sums of decimal amounts.

interface Money {
  amount: string;
  currency: string;
}

const decimalsOf = (amount: string) => amount.split('.')[1]?.length ?? 0;

/** The sum of the amounts in each currency, in the order in which the currencies appear. */
export function sumsOf(amounts: readonly (Money | null)[]): Money[] {
  const known = amounts.filter((one) => one !== null);
  return [...new Set(known.map(({ currency }) => currency))].map((currency) => {
    const some = known.filter((one) => one.currency === currency).map(({ amount }) => amount);
    const decimals = Math.max(...some.map(decimalsOf));
    const units = some.map((amount) =>
      BigInt(amount.replace('.', '') + '0'.repeat(decimals - decimalsOf(amount))),
    );
    const sum = units.reduce((total, one) => total + one, 0n);
    const digits = String(sum < 0n ? -sum : sum).padStart(decimals + 1, '0');
    const whole = digits.slice(0, digits.length - decimals);
    const sign = sum < 0n ? '-' : '';
    const fraction = decimals > 0 ? `.${digits.slice(-decimals)}` : '';
    return { currency, amount: `${sign}${whole}${fraction}` };
  });
}
