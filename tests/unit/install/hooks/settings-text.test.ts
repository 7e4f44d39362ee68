import { describe, expect, it } from 'vitest';
import { entryFor, entryHash } from '../../../../src/install/hooks/entry.mts';
import { HOOKS } from '../../../../src/install/hooks/harnesses.mts';
import { placesIn, valueOf } from '../../../../src/install/hooks/json-places.mts';
import { withEntry, withoutEntry } from '../../../../src/install/hooks/settings-text.mts';
import { HandoffError } from '../../../../src/lib/errors.mts';
import { seeded } from '../../../helpers/build.ts';

const entry = entryFor('claude-code', '/home/u/.agents/skills/agents-handoff');
const { events } = HOOKS['claude-code'];
const hash = entryHash(entry);
const wire = (text: string | undefined): string => withEntry(text, events, entry);
const unwire = (text: string) => withoutEntry(text, events, entry.command, hash);

/** What a program that allows comments and spare commas reads, by other means than the product's. */
function read(text: string): any {
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\r\n]*|\/\*[^]*?\*\//g, (_, string: string | undefined) => string ?? ' ');
  return JSON.parse(bare.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? ''));
}

/** Whether `text` is `longer` with some characters left out: nothing of it was lost or moved. */
function isKeptIn(text: string, longer: string): boolean {
  let at = 0;
  for (let from = 0; from < longer.length; from++) if (longer[from] === text[at]) at += 1;
  return at === text.length;
}

const MINE = '{"type":"command","command":"my-hook"}';
/** Settings as people have them. What taking out gives back is what was there, to the byte. */
const SAMPLES: Record<string, string> = {
  'two spaces and a line end': '{\n  "model": "opus",\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n',
  'no line end at its end': '{\n  "model": "opus"\n}',
  tabs: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  'four spaces': '{\n    "a": 1\n}\n',
  'the line ends of Windows': '{\r\n  "a": 1,\r\n  "b": [\r\n    1\r\n  ]\r\n}\r\n',
  'one line': '{"a":1,"b":[1,2]}',
  'one line with blanks': '{ "a": 1, "b": [1, 2] }\n',
  'a spare comma': '{\n  "a": 1,\n}\n',
  'a spare comma on one line': '{"a": 1,}',
  'comments everywhere': '// mine\n{\n  // about a\n  "a": 1, // after a\n  /* b */ "b": /* one */ 2 // after b\n  // nothing more\n}\n// end\n',
  'a comment behind a spare comma': '{\n  "a": 1, /* kept */ // and this\n  // "b": 2,\n}\n',
  'a comment that looks like an end': '{\n  "a": "}", // }\n  "b": "// no comment" /* { */\n}\n',
  'hooks of another event': `{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n          ${MINE}\n        ]\n      }\n    ]\n  },\n  "z": null\n}\n`,
  'a hook of the same event': `{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [ ${MINE} ]\n      }\n    ]\n  }\n}\n`,
  'a hook on one line in a file of many': `{\n  "a": 1,\n  "hooks": {"Stop": [{"hooks": [${MINE}]}]}\n}\n`,
  'a hook and spare commas': `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [${MINE},], },\n    ],\n  },\n}\n`,
  'entries of shapes that nobody knows': '{\n  "hooks": {\n    "Stop": [\n      null,\n      "x",\n      { "hooks": {} },\n      { "hooks": [1, { "type": "prompt" }] }\n    ]\n  }\n}\n',
  'letters of all kinds': '{\n  "\u00fc\u{1f600}": "a\u2028b \\" \\\\ \\u0041",\n  "__proto__": 1\n}\n',
  'an opening bracket with the first key': '{ "a": 1,\n  "b": 2 }\n',
  'a closing bracket behind the last value': '{\n  "a": 1 }\n',
  'blank lines': '\n\n{\n\n  "a": 1\n\n}\n\n',
};

