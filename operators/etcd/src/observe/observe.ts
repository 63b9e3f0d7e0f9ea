/** Observes everything that a decision depends on: objects from the cache, status from the members. */
import type { Context, ObjectOf } from "capstan";
import { StatefulSet } from "capstan/kinds/apps/v1";
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { Node, PersistentVolumeClaim, Pod, PodTemplate, Secret, Service } from "capstan/kinds/v1";
import type {
  DesiredState,
  LastGoodTemplate,
  ListedMember,
  Membership,
  Observation,
  ObservedPod,
  SnapshotState,
} from "../contract.ts";
import { etcd, isRecovering } from "../decide/index.ts";
import { parseDuration } from "../duration.ts";
import { superusersOf } from "../etcd/index.ts";
import type { Dial } from "../etcd/index.ts";
import type { RecordedBackup } from "capstan/stateful/parts";
import {
  backupsOf,
  compareData,
  compareSurvivors,
  disagreementKey,
  mergeReportedMembers,
  reasonsToCompare,
  rejectMemberList,
  Stopwatch,
} from "capstan/stateful/quorum";
import type { CompareFacts, ComparisonResult, DataComparison, Sightings } from "capstan/stateful/quorum";
import type { RecordedMembers, SeedSource, SurvivorComparison, Uncompared } from "capstan/stateful/quorum";
import { EtcdBackup, EtcdOperation, EtcdRestore } from "../kinds/index.ts";
import type { EtcdCluster } from "../kinds/index.ts";
import {
  clientServiceName,
  CLUSTER_LABEL,
  digestTemplate,
  templateAnnotation,
  lastGoodTemplateName,
  snapshotLabel,
  MEMBER_LABEL,
  templateHashOf,
  authorityAnnotation,
  UID_LABEL,
  withTemplate,
} from "../pods/index.ts";
import type { PodTemplateInput, ClusterAddress } from "../pods/index.ts";
import { planTls, secretNames, tlsSecrets } from "../tls/index.ts";
import type { TlsPlan } from "../tls/index.ts";
import {
  recordedComparison,
  recordedStateOf,
  recordedSurvivors,
  rememberedMembers,
  desiredStateOf,
  recordedSightings,
} from "./spec-and-status.ts";
import type { ClusterObject } from "./spec-and-status.ts";
import { listFromMembers } from "./reported-members.ts";
import { queryMembers } from "./query-members.ts";
import type { MemberReport } from "./query-members.ts";
import { mountsOf, observePod, observeVolume } from "./pods.ts";
import type { ClaimObject, NodeObject, PodContext, PodObject } from "./pods.ts";
import { MemberClients } from "./member-clients.ts";
import type { Connect } from "./member-clients.ts";

/** The kinds that the controller writes, and those that it only reads. */
export const ownedKinds = [
  Service,
  Secret,
  Pod,
  PodTemplate,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  EtcdBackup,
] as const;
export const readKinds = [Node, StatefulSet, EtcdOperation, EtcdRestore] as const;
type Owned = (typeof ownedKinds)[number];
type Read = (typeof readKinds)[number];
export type ClusterContext = Context<typeof EtcdCluster, Owned, Read>;
/** The type of the object is written out, because another readonly layer would exceed the compiler's depth limit. */
export type ObserveContext = Pick<ClusterContext, "find" | "get"> & { readonly object: ClusterObject };
/** A context that can read pods and Secrets. */
export type FindPods = Pick<Context<typeof EtcdCluster, typeof Pod | typeof Secret>, "find" | "get">;
/** The context that the controller passes. */
type ReconcileInput = Pick<ClusterContext, "find" | "get"> & { readonly object: unknown };

/** Dependencies outside the Kubernetes API. */
export interface Environment {
  readonly connect: Connect;
  readonly dial?: Dial | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
}

/** The dependencies, and what this process has observed of each cluster, by its uid. */
export interface ObserveEnvironment extends Environment {
  readonly sightings: Map<string, Sightings>;
}

