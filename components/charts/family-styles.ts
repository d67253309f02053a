'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { familiesQuery } from '@/components/patterns/families-query';
import type { FamilyRow } from '@/lib/families/schema';
import { type LineStyle, styleOf } from './series';

const UNCLASSIFIED: LineStyle = { color: 5 };

/** Line styles by family id: caches first, then the other families, each by id, so nothing else changes a style. */
export const familyStyles = (
  families: readonly Pick<FamilyRow, 'family' | 'cache'>[],
): ReadonlyMap<string, LineStyle> => {
  const ids = (cache: boolean) => families.filter((row) => row.cache === cache).map(({ family }) => family);
  const ordered = [...ids(true).toSorted(), ...ids(false).toSorted()];
  return new Map(ordered.map((family, n) => [family, styleOf(n)]));
};

export type StyleOf = (family: string) => LineStyle;

/** The line style of each family of a connection: the same in every chart and table. */
export const useFamilyStyles = (connection: string): StyleOf => {
  const { data } = useQuery(familiesQuery(connection));
  return useMemo(() => {
    const styles = familyStyles(data?.items ?? []);
    return (family) => styles.get(family) ?? UNCLASSIFIED;
  }, [data?.items]);
};
