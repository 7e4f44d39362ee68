/**
 * What a registry publishes: the document of one version, and its archive, which is given out only where the hashes that
 * the document names are those of the bytes.
 */
import { createHash } from 'node:crypto';
import { HandoffError } from '../lib/errors.mts';
import { sha256 } from '../lib/hash-chain.mts';
import { download, targetOf, type DownloadLimits } from './download.mts';

export interface FetchLimits {
  document: DownloadLimits;
  archive: DownloadLimits;
}

const LIMITS: FetchLimits = {
  document: { bytes: 16 << 20, idleMs: 20_000, totalMs: 60_000 },
  archive: { bytes: 32 << 20, idleMs: 20_000, totalMs: 300_000 },
};

export interface Published {
  version: string;
  archiveUrl: string;
  /** Of the archive as it was sent. */
  sha256: string;
  bytes: Buffer;
  /** Which hash the registry named and the bytes have, strongest first. */
  checked: readonly ('sha512' | 'sha1')[];
}

export interface FetchRequest {
  /** With its protocol; as `npmRegistry` gives it. */
  registry: string;
  name: string;
  /** A version, or a tag such as `latest`. */
  version: string;
  limits?: Partial<FetchLimits>;
}

/**
 * Fetches a version's archive and checks it. Throws HandoffError: USAGE for a version that cannot be one, IO where the
 * registry cannot be asked or sends too much, NO_MATCH where it has no such version, SHAPE where its document makes no
 * sense, DAMAGED where a hash differs.
 */
export async function fetchPackage({ registry, name, version, limits = {} }: FetchRequest): Promise<Published> {
  if (!/^[0-9A-Za-z][0-9A-Za-z._+-]{0,127}$/.test(version)) throw new HandoffError('USAGE', `"${version}" is neither a version nor a tag`);
  const base = new URL(registry.endsWith('/') ? registry : `${registry}/`);
  const found = await describe(base, name, version, { ...LIMITS.document, ...limits.document });
  const url = targetOf(found.tarball, base);
  const answer = await download(url, { ...LIMITS.archive, ...limits.archive });
  if (answer.bytes === undefined) throw new HandoffError('NO_MATCH', `${base.origin} has ${name} ${found.version} but not its archive (${answer.status} for ${url.href})`);
  const { bytes } = answer;
  const checked = check(bytes, found, `${name} ${found.version}`);
  return { version: found.version, archiveUrl: url.href, sha256: sha256(bytes), bytes, checked };
}

interface Described {
  version: string;
  tarball: string;
  sha512: readonly string[];
  sha1: string | undefined;
}

/** The version's own document; a registry that has none for a version or a tag is asked for the whole package's. */
async function describe(base: URL, name: string, version: string, limits: DownloadLimits): Promise<Described> {
  const packageUrl = new URL(name.replace('/', '%2f'), base);
  const own = await download(new URL(`${packageUrl.href}/${version}`), limits, 'application/json');
  if (own.bytes !== undefined) return describedBy(jsonOf(own.bytes, base), name, version, base);
  if (own.status !== 404 && own.status !== 405) throw refused(base, own.status);
  const whole = await download(packageUrl, limits, 'application/json');
  if (whole.status === 404) throw new HandoffError('NO_MATCH', `${base.origin} has no package ${name}`);
  if (whole.bytes === undefined) throw refused(base, whole.status);
  const document = jsonOf(whole.bytes, base);
  const tagged = fieldOf(fieldOf(document, 'dist-tags'), version);
  const exact = typeof tagged === 'string' ? tagged : version;
  const one = fieldOf(fieldOf(document, 'versions'), exact);
  if (one === undefined) throw new HandoffError('NO_MATCH', `${base.origin} has no version ${version} of ${name}`);
  return describedBy(one, name, exact, base);
}

function refused(base: URL, status: number): HandoffError {
  const why = status === 401 || status === 403 ? `, and no password is sent from here` : '';
  return new HandoffError('IO', `${base.origin} answered ${status}${why}`, { data: { status } });
}

function jsonOf(bytes: Buffer, base: URL): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new HandoffError('SHAPE', `${base.origin} did not answer with JSON: is it a registry?`, { cause });
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function describedBy(document: unknown, name: string, version: string, base: URL): Described {
  const dist = fieldOf(document, 'dist');
  const named = fieldOf(document, 'version');
  const tarball = fieldOf(dist, 'tarball');
  const strange = (what: string): HandoffError => new HandoffError('SHAPE', `what ${base.origin} says of ${name} ${version} ${what}`);
  if (fieldOf(document, 'name') !== name) throw strange('is about another package');
  // A tag stands for some version; a version stands for itself.
  if (typeof named !== 'string' || (/^\d/.test(version) && named !== version)) throw strange('is about another version');
  if (typeof tarball !== 'string') throw strange('names no archive');
  const integrity = fieldOf(dist, 'integrity');
  const shasum = fieldOf(dist, 'shasum');
  const sha512 = (typeof integrity === 'string' ? integrity : '').split(/\s+/).flatMap((word) => {
    const base64 = /^sha512-([A-Za-z0-9+/]{86}==)(\?.*)?$/.exec(word)?.[1];
    return base64 === undefined ? [] : [base64];
  });
  const sha1 = typeof shasum === 'string' && /^[0-9a-f]{40}$/i.test(shasum) ? shasum.toLowerCase() : undefined;
  if (sha512.length === 0 && sha1 === undefined) throw strange('names no hash of its archive');
  return { version: named, tarball, sha512, sha1 };
}

/** Every hash that is named has to be that of the bytes. Throws DAMAGED. */
function check(bytes: Buffer, { sha512, sha1 }: Described, what: string): ('sha512' | 'sha1')[] {
  const checked: ('sha512' | 'sha1')[] = [];
  const wrong = (kind: string, expected: string, found: string): HandoffError =>
    new HandoffError('DAMAGED', `the archive of ${what} is not the one that the registry names: its ${kind} is ${found}, not ${expected}`, { data: { expected, found } });
  if (sha512.length > 0) {
    const found = createHash('sha512').update(bytes).digest('base64');
    if (!sha512.includes(found)) throw wrong('sha512', sha512.join(' or '), found);
    checked.push('sha512');
  }
  if (sha1 !== undefined) {
    const found = createHash('sha1').update(bytes).digest('hex');
    if (found !== sha1) throw wrong('sha1', sha1, found);
    checked.push('sha1');
  }
  return checked;
}