/** The observation, and the clients that were opened for it. */
export interface ClusterObservation extends Observation {
  readonly object: ClusterObject;
  readonly template: PodTemplateInput;
  readonly tls: TlsPlan;
  readonly report: MemberReport;
  readonly clients: MemberClients;
  readonly stopwatch: Stopwatch;
  /** The last good template. */
  readonly goodForm?: PodTemplateInput;
  /** The last comparison of members with quorum, and the reasons that it does not cover. */
  readonly compared: ComparisonResult;
  /** The last comparison of the survivors of a quorum loss. */
  readonly remains?: SurvivorComparison | undefined;
  /** The backup that a first member starts with, if any. */
  readonly seedFrom?: SeedSource;
  /** The newest recorded backup of that source, if it names none. */
  readonly recorded?: RecordedBackup;
  /** The backup that a recovery would start with now. */
  readonly newest?: SeedSource;
}

export async function observe(given: ReconcileInput, outside: ObserveEnvironment): Promise<ClusterObservation> {
  const object = given.object as ClusterObject;
  const context: ObserveContext = { object, find: given.find, get: given.get };
  const now = outside.now();
  const pods = ownPods(context);
  const { place, tls, form } = podTemplateOf(context, object, { pods, now });
  const clients = new MemberClients({ ...outside, place, tls: tls.operator, addresses: addressesOf(pods) });
  const stopwatch = stopwatchFor(object, now, outside);
  const goodForm = readLastGoodTemplate(context, form);
  try {
    const recordedState = recordedStateOf(object.status);
    // A recovery from a backup changes the cluster id. Until the new one is recorded, any id is accepted.
    const expected = recordedState.recovery?.phase === "Seeding" ? undefined : recordedState.clusterId;
    const remembered = rememberedMembers(object.status);
    const volumes = ownClaims(context).map(observeVolume);
    // The survivor of a recovery lists only itself.
    const doubt = (members: readonly ListedMember[]) =>
      isRecovering(recordedState.recovery) ? undefined : rejectMemberList(members, { remembered, volumes });
    const report = await queryMembers(clients, { expected, doubt });
    const desired = desiredStateOf(object, form, replacements(context));
    const seenPods = observePods(context, pods, { now, stopwatch, mounts: tls.mounts });
    const reasons = reasonsToCompare({ hearing: report, pods: seenPods, volumes, wanted: desired, now });
    const subject = disagreementKey({ hearing: report, pods: seenPods, generation: desired.generation });
    const facts = { hearing: report, volumes, now, reasons, subject, ...previousComparison(object, stopwatch) };
    const compared = await compareData(clients, facts);
    const { comparison } = compared;
    return {
      application: etcd,
      name: place.name,
      now,
      desired,
      recordedState: { ...recordedState, serial: Math.max(recordedState.serial, highestSerial(context)) },
      pods: seenPods,
      volumes,
      memberStatuses: clearDisprovedAlarms(report.answers, comparison),
      membership: await membershipOf(clients, report, { clusterId: recordedState.clusterId, remembered, volumes }),
      ...(report.disbelief === undefined ? {} : { rejectedMemberList: report.disbelief }),
      foreign: foreignNames(context),
      ...(goodForm === undefined ? {} : { goodForm, lastGood: lastGoodTemplateOf(goodForm) }),
      otherAuthority: membersWithOtherAuthority(pods, { name: place.name, tls }),
      missing: missingParts(context, tls),
      ...(report.quorum
        ? { differing: comparison?.differing ?? [] }
        : await compareMembers(clients, { object, report, pods: seenPods, now, stopwatch })),
      ...uncomparedFor(compared.uncompared, stopwatch),
      ...updatingSince(object, stopwatch),
      staleAlarms: staleAlarms(report, comparison),
      snapshots: snapshotsOf(context),
      ...backupsOf({ object, backups: context.find(EtcdBackup), restores: context.find(EtcdRestore) }),
      compared,
      object,
      template: form,
      tls,
      report,
      clients,
      stopwatch,
    };
  } catch (error) {
    await clients[Symbol.asyncDispose]();
    throw error;
  }
}

