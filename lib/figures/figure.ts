import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { Permission } from '@/lib/permissions';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';

/** What a figure is counted in; a ratio is 0–1. */
export const FIGURE_UNITS = ['count', 'bytes', 'seconds', 'ratio', 'perSecond'] as const;

/** A figure of a Redis, as Prometheus and alert rules name it. */
export interface FigureDefinition {
  /** `keyward_` and words of the field, the base unit last: `keyward_redis_memory_used_bytes`. */
  name: string;
  /** One sentence. */
  help: string;
  unit: (typeof FIGURE_UNITS)[number];
  /** Labels beside `connection`, in order: `['family']`. Their values are shown to whoever may see the figure. */
  labels: readonly string[];
  /** Who may see its values. */
  permission: Permission;
}

/** A value of a figure. */
export interface Figure {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
  /** When it was measured, epoch ms. */
  at: number;
}

/** Values by the name of their figure. */
export const figuresByName = (figures: readonly Figure[]): Map<string, Figure[]> => {
  const byName = new Map<string, Figure[]>();
  for (const figure of figures) {
    const same = byName.get(figure.name);
    if (same) same.push(figure);
    else byName.set(figure.name, [figure]);
  }
  return byName;
};

export interface FigureContext {
  store: Store;
  connection: ConnectionHandle;
  catalog: Registry;
  now: number;
}

/** What a domain measured. It reads the console's own store only, never the application's Redis. */
export interface FigureSource {
  definitions: readonly FigureDefinition[];
  /** Others have no figures while the Redis is unreachable: what they know is from before. */
  alsoWhenDown?: true;
  /** What was measured longer ago is no value any more; without it `read` decides. */
  maxAgeMs?: number;
  /** The newest values; none for what is not known. */
  read(ctx: FigureContext): Promise<Figure[]>;
}
