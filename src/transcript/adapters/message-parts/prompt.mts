/**
 * What was typed behind `run`: the client puts quotes around an argument that has a blank in it and a backslash before
 * the quotes inside, and older ones add a line end.
 */
export function unquoted(text: string): string {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (body.length < 3 || !body.startsWith('"') || !body.endsWith('"')) return text;
  const inner = body.slice(1, -1);
  // A quote that stands free inside belongs to several arguments: those are left as they were joined.
  if (!inner.includes(' ') || /(?:^|[^\\])"/.test(inner)) return text;
  return inner.replaceAll('\\"', '"');
}
