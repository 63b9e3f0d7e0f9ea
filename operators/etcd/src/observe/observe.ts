/** Looks at everything that a decision depends on: objects from the cache, answers from the members. */
import type { Context, ObjectOf } from "capstan";
import { StatefulSet } from "capstan/kinds/apps/v1";
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { Node, PersistentVolumeClaim, Pod, PodTemplate, Secret, Service } from "capstan/kinds/v1";
import type { GoodForm, Membership, Observation, Safeguard, Wanted } from "../contract.ts";
import { isRecovering } from "../decide/index.ts";
import { parseDuration } from "../duration.ts";
import { superusersOf } from "../etcd/index.ts";
import type { Dial } from "../etcd/index.ts";
import type { Recorded } from "../backup/retention.ts";
import { EtcdBackup, EtcdOperation, EtcdRestore } from "../kinds/index.ts";
import type { EtcdCluster } from "../kinds/index.ts";
import {
  clientServiceName,
  CLUSTER_LABEL,
  digestForm,
  FORM_ANNOTATION,
  formName,
  GUARD_LABEL,
  MEMBER_LABEL,
  printOf,
  TRUST_ANNOTATION,
  UID_LABEL,
  withForm,
} from "../pods/index.ts";
import type { Form, Place } from "../pods/index.ts";
import { planTls, secretNames, tlsSecrets } from "../tls/index.ts";
import type { TlsPlan } from "../tls/index.ts";
import { disbeliefIn } from "./belief.ts";
import type { Memory } from "./belief.ts";
import { compareData } from "./compare.ts";
import type { Compared, CompareFacts, Comparison, Uncompared } from "./compare.ts";
import { comparedOf, knownOf, remainsOf, rememberedMembers, wantedOf, watchedOf } from "./known.ts";
import type { ClusterObject } from "./known.ts";
import { complete, hearLocally } from "./hearsay.ts";
import { subjectOf } from "./dispute.ts";
import { hear } from "./members.ts";
import type { Hearing } from "./members.ts";
import { mountsOf, seePod, seeVolume } from "./pods.ts";
import type { ClaimObject, NodeObject, PodObject } from "./pods.ts";
import { Reach } from "./reach.ts";
import type { Connect } from "./reach.ts";
import { backupsOf } from "./seed-source.ts";
import type { SeedSource } from "./seed-source.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { Sightings } from "./stopwatch.ts";
import { compareSurvivors } from "./survivors.ts";
import type { Remains } from "./survivors.ts";
import { reasonsToCompare } from "./urge.ts";

/** What the controller writes and what it only reads. */
export const OWNS = [
  Service,
  Secret,
  Pod,
  PodTemplate,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  EtcdBackup,
] as const;
export const READS = [Node, StatefulSet, EtcdOperation, EtcdRestore] as const;
type Owned = (typeof OWNS)[number];
type Read = (typeof READS)[number];
export type ClusterContext = Context<typeof EtcdCluster, Owned, Read>;
/** What may be looked at. The object's type is spelled out: made readonly once more it would be too deep for the compiler. */
export type LookContext = Pick<ClusterContext, "find" | "get"> & { readonly object: ClusterObject };
/** Whoever may look at pods and Secrets. */
export type FindPods = Pick<Context<typeof EtcdCluster, typeof Pod | typeof Secret>, "find" | "get">;
/** The context as the controller gives it. */
type GivenContext = Pick<ClusterContext, "find" | "get"> & { readonly object: unknown };

/** The world outside the cluster's API, handed in. */
export interface Outside {
  readonly connect: Connect;
  readonly dial?: Dial | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that only runs: nobody puts it forward or back. */
  readonly steady: () => number;
}

/** The world outside, and what this process has seen of each cluster so far, by its uid. */
export interface Lookout extends Outside {
  readonly sightings: Map<string, Sightings>;
}

/** Everything that was seen, and the ways to the members that were opened for it. */
export interface Seen extends Observation {
  readonly object: ClusterObject;
  readonly form: Form;
  readonly tls: TlsPlan;
  readonly hearing: Hearing;
  readonly reach: Reach;
  readonly stopwatch: Stopwatch;
  /** The form in which all members were well. */
  readonly goodForm?: Form;
  /** When members that have quorum were last compared, and what that left open. */
  readonly compared: Compared;
  /** When those that are left without quorum were last compared. */
  readonly remains?: Remains | undefined;
  /** What a first member begins with, if not with nothing. */
  readonly seedFrom?: SeedSource;
  /** The newest backup that was recorded of where that comes from, if it names none. */
  readonly recorded?: Recorded;
  /** What a recovery would begin with now. */
  readonly newest?: SeedSource;
}