describe.each(Object.entries(SAMPLES))('settings with %s', (_, text) => {
  it('keep every byte, get the entry once under each event, and are the same again without it', () => {
    const wired = wire(text);
    expect(isKeptIn(text, wired)).toBe(true);
    const { hooks, ...rest } = read(wired);
    const { hooks: hooksBefore = {}, ...restBefore } = read(text);
    expect(rest).toEqual(restBefore);
    for (const [event, groups] of Object.entries(hooks)) {
      const before = hooksBefore[event] ?? [];
      expect(groups).toEqual(events.includes(event) ? [...before, { hooks: [entry] }] : before);
    }
    expect(Object.keys(hooks)).toEqual(expect.arrayContaining([...events, ...Object.keys(hooksBefore)]));
    expect(wire(wired)).toBe(wired);
    expect(unwire(wired)).toEqual({ text, removed: events.length, changed: 0 });
    expect(unwire(text)).toEqual({ text, removed: 0, changed: 0 });
  });

  it('look as before: the same line ends, the same indentation', () => {
    const wired = wire(text);
    expect(/(?<!\r)\n/.test(wired)).toBe(/(?<!\r)\n/.test(text));
    const indents = new Set([...wired.matchAll(/^[ \t]+/gm)].map(([blank]) => (blank.includes('\t') ? 'tab' : 'blank')));
    const before = new Set([...text.matchAll(/^[ \t]+/gm)].map(([blank]) => (blank.includes('\t') ? 'tab' : 'blank')));
    if (before.size > 0) expect(indents).toEqual(before);
    else expect(wired.split('\n').length).toBe(text.split('\n').length);
  });
});

describe('settings that hold nothing', () => {
  it.each([undefined, '', ' \n', '{}', '{}\n', '{ }', '{\n}\n', '{\n  // nothing yet\n}\n', '{"hooks":{}}', '{\n  "hooks": {}\n}\n', '{\n  "hooks": {\n    "Stop": []\n  }\n}\n', '{"hooks":{"Stop":[{"hooks":[]}]}}'])('get the entry: %j', (text) => {
    const wired = wire(text);
    expect(read(wired).hooks.Stop.at(-1)).toEqual({ hooks: [entry] });
    expect(isKeptIn((text ?? '').trim(), wired)).toBe(true);
    expect(wire(wired)).toBe(wired);
    expect(JSON.stringify(read(unwire(wired).text))).not.toContain('handoff');
  });

  it('are written as a person would write them', () => {
    expect(withEntry(undefined, ['Stop'], { type: 'command', command: 'x' })).toBe(
      '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "x"\n          }\n        ]\n      }\n    ]\n  }\n}\n',
    );
  });
});

it('a comment on the line of the last element stays with it', () => {
  for (const text of ['{\n  "a": 1 // about a\n}\n', '{\n  "a": 1, /* about */ // a\n}\n']) expect(wire(text)).toMatch(/a\n {2}"hooks"/);
});

describe('settings are refused that', () => {
  it.each([
    ['are no JSON', 'model: opus', /not JSON that can be read: a value is missing in line 1/],
    ['are cut off', '{\n  "a": 1,\n  "b": "x', /does not end in line 3/],
    ['miss a comma', '{\n  "a": 1\n  "b": 2\n}', /a comma or } is missing in line 3/],
    ['miss a value', '{"a": }', /a value is missing/],
    ['miss a colon', '{"a" 1}', /a colon is missing/],
    ['have a comma too many', '{"a": 1,,}', /a string is missing/],
    ['have a comma and nothing else', '[,]', /a value is missing/],
    ['have single quotes', "{'a': 1}", /a string is missing/],
    ['have two documents', '{} {}', /something stands behind the end/],
    ['have a comment without an end', '{ /* }', /a string is missing/],
    ['have a number of no kind', '{"a": 01}', /a value is missing/],
    ['have a line end in a string', '{"a": "x\ny"}', /does not end/],
    ['are nested without end', '['.repeat(5000), /nested too deeply/],
    ['are a list', '[]', /the settings are no object/],
    ['are a word', '"x"', /the settings are no object/],
    ['have hooks that are no object', '{"hooks": []}', /"hooks" are no object/],
    ['have hooks that are nothing', '{"hooks": null}', /"hooks" are no object/],
    ['have an event that is no list', '{"hooks": {"Stop": {}}}', /a "Stop" that is no list/],
    ['have hooks twice', '{"hooks": {}, "hooks": {}}', /the key "hooks" twice/],
    ['have an event twice', '{"hooks": {"Stop": [], "Stop": []}}', /the key "Stop" twice/],
  ])('%s', (_, text, said) => {
    expect(() => wire(text)).toThrow(said);
    expect(() => wire(text)).toThrow(HandoffError);
  });
});

