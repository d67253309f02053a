'use client';

import { Anchor, type AnchorProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Link } from './link';

type TextLinkProps = AnchorProps & Omit<ComponentProps<typeof Link>, keyof AnchorProps>;

/** A link to another page of the console, within text. */
export const TextLink = (props: TextLinkProps) => <Anchor component={Link} size="sm" {...props} />;
