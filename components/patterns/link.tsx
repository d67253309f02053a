'use client';

import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/**
 * A link to another page of the console, loaded only when followed. Next's own link prefetches every linked page that
 * is in view: about thirty requests per page, none of which returns data, because every page is rendered for its
 * reader.
 */
export const Link = (props: ComponentProps<typeof NextLink>) => <NextLink prefetch={false} {...props} />;
