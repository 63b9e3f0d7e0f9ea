/** Starts an API server: creates its parts, fills an empty store with the bootstrap objects, and listens. */
import { randomInt, randomUUID } from "node:crypto";
import { cloneJson, formatTime } from "@capstan/model";
import { createAuthority, validFor, type Authority, type KeyedCertificate } from "@capstan/pki";
import { Aggregation } from "./aggregate/aggregation.ts";
import { openAccess, tokenAuthenticator } from "./access.ts";
import { bareAdmissionSteps } from "./admit/index.ts";
import { chainAdmission, type AdmissionContext, type KeptKind } from "./admit/admission.ts";
import type { Answer } from "./answer.ts";
import { audited } from "./audit/audited.ts";
import { authenticateWith } from "./authenticate/authenticator.ts";
import { LastWays } from "./authenticate/last-ways.ts";
import { certificateAuthenticator } from "./authenticate/certificate.ts";
import { authenticatedGroup, type UserInfo } from "./authenticate/user.ts";
import { authorizerOf } from "./authorize/modes.ts";
import {
  bootstrapObjects,
  frontProxy,
  publishAddress,
  publishAuthorities,
  serviceNetworkOf,
  type Advertised,
} from "./bootstrap.ts";
import { builtinRules } from "./builtin/index.ts";
import { ownCall, type Call } from "./call.ts";
import { systemClock, systemStopwatch, type Clock } from "./clock.ts";
import { startDefinitions } from "./custom/controller.ts";
import { definitionRules } from "./custom/definition-rules.ts";
import { definitionsName } from "./custom/definition.ts";
import { Gate } from "./flow/gate.ts";
import { createHandler, type Handler } from "./handler.ts";
import type { Randomness, ServerParts } from "./parts.ts";
import { RequestMetrics } from "./paths/metrics.ts";
import { serveBuiltins } from "./resources/builtin.ts";
import { Registry } from "./resources/registry.ts";
import type { ApiServerOptions } from "./options.ts";
import { openLateCaller } from "./outgoing/late-caller.ts";
import type { OutgoingCaller } from "./outgoing/outgoing.ts";
import { clusterAddressResolver } from "./outgoing/service.ts";
import { inProcessFetch } from "./serve/in-process.ts";
import { readServiceRanges, serverAddressIn, type ServiceRanges } from "./service-ranges.ts";
import type { Listening } from "./serve/listen.ts";
import { storeLookup, storeWriter } from "./store/access.ts";
import { PastStore } from "./store/past.ts";
import type { Identity } from "./store/identity.ts";
import type { OpenedJournal } from "./store/sqlite.ts";
import { Store, type Snapshot } from "./store/store.ts";
import { observe, type Observer } from "./testing/observe.ts";
import { TurnWatch } from "./turn/turn-watch.ts";

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  /** The server as a fetch function. Requests without credentials act as the administrator. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The server as a function, without the overhead of Fetch API objects. */
  readonly handle: (call: Call) => Promise<Answer>;
  /** The URL of its port; `undefined` if it does not listen. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** The administrator's bearer token. */
  readonly token: string;
  /** The CA that signs the certificate of the port and verifies client certificates. */
  readonly authority: Authority;
  readonly store: Store;
  readonly parts: ServerParts;
  /** Records requests and injects faults. */
  readonly observer: Observer;
  snapshot(): Snapshot;
  restore(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** The administrator. */
export const administrator: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", authenticatedGroup],
};

const systemRandomness: Randomness = { uuid: () => randomUUID(), below: (limit) => randomInt(limit) };
const defaultIssuer = "https://kubernetes.default.svc.cluster.local";
const certificateDays = 365;

/** An address of the range reserved for documentation: endpoints must not be loopback addresses. */
const unreachable: Advertised = { address: "192.0.2.1", port: 6443 };

/** Starts an API server; resolves when it is ready for requests. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { data, clock = systemClock, randomness = systemRandomness } = options;
  if (data === undefined) return start(options, undefined);
  const [{ openJournal }, { openIdentity }] = await Promise.all([
    import("./store/sqlite.ts"),
    import("./store/identity.ts"),
  ]);
  const journal = openJournal(data);
  try {
    const identity = await openIdentity(data, { now: new Date(clock.wall()), token: randomness.uuid() });
    return await start(asBefore(options, identity), { folder: data, journal, identity });
  } catch (error) {
    // Releases the folder for the next attempt.
    journal.close();
    throw error;
  }
}

/** The state of an earlier server in a folder. */
interface Kept {
  readonly folder: string;
  readonly journal: OpenedJournal;
  readonly identity: Identity;
}

/** A restarted server keeps its identity, unless the options override it. */
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
  const { authority, frontAuthority } = lazyAuthorities(clock, options.authority);
  const parts = assemble({ options, ranges, clock, randomness, store, registry, token, outgoing, frontAuthority });
  if (journal === undefined || journal.isEmpty) fill(parts, ranges.network);
  await store.settled();
  const resolveService = options.resolveService ?? clusterAddressResolver(parts.lookup);
  const stopDefinitions = startDefinitions({
    ...parts,
    conversion: {
      call: outgoing,
      after: (milliseconds, run) => clock.later(milliseconds, run),
      resolveService,
      uid: () => randomness.uuid(),
    },
  });
  const observer = observeHandlers(parts, options.audit);
  const serviceAddress = serverAddressIn(serviceNetworkOf(parts.lookup));
  const openAt = (port: number | undefined): Promise<Listening | undefined> =>
    openListener({ options, port, serviceAddress }, observer.handle, authority);
  const listening = await reopenListener(openAt, options.listen?.port, kept);
  parts.aggregation.start();
  if (signsItself(options)) publishAuthorities(parts, { clients: authority(), frontProxy: frontAuthority() });
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

