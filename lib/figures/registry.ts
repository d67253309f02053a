import 'server-only';
import { logBroken } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { SECOND } from '@/lib/time';
import type { Figure, FigureContext, FigureDefinition, FigureSource } from './figure';
import { isKnownDown } from './instance';

const sources = processWide('figure-sources', () => new Set<FigureSource>());

/** Registers the figures of the domains. Called by the wiring, because lib/figures must not import the domains. */
export const registerFigures = (given: readonly FigureSource[]): void => {
  for (const source of given) sources().add(source);
};

/** All figures, in the order of their registration. */
export const figureDefinitions = (): FigureDefinition[] =>
  [...sources()].flatMap(({ definitions }) => definitions);

export const figureDefinition = (name: string): FigureDefinition | undefined =>
  figureDefinitions().find((definition) => definition.name === name);

const shared = sharedAnswer<Figure[]>('figures', SECOND);

const readAll = async (ctx: FigureContext): Promise<Figure[]> => {
  const isDown = await isKnownDown(ctx);
  const asked = [...sources()].filter(({ alsoWhenDown }) => alsoWhenDown || !isDown);
  const read = asked.map(async (source) => {
    const { maxAgeMs = Number.POSITIVE_INFINITY } = source;
    try {
      return (await source.read(ctx)).filter(({ at }) => ctx.now - at <= maxAgeMs);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      // One domain's fault hides its own figures only.
      logBroken(`figures of ${ctx.connection.config.id}`, error);
      return [];
    }
  });
  return (await Promise.all(read)).flat();
};

/**
 * The newest figures of one connection, from the console's store; all who ask within a second share a reading. While the
 * Redis is unreachable, those that say so. Throws the store's 503 `Problem` while that is unreachable.
 */
export const readFigures = (ctx: FigureContext): Promise<Figure[]> =>
  shared.of(ctx.connection, () => readAll(ctx));
