// Runs as a separate process: calls as fast as answers arrive, over many connections. Each input line is the next
// call, as JSON: { path, method?, body? }. For each line it prints the answers to the previous call, as JSON: {
// status: count }.
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

const [, , baseUrl = '', token = '', connections = '200'] = process.argv;
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

let wanted = null;
let statuses = {};

/** Status 0: no answer. */
const call = ({ path, method = 'GET', body }) =>
  new Promise((resolve) => {
    const sent = request(baseUrl + path, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.on('close', () => resolve(answer.statusCode));
    });
    sent.on('error', () => resolve(0));
    sent.end(body && JSON.stringify(body));
  });

const go = async () => {
  for (;;) {
    const asked = wanted;
    const status = asked ? await call(asked) : await new Promise((resolve) => setTimeout(resolve, 20));
    if (asked && asked === wanted) statuses[status] = (statuses[status] ?? 0) + 1;
  }
};

for (let i = 0; i < Number(connections); i++) go().catch(() => process.exit(1));

createInterface(process.stdin).on('line', (line) => {
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
  statuses = {};
  wanted = JSON.parse(line);
});
process.stdin.on('end', () => process.exit(0));
