/** HANDOFF.md as a reader sees it: its own headings, rows and fences, with the escapes of quoted text taken back. */

export interface BriefSection {
  heading: string;
  /** Cells of its table, unescaped, without the head. */
  rows: string[][];
  /** What stands in its first fence. */
  fence: string | undefined;
  /** Lines outside tables and fences, unescaped. */
  lines: string[];
}

/** Takes a brief apart as Markdown does. Headings without their signs; the title's section comes first. */
export function readBrief(text: string): BriefSection[] {
  const found: BriefSection[] = [];
  let fence: string | undefined;
  let body: string[] = [];
  for (const line of text.split('\n')) {
    const now = found.at(-1);
    if (fence !== undefined) {
      if (line !== fence) body.push(line);
      else {
        if (now !== undefined) now.fence ??= body.join('\n');
        fence = undefined;
      }
      continue;
    }
    const opened = /^(`{3,})[a-z]*$/.exec(line)?.[1];
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (opened !== undefined) {
      fence = opened;
      body = [];
    } else if (heading !== undefined) found.push({ heading, rows: [], fence: undefined, lines: [] });
    else if (line.startsWith('|')) now?.rows.push(cells(line));
    else if (line !== '') now?.lines.push(plain(line));
  }
  for (const one of found) one.rows = one.rows.slice(2);
  return found;
}

/** The section whose heading begins with `name`. Throws where there is none. */
export function sectionOf(sections: readonly BriefSection[], name: string): BriefSection {
  const found = sections.filter(({ heading }) => heading.startsWith(name));
  if (found.length !== 1) throw new Error(`${found.length} sections are called ${name}`);
  return found[0] as BriefSection;
}

function cells(line: string): string[] {
  return line.slice(2, -2).split(/(?<=(?:^|[^\\])(?:\\\\)*) \| /).map(plain);
}

/** The text that `inline` made safe, as it was; a cut one without its mark. */
export function plain(cell: string): string {
  return cell.replace(/\\([\\|`<>#[\]!(-])/g, '$1').replaceAll('&lt;', '<').replaceAll('&amp;', '&').replace(/…$/, '').trim();
}

/** The first `max` units of a text with its blanks folded, as a cell shows it. */
export function folded(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max).trim();
}
