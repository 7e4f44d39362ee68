import { expect, it } from 'vitest';
import { fenced, head, inline, shown, tail } from '../../../src/render/text.mts';
import { isGreeting, isClientCommand, isSteering } from '../../../src/render/prompts.mts';
import { checksOf } from '../../../src/render/checks.mts';

it('a cut never halves a character, from either end', () => {
  const text = 'a\u{1f6d2}b';
  expect([0, 1, 2, 3, 4, 5].map((max) => head(text, max))).toEqual(['', 'a', 'a', 'a\u{1f6d2}', text, text]);
  expect([0, 1, 2, 3, 4].map((max) => tail(text, max))).toEqual(['', 'b', 'b', '\u{1f6d2}b', text]);
});

it('control and bidi characters are shown, not obeyed; line feeds and tabs stay', () => {
  expect(shown('a\x1b[2J\0\tb\r\nc\rd\u202e\u2028')).toBe('a\\x1b[2J\\x00\tb\nc\\x0dd<U+202E><U+2028>');
  expect(shown('\ud83d')).toBe('\ufffd');
});

it('a fence is longer than any run of backticks inside', () => {
  expect(fenced('x')).toBe('```text\nx\n```');
  expect(fenced('a ````` b')).toBe('``````text\na ````` b\n``````');
});

it.each([
  ['a|b', 'a\\|b'], ['a\\|b', 'a\\\\\\|b'], ['C:\\dir\\x', 'C:\\dir\\x'], ['end\\', 'end\\\\'], ['`x`', '\\`x\\`'], ['a\n\n b', 'a b'], ['<b>2 < 3', '&lt;b>2 < 3'], ['# x', '\\# x'],
  ['a && b &lt; c', 'a && b &amp;lt; c'], ['-->', '--\\>'], ['[a](b)', '[a]\\(b)'], ['\x1b\u202e', '\\x1b<U+202E>'],
])('%j stands in a cell as %j', (text, cell) => {
  expect(inline(text, 100)).toBe(cell);
});

it('a cell shows that it was cut', () => {
  expect(inline('x'.repeat(11), 10)).toBe(`${'x'.repeat(10)}…`);
  expect(inline('x'.repeat(10), 10)).toBe('x'.repeat(10));
  expect(inline(`${' '.repeat(500)}x`, 10)).toBe('x');
});

it.each(['hi', 'Hello!', 'thanks 🙏', 'good morning, Claude', 'hello again', '你好', ''])('%j is a greeting', (text) => expect(isGreeting(text)).toBe(true));
it.each(['hi, fix the parser', 'Fix it', 'hello world program in C', 'Once more'])('%j is no greeting', (text) => expect(isGreeting(text)).toBe(false));
it.each(['/clear', '/review src/a.js', '!git status', '/mcp__x:y z'])('%j is a client command', (text) => expect(isClientCommand(text)).toBe(true));
it.each(['/home/x is full', 'a /clear', '!!! help', '/* fix this comment */'])('%j is no client command', (text) => expect(isClientCommand(text)).toBe(false));
it.each(['no, do Y', 'Stop', "don't touch docs", 'Use B instead', 'wait'])('%j steers', (text) => expect(isSteering(text)).toBe(true));
it.each(['now add docs', 'note the stop sign', 'nothing else'])('%j does not steer', (text) => expect(isSteering(text)).toBe(false));
it.each(['npm test', 'cd x && npm run test:unit', 'cargo test --all', 'npx vitest run', 'python -m pytest -q', 'CI=1 pytest', 'go test ./...', './gradlew check', 'npm t', 'make -j4 test'])('%j is a check', (command) => expect(checksOf(command)).toHaveLength(1));
it.each(['cat test/a.js', 'ls src test', 'git commit -m "npm test fixed"', 'echo testing', 'grep -rn pytest .'])('%j is no check', (command) => expect(checksOf(command)).toEqual([]));