export async function observe(given: GivenContext, outside: Lookout): Promise<Seen> {
  const object = given.object as ClusterObject;
  const context: LookContext = { object, find: given.find, get: given.get };
  const now = outside.now();
  const pods = ownPods(context);
  const { place, tls, form } = formOf(context, object, { pods, now });
  const reach = new Reach({ ...outside, place, tls: tls.operator, addresses: addressesOf(pods) });
  const stopwatch = stopwatchFor(object, now, outside);
  const goodForm = goodFormOf(context, form);
  try {
    const known = knownOf(object.status);
    // A recovery from a backup gives the cluster another identity: until that is written down, any will do.
    const expected = known.recovery?.phase === "Seeding" ? undefined : known.clusterId;
    const remembered = rememberedMembers(object.status);
    const volumes = ownClaims(context).map(seeVolume);
    const hearing = await hear(reach, {
      expected,
      // Whoever is to go on alone lists itself alone.
      doubt: (members) => (isRecovering(known.recovery) ? undefined : disbeliefIn(members, { remembered, volumes })),
    });
    const wanted = wantedOf(object, form, replacements(context));
    const seenPods = pods.map((pod) => seePod(pod, { node: nodeOf(context, pod), now, stopwatch, mounts: tls.mounts }));
    const reasons = reasonsToCompare({ hearing, pods: seenPods, volumes, wanted, now });
    const subject = subjectOf({ hearing, pods: seenPods, generation: wanted.generation });
    const facts = { hearing, volumes, now, reasons, subject, ...formerly(object, stopwatch) };
    const compared = await compareData(reach, facts);
    const { comparison } = compared;
    return {
      name: place.name,
      now,
      wanted,
      known: { ...known, serial: Math.max(known.serial, takenSerial(context)) },
      pods: seenPods,
      volumes,
      answers: acquitted(hearing.answers, comparison),
      membership: await membershipOf(reach, hearing, { clusterId: known.clusterId, remembered, volumes }),
      ...(hearing.disbelief === undefined ? {} : { disbelief: hearing.disbelief }),
      foreign: foreignNames(context),
      ...(goodForm === undefined ? {} : { goodForm, good: goodOf(goodForm) }),
      otherTrust: otherTrust(pods, { name: place.name, tls }),
      missing: missingParts(context, tls),
      ...(hearing.quorum
        ? { differing: comparison?.differing ?? [] }
        : await weigh(reach, { object, hearing, pods: seenPods, now, stopwatch })),
      ...uncomparedFor(compared.uncompared, stopwatch),
      ...updatingSince(object, stopwatch),
      staleAlarms: staleAlarms(hearing, comparison),
      safeguards: safeguardsOf(context),
      ...backupsOf({ object, backups: context.find(EtcdBackup), restores: context.find(EtcdRestore) }),
      compared,
      object,
      form,
      tls,
      hearing,
      reach,
      stopwatch,
    };
  } catch (error) {
    await reach[Symbol.asyncDispose]();
    throw error;
  }
}

/** A member that is given up by a clock alone may only be starting: this process must have seen for a while that it is away. */
function stopwatchFor(
  { metadata, spec, status }: ClusterObject,
  now: number,
  { steady, sightings }: Lookout,
): Stopwatch {
  const own: Sightings = sightings.get(metadata.uid) ?? new Map();
  sightings.set(metadata.uid, own);
  const confirmAfter = Math.min(CONFIRMED, parseDuration(spec.recovery.replaceAfter));
  return new Stopwatch(watchedOf(status), now, { at: steady(), sightings: own, confirmAfter });
}

/** Longer than a pod needs to be made anew. */
const CONFIRMED = 60_000;

/** Who is in, by the word of one who can answer for all, or as far as it is known without. */
async function membershipOf(
  reach: Reach,
  hearing: Hearing,
  { clusterId, remembered, volumes }: Memory & { readonly clusterId: string | undefined },
): Promise<Membership> {
  if (hearing.quorum !== undefined) return hearing.quorum;
  const heard = await hearLocally(reach, hearing, clusterId);
  return { by: "memory", members: complete(remembered, { heard, volumes }) };
}

/** Ways to the members of a cluster for somebody else than its controller. */
export function openReach(context: FindPods, object: ClusterObject, outside: Outside): Reach {
  const look = { object, find: context.find, get: context.get };
  const pods = ownPods(look);
  const { place, tls } = formOf(look, object, { pods, now: outside.now() });
  return new Reach({ ...outside, place, tls: tls.operator, addresses: addressesOf(pods) });
}

