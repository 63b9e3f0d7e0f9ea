/** OpenAPI documents of other servers: refreshed every minute; the last good document is kept. */
import { createHash } from "node:crypto";
import { isDeepEqual, type Json } from "@capstan/model";
import type { Clock } from "../clock.ts";
import { keepPaths, type Version2Document } from "../openapi/merge.ts";
import { toVersion3 } from "../openapi/to-version3.ts";
import { OutgoingError, type OutgoingAnswer } from "../outgoing/outgoing.ts";
import type { RemoteService } from "./api-service.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

const refreshMilliseconds = 60_000;
const timeoutMilliseconds = 60_000;
const downloader = { name: "system:aggregator", groups: [] };

type Fields = { readonly [key: string]: Json | undefined };

/** The documents of one server. */
interface Known {
  service: RemoteService;
  /** Time of the last refresh; -Infinity before the first one. */
  askedAt: number;
  /** Its OpenAPI v3 index: paths and the URLs of their documents. */
  index: { readonly [path: string]: Json };
  /** Whether it has no OpenAPI v3, so that v3 is converted from its v2. */
  isOld: boolean;
  version2?: { readonly document: Version2Document; readonly etag: string };
}

export class RemoteDocuments {
  readonly #clock: Clock;
  readonly #remote: RemoteParts;
  readonly #known = new Map<string, Known>();
  #generation = 0;

  constructor(clock: Clock, remote: RemoteParts) {
    this.#clock = clock;
    this.#remote = remote;
  }

  /** Increases with every change. */
  get generation(): number {
    return this.#generation;
  }

  /** Refreshes the documents of an available server at most once a minute. A failed request keeps the old document. */
  async refresh(name: string, service: RemoteService): Promise<void> {
    const known = this.#known.get(name) ?? { service, askedAt: -Infinity, index: {}, isOld: false };
    this.#known.set(name, known);
    known.service = service;
    if (this.#clock.now() - known.askedAt < refreshMilliseconds) return;
    known.askedAt = this.#clock.now();
    const hasVersion2 = await this.#askVersion2(known);
    const hasVersion3 = await this.#askVersion3(known);
    if (!hasVersion2 || !hasVersion3) known.askedAt = -Infinity;
  }

  /** Removes the documents of a deleted APIService. */
  forget(name: string): void {
    if (this.#known.delete(name)) this.#generation++;
  }

  /** OpenAPI v2 documents, those of the groups with the highest priority first. Each contains only the paths below its group version. */
  version2(): readonly Version2Document[] {
    const all = [...this.#known.values()];
    const priorities = new Map<string, number>();
    for (const { service } of all) {
      const { group = "", groupPriorityMinimum } = service.spec;
      priorities.set(group, Math.max(priorities.get(group) ?? -Infinity, groupPriorityMinimum));
    }
    const priority = ({ service }: Known): number => priorities.get(service.spec.group ?? "") ?? 0;
    const name = ({ service }: Known): string => service.metadata.name ?? "";
    return all
      .toSorted((a, b) => priority(b) - priority(a) || (name(a) < name(b) ? -1 : 1))
      .flatMap(({ version2, service }) => {
        const below = `/${pathOf(service)}/`;
        return version2 === undefined ? [] : [keepPaths(version2.document, (path) => path.startsWith(below))];
      });
  }

  /** Paths of OpenAPI v3 documents on other servers, and their URLs. */
  version3(): ReadonlyMap<string, Json> {
    return new Map([...this.#known.values()].flatMap(({ index }) => Object.entries(index)));
  }

  /** OpenAPI v3 documents converted for servers without v3, by path. */
  converted(): ReadonlyMap<string, Json> {
    const old = [...this.#known.values()].filter(({ isOld }) => isOld);
    return new Map(
      old.flatMap(({ service, version2 }) =>
        version2 === undefined ? [] : [[pathOf(service), toVersion3(version2.document)] as const],
      ),
    );
  }

  /** The name of the APIService that has the document of a path. */
  ownerOf(path: string): string | undefined {
    for (const [name, { index }] of this.#known) if (Object.hasOwn(index, path)) return name;
    return undefined;
  }

  /** Whether the response is usable. A 404 is usable as well: the server has no OpenAPI v2. */
  async #askVersion2(known: Known): Promise<boolean> {
    const etag = known.version2?.etag ?? "";
    const asked = etag === "" || etag.startsWith(ownEtag) ? {} : { "if-none-match": etag };
    const answer = await this.#ask(known.service, "/openapi/v2", { accept: "application/json", ...asked });
    if (answer === undefined) return false;
    if (answer.status === 304 || answer.status === 404) return true;
    const document = answer.status === 200 ? (parse(answer.body) as Version2Document | undefined) : undefined;
    if (document === undefined) return false;
    const newEtag = textOf(answer.headers["etag"]) ?? ownEtag + createHash("sha512").update(answer.body).digest("hex");
    if (newEtag === etag) return true;
    known.version2 = { document, etag: newEtag };
    this.#generation++;
    return true;
  }

  async #askVersion3(known: Known): Promise<boolean> {
    const answer = await this.#ask(known.service, "/openapi/v3", {});
    if (answer === undefined) return false;
    const isOld = answer.status === 404;
    const document = answer.status === 200 ? parse(answer.body) : undefined;
    if (document === undefined && !isOld) return false;
    const index = indexIn(document);
    if (isOld === known.isOld && isDeepEqual(index, known.index)) return true;
    Object.assign(known, { isOld, index });
    this.#generation++;
    return true;
  }

  /** Returns `undefined` if there is no response. */
  async #ask(
    service: RemoteService,
    path: string,
    headers: { [name: string]: string },
  ): Promise<OutgoingAnswer | undefined> {
    const abort = new AbortController();
    const late = this.#clock.later(timeoutMilliseconds, () => abort.abort());
    try {
      const request = { method: "GET", path, user: downloader, headers, signal: abort.signal };
      return await callRemote(service, request, this.#remote);
    } catch (error) {
      if (error instanceof OutgoingError) return undefined;
      throw error;
    } finally {
      late.cancel();
    }
  }
}

/** Prefix of ETags that this server generates for documents without one. They are not sent back. */
const ownEtag = "own-";

function pathOf({ spec }: RemoteService): string {
  return `apis/${spec.group ?? ""}/${spec.version ?? ""}`;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function indexIn(document: Json | undefined): Known["index"] {
  const paths = (document as Fields | undefined)?.["paths"];
  return typeof paths === "object" && paths !== null && !Array.isArray(paths) ? (paths as Known["index"]) : {};
}

/** Parses a body as JSON; `undefined` if it is not JSON. */
function parse(body: Uint8Array): Json | undefined {
  try {
    const value = JSON.parse(Buffer.from(body).toString("utf8")) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
