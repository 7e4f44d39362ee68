/**
 * Tells an exported session, and whose it is. Kilo is a fork of OpenCode and writes the same document; its version goes
 * on from that of its editor extension, and its agents and permissions have names of their own.
 */
const EXPORT = /^\s*\{\s*"info"\s*:\s*\{/;
const SESSION_ID = /"id"\s*:\s*"ses_[\w-]+"/;
/** The session's own record stands first and is short. */
const INFO = 8192;
const FIRST_OF_KILO = 4;

export function isExport(head: string): boolean {
  const start = head.slice(0, INFO);
  return EXPORT.test(start) && SESSION_ID.test(start);
}

export function isFromKilo(head: string): boolean {
  const end = head.indexOf('"messages"');
  const info = head.slice(0, end < 0 ? INFO : Math.min(end, INFO));
  const version = /"version"\s*:\s*"(\d{1,4})\./.exec(info)?.[1];
  return Number(version ?? 0) >= FIRST_OF_KILO || /"agent"\s*:\s*"code"/.test(info) || /"permission"\s*:\s*"suggest"/.test(info);
}
