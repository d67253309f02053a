export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** The namespaces of `en.ts`, from the paths of their files. */
export const namespacesOf = (files: Record<string, { default: unknown }>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(files).map(([path, { default: texts }]) => [
      camelCase(/([\w-]+)\.json$/.exec(path)![1]!),
      texts,
    ]),
  );
