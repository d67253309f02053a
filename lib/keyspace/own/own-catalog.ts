import type { EntityDefinition } from '../entities';
import type { Family } from '../family';
import type { CatalogProblem } from './problems';

/** A team's own catalog: the latest valid version of a file. */
export interface OwnCatalog {
  /** Absolute. */
  readonly path: string;
  readonly app: string;
  readonly title: string;
  readonly families: readonly Family[];
  readonly entities: readonly EntityDefinition[];
  /** The digest of the version in force: catalogs with the same digest are equal. */
  readonly digest: string;
  /** When the version in force was read, epoch ms. */
  readonly loadedAt: number;
  /** False while a newer version of the file is refused because of `problems`, and the previous one stays in force. */
  readonly inForce: boolean;
  readonly problems: readonly CatalogProblem[];
}
