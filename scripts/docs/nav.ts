/** docs/_data/nav.yml: groups of pages. Only the part of YAML that the file uses is read; anything else is an error. */
export interface Group { title: string; pages: { title: string; file: string }[] }

export function navigation(text: string): Group[] {
  const groups: Group[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const group = /^- title: (.+)$/.exec(line)?.[1];
    const page = /^ {4}- title: (.+)$/.exec(line)?.[1];
    const file = /^ {6}file: (\S+)$/.exec(line)?.[1];
    const last = groups.at(-1);
    if (group !== undefined) groups.push({ title: group, pages: [] });
    else if (page !== undefined && last !== undefined) last.pages.push({ title: page, file: '' });
    else if (file !== undefined && last?.pages.at(-1)?.file === '') last.pages.at(-1)!.file = file;
    else if (!/^ {2}pages:$/.test(line)) throw new Error(`nav.yml, line ${at + 1}: not understood: ${line}`);
  }
  return groups;
}
