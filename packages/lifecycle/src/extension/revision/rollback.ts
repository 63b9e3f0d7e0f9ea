/** Goes back to the installed revision when a newer one misses its deadline, if what is stored allows it. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { ClusterExtension } from "../../kinds/cluster-extension.ts";
import { ClusterExtensionRevision, type RevisionPhase } from "../../kinds/cluster-extension-revision.ts";
import type { ManagerSetting } from "../../manager/setting.ts";
import { judgeStored } from "../../rollback/stored.ts";
import type { Blocked } from "../install.ts";
import { phasesDigestAnnotation, rolledBackAnnotation } from "../labels.ts";
import { createRevision } from "./create.ts";
import { unpackObject } from "./pack.ts";
import type { RevisionFacts, RevisionStates } from "./states.ts";

interface Question {
  readonly extension: ClusterExtension;
  readonly revisions: readonly ClusterExtensionRevision[];
  readonly states: RevisionStates;
  /** The digest of the phases that are wanted. */
  readonly digest: string;
  readonly setting: ManagerSetting;
}

/** What follows if the wanted objects have failed; undefined if they have not. */
export async function rollBackFailed(question: Question): Promise<Blocked | undefined> {
  const { extension, revisions, states, digest } = question;
  const target = states.installed;
  if (target === undefined) return undefined;
  const generation = String(extension.metadata.generation ?? 0);
  const wanted = revisions.filter(({ metadata }) => metadata.annotations?.[phasesDigestAnnotation] === digest);
  const marked = wanted.findLast(({ metadata }) => metadata.annotations?.[rolledBackAnnotation] === generation);
  if (marked !== undefined) {
    // The mark is written first, so a crash before the second write leaves the failed revision as the newest one.
    if (marked === revisions.at(-1)) await renew(question, target);
    return wentBack(marked, target);
  }
  const failed = states.rollingOut.at(-1);
  const isExceeded = failed?.conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded") === true;
  if (failed === undefined || !isExceeded || !wanted.includes(failed.revision)) return undefined;
  return goBack(question, { failed, target, generation });
}

interface Way {
  readonly failed: RevisionFacts;
  readonly target: RevisionFacts;
  readonly generation: string;
}

async function goBack(question: Question, { failed, target, generation }: Way): Promise<Blocked> {
  const { cluster } = question.setting;
  const refusals = await refusalsOf(await inlinePhases(target.revision, question.setting), question.setting);
  if (refusals.length > 0) {
    const message = `${conditionMessage(failed)} It cannot be rolled back to ${target.bundle.version}: ${refusals.join("; ")}`;
    return { message, reason: "ProgressDeadlineExceeded" };
  }
  const { name } = failed.revision.metadata;
  const before = await cluster.get(ClusterExtensionRevision, { namespace: "", name });
  if (before !== undefined) {
    const annotations = { ...before.metadata.annotations, [rolledBackAnnotation]: generation };
    const after = { ...before, metadata: { ...before.metadata, annotations } };
    await cluster.change(ClusterExtensionRevision, { before, after });
  }
  await renew(question, target);
  return wentBack(failed.revision, target);
}

/** Makes the installed revision the newest one again, so that it takes all its objects back. */
async function renew({ extension, revisions, setting }: Question, { revision }: RevisionFacts): Promise<void> {
  const phases = await inlinePhases(revision, setting);
  const { collisionProtection } = revision.spec;
  const annotations = withoutOwn(revision);
  await createRevision({ extension, phases, annotations, collisionProtection, revisions }, setting);
}

function withoutOwn({ metadata }: ClusterExtensionRevision): { readonly [key: string]: string } {
  const { [rolledBackAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

function wentBack(failed: ClusterExtensionRevision, target: RevisionFacts): Blocked {
  const name = failed.metadata.name;
  return {
    message: `Revision ${name} has not rolled out in time and was rolled back to ${target.bundle.version}: change the spec of the ClusterExtension, or publish another version, to try again`,
    reason: "ProgressDeadlineExceeded",
  };
}

function conditionMessage({ conditions }: RevisionFacts): string {
  return conditions.find(({ type }) => type === "Progressing")?.message ?? "";
}

async function inlinePhases(
  { spec }: ClusterExtensionRevision,
  { cluster }: ManagerSetting,
): Promise<readonly RevisionPhase[]> {
  const phases: RevisionPhase[] = [];
  for (const phase of spec.phases ?? []) {
    const objects = [];
    for (const entry of phase.objects) {
      const { ref: _, ...rest } = entry;
      objects.push({ ...rest, object: await unpackObject(entry, cluster) });
    }
    phases.push({ ...phase, objects });
  }
  return phases;
}

async function refusalsOf(phases: readonly RevisionPhase[], setting: ManagerSetting): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const { object } of phases.flatMap(({ objects }) => objects)) {
    if (object?.kind !== "CustomResourceDefinition") continue;
    const live = await setting.cluster.get(CustomResourceDefinition, {
      namespace: "",
      name: object.metadata.name ?? "",
    });
    if (live === undefined) continue;
    // The manifest of a CRD has the shape of its kind.
    const verdict = await judgeStored(live, object as unknown as CustomResourceDefinition, setting);
    refusals.push(...verdict.refusals);
  }
  return refusals;
}
