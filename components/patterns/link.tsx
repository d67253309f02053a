'use client';

import NextLink from 'next/link';
import type { ComponentProps } from 'react';

/**
 * A link to another page of the console, which is loaded when it is followed. Next's own link asks the server for every
 * page that is linked as soon as the link is in sight: some thirty requests per page, none of which carries data,
 * because every page is made for its reader.
 */
export const Link = (props: ComponentProps<typeof NextLink>) => <NextLink prefetch={false} {...props} />;
