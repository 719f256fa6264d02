// The countries that rules judge, each with its role and who stated it.
import { Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  type CountryAtRisk,
  countryLines,
  countryLineText,
  countrySources,
} from '../../lib/countries-at-risk';
import classes from './differences.module.css';

export function CountriesPanel({ countries }: { countries: readonly CountryAtRisk[] }) {
  const { t, i18n } = useTranslation();
  if (countries.length === 0) return null;
  return (
    <section className="cs-card" aria-labelledby="countries-at-risk">
      <Title order={2} id="countries-at-risk">
        {t('differences.countries.title')}
      </Title>
      <ul className={classes.values}>
        {countryLines(countries).map((line) => (
          <li key={`${line.code} ${line.role} ${line.field}`}>
            <Text span>{countryLineText(t, i18n.language, line)}</Text>{' '}
            <Text span size="sm" c="dimmed">
              {countrySources(t, line)}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
