'use client';

import { Skeleton, type SkeletonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { QueryProblem } from './query-problem';

interface UnansweredProps extends Pick<SkeletonProps, 'height' | 'radius'> {
  query: { error: unknown; refetch: () => unknown };
  /** What waits for the answer; by default one box of this height. */
  children?: ReactNode;
}

/** In place of what a query has not answered yet: why it failed, or a skeleton. */
export const Unanswered = ({ query, children, ...box }: UnansweredProps) =>
  query.error ? <QueryProblem of={query} /> : (children ?? <Skeleton {...box} />);
