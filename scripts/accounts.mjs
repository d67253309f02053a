// The four accounts of the demo and of end-to-end runs, created through the console's HTTP interface.
import { randomBytes } from 'node:crypto';
import { SetupError } from './setup.mjs';

const NAMES = {
  // The same name as the console gives its configured admin: either may create it first.
  admin: 'Administrator',
  support: 'Sami Support',
  product: 'Petra Product',
  viewer: 'Vera Viewer',
};

export const secret = (bytes) => randomBytes(bytes).toString('base64url');

/** One account per role, the admin first, with new passwords. */
export const makeAccounts = () =>
  Object.entries(NAMES).map(([role, name]) => ({
    role,
    name,
    email: `${role}@keyward.example`,
    password: secret(12),
  }));

/** Creates the accounts that do not exist, with an admin's API token. Existing ones are not changed. */
export const createAccounts = async (url, token, accounts) => {
  const users = `${url}/api/v1/users`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const present = await fetch(users, { headers }).then((response) => response.json());
  for (const { email, name, role, password } of accounts) {
    // Even for an existing user the console would hash the password and write an audit entry.
    if (present.items?.some((user) => user.email === email)) continue;
    const response = await fetch(users, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, name, role, password }),
    });
    if (response.ok || response.status === 409) continue;
    throw new SetupError(
      `The ${role} account could not be made: ${response.status} ${await response.text()}`,
    );
  }
};
