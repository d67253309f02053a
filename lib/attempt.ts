/** What came of one attempt. `error` never contains an address or a secret. */
export interface Attempt {
  delivered: boolean;
  /** Worth another attempt later. */
  retry: boolean;
  status: number | null;
  error: string | null;
  rest?: Rest;
}

/** For a mail: the recipients to try again, and the number of permanently refused ones. */
export interface Rest {
  to: string[];
  refused: number;
}

export const failed = (error: string, retry: boolean, status: number | null = null): Attempt => ({
  delivered: false,
  retry,
  status,
  error,
});
