/** The pod of one member: a pure function of the spec, the member and its bootstrap mode. */
import { createHash } from "node:crypto";
import type { ApplyOf, ObjectOf } from "capstan";
import type { Pod } from "capstan/kinds/v1";
import type { Boot } from "../contract.ts";
import type { EtcdCluster } from "../kinds/index.ts";
import { bootstrapAnnotations, bootstrapVariables, referencedFlags } from "./bootstrap-flags.ts";
import { bootstrapFlagsOf, DATA_PATH, flagsOf, TLS_PATH } from "./flags.ts";
import { mergeTrees } from "capstan/stateful/parts";
import { withoutOperatorFields, withDataVolume } from "./protected-fields.ts";
import type { MergedContainer } from "./protected-fields.ts";
import {
  BOOT_ANNOTATION,
  initialCheckAnnotation,
  claimName,
  CLIENT_PORT,
  clientLabels,
  memberLabels,
  METRICS_PORT,
  PEER_PORT,
  templateHashAnnotation,
  authorityAnnotation,
  VERSION_LABEL,
} from "./names.ts";
import type { ClusterAddress } from "./names.ts";
import { peerName } from "../tls/index.ts";
import { PROFILES } from "./profile.ts";

export type ClusterSpec = ObjectOf<typeof EtcdCluster>["spec"];
type DesiredPod = ApplyOf<typeof Pod>;

/** Input that all pods of a cluster share. */
export interface PodTemplateInput {
  readonly place: ClusterAddress;
  readonly uid: string;
  readonly spec: ClusterSpec;
  /** Secrets with certificates. */
  readonly mounts?: { readonly server: string; readonly peer: string };
  /** A change restarts the members. */
  readonly trust: string;
}

/** Additions to the pod of a first member that restores a backup. */
export interface SeedParts {
  readonly initContainers: readonly object[];
  readonly volumes: readonly object[];
}

export interface PodInput {
  readonly member: string;
  readonly boot: Boot;
  readonly version: string;
  readonly peers: readonly string[];
  /** Skips the initial comparison of its data with the others. */
  readonly isExcused?: boolean;
  /** The member is known to vote, so clients reach it as soon as it is ready. */
  readonly isVoter?: boolean;
  readonly seed?: SeedParts;
}

export function buildPod(template: PodTemplateInput, input: PodInput): DesiredPod {
  const { place, spec, trust } = template;
  const { member, version } = input;
  const labels = {
    ...spec.podTemplate?.metadata?.labels,
    ...memberLabels(place.name, member),
    [VERSION_LABEL]: version,
    ...(input.isVoter === true ? clientLabels : {}),
  };
  const annotations = {
    ...spec.podTemplate?.metadata?.annotations,
    ...bootAnnotations(template, input),
    [templateHashAnnotation]: templateHashOf(template, version),
    [authorityAnnotation]: trust,
  };
  const merged = mergeTrees(ownSpec(template, input), spec.podTemplate?.spec ?? {});
  // Restores what a pod template may not change: identity, image and command.
  if (!Array.isArray(merged["containers"])) throw new Error("spec.podTemplate.spec.containers must be a list");
  const containers = (merged["containers"] as readonly MergedContainer[]).map((container) =>
    container.name === "etcd" ? restoreEssentials(container, { ...etcdEssentials(template, input) }) : container,
  );
  const essentials = podEssentials(template, input);
  // The merge of two pod specs is a pod spec. The API server validates the user's part.
  return {
    metadata: { labels, annotations },
    spec: { ...merged, containers, volumes: withDataVolume(merged["volumes"], dataVolume(input)), ...essentials },
  } as DesiredPod;
}

/** Image, flags and data volume. */
function restoreEssentials(container: MergedContainer, essentials: object): object {
  const own = withoutOperatorFields(container);
  return { ...own, ...essentials, env: withBootstrapFlags(own) };
}

function dataVolume({ member }: PodInput) {
  return { name: "data", persistentVolumeClaim: { claimName: claimName(member) } };
}

/** The variables of the bootstrap flags cannot be overridden. */
function withBootstrapFlags({ env = [] }: MergedContainer) {
  const own = bootstrapVariables();
  return [...own, ...env.filter(({ name }) => own.every((variable) => variable.name !== name))];
}

/** The annotations about the bootstrap. */
export function bootAnnotations(
  { place, uid }: PodTemplateInput,
  { member, boot, peers, isExcused = false }: Pick<PodInput, "member" | "boot" | "peers" | "isExcused">,
): { readonly [annotation: string]: string } {
  const token = tokenOf({ uid }, member);
  return {
    [BOOT_ANNOTATION]: boot,
    ...bootstrapAnnotations(bootstrapFlagsOf({ place, member, boot, peers, token }), token),
    [initialCheckAnnotation]: String(!isExcused),
  };
}

