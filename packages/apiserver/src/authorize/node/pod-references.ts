/** The Secrets, ConfigMaps, claims and account that a pod refers to. */
import type { Container, EphemeralContainer, Pod, PodSpec, Volume } from "@capstan/kinds/v1";

/** Names in the namespace of a pod. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
  readonly serviceAccount: string;
}

type AnyContainer = Pick<Container | EphemeralContainer, "env" | "envFrom">;

export function referencesOf(pod: Pod): PodReferences {
  const { spec } = pod;
  return {
    secrets: spec === undefined ? new Set() : secretsOf(spec),
    configMaps: spec === undefined ? new Set() : configMapsOf(spec),
    claims: toNames((spec?.volumes ?? []).map((volume) => claimOf(pod, volume))),
    resourceClaims: toNames(resourceClaimsOf(pod)),
    serviceAccount: spec?.serviceAccountName ?? "",
  };
}

/** The Secrets that containers, image pulls and volumes of a pod name. */
export function secretsOf(spec: PodSpec): ReadonlySet<string> {
  return toNames([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(spec).flatMap(({ env, envFrom }) => [
      ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
      ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ]);
}

/** The ConfigMaps that containers and volumes of a pod name. */
export function configMapsOf(spec: PodSpec): ReadonlySet<string> {
  return toNames([
    ...containersOf(spec).flatMap(({ env, envFrom }) => [
      ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
      ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ]);
}

function containersOf({ containers, initContainers, ephemeralContainers }: PodSpec): readonly AnyContainer[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

function secretsOfVolume(volume: Volume): readonly (string | undefined)[] {
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi, projected } = volume;
  const referring = [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef);
  const projections = (projected?.sources ?? []).map(({ secret }) => secret);
  const named = [...referring, csi?.nodePublishSecretRef, ...projections].map((reference) => reference?.name);
  return [volume.azureFile?.secretName, volume.secret?.secretName, ...named];
}

/** The claim of a volume; an ephemeral volume has one of its own. */
export function claimOf({ metadata }: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${metadata?.name}-${name}`;
}

function resourceClaimsOf({ spec, status }: Pod): readonly (string | undefined)[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName]));
  return [
    ...(spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? made.get(name)),
    status?.extendedResourceClaimStatus?.resourceClaimName,
  ];
}

function toNames(names: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name !== undefined && name !== "")) as ReadonlySet<string>;
}