function formOf(
  context: FindPods,
  object: ClusterObject,
  { pods, now }: { readonly pods: readonly PodObject[]; readonly now: number },
): { readonly place: Place; readonly tls: TlsPlan; readonly form: Form } {
  const { name, namespace = "", uid } = object.metadata;
  const { spec } = object;
  const cluster = { name, namespace };
  const secrets = tlsSecrets(cluster, spec.tls).flatMap((secret) => context.get(Secret, secret) ?? []);
  const trusted = pods.map(({ metadata }) => metadata.annotations?.[TRUST_ANNOTATION] ?? "");
  const tls = planTls({
    cluster,
    spec: spec.tls,
    secrets: secrets as readonly ObjectOf<typeof Secret>[],
    now,
    trusted,
    request: object.metadata.annotations?.[ROTATE_ANNOTATION] ?? "",
    ...(spec.auth.enabled && { superusers: superusersOf(spec.auth) }),
  });
  const place = { name, namespace, isSecure: spec.tls.mode !== "Off" };
  return { place, tls, form: { place, uid, spec, trust: tls.restart, ...(tls.mounts ? { mounts: tls.mounts } : {}) } };
}

function ownPods({ find, object }: FindPods & { readonly object: ClusterObject }): readonly PodObject[] {
  const pods = find(Pod, { labels: { [CLUSTER_LABEL]: object.metadata.name } }) as readonly PodObject[];
  return pods.filter((pod) => isOwned(pod.metadata, object.metadata.uid));
}

/** Claims are known by a label, for those that outlive the cluster have no owner. */
function ownClaims({ find, object }: LookContext): readonly ClaimObject[] {
  const labels = { [CLUSTER_LABEL]: object.metadata.name, [UID_LABEL]: object.metadata.uid };
  return find(PersistentVolumeClaim, { labels }) as readonly ClaimObject[];
}

/** Another text asks for another authority. */
const ROTATE_ANNOTATION = "etcd.capstan.dev/rotate-ca";

interface Owners {
  readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
}

