/** The digest that the log has of an error on the server; the browser's own errors have none, and are named instead. */
export const referenceOf = (error: Error & { digest?: string }): string =>
  error.digest ?? `${error.name}: ${error.message}`.slice(0, 200);
