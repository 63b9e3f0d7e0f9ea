/** Aggregation of other API servers: checks their availability, adds them to discovery, and forwards their requests. */
import { cloneJson, formatTime, isDeepEqual, type Condition } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { ownCall } from "../call.ts";
import type { Exchange } from "../exchange.ts";
import type { ServerParts } from "../parts.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import { compareVersions } from "../discovery/version-priority.ts";
import { apiServices, isAvailable, isRemote, nameOf, type ApiService, type RemoteService } from "./api-service.ts";
import { obstacleOf, probe, type Finding } from "./availability.ts";
import { forwardTo } from "./forward.ts";
import { startLocalServices } from "./local.ts";
import type { RemoteParts } from "./remote-call.ts";
import { RemoteDocuments } from "./remote-documents.ts";

/** A version of a group that another server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly isAvailable: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Its discovery document, once a probe has received one. */
  readonly resources: unknown;
}

type Parts = Pick<ServerParts, "store" | "registry" | "lookup" | "writer" | "clock" | "randomness" | "report">;

const recheckMilliseconds = 30_000;
const retryMilliseconds = 5_000;

/** Watches APIServices and represents the servers behind them. */
export class Aggregation {
  /** The OpenAPI documents of the other servers. */
  readonly openApi: RemoteDocuments;
  readonly #parts: Parts;
  readonly #remote: RemoteParts;
  readonly #documents = new Map<string, unknown>();
  readonly #timers = new Map<string, () => void>();
  #stops: (() => void)[] = [];

  constructor(parts: Parts, remote: RemoteParts) {
    this.#parts = parts;
    this.#remote = remote;
    this.openApi = new RemoteDocuments(parts.clock, remote);
  }

  start(): void {
    const { store } = this.#parts;
    const lookAll = (): void => queueMicrotask(() => this.#lookAll());
    this.#stops = [
      startLocalServices(this.#parts),
      store.listen(apiServices, ({ key }) => queueMicrotask(() => this.#look(key))),
      store.listen("services", lookAll),
      store.listen("endpointslices.discovery.k8s.io", lookAll),
    ];
    this.#lookAll();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const cancel of this.#timers.values()) cancel();
    this.#stops = [];
    this.#timers.clear();
  }

  /** Forwards a request if another server serves this group and version. */
  forward(exchange: Exchange, { group, version }: { group: string; version: string }): Promise<Answer> | undefined {
    const service = this.#find(nameOf(group, version));
    return isRemote(service) ? forwardTo(service, exchange, this.#remote) : undefined;
  }

  /** Forwards a request for an OpenAPI document to the server that has it; `path` is the part after `/openapi/v3/`. */
  forwardDocument(exchange: Exchange, path: string): Promise<Answer> | undefined {
    const service = this.#find(this.openApi.ownerOf(path) ?? "");
    return isRemote(service) ? forwardTo(service, exchange, this.#remote) : undefined;
  }

  /** The group versions that other servers serve. */
  versions(): readonly RemoteVersion[] {
    const all = this.#parts.lookup.list(apiServices) as readonly ApiService[];
    return all.filter(isRemote).map((service) => ({
      group: service.spec.group ?? "",
      version: service.spec.version ?? "",
      isAvailable: isAvailable(service),
      groupPriority: service.spec.groupPriorityMinimum,
      versionPriority: service.spec.versionPriority,
      resources: this.#documents.get(service.metadata.name ?? ""),
    }));
  }

  /** All registered versions of a group, served or not, the preferred one first. */
  registered(group: string): readonly string[] {
    const all = this.#parts.lookup.list(apiServices) as readonly ApiService[];
    return all
      .filter(({ spec }) => (spec.group ?? "") === group)
      .map(({ spec: { version = "", versionPriority } }) => ({ version, versionPriority }))
      .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
      .map(({ version }) => version);
  }

  #find(name: string): ApiService | undefined {
    return this.#parts.lookup.get(apiServices, name) as ApiService | undefined;
  }

  #lookAll(): void {
    for (const { metadata } of this.#parts.lookup.list(apiServices)) this.#look(metadata.name ?? "");
  }

  #look(name: string): void {
    if (this.#stops.length === 0) return;
    const service = this.#find(name);
    if (!isRemote(service)) return this.#forget(name);
    const obstacle = obstacleOf(service, this.#parts.lookup);
    if (obstacle !== undefined) return this.#settle(name, obstacle);
    // Only one probe at a time: the timer of the last probe starts the next one.
    if (this.#timers.has(name) && isAvailable(service)) return;
    this.#probe(name, service);
  }

  #probe(name: string, service: RemoteService): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, () => {});
    probe(service, { ...this.#remote, clock: this.#parts.clock })
      .then((finding) => this.#settle(name, finding))
      .catch((error: unknown) => {
        this.#parts.report(error, ownCall("/apis"));
        // An internal failure of the probe is not evidence about the other server. The next probe may succeed.
        if (this.#stops.length > 0) this.#schedule(name, retryMilliseconds);
      });
  }

  #settle(name: string, finding: Finding): void {
    if (this.#stops.length === 0) return;
    if (finding.resources === undefined) this.#documents.delete(name);
    else this.#documents.set(name, finding.resources);
    this.#schedule(name, finding.isAvailable ? recheckMilliseconds : retryMilliseconds);
    this.#write(name, finding);
    if (finding.isAvailable) this.#refresh(name);
  }

  #refresh(name: string): void {
    const service = this.#find(name);
    if (!isRemote(service)) return;
    this.openApi.refresh(name, service).catch((error: unknown) => this.#parts.report(error, ownCall("/apis")));
  }

  #schedule(name: string, milliseconds: number): void {
    this.#timers.get(name)?.();
    const timer = this.#parts.clock.later(milliseconds, () => {
      this.#timers.delete(name);
      this.#look(name);
    });
    this.#timers.set(name, () => timer.cancel());
  }

  #forget(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
    this.#documents.delete(name);
    this.openApi.forget(name);
  }

  #write(name: string, { isAvailable: isUp, reason, message }: Finding): void {
    const service = this.#find(name);
    if (service === undefined) return;
    const { clock } = this.#parts;
    const before = (service.status?.conditions ?? []).find(({ type }) => type === "Available");
    const status = isUp ? "True" : "False";
    const isSame = before?.status === status;
    const lastTransitionTime = isSame ? (before?.lastTransitionTime ?? "") : formatTime(clock.wall());
    const condition: Condition = { type: "Available", status, lastTransitionTime, reason, message };
    if (isDeepEqual(before, condition)) return;
    const others = (service.status?.conditions ?? []).filter(({ type }) => type !== "Available");
    this.#store(service, { ...cloneJson(service), status: { conditions: [...others, condition] } });
  }

  /** kube-apiserver writes this through the status subresource and so owns these fields. */
  #store(service: ApiService, changed: object): void {
    const { clock, writer, registry } = this.#parts;
    const status = registry.find("apiregistration.k8s.io", "v1", "apiservices")?.subresources.get("status");
    const origin = { manager: "kube-apiserver", time: formatTime(clock.wall()) };
    const draft = changed as AnyDraft;
    writer.update(apiServices, status?.fieldManager?.update(service, draft, origin) ?? draft);
  }
}