function observePods(
  context: ObserveContext,
  pods: readonly PodObject[],
  light: Omit<PodContext, "node">,
): readonly ObservedPod[] {
  return pods.map((pod) => observePod(pod, { ...light, node: nodeOf(context, pod) }));
}

/** A member that is away only by the calendar may just be starting: this process itself must have observed the absence for a while. */
function stopwatchFor(
  { metadata, spec, status }: ClusterObject,
  now: number,
  { steady, sightings }: ObserveEnvironment,
): Stopwatch {
  const own: Sightings = sightings.get(metadata.uid) ?? new Map();
  sightings.set(metadata.uid, own);
  const confirmAfter = Math.min(memberListMaxAge, parseDuration(spec.recovery.replaceAfter));
  return new Stopwatch(recordedSightings(status), now, { at: steady(), sightings: own, confirmAfter });
}

/** Longer than it takes to recreate a pod. */
const memberListMaxAge = 60_000;

/** The membership by a linearizable list, or the recorded and reported members without quorum. */
async function membershipOf(
  clients: MemberClients,
  report: MemberReport,
  { clusterId, remembered, volumes }: RecordedMembers & { readonly clusterId: string | undefined },
): Promise<Membership> {
  if (report.quorum !== undefined) return report.quorum;
  const heard = await listFromMembers(clients, report, clusterId);
  return { by: "memory", members: mergeReportedMembers(remembered, { heard, volumes }) };
}

/** Clients of a cluster's members, for controllers other than its own. */
export function openMemberClients(context: FindPods, object: ClusterObject, outside: Environment): MemberClients {
  const look = { object, find: context.find, get: context.get };
  const pods = ownPods(look);
  const { place, tls } = podTemplateOf(look, object, { pods, now: outside.now() });
  return new MemberClients({ ...outside, place, tls: tls.operator, addresses: addressesOf(pods) });
}

function podTemplateOf(
  context: FindPods,
  object: ClusterObject,
  { pods, now }: { readonly pods: readonly PodObject[]; readonly now: number },
): { readonly place: ClusterAddress; readonly tls: TlsPlan; readonly form: PodTemplateInput } {
  const { name, namespace = "", uid } = object.metadata;
  const { spec } = object;
  const cluster = { name, namespace };
  const secrets = tlsSecrets(cluster, spec.tls).flatMap((secret) => context.get(Secret, secret) ?? []);
  const trusted = pods.map(({ metadata }) => metadata.annotations?.[authorityAnnotation] ?? "");
  const tls = planTls({
    cluster,
    spec: spec.tls,
    secrets: secrets as readonly ObjectOf<typeof Secret>[],
    now,
    trusted,
    request: object.metadata.annotations?.[rotateAnnotation] ?? "",
    ...(spec.auth.enabled && { superusers: superusersOf(spec.auth) }),
  });
  const place = { name, namespace, isSecure: spec.tls.mode !== "Off" };
  return { place, tls, form: { place, uid, spec, trust: tls.restart, ...(tls.mounts ? { mounts: tls.mounts } : {}) } };
}

function ownPods({ find, object }: FindPods & { readonly object: ClusterObject }): readonly PodObject[] {
  const pods = find(Pod, { labels: { [CLUSTER_LABEL]: object.metadata.name } }) as readonly PodObject[];
  return pods.filter((pod) => isOwned(pod.metadata, object.metadata.uid));
}

/** Claims are found by label, because retained ones have no owner. */
function ownClaims({ find, object }: ObserveContext): readonly ClaimObject[] {
  const labels = { [CLUSTER_LABEL]: object.metadata.name, [UID_LABEL]: object.metadata.uid };
  return find(PersistentVolumeClaim, { labels }) as readonly ClaimObject[];
}

/** A changed value requests a new certificate authority. */
const rotateAnnotation = "etcd.capstan.dev/rotate-ca";

interface Owners {
  readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
}

