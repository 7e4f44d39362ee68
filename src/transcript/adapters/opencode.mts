/**
 * OpenCode: an exported session, the file store of its versions before 1.2, and the database since. All three give the
 * same turns, so a session may be captured from one and go on from another.
 */
import type { WholeAdapter } from '../adapter.mts';
import { isDatabaseOf, loadDatabase } from './message-parts/database.mts';
import { isExport, isFromKilo } from './message-parts/exported.mts';
import { isSessionFile, loadFileStore } from './message-parts/file-store.mts';
import { readSession } from './message-parts/session.mts';

const common = {
  kind: 'whole',
  harness: 'opencode',
  version: 1,
  read: (value, _path, to) => readSession(value, to),
} satisfies Partial<WholeAdapter>;

export const opencodeExport: WholeAdapter = {
  ...common,
  id: 'opencode',
  looksLike: (head) => isExport(head) && !isFromKilo(head),
  form: 'document',
};

export const opencodeFiles: WholeAdapter = {
  ...common,
  id: 'opencode-files',
  looksLike: isSessionFile,
  form: loadFileStore,
};

export const opencodeDatabase: WholeAdapter = {
  ...common,
  id: 'opencode-database',
  looksLike: (head, path) => isDatabaseOf('opencode', head, path),
  form: (file, session, scratch) => loadDatabase(file, session, scratch, 'opencode'),
};
