// Consents to hit-rate windows on the demo's own servers.
import { say } from './setup.mjs';

const REASON = 'The demo owns these servers.';
const FIRST_SAMPLE_SECONDS = 10;

/** Calls the console's HTTP interface with an API token. */
export const request = async (url, token, { method = 'GET', body } = {}) => {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (response.ok) return response.json();
  throw new Error(`${response.status} ${await response.text()}`);
};

const consentTo = async (hitRates, token, isSampled) => {
  const { question } = await request(`${hitRates}/sampling`, token);
  if (!question) return;
  const present = question.changes[0]?.present;
  await request(`${hitRates}/sampling`, token, {
    method: 'PUT',
    body: { on: true, present, reason: REASON },
  });
  if (!isSampled) return;
  const body = { seconds: FIRST_SAMPLE_SECONDS, reason: REASON };
  await request(`${hitRates}/sample`, token, { method: 'POST', body });
};

/**
 * Turns windows on where nobody has decided yet, and takes a first sample of `sampled`. The demo continues without
 * them.
 */
export const consentToHitRates = (url, token, connections, sampled) =>
  Promise.all(
    connections.map((connection) =>
      consentTo(`${url}/api/v1/connections/${connection}/hit-rates`, token, connection === sampled).catch(
        (error) => say(`Hit rates of ${connection} are not sampled: ${error.message}`),
      ),
    ),
  );
