/**
 * The plan of the house (docs/ARCHITECTURE.md), held over every source file: which folder may import which, who may
 * touch the process, other processes and the network, how long a file may be, and that nothing lies there unused.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/run.ts';
import { codeOf, sourceFiles, type SourceFile } from '../helpers/sources.ts';

const files = sourceFiles();
const known = new Map(files.map((file) => [file.name, file]));

/** Imports go from a row to the rows below it. Folders of one row do not import each other. */
const FLOORS = [['entry'], ['commands'], ['runtime', 'execution', 'capability', 'install'], ['capture'], ['render', 'store'], ['transcript'], ['lib']];
/** Files that start a program. */
const isEntry = (name: string): boolean => !name.includes('/') || name === 'install/install.mts';
const folderOf = (name: string): string => (isEntry(name) ? 'entry' : name.split('/')[0] ?? '');
const floorOf = (name: string): number => FLOORS.findIndex((floor) => floor.includes(folderOf(name)));

/** An older path to a program: it may import the entry that it stands for. */
const FORWARDS: Record<string, string> = { 'agent-handoff.mts': 'agents-handoff.mts' };

/** Files with more lines than others may have, each with the reason. */
const LONG: Record<string, string> = {};
const MOST_LINES = 300;

/** Where a process may be ended by force, and why no output is lost there. */
const ENDS: Record<string, string> = {
  'lib/cli/runner.mts': 'a crash outside every command: its report was written and waited for',
  'lib/cli/signals.mts': 'a signal: the undos have run, and whoever sent it wants no more output',
};

const NETWORK = /^node:(?:https?|http2|net|tls|dgram|dns)(?:\/|$)/;

/** `file: what` for every file in which `pattern` stands and that `allowed` does not allow. */
function offenders(pattern: RegExp, allowed: (name: string) => boolean): string[] {
  return files.filter(({ name }) => !allowed(name)).flatMap(({ name, code }) => [...code.matchAll(pattern)].map((match) => `${name}: ${match[0].trim()}`));
}

function importers(pattern: RegExp, allowed: (name: string) => boolean): string[] {
  return files.filter(({ name }) => !allowed(name)).flatMap(({ name, imports }) => imports.filter(({ to }) => pattern.test(to)).map(({ to }) => `${name}: ${to}`));
}

describe('imports', () => {
  it('every source lies in a folder of the plan', () => {
    expect(files.filter(({ name }) => floorOf(name) < 0).map(({ name }) => name)).toEqual([]);
  });

  it('go downward only, and not between folders of one floor', () => {
    const wrong = files.flatMap((file) => file.imports.filter(({ to }) => known.has(to)).filter(({ to }) => {
      if (folderOf(file.name) === folderOf(to)) return folderOf(to) === 'entry' && FORWARDS[file.name] !== to;
      return floorOf(to) <= floorOf(file.name);
    }).map(({ to }) => `${file.name} -> ${to}`));
    expect(wrong).toEqual([]);
  });

  it('name nothing but own files and modules of Node', () => {
    expect(files.flatMap(({ name, imports }) => imports.filter(({ to }) => !known.has(to) && !to.startsWith('node:')).map(({ to }) => `${name}: ${to}`))).toEqual([]);
  });

  it('form no circle that is there when the program runs', () => {
    expect(circles()).toEqual([]);
  });

  it('reach every file from an entry', () => {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      for (const { to } of known.get(name)?.imports ?? []) visit(to);
    };
    for (const { name } of files) if (isEntry(name)) visit(name);
    expect(files.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
  });
});

