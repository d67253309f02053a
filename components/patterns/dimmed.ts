'use client';

import { Text } from '@mantine/core';

/** Text beside the point: a note, or what there is instead of rows. */
export const Dimmed = Text.withProps({ size: 'sm', c: 'dimmed' });

/** The same within a line, smaller than what it belongs to. */
export const SmallNote = Text.withProps({ span: true, size: 'xs', c: 'dimmed' });
