/** Warnings about a pod spec that is valid but probably misconfigured. */
import type { Container, ContainerPort, PodSpec, PodTemplateSpec } from "@capstan/kinds/v1";
import { quote, type ObjectMeta } from "@capstan/model";
import { isEmpty } from "../meta/checks.ts";
import { ipWarnings } from "../meta/ip-checks.ts";
import { isFractional } from "../meta/resource-name.ts";
import { appArmorPrefix } from "./annotations.ts";
import { claimSpecWarnings } from "./claim-spec.ts";
import { allContainers } from "./containers.ts";
import { nodeLabelWarning, nodeTermWarnings } from "./node-label-warnings.ts";
import { overlapWarnings } from "./overlap-warnings.ts";
import { occursBefore } from "../occurs-before.ts";

/** Warnings about a template at `path`. */
export function podTemplateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  if (template?.spec === undefined) return [];
  return podWarnings(template.spec, template.metadata ?? {}, path);
}

/** Warnings about a spec; the path of a pod is empty. */
export function podWarnings(spec: PodSpec, { annotations = {} }: ObjectMeta, path: string): string[] {
  const at = (...names: readonly string[]): string => (path === "" ? names : [path, ...names]).join(".");
  const specPath = at("spec");
  return [
    ...schedulingWarnings(spec, specPath),
    ...deprecatedAnnotations
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, why]) => `${at("metadata", "annotations")}[${key}]: ${why}`),
    ...volumeWarnings(spec, `${specPath}.volumes`),
    ...overlapWarnings(spec.volumes ?? []),
    ...repetitionWarnings(spec, specPath),
    ...amountWarnings(spec.overhead, `${specPath}.overhead`),
    ...profileWarnings(spec, annotations, { path, annotationsPath: at("metadata", "annotations") }),
    ...portWarnings(spec, specPath),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, `${specPath}.affinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, index) =>
      ipWarnings(server, `${specPath}.dnsConfig.nameservers[${index}]`),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) => ipWarnings(ip, `${specPath}.hostAliases[${index}].ip`)),
  ];
}

const deprecatedAnnotations: readonly (readonly [string, string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function schedulingWarnings(
  { nodeSelector = {}, affinity, topologySpreadConstraints = [] }: PodSpec,
  path: string,
): string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity?.nodeAffinity ?? {};
  const affinityPath = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(nodeSelector).flatMap((key) => {
      const why = nodeLabelWarning(key);
      return why === undefined ? [] : [`${path}.nodeSelector[${key}]: ${why}`];
    }),
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(
        term,
        `${affinityPath}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        false,
      ),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      nodeTermWarnings(
        preference,
        `${affinityPath}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        true,
      ),
    ),
    ...topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, index) => {
      const here = `${path}.topologySpreadConstraints[${index}]`;
      const why = nodeLabelWarning(topologyKey);
      return [
        ...(why === undefined ? [] : [`${here}.topologyKey: ${topologyKey} is ${why}`]),
        ...(labelSelector === undefined ? [`${here}.labelSelector: ${matchesNothing}`] : []),
      ];
    }),
  ];
}

const matchesNothing = "a null labelSelector results in matching no pod";

const deprecatedVolumes = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", "ephemeral", ""],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function volumeWarnings({ volumes = [] }: PodSpec, path: string): string[] {
  return volumes.flatMap((volume, index) =>
    deprecatedVolumes.flatMap(([field, shown, why]) => {
      if (volume[field] === undefined) return [];
      if (field !== "ephemeral") return [`${path}[${index}].${shown}: ${why}`];
      const spec = volume.ephemeral?.volumeClaimTemplate?.spec;
      return spec === undefined ? [] : claimSpecWarnings(spec, `${path}[${index}].ephemeral.volumeClaimTemplate.spec`);
    }),
  );
}

function repetitionWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): string[] {
  const names = imagePullSecrets.map(({ name = "" }) => name);
  return [
    ...repeated(hostAliases.map(({ ip }) => ip)).map(
      ([ip, index]) => `${path}.hostAliases[${index}].ip: duplicate ip ${quote(ip)}`,
    ),
    ...repeated(names).map(([name, index]) => `${path}.imagePullSecrets[${index}].name: duplicate name ${quote(name)}`),
    ...names.flatMap((name, index) =>
      name === "" ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

/** The repeated values, with their index. */
function repeated(values: readonly string[]): [string, number][] {
  return values
    .map((value, index): [string, number] => [value, index])
    .filter(([, index]) => occursBefore(values, index));
}

function amountWarnings(list: { readonly [name: string]: string } | undefined, path: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => {
    const amount = list?.[name];
    if (amount === undefined || !isFractional(amount)) return [];
    return [`${path}[${name}]: fractional byte value ${quote(amount)} is invalid, must be an integer`];
  });
}

interface ProfilePlace {
  readonly path: string;
  readonly annotationsPath: string;
}

const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function profileWarnings(
  spec: PodSpec,
  annotations: { readonly [key: string]: string },
  { path, annotationsPath }: ProfilePlace,
): string[] {
  const ofPod =
    spec.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, podSeccomp)
      ? [`${annotationsPath}[${podSeccomp}]: ${useSeccompField}`]
      : [];
  const specPath = path === "" ? "spec" : `${path}.spec`;
  return [
    ...ofPod,
    ...allContainers(spec, specPath).flatMap(([container, here]) => [
      ...(container.securityContext?.seccompProfile === undefined &&
      Object.hasOwn(annotations, containerSeccomp + container.name)
        ? [`${annotationsPath}[${containerSeccomp}${container.name}]: ${useSeccompField}`]
        : []),
      ...(path === "" ? [] : appArmorWarnings(container, spec, annotations, annotationsPath)),
      ...containerWarnings(container, here),
    ]),
  ];
}

/** For pods this warning is sent when the annotation is copied to the field. */
function appArmorWarnings(
  { name, securityContext }: Container,
  spec: PodSpec,
  annotations: { readonly [key: string]: string },
  path: string,
): string[] {
  const key = appArmorPrefix + name;
  const annotation = annotations[key];
  if (annotation === undefined || securityContext?.appArmorProfile !== undefined) return [];
  const ofPod = spec.securityContext?.appArmorProfile;
  if (ofPod !== undefined && annotation === annotationFor(ofPod)) return [];
  return [`${path}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

function annotationFor({
  type,
  localhostProfile = "",
}: {
  readonly type: string;
  readonly localhostProfile?: string;
}): string {
  if (type === "Localhost") return `localhost/${localhostProfile}`;
  return type === "RuntimeDefault" ? "runtime/default" : "unconfined";
}

function containerWarnings({ resources, env = [] }: Container, path: string): string[] {
  const amounts = ["memory", "ephemeral-storage"].flatMap((name) =>
    (["limits", "requests"] as const).flatMap((field) =>
      amountWarnings({ [name]: resources?.[field]?.[name] ?? "0" }, `${path}.resources.${field}`),
    ),
  );
  const names = new Set<string>();
  const hidden = env.flatMap(({ name, value = "", valueFrom }, index) => {
    const isRepeated = names.has(name);
    names.add(name);
    const reference = `$(${name})`;
    if (!isRepeated || (valueFrom === undefined && value !== reference && value.includes(reference))) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
    ];
  });
  return [...amounts, ...hidden];
}

