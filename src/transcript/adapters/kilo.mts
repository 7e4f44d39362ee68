/** Kilo, a fork of OpenCode: an exported session, and its database, with the same tables and records. */
import type { WholeAdapter } from '../adapter.mts';
import { isDatabaseOf, loadDatabase } from './message-parts/database.mts';
import { isExport, isFromKilo } from './message-parts/exported.mts';
import { readSession } from './message-parts/session.mts';

const common = {
  kind: 'whole',
  harness: 'kilo',
  version: 1,
  read: (value, _path, to) => readSession(value, to),
} satisfies Partial<WholeAdapter>;

export const kiloExport: WholeAdapter = {
  ...common,
  id: 'kilo',
  looksLike: (head) => isExport(head) && isFromKilo(head),
  form: 'document',
};

export const kiloDatabase: WholeAdapter = {
  ...common,
  id: 'kilo-database',
  looksLike: (head, path) => isDatabaseOf('kilo', head, path),
  form: (file, session, scratch) => loadDatabase(file, session, scratch, 'kilo'),
};