function isOwned({ ownerReferences = [] }: Owners, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

/** Member names of this namespace are never reused, even by a cluster that was deleted. */
function highestSerial({ find, object }: ObserveContext): number {
  const labels = { [CLUSTER_LABEL]: object.metadata.name };
  const claims = find(PersistentVolumeClaim, { labels }).map(({ metadata }) => metadata.labels?.[MEMBER_LABEL]);
  const serials = claims.map((member) => Number(member?.slice(member.lastIndexOf("-") + 1)));
  return Math.max(-1, ...serials.filter(Number.isInteger));
}

function addressesOf(pods: readonly PodObject[]): ReadonlyMap<string, string> {
  return new Map(pods.flatMap((pod) => addressOf(pod)));
}

function addressOf(pod: PodObject): readonly (readonly [string, string])[] {
  const member = pod.metadata.labels?.[MEMBER_LABEL];
  const address = pod.status?.podIP;
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  return member === undefined || address === undefined || isLeaving ? [] : [[member, address]];
}

function nodeOf({ get }: ObserveContext, pod: PodObject): NodeObject | undefined {
  return pod.spec?.nodeName === undefined ? undefined : (get(Node, pod.spec.nodeName) as NodeObject | undefined);
}

/** Objects with names of this cluster that have another owner. */
function foreignNames({ get, object }: ObserveContext): string[] {
  const { name, uid } = object.metadata;
  const services = [name, clientServiceName(name)].filter((service) => {
    const found = get(Service, service);
    return found !== undefined && !isOwned(found.metadata, uid);
  });
  const set = get(StatefulSet, name);
  return [...services.map((service) => `Service ${service}`), ...(set === undefined ? [] : [`StatefulSet ${name}`])];
}

function lastGoodTemplateOf(template: PodTemplateInput): LastGoodTemplate {
  return { templateDigest: digestTemplate(template), templateHashFor: (version) => templateHashOf(template, version) };
}

function readLastGoodTemplate({ get, object }: ObserveContext, form: PodTemplateInput): PodTemplateInput | undefined {
  const template = get(PodTemplate, lastGoodTemplateName(form.place.name));
  const isOurs = template !== undefined && isOwned(template.metadata, object.metadata.uid);
  return isOurs ? withTemplate(form, template.metadata.annotations?.[templateAnnotation]) : undefined;
}

/** Members with certificates of the operator's authority although Secrets are provided, or the other way round. */
function membersWithOtherAuthority(
  pods: readonly PodObject[],
  { name, tls }: { readonly name: string; readonly tls: TlsPlan },
): string[] {
  const desired = tls.mounts?.peer;
  const isOwn = (secret: string): boolean => secret === secretNames({ name }).peer;
  return pods.flatMap((pod) => {
    const { peer } = mountsOf(pod);
    const isOther = desired !== undefined && peer !== undefined && isOwn(peer) !== isOwn(desired);
    return isOther ? [pod.metadata.name] : [];
  });
}

function missingParts({ get }: ObserveContext, { apply, mounts, state }: TlsPlan): string[] {
  if (mounts === undefined) return state.ready ? [] : [state.message];
  const names = new Set([...apply.map(({ name }) => name), mounts.server, mounts.peer]);
  return [...names].filter((name) => get(Secret, name) === undefined).map((name) => `the Secret ${name}`);
}

/** Members that EtcdOperations request to replace, and those among them with an override. */
function replacements({ find, object }: ObserveContext): Pick<DesiredState, "replace" | "overridden"> {
  const asked = find(EtcdOperation).flatMap(({ spec, status }) => {
    const { replaceMember } = spec.do;
    const isMeant = spec.cluster === object.metadata.name && status?.phase === "Running";
    return isMeant && replaceMember !== undefined ? [replaceMember] : [];
  });
  const overridden = asked.filter(({ evenUncompared }) => evenUncompared);
  return { replace: asked.map(({ member }) => member), overridden: overridden.map(({ member }) => member) };
}

/** Backups that the operator requested, by the name of the EtcdBackup. */
function snapshotsOf({ find, object }: ObserveContext): { readonly [name: string]: SnapshotState } {
  const { name } = object.metadata;
  const own = find(EtcdBackup).filter(
    ({ spec, metadata }) => spec.cluster === name && metadata.labels?.[snapshotLabel] !== undefined,
  );
  return Object.fromEntries(own.map(({ metadata, status }) => [metadata.name, snapshotStateOf(status ?? {})]));
}

type BackupStatus = Partial<NonNullable<ObjectOf<typeof EtcdBackup>["status"]>>;

function snapshotStateOf({ phase, last, failures = 0, message = "" }: BackupStatus): SnapshotState {
  if (phase === "Succeeded" && last !== undefined) return { is: "made", backup: last.name };
  return failures > 0 ? { is: "failing", why: message } : { is: "making" };
}

/** The last comparison, and since when its reasons are not covered. */
function previousComparison(
  { status }: ClusterObject,
  stopwatch: Stopwatch,
): Pick<CompareFacts, "former" | "unansweredSince" | "missedSince"> {
  const former = recordedComparison(status);
  const missedSince = former.missed && stopwatch.since("data not compared by the hour");
  return { former, missedSince, unansweredSince: uncomparedFor(former.uncompared, stopwatch).uncompared?.since };
}

/** Reasons to compare that are not covered, and since when. */
function uncomparedFor(uncompared: Uncompared | undefined, stopwatch: Stopwatch): Pick<Observation, "uncompared"> {
  if (uncompared === undefined) return {};
  const { reasons, members, unlike } = uncompared;
  const since = Math.min(...reasons.map((reason) => stopwatch.since(`not compared: ${reason}`)));
  return { uncompared: { reasons, members, since, ...(unlike && { unlike }) } };
}

/** Monotonic: setting the clock forward does not make an update time out. */
function updatingSince({ status }: ClusterObject, stopwatch: Stopwatch): Pick<Observation, "updatingSince"> {
  const { update } = status ?? {};
  if (update === undefined || update.failed !== undefined) return {};
  const { to, member = "nobody", began } = update;
  return { updatingSince: stopwatch.since(`update to ${to}, turn of ${member}, ${began}`) };
}

interface ComparisonInput extends Pick<ClusterObservation, "object" | "report" | "pods" | "now" | "stopwatch"> {}

/** Compares the survivors of a quorum loss. */
async function compareMembers(
  clients: MemberClients,
  { object, report, pods, now, stopwatch }: ComparisonInput,
): Promise<Pick<ClusterObservation, "differing" | "withoutHash" | "withoutHashSince" | "remains">> {
  const { answers } = report;
  const former = recordedSurvivors(object.status);
  const sinceOf = (remains: SurvivorComparison | undefined): number | undefined =>
    remains === undefined || remains.withoutHash.length === 0 ? undefined : stopwatch.since("those left not compared");
  const facts = {
    answers,
    pods,
    clusterId: object.status?.clusterId,
    now,
    former,
    since: sinceOf(former),
  };
  const { survivors, remains } = await compareSurvivors(clients, facts);
  const withoutHashSince = sinceOf(remains);
  const { differing, withoutHash } = survivors;
  return { differing, withoutHash, remains, ...(withoutHashSince === undefined ? {} : { withoutHashSince }) };
}

/** Alarms about removed members, and about members that are in the majority. */
function staleAlarms({ quorum, alarms }: MemberReport, comparison: DataComparison | undefined): string[] {
  const isAccusable = (id: string): boolean =>
    quorum?.members.some((listed) => listed.id === id && comparison?.agreeing?.includes(listed.member) !== true) ===
    true;
  return alarms
    .filter(({ kind, memberId }) => kind === "Corrupt" && !isAccusable(memberId))
    .map(({ memberId }) => memberId);
}

/** A member in the majority is not corrupt, even if an alarm names it. */
function clearDisprovedAlarms(
  memberStatuses: MemberReport["answers"],
  comparison: DataComparison | undefined,
): MemberReport["answers"] {
  const agreeing = comparison?.agreeing ?? [];
  const entries = Object.entries(memberStatuses).map(([member, answer]) =>
    answer.is === "talking" && agreeing.includes(member) ? [member, { ...answer, isCorrupt: false }] : [member, answer],
  );
  return Object.fromEntries(entries);
}
