/** What a person says of a session stands in its outputs like what was said in it, so it passes the same redaction. */
import type { BuildPlace, BuildRequest } from './work.mts';

const SAID = ['session', 'project', 'objective', 'harness', 'model'] as const;

/** The request with what was said in it redacted; the same one where nothing was, or where nothing is redacted. Throws as the redactor does. */
export async function cleanRequest(request: BuildRequest, place: BuildPlace): Promise<BuildRequest> {
  if (!request.redact || SAID.every((key) => request[key] === undefined)) return request;
  const { createRedactor } = await import('../transcript/redaction/create.mts');
  const redactor = createRedactor({ patterns: place.redactionPatterns });
  const clean = { ...request };
  for (const key of SAID) if (request[key] !== undefined) clean[key] = key === 'session' ? redactor.id(request[key] ?? '') : redactor.text(request[key] ?? '');
  return clean;
}
