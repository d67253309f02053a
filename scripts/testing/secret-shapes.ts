import fc from 'fast-check';

/** Occurs in every secret made by these generators, and nowhere else. */
export const MARK = 'Hunter7mark';

const STEMS = [
  ['password'],
  ['passwd'],
  ['secret'],
  ['token'],
  ['api', 'key'],
  ['private', 'key'],
  ['client', 'secret'],
  ['authorization'],
  ['cookie'],
  ['passphrase'],
  ['credentials'],
  ['refresh', 'token'],
  ['access', 'token'],
  ['auth', 'key'],
  ['pass', 'hash'],
  ['seed', 'phrase'],
  ['recovery', 'code'],
  ['verification', 'code'],
  ['hmac'],
];
const PREFIXES = ['', 'db', 'x', 'old', 'user', 'smtp', 'hashed', 'proxy', 'set'];
const SUFFIXES = ['', 'hash', 'value', '2', 'old', 'v2', 'plain', 'encrypted', 'base64'];

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const STYLES: readonly ((words: string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('-'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.map((word, i) => (i === 0 ? word : capital(word))).join(''),
  (words) => words.map(capital).join(''),
  (words) => words.map(capital).join('-'),
];

/** Names with one word that makes their value a secret. */
export const secretNames = fc
  .tuple(
    fc.constantFrom(...PREFIXES),
    fc.constantFrom(...STEMS),
    fc.constantFrom(...SUFFIXES),
    fc.constantFrom(...STYLES),
  )
  .map(([prefix, stem, suffix, style]) => style([prefix, ...stem, suffix].filter((word) => word !== '')));

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Texts that announce a secret by themselves, whatever their field is called. */
export const ANNOUNCED: readonly string[] = [
  `Bearer ${MARK}`,
  `bearer ${MARK}.x-y_z`,
  `Basic ${MARK}==`,
  `sent Authorization: Digest username="x", response="${MARK}"`,
  `authorization: ${MARK} and more ${MARK}`,
  `Cookie: a=b; sid=${MARK}; c=d`,
  `Set-Cookie: sid=${MARK}; Path=/; HttpOnly`,
  `see https://user:${MARK}@example.org/x for more`,
  `redis://:${MARK}@cache:6379/0`,
  `-----BEGIN RSA PRIVATE KEY-----\n${MARK}\n-----END RSA PRIVATE KEY-----`,
  `$2b$12$${MARK}${'a'.repeat(42)}`,
  `$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$${MARK}`,
  `$scrypt$ln=15,r=8,p=1$${MARK}`,
  `scrypt:32768:8:1$salt$${MARK}`,
  `pbkdf2_sha256$600000$salt$${MARK}`,
  `{SSHA}${MARK}`,
  `${base64url('{"alg":"HS256"}')}.${base64url('{"sub":"1"}')}.${MARK}`,
  `host=db user=app password=${MARK}`,
  `mysql -u root --password ${MARK}`,
  `the password is ${MARK}, do not tell`,
  `api_key: "${MARK}"`,
  `Your password is: ${MARK}`,
  `password -> ${MARK}`,
  `mysql -uroot -p${MARK} shop`,
  `curl -u admin:${MARK} https://example.org`,
  `CREATE USER x IDENTIFIED BY '${MARK}'`,
  `https://example.org/in?page=2&access_token=${MARK}`,
  `\x1b[36mAuthorization\x1b[39m: \x1b[33mBearer ${MARK}\x1b[39m`,
  `\x1b[32mpassword\x1b[0m=\x1b[1m${MARK}\x1b[0m`,
  `password\u00a0=\u00a0${MARK}`,
  `password：${MARK}`,
  `data=${encodeURIComponent(JSON.stringify({ user: 1, password: MARK }))}`,
  encodeURIComponent(encodeURIComponent(JSON.stringify({ password: MARK }))),
  encodeURIComponent(`postgres://u:${MARK}@db/main`),
  `user%5Bpassword%5D=${MARK}&page=2`,
  `user[password]=${MARK}&page=2`,
  `https://example.org/?p%61ssword=${MARK}`,
  `sent ${Buffer.from(JSON.stringify([{ password: MARK }])).toString('base64')}`,
  `id,password\n1,${MARK}\n`,
  `| id | password |\n|----|----|\n| 1 | ${MARK} |`,
  `INSERT INTO users (id, password) VALUES (1, '${MARK}')`,
  `GRANT ALL TO x IDENTIFIED BY "${MARK}"`,
  `ACL SETUSER toni on >${MARK} ~*`,
  `redis-cli -h db -a ${MARK} ping`,
  `sshpass -p '${MARK}' ssh db`,
  `keytool -storepass ${MARK}`,
  `the API key is ${MARK}`,
  `secret key: ${MARK}`,
  `JSESSIONID=${MARK}; Path=/`,
  `https://${MARK}@git.example.org/x.git`,
  `https://hooks.slack.com/services/T0000/B0000/${MARK}`,
  `sk-proj-${MARK}abcdefgh`,
  `whsec_${MARK}abcdefgh`,
  `SCRAM-SHA-256$4096:${MARK}$abc:def`,
  `$P$B${MARK}abcdefgh`,
  `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${MARK}`,
  `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${MARK}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
];

/** Texts in which a secret's name is next to it. */
export const NAMED: readonly ((name: string, value: string) => string)[] = [
  (name, value) => JSON.stringify({ id: 7, [name]: value }),
  (name, value) => JSON.stringify({ a: { b: [{ [name]: value }] } }, null, 2),
  (name, value) => JSON.stringify([[name, value]]),
  (name, value) => JSON.stringify(['id', '7', name, value]),
  (name, value) => JSON.stringify([{ name, value }]),
  (name, value) => JSON.stringify({ value, key: name }),
  (name, value) => JSON.stringify({ body: JSON.stringify({ [name]: value }) }),
  (name, value) => JSON.stringify({ body: JSON.stringify({ args: JSON.stringify([name, value]) }) }),
  (name, value) => `{'id': 7, '${name}': '${value}'}`,
  (name, value) => `[('${name}', '${value}'), ('id', '7')]`,
  (name, value) => `id=7&${name}=${value}&page=2`,
  (name, value) => `sent ${name}: ${value}`,
  (name, value) => `--${name} ${value} --verbose`,
  (name, value) => `<item><${name}>${value}</${name}></item>`,
  (name, value) => `<entry name="${name}">${value}</entry>`,
  (name, value) => `${name} = "${value}"\nuser = "x"`,
  (name, value) => `user: x\n${name}:\n  ${value}\nport: 1\n`,
  (name, value) => `${name}: |\n  first\n  ${value}\nport: 1\n`,
  (name, value) => `${name}:\n- a\n- ${value}\nport: 1\n`,
  (name, value) => `env:\n  - name: ${name}\n    value: ${value}\n  - name: PORT\n    value: "1"\n`,
  (name, value) => `env:\n  - value: "${value}"\n    name: "${name}"\n`,
  (name, value) => `[server]\n${name} = """\n${value}\n"""\n`,
  (name, value) => `${name} = <<EOF\n${value}\nEOF\n`,
  (name, value) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`,
  (name, value) => `<s:Body><m:${name} type="x">${value}</m:${name}></s:Body>`,
  (name, value) => `<${name}><![CDATA[${value}]]></${name}>`,
  (name, value) => `{:id=>7, "${name}"=>"${value}"}`,
  (name, value) => `a%3D1%26${name}%3D${value}%26b%3D2`,
  (name, value) => JSON.stringify({ op: 'replace', path: `/user/${name}`, value }),
  (name, value) => JSON.stringify({ column: name, old: 'x', new: value }),
  (name, value) => `<dict><key>${name}</key><string>${value}</string></dict>`,
  (name, value) => `<${name}><value>${value}</value></${name}>`,
  (name, value) => `${name}|s:${value.length}:"${value}";user|i:1;`,
  (name, value) => {
    const inner = JSON.stringify({ [name]: value });
    return `a:1:{s:4:"body";s:${inner.length}:"${inner}";}`;
  },
  (name, value) => `'${name}' => '${value} ${value}'`,
  (name, value) => `[db]\n${name} = '''${value}'''\nport = 1\n`,
  (name, value) => `{'${name}': """it's ${value}""", 'id': 7}`,
];

/** Codes of digits, as texts to people have them. */
export const CODE = '482913';
export const CODE_TEXTS: readonly string[] = [
  `Your verification code is ${CODE}`,
  `Your code: ${CODE}. Do not share it.`,
  `The one-time code is ${CODE}`,
  `OTP ${CODE} for your order`,
  `PIN is ${CODE}`,
];
