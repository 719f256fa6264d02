// Opens the command palette by Ctrl+K or Cmd+K.
import { useRouter } from '@tanstack/react-router';
import { type ComponentType, useEffect, useMemo, useState } from 'react';
import type { PaletteProps } from '../features/palette/Palette';
import { dialogIsOpen, isPaletteKey } from '../lib/page-keys';
import { hasRole, usePerson } from '../lib/session';
import { loadPalette } from './palette';

export function PaletteKey() {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!isPaletteKey(event) || dialogIsOpen()) return;
      event.preventDefault();
      loadPalette().then(
        (loaded) => {
          setPalette(() => loaded);
          setOpened(true);
        },
        () => undefined, // without a connection, the key does nothing
      );
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);
  const person = usePerson();
  const { routesById } = useRouter();
  /** The pages of the menu that the person has, and those of everyone. */
  const pages = useMemo(
    () =>
      Object.values(routesById).flatMap(({ fullPath: to, options }) => {
        const { title, menu } = options.staticData ?? {};
        const shown = menu ? hasRole(person, ...menu.roles) : /^\/(account|notices)$/.test(to);
        return title && shown ? [{ to, title }] : [];
      }),
    [routesById, person],
  );
  if (!Palette || !opened) return null;
  return <Palette pages={pages} onClose={() => setOpened(false)} />;
}
