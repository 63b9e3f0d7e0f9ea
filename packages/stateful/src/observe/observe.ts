/** Observes a cluster: objects from the cache, reports from the members, the primary's first. */
import type { Context } from "@capstan/runtime";
import { toMilliseconds } from "@capstan/runtime";
import { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import { Node, PersistentVolumeClaim, Pod, Secret, Service } from "@capstan/kinds/v1";
import type { AccountsPlan } from "../accounts/plan.ts";
import type { AgentImage } from "../agent-image.ts";
import type { Application, Dial } from "../application.ts";
import { pinnedSource } from "../backup/restore-resource.ts";
import type { RestoreKind, RestoreObject } from "../backup/restore-resource.ts";
import { seedHash } from "../backup/seed.ts";
import type { SeedSource } from "../backup/seed.ts";
import type { ClusterKind, ClusterObject } from "../cluster/resource.ts";
import type {
  DesiredState,
  Growth,
  MemberStatus,
  Observation,
  ObservedVolume,
  RecordedState,
} from "../cluster/observation.ts";
import { maintenanceAt, windowProblems } from "../maintenance/windows.ts";
import { accountsSecretName, claimName, clusterLabels, keysOf } from "../pods/names.ts";
import type { Naming } from "../pods/names.ts";
import { templateHashOf } from "../pods/pod.ts";
import type { PodTemplate } from "../pods/pod.ts";
import { connectionTrust } from "../tls/plan.ts";
import type { TlsPlan } from "../tls/plan.ts";
import { accountsDue, lostPasswords, observeAccounts } from "./accounts.ts";
import { MemberClients } from "./clients.ts";
import { canUpdate, hashOf, liveSettingsOf, refusedParts } from "./spec.ts";
import { observePod, observeVolume, toBytes } from "./pods.ts";
import type { PodObject } from "./pods.ts";
import { observeTls, securedMembers, tlsInput } from "./tls.ts";

/** The kinds that the controller writes, and those that it only reads. */
type OwnedKinds = readonly [
  typeof Service,
  typeof Secret,
  typeof Pod,
  typeof PersistentVolumeClaim,
  typeof PodDisruptionBudget,
];
export const ownedKinds: OwnedKinds = [Service, Secret, Pod, PersistentVolumeClaim, PodDisruptionBudget];
export const readKinds: readonly [typeof Node] = [Node];
export type ClusterContext = Context<ClusterKind, OwnedKinds[number], typeof Node>;
export type ReadSide = Pick<ClusterContext, "object" | "find" | "get">;

/**
 * What reaches outside of the Kubernetes API, and what this process remembers.
 *
 * @example
 * const clocks: Pick<Environment, "now" | "steady"> = { now: () => Date.now(), steady: () => performance.now() };
 */
export interface Environment {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Random text that cannot be guessed. */
  readonly randomText: () => string;
  readonly dial?: Dial | undefined;
  /** The image of this program, for backup pods. */
  readonly agentImage?: AgentImage | undefined;
}

/** Since when members are silent, by cluster and member, by the monotonic clock. */
export type Silences = Map<string, number>;

/** A definition with its environment. */
export interface Setting<C extends AsyncDisposable, P> {
  readonly application: Application<C, P>;
  readonly naming: Naming;
  readonly environment: Environment;
  readonly silences: Silences;
  /** When accounts were compared with the server last, by cluster and the monotonic clock. */
  readonly attempts: Map<string, number>;
  /** Why volumes of a cluster could not grow, and when, by the monotonic clock. */
  readonly refusals: Map<string, { readonly at: number; readonly why: string }>;
  /** The kind of restores in place, if the application has backups. */
  readonly restoreKind?: RestoreKind | undefined;
}

/** The observation with what the actions need. */
export interface ClusterObservation<C extends AsyncDisposable, P> extends Observation<P> {
  readonly object: ClusterObject;
  readonly namespace: string;
  readonly template: PodTemplate;
  readonly clients: MemberClients<C, P>;
  readonly passwords: { readonly operator: string; readonly replication: string };
  readonly tls: TlsPlan;
  readonly accounts: AccountsPlan;
  /** The members that serve TLS. */
  readonly secured: ReadonlySet<string>;
  /** What the first member begins with, if anything is given. */
  readonly seedSource: SeedSource | undefined;
  /** Settings of the spec that are changed while members run. */
  readonly liveSettings: { readonly [name: string]: string };
}

export async function observe<C extends AsyncDisposable, P>(
  context: ReadSide,
  setting: Setting<C, P>,
): Promise<ClusterObservation<C, P>> {
  const { object } = context;
  const { naming, application, environment } = setting;
  const { name, namespace = "" } = object.metadata;
  const keys = keysOf(naming);
  const labels = { [keys.cluster]: name };
  const podObjects = context.find(Pod, { labels }).filter((pod) => isOwned(pod, object));
  const recorded = recordedStateOf(object);
  const certificates = tlsInput(context, object, environment.now());
  const secured = securedMembers(podObjects);
  const passwords = passwordsOf(context, name);
  const clients = new MemberClients(application, {
    cluster: name,
    namespace,
    addresses: addressesOf(podObjects),
    password: passwords.operator,
    authority: connectionTrust(certificates),
    secured,
    dial: environment.dial,
  });
  const pods = podObjects.map((pod) =>
    observePod(pod, { keys, container: naming.application, node: nodeOf(context, pod) }),
  );
  const restoring = restoreOf(context, setting, object);
  const seedSource = restoring === undefined ? object.spec.bootstrap?.from : { backup: pinnedSource(restoring) };
  const statuses = await queryMembers(clients, recorded, { setting, uid: object.metadata.uid });
  const tls = observeTls(certificates, { pods: podObjects, statuses });
  const template = { ...templateOf(object, setting), tlsSecret: tls.mount };
  const accounts = observeAccounts(context, setting, recorded);
  const desired = desiredStateOf(object, setting, { template, seedSource });
  return {
    name,
    namespace,
    now: environment.now(),
    desired: { ...desired, replicationLogin: accounts.replicationLogin },
    growthRefused: growthRefused(setting, object),
    accountsDue: accountsDue(accounts, setting, object),
    liveSettings: liveSettingsOf(object, setting),
    recorded,
    pods,
    volumes: volumesOf(context, { naming, object }),
    statuses,
    isolatedForMs: isolatedFor(statuses, recorded, { setting, uid: object.metadata.uid }),
    foreign: foreignNames(context, { object, naming }),
    missing: [...tls.missing, ...lostPasswords(recorded, { passwords, name })],
    restoreRequest: restoring && { uid: restoring.metadata.uid, name: restoring.metadata.name },
    seedSource,
    object,
    template,
    tls: tls.plan,
    accounts,
    secured,
    clients,
    passwords,
  };
}

/** The volumes of this object: those of one that had its name before are foreign. */
function volumesOf(
  { find }: ReadSide,
  { naming, object: { metadata } }: { readonly naming: Naming; readonly object: ClusterObject },
): readonly ObservedVolume[] {
  const keys = keysOf(naming);
  return find(PersistentVolumeClaim, { labels: { [keys.cluster]: metadata.name } })
    .filter((claim) => claim.metadata.labels?.[keys.uid] === metadata.uid)
    .map((claim) => observeVolume(claim, keys));
}

/** The restore that is under way; else the oldest whose backup was verified. */
function restoreOf<C extends AsyncDisposable, P>(
  { find }: ReadSide,
  { restoreKind }: Setting<C, P>,
  { metadata, status }: ClusterObject,
): RestoreObject | undefined {
  if (restoreKind === undefined) return undefined;
  // The kind is the author's, so the types of the controller do not have it.
  const findRestores = find as unknown as (kind: RestoreKind) => readonly RestoreObject[];
  const own = findRestores(restoreKind).filter(
    (one) =>
      one.spec.cluster === metadata.name &&
      one.metadata.deletionTimestamp === undefined &&
      ["Verified", "Restoring"].includes(one.status?.phase ?? ""),
  );
  const current = own.find((one) => one.metadata.uid === status?.restore?.uid);
  if (status?.restore !== undefined) return current;
  const waiting = own.filter((one) => one.metadata.uid !== status?.handledRestore);
  return waiting.toSorted((one, other) => timeOf(one) - timeOf(other))[0];
}

function timeOf({ metadata }: RestoreObject): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}

