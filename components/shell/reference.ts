/** The digest under which the log contains a server error; browser errors have none and are identified by name. */
export const referenceOf = (error: Error & { digest?: string }): string =>
  error.digest ?? `${error.name}: ${error.message}`.slice(0, 200);
