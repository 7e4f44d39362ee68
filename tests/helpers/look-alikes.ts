/** The other half of the corpus for redaction: what looks like a secret and is none. Made when the test runs, by a seed. */
import { createHash } from 'node:crypto';
import { ALNUM, BASE64, ENVELOPE, HEX, LOWER, PLACES, URLSAFE, uuid, Random, type Case } from './secrets.ts';

const sha = (r: Random, algorithm: string, encoding: 'hex' | 'base64' = 'hex'): string => createHash(algorithm).update(String(r.next())).digest(encoding);

/** Texts that look like secrets and are none. */
const LOOK_ALIKES: Record<string, (r: Random) => string> = {
  'git id': (r) => `commit ${sha(r, 'sha1')}\nAuthor: Dev <dev@example.com>`,
  'short git id': (r) => `${r.chars(HEX, 7)} fix the secret handling (#12)`,
  sha256: (r) => `${sha(r, 'sha256')}  dist/app.tar.gz`,
  integrity: (r) => `"integrity": "sha512-${sha(r, 'sha512', 'base64')}"`,
  uuid: (r) => `session ${uuid(r)} resumed`,
  'base64 image': (r) => `data:image/png;base64,iVBORw0KGgo${r.chars(BASE64, 400)}==`,
  'call id': (r) => `result of ${r.pick(['toolu_01', 'call_', 'msg_01', 'req_01'])}${r.chars(ALNUM, 22)}`,
  path: (r) => `/home/dev/src/${r.chars(LOWER, 8)}/${r.pick(['auth/token', 'password-reset', 'secrets', 'api-key'])}/${r.chars(LOWER, 6)}.ts:${r.below(900)}:12`,
  'token counts': (r) => `"token_count": ${r.below(9999)}, "input_tokens": ${r.below(9999)}, "max_tokens": 4096, tokens: ${r.below(99999)}, maxToken = ${r.below(99999)}`,
  'typescript type': (r) => r.pick(['interface Login { user: string; password: string; token?: string }', 'password: string', 'type Auth = { token: Token; secret: SecretStr };', 'apiKey: string | undefined,', 'function login(password: string, token: Token): void {}', 'readonly accessToken: AccessToken;']),
  'reference': (r) => r.pick(['secret = os.environ["X"]', 'const key = process.env.API_KEY;', 'apiKey: process.env.API_KEY,', 'password = config.password', 'token: this.token,', 'TOKEN=${TOKEN}', 'export API_TOKEN=$TOKEN', 'password: ${{ secrets.DB_PASSWORD }}', 'API_KEY="$API_KEY"', 'token = getToken(user)', 'password=password, token=token', 'const token = lexer.next();', 'secret: req.body.secret', 'client_secret=$(cat /run/secrets/x)', 'DB_PASSWORD_FILE=/run/secrets/db', 'PASSWORD={{ password }}']),
  placeholder: (r) => r.pick(['API_TOKEN=<your-token>', 'password: xxxx', 'password: ****', 'api_key = "your-api-key-here"', 'TOKEN=YOUR_TOKEN', 'secret: "changeme"', 'password=********', 'Authorization: Bearer <token>', 'Authorization: Bearer $TOKEN', 'postgres://user:${PASSWORD}@db/app', 'postgres://user:<password>@db/app', 'token: "..."', 'API_KEY=xxxxxxxxxxxx', 'SECRET=example']),
  prose: (r) => r.pick(['The token is missing, so the password reset fails.', 'Invalid API key · Fix external API key', 'all 12 tests pass: 3 suites', 'Enter your password to continue', 'the secret of good code is naming', '"password": "Forgot your password?"', 'authentication is handled by auth.ts; authorization: see docs', 'Bearer authentication, Basic authentication', 'password must have 8 characters', 'token limit 40,000 input tokens per minute', 'author: Jane Doe', 'the key idea: keep it simple', 'keyboard: 105 keys', 'tokenizer: fast', 'git push -u origin main:main', 'docker run -u 1000:1000 node']),
  'names like tokens': (r) => r.pick(['model xai-grok-4-fast', 'const lin_api_client = connect();', 'hvs.exports = function hvs() {}', 'see pplx-api and tvly-search', 'locale_pw_fallback', 'the rows are identified by "name"', `issues identified by '${r.chars(LOWER, 6)}9'`, 'curl http://localhost:8080/x:@latest', 'the password BY default', 'file_pat = "*.test.js"', '"passwordConfirm": "Passwords do not match"', 'token1 = tokens[0]; token2 = tokens[1]', 'password1: string', 'const pat = /a1b2c3d4/;']),
  'registry login': (r) => r.pick(['docker login -u ci --password-stdin < token.txt', 'docker login registry.example.com && docker run -p 8080:80 app', 'docker login; docker run -d -p 127.0.0.1:5432:5432 postgres', 'docker login -u ci -p "$REGISTRY_PASSWORD"', 'docker login -u ci -p ${PASSWORD} registry.example.com', 'npm login --scope=@acme', 'gh auth login --web', 'the login page, the login -- and the logic behind it', 'docker logs -f app | grep -p login', 'podman login --get-login registry.example.com']),
  'sibling keys': (r) => JSON.stringify(r.pick<object>([{ variable: 'PATH', value: '/usr/local/bin:/usr/bin' }, { variable: 'NODE_ENV', value: 'production' }, { k: 'token_count', v: String(r.below(99999)) }, { element: 'Search box', text: `parser ${r.below(99)}` }, { element: 'Show password button', text: 'Show me the rest' }, { label: 'Password', text: 'Forgot your password?' }, { placeholder: 'Enter your password', text: '' }, { field: 'password', value: 'string' }, { variable: 'API_KEY', value: '${API_KEY}' }, { variable: 'DB_PASSWORD', value: '<your-password>' }, { selector: '#forgot-password-link', text: 'Reset it 2026' }, { k: 'max_tokens', v: 4096 }, { element: 'Password strength meter', text: 'strong99x' }])),
  minified: (r) => `function ${r.chars(LOWER, 1)}(e,t){return e.token===t?e.pass(t):e.key=t.key}var ${r.chars(LOWER, 2)}={token:e,secret:t,password:n};`,
  colour: (r) => `--accent: #${r.chars(HEX, 6)}; --design-token: #${r.chars(HEX, 6)};`,
  semver: (r) => `"jsonwebtoken": "^${r.below(9)}.${r.below(20)}.${r.below(9)}", "dotenv": "16.${r.below(9)}.0"`,
  url: (r) => `https://example.com:8443/a/@scope/pkg?x=${r.below(99)}#top http://localhost:3000/@vite/client git+ssh://git@github.com/a/b.git https://registry.example/@types/node`,
  email: (r) => `${r.chars(LOWER, 6)}@example.com, mailto:${r.chars(LOWER, 5)}@example.org`,
  'ssh public key': (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.chars(BASE64, 43)} dev@host`,
  certificate: (r) => `-----BEGIN CERTIFICATE-----\n${Array.from({ length: 4 }, () => r.chars(BASE64, 64)).join('\n')}\n-----END CERTIFICATE-----`,
  'public key': (r) => `-----BEGIN PUBLIC KEY-----\n${r.chars(BASE64, 64)}\n-----END PUBLIC KEY-----`,
  'test of keys': () => `if (text.startsWith('-----BEGIN PRIVATE KEY-----') && text.endsWith('-----END PRIVATE KEY-----')) return;`,
  'lock file': (r) => `resolved "https://registry.example/left-pad/-/left-pad-1.3.0.tgz#${sha(r, 'sha1')}"`,
  'css class': (r) => `<div class="sk-circle-${r.below(12)} sk-fading-circle task-${r.chars(HEX, 12)} disk-usage-monitor">`,
  time: (r) => `2026-01-01T07:57:${10 + r.below(49)}.570Z 12:34:56 line 1234:5678`,
  version: (r) => `app.v${r.below(9)}.module.chunk.${r.chars(HEX, 8)}.js a.bcdefg.hij`,
};

export function lookAlikes(seed: number, count: number): Case[] {
  const r = new Random(seed);
  const makers: (() => Case)[] = [];
  for (const [kind, make] of Object.entries(LOOK_ALIKES)) {
    for (const [place, put] of Object.entries(PLACES)) {
      makers.push(() => ({ label: `${kind} in ${place}`, record: put(r, make(r)), needles: [] }));
    }
  }
  const plain: Record<string, unknown>[] = [
    { variable: 'PATH', value: '/usr/bin:/bin' }, { k: 'token_count', v: '48213' }, { element: 'Search box for passwords', text: 'hunter22 tokens' }, { element: 'Submit button', text: 'Sign in 2' }, { label: 'Password', text: 'Must have 8 characters' },
    { name: 'tokenizer', value: 'bert-base-uncased-2024' }, { command: ['docker', 'run', '-p', '8080:80', 'app'] }, { command: 'docker', args: ['login', 'registry.example.com', '--password-stdin'] }, { key: 'password', value: '********' },
  ];
  for (const input of plain) makers.push(() => ({ label: `structure ${JSON.stringify(input)}`, record: { ...ENVELOPE(r), input }, needles: [] }));
  makers.push(() => ({ label: 'thinking signature', record: { ...ENVELOPE(r), message: { content: [{ type: 'thinking', thinking: 'Hm.', signature: `Er8C${r.chars(BASE64, 900)}==` }] } }, needles: [] }));
  makers.push(() => ({ label: 'encrypted content', record: { type: 'response_item', payload: { type: 'reasoning', encrypted_content: `gAAAAAB${r.chars(URLSAFE, 900)}==` } }, needles: [] }));
  makers.push(() => ({ label: 'image block', record: { ...ENVELOPE(r), message: { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${r.chars(BASE64, 900)}=` } }] } }, needles: [] }));
  makers.push(() => ({ label: 'usage', record: { ...ENVELOPE(r), requestId: `req_01${r.chars(ALNUM, 22)}`, message: { id: `msg_01${r.chars(ALNUM, 22)}`, model: 'claude-opus-5-5', usage: { input_tokens: r.below(9999), cache_read_input_tokens: 5, output_tokens: 3 } }, token: null, password: true, apiKeySource: 'none', tokenType: 'Bearer', auth: 'oauth', token_usage: { total: 3 } }, needles: [] }));
  return Array.from({ length: count }, (_, i) => (makers[i % makers.length] as () => Case)());
}
