import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '@/lib/configuration';
import { freePort, type RedisServer, startRedis } from './redis-server.mjs';
import { environmentOf } from './testing/run-script';

const ROOT = join(import.meta.dirname, '..');
const NODE_USER = 1000;
const AS_USER = process.getuid?.() === 0 ? { uid: NODE_USER, gid: NODE_USER } : {};
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

/** The instructions of the Dockerfile, its continued lines joined. */
const INSTRUCTIONS = read('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/ (.*)/s) as [string, string]);
const stages = INSTRUCTIONS.reduce<[string, string][][]>((stages, instruction) => {
  if (instruction[0] === 'FROM') stages.push([]);
  stages.at(-1)!.push(instruction);
  return stages;
}, []);
const argumentOf = (stage: number, name: string): string =>
  stages[stage]!.find(([instruction]) => instruction === name)![1];
const { services, secrets } = parse(read('compose.yaml')) as {
  services: { keyward: { environment: Record<string, string>; secrets: string[] } };
  secrets: Record<string, { file: string }>;
};

const folder = mkdtempSync(join(tmpdir(), 'keyward-container-'));
/** The paths of the image in the folder of the test. */
const inFolder = (text: string): string =>
  text.replaceAll(/(?<![\w.])\/(keyward|state|src|run|backups)\b/g, `${folder}/$1`);
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis({ args: ['--appendonly', 'yes'] });
  const src = join(folder, 'src');
  // What `COPY . .` copies from a clone.
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter(Boolean)) cpSync(join(ROOT, file), join(src, file));
  const env = { ...process.env, KEYWARD_STATE_DIR: '', KEYWARD_DIST_DIR: '' };
  for (const [, command] of stages[0]!.filter(([instruction]) => instruction === 'RUN'))
    execFileSync('sh', ['-c', inFolder(command)], { cwd: src, stdio: 'pipe', env });
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  mkdirSync(join(folder, 'run/secrets'), { recursive: true });
  mkdirSync(join(folder, 'backups'), { mode: 0o777 });
  if (AS_USER.uid) chownSync(join(folder, 'state'), NODE_USER, NODE_USER);
  execFileSync('chmod', ['755', folder]);
  execFileSync('chmod', ['-R', 'a-w', join(folder, 'keyward')]);
}, 600_000);

afterAll(async () => {
  await redis.stop();
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

const exited = async (child: ChildProcess): Promise<number | null> => {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
};

it('is built by the steps of the Dockerfile, and is healthy with the variables of compose.yaml', async () => {
  const port = String(await freePort());
  const values: Record<string, string> = {
    'redis-url': redis.url,
    'store-url': `${redis.url}/1`,
    'nextauth-secret': 'n'.repeat(44),
    'secret-key': Buffer.alloc(32, 'k').toString('base64'),
  };
  for (const [name, value] of Object.entries(values))
    writeFileSync(join(folder, 'run/secrets', name), `${value}\n`);
  const image = Object.fromEntries(
    argumentOf(1, 'ENV')
      .split(' ')
      .map((variable) => variable.split('=')),
  ) as Record<string, string>;
  const given = { ...image, ...services.keyward.environment, PORT: port };
  const variables = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, inFolder(value)]));
  const [, ...entry] = JSON.parse(argumentOf(1, 'ENTRYPOINT')) as string[];
  const child = spawn(process.execPath, entry.map(inFolder), {
    ...AS_USER,
    cwd: '/',
    env: environmentOf(variables),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const check = /CMD (\[.*)$/.exec(argumentOf(1, 'HEALTHCHECK'))![1]!.replace('3000', port);
  const [, ...healthy] = JSON.parse(check) as string[];
  const isHealthy = () => exited(spawn(process.execPath, healthy, AS_USER));
  try {
    await expect.poll(isHealthy, { timeout: 30_000, message: output }).toBe(0);
    const state = async () => (await fetch(`http://127.0.0.1:${port}/api/ready`)).json();
    // It connects to the application's Redis meanwhile.
    await expect.poll(state).toMatchObject({ status: 'ok' });
  } finally {
    child.kill('SIGTERM');
    await exited(child);
  }
  expect(child.exitCode).toBe(0);
  expect(output).not.toContain('n'.repeat(44));
  expect(await isHealthy()).toBe(1);
});

interface Manifest {
  kind: string;
  spec: {
    template: {
      spec: {
        containers: { env: { name: string; value: string }[]; volumeMounts: { mountPath: string }[] }[];
      };
    };
  };
}

it('has examples with variables that exist, and with secrets that are mounted where they are read', () => {
  const known = new Set([
    ...VARIABLES,
    ...VARIABLES.map((name) => `${name}_FILE`),
    'HOSTNAME',
    'PORT',
    'KEYWARD_STATE_DIR',
  ]);
  const deployment = read('docs/examples/kubernetes.yaml')
    .split(/^---$/m)
    .map((text) => parse(text) as Manifest)
    .find(({ kind }) => kind === 'Deployment')!;
  const [container] = deployment.spec.template.spec.containers;
  const kubernetes = container!.env.map(({ name, value }): [string, string] => [name, value]);
  const compose = Object.entries(services.keyward.environment);
  for (const [name] of [...kubernetes, ...compose]) expect([name, known.has(name)]).toEqual([name, true]);
  const files = (variables: [string, string][]) => variables.filter(([name]) => name.endsWith('_FILE'));
  expect(
    files(compose)
      .map(([, path]) => path)
      .sort(),
  ).toEqual(services.keyward.secrets.map((name) => `/run/secrets/${name}`).sort());
  for (const name of services.keyward.secrets) expect(secrets[name]?.file).toBe(`./secrets/${name}`);
  expect(files(kubernetes).map(([name, path]) => [name, path.split('/').at(-1)])).toEqual(
    files(compose).map(([name, path]) => [name, path.split('/').at(-1)]),
  );
  expect(container!.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/secrets');
});
