/** Globs for `capture.exclude_patterns`. Matched without regular expressions: a pattern comes from a file in a repository. */

/** The longest target that is looked at; paths and commands are shorter, a heredoc is cut. */
const TARGET_LIMIT = 4_096;

/**
 * Whether `pattern` matches `target`, or its end from any `/` on. `*` matches within a path's part, `**` across parts,
 * `?` one character. A pattern that begins with `/` or `**` is matched as it stands.
 */
export function globMatches(pattern: string, target: string): boolean {
  const subject = target.slice(0, TARGET_LIMIT).replaceAll('\\', '/');
  const tokens = tokensOf(pattern.replaceAll('\\', '/'));
  return matches(pattern.startsWith('/') || pattern.startsWith('**') ? tokens : ['**/', ...tokens], subject);
}

function tokensOf(pattern: string): string[] {
  return pattern.match(/\*\*\/|\*\*|\*|\?|[^*?]/g) ?? [];
}

/** All places of the pattern that are reachable are followed at once: the work is pattern × target, whatever they are. */
function matches(tokens: readonly string[], subject: string): boolean {
  let places = skip(tokens, new Set([0]), true);
  for (let at = 0; at < subject.length; at++) {
    const character = subject[at] ?? '';
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (token === '**' || token === '**/') next.add(place);
      if (token === '*' && character !== '/') next.add(place);
      if ((token === '?' && character !== '/') || token === character) next.add(place + 1);
    }
    places = skip(tokens, next, character === '/');
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

/** Stars may match nothing; a `**` with its slash may end only where a part of the path begins. */
function skip(tokens: readonly string[], places: Set<number>, atPart: boolean): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token === '*' || token === '**' || (token === '**/' && atPart)) places.add(place + 1);
  }
  return places;
}
