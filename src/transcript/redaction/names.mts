/**
 * Names that say secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`. The word must be the last part that matters
 * (`token_count` counts, `tokenizer` is another word), and what stands before it must not say that it is none
 * (`max_token`, `show_password`).
 */

/** `password`: people choose it, so a short word is one. `token`: a machine made it, so it looks random. `header`: Authorization. */
export type Grade = 'password' | 'token' | 'header';

const PASSWORD = /^(?:pass|passwd|passwords?|passphrase|passcode|pwd|pw|secret|secrets)$/;
const TOKEN = /^(?:token|credentials?|creds|auth|bearer|apikey|accesskey|privatekey|authkey|accountkey|sshpass)$/;
/** The same words written together with what stands before them. */
const ENDS_PASSWORD = /(?:password|passwd|passphrase|secret)$/;
const ENDS_TOKEN = /(?:(?:auth|access|api|refresh|id|identity|registry|session|csrf|xsrf|bot|bearer|oauth|private|secret|client|user|deploy|personal|service|app|npm|github|gitlab|slack|telegram|discord)token|api-?key|accesskey|secretkey|privatekey|accountkey|authkey|signingkey|encryptionkey)$/;
/** What makes a secret of the word `key`. */
const KEY_BEFORE = /^(?:api|apis|access|private|secret|auth|account|signing|signature|encryption|decryption|encrypt|master|storage|service|role|subscription|deploy|client|app|admin|webhook|license|bot|jwt|hmac|crypto|cipher|aes|sas|openai|anthropic|stripe|sendgrid|mailgun|twilio|google|maps|github|gitlab|slack|azure|cosmos|datadog|dd|sentry|algolia|gemini|groq|mistral|cohere|huggingface|hf|npm|pypi)$/;
/** Parts that may follow and change nothing. */
const AFTER = /^(?:\d+|v\d+|prod|production|dev|development|test|testing|stage|staging|live|local|ci|value|base|data|old|new|current|main|default|primary|secondary|b64|base64|string|str|plain|plaintext|text|raw|md5salt|confirm|confirmation|repeat)$/;
/** Whose personal access token a `PAT` is. */
const PAT_BEFORE = /^(?:gh|github|gitlab|git|ado|azure|devops|jira|atlassian|databricks|airtable|docker|access)$/;
const BEFORE_NOT = /^(?:max|min|num|total|count|counts|input|output|next|prev|previous|page|continuation|cancel|cancellation|eos|bos|pad|unk|stop|special|begin|end|start|break|syntax|parse|unexpected|show|hide|toggle|forgot|forgotten|reset|change|require|requires|required|has|is|use|uses|with|without|enable|skip|remember|validate|check|missing|invalid|wrong|bad|no|public|lookahead|design|css|color)$/;

/** Longer runs than this are no names. */
const NAME_MAX = 80;

export interface Name {
  start: number;
  end: number;
  text: string;
}

/** Where the last run ended that is too long for a name: its other hits are answered without reading it again. */
export interface NameState {
  longTo: number;
}

/** The whole name around a hit; its text is empty where a run of such characters is too long to be one. */
export function nameAround(text: string, hit: number, state: NameState): Name {
  if (hit < state.longTo) return { start: hit, end: hit, text: '' };
  // The window of `api key` begins with the blank.
  if (!isNameCode(text.charCodeAt(hit))) hit++;
  let start = hit;
  while (start > 0 && isNameCode(text.charCodeAt(start - 1))) {
    start--;
    if (hit - start > NAME_MAX) return tooLong(hit, endOfRun(text, hit), state);
  }
  const end = endOfRun(text, hit);
  if (end - hit > NAME_MAX) return tooLong(hit, end, state);
  start = Math.min(hit, start + escapeLength(text, start));
  // `api key`: two words make the name.
  if (end - start === 3 && text.charCodeAt(start - 1) === 32 && /^key$/i.test(text.slice(start, end))) start -= WORD_BEFORE.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0;
  return { start, end, text: text.slice(start, end) };
}