/** The handlers for the present and for past revisions, with audit events. */
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

/** Whether the server's own CA signs the certificate of the port. */
function signsItself({ listen }: ApiServerOptions): boolean {
  return listen !== undefined && typeof listen.tls !== "object" && listen.tls !== false;
}

/** Compacts after bootstrap, so that watches do not replay the bootstrap objects. */
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
  readonly frontAuthority: () => Authority;
}

function assemble(ingredients: Ingredients): ServerParts {
  const { options, ranges, clock, randomness, store, registry, token, outgoing, frontAuthority } = ingredients;
  const lookup = storeLookup(store);
  const writer = storeWriter(store, registry);
  const authorizer = authorizerOf(options.authorization ?? "node-and-rbac", lookup);
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
    now: () => clock.wall(),
    uid: () => randomness.uuid(),
  });
  const admission: AdmissionContext = {
    lookup,
    writer,
    authorizer,
    now: () => clock.wall(),
    uid: () => randomness.uuid(),
    random: (limit) => randomness.below(limit),
    pause: (milliseconds) => new Promise((resolve) => clock.later(milliseconds, resolve)),
    after: (milliseconds, run) => clock.later(milliseconds, run),
    findKind: (apiVersion, kind) => findKind(registry, apiVersion, kind),
    asServer: (resource, before, after) => {
      const manager = registry.findStorage(resource)?.subresources.get("status")?.fieldManager;
      const origin = { manager: "kube-apiserver", time: formatTime(clock.wall()) };
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
    ...openGate(options, clock),
    started: clock.wall(),
    nodePorts: ranges.nodePorts,
    aggregation: new Aggregation(
      { store, registry, lookup, writer, clock, randomness, report },
      { call: outgoing, resolveService, identity: frontProxyIdentity(frontAuthority, clock) },
    ),
    report,
  };
}

function openGate(options: ApiServerOptions, clock: Clock): Pick<ServerParts, "turns" | "gate"> {
  const stopwatch = options.stopwatch ?? (options.clock === undefined ? systemStopwatch : undefined);
  const turns = new TurnWatch(stopwatch, options.onLongTurn ?? (() => {}));
  return { turns, gate: new Gate({ clock, turns, stopwatch }) };
}

function findKind(registry: Registry, apiVersion: string, kind: string): KeptKind | undefined {
  for (const resource of registry.all()) {
    if (resource.kind !== kind || resource.apiVersion !== apiVersion) continue;
    return { resource: resource.storage, namespaced: resource.namespaced };
  }
  return undefined;
}

interface Authorities {
  /** Signs the server and its clients. */
  readonly authority: () => Authority;
  /** Signs the front proxy. It is in memory only: extension servers read its certificate again when it changes. */
  readonly frontAuthority: () => Authority;
}

function lazyAuthorities(clock: Clock, kept: Authority | undefined): Authorities {
  return { authority: lazyAuthority(clock, kept), frontAuthority: lazyAuthority(clock, undefined, "front-proxy-ca") };
}

function lazyAuthority(clock: Clock, kept: Authority | undefined, commonName = "capstan"): () => Authority {
  let made = kept;
  return () => (made ??= createAuthority({ commonName, now: new Date(clock.wall()), days: certificateDays }));
}

/** The client certificate by which aggregated servers trust the X-Remote headers of this server. */
function frontProxyIdentity(authority: () => Authority, clock: Clock): () => KeyedCertificate {
  let made: KeyedCertificate | undefined;
  const issue = (): KeyedCertificate =>
    authority().issue({
      commonName: frontProxy,
      usages: ["client"],
      ...validFor({ now: new Date(clock.wall()), days: certificateDays }),
    });
  return () => (made ??= issue());
}

/** A restarted server listens on its previous port, if any port is allowed and that one is free. */
async function reopenListener(
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

interface ListenerPlan {
  readonly options: ApiServerOptions;
  readonly port: number | undefined;
  /** The address at which pods reach the server, as a name in its certificate. */
  readonly serviceAddress: string;
}

async function openListener(
  { options: { listen: options, clock = systemClock, report = () => {} }, port, serviceAddress }: ListenerPlan,
  handler: Handler,
  authority: () => Authority,
): Promise<Listening | undefined> {
  if (options === undefined || port === undefined) return undefined;
  // Loaded on demand: in-process servers need no sockets, and loading them takes longer than the rest of the start.
  const { listen } = await import("./serve/listen.ts");
  const host = options.host ?? "127.0.0.1";
  const place = { host, port, report, ...(options.patience === undefined ? {} : { patience: options.patience }) };
  if (options.tls === false) return listen(handler, place);
  if (typeof options.tls === "object") return listen(handler, { ...place, tls: options.tls });
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
    ...validFor({ now: new Date(clock.wall()), days: certificateDays }),
  });
  const tls = { certificate, privateKey, clientAuthority: authority().certificate };
  return listen(handler, { ...place, tls });
}
