/**
 * Markdown to HTML, as far as the project's own documents go: headings, paragraphs, lists, tables, fenced code, quotes,
 * emphasis, code, links, pictures. For looking at the site on a desk; the site itself is built by GitHub Pages.
 */
export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

export function renderMarkdown(text: string): string {
  const lines = text.replace(/<!--[^]*?-->\n?/g, '').split('\n');
  const out: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = /^(`{3,})(\w*)/.exec(line);
    if (fence !== null) {
      const end = lines.indexOf(fence[1] ?? '', at + 1);
      out.push(`<pre><code>${escapeHtml(lines.slice(at + 1, end).join('\n'))}\n</code></pre>`);
      at = end + 1;
      continue;
    }
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (heading !== null) {
      const level = heading[1]?.length ?? 1;
      out.push(`<h${level} id="${anchorOf(heading[2] ?? '')}">${inline(heading[2] ?? '')}</h${level}>`);
      at++;
    } else if (line.trim() === '') {
      at++;
    } else {
      // A block ends at a blank line, and a fence or heading begins one of its own.
      const end = lines.findIndex((one, index) => index > at && (one.trim() === '' || /^(?:`{3,}|#{1,6} )/.test(one)));
      const to = end < 0 ? lines.length : end;
      out.push(block(lines.slice(at, to)));
      at = to;
    }
  }
  return out.join('\n');
}

/** As GitHub names headings. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
}

function block(lines: readonly string[]): string {
  const first = lines[0] ?? '';
  if (first.startsWith('|')) return tableOf(lines);
  if (first.startsWith('>')) return `<blockquote><p>${inline(lines.map((line) => line.replace(/^> ?/, '')).join('\n'))}</p></blockquote>`;
  const marker = /^(?:[-*]|\d+\.) /;
  if (marker.test(first)) return listOf(lines);
  // A list may follow a line of text without a blank one between.
  return `<p>${inline(lines.join('\n'))}</p>`;
}

function listOf(lines: readonly string[]): string {
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul';
  const items: string[][] = [];
  for (const line of lines) {
    const start = /^(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1];
    if (start !== undefined) items.push([start]);
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''));
  }
  const html = items.map((item) => {
    const inner = item.findIndex((line, index) => index > 0 && /^(?:[-*]|\d+\.) /.test(line));
    const text = inner < 0 ? item : item.slice(0, inner);
    return `<li>${inline(text.join('\n')).replace(/^\[ \] /, '<input type="checkbox" disabled> ')}${inner < 0 ? '' : listOf(item.slice(inner))}</li>`;
  });
  return `<${tag}>\n${html.join('\n')}\n</${tag}>`;
}

function tableOf(lines: readonly string[]): string {
  const cells = (line: string): string[] => line.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
  const [head = '', , ...rows] = lines;
  const row = (line: string, tag: string): string => `<tr>${cells(line).map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${rows.map((line) => row(line, 'td')).join('\n')}\n</tbody>\n</table>`;
}

function inline(text: string): string {
  const kept: string[] = [];
  const keep = (html: string): string => `\u0000${kept.push(html) - 1}\u0000`;
  const marked = text
    .replace(/(`+)([^]*?[^`])\1(?!`)/g, (_, _ticks: string, code: string) => keep(`<code>${escapeHtml(code)}</code>`))
    .replace(/\\([\\`*_{}[\]<>|#])/g, (_, sign: string) => keep(escapeHtml(sign)));
  return escapeHtml(marked)
    .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, alt: string, target: string) => keep(`<img alt="${alt}" src="${target}">`))
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => `${keep(`<a href="${target}">`)}${words}${keep('</a>')}`)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '<em>$1</em>')
    .replace(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? '')
    .replace(/\u0000(\d+)\u0000/g, (_, index: string) => kept[Number(index)] ?? '');
}