function isOwned(pod: PodObject, { metadata }: ClusterObject): boolean {
  return pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
}

function addressesOf(pods: readonly PodObject[]): ReadonlyMap<string, string> {
  return new Map(pods.flatMap(({ metadata, status }) => (status?.podIP ? [[metadata.name, status.podIP]] : [])));
}

function nodeOf({ get }: ReadSide, { spec }: PodObject) {
  return spec?.nodeName === undefined ? undefined : get(Node, spec.nodeName);
}

export function passwordsOf(
  { get }: Pick<ReadSide, "get">,
  name: string,
): ClusterObservation<never, never>["passwords"] {
  const data = get(Secret, accountsSecretName(name))?.data ?? {};
  const read = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  return { operator: read("operator"), replication: read("replication") };
}

/** Pods and claims with names of this cluster that belong to another object. */
function foreignNames({ get }: ReadSide, { object, naming }: { object: ClusterObject; naming: Naming }): string[] {
  const { name, uid } = object.metadata;
  const members = [
    ...(object.status?.members ?? []).map((member) => member.name),
    `${name}-${object.status?.nextSerial ?? 0}`,
  ];
  return members.flatMap((member) => {
    const pod = get(Pod, member);
    const claim = get(PersistentVolumeClaim, claimName(member));
    const isForeignClaim = claim !== undefined && claim.metadata.labels?.[keysOf(naming).uid] !== uid;
    return [
      ...(pod !== undefined && !isOwned(pod, object) ? [`pod ${member}`] : []),
      ...(isForeignClaim ? [`claim ${claimName(member)}`] : []),
    ];
  });
}

