/** Starts an API server: puts the parts together, fills the empty store with what every cluster has, and opens its doors. */
import { randomInt, randomUUID } from "node:crypto";
import { cloneJson, formatTime } from "@capstan/model";
import { createAuthority, validFor, type Authority, type KeyedCertificate } from "@capstan/pki";
import { Aggregation } from "./aggregate/aggregation.ts";
import { openAccess, tokenAuthenticator } from "./access.ts";
import { bareAdmissionSteps } from "./admit/index.ts";
import { chainAdmission, type AdmissionContext, type AdmissionStep, type KeptKind } from "./admit/admission.ts";
import type { Answer } from "./answer.ts";
import { audited } from "./audit/audited.ts";
import type { AuditEvent } from "./audit/event.ts";
import { authenticateWith } from "./authenticate/authenticator.ts";
import { LastWays } from "./authenticate/last-ways.ts";
import { certificateAuthenticator } from "./authenticate/certificate.ts";
import { authenticatedGroup, type UserInfo } from "./authenticate/user.ts";
import { alwaysAllow, authorizeWith, mastersAuthorizer, type Authorizer } from "./authorize/authorizer.ts";
import { rbacAuthorizer } from "./authorize/rbac/authorizer.ts";
import {
  bootstrapObjects,
  frontProxy,
  publishAddress,
  publishAuthorities,
  serviceNetworkOf,
  type Advertised,
} from "./bootstrap.ts";
import type { NodeDoor } from "./builtin/rules.ts";
import { builtinRules } from "./builtin/index.ts";
import { ownCall, type Call } from "./call.ts";
import { systemClock, type Clock } from "./clock.ts";
import { startDefinitions } from "./custom/controller.ts";
import { definitionRules } from "./custom/definition-rules.ts";
import { definitionsName } from "./custom/definition.ts";
import { createHandler, type Handler } from "./handler.ts";
import type { Randomness, ServerParts } from "./parts.ts";
import { RequestMetrics } from "./paths/metrics.ts";
import { serveBuiltins } from "./resources/builtin.ts";
import { Registry } from "./resources/registry.ts";
import { openLateCaller } from "./outgoing/late-caller.ts";
import type { Dial, OutgoingCaller, ServiceResolver } from "./outgoing/outgoing.ts";
import { clusterAddressResolver } from "./outgoing/service.ts";
import { inProcessFetch } from "./serve/in-process.ts";
import { readServiceRanges, serverAddressIn, type ServiceRanges } from "./service-ranges.ts";
import type { Listening, ListenTls } from "./serve/listen.ts";
import type { Patience } from "./serve/patience.ts";
import { storeLookup, storeWriter } from "./store/access.ts";
import { PastStore } from "./store/past.ts";
import type { Identity } from "./store/identity.ts";
import type { OpenedJournal } from "./store/sqlite.ts";
import { Store, type HistoryLimits, type Snapshot } from "./store/store.ts";
import { observe, type Observer } from "./testing/observe.ts";

/** How to start a server. Everything has a default: in memory, in process, on the wall clock. */
export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
  /**
   * A folder in which the state is kept, and with it the keys that open the server and its port; without it, all of that dies with the
   * server.
   */
  readonly data?: string;
  /** How much is remembered for watches and pages. */
  readonly history?: HistoryLimits;
  /** Listens on a port; without it, the server can only be called in process. */
  readonly listen?: {
    readonly port: number;
    readonly host?: string;
    readonly tls?: boolean | ListenTls;
    /** How many milliseconds slow clients are waited for; as kube-apiserver does by default. */
    readonly patience?: Partial<Patience>;
  };
  /** `rbac` decides by roles, as kube-apiserver does by default; `always-allow` lets everybody do everything. */
  readonly authorization?: "rbac" | "always-allow";
  /** Who issues the tokens of service accounts, and the key (PEM) that signs them; by default one is made when it is needed. */
  readonly serviceAccounts?: { readonly issuer?: string; readonly privateKeyPem?: string };
  /** Bearer tokens and whose they are, beside the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /**
   * The steps of admission. The default is the chain of kube-apiserver without `ServiceAccount`: it refuses pods where nobody makes the
   * account `default`, and on a bare server nobody does.
   */
  readonly admission?: readonly AdmissionStep[];
  readonly nodes?: NodeDoor;
  /**
   * The network of the addresses of services, `10.0.0.0/24` by default, or one of IPv4 and one of IPv6 with a comma between; state that is
   * kept keeps its networks.
   */
  readonly serviceNetwork?: string;
  /** The ports of nodes that services may have, `30000-32767` by default. */
  readonly nodePorts?: string;
  /** Calls webhooks and other API servers; over HTTP by default. */
  readonly outgoing?: OutgoingCaller;
  /** Finds the place behind a service that a webhook or API server is reached by; its cluster address by default. */
  readonly resolveService?: ServiceResolver;
  /** Connects to the places behind services, where the machine itself has no way to them. */
  readonly dial?: Dial;
  /** The administrator's bearer token; by default that of the data folder, or a new one. */
  readonly token?: string;
  /** Who signs the server's certificates; by default the authority of the data folder, or a new one. */
  readonly authority?: Authority;
  /** Where pods reach the server: it goes into the endpoints of the service `default/kubernetes`. */
  readonly advertise?: Partial<Advertised>;
  /** Told of each request, as kube-apiserver writes its audit log at the level Metadata; `openAuditLog` keeps it in a file. */
  readonly audit?: (event: AuditEvent) => void;
  /** Told about bugs of the server: errors that are no refusals. */
  readonly report?: (error: unknown, call: Call) => void;
}