interface KnownPort extends ContainerPort {
  readonly path: string;
}

/** Each port is compared with at most this many before it: a response holds only a few warnings. */
const maxCompared = 200;

function portWarnings(spec: PodSpec, path: string): string[] {
  const ports: KnownPort[] = allContainers(spec, path).flatMap(([container, here]) =>
    (container.ports ?? []).map((port, index) => ({ ...port, path: `${here}.ports[${index}]` })),
  );
  const conflicts = ports.flatMap((port, index) => [
    ...(!isEmpty(port.hostIP) && (port.hostPort ?? 0) === 0
      ? [`${port.path}: hostIP set without hostPort: ${goFormat(port)}`]
      : []),
    ...ports.slice(0, Math.min(index, maxCompared)).flatMap((other) => {
      const isSame = other.containerPort === port.containerPort && other.protocol === port.protocol;
      return isSame ? conflictOf(port, other) : [];
    }),
  ]);
  const first = new Map<string, string>();
  const names = ports.flatMap(({ name = "", path: here }) => {
    const other = first.get(name);
    if (name === "") return [];
    if (other !== undefined) {
      return [
        `${here}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      ];
    }
    first.set(name, here);
    return [];
  });
  return [...conflicts, ...names];
}

/** A port in Go's `%+v` format. */
function goFormat({ name = "", hostPort = 0, containerPort, protocol, hostIP }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function conflictOf(port: KnownPort, other: KnownPort): string[] {
  const [ip = "", otherIp = ""] = [port.hostIP, other.hostIP];
  const [hostPort = 0, otherPort = 0] = [port.hostPort, other.hostPort];
  if (ip === otherIp && hostPort === otherPort) return [`${port.path}: duplicate port definition with ${other.path}`];
  if (hostPort === 0 || otherPort === 0) return [`${port.path}: overlapping port definition with ${other.path}`];
  if (hostPort === otherPort && (ip === "") !== (otherIp === "")) {
    return [`${port.path}: dangerously ambiguous port definition with ${other.path}`];
  }
  return [];
}

function affinityWarnings({ affinity }: PodSpec, path: string): string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((field) => {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: required = [],
      preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
    } = affinity?.[field] ?? {};
    const here = `${path}.${field}`;
    return [
      ...required.flatMap(({ labelSelector }, index) =>
        labelSelector === undefined
          ? [`${here}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${matchesNothing}`]
          : [],
      ),
      ...preferred.flatMap(({ podAffinityTerm }, index) =>
        podAffinityTerm.labelSelector === undefined
          ? [
              `${here}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector: ${matchesNothing}`,
            ]
          : [],
      ),
    ];
  });
}