describe('taking out', () => {
  const wired = wire('{\n  "a": 1\n}\n');

  it('leaves a hook of the user in the same group, before or behind ours', () => {
    const ours = JSON.stringify(entry);
    for (const list of [`${MINE}, ${ours}`, `${ours}, ${MINE}`, `${MINE}, ${ours}, ${MINE}`]) {
      const text = `{"hooks": {"Stop": [{"hooks": [${list}]}]}}`;
      const left = list.replace(`, ${ours}`, '').replace(`${ours}, `, '');
      expect(unwire(text)).toEqual({ text: `{"hooks": {"Stop": [{"hooks": [${left}]}]}}`, removed: 1, changed: 0 });
    }
  });

  it('leaves our command under an event that was not wired, and in a group that the user gave a matcher', () => {
    const text = `{"hooks":{"Notification":[{"hooks":[${JSON.stringify(entry)}]}],"Stop":[{"matcher":"x","hooks":[${JSON.stringify(entry)}]}]}}`;
    expect(unwire(text).text).toBe(`{"hooks":{"Notification":[{"hooks":[${JSON.stringify(entry)}]}],"Stop":[{"matcher":"x","hooks":[]}]}}`);
  });

  it('leaves an entry that was changed, and counts it', () => {
    const text = wired.replace('"timeout": 30', '"timeout": 60');
    const less = unwire(text);
    expect(less).toMatchObject({ removed: events.length - 1, changed: 1 });
    expect(read(less.text).hooks).toEqual({ [events[0]!]: [{ hooks: [{ ...entry, timeout: 60 }] }] });
  });

  it('takes one out that a program has written anew, in another layout', () => {
    for (const text of [JSON.stringify(JSON.parse(wired)), JSON.stringify(JSON.parse(wired), null, '\t')]) expect(read(unwire(text).text)).toEqual({ a: 1 });
  });

  it('leaves what was added around it since', () => {
    const text = wired.replace('"a": 1,', '"a": 1,\n  "b": 2, // new').replace(/\n}\n$/, ',\n  "c": 3\n}\n');
    expect(unwire(text).text).toBe('{\n  "a": 1,\n  "b": 2, // new\n  "c": 3\n}\n');
  });

  it('leaves a comment that stands in what it would take out', () => {
    const text = '{\n  "model": "x",\n  "hooks": {\n    // mine\n  }\n}\n';
    expect(unwire(wire(text)).text).toBe(text);
  });

  it('takes nothing out of settings of another shape', () => {
    for (const text of ['[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": [null, {"hooks": 1}]}}']) expect(unwire(text)).toEqual({ text, removed: 0, changed: 0 });
  });
});

describe('settings made at random', () => {
  it('are the same again, and what is in them is never lost', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const text = settingsOf(seeded(seed));
      const wired = wire(text);
      expect(isKeptIn(text, wired), `seed ${seed}`).toBe(true);
      expect(read(wired), `seed ${seed}`).toMatchObject(read(text).hooks === undefined ? read(text) : {});
      expect(valueOf(wired, placesIn(wired)), `seed ${seed}`).toEqual(read(wired));
      expect(unwire(wired), `seed ${seed}`).toEqual({ text, removed: events.length, changed: 0 });
    }
  });
});

/** An object that is not empty, in a layout of its own; its hooks, where it has some, are not empty either. */
function settingsOf(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const lineEnd = pick(['\n', '\r\n']);
  const many = random() < 0.7;
  const spare = random() < 0.3;
  const comment = (): string => (many && random() < 0.3 ? pick([' // "x": {', ' /* } */', '\t// \u00fc, ]']) : '');
  const unit = pick(['  ', '    ', '\t']);
  const wrap = (open: string, close: string, items: string[], depth: number): string => {
    const lines = many && random() < 0.9;
    const [before, end] = lines ? [lineEnd + unit.repeat(depth + 1), lineEnd + unit.repeat(depth)] : [pick(['', ' ']), ''];
    // A comment to the end of the line needs one.
    const behind = (): string => (lines ? comment() : '');
    return open + items.map((item, at) => `${before}${item}${at < items.length - 1 || spare ? ',' : ''}${behind()}`).join('') + end + close;
  };
  const value = (depth: number): string => {
    const kind = Math.floor(random() * (depth > 2 ? 4 : 6));
    if (kind === 4) return wrap('[', ']', [value(depth + 1), value(depth + 1)], depth);
    if (kind === 5) return wrap('{', '}', [`"k": ${value(depth + 1)}`], depth);
    return pick(['1', '"a, b"', 'null', '"}"', '-1.5e3', '"\\"//"']);
  };
  const group = (depth: number): string => wrap('{', '}', [`"hooks": ${wrap('[', ']', [MINE], depth + 1)}`], depth);
  const hooks = (): string => `"hooks": ${wrap('{', '}', [`"${pick(['Stop', 'SessionEnd', 'PreToolUse'])}": ${wrap('[', ']', [group(3)], 2)}`], 1)}`;
  const members = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => `"k${at}": ${value(1)}`);
  if (random() < 0.5) members.splice(Math.floor(random() * 3), 0, hooks());
  return comment() + (many ? lineEnd : '') + wrap('{', '}', members, 0) + pick(['', lineEnd]);
}
