// Browser features that jsdom lacks and the components need.
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

const quiet = () => undefined;

Object.defineProperty(window, 'matchMedia', {
  writable: true,
  value: (query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addListener: quiet,
    removeListener: quiet,
    addEventListener: quiet,
    removeEventListener: quiet,
    dispatchEvent: () => false,
  }),
});

class NoObserver {
  observe = quiet;
  unobserve = quiet;
  disconnect = quiet;
}

Object.defineProperty(window, 'ResizeObserver', { writable: true, value: NoObserver });
Object.defineProperty(window, 'scrollTo', { writable: true, value: quiet });
Element.prototype.scrollIntoView = quiet;
