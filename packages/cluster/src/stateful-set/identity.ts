/** The identity of a StatefulSet pod: ordinal, name and storage. Pure. */
import { StatefulSet } from "@capstan/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from "@capstan/kinds/v1";
import { controllerReference } from "../ownership/owner.ts";
import { podFromTemplate } from "../pod/template.ts";
import type { NewPod } from "../pod/template.ts";
import { REVISION_LABEL } from "../controller/revision-history.ts";

const POD_NAME = "statefulset.kubernetes.io/pod-name";
const POD_INDEX = "apps.kubernetes.io/pod-index";

/** The ordinal of a pod; -1 if its name does not match the set. */
export function ordinalOf({ metadata }: Pod, set: StatefulSet): number {
  const prefix = `${set.metadata.name}-`;
  const text = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : "";
  return /^\d+$/u.test(text) ? Number(text) : -1;
}

/** The first ordinal of a set. */
export function startOf({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** The name of the claim for a template and an ordinal. */
export function claimName(template: string, set: string, ordinal: number): string {
  return `${template}-${set}-${ordinal}`;
}

/** A pod template and the name of its revision. */
export interface Version {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

/** The pod for an ordinal. */
export function newStatefulSetPod(set: StatefulSet, ordinal: number, { name: revision, template }: Version): NewPod {
  const { name, namespace = "" } = set.metadata;
  const exact = `${name}-${ordinal}`;
  const pod = podFromTemplate(template, { namespace, owner: controllerReference(StatefulSet, set), name: { exact } });
  const labels = {
    ...pod.metadata.labels,
    [POD_NAME]: exact,
    [POD_INDEX]: String(ordinal),
    [REVISION_LABEL]: revision,
  };
  const subdomain = set.spec?.serviceName;
  return {
    metadata: { ...pod.metadata, labels },
    spec: {
      ...pod.spec,
      hostname: exact,
      ...(subdomain !== undefined && subdomain !== "" && { subdomain }),
      volumes: volumesOf(set, ordinal, pod.spec.volumes ?? []),
    },
  };
}

type Volume = NonNullable<NewPod["spec"]["volumes"]>[number];

/** Claims replace volumes of the same name. */
function volumesOf(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): readonly Volume[] {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const name = template.metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: claimName(name, set.metadata.name, ordinal), readOnly: false } };
  });
  return [...claims, ...volumes.filter(({ name }) => !claims.some((claim) => claim.name === name))];
}

/** A claim before its creation. */
export type NewClaim = Pick<PersistentVolumeClaim, "spec"> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: { readonly [label: string]: string };
  };
};

/** The claims of an ordinal. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly NewClaim[] {
  const { name: setName, namespace = "" } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      name: claimName(metadata?.name ?? "", setName, ordinal),
      namespace,
      labels: { ...metadata?.labels, ...set.spec?.selector?.matchLabels },
    },
    ...(spec && { spec }),
  }));
}

/** Whether a pod has the labels and volumes of its identity. */
export function identityMatches({ metadata, spec }: Pod, set: StatefulSet, ordinal: number): boolean {
  const hasName = metadata.labels?.[POD_NAME] === metadata.name;
  return (
    hasName &&
    (set.spec?.volumeClaimTemplates ?? []).every(({ metadata: claim }) => {
      const name = claim?.name ?? "";
      const volume = spec?.volumes?.find((one) => one.name === name);
      return volume?.persistentVolumeClaim?.claimName === claimName(name, set.metadata.name, ordinal);
    })
  );
}

/** The labels of a pod's identity. */
export function identityLabels({ metadata }: Pod, ordinal: number): { readonly [label: string]: string } {
  return { [POD_NAME]: metadata.name, [POD_INDEX]: String(ordinal) };
}
