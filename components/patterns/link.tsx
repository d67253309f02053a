'use client';

import NextLink from 'next/link';
import { type ComponentProps, useEffect, useRef, useState } from 'react';

type LinkProps = ComponentProps<typeof NextLink>;

/**
 * A link to another page of the console, loaded only when followed. Next's own link prefetches every linked page that
 * is in view: about thirty requests per page, none of which returns data, because every page is rendered for its
 * reader.
 */
export const Link = (props: LinkProps) => <NextLink prefetch={false} {...props} />;

/** A pointer that crosses the menu on its way to another entry loads nothing. */
const REST_MS = 60;

/** A link whose page is loaded, with its first answers, once the pointer rests on it: before the click. */
export const EagerLink = (props: LinkProps) => {
  const [isWanted, setWanted] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    return () => clearTimeout(timer.current);
  }, []);
  return (
    <NextLink
      {...props}
      prefetch={isWanted}
      onMouseEnter={() => {
        timer.current = setTimeout(() => setWanted(true), REST_MS);
      }}
      onMouseLeave={() => clearTimeout(timer.current)}
    />
  );
};
