// Where the page begins.
import '@mantine/core/styles.css';
import '../ui/ui.css';
import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { makeClient } from '../graphql/client';
import { startWords } from '../i18n';
import { theme, variables } from '../ui/theme';
import { router } from './router';

async function start(): Promise<void> {
  const place = document.getElementById('root');
  if (!place) throw new Error('The page has no place for the application.');
  await startWords();
  const client = makeClient();
  createRoot(place).render(
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
