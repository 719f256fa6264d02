import { useEffect } from 'react';
import { makeStore } from './store';

/** What the page is about, for the title of the window; null if its own title says it. */
export const pageSubject = makeStore<string | null>(null);

/** Names the subject in the title of the window while the component is shown. */
export function usePageSubject(subject: string): void {
  useEffect(() => {
    pageSubject.set(subject);
    return () => pageSubject.set(null);
  }, [subject]);
}
