/** `1 line`, `2 lines`: a number with its word; `many` where an s alone does not make it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