function tooLong(hit: number, runEnd: number, state: NameState): Name {
  state.longTo = runEnd;
  return { start: hit, end: hit, text: '' };
}

function endOfRun(text: string, from: number): number {
  let end = from;
  while (isNameCode(text.charCodeAt(end))) end++;
  return end;
}

const WORD_BEFORE = /(?<![A-Za-z])[A-Za-z]+ $/;

/** How much of what stands at `start` is the end of an escape: of a line end (`\nPASSWORD`) or of a terminal's colour. */
function escapeLength(text: string, start: number): number {
  const before = text.charAt(start - 1);
  if (before === '\\') return /[bfnrt]/.test(text.charAt(start)) ? 1 : 0;
  if (before !== '[' && before !== ';') return 0;
  const colour = /^\d{0,3}[A-Za-z]/.exec(text.slice(start, start + 4))?.[0].length ?? 0;
  return /(?:\x1b|\\u001b)\[[\d;]{0,12}$/.test(text.slice(Math.max(0, start - 20), start)) ? colour : 0;
}

function isNameCode(code: number): boolean {
  // Letters, digits, and - . _
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46;
}

const known = new Map<string, Grade | null>();

/** Whether the name says secret, and of which sort; remembered, since a transcript uses few names. */
export function gradeOf(name: string): Grade | undefined {
  const before = known.get(name);
  if (before !== undefined) return before ?? undefined;
  const grade = judge(name);
  if (known.size > 5000) known.clear();
  known.set(name, grade ?? null);
  return grade;
}

function judge(name: string): Grade | undefined {
  if (name.length > NAME_MAX) return undefined;
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
  let last = parts.length - 1;
  for (; last >= 0; last--) {
    const grade = gradeOfPart(parts, last);
    if (grade !== undefined) {
      // `NEXT_PUBLIC_API_KEY` is a key all the same; `nextPageToken` is a place in a list.
      const before = parts.slice(0, last);
      return before.some((part) => BEFORE_NOT.test(part)) && !/[A-Z]_/.test(name) ? undefined : grade;
    }
    if (!AFTER.test(parts[last] ?? '')) return undefined;
  }
  return undefined;
}

function gradeOfPart(parts: readonly string[], at: number): Grade | undefined {
  // `password1` and `password2` of a form.
  const part = (parts[at] ?? '').replace(/(?<=[a-z]{4})\d{1,2}$/, '');
  if (part === 'authorization') return 'header';
  if (PASSWORD.test(part)) return part === 'pw' && parts.length === 1 ? undefined : 'password';
  if (ENDS_PASSWORD.test(part)) return 'password';
  if (TOKEN.test(part) || ENDS_TOKEN.test(part)) return 'token';
  if (part === 'pat') return at > 0 && PAT_BEFORE.test(parts[at - 1] ?? '') ? 'token' : undefined;
  if (part === 'key' && parts[at - 1] === 'secret') return 'password';
  if (part === 'key') return at > 0 && KEY_BEFORE.test(parts[at - 1] ?? '') ? 'token' : undefined;
  return undefined;
}

const FIELD = /(?<![a-z])(?:pass(?:word|phrase|code|wd)|pwd|secret|(?:api|access|secret)[ _-]?key|(?:api|access|auth|bearer|refresh|bot)[ _-]?token)(?![a-z])/i;
const FIELD_NOT = /(?<![a-z])(?:show|hide|toggle|forgot|forgotten|reset|search|filter|find|button|link|hint|strength|manager|policy)(?![a-z])/i;

/** The name that the description of a field in a form or a page has in it: of `Password input`, `#user-password`. */
export function secretField(description: string): string | undefined {
  const said = FIELD.exec(description)?.[0];
  return said === undefined || FIELD_NOT.test(description) ? undefined : said.replace(/ /g, '_');
}

/** Whether a name is written the way variables of the environment are. */
export function isEnvironmentName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}
