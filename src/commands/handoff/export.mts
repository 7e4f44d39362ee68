import type { Command } from '../../lib/cli/command.mts';
import { HandoffError } from '../../lib/errors.mts';
import { VERSION } from '../../lib/version.mts';
import { portableFields } from '../../render/portable.mts';
import { capturedSession } from './captured.mts';

const flags = {
  portable: { type: 'boolean', summary: 'print one JSON document that needs no store (schemas/handoff.schema.json)' },
} as const;

export const command: Command<typeof flags> = {
  name: 'export',
  summary: 'a handoff as one document to send elsewhere; reads only',
  args: '<prefix>',
  positionals: { min: 1, max: 1 },
  flags,
  exits: { 0: 'exported', 1: 'the session is damaged', 2: 'wrong words, or no form was named', 3: 'the prefix is ambiguous', 4: 'nothing matches' },
  example: 'handoff export 5f0c --portable > handoff.json',
  run(options, [prefix], io) {
    if (options.portable !== true) throw new HandoffError('USAGE', 'export needs --portable');
    const session = capturedSession(io, prefix ?? '');
    const document = portableFields(session.digest(), session.manifest, VERSION);
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
};
