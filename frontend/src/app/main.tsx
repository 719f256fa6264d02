// The entry point of the application.
import '@mantine/core/styles.css';
import '../ui/ui.css';
import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { makeClient } from '../graphql/client';
import { startI18n } from '../i18n';
import { traceActions } from '../lib/trace';
import { theme, variables } from '../ui/theme';
import { router } from './router';
import './bulk';
import './view-bar';

async function start(): Promise<void> {
  const container = document.getElementById('root');
  if (!container) throw new Error('The page has no element with the id root.');
  traceActions();
  await startI18n();
  const client = makeClient();
  createRoot(container).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
        <Provider value={client}>
          <RouterProvider router={router} />
        </Provider>
      </MantineProvider>
    </StrictMode>,
  );
}

void start();
