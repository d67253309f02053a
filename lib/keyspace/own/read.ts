import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { catalogFile, familyInFile } from './definition';
import { type BuiltEntity, buildEntity } from './entities';
import { entityInFile } from './entity-definition';
import { type BuiltFamily, buildFamily } from './families';
import { CatalogText } from './problems';

/** The declarations of one file. Files of one connection are checked together later. */
export interface ReadFile {
  readonly path: string;
  /** Empty where it is invalid. */
  readonly app: string;
  readonly title: string;
  /** Without those that have problems. */
  readonly families: readonly BuiltFamily[];
  readonly entities: readonly BuiltEntity[];
  /** The ids of all families, including those with problems. */
  readonly declared: readonly { readonly id: string; readonly index: number }[];
  readonly text: CatalogText;
  /** Digest of the content; empty where the file could not be read. */
  readonly digest: string;
}

interface Item<T> {
  given: T;
  index: number;
}

/**
 * The valid items, so that one invalid item does not hide the problems of others. `all` are those of a file that is valid as
 * a whole: they are not read again.
 */
const validIn = <S extends z.ZodType>(
  all: readonly z.output<S>[] | undefined,
  list: unknown,
  schema: S,
): Item<z.output<S>>[] =>
  all?.map((given, index) => ({ given, index })) ??
  (Array.isArray(list) ? list : []).flatMap((each, index) => {
    const { data } = schema.safeParse(each);
    return data === undefined ? [] : [{ given: data, index }];
  });

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** The ids of all families, so that a problem of one is not reported again by those that name it. */
const idsIn = (families: unknown): { id: string; index: number }[] =>
  (Array.isArray(families) ? families : []).flatMap((each, index) => {
    const { data: id } = familyInFile.shape.id.safeParse(fieldOf(each, 'id'));
    return id === undefined ? [] : [{ id, index }];
  });

/** Reads a file's text. Its problems are in `text`, without those that `checkTogether` finds. */
export const readCatalogText = (path: string, source: string): ReadFile => {
  const text = new CatalogText(path);
  const digest = createHash('sha256').update(source).digest('base64url');
  const parsed = text.parse(source);
  const none = { path, app: '', title: path, families: [], entities: [], declared: [], text, digest };
  if (text.count > 0) return none;
  const { data, error } = catalogFile.safeParse(parsed, { reportInput: true });
  text.addIssues(error?.issues ?? []);
  const families = validIn(data?.families, fieldOf(parsed, 'families'), familyInFile);
  const entities = validIn(data?.entities, fieldOf(parsed, 'entities'), entityInFile);
  const app = catalogFile.shape.app.safeParse(fieldOf(parsed, 'app')).data ?? '';
  return {
    ...none,
    app,
    title: data?.title ?? app,
    families: families.flatMap((family) => buildFamily(app || 'app', family, text) ?? []),
    entities: entities.map(({ given, index }) => ({ entity: buildEntity(app || 'app', given), index })),
    declared: idsIn(fieldOf(parsed, 'families')).map(({ id, index }) => ({ id: `${app}.${id}`, index })),
  };
};
