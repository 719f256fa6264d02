// What a page says with a refusal because another person has changed something.
import { createContext, type ReactNode } from 'react';

export const StaleNote = createContext<ReactNode>(null);
