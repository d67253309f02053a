import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SECRET_VARIABLES } from '@/lib/configuration-files';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const inFolder = <T>(work: (folder: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-files-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
const isOnPath = (command: string, option: string): boolean => !spawnSync(command, [option]).error;

/** Variables that contain a secret, instead of naming its file. */
const secretsIn = (names: readonly string[]) => SECRET_VARIABLES.filter((name) => names.includes(name));

const images = [
  ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!),
  ...[...read('compose.yaml').matchAll(/^ *image: (\S+)/gm)].map(([, image]) => image!),
  ...[...read('docs/examples/kubernetes.yaml').matchAll(/^ *image: (\S+)/gm)].map(([, image]) => image!),
];

it('has images with versions, and ends as a user without rights', () => {
  expect(images.length).toBeGreaterThan(4);
  for (const image of images) expect(image).toMatch(/:\d/);
  expect([...read('Dockerfile').matchAll(/^USER (\S+)/gm)].map(([, user]) => user)).toEqual(['node']);
  expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});

it('has a Dockerfile without a fault that its linter knows', () => {
  expect(validate(read('Dockerfile'))).toEqual([]);
});

/** We choose the order and the quotes of keys, and a proxy must be reachable by everybody. */
const RULES = {
  'no-quotes-in-volumes': 0,
  'no-unbound-port-interfaces': 0,
  'require-project-name-field': 0,
  'require-quotes-in-ports': 0,
  'service-keys-order': 0,
  'services-alphabetical-order': 0,
} as const;

it('has a compose.yaml of the specification, whose console may write nowhere', { tags: ['long'] }, () => {
  const linter = new DCLinter({ rules: RULES, quiet: false, debug: false, exclude: [] });
  expect(linter.lintFiles([join(ROOT, 'compose.yaml')], false).flatMap(({ messages }) => messages)).toEqual(
    [],
  );
  const { services } = parse(read('compose.yaml')) as { services: Record<string, Record<string, unknown>> };
  expect(services.keyward).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(secretsIn(Object.keys(services.keyward!.environment as object))).toEqual([]);
});

it('has a kubernetes.yaml of the schemas, whose console may write nowhere', () => {
  const documents = parseAllDocuments(read('docs/examples/kubernetes.yaml')).map((document) =>
    document.toJS(),
  );
  const kinds = { Deployment, Service, PodDisruptionBudget };
  expect(documents.map(({ kind }) => kind)).toEqual(Object.keys(kinds));
  for (const document of documents) new kinds[document.kind as keyof typeof kinds](document).validate();
  const { template } = documents[0].spec;
  expect(template.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  const [container] = template.spec.containers;
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(secretsIn(container.env.map(({ name }: { name: string }) => name))).toEqual([]);
  const [live, ready] = [container.livenessProbe, container.readinessProbe].map(
    ({ httpGet }) => httpGet.path,
  );
  expect([live, ready]).toEqual(['/api/health', '/api/ready']);
  expect(container.resources.limits.memory).toBeTruthy();
  // The console takes ten seconds at most.
  const waited = container.lifecycle.preStop.sleep.seconds;
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(10 + waited);
});

it('has a unit that systemd accepts', ({ skip }) => {
  if (!isOnPath('systemd-analyze', '--version')) skip();
  inFolder((folder) => {
    const program = join(folder, 'keyward');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    const unit = read('docs/examples/keyward.service').replace('/opt/keyward/bin/keyward', program);
    writeFileSync(join(folder, 'keyward.service'), unit);
    const checked = spawnSync('systemd-analyze', ['verify', join(folder, 'keyward.service')], {
      encoding: 'utf8',
    });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});

it('has a configuration that nginx accepts', ({ skip }) => {
  if (!isOnPath('nginx', '-v')) skip();
  inFolder((folder) => {
    const certificate = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const self = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', ...self, '-subj', '/CN=keyward.example.org', ...certificate], {
      stdio: 'ignore',
    });
    const [, version = '0'] = /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr)!;
    let server = read('docs/examples/nginx.conf')
      .replaceAll('/etc/nginx/tls', folder)
      .replace('server keyward:3000', 'server 127.0.0.1:3000');
    // As docs/deployment.md says.
    if (version.localeCompare('1.25.1', 'en', { numeric: true }) < 0)
      server = server.replace('ssl;', 'ssl http2;').replace(/^ *http2 on;\n/m, '');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const http = ['access_log off;', ...temporary, server].join('\n');
    const file = join(folder, 'nginx.conf');
    const error = join(folder, 'error.log');
    writeFileSync(file, `pid ${join(folder, 'pid')};\nevents {}\nhttp {\n${http}\n}\n`);
    const checked = spawnSync('nginx', ['-t', '-q', '-c', file, '-e', error], { encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});
