import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dimmed } from './dimmed';
import classes from './facts.module.css';

export interface Fact {
  label: string;
  value: ReactNode;
}

/** Labels and values about one thing, as a description list. */
export const Facts = ({ facts }: { facts: readonly (Fact | null)[] }) => (
  <dl className={classes.facts}>
    {facts
      .filter((fact) => fact !== null)
      .map(({ label, value }) => (
        <div key={label}>
          <Dimmed component="dt">{label}</Dimmed>
          <Text component="dd" size="sm">
            {value}
          </Text>
        </div>
      ))}
  </dl>
);
