/**
 * What a shell line says about the checks in it: which command checks, and whether the exit status of the line is that
 * command's own. `npm test | tail` ends with the status of `tail`, so that its 0 says nothing of the tests.
 */
import { head, tail } from './text.mts';

const LOOK = 4_000;
const MAX_PARTS = 200;

interface Part {
  text: string;
  /** What stands behind it: `&&`, `||`, `;`, `|`, `&`, or nothing at the end. */
  then: string;
}

/** The simple commands of a line, cut at operators outside quotes. Only the first 4,000 characters are looked at. */
function simpleCommands(line: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  // What a here-document holds is run by nobody.
  const text = head(line, LOOK).replace(/\\\n/g, ' ').replace(/<<-?\s*(['"]?)(\w+)(?!\w)\1([^\n]*)\n[^]*?\n[ \t]*\2(?=\n|$)/g, '$3');
  const put = (end: number, then: string): void => {
    const said = text.slice(from, end).trim().replace(/^(?:[({]\s*)+/, '');
    if (said !== '' && !said.startsWith('#')) parts.push({ text: said, then });
  };
  // Quoted pieces are stepped over whole; a quote that nothing closes is an ordinary sign.
  const PIECES = /"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|(?<!\d)\d*>&\d?|&>+|>\||&&|\|\|?&?|;+|&|\n/g;
  for (let found = PIECES.exec(text); found !== null && parts.length < MAX_PARTS; found = PIECES.exec(text)) {
    const sign = found[0];
    if (!/^(?:&&|\|\|?&?|;+|&|\n)$/.test(sign)) continue;
    put(found.index, sign === '\n' || sign.startsWith(';') ? ';' : sign === '|&' ? '|' : sign);
    from = PIECES.lastIndex;
  }
  put(text.length, '');
  return parts;
}

// The runner's name at the head of a simple command; `cat test/a.js` is no test.
const RUNNER = new RegExp(
  String.raw`^(?:(?:time|npx|bunx|env|exec|run|dlx|command|timeout|uv|poetry|pipenv|python3?|pnpm|yarn|-[\w=./-]+|\d+[sm]?|\w+=\S*)\s+)*(?:` +
    String.raw`(?:npm|pnpm|yarn|bun|deno|make|just|cargo|go|mvn|gradle|\./gradlew|dotnet|swift|mix|rake|composer|zig|bazel)(?:\s+-[\w=./-]+)*\s+(?:run\s+)?(?:t|test\S*|check|verify|lint\S*|typecheck|type-check|nextest)(?:\s|$)` +
    String.raw`|node\s+--test\b|(?:pytest|unittest|vitest|jest|mocha|ava|rspec|phpunit|ctest|bats|tox|nox|prove|tsc|eslint|ruff|mypy|playwright)(?:\s|$)` +
    ')',
);
/** A cheap look before the line is taken apart: most commands check nothing. */
const MAY_CHECK = /test|check|verify|lint|jest|mocha|ava|rspec|phpunit|bats|tox|nox|prove|tsc|ruff|mypy|playwright| t(?:\s|$)/;
const NO_TESTS = /\b(?:lint\S*|eslint|ruff|mypy|tsc|typecheck|type-check)\b/;

export interface Check {
  /** The simple command without its redirections: two spellings of one check have the same. */
  key: string;
  /** It runs tests, not only lint or types. */
  tests: boolean;
  /** The exit status of the line is the check's, or would not be 0 if the check had failed. */
  own: boolean;
  /** Nothing else in the line can have failed in its stead. */
  alone: boolean;
}

const NONE: readonly Check[] = [];
/** A line is asked for when it runs, when it ends, and when that puts a failure right: mostly one after the other. */
let last: { line: string; checks: readonly Check[] } = { line: '', checks: NONE };

/** The checks (tests, lint, types) that `line` runs. */
export function checksOf(line: string): readonly Check[] {
  if (last.line !== line) last = { line, checks: MAY_CHECK.test(head(line, LOOK)) ? checksIn(line) : NONE };
  return last.checks;
}

function checksIn(line: string): Check[] {
  const parts = simpleCommands(line);
  const pipefail = parts.some(({ text }) => /^set\s.*\bpipefail\b|\bPIPESTATUS\b|\bpipestatus\b/.test(text));
  const stops = parts.some(({ text }) => /^set\s+-[a-z]*e/.test(text));
  return parts.flatMap(({ text }, at): Check[] => {
    const said = head(text, 1_000);
    if (!RUNNER.test(said)) return [];
    const key = said.replace(/^(?:(?:time|command|env|timeout(?:\s+-\S+)*\s+\S+|\w+=\S*)\s+)+/, '').replace(/\s\d*(?:&>>?|>>?&?|<)\s*\S+/g, '').replace(/(?<![\s)}])[\s)}]+$/, '').replace(/\s+/g, ' ');
    const exits = parts.slice(at + 1).some((later) => /^exit\b/.test(later.text));
    const own = exits || parts.slice(at, -1).every(({ then }) => then === '&&' || (then === '|' && pipefail) || (then === ';' && stops));
    const alone = own && parts.every((one, other) => other === at || /^(?:cd|export|set|source|echo|exit|true|:)\b|^\w+=\S*$/.test(one.text) || (pipefail && other > at));
    return [{ key, tests: !NO_TESTS.test(key), own: own && parts.at(-1)?.then !== '&', alone }];
  });
}

// The words in which runners count: node, jest and vitest, mocha, pytest, cargo, go, TAP, ESLint.
const FAILED = /^\W{0,4}fail [1-9]|\b[1-9]\d{0,6} (?:\w{1,12} )?(?:failed|failing|failures?\b|errors?\b)|^[ \t]*not ok \d|^[ \t]*(?:FAIL|FAILED)\b|^--- FAIL|\bresult: FAILED|\bFAILED \(|npm (?:ERR!|error)|error TS\d/m;
const PASSED = /^\W{0,4}fail 0\b|\b[1-9]\d{0,6} (?:tests? )?(?:passed|passing)\b|^[ \t]*ok \d|^ok\s|^PASS\b|\bresult: ok\b|^OK \(|\b0 (?:failed|failures|errors|problems)\b/m;
const OUTPUT = 16_384;
/** What a line holds wherever FAILED or PASSED match in it; these words are found ten times as fast. */
const MAY_FAIL = /fail|FAIL|error|ERR!|not ok/g;
const MAY_PASS = /fail|pass|PASS|ok|OK|error|problems/g;

/** How a check ended by what it printed, where that tells. */
export function saidBy(output: string): 'passed' | 'failed' | undefined {
  const end = tail(output, OUTPUT);
  // Some clients wrote what was printed as a string of JSON.
  const looked = output.startsWith('{"output":"') ? end.replaceAll('\\n', '\n').replace('{"output":"', '\n') : end;
  return someLine(looked, MAY_FAIL, FAILED) ? 'failed' : someLine(looked, MAY_PASS, PASSED) ? 'passed' : undefined;
}

/** Whether `sign` matches one of the lines, its end included, in which `hint` finds something. */
function someLine(text: string, hint: RegExp, sign: RegExp): boolean {
  hint.lastIndex = 0;
  for (let hit = hint.exec(text); hit !== null; hit = hint.exec(text)) {
    const end = text.indexOf('\n', hit.index);
    hint.lastIndex = end < 0 ? text.length : end + 1;
    if (sign.test(text.slice(text.lastIndexOf('\n', hit.index) + 1, hint.lastIndex))) return true;
  }
  return false;
}

const CHANGES = /^(?:sudo\s+)?(?:(?:rm|mv|cp|tee|touch|patch|truncate|ln|install|rsync|unzip|dd)\s|sed\s(?:.*\s)?-(?:[a-zA-Z]*i|-in-place)|perl\s(?:.*\s)?-\w*i|tar\s+-?\w*x|git\s+(?:-[Cc]\s+[^\s-]\S*\s+|-\S+\s+)*(?:checkout|restore|reset|stash|apply|am|merge|rebase|pull|clean|revert|cherry-pick|rm|mv|switch)\b|(?:npm|pnpm|yarn)\s+(?:i|install|add|remove|uninstall|update)\b|.*\s--(?:fix|write)\b)/;
const REDIRECT = /(?:^|[^<>&\d-])(?:[12]?>>?\|?|&>>?)\s*(?!&|\/dev\/|\/tmp\/)[\w./~$"'-]/;

/** Whether the line runs something that changes files by itself: rm, mv, `sed -i`, `git checkout`, a redirection into a file. */
export function mayChangeFiles(line: string): boolean {
  return simpleCommands(line).some(({ text }) => {
    const said = head(text, 1_000);
    return CHANGES.test(said) || REDIRECT.test(said.replace(/"(?:[^"\\]|\\[^])*"|'[^']*'/g, "''"));
  });
}
