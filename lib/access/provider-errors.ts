import 'server-only';
/** In the address of the sign-in page: the provider did not confirm, or the console lets nobody in whom it knows. */
export const PROVIDER_ERRORS = { refused: 'ProviderRefused', failed: 'ProviderFailed' } as const;