function isOwned({ ownerReferences = [] }: Owners, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

/** Names that were used in this namespace are not used again, whoever used them. */
function takenSerial({ find, object }: LookContext): number {
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

function nodeOf({ get }: LookContext, pod: PodObject): NodeObject | undefined {
  return pod.spec?.nodeName === undefined ? undefined : (get(Node, pod.spec.nodeName) as NodeObject | undefined);
}

/** Objects that bear our names and are not ours. */
function foreignNames({ get, object }: LookContext): string[] {
  const { name, uid } = object.metadata;
  const services = [name, clientServiceName(name)].filter((service) => {
    const found = get(Service, service);
    return found !== undefined && !isOwned(found.metadata, uid);
  });
  const set = get(StatefulSet, name);
  return [...services.map((service) => `Service ${service}`), ...(set === undefined ? [] : [`StatefulSet ${name}`])];
}

function goodOf(form: Form): GoodForm {
  return { form: digestForm(form), printOf: (version) => printOf(form, version) };
}

function goodFormOf({ get, object }: LookContext, form: Form): Form | undefined {
  const template = get(PodTemplate, formName(form.place.name));
  const isOurs = template !== undefined && isOwned(template.metadata, object.metadata.uid);
  return isOurs ? withForm(form, template.metadata.annotations?.[FORM_ANNOTATION]) : undefined;
}

/** Members with certificates of the operator's authority where Secrets are given, or the other way round. */
function otherTrust(
  pods: readonly PodObject[],
  { name, tls }: { readonly name: string; readonly tls: TlsPlan },
): string[] {
  const wanted = tls.mounts?.peer;
  const isOwn = (secret: string): boolean => secret === secretNames({ name }).peer;
  return pods.flatMap((pod) => {
    const { peer } = mountsOf(pod);
    const isOther = wanted !== undefined && peer !== undefined && isOwn(peer) !== isOwn(wanted);
    return isOther ? [pod.metadata.name] : [];
  });
}

function missingParts({ get }: LookContext, { apply, mounts, state }: TlsPlan): string[] {
  if (mounts === undefined) return state.ready ? [] : [state.message];
  const names = new Set([...apply.map(({ name }) => name), mounts.server, mounts.peer]);
  return [...names].filter((name) => get(Secret, name) === undefined).map((name) => `the Secret ${name}`);
}

/** Members that operations ask to replace, and those of them that somebody vouches for. */
function replacements({ find, object }: LookContext): Pick<Wanted, "replace" | "vouched"> {
  const asked = find(EtcdOperation).flatMap(({ spec, status }) => {
    const { replaceMember } = spec.do;
    const isMeant = spec.cluster === object.metadata.name && status?.phase === "Running";
    return isMeant && replaceMember !== undefined ? [replaceMember] : [];
  });
  const vouched = asked.filter(({ evenUncompared }) => evenUncompared);
  return { replace: asked.map(({ member }) => member), vouched: vouched.map(({ member }) => member) };
}

/** Backups that the operator asked for, by the names of their EtcdBackups. */
function safeguardsOf({ find, object }: LookContext): { readonly [name: string]: Safeguard } {
  const { name } = object.metadata;
  const own = find(EtcdBackup).filter(
    ({ spec, metadata }) => spec.cluster === name && metadata.labels?.[GUARD_LABEL] !== undefined,
  );
  return Object.fromEntries(own.map(({ metadata, status }) => [metadata.name, safeguardOf(status ?? {})]));
}

type BackupStatus = Partial<NonNullable<ObjectOf<typeof EtcdBackup>["status"]>>;

function safeguardOf({ phase, last, failures = 0, message = "" }: BackupStatus): Safeguard {
  if (phase === "Succeeded" && last !== undefined) return { is: "made", backup: last.name };
  return failures > 0 ? { is: "failing", why: message } : { is: "making" };
}

/** What was compared before, and since when there has been no answer to what was left open. */
function formerly(
  { status }: ClusterObject,
  stopwatch: Stopwatch,
): Pick<CompareFacts, "former" | "unansweredSince" | "missedSince"> {
  const former = comparedOf(status);
  const missedSince = former.missed && stopwatch.since("data not compared by the hour");
  return { former, missedSince, unansweredSince: uncomparedFor(former.uncompared, stopwatch).uncompared?.since };
}

/** What is to be known before anybody is given up or let in, and since when it has not been. */
function uncomparedFor(uncompared: Uncompared | undefined, stopwatch: Stopwatch): Pick<Observation, "uncompared"> {
  if (uncompared === undefined) return {};
  const { reasons, members, unlike } = uncompared;
  const since = Math.min(...reasons.map((reason) => stopwatch.since(`not compared: ${reason}`)));
  return { uncompared: { reasons, members, since, ...(unlike && { unlike }) } };
}

/** A clock that is put forward makes no update take longer. */
function updatingSince({ status }: ClusterObject, stopwatch: Stopwatch): Pick<Observation, "updatingSince"> {
  const { update } = status ?? {};
  if (update === undefined || update.failed !== undefined) return {};
  const { to, member = "nobody", began } = update;
  return { updatingSince: stopwatch.since(`update to ${to}, turn of ${member}, ${began}`) };
}

interface Scales extends Pick<Seen, "object" | "hearing" | "pods" | "now" | "stopwatch"> {}

/** What is known of the data of those that are left without quorum. */
async function weigh(
  reach: Reach,
  { object, hearing, pods, now, stopwatch }: Scales,
): Promise<Pick<Seen, "differing" | "unhashed" | "unhashedSince" | "remains">> {
  const { answers } = hearing;
  const former = remainsOf(object.status);
  const sinceOf = (remains: Remains | undefined): number | undefined =>
    remains === undefined || remains.unhashed.length === 0 ? undefined : stopwatch.since("those left not compared");
  const facts = { answers, pods, clusterId: object.status?.clusterId, now, former, since: sinceOf(former) };
  const { survivors, remains } = await compareSurvivors(reach, facts);
  const unhashedSince = sinceOf(remains);
  const { differing, unhashed } = survivors;
  return { differing, unhashed, remains, ...(unhashedSince === undefined ? {} : { unhashedSince }) };
}

/** Alarms about members that are gone, and about members that were found to be right. */
function staleAlarms({ quorum, alarms }: Hearing, comparison: Comparison | undefined): string[] {
  const isAccusable = (id: string): boolean =>
    quorum?.members.some((listed) => listed.id === id && comparison?.agreeing?.includes(listed.member) !== true) ===
    true;
  return alarms
    .filter(({ kind, memberId }) => kind === "Corrupt" && !isAccusable(memberId))
    .map(({ memberId }) => memberId);
}

/** Whoever was found to be right is not corrupt, whatever an alarm says. */
function acquitted(answers: Hearing["answers"], comparison: Comparison | undefined): Hearing["answers"] {
  const agreeing = comparison?.agreeing ?? [];
  const entries = Object.entries(answers).map(([member, answer]) =>
    answer.is === "talking" && agreeing.includes(member) ? [member, { ...answer, isCorrupt: false }] : [member, answer],
  );
  return Object.fromEntries(entries);
}