interface QueryInput<C extends AsyncDisposable, P> {
  readonly setting: Setting<C, P>;
  readonly uid: string;
}

/**
 * Asks the primary first and then the others: a follower whose position is not behind that of the primary's earlier report has all that
 * the primary had then.
 */
async function queryMembers<C extends AsyncDisposable, P>(
  clients: MemberClients<C, P>,
  { members, primary }: RecordedState,
  input: QueryInput<C, P>,
): Promise<Observation<P>["statuses"]> {
  const names = members.map(({ name }) => name);
  const others = names.filter((name) => name !== primary);
  const ask = async (name: string) => [name, await queryMember(clients, name, input)] as const;
  const first = names.filter((name) => name === primary).map(ask);
  const asked = [...(await Promise.all(first)), ...(await Promise.all(others.map(ask)))];
  return Object.fromEntries(asked);
}

async function queryMember<C extends AsyncDisposable, P>(
  clients: MemberClients<C, P>,
  member: string,
  { setting, uid }: QueryInput<C, P>,
): Promise<MemberStatus<P>> {
  const { application, environment, silences } = setting;
  const key = `${uid}/${member}`;
  const began = environment.steady();
  try {
    const report = await application.report(await clients.to(member, { wasSilent: silences.has(key) }));
    silences.delete(key);
    return { is: "responding", report };
  } catch (error) {
    const since = silences.get(key) ?? began;
    silences.set(key, since);
    const why = error instanceof Error ? error.message : String(error);
    return { is: "silent", why, forMs: environment.steady() - since };
  }
}

/** How long the primary has responded while no other member received from it. */
function isolatedFor<C extends AsyncDisposable, P>(
  statuses: Observation<P>["statuses"],
  { primary = "" }: RecordedState,
  { setting, uid }: QueryInput<C, P>,
): number {
  const { silences, environment } = setting;
  const key = `${uid} is isolated`;
  const others = Object.entries(statuses).filter(([name]) => name !== primary);
  const isReached = others.some(([, status]) => status.is === "responding" && status.report.isReceiving);
  if (isReached || statuses[primary]?.is !== "responding") {
    silences.delete(key);
    return 0;
  }
  const now = environment.steady();
  const since = silences.get(key) ?? now;
  silences.set(key, since);
  return now - since;
}