/** A server that runs. */
export interface ApiServer extends AsyncDisposable {
  /** The server as a function of the Web platform. Requests without credentials act as the administrator. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The server as a function, without the cost of Web objects. */
  readonly handle: (call: Call) => Promise<Answer>;
  /** Where it listens; `undefined` when it does not. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** The administrator's bearer token. */
  readonly token: string;
  /** The authority that signed the certificate of the port and that client certificates are checked against. */
  readonly authority: Authority;
  readonly store: Store;
  readonly parts: ServerParts;
  /** What was asked, and ways to make it go wrong. */
  readonly observer: Observer;
  snapshot(): Snapshot;
  restore(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** The user that holds the server. */
export const administrator: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", authenticatedGroup],
};

const systemRandomness: Randomness = { uuid: () => randomUUID(), below: (limit) => randomInt(limit) };
const defaultIssuer = "https://kubernetes.default.svc.cluster.local";
const certificateDays = 365;

/** An address of the range that is kept free for documentation: endpoints must not be loopback. */
const unreachable: Advertised = { address: "192.0.2.1", port: 6443 };

/** Starts a server. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { data, clock = systemClock, randomness = systemRandomness } = options;
  if (data === undefined) return start(options, undefined);
  const [{ openJournal }, { openIdentity }] = await Promise.all([
    import("./store/sqlite.ts"),
    import("./store/identity.ts"),
  ]);
  const journal = openJournal(data);
  try {
    const identity = await openIdentity(data, { now: new Date(clock.now()), token: randomness.uuid() });
    return await start(asBefore(options, identity), { folder: data, journal, identity });
  } catch (error) {
    // The folder is free again for whoever tries next.
    journal.close();
    throw error;
  }
}

/** What a folder has kept of an earlier server. */
interface Kept {
  readonly folder: string;
  readonly journal: OpenedJournal;
  readonly identity: Identity;
}

/** A server that is started again is the same one, unless it is told otherwise. */
function asBefore(options: ApiServerOptions, { token, authority, accountKey }: Identity): ApiServerOptions {
  const serviceAccounts = { privateKeyPem: accountKey, ...options.serviceAccounts };
  return { token, authority, ...options, serviceAccounts };
}

async function start(options: ApiServerOptions, kept: Kept | undefined): Promise<ApiServer> {
  const ranges = readServiceRanges(options);
  const clock = options.clock ?? systemClock;
  const randomness = options.randomness ?? systemRandomness;
  const journal = kept?.journal;
  const store = openStore(options, clock, journal);
  const registry = new Registry();
  registry.add(...serveBuiltins(new Map([...builtinRules, [definitionsName, definitionRules]])));
  const token = options.token ?? randomness.uuid();
  const caller = openLateCaller(options.dial);
  const outgoing = options.outgoing ?? caller.call;
  const authority = lazyAuthority(clock, options.authority);
  const parts = assemble({ options, ranges, clock, randomness, store, registry, token, outgoing, authority });
  if (journal === undefined || journal.isEmpty) fill(parts, ranges.network);
  await store.settled();
  const resolveService = options.resolveService ?? clusterAddressResolver(parts.lookup);
  const stopDefinitions = startDefinitions({
    ...parts,
    conversion: {
      call: outgoing,
      after: (milliseconds, run) => clock.after(milliseconds, run),
      resolveService,
      uid: () => randomness.uuid(),
    },
  });
  const observer = observeHandlers(parts, options.audit);
  const serviceAddress = serverAddressIn(serviceNetworkOf(parts.lookup));
  const openAt = (port: number | undefined): Promise<Listening | undefined> =>
    openDoor({ options, port, serviceAddress }, observer.handle, authority);
  const listening = await openSameDoor(openAt, options.listen?.port, kept);
  parts.aggregation.start();
  if (signsItself(options)) publishAuthorities(parts, authority().certificate);
  publishAddress(parts, { ...unreachable, ...(listening && { port: listening.port }), ...options.advertise });
  const close = async (): Promise<void> => {
    stopDefinitions();
    parts.aggregation.stop();
    caller.close();
    await listening?.close();
    store.close();
    journal?.close();
  };
  return {
    fetch: inProcessFetch(observer.handle, administrator),
    handle: observer.handle,
    url: listening?.url,
    port: listening?.port,
    token,
    get authority() {
      return authority();
    },
    store,
    parts,
    observer,
    snapshot: () => store.snapshot(),
    restore: (snapshot) => store.restore(snapshot),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The handler, as it is and as it was, told of to whoever keeps an audit log. */
function observeHandlers(parts: ServerParts, tell: ApiServerOptions["audit"]): Observer {
  const { clock, store } = parts;
  const handlerOf = (made: ServerParts): Handler =>
    tell === undefined ? createHandler(made) : audited(createHandler(made), { clock, tell });
  return observe({
    handler: handlerOf(parts),
    handlerAt: (revision) => handlerOf({ ...parts, store: new PastStore(store, { clock, revision }) }),
    clock,
  });
}

/** Whether the certificate of the port comes from the server's own authority. */
function signsItself({ listen: door }: ApiServerOptions): boolean {
  return door !== undefined && typeof door.tls !== "object" && door.tls !== false;
}

/** What is there from the start was never seen to come: watches begin after it. */
function fill(parts: ServerParts, serviceNetwork: string): void {
  for (const [resource, object] of bootstrapObjects(parts, serviceNetwork)) parts.writer.create(resource, object);
  parts.store.compact();
}

function openStore(options: ApiServerOptions, clock: Clock, journal: OpenedJournal | undefined): Store {
  const store = new Store({
    clock,
    ...(options.history === undefined ? {} : { limits: options.history }),
    ...(journal === undefined ? {} : { journal: journal.journal }),
    report: (error) => options.report?.(error, ownCall("/")),
  });
  if (journal !== undefined && !journal.isEmpty) store.load(journal.snapshot);
  return store;
}

interface Ingredients {
  readonly options: ApiServerOptions;
  readonly ranges: ServiceRanges;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly store: Store;
  readonly registry: Registry;
  readonly token: string;
  readonly outgoing: OutgoingCaller;
  readonly authority: () => Authority;
}

function assemble(ingredients: Ingredients): ServerParts {
  const { options, ranges, clock, randomness, store, registry, token, outgoing, authority } = ingredients;
  const lookup = storeLookup(store);
  const writer = storeWriter(store, registry);
  const authorizer = authorizerOf(options.authorization ?? "rbac", lookup);
  const resolveService = options.resolveService ?? clusterAddressResolver(lookup);
  const report = options.report ?? (() => {});
  const { issuer = defaultIssuer, privateKeyPem } = options.serviceAccounts ?? {};
  const access = openAccess({
    authorizer,
    known: new Map([...(options.tokens ?? []), [token, administrator]]),
    issuer,
    audiences: [issuer],
    privateKeyPem,
    lookup,
    now: () => clock.now(),
    uid: () => randomness.uuid(),
  });
  const admission: AdmissionContext = {
    lookup,
    writer,
    authorizer,
    now: () => clock.now(),
    uid: () => randomness.uuid(),
    random: (limit) => randomness.below(limit),
    pause: (milliseconds) => new Promise((resolve) => clock.after(milliseconds, resolve)),
    after: (milliseconds, run) => clock.after(milliseconds, run),
    findKind: (apiVersion, kind) => findKind(registry, apiVersion, kind),
    asServer: (resource, before, after) => {
      const manager = registry.findStorage(resource)?.subresources.get("status")?.fieldManager;
      const origin = { manager: "kube-apiserver", time: formatTime(clock.now()) };
      return manager?.update(before, cloneJson(after), origin) ?? after;
    },
    call: outgoing,
    resolveService,
  };
  return {
    clock,
    randomness,
    store,
    registry,
    lookup,
    writer,
    authenticator: authenticateWith([certificateAuthenticator, tokenAuthenticator(access)]),
    authorizer,
    lastWays: new LastWays(),
    access,
    admission: chainAdmission(options.admission ?? bareAdmissionSteps, admission),
    nodes: options.nodes,
    metrics: new RequestMetrics(),
    started: clock.now(),
    nodePorts: ranges.nodePorts,
    aggregation: new Aggregation(
      { store, registry, lookup, writer, clock, randomness, report },
      { call: outgoing, resolveService, identity: frontProxyIdentity(authority, clock) },
    ),
    report,
  };
}

function findKind(registry: Registry, apiVersion: string, kind: string): KeptKind | undefined {
  for (const resource of registry.all()) {
    if (resource.kind !== kind || resource.apiVersion !== apiVersion) continue;
    return { resource: resource.storage, namespaced: resource.namespaced };
  }
  return undefined;
}

function authorizerOf(mode: "rbac" | "always-allow", lookup: ServerParts["lookup"]): Authorizer {
  return mode === "always-allow" ? alwaysAllow : authorizeWith([mastersAuthorizer, rbacAuthorizer(lookup)]);
}

function lazyAuthority(clock: Clock, kept: Authority | undefined): () => Authority {
  let made = kept;
  return () => (made ??= createAuthority({ commonName: "capstan", now: new Date(clock.now()), days: certificateDays }));
}

/** Servers that believe this one's word about users know it by this certificate. */
function frontProxyIdentity(authority: () => Authority, clock: Clock): () => KeyedCertificate {
  let made: KeyedCertificate | undefined;
  const issue = (): KeyedCertificate =>
    authority().issue({
      commonName: frontProxy,
      usages: ["client"],
      ...validFor({ now: new Date(clock.now()), days: certificateDays }),
    });
  return () => (made ??= issue());
}

/** Whoever knows a server that comes back finds it at its old port, if any will do and nobody took that one. */
async function openSameDoor(
  openAt: (port: number | undefined) => Promise<Listening | undefined>,
  wanted: number | undefined,
  kept: Kept | undefined,
): Promise<Listening | undefined> {
  const before = wanted === 0 ? kept?.identity.port : undefined;
  const listening = await (before === undefined ? openAt(wanted) : openAt(before).catch(() => openAt(wanted)));
  if (kept !== undefined && listening !== undefined && listening.port !== kept.identity.port) {
    const { keepIdentity } = await import("./store/identity.ts");
    await keepIdentity(kept.folder, { ...kept.identity, port: listening.port });
  }
  return listening;
}

interface Door {
  readonly options: ApiServerOptions;
  readonly port: number | undefined;
  /** Where pods find the server: its certificate names it. */
  readonly serviceAddress: string;
}

async function openDoor(
  { options: { listen: door, clock = systemClock, report = () => {} }, port, serviceAddress }: Door,
  handler: Handler,
  authority: () => Authority,
): Promise<Listening | undefined> {
  if (door === undefined || port === undefined) return undefined;
  // Servers in process need no sockets, and loading them takes longer than everything else of a start.
  const { listen } = await import("./serve/listen.ts");
  const host = door.host ?? "127.0.0.1";
  const place = { host, port, report, ...(door.patience === undefined ? {} : { patience: door.patience }) };
  if (door.tls === false) return listen(handler, place);
  if (typeof door.tls === "object") return listen(handler, { ...place, tls: door.tls });
  const { certificate, privateKey } = authority().issue({
    commonName: "kube-apiserver",
    usages: ["server"],
    ipAddresses: [host, "127.0.0.1", serviceAddress],
    dnsNames: [
      "localhost",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local",
    ],
    ...validFor({ now: new Date(clock.now()), days: certificateDays }),
  });
  const tls = { certificate, privateKey, clientAuthority: authority().certificate };
  return listen(handler, { ...place, tls });
}
