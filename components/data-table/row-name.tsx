import { Anchor, type AnchorProps } from '@mantine/core';
import type { ComponentProps } from 'react';

type RowNameProps = AnchorProps & Omit<ComponentProps<'button'>, keyof AnchorProps>;

/** What a row is called; opens it. */
export const RowName = (props: RowNameProps) => (
  <Anchor component="button" size="sm" fw={600} ta="start" {...props} />
);
