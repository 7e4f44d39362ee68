/**
 * A seeded corpus for redaction: secrets of every kind in every place (look-alikes.ts has what must stay). All of it is put
 * together when the test runs, so that nothing that looks like a secret stands in the repository.
 */
export interface Case {
  label: string;
  record: Record<string, unknown>;
  /** What must not survive (for a secret), or must (for a look-alike). */
  needles: string[];
}

export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** mulberry32 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
  chars(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }
}

export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
export const ALNUM = UPPER + LOWER + DIGITS;
export const URLSAFE = `${ALNUM}-_`;
export const BASE64 = `${ALNUM}+/`;
export const HEX = `${DIGITS}abcdef`;
const b64url = (text: string): string => Buffer.from(text).toString('base64url');

export function keyBlock(r: Random, label = r.pick(['RSA PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])): { lines: string[]; body: string[] } {
  const body = Array.from({ length: 3 + r.below(12) }, () => r.chars(BASE64, 64));
  body.push(`${r.chars(BASE64, 18 + 4 * r.below(8))}==`);
  return { lines: [`-----${'BEGIN'} ${label}-----`, ...body, `-----${'END'} ${label}-----`], body };
}

/** Secrets that are known by their own looks. */
export const TOKENS: Record<string, (r: Random) => string> = {
  'aws id': (r) => r.pick(['AK', 'AS']) + 'IA' + r.chars(UPPER + '234567', 16),
  'github classic': (r) => 'gh' + r.pick(['p', 'o', 'u', 's', 'r']) + '_' + r.chars(ALNUM, 36),
  'github fine-grained': (r) => 'github_' + 'pat_' + r.chars(ALNUM, 22) + '_' + r.chars(ALNUM, 59),
  gitlab: (r) => 'gl' + 'pat-' + r.chars(URLSAFE, 19) + r.chars(ALNUM, 1),
  'openai legacy': (r) => 'sk' + '-' + r.chars(ALNUM, 20) + 'T3Blbk' + 'FJ' + r.chars(ALNUM, 20),
  'openai 48': (r) => 'sk' + '-' + r.chars(ALNUM, 48),
  'openai project': (r) => 'sk' + '-proj-' + r.chars(URLSAFE, 60 + r.below(90)),
  anthropic: (r) => 'sk' + '-ant-' + r.pick(['api03-', 'admin01-', 'oat01-']) + r.chars(URLSAFE, 93) + 'AA',
  'slack bot': (r) => 'xox' + r.pick(['b', 'p', 'a', 'r', 's']) + '-' + r.chars(DIGITS, 12) + '-' + r.chars(DIGITS, 12) + '-' + r.chars(ALNUM, 24),
  'slack app': (r) => 'xapp' + '-1-A' + r.chars(UPPER + DIGITS, 10) + '-' + r.chars(DIGITS, 13) + '-' + r.chars(HEX, 64),
  'slack webhook': (r) => 'https://hooks.' + 'slack.com/services/T' + r.chars(UPPER + DIGITS, 8) + '/B' + r.chars(UPPER + DIGITS, 8) + '/' + r.chars(ALNUM, 24),
  stripe: (r) => r.pick(['sk', 'rk']) + r.pick(['_live', '_test']) + '_' + r.chars(ALNUM, r.pick([24, 99])),
  'google api': (r) => 'AI' + 'za' + r.chars(URLSAFE, 34) + r.chars(ALNUM, 1),
  'google oauth': (r) => 'GOC' + 'SPX-' + r.chars(URLSAFE, 27) + r.chars(ALNUM, 1),
  npm: (r) => 'npm' + '_' + r.chars(ALNUM, 36),
  pypi: (r) => 'pypi' + '-AgEIcHlwaS5vcmc' + r.chars(URLSAFE, 120) + r.chars(ALNUM, 1),
  sendgrid: (r) => 'SG' + '.' + r.chars(URLSAFE, 22) + '.' + r.chars(URLSAFE, 42) + r.chars(ALNUM, 1),
  twilio: (r) => 'S' + 'K' + r.chars(HEX, 32),
  huggingface: (r) => 'hf' + '_' + r.chars(LOWER + UPPER, 34),
  digitalocean: (r) => 'do' + r.pick(['p', 'o', 'r']) + '_v1_' + r.chars(HEX, 64),
  mailgun: (r) => 'key' + '-' + r.chars(HEX, 32),
  telegram: (r) => r.chars('123456789', 1) + r.chars(DIGITS, r.pick([7, 8, 9])) + ':' + r.pick(['AA', 'AA', r.chars(ALNUM, 2)]) + r.chars(URLSAFE, 32) + r.chars(ALNUM, 1),
  discord: (r) => r.pick(['M', 'N', 'O']) + r.chars(ALNUM, r.pick([23, 25])) + '.' + r.chars(URLSAFE, 6) + '.' + r.chars(URLSAFE, r.pick([26, 37])) + r.chars(ALNUM, 1),
  'discord webhook': (r) => 'web' + 'hooks/' + r.chars('123456789', 18) + '/' + r.chars(URLSAFE, 67) + r.chars(ALNUM, 1),
  jwt: (r) => `${b64url('{"alg":"HS256","typ":"JWT"}')}.${b64url(`{"sub":"${r.chars(DIGITS, 10)}","iat":${r.chars(DIGITS, 9)}}`)}.${r.chars(ALNUM, 43)}`,
  groq: (r) => 'gs' + 'k_' + r.chars(ALNUM, 52),
  xai: (r) => 'xa' + 'i-' + r.chars(ALNUM, 80),
  perplexity: (r) => 'ppl' + 'x-' + r.chars(ALNUM, 48),
  tavily: (r) => 'tvl' + 'y-' + r.pick(['', 'dev-']) + r.chars(ALNUM, 31) + '7a',
  docker: (r) => 'dckr' + '_pat_' + r.chars(URLSAFE, 26) + r.chars(ALNUM, 1),
  vault: (r) => 'hv' + r.pick(['s', 'b']) + '.' + r.chars(URLSAFE, 90) + '7a',
  figma: (r) => 'fig' + 'd_' + r.chars(URLSAFE, 39) + r.chars(ALNUM, 1),
  linear: (r) => 'lin' + '_api_' + r.chars(ALNUM, 40),
  supabase: (r) => 'sb' + 'p_' + r.chars(HEX, 40),
  netlify: (r) => 'nf' + 'p_' + r.chars(ALNUM, 36),
  planetscale: (r) => 'pscale' + '_' + r.pick(['tkn', 'pw']) + '_' + r.chars(ALNUM, 43),
  shopify: (r) => 'shp' + 'at_' + r.chars(HEX, 32),
  atlassian: (r) => 'ATA' + 'TT3xFfGF0' + r.chars(URLSAFE, 180) + '=' + r.chars(HEX.toUpperCase(), 8),
  postman: (r) => 'PM' + 'AK-' + r.chars(HEX, 24) + '-' + r.chars(HEX, 34),
  'new relic': (r) => 'NR' + 'AK-' + r.chars(UPPER + DIGITS, 27),
  age: (r) => 'AGE-' + 'SECRET-KEY-1' + r.chars('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58),
};

const password = (r: Random): string => r.pick([r.pick(['hunter', 'dragon', 'sunny', 'winter']) + r.chars(DIGITS, 2 + r.below(3)), r.chars(ALNUM, 5) + r.chars(DIGITS, 2) + r.chars(ALNUM, r.below(12)), r.chars(LOWER, 4) + r.pick(['!', '%', '+', '~']) + r.chars(ALNUM, 6) + r.chars(DIGITS, 1)]);
const opaque = (r: Random): string => r.chars(ALNUM, 16 + r.below(24)) + r.chars(DIGITS, 2);
const SECRET_NAMES = ['API_TOKEN', 'DB_PASSWORD', 'CLIENT_SECRET', 'X_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'SESSION_SECRET', 'STRIPE_API_KEY', 'POSTGRES_PASSWORD', 'NPM_AUTH_TOKEN', 'SECRET_KEY_BASE', 'ADMIN_PASSWD', 'REDIS_PWD', 'ENCRYPTION_KEY'];
const camel = (name: string): string => name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Secrets that are known by what stands around them: the text and what in it must go. */
const CONTEXTS: Record<string, (r: Random) => { text: string; needles: string[] }> = {
  export: (r) => around(r, opaque(r), (name, v) => `export ${name}=${v}`),
  'export quoted': (r) => around(r, password(r), (name, v) => `export ${name}=${r.pick(['"', "'"])}${v}`.replace(/(["'])(.*)$/, '$1$2$1')),
  '.env': (r) => around(r, r.pick([password, opaque])(r), (name, v) => `NODE_ENV=test\n${name}=${v}\nPORT=3000`),
  'pw and pat': (r) => around(r, opaque(r), (_, v) => `export ${r.pick(['ROOT_PW', 'db_pw', 'GITHUB_PAT', 'AZURE_DEVOPS_PAT'])}=${v}`),
  'form with two fields': (r) => around(r, password(r), (_, v) => JSON.stringify(r.pick<object>([{ password1: v, password2: v }, { user: 'a', password_confirmation: v }, { passwordConfirm: v }]))),
  'weak .env': (r) => around(r, r.pick(['hunter', 'letmein', 'qwerty', 'dragon']), (_, v) => `DB_PASSWORD=${v}\nPORT=3000`, true),
  yaml: (r) => around(r, r.pick([password, opaque])(r), (name, v) => `database:\n  user: app\n  ${r.pick([name, camel(name), name.toLowerCase()])}: ${v}\n  port: 5432`),
  'yaml quoted': (r) => around(r, password(r), (name, v) => `  ${name.toLowerCase()}: "${v}"\n`),
  'yaml block': (r) => around(r, opaque(r), (name, v) => `  ${name.toLowerCase()}: |\n    ${v}\n`),
  'kubernetes env': (r) => around(r, password(r), (name, v) => `env:\n  - name: ${name}\n    value: ${v}\n`),
  json: (r) => around(r, r.pick([password, opaque])(r), (name, v) => JSON.stringify({ user: 'app', [r.pick([name, camel(name)])]: v }, null, r.pick([0, 2]))),
  'json in json': (r) => around(r, r.pick([password, opaque])(r), (name, v) => JSON.stringify({ body: JSON.stringify({ [camel(name)]: v, n: 1 }) })),
  'json in json in json': (r) => around(r, opaque(r), (name, v) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: v }) }) })),
  typescript: (r) => around(r, opaque(r), (name, v) => `const ${camel(name)}${r.pick([': string', ''])} = '${v}';`),
  python: (r) => around(r, password(r), (name, v) => `client = connect(host="db", ${name.toLowerCase()}="${v}")`),
  flag: (r) => around(r, r.pick([password, opaque])(r), (name, v) => `deploy --${name.toLowerCase().replaceAll('_', '-')}${r.pick([' ', '='])}${v} --verbose`),
  xml: (r) => around(r, password(r), (_, v) => `<server><username>ci</username><password>${v}</password></server>`),
  'query string': (r) => around(r, opaque(r), (_, v) => `GET https://api.example.com/v1/items?page=2&access_token=${v}&sort=asc`),
  'windows set': (r) => around(r, opaque(r), (name, v) => `set ${name}=${v}`),
  powershell: (r) => around(r, opaque(r), (name, v) => `$env:${name} = "${v}"`),
  dockerfile: (r) => around(r, opaque(r), (name, v) => `FROM node:20\nENV ${name} ${v}\n`),
  npmrc: (r) => around(r, opaque(r), (_, v) => `//registry.example.com/:_authToken=${v}`),
  sentence: (r) => around(r, 'k' + r.chars(DIGITS, 3) + opaque(r), (_, v) => `The password is ${v}, use it for staging.`),
  'random beside a name': (r) => around(r, 'aB3' + opaque(r) + 'xY7Zq', (_, v) => `use the api key (${v}) for this`),
  'aws pair': (r) => {
    const secret = r.chars(BASE64, 37) + 'aB3';
    return { text: `${TOKENS['aws id']?.(r)}\n${r.pick(['', 'aws_secret_access_key = ', 'secret: '])}${secret}`, needles: [secret] };
  },
  'azure storage': (r) => around(r, `${r.chars(BASE64, 86)}==`, (_, v) => `DefaultEndpointsProtocol=https;AccountName=app;Account${'Key'}=${v};EndpointSuffix=core.windows.net`),
  'connection string': (r) => around(r, password(r).replace(/[%+]/g, 'x'), (_, v) => `${r.pick(['postgres', 'postgresql', 'mysql', 'mongodb', 'mongodb+srv', 'redis', 'rediss', 'amqp', 'https', 'ftp'])}://${r.pick(['app', 'root', 'user.name'])}:${v}@${r.pick(['db', 'localhost:5432', 'db.example.com:6379'])}/main`),
  'token as the name in a url': (r) => around(r, r.chars(ALNUM, 30) + '7a', (_, v) => `git clone https://${v}:${r.pick(['', 'x', 'x-oauth-basic'])}@git.example.com/a/b.git`),
  'sql user': (r) => around(r, password(r), (_, v) => `${r.pick(['CREATE', 'ALTER'])} USER 'app'@'%' IDENTIFIED ${r.pick(['', 'WITH mysql_native_password '])}BY '${v}';`),
  'sql password': (r) => around(r, password(r), (_, v) => `${r.pick(['CREATE USER app WITH', 'ALTER ROLE app', "alter user 'app' with encrypted"])} password '${v}';`),
  'password in quotes': (r) => around(r, `k${r.chars(DIGITS, 3)}${password(r)}`, (_, v) => `The ${r.pick(['password', 'passphrase'])} '${v}' works.`),
  'go database': (r) => around(r, password(r), (_, v) => `dsn := "app:${v}@${r.pick(['tcp(db:3306)', 'unix(/run/my.sock)'])}/main"`),
  'three quotes': (r) => around(r, opaque(r), (name, v) => `${name} = """${v}"""`),
  // What stands behind a sign that looks like the end.
  'escaped in a word': (r) => around(r, opaque(r), (_, v) => `${r.pick(['DB_PASSWORD=', 'mysql -uroot -p', 'curl -u ci:', 'curl --user ci:'])}hunter22\\${r.pick(['!', '$', '&', ' '])}${v} x`),
  'quote in quotes': (r) => around(r, opaque(r), (_, v) => `${r.pick(['DB_PASSWORD=', 'db_password: ', 'mysql -p'])}'hunter22${r.pick(["''", "'\\''"])}${v}' x`),
  'blank in quotes': (r) => around(r, opaque(r), (_, v) => `${r.pick(["curl -u 'ci:", "mysql -p'"])}hunter22 ${v}' x`),
  'curl flags in one': (r) => around(r, password(r), (_, v) => `curl -${r.pick(['su', 'sSu', 'fsSLu'])} ci:${v} https://example.com/x`),
  'escaped url': (r) => around(r, password(r).replace(/[%+]/g, 'x'), (_, v) => `{"url":"postgres:\\/\\/app:${v}@db\\/main"}`),
  'ado string': (r) => around(r, password(r), (_, v) => `Server=db;Database=app;User Id=sa;${r.pick(['Password', 'Pwd'])}=${v};Encrypt=true`),
  bearer: (r) => around(r, opaque(r), (_, v) => `curl -H ${r.pick(["'", '"'])}Authorization: Bearer ${v}`.replace(/(["'])(.*)$/, '$1$2$1') + ' https://api.example.com'),
  'bearer alone': (r) => around(r, opaque(r), (_, v) => `sent header Bearer ${v}\n`),
  basic: (r) => around(r, Buffer.from(`app:${password(r)}`).toString('base64'), (_, v) => `Authorization: Basic ${v}\nAccept: */*`),
  'basic alone': (r) => around(r, Buffer.from(`app:${password(r)}`).toString('base64'), (_, v) => `headers.set(auth, "Basic ${v}")`),
  'api key header': (r) => around(r, opaque(r), (_, v) => `curl -H "X-Api-Key: ${v}" https://api.example.com`),
  'curl user': (r) => around(r, password(r), (_, v) => `curl -s ${r.pick(['-u ', '--user ', '-u'])}admin:${v} https://example.com/x`),
  'curl user quoted': (r) => around(r, password(r), (_, v) => `curl -u "admin:${v}" https://example.com/x`),
  mysql: (r) => around(r, password(r), (_, v) => `mysql -uroot -p${v} app < dump.sql`),
  'docker login': (r) => around(r, password(r), (_, v) => `${r.pick(['docker', 'podman', 'skopeo'])} login ${r.pick(['', 'registry.example.com ', '-u ci '])}${r.pick(['-p ', '--password ', '--password=', '-p '])}${v}${r.pick(['', ' registry.example.com', ' && docker run -p 8080:80 app'])}`),
  'docker login quoted': (r) => around(r, password(r), (_, v) => `docker login registry.example.com -u ci -p ${r.pick(["'", '"'])}${v}`.replace(/(["'])(.*)$/, '$1$2$1')),
  'variable and value': (r) => around(r, opaque(r), (name, v) => `set ${JSON.stringify({ variable: name, value: v })} for it`),
  'k and v': (r) => around(r, opaque(r), (name, v) => `[${JSON.stringify({ k: name, v })}, 1]`),
  'typed in a text': (r) => around(r, password(r), (_, v) => `browser_type ${JSON.stringify({ element: r.pick(['password field', 'Password', 'password input']), text: v })}`),
  sshpass: (r) => around(r, password(r), (_, v) => `sshpass -p ${v} ssh dev@example.com`),
  netrc: (r) => around(r, password(r), (_, v) => r.pick([`machine example.com login dev password ${v}`, `machine example.com\n  login dev\n  password ${v}\n`])),
  'docker config': (r) => around(r, Buffer.from(`dev:${password(r)}`).toString('base64'), (_, v) => JSON.stringify({ auths: { 'registry.example.com': { auth: v } } }, null, r.pick([0, 2]))),
  pem: (r) => {
    const { lines, body } = keyBlock(r);
    return { text: `cat key.pem\n${lines.join('\n')}\ndone`, needles: body };
  },
  'pem numbered': (r) => {
    const { lines, body } = keyBlock(r);
    return { text: lines.map((line, i) => `${String(i + 1).padStart(6)}→${line}`).join('\n'), needles: body };
  },
  'pem escaped': (r) => {
    const { lines, body } = keyBlock(r);
    return { text: `KEY="${lines.join(r.pick(['\\n', '\\\\n']))}\\n"`, needles: body };
  },
  'pem cut': (r) => {
    const { lines, body } = keyBlock(r);
    return r.next() < 0.5 ? { text: lines.slice(0, -2).join('\n'), needles: body.slice(0, -1) } : { text: lines.slice(2).join('\n'), needles: body.slice(1) };
  },
  'kubeconfig key': (r) => around(r, Buffer.from(keyBlock(r, 'RSA PRIVATE KEY').lines.join('\n')).toString('base64'), (_, v) => `    client-key-data: ${v}\n`),
};

function around(r: Random, secret: string, write: (name: string, secret: string) => string, whole = false): { text: string; needles: string[] } {
  const text = write(r.pick(SECRET_NAMES), secret);
  return { text, needles: [whole ? `=${secret}` : secret] };
}

export const ENVELOPE = (r: Random): Record<string, unknown> => ({ parentUuid: uuid(r), isSidechain: false, uuid: uuid(r), sessionId: uuid(r), timestamp: '2026-01-01T07:57:17.570Z', version: '2.1.3', gitBranch: 'main', cwd: '/home/dev/shop' });

export function uuid(r: Random): string {
  return [8, 4, 4, 4, 12].map((n) => r.chars(HEX, n)).join('-');
}

/** Where a text may lie in a record. */
export const PLACES: Record<string, (r: Random, text: string) => Record<string, unknown>> = {
  prompt: (r, text) => ({ ...ENVELOPE(r), type: 'user', message: { role: 'user', content: `Please look:\n${text}\nThanks` } }),
  'tool input': (r, text) => ({ ...ENVELOPE(r), type: 'assistant', message: { id: 'msg_01', role: 'assistant', content: [{ type: 'tool_use', id: `toolu_01${r.chars(ALNUM, 22)}`, name: 'Bash', input: { command: text, description: 'Run it' } }], usage: { input_tokens: 12, output_tokens: 34 } } }),
  'tool result': (r, text) => ({ ...ENVELOPE(r), type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_01${r.chars(ALNUM, 22)}`, content: text }] }, toolUseResult: { stdout: text, stderr: '', interrupted: false } }),
  'codex output': (r, text) => ({ timestamp: '2026-01-01T07:43:40.619Z', type: 'response_item', payload: { type: 'function_call_output', call_id: `call_${r.chars(ALNUM, 24)}`, output: JSON.stringify({ output: text, metadata: { exit_code: 0 } }) } }),
  'two levels': (r, text) => ({ type: 'response_item', payload: { type: 'function_call', name: 'shell', call_id: `call_${r.chars(ALNUM, 24)}`, arguments: JSON.stringify({ command: ['bash', '-lc', `curl -d '${JSON.stringify({ text })}' https://example.com`] }) } }),
  terminal: (r, text) => ({ ...ENVELOPE(r), type: 'user', message: { role: 'user', content: `\u001b[31m${text}\u001b[0m` } }),
};
/** Only for secrets of one word. */
const WORD_PLACES: Record<string, (r: Random, text: string) => Record<string, unknown>> = {
  'file name': (r, text) => ({ ...ENVELOPE(r), type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_01', name: 'Read', input: { file_path: `/home/dev/${text}.txt` } }] } }),
  branch: (r, text) => ({ ...ENVELOPE(r), gitBranch: `fix/${text}`, type: 'user', message: { role: 'user', content: 'Go on' } }),
  'object key': (r, text) => ({ ...ENVELOPE(r), type: 'user', snapshot: { trackedFileBackups: { [text]: { version: 1 } } } }),
  'whole string': (r, text) => ({ ...ENVELOPE(r), type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } }),
  diff: (r, text) => ({ ...ENVELOPE(r), type: 'user', toolUseResult: { structuredPatch: [{ oldStart: 1, lines: [' a', `-${text}`, '+b'] }] } }),
};

/** Secrets that only a record's structure shows. */
const STRUCTURES: Record<string, (r: Random) => { record: Record<string, unknown>; needles: string[] }> = {
  'key and value': (r) => {
    const secret = r.pick([password, opaque])(r);
    return { record: { ...ENVELOPE(r), input: { user: 'app', [r.pick([r.pick(SECRET_NAMES), camel(r.pick(SECRET_NAMES)), 'password', 'x-api-key'])]: secret } }, needles: [secret] };
  },
  'name beside value': (r) => {
    const secret = password(r);
    return { record: { ...ENVELOPE(r), env: [{ name: r.pick(SECRET_NAMES), value: secret }] }, needles: [secret] };
  },
  'variable beside value': (r) => {
    const secret = r.pick([password, opaque])(r);
    const name = r.pick(['DB_PASSWORD', 'clientSecret', 'POSTGRES_PASSWORD']);
    return { record: { ...ENVELOPE(r), input: r.pick<object>([{ variable: name, value: secret }, { value: secret, id: '7', variable: name }, { k: name, v: secret }, { field: name, val: secret }, { parameter: name, value: secret }, { Variable: name, Value: secret }]) }, needles: [secret] };
  },
  'typed into a field': (r) => {
    const secret = password(r);
    return { record: { ...ENVELOPE(r), input: r.pick<object>([{ element: r.pick(['password field', 'Password textbox in the login form', 'New passphrase']), ref: 'e12', text: secret }, { selector: r.pick(['#password', 'input[name="user_password"]']), value: secret }, { label: 'API key', text: opaque(r) + secret }, { placeholder: 'Your password', keys: secret }]) }, needles: [secret] };
  },
  'docker login word by word': (r) => {
    const secret = password(r);
    const words = ['login', ...r.pick([[], ['registry.example.com']]), '-u', 'ci', r.pick(['-p', '--password']), secret];
    return { record: { ...ENVELOPE(r), input: r.pick<object>([{ command: ['docker', ...words] }, { command: 'docker', args: words }, { arguments: JSON.stringify({ command: ['podman', ...words] }) }]) }, needles: [secret] };
  },
  'docker auth': (r) => {
    const secret = Buffer.from(`dev:${password(r)}`).toString('base64');
    return { record: { ...ENVELOPE(r), auths: { 'registry.example.com': { auth: secret } } }, needles: [secret] };
  },
  'authorization key': (r) => {
    const secret = opaque(r);
    return { record: { ...ENVELOPE(r), headers: { [r.pick(['Authorization', 'authorization', 'Proxy-Authorization'])]: `${r.pick(['Bearer ', 'token ', 'Basic ', ''])}${secret}` } }, needles: [secret] };
  },
  'argument list': (r) => {
    const secret = password(r);
    return { record: { ...ENVELOPE(r), command: r.pick([['curl', '-u', `admin:${secret}`, 'https://example.com'], ['tool', '--password', secret], ['tool', '--api-token', `${opaque(r)}${secret}`]]) }, needles: [secret] };
  },
  'pem over strings': (r) => {
    const { lines, body } = keyBlock(r);
    return { record: { ...ENVELOPE(r), toolUseResult: { structuredPatch: [{ lines: lines.map((line) => r.pick(['+', '']) + line) }] } }, needles: body };
  },
  'pem over blocks': (r) => {
    const { lines, body } = keyBlock(r);
    return { record: { ...ENVELOPE(r), message: { content: lines.map((text) => ({ type: 'text', text })) } }, needles: body };
  },
  'aws pair over strings': (r) => {
    const secret = r.chars(BASE64, 37) + 'aB3';
    return { record: { ...ENVELOPE(r), keys: { id: TOKENS['aws id']?.(r), other: secret } }, needles: [secret] };
  },
};

/** `count` records with a secret each, over all kinds and places in turn. */
export function plantedSecrets(seed: number, count: number): Case[] {
  const r = new Random(seed);
  const makers: (() => Case)[] = [];
  for (const [kind, make] of Object.entries(TOKENS)) {
    for (const [place, put] of Object.entries({ ...PLACES, ...WORD_PLACES })) {
      makers.push(() => {
        const secret = make(r);
        const text = place in PLACES ? r.pick([secret, `the value ${secret}`, `x="${secret}"`, `a\\n${secret}\\nb`, `X=${secret}`, `(${secret})`, `%3D${secret}`]) : secret;
        return { label: `${kind} in ${place}`, record: put(r, text), needles: [secret.replace(/^https:\/\/hooks.*services\//, '')] };
      });
    }
  }
  for (const [kind, make] of Object.entries(CONTEXTS)) {
    for (const [place, put] of Object.entries(PLACES)) {
      makers.push(() => {
        const { text, needles } = make(r);
        return { label: `${kind} in ${place}`, record: put(r, text), needles };
      });
    }
  }
  for (const [kind, make] of Object.entries(STRUCTURES)) makers.push(() => ({ label: kind, ...make(r) }));
  return Array.from({ length: count }, (_, i) => (makers[i % makers.length] as () => Case)());
}
