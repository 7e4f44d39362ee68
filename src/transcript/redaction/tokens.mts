/** Secrets with a public format of their own: they are known by their looks, wherever they stand. */
import { GROUP } from './windows.mts';
import type { Span } from './spans.mts';

interface Token {
  kind: string;
  /** What each begins with. */
  lead: string;
  /** Tried at the position of a window of these groups, minus `back`. */
  group: number;
  back?: number;
  /** Begins as nothing else does, so also behind a dash or an underscore. */
  own?: true;
  pattern: RegExp;
  /** What the pattern cannot say about the match. */
  accept?: (match: string) => boolean;
}

/**
 * A token does not begin in the middle of a word. What looks like a letter may be the end of an escape in JSON (`\n`),
 * in a URL (`%3D`) or of a terminal's colour, though, and a dash that of a diff. Checked first, so that a run is read once, not once a position.
 */
export const LEFT = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})|(?<=(?:\x1b|\\u001b)\[[\d;]{0,12}[A-Za-z])|(?<=(?:^|[\s\"'\`=]|\\[nrt])[-+]{1,2}))`;

const at = (source: string): RegExp => new RegExp(LEFT + source, 'y');
/** Beginnings that nothing else has: a dash or an underscore before them is no part of a word. */
const own = (source: string): RegExp => new RegExp(`(?:${LEFT}|(?<=[_-]))${source}`, 'y');
const mixed = (match: string): boolean => /\d/.test(match) && /[A-Za-z]/.test(match);

const { underscore, dash, rare, words } = GROUP;

const TOKENS: readonly Token[] = [
  { kind: 'github-token', lead: 'gh', group: underscore, own: true, pattern: own('gh[pousr]_[A-Za-z0-9]{30,}') },
  { kind: 'github-token', lead: 'github_pat_', group: underscore, back: 3, own: true, pattern: own('github_pat_[A-Za-z0-9_]{22,}') },
  { kind: 'npm-token', lead: 'npm_', group: underscore, own: true, pattern: own('npm_[A-Za-z0-9]{30,}') },
  { kind: 'huggingface-token', lead: 'hf_', group: underscore, own: true, pattern: own('hf_[A-Za-z0-9]{30,}') },
  { kind: 'stripe-key', lead: 'sk_', group: underscore, own: true, pattern: own('sk_(?:live|test)_[A-Za-z0-9]{10,}') },
  { kind: 'stripe-key', lead: 'rk_', group: underscore, own: true, pattern: own('rk_(?:live|test)_[A-Za-z0-9]{10,}') },
  { kind: 'stripe-webhook-secret', lead: 'whsec_', group: underscore, back: 1, pattern: at('whsec_[A-Za-z0-9+/]{20,}={0,2}') },
  { kind: 'digitalocean-token', lead: 'do', group: underscore, back: 2, own: true, pattern: own('do[opr]_v1_[0-9a-f]{40,}') },
  { kind: 'groq-key', lead: 'gsk_', group: underscore, own: true, pattern: own('gsk_[A-Za-z0-9]{40,}') },
  { kind: 'supabase-token', lead: 'sbp_', group: underscore, pattern: at('sbp_(?:v0_)?[0-9a-f]{40}(?![A-Za-z0-9])') },
  { kind: 'netlify-token', lead: 'nfp_', group: underscore, pattern: at('nfp_[A-Za-z0-9]{30,}') },
  { kind: 'figma-token', lead: 'figd_', group: underscore, back: 1, own: true, pattern: own('figd_[A-Za-z0-9_-]{30,}') },
  { kind: 'linear-key', lead: 'lin_api_', group: underscore, back: 2, own: true, pattern: own('lin_api_[A-Za-z0-9]{30,}') },
  { kind: 'planetscale-token', lead: 'pscale_', group: underscore, back: 2, own: true, pattern: own('pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}') },
  { kind: 'shopify-token', lead: 'shpat_', group: underscore, back: 1, own: true, pattern: own('shpat_[0-9a-fA-F]{32}(?![A-Za-z0-9])') },
  { kind: 'docker-token', lead: 'dckr_pat_', group: underscore, back: 3, own: true, pattern: own('dckr_pat_[A-Za-z0-9_-]{20,}') },
  { kind: 'xai-key', lead: 'xai-', group: dash, pattern: at('xai-[A-Za-z0-9]{60,}') },
  { kind: 'perplexity-key', lead: 'pplx-', group: dash, back: 1, pattern: at('pplx-[A-Za-z0-9]{40,}') },
  { kind: 'tavily-key', lead: 'tvly-', group: dash, back: 1, pattern: at('tvly-(?:dev-|prod-)?[A-Za-z0-9]{24,}'), accept: (match) => mixed(match.slice(5)) },
  { kind: 'vault-token', lead: 'hv', group: rare, pattern: at('hv[sbr][.][A-Za-z0-9_-]{24,}'), accept: (match) => mixed(match.slice(4)) },
  { kind: 'postman-key', lead: 'PMAK-', group: rare, pattern: at('PMAK-[0-9a-f]{24}-[0-9a-f]{34}') },
  { kind: 'newrelic-key', lead: 'NRAK-', group: rare, pattern: at('NRAK-[A-Z0-9]{27}(?![A-Za-z0-9])') },
  { kind: 'atlassian-token', lead: 'ATATT3', group: rare, pattern: at('ATATT3[A-Za-z0-9_=-]{60,}') },
  { kind: 'anthropic-key', lead: 'sk-ant-', group: dash, own: true, pattern: own('sk-ant-[A-Za-z0-9_-]{16,}') },
  { kind: 'openai-key', lead: 'sk-', group: dash, own: true, pattern: own('sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}') },
  { kind: 'openai-key', lead: 'sk-', group: dash, pattern: at('sk-[A-Za-z0-9]{20,}(?![A-Za-z0-9_-])'), accept: mixed },
  // Other services took the same beginning (`sk-or-v1-...`).
  { kind: 'sk-key', lead: 'sk-', group: dash, pattern: at('sk-[A-Za-z0-9_-]{24,}'), accept: (match) => /[A-Za-z0-9]{16}/.test(match) && mixed(match.slice(3)) },
  { kind: 'mailgun-key', lead: 'key-', group: dash, pattern: at('key-[0-9a-f]{32}(?![A-Za-z0-9])') },
  { kind: 'aws-access-key-id', lead: 'A', group: rare, own: true, pattern: new RegExp(`(?:${LEFT}|(?<=[_-]))(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`, 'y') },
  { kind: 'google-api-key', lead: 'AIza', group: rare, pattern: at('AIza[A-Za-z0-9_-]{35}') },
  { kind: 'google-oauth-secret', lead: 'GOCSPX-', group: rare, pattern: at('GOCSPX-[A-Za-z0-9_-]{20,}') },
  { kind: 'google-oauth-token', lead: 'ya29', group: words, pattern: at('ya29[.][A-Za-z0-9_-]{20,}') },
  { kind: 'sendgrid-key', lead: 'SG.', group: rare, pattern: at('SG[.][A-Za-z0-9_-]{16,}[.][A-Za-z0-9_-]{32,}') },
  { kind: 'twilio-key', lead: 'SK', group: rare, pattern: at('SK[0-9a-f]{32}(?![A-Za-z0-9])') },
  { kind: 'age-key', lead: 'AGE-', group: rare, pattern: at('AGE-SECRET-KEY-1[A-Za-z0-9]{40,}') },
  { kind: 'jwt', lead: 'eyJ', group: rare, pattern: at(String.raw`eyJ[A-Za-z0-9_-]{8,}[.](?:eyJ[A-Za-z0-9_-]{6,}(?:[.][A-Za-z0-9_-]*)?|[A-Za-z0-9_-]{8,}[.][A-Za-z0-9_-]{8,}|[.][A-Za-z0-9_-]{8,})(?:[.][A-Za-z0-9_-]+){0,2}`) },
  // A private key in base64, as kubeconfig writes it; certificates and public keys begin otherwise.
  { kind: 'private-key', lead: 'LS0tLS1CRUdJTi', group: rare, pattern: at('LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFU|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZB|BFTkNSWVBURUQgUFJJVkFU|BEU0EgUFJJVkFU|BQR1AgUFJJVkFU)[A-Za-z0-9+/]+={0,2}') },
  { kind: 'gitlab-token', lead: 'gl', group: words, own: true, pattern: own('gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[A-Za-z0-9_-]{15,}(?:[.][A-Za-z0-9_-]{2,}){0,2}') },
  { kind: 'pypi-token', lead: 'pypi-', group: words, own: true, pattern: own('pypi-[A-Za-z0-9_-]{32,}'), accept: (match) => /[A-Z]/.test(match) && mixed(match.slice(5)) },
  { kind: 'slack-token', lead: 'xox', group: words, own: true, pattern: own('xox[a-z](?:[.]xox[a-z])?-[A-Za-z0-9-]{10,}'), accept: (match) => /\d/.test(match) },
  { kind: 'slack-token', lead: 'xapp-', group: words, own: true, pattern: own('xapp-[0-9]+-[A-Za-z0-9-]{10,}') },
  { kind: 'discord-webhook', lead: 'webhooks', group: rare, back: 6, pattern: /webhooks\/\d{15,22}\/[A-Za-z0-9_-]{50,}/y },
  { kind: 'slack-webhook', lead: 'hooks', group: words, back: 6, pattern: new RegExp(String.raw`hooks[.]slack[.]com(?:\\{0,40}/)(?:services|workflows|triggers)(?:\\{0,40}/[A-Za-z0-9_-]{3,})+`, 'y') },
];

/** Those that may have this character at their hit; a lead that ends before the hit may have any. */
const tokensAt = new Map<number, readonly Token[]>();

function withCharacter(code: number): readonly Token[] {
  // A character over U+00FF can look like one of ASCII to the first look.
  if (code > 127) return [];
  const known = tokensAt.get(code);
  if (known !== undefined) return known;
  const fitting = TOKENS.filter(({ lead, back = 0 }) => lead.length <= back || lead.charCodeAt(back) === code);
  tokensAt.set(code, fitting);
  return fitting;
}

/** Puts the token that begins at this hit, if one does, among the spans. */
export function findToken(text: string, hit: number, groups: number, spans: Span[]): void {
  for (const { kind, lead, group, back, own: isOwn, pattern, accept } of withCharacter(text.charCodeAt(hit))) {
    if ((groups & group) === 0) continue;
    const start = hit - (back ?? 0);
    if (!text.startsWith(lead, start) || !(mayBegin(text, start) || (isOwn === true && /[_-]/.test(text.charAt(start - 1))))) continue;
    pattern.lastIndex = start;
    const match = pattern.exec(text)?.[0];
    if (match === undefined || accept?.(match) === false) continue;
    spans.push({ start, end: start + match.length, kind, hashed: true });
    if (kind === 'aws-access-key-id') findAwsSecret(text, start, spans);
    return;
  }
}

/** A quick no for what LEFT would refuse anyway. */
function mayBegin(text: string, start: number): boolean {
  const last = text.charCodeAt(start - 1);
  const isLetter = isWord(last) && !isDigit(last);
  const before = text.charCodeAt(start - 2);
  const BACKSLASH = 92;
  const DASH = 45;
  // The dash of a diff or a flag stands before, not that of a word.
  if (last === DASH && text.charCodeAt(start - 3) !== BACKSLASH && isWord(before)) return false;
  if (!isLetter && !isDigit(last)) return true;
  const isEscape = before === BACKSLASH || text.charCodeAt(start - 6) === BACKSLASH || text.charAt(start - 3) === '%';
  return isEscape || (isLetter && (isDigit(before) || before === 91 || before === 59));
}

/** What an AWS secret key looks like: 40 characters of base64, so it is one only beside its id or its name. */
const AWS_SECRET = /(?:(?<![A-Za-z0-9+/])|(?<=\\[nrt]))[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g;
const BESIDE = 300;

/** Whether the whole text is of the form of an AWS secret key. */
export function looksLikeAwsSecret(value: string): boolean {
  return /^[A-Za-z0-9+/]{40}$/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value);
}

function findAwsSecret(text: string, id: number, spans: Span[]): void {
  const before = spans.at(-2);
  const from = Math.max(0, id - BESIDE, before?.kind === 'aws-access-key-id' ? before.end : 0);
  for (const match of text.slice(from, id + BESIDE).matchAll(AWS_SECRET)) {
    const start = from + match.index;
    if (looksLikeAwsSecret(match[0])) spans.push({ start, end: start + 40, kind: 'aws-secret-key', hashed: true });
  }
}

const TELEGRAM = /(?<!\d)\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y;
const DISCORD = new RegExp(`${LEFT}[MNO][A-Za-z0-9_-]{22,27}[.][A-Za-z0-9_-]{6}[.][A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])`, 'y');

/** `hit` is the fourth digit before the colon. */
export function findTelegramToken(text: string, hit: number, spans: Span[]): void {
  let start = hit;
  while (start > hit - 7 && isDigit(text.charCodeAt(start - 1))) start--;
  pushAt(TELEGRAM, 'telegram-token', text, start, spans);
}

/** `hit` is the first dot: the part before it has 23 to 28 characters. */
export function findDiscordToken(text: string, hit: number, spans: Span[]): void {
  for (let start = hit - 23; start >= Math.max(0, hit - 28); start--) if (pushAt(DISCORD, 'discord-token', text, start, spans)) return;
}

function pushAt(pattern: RegExp, kind: string, text: string, start: number, spans: Span[]): boolean {
  pattern.lastIndex = start;
  const match = pattern.exec(text)?.[0];
  if (match === undefined) return false;
  spans.push({ start, end: start + match.length, kind, hashed: true });
  return true;
}

function isWord(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
