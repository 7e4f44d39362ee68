/** A registry on loopback: a few answers by path, each a document, bytes or a handler of its own. */
import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply = object | Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export class Registry {
  readonly routes = new Map<string, Reply>();
  /** Every path that was asked for, in order. */
  readonly asked: string[] = [];
  /** Headers of every request. */
  readonly headers: IncomingMessage['headers'][] = [];
  readonly #server = http.createServer((request, response) => {
    const path = request.url ?? '';
    this.asked.push(path);
    this.headers.push(request.headers);
    const reply = this.routes.get(path);
    if (reply === undefined) response.writeHead(404).end('{}');
    else if (typeof reply === 'function') reply(request, response);
    else if (Buffer.isBuffer(reply)) response.end(reply);
    else response.end(JSON.stringify(reply));
  });

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Publishes an archive: the document of its version, the package's document and the bytes. Gives the version's document. */
  publish(name: string, version: string, bytes: Buffer, dist: Record<string, unknown> = {}): Record<string, any> {
    const path = `/${name}/-/${version}.tgz`;
    const document = {
      name, version,
      dist: {
        tarball: new URL(path, this.url).href,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
        ...dist,
      },
    };
    const encoded = name.replace('/', '%2f');
    this.routes.set(path, bytes);
    this.routes.set(`/${encoded}/${version}`, document);
    this.routes.set(`/${encoded}`, { name, 'dist-tags': { latest: version }, versions: { [version]: document } });
    return document;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
