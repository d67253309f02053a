import 'server-only';
import type { z } from 'zod';
import type { missingNode } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from './connections';
import { isNotPermitted } from './failure';
import { type Node, primariesOf } from './topology';

/** A primary that did not answer: the figures shown lack its share. */
export type MissingNode = z.output<typeof missingNode>;

export interface FromPrimaries<T> {
  answers: readonly { node: Node; value: T }[];
  missing: MissingNode[];
}

/** The primaries, once all are known. Throws a 503 `Problem` where no node lists them. */
export const knownPrimaries = ({ config, topology }: ConnectionHandle): Promise<Node[]> =>
  primariesOf(config.id, topology);

/** The address of a node, where there are several; null for a single one. */
export const nameBesideOthers = ({ topology }: ConnectionHandle, node: Node): string | null =>
  topology.primaries().length > 1 ? node.id : null;

/** Asks every primary. One that fails is listed in `missing` and hides no other; where all fail, throws its `Problem`. */
export const fromPrimaries = async <T>(
  handle: ConnectionHandle,
  read: (node: Node) => Promise<T>,
): Promise<FromPrimaries<T>> => {
  const nodes = await knownPrimaries(handle);
  const settled = await Promise.allSettled(nodes.map(read));
  const failed = settled.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? [{ node: nodes[i]!, error: outcome.reason as unknown }] : [],
  );
  const broken = failed.find(({ error }) => !(error instanceof Problem));
  if (broken) throw broken.error;
  if (failed.length === nodes.length)
    throw (failed.find(({ error }) => !isNotPermitted(error)) ?? failed[0])!.error;
  return {
    answers: settled.flatMap((outcome, i) =>
      outcome.status === 'fulfilled' ? [{ node: nodes[i]!, value: outcome.value }] : [],
    ),
    missing: failed.map(({ node, error }) => ({
      node: node.id,
      slots: handle.topology.slotsOf(node),
      reason: (error as Problem).message,
    })),
  };
};

/**
 * Asks one primary for what all primaries know; if it does not answer, the next one, because its client may not have
 * noticed yet that the server died. Throws the `Problem` of the last one where none answers.
 */
export const fromAnyPrimary = async <T>(
  handle: ConnectionHandle,
  read: (node: Node) => Promise<T>,
): Promise<T> => {
  const nodes = await knownPrimaries(handle);
  const rank = (node: Node): number => (node.client('read').state() === 'ready' ? 0 : 1);
  let failure: unknown;
  for (const node of nodes.toSorted((a, b) => rank(a) - rank(b)))
    try {
      return await read(node);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failure = error;
    }
  throw failure;
};

/** A sum over primaries; null where one value is unknown. */
export const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);

/** The value all have in common; null where they differ. */
export const agreed = <T>(values: readonly T[]): T | null => {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
};
