/**
 * The layout of the site with a page put into it. Of the template language only what docs/_layouts/default.html uses is
 * understood, and anything else is an error: `{{ value | filter: argument }}`, if/else, for, assign, comment.
 */
import { escapeHtml } from './markdown.ts';

type Scope = Record<string, unknown>;

export function fill(template: string, scope: Scope): string {
  const parts = template.split(/(\{%[^]*?%\}|\{\{[^]*?\}\})/);
  const { html } = walk(parts, 0, { ...scope }, true);
  return html.replace(/\n{2,}/g, '\n');
}

/** Renders from `at` to the tag that ends the block, and says where that is. */
function walk(parts: readonly string[], at: number, scope: Scope, on: boolean): { html: string; at: number; tag: string } {
  let html = '';
  for (; at < parts.length; at++) {
    const part = parts[at] ?? '';
    const tag = /^\{%-?\s*([^]*?)\s*-?%\}$/.exec(part)?.[1];
    if (tag === undefined) {
      const value = /^\{\{\s*([^]*?)\s*\}\}$/.exec(part)?.[1];
      if (on) html += value === undefined ? part : String(evaluate(value, scope) ?? '');
      continue;
    }
    const [word = ''] = tag.split(' ');
    if (['endif', 'else', 'endfor', 'endcomment'].includes(word)) return { html, at, tag: word };
    if (word === 'assign') {
      const [, name = '', value = ''] = /^assign (\w+) = ([^]+)$/.exec(tag) ?? [];
      if (on) scope[name] = evaluate(value, scope);
    } else if (word === 'comment') {
      at = walk(parts, at + 1, scope, false).at;
    } else if (word === 'if') {
      const [, left = '', right = ''] = /^if (.+) == (.+)$/.exec(tag) ?? [];
      const holds = evaluate(left, scope) === evaluate(right, scope);
      const first = walk(parts, at + 1, scope, on && holds);
      const second = first.tag === 'else' ? walk(parts, first.at + 1, scope, on && !holds) : first;
      html += on ? (holds ? first.html : second === first ? '' : second.html) : '';
      at = second.at;
    } else if (word === 'for') {
      const [, name = '', list = ''] = /^for (\w+) in (.+)$/.exec(tag) ?? [];
      const items = (evaluate(list, scope) ?? []) as unknown[];
      let end = at;
      for (const item of items.length === 0 ? [undefined] : items) {
        const once = walk(parts, at + 1, Object.assign(scope, { [name]: item }), on && items.length > 0);
        html += once.html;
        end = once.at;
      }
      at = end;
    } else {
      throw new Error(`the layout has a tag that this renderer does not know: ${tag}`);
    }
  }
  return { html, at, tag: '' };
}

function evaluate(expression: string, scope: Scope): unknown {
  const [first = '', ...filters] = expression.match(/(?:"[^"]*"|'[^']*'|[^|"'])+/g) ?? [];
  return filters.reduce((value: unknown, filter) => {
    const [, name = '', rest = ''] = /^\s*(\w+)\s*:?\s*([^]*)$/.exec(filter) ?? [];
    const [one, two] = (rest.match(/"[^"]*"|'[^']*'|[^\s,]+/g) ?? []).map((word) => String(valueOf(word, scope) ?? ''));
    const text = String(value ?? '');
    if (name === 'escape') return escapeHtml(text);
    if (name === 'append') return text + (one ?? '');
    if (name === 'prepend') return (one ?? '') + text;
    if (name === 'replace') return text.replaceAll(one ?? '', two ?? '');
    if (name === 'relative_url') return `${String(valueOf('site.baseurl', scope) ?? '')}${text}`;
    throw new Error(`the layout has a filter that this renderer does not know: ${name}`);
  }, valueOf(first.trim(), scope));
}

function valueOf(word: string, scope: Scope): unknown {
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(word);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  return word.split('.').reduce<unknown>((value, key) => (value as Scope | undefined)?.[key], scope);
}
