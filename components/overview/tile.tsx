'use client';

import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '@/components/patterns/link';
import classes from './overview.module.css';

interface TileProps {
  label: string;
  /** The period and source of the figure, on hover. */
  title: string;
  /** The page that explains the figure; absent where the role may not see it. */
  href?: string | undefined;
  /** undefined during the first load. */
  value: string | undefined;
  note?: ReactNode;
  /** The note asks for attention. */
  alarming?: boolean;
  children?: ReactNode;
}

/** One live figure with its comparison. The whole tile is a link to the page that explains it. */
export const Tile = ({ label, title, href, value, note, alarming = false, children }: TileProps) => (
  <section className={classes.tile} title={title} data-link={href !== undefined || undefined}>
    <div className={classes.tileHead}>
      <h2>
        {href === undefined ? (
          label
        ) : (
          <Link href={href} className={classes.tileLink}>
            {label}
          </Link>
        )}
      </h2>
      {note && <span data-alarming={alarming || undefined}>{note}</span>}
    </div>
    <p className={classes.value}>
      {value ?? <Skeleton component="span" display="block" height="1lh" width="60%" />}
    </p>
    <div className={classes.tileFoot}>{children}</div>
  </section>
);
