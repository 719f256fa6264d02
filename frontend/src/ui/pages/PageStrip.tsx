// The pages of a document as small images, with the number of the page in view.
import { UnstyledButton } from '@mantine/core';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PageScan } from '../PageImage';
import classes from '../page-image.module.css';

/** The page in the middle of the viewport, and how to bring another one into view. */
export function usePageInView(viewport: RefObject<HTMLElement | null>, count: number) {
  const [page, setPage] = useState(1);
  useEffect(() => {
    const place = viewport.current;
    if (!place || count < 2) return;
    const update = () => {
      const outer = place.getBoundingClientRect();
      const middle = outer.top + outer.height / 2;
      const shown = [...place.querySelectorAll<HTMLElement>('[data-page]')].findLast(
        (page) => page.getBoundingClientRect().top <= middle,
      );
      setPage(Number(shown?.dataset.page ?? 1));
    };
    update();
    place.addEventListener('scroll', update, { passive: true });
    return () => place.removeEventListener('scroll', update);
  }, [viewport, count]);
  const show = (number: number) =>
    viewport.current
      ?.querySelector(`[data-page="${number}"]`)
      ?.scrollIntoView({ block: 'start', behavior: 'instant' });
  return { page, show };
}

export function PageStrip({
  pages,
  inView,
  show,
}: {
  pages: readonly PageScan[];
  inView: number;
  show: (number: number) => void;
}) {
  const { t } = useTranslation();
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    const [place, small] = [
      strip.current,
      strip.current?.querySelector<HTMLElement>(`[data-small="${inView}"]`),
    ];
    if (place && small)
      place.scrollTo({ left: small.offsetLeft - place.clientWidth / 2 + small.offsetWidth / 2 });
  }, [inView]);
  return (
    <nav ref={strip} className={classes.strip} aria-label={t('pages.strip')}>
      {pages.map((page) => (
        <UnstyledButton
          key={page.number}
          className={classes.small}
          data-small={page.number}
          aria-current={page.number === inView ? 'page' : undefined}
          aria-label={t('ui.page', { number: page.number })}
          onClick={() => show(page.number)}
        >
          <img src={page.path} alt="" loading="lazy" decoding="async" />
          <span aria-hidden="true">{page.number}</span>
        </UnstyledButton>
      ))}
    </nav>
  );
}