/** Hash of everything that requires a new pod: not the bootstrap mode, not the member. */
export function templateHashOf(template: PodTemplateInput, version: string): string {
  const { podTemplate, resources, profile, imagePullSecrets } = template.spec;
  const flags = flagsOf(flagInput(template, { member: "x-0", boot: "live", version, peers: [] }));
  const image = imageOf(template.spec, version);
  // Without pull secrets, the hash is the same as before they were supported.
  const pull = imagePullSecrets.length === 0 ? {} : { imagePullSecrets };
  const shape = { podTemplate, resources, profile, image, flags, trust: template.trust, ...pull };
  return createHash("sha256").update(JSON.stringify(shape)).digest("hex").slice(0, 16);
}

/** Every first member gets another cluster id. */
export function tokenOf({ uid }: Pick<PodTemplateInput, "uid">, member: string): string {
  return `${uid}-${member}`;
}

export function imageOf({ image }: ClusterSpec, version: string): string {
  return image.replaceAll("{version}", version);
}

function flagInput(
  { place, uid, spec }: PodTemplateInput,
  { member, boot, version, peers }: PodInput,
): Parameters<typeof flagsOf>[0] {
  const { quota } = PROFILES[spec.profile];
  const { compaction } = spec.maintenance;
  return {
    place,
    token: tokenOf({ uid }, member),
    member,
    boot,
    version,
    peers,
    quota,
    compaction,
    options: spec.options,
    ...(place.isSecure && spec.tls.mode === "Managed" ? { peerName: peerName(place) } : {}),
  };
}

function podEssentials({ place }: PodTemplateInput, { member }: PodInput) {
  return { hostname: member, subdomain: place.name, restartPolicy: "Always" };
}

function etcdEssentials(template: PodTemplateInput, input: PodInput) {
  const image = imageOf(template.spec, input.version);
  return { image, command: ["/usr/local/bin/etcd"], args: flagsOf(flagInput(template, input), referencedFlags) };
}

function ownSpec(template: PodTemplateInput, input: PodInput): { readonly [field: string]: unknown } {
  const { mounts, spec, place } = template;
  const { requests, limits } = PROFILES[spec.profile];
  const secret = (name: string, secretName: string) => ({ name, secret: { secretName } });
  const tls =
    mounts === undefined ? [] : [secret(TLS_VOLUMES.server, mounts.server), secret(TLS_VOLUMES.peer, mounts.peer)];
  return {
    ...podEssentials(template, input),
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    affinity: { podAntiAffinity: apartFrom(place.name) },
    ...(spec.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: spec.imagePullSecrets }),
    ...(input.seed === undefined ? {} : { initContainers: input.seed.initContainers }),
    containers: [
      {
        name: "etcd",
        ...etcdEssentials(template, input),
        ports: [port("client", CLIENT_PORT), port("peer", PEER_PORT), port("metrics", METRICS_PORT)],
        resources: spec.resources ?? { requests, limits },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          { name: "data", mountPath: DATA_PATH },
          ...(mounts === undefined ? [] : (["server", "peer"] as const).map(tlsMount)),
        ],
        ...PROBES,
      },
    ],
    volumes: [dataVolume(input), ...tls, ...(input.seed?.volumes ?? [])],
  };
}

/** Volumes with the certificates for clients and for peers. */
export const TLS_VOLUMES = { server: "tls-server", peer: "tls-peer" } as const;

/** User id `nonroot`: members need no rights on their nodes. */
const USER = 65_532;

function tlsMount(part: keyof typeof TLS_VOLUMES) {
  return { name: TLS_VOLUMES[part], mountPath: `${TLS_PATH}/${part}`, readOnly: true };
}

function port(name: string, containerPort: number) {
  return { name, containerPort, protocol: "TCP" };
}

/** Prefers one node for each member, without requiring it. */
function apartFrom(name: string) {
  const labelSelector = { matchLabels: { "etcd.capstan.dev/cluster": name } };
  const term = (topologyKey: string, weight: number) => ({ weight, podAffinityTerm: { labelSelector, topologyKey } });
  return {
    preferredDuringSchedulingIgnoredDuringExecution: [
      term("kubernetes.io/hostname", 100),
      term("topology.kubernetes.io/zone", 50),
    ],
  };
}

/** Readiness needs a leader; liveness does not, or a quorum loss would restart all members. Alarms are handled by the operator. */
const httpProbe = (path: string) => ({ httpGet: { path, port: METRICS_PORT, scheme: "HTTP" } });
const PROBES = {
  startupProbe: {
    ...httpProbe("/health?serializable=true&exclude=NOSPACE&exclude=CORRUPT"),
    periodSeconds: 2,
    failureThreshold: 150,
    timeoutSeconds: 5,
  },
  livenessProbe: {
    ...httpProbe("/health?serializable=true&exclude=NOSPACE&exclude=CORRUPT"),
    periodSeconds: 10,
    failureThreshold: 6,
    timeoutSeconds: 10,
  },
  readinessProbe: {
    ...httpProbe("/health?exclude=NOSPACE&exclude=CORRUPT"),
    periodSeconds: 2,
    failureThreshold: 2,
    timeoutSeconds: 5,
  },
};
