'use client';

import { Text } from '@mantine/core';

/** A name, or the head of a few lines. */
export const Strong = Text.withProps({ size: 'sm', fw: 600 });
