/** The documents and the help texts call each thing by one name, and name only verbs and flags that exist. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../../src/commands/umbrella.mts';
import type { Command } from '../../src/lib/cli/command.mts';
import { documents, prose, read, spans } from '../helpers/markdown.ts';
import { REPOSITORY } from '../helpers/run.ts';

/** How a term is not written, and how it is. */
const WRONG: readonly [RegExp, string][] = [
  [/\bhand-offs?\b|\b(?:a|an|the|this|that|each|every|one|another|its|your|of) hand offs?\b/gi, 'handoff'],
  [/\btime[- ]lines?\b/gi, 'timeline'],
  [/\bwork[- ]flows?\b/gi, 'workflow'],
  [/\bwater[- ]marks?\b/gi, 'watermark'],
  [/\bsub ?agents?\b/gi, 'sub-agent'],
  [/\bfront-?matter\b/gi, 'front matter'],
  [/\bdata[- ]bases?\b/gi, 'database'],
  [/\bfilenames?\b/gi, 'file name, or the file\'s name'],
  [/\bmeta[- ]data\b/gi, 'metadata'],
  [/\bcheck[- ]sums?\b/gi, 'hash'],
  [/\bhash-chains?\b/gi, 'hash chain'],
  [/\btool-calls?\b/gi, 'tool call'],
  [/\bgit ?ignored? file\b/gi, 'a file that git ignores'],
  [/\bcolors?\b|\bbehaviors?\b/gi, 'British spelling'],
  [/\bGithub\b|\bgithub\b(?!\.)/g, 'GitHub'],
  [/\bJavascript\b|\bTypescript\b/g, 'JavaScript, TypeScript'],
  [/\bNodeJS\b|\bnode\.js\b|\bnodejs\b/g, 'Node.js'],
  [/\bClaude code\b|\bClaude-Code\b/g, 'Claude Code'],
  [/\bOpen Code\b|\bOpencode\b/g, 'OpenCode'],
  [/\bAgents-handoff\b|\bagents handoff\b/gi, 'agents-handoff'],
];

function misspelled(text: string): string[] {
  return WRONG.flatMap(([pattern, right]) => [...text.matchAll(pattern)].filter(([word]) => word !== 'agents-handoff').map(([word]) => `${word}: ${right}`));
}

const programs = program.groups ?? [];
const verbs = programs.flatMap((one) => one.verbs.map((verb) => ({ program: one, verb, words: [...(one.prefix === undefined ? [] : [one.prefix]), verb.name] })));
const commands = new Map<string, Command>();
for (const { verb, words } of verbs) if (!commands.has(words.join(' '))) commands.set(words.join(' '), await verb.load());

describe('the terms of the project', () => {
  it.each(documents())('are spelled in one way in %s', (document) => {
    // A link's target is no prose.
    expect(misspelled(prose(read(document)).replace(/\]\([^)]*\)/g, ']'))).toEqual([]);
  });

  it('are spelled in one way in the help texts', () => {
    const texts = [...commands.values()].flatMap(({ summary, details = '', flags, exits }) => [summary, details, ...Object.values(flags).map((flag) => flag.summary), ...Object.values(exits)]);
    expect(texts.length).toBeGreaterThan(50);
    expect(misspelled(texts.join('\n'))).toEqual([]);
  });
});

/** Where a command begins: a line of a block, a span, or what follows a sign that ends another command. */
const BEGIN = /(?:^|[;|&]\s*|\$\(\s*|run: )\s*(?:\$ )?(?:npx (?:-\S+ )*)?(?:node "?[^\s"]*tools\/(?:cli|handoff|agents-handoff)\.mjs"?|agents-handoff(?:@\S+)?|handoff) ([a-z][\w-]*)([^;|&)]*)/g;

/** The verbs in the code of a document, with the flags behind each. Blocks marked as output or text are no commands. */
function called(text: string): { verb: string; flags: string[] }[] {
  const blocks = [...text.matchAll(/^(`{3,})(\w*)[^\n]*\n([^]*?)^\1[ \t]*$/gm)].filter(([, , language]) => language !== 'text' && language !== 'markdown').flatMap(([, , , body = '']) => body.replace(/\\\n/g, ' ').split('\n'));
  return [...blocks, ...spans(text)].flatMap((line) => [...line.matchAll(BEGIN)]).map(([, first = '', rest = '']) => ({
    verb: first === 'capabilities' ? `capabilities ${rest.trim().split(' ')[0]}` : first,
    flags: [...rest.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/ (--[a-z][\w-]*)/g)].map(([, flag = '']) => flag),
  }));
}

describe('the commands in the documents', () => {
  it.each(documents())('of %s have verbs and flags that exist', (document) => {
    const wrong = called(read(document)).flatMap(({ verb, flags }) => {
      const command = commands.get(verb);
      if (command === undefined) return [`no verb ${verb}`];
      const known = ['--json', '--help', ...Object.keys(command.flags).map((name) => `--${name}`)];
      return flags.filter((flag) => !known.includes(flag)).map((flag) => `${verb} has no ${flag}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are found at all', () => {
    expect(documents().flatMap((document) => called(read(document))).length).toBeGreaterThan(80);
    expect(called('`handoff show 3b6f --turns 13` and ```\n').map(({ verb, flags }) => [verb, ...flags])).toEqual([['show', '--turns']]);
  });
});

describe('docs/TROUBLESHOOTING.md', () => {
  const text = read('docs/TROUBLESHOOTING.md');

  it('quotes only words that the program says', () => {
    const sources = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mts')).map((name) => read(`src/${name}`)).join('\n');
    // The first cells of its tables, and the sentences in code that are no commands.
    const quoted = spans(text).filter((span) => span.includes(' ') && !/^(?:agents-)?handoff |^--|^RESULT:|^"/.test(span));
    expect(quoted.length).toBeGreaterThan(25);
    const unsaid = quoted.flatMap((span) => span.split('…')).map((piece) => piece.trim()).filter((piece) => piece.length > 2 && !sources.includes(piece));
    expect(unsaid).toEqual([]);
  });

  it('has a part for every exit code that a command can give', () => {
    const codes = new Set([...commands.values()].flatMap(({ exits }) => Object.keys(exits).map(Number)).filter((code) => code > 0 && code < 128));
    const parts = [...text.matchAll(/^## Exit (\d+)/gm)].map(([, code]) => Number(code));
    expect([...codes].sort((a, b) => a - b).filter((code) => !parts.includes(code))).toEqual([]);
  });
});
