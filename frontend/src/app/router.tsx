// The routes of the application. The code of each page is loaded on its first visit.
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { session, startPage } from '../lib/session';
import { LoadingState } from '../ui/states';
import { NotFound, PageError } from './ErrorPages';
import { root, signedIn } from './frame';
import { pages } from './pages';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { back?: string; refused?: string } => {
    const { back, refused } = search;
    return {
      // Accept only paths of this site, so that a link cannot redirect elsewhere after sign-in.
      ...(typeof back === 'string' && /^\/(?![/\\])/.test(back) && { back }),
      ...(typeof refused === 'string' && /^\w+$/.test(refused) && { refused }),
    };
  },
  component: lazyRouteComponent(() => import('./SignIn'), 'SignIn'),
});

const choosePassword = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./SignIn'), 'ChoosePassword'),
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    const now = session.get();
    if (now.state === 'signedIn') throw redirect({ to: startPage(now.person), replace: true });
  },
});

const tree = root.addChildren([signIn, choosePassword, signedIn.addChildren([start, ...pages])]);

/**
 * Reads a value of an address. Only a quoted one is JSON: otherwise searched words such as 1.50 or [1]
 * would not stay what they are.
 */
function parseQuoted(text: string): unknown {
  if (!text.startsWith('"')) throw new SyntaxError('The value is not quoted.');
  return JSON.parse(text);
}

export const router = createRouter({
  routeTree: tree,
  parseSearch: parseSearchWith(parseQuoted),
  stringifySearch: stringifySearchWith(JSON.stringify, parseQuoted),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingState />,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
