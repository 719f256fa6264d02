// The theme: neutral greys and one accent colour. Contrasts meet WCAG AA in light and dark mode.
import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Modal,
} from '@mantine/core';

const ink: MantineColorsTuple = [
  '#eef0fb',
  '#dadef3',
  '#b2bae6',
  '#8793d9',
  '#6473ce',
  '#4e5fc8',
  '#3f51bd',
  '#3545a6',
  '#2c3a8c',
  '#222d70',
];

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  luminanceThreshold: 0.32,
  colors: { ink },
  defaultRadius: 'sm',
  fontFamily:
    'Inter, "Segoe UI", system-ui, -apple-system, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", "SF Mono", ui-monospace, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '620',
    sizes: { h1: { fontSize: '1.45rem' }, h2: { fontSize: '1.12rem' }, h3: { fontSize: '1rem' } },
  },
  fontSizes: { xs: '0.78rem', sm: '0.875rem', md: '0.95rem' },
  respectReducedMotion: true,
  components: {
    // The header of a dialog is not a banner landmark of the page.
    // It closes without a transition, because its keys go to the page again only when it is gone.
    Modal: Modal.extend({
      defaultProps: {
        attributes: { header: { role: 'presentation' } },
        transitionProps: { exitDuration: 0 },
      },
    }),
    // The arrow of a list is decoration.
    NativeSelect: { defaultProps: { rightSectionProps: { 'aria-hidden': true } } },
  },
  cursorType: 'pointer',
});

/** Darker replacements for Mantine colours with too little contrast. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565d68',
    '--mantine-color-placeholder': '#69707b',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-body': '#ffffff',
    '--cs-ground': '#f6f7f9',
    '--cs-line': '#dfe2e8',
    '--cs-raised': '#ffffff',
    '--cs-link': '#3545a6',
    '--mantine-color-anchor': 'var(--cs-link)',
    '--cs-calm-bg': '#eceef2',
    '--cs-calm': '#454b56',
    '--cs-busy-bg': '#e4e8fb',
    '--cs-busy': '#2c3a8c',
    '--cs-good-bg': '#dcf3e6',
    '--cs-good': '#0f5a34',
    '--cs-warn-bg': '#fdf0d0',
    '--cs-warn': '#6f4a00',
    '--cs-bad-bg': '#fce3e1',
    '--cs-bad': '#8f1d16',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0bb',
    '--mantine-color-placeholder': '#989fab',
    '--mantine-color-error': '#ff9c93',
    '--mantine-color-body': '#1b1d22',
    '--cs-ground': '#14161a',
    '--cs-line': '#343841',
    '--cs-raised': '#1f2228',
    '--cs-link': '#a9b5ff',
    '--mantine-color-anchor': 'var(--cs-link)',
    '--cs-calm-bg': '#2d3139',
    '--cs-calm': '#cdd2db',
    '--cs-busy-bg': '#272e55',
    '--cs-busy': '#c3ccff',
    '--cs-good-bg': '#133a27',
    '--cs-good': '#9fe5bd',
    '--cs-warn-bg': '#41320c',
    '--cs-warn': '#f8d784',
    '--cs-bad-bg': '#4a1d1a',
    '--cs-bad': '#ffb9b2',
  },
});
