/** A registry of npm packages in memory, on loopback: what `npm publish` stores there, `npm install` finds. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A package.json as a registry stores it. */
export interface StoredManifest {
  readonly name: string;
  readonly version: string;
}

/** One version of a package. */
export interface Stored {
  readonly manifest: StoredManifest;
  readonly tarball: Buffer;
}

/** A request as far as a registry looks at it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The address under which the client reaches the registry. */
  readonly origin: string;
}

/** A response. */
export interface Answered {
  readonly status: number;
  readonly body: Buffer | object;
}

/** The packages of a registry, by name and version. The newest `latest` is the version that was stored last. */
export class Packages {
  readonly #versions = new Map<string, Map<string, Stored>>();

  put(stored: Stored): void {
    const { name, version } = stored.manifest;
    const versions = this.#versions.get(name) ?? new Map<string, Stored>();
    versions.set(version, stored);
    this.#versions.set(name, versions);
  }

  names(): readonly string[] {
    return [...this.#versions.keys()];
  }

  has({ name, version }: StoredManifest): boolean {
    return this.#versions.get(name)?.has(version) ?? false;
  }

  /** Answers a request of npm: the document of a package, a tarball, or a publication. */
  answer({ method, path, body, origin }: Asked): Answered {
    const [, name = "", tarball] = /^\/((?:@[^/]+\/)?[^/@]+)(?:\/-\/(.+))?$/u.exec(decodeURIComponent(path)) ?? [];
    if (method === "PUT" && tarball === undefined) return this.#publish(body);
    const versions = this.#versions.get(name);
    if (method !== "GET" || versions === undefined) return notFound(path);
    if (tarball === undefined) return { status: 200, body: documentOf(name, [...versions.values()], origin) };
    const found = [...versions.values()].find(({ manifest }) => fileOf(manifest) === tarball);
    return found === undefined ? notFound(path) : { status: 200, body: found.tarball };
  }

  #publish(body: string): Answered {
    const { versions, _attachments } = JSON.parse(body) as Publication;
    const [manifest] = Object.values(versions);
    const [attachment] = Object.values(_attachments);
    if (manifest === undefined || attachment === undefined) return { status: 400, body: { error: "no version" } };
    if (this.has(manifest)) return { status: 409, body: { error: "this version is published already" } };
    this.put({ manifest, tarball: Buffer.from(attachment.data, "base64") });
    return { status: 201, body: { ok: true } };
  }
}

interface Publication {
  readonly versions: { readonly [version: string]: StoredManifest };
  readonly _attachments: { readonly [file: string]: { readonly data: string } };
}

function documentOf(name: string, stored: readonly Stored[], origin: string): object {
  const versions = stored.map(({ manifest, tarball }) => {
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${origin}/${name}/-/${fileOf(manifest)}`, integrity };
    return [manifest.version, { ...manifest, dist }] as const;
  });
  return { name, "dist-tags": { latest: stored.at(-1)?.manifest.version }, versions: Object.fromEntries(versions) };
}

function fileOf({ name, version }: StoredManifest): string {
  return `${name.replace(/^@[^/]+\//u, "")}-${version}.tgz`;
}

function notFound(path: string): Answered {
  return { status: 404, body: { error: `${path} is not here` } };
}

/** A running registry. */
export interface RunningRegistry extends AsyncDisposable {
  readonly origin: string;
}

/** Serves packages on a free port of loopback. */
export async function startRegistry(packages: Packages): Promise<RunningRegistry> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", url = "/" } = request;
      const asked = { method, path: url, body: Buffer.concat(chunks).toString(), origin };
      const { status, body } = packages.answer(asked);
      const isFile = Buffer.isBuffer(body);
      response.writeHead(status, { "content-type": isFile ? "application/octet-stream" : "application/json" });
      response.end(isFile ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
