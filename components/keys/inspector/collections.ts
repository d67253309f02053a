const COLLECTIONS = ['hash', 'list', 'set', 'zset', 'stream'] as const;
export type CollectionType = (typeof COLLECTIONS)[number];

/** Types whose elements are read individually. */
export const isCollection = (type: string): type is CollectionType =>
  (COLLECTIONS as readonly string[]).includes(type);