describe('what is exported', () => {
  it('is used by another file: what a command loads by name, by the product or by a test', () => {
    const tests = readdirSync(join(REPOSITORY, 'tests'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join(REPOSITORY, 'tests', name), 'utf8')).join('\n');
    const unused = files.flatMap(({ name, code }) => [...code.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(([, value = '']) => ({ name, value })))
      .filter(({ name, value }) => {
        const word = new RegExp(`\\b${value}\\b`);
        return !word.test(tests) && !files.some((other) => other.name !== name && word.test(other.code));
      });
    expect(unused.map(({ name, value }) => `${name}: ${value}`)).toEqual([]);
  });
});

describe('what only some may touch', () => {
  it('the process: the runner, and the lock that looks at its holder', () => {
    const allowed = (name: string): boolean => name.startsWith('lib/cli/') || name === 'lib/fs/holder.mts';
    expect(importers(/^(?:node:)?process$/, allowed)).toEqual([]);
    expect(offenders(/(?<![\w$.])process\s*[.[?(,;)].{0,20}/g, allowed)).toEqual([]);
    // WebAssembly has no types without those of a browser, so it is reached through the global object.
    expect(offenders(/\bglobalThis\b(?! as \{ WebAssembly\?).{0,20}/g, allowed)).toEqual([]);
  });

  it('standard output: the runner, and the sentence for a Node that is too old', () => {
    expect(offenders(/\bconsole\s*\..{0,20}/g, (name) => name === 'lib/cli/start.mts')).toEqual([]);
  });

  it('other processes: execution, dispatch, probes, the lock, and the question to npm', () => {
    const allowed = (name: string): boolean => ['lib/child.mts', 'lib/fs/holder.mts', 'lib/git.mts', 'install/npm.mts', 'install/smoke.mts', 'runtime/dispatch.mts'].includes(name);
    expect(importers(/^node:(?:child_process|cluster)$/, allowed)).toEqual([]);
  });

  it('threads: the renders of a long transcript', () => {
    expect(importers(/^node:worker_threads$/, (name) => name.startsWith('capture/renders/'))).toEqual([]);
  });

  it('the network: the installer', () => {
    expect(importers(NETWORK, (name) => name === 'install/download.mts')).toEqual([]);
    const allowed = (name: string): boolean => name.startsWith('install/');
    expect(offenders(/(?<![\w$.])(?:fetch\s*\(|new\s+(?:WebSocket|EventSource)\b).{0,20}/g, allowed)).toEqual([]);
  });

  it('text that is run as a program: nobody', () => {
    expect(offenders(/(?<![\w$.])(?:eval\s*\(|new\s+Function\b).{0,20}/g, () => false)).toEqual([]);
  });

  it('the end of the process: only where no output can be lost', () => {
    const ends = files.filter(({ code }) => /\bprocess\s*\.\s*(?:exit|abort|kill|reallyExit)\s*\(/.test(code)).map(({ name }) => name);
    expect(ends).toEqual(Object.keys(ENDS));
  });
});

describe('the size of things', () => {
  it(`no file has ${MOST_LINES} lines or more, but for those with a reason`, () => {
    expect(files.filter(({ lines }) => lines >= MOST_LINES).map(({ name }) => name)).toEqual(Object.keys(LONG));
  });

  it('half of the files are short', () => {
    const sizes = files.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sizes[sizes.length >> 1]).toBeLessThanOrEqual(120);
  });

  it('no package is needed to run, and four to develop', () => {
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as Record<string, Record<string, string> | undefined>;
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies']) expect(Object.keys(manifest[kind] ?? {}), kind).toEqual([]);
    expect(Object.keys(manifest['devDependencies'] ?? {}).sort()).toEqual(['@types/node', 'tsx', 'typescript', 'vitest']);
  });
});

describe('the reading of sources that these tests rest on', () => {
  it('takes comments, strings, templates and expressions out, and leaves the code inside templates', () => {
    const code = codeOf('a(\'process.x\'); // process.y\n/* process.z */ b(`process.w ${process.v + `${u}process.t`} process.s`)');
    expect(code.match(/process\.\w/g)).toEqual(['process.v']);
    expect(code).toMatch(/^a\(''\); \n b\( process\.v \+ +u +\)$/);
  });

  it('is not led astray by a quote in a regular expression', () => {
    expect(codeOf('x.replace(/[\'"/`]/g, y); z(process.exit)')).toContain('z(process.exit)');
  });
});

/** Circles among imports that are not of types only and not made later by `import()`. */
function circles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: SourceFile, trail: readonly string[]): void => {
    const at = trail.indexOf(file.name);
    if (at >= 0) {
      found.push([...trail.slice(at), file.name].join(' -> '));
      return;
    }
    if (done.has(file.name)) return;
    for (const { to, type, dynamic } of file.imports) {
      const target = known.get(to);
      if (!type && !dynamic && target !== undefined) visit(target, [...trail, file.name]);
    }
    done.add(file.name);
  };
  for (const file of files) visit(file, []);
  return found;
}
