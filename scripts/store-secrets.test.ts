import { expect, it } from 'vitest';
import { freePort, startRedis } from './redis-server.mjs';
import { checkSharedSecrets } from './store-secrets.mjs';

const mine = { NEXTAUTH_SECRET: 'a', KEYWARD_SECRET_KEY: 'b' };
const others = { NEXTAUTH_SECRET: 'a', KEYWARD_SECRET_KEY: 'c' };

it('refuses secrets made here when the store is in use with others', async () => {
  const store = await startRedis();
  try {
    await checkSharedSecrets(store.url, mine, true);
    await checkSharedSecrets(store.url, mine, true);
    await expect(checkSharedSecrets(store.url, others, true)).rejects.toThrow(
      /NEXTAUTH_SECRET, KEYWARD_SECRET_KEY/,
    );
    // Given by the operator: they are the truth from now on.
    await checkSharedSecrets(store.url, others, false);
    await expect(checkSharedSecrets(store.url, mine, true)).rejects.toThrow(/share a store/);
  } finally {
    await store.stop();
  }
});

it('leaves a store that does not answer to the console', async () => {
  await checkSharedSecrets(`redis://127.0.0.1:${await freePort()}`, mine, true);
});
