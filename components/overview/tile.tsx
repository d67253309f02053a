'use client';

import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview.module.css';

interface TileProps {
  label: string;
  /** Said on hover: the window and the source of the figure. */
  title: string;
  /** undefined while it is loaded for the first time. */
  value: string | undefined;
  note?: ReactNode;
  /** The note asks for attention. */
  alarming?: boolean;
  children?: ReactNode;
}

/** One figure of now, large, with what it is compared to. */
export const Tile = ({ label, title, value, note, alarming = false, children }: TileProps) => (
  <section className={classes.tile} title={title}>
    <div className={classes.tileHead}>
      <h2>{label}</h2>
      {note && <span data-alarming={alarming || undefined}>{note}</span>}
    </div>
    {value === undefined ? (
      <Skeleton height={28} width="60%" my={4} />
    ) : (
      <p className={classes.value}>{value}</p>
    )}
    <div className={classes.tileFoot}>{children}</div>
  </section>
);
