import type { Node } from 'jsonc-parser';
import { memberOf, membersOf, parseJsonc } from './jsonc.ts';

/**
 * Sets the value at a path of names in JSON with comments, or removes the member when `value` is undefined. Every other
 * character of the text stays as it is: the library's own edits lay out the neighbours anew, or take their comments along.
 * Throws where the text cannot be read or something other than an object is on the way.
 */
export function setIn(text: string, path: readonly string[], value: unknown): string {
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error(`A text that cannot be read was to be changed: ${parsed.problem.message}`);
  let node = parsed.root;
  let parent: Node | undefined;
  for (const [depth, name] of path.entries()) {
    if (node.type !== 'object') throw new Error(`There is no object at ${path.slice(0, depth).join('.')} to set ${name} in.`);
    const next = memberOf(node, name);
    if (next) {
      parent = node;
      node = next;
      continue;
    }
    if (value === undefined) return text;
    const inner = path.slice(depth + 1).reduceRight<unknown>((content, key) => ({ [key]: content }), value);
    return insert(text, node, name, inner);
  }
  if (value === undefined) return parent ? remove(text, parent, node) : text;
  return text.slice(0, node.offset) + jsonOf(text, value, indentAt(text, node.offset)) + text.slice(node.offset + node.length);
}

/** As {@link setIn}, with JSON text of a person, which must have been read before. */
export function replaceText(text: string, node: Node, json: string): string {
  return (
    text.slice(0, node.offset) + indented(json.trim(), eolOf(text) + indentAt(text, node.offset)) + text.slice(node.offset + node.length)
  );
}

/** The text of a node without the indentation that its lines have in the file. */
export function textOf(text: string, node: Node): string {
  const own = text.slice(node.offset, node.offset + node.length);
  const indent = /\n([\t ]*)[}\]]$/.exec(own)?.[1] ?? '';
  return indent === '' ? own : own.replaceAll(`\n${indent}`, '\n');
}

/** Puts a member behind the last one, in the way the object is written already. */
function insert(text: string, object: Node, name: string, value: unknown): string {
  const eol = eolOf(text);
  const member = (indent: string): string => `${JSON.stringify(name)}: ${jsonOf(text, value, indent)}`;
  const last = membersOf(object).at(-1);
  if (!last) {
    const outer = indentAt(text, object.offset);
    const inner = outer + unitOf(text);
    const content = text.slice(object.offset + 1, object.offset + object.length - 1);
    const closing = content.trim() === '' ? eol + outer : content;
    return `${text.slice(0, object.offset + 1)}${eol}${inner}${member(inner)}${closing}${text.slice(object.offset + object.length - 1)}`;
  }
  const end = last.value.offset + last.value.length;
  const before = text.slice(lineStart(text, last.key.offset), last.key.offset);
  if (before.trim() !== '') return `${text.slice(0, end)}, ${member(indentAt(text, end))}${text.slice(end)}`;
  // A comma and a comment that close the line belong to the last member and stay with it.
  const [tail = '', comma = ''] = /^[\t ]*(,?)[\t ]*(?:\/\/[^\r\n]*|\/\*[^\r\n*]*\*\/)?[\t ]*(?=\r?\n)/.exec(text.slice(end)) ?? [];
  const kept = comma === '' ? tail : tail.replace(',', '');
  return `${text.slice(0, end)},${kept}${eol}${before}${member(before)}${comma}${text.slice(end + tail.length)}`;
}

/** Takes a member out with its line and its comma; comments above it stay. */
function remove(text: string, object: Node, value: Node): string {
  const members = membersOf(object);
  const index = members.findIndex((member) => member.value === value);
  const [previous, own, next] = [members[index - 1], members[index], members[index + 1]];
  if (!own) return text;
  const after = own.value.offset + own.value.length;
  const start = lineStart(text, own.key.offset);
  const rest = /^[\t ]*(,?)[\t ]*(?:\/\/[^\r\n]*|\/\*[^\r\n*]*\*\/)?[\t ]*\r?\n/.exec(text.slice(after));
  const hasLine = rest !== null && text.slice(start, own.key.offset).trim() === '';
  if (next)
    return hasLine
      ? text.slice(0, start) + text.slice(after + rest[0].length)
      : text.slice(0, own.key.offset) + text.slice(next.key.offset);

  const remainder = hasLine ? text.slice(after + rest[0].length) : text.slice(after).replace(/^\s*,/, '');
  const until = hasLine ? start : own.key.offset;
  if (!previous) return text.slice(0, until) + remainder;
  // Plain JSON ends without a comma; a file that had one behind the last member keeps its way.
  const end = previous.value.offset + previous.value.length;
  const between = text.slice(end, until);
  const kept = hasLine && rest[1] === ',' ? between : between.replace(/^((?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*),/, '$1');
  return text.slice(0, end) + (hasLine ? kept : kept.trimEnd()) + remainder;
}

const jsonOf = (text: string, value: unknown, indent: string): string =>
  indented(JSON.stringify(value, null, unitOf(text)), eolOf(text) + indent);
const indented = (json: string, lineBreak: string): string => json.replace(/\r?\n(?=[^\r\n])/g, lineBreak);
const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
const indentAt = (text: string, offset: number): string => /^[\t ]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
const unitOf = (text: string): string => /^([\t ]+)"/m.exec(text)?.[1] ?? '  ';
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
