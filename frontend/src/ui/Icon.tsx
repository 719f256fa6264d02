// Line icons, defined here to avoid an icon library. They are decorative, because a text is always
// next to them.
const paths = {
  inbox: 'M3 13l3-8h12l3 8v6H3v-6zm0 0h5l1.5 3h5L16 13h5',
  upload: 'M12 16V4m0 0l-5 5m5-5l5 5M4 20h16',
  file: 'M6 3h8l4 4v14H6V3zm8 0v4h4',
  files: 'M8 3h8l4 4v10H8V3zM4 7v14h12',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4l2-2zm4 5h4',
  clock: 'M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  alert:
    'M12 9v4.5m0 3.2v.3M10.3 4.3L2.6 18a2 2 0 0 0 1.7 3h15.4a2 2 0 0 0 1.7-3L13.7 4.3a2 2 0 0 0-3.4 0z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  done: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-4 9.3l2.8 2.8L16 9.6',
  cross: 'M6 6l12 12M18 6L6 18',
  refused: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6m0-6l-6 6',
  back: 'M9 14l-5-5 5-5M4 9h9a7 7 0 0 1 0 14h-2',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9c0-4 3.6-6 8-6s8 2 8 6',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-7 9c0-3.6 3-5.4 7-5.4s7 1.8 7 5.4M16 4.4a3.5 3.5 0 0 1 0 6.4m2 4.1c2.4.7 4 2.4 4 5.1',
  eye: 'M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7-10-7-10-7zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm0-12v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.2 2.2m8.4 8.4l2.2 2.2m0-12.8l-2.2 2.2m-8.4 8.4l-2.2 2.2',
  shield: 'M12 3l8 3v6c0 5-3.4 8-8 9-4.6-1-8-4-8-9V6l8-3z',
  chart: 'M4 20V4m0 16h16M8 16v-5m4 5V7m4 9v-3',
  flow: 'M4 4h6v5H4V4zm10 11h6v5h-6v-5zM7 9v6a2.5 2.5 0 0 0 2.5 2.5H14',
  spin: 'M12 3a9 9 0 1 1-9 9',
  menu: 'M4 6h16M4 12h16M4 18h16',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm0-13v2m0 14v2M3 12h2m14 0h2M5.6 5.6L7 7m10 10l1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  half: 'M12 3a9 9 0 1 0 0 18V3zm0 0a9 9 0 0 1 0 18',
  out: 'M10 4H4v16h6m4-4l4-4-4-4m4 4H9',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.8 6 3.8 9s-.8 6-3.8 9c-3-3-3.8-6-3.8-9S9 6 12 3z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm4.8-1.7L21 21',
  right: 'M9 5l7 7-7 7',
  box: 'M3 8l9-5 9 5v9l-9 5-9-5V8zm0 0l9 5 9-5m-9 5v9',
  pen: 'M4 20l1-5L16 4l4 4L9 19l-5 1z',
  retry: 'M20 11a8 8 0 1 0-2 6.3M20 4v7h-7',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7m2 3a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17',
} as const;

export type IconName = keyof typeof paths;

export function Icon({
  name,
  size = 18,
  spin = false,
}: {
  name: IconName;
  size?: number;
  spin?: boolean;
}) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={spin ? 'cs-spin' : undefined}
      style={{ flex: 'none' }}
    >
      <path d={paths[name]} />
    </svg>
  );
}