function recordedStateOf({ status = {}, metadata }: ClusterObject): RecordedState {
  const { failover, switchover, failedSwitchover } = status;
  return {
    lineage: status.lineage ?? metadata.uid,
    isCreated: status.created === true,
    epoch: status.epoch ?? 0,
    primary: status.primary,
    nextSerial: status.nextSerial ?? 0,
    acknowledgements: status.acknowledgements ?? 0,
    members: (status.members ?? []).map(({ name, state, syncedRun, settings, login }) => ({
      name,
      state,
      syncedRun,
      settings,
      login,
    })),
    failover: failover && {
      from: failover.from,
      why: failover.why,
      began: Date.parse(failover.began),
      isIsolated: failover.isolated,
    },
    switchover: switchover && { ...switchover, began: Date.parse(switchover.began) },
    restore: status.restore,
    volumes: status.volumes && { bytes: toBytes(status.volumes.size), grewAt: Date.parse(status.volumes.grewAt) },
    handledRestore: status.handledRestore,
    handledRequest: status.handledRequest,
    failedSwitchover,
  };
}

function desiredStateOf<C extends AsyncDisposable, P>(
  object: ClusterObject,
  setting: Setting<C, P>,
  { template, seedSource }: { readonly template: PodTemplate; readonly seedSource: SeedSource | undefined },
): DesiredState {
  const { spec, metadata } = object;
  const live = Object.entries(liveSettingsOf(object, setting)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    generation: metadata.generation ?? 0,
    isPaused: spec.paused,
    size: spec.size,
    version: template.version,
    failoverMode: spec.failover.mode,
    failoverAfter: toMilliseconds(spec.failover.after),
    availableAfter: toMilliseconds(spec.failover.availableAfter),
    switchover: spec.switchover,
    volumeBytes: toBytes(spec.storage.size),
    growth: growthOf(spec),
    maintenance: maintenanceAt(setting.environment.now(), spec.maintenance?.windows ?? []),
    refused: [...refusedParts(object, setting), ...windowProblems(spec.maintenance?.windows ?? [])],
    ...(live.length === 0 ? {} : { liveSettings: hashOf(live) }),
    ...(seedSource === undefined ? {} : { seed: seedHash(seedSource) }),
    templateHash: templateHashOf(template),
  };
}

const GROWTH_RETRY_MS = 60_000;

/** A refused growth must not hold up what keeps the cluster alive; it is tried again later. */
function growthRefused<C extends AsyncDisposable, P>(
  { refusals, environment }: Setting<C, P>,
  { metadata }: ClusterObject,
): string | undefined {
  const refusal = refusals.get(metadata.uid);
  return refusal !== undefined && environment.steady() - refusal.at < GROWTH_RETRY_MS ? refusal.why : undefined;
}

function growthOf({ storage: { growth } }: ClusterObject["spec"]): Growth | undefined {
  if (growth === undefined) return undefined;
  const { at, by, maximum, every } = growth;
  return { threshold: at, percent: by, maximumBytes: toBytes(maximum), everyMs: toMilliseconds(every) };
}

export function templateOf<C extends AsyncDisposable, P>(object: ClusterObject, setting: Setting<C, P>): PodTemplate {
  const { naming, application } = setting;
  const { metadata, spec, status } = object;
  const memory = spec.resources.limits?.["memory"] ?? spec.resources.requests?.["memory"] ?? "512Mi";
  const memoryBytes = toBytes(memory);
  const given = Object.entries(spec.settings).filter(([name]) =>
    ["restart", "creation"].includes(application.settings.classOf(name)),
  );
  return {
    naming,
    cluster: metadata.name,
    namespace: metadata.namespace ?? "",
    lineage: status?.lineage ?? metadata.uid,
    port: application.port,
    image: spec.image,
    version: canUpdate(object, setting) ? spec.version : (status?.version ?? spec.version),
    memoryBytes,
    resources: spec.resources,
    settings: { ...application.settings.sized(memoryBytes), ...Object.fromEntries(given) },
    program: application.member,
  };
}

/** The selector of a cluster's pods, as text. */
export function selectorOf(naming: Naming, cluster: string): string {
  return Object.entries(clusterLabels(naming, cluster))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
