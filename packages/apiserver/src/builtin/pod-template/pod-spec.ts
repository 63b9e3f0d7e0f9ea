/** Validation of a pod spec. Calls the checks of this folder in the order of kube-apiserver. */
import type { Container, EphemeralContainer, PodResourceClaim, PodSpec } from "@capstan/kinds/v1";
import {
  byteLength,
  checkDns1123Subdomain,
  checkDns1123SubdomainWithUnderscore,
  fieldErrors,
  rangeMessage,
  type FieldError,
  type ObjectMeta,
} from "@capstan/model";
import { checkLabels } from "../../metadata/check.ts";
import { checkLabelName, checkQualified, checkSubdomain, invalidEach, isEmpty, requireOneOf } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { checkIp } from "../meta/ip-checks.ts";
import {
  checkContainer,
  checkHostPorts,
  checkImageSpace,
  checkRestartRules,
  type ContainerSurroundings,
} from "./container.ts";
import { allContainers, isSidecar } from "./containers.ts";
import type { PodLeniency } from "./leniency.ts";
import { checkOperatingSystem } from "./operating-system.ts";
import { checkLifecycle, checkProbes } from "./probes.ts";
import { checkContainerResources, checkPodResources, podClaimNames } from "./resources.ts";
import { checkAffinity, checkSpread, checkTolerations } from "./scheduling.ts";
import { checkHostProcess, checkPodSecurity } from "./security-context.ts";
import { checkVolumes } from "./volumes.ts";
import { isGiven, isZero } from "../given-empty.ts";

/** Checks a spec; `metadata` is that of the pod and absent for templates. */
export function checkPodSpec(
  spec: PodSpec,
  path: string,
  leniency: PodLeniency = {},
  metadata?: ObjectMeta,
): FieldError[] {
  const [volumes, volumeErrors] = checkVolumes(spec.volumes ?? [], {
    path: `${path}.volumes`,
    podName: metadata?.name ?? "",
    leniency,
  });
  const around = { spec, volumes, claims: podClaimNames(spec), leniency };
  return [
    ...(spec.terminationGracePeriodSeconds === undefined
      ? [fieldErrors.required(`${path}.terminationGracePeriodSeconds`)]
      : []),
    ...volumeErrors,
    ...checkResourceClaims(spec.resourceClaims ?? [], `${path}.resourceClaims`, metadata),
    ...checkContainers(spec, `${path}.containers`, around),
    ...checkInitContainers(spec, `${path}.initContainers`, around),
    ...checkEphemeralContainers(spec, `${path}.ephemeralContainers`, around),
    ...checkPodResources(spec, `${path}.resources`),
    ...checkHostNetworkPorts(spec, `${path}.containers`, leniency),
    ...checkPolicies(spec, path, leniency),
    ...checkHostUsers(spec, path, leniency),
    ...checkHostname(spec, path),
    ...checkNames(spec, path),
    ...checkOperatingSystem(spec, path),
    ...checkFileVolumes(spec, path),
  ];
}

function checkResourceClaims(
  claims: readonly PodResourceClaim[],
  path: string,
  metadata: ObjectMeta | undefined,
): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    if (metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined) {
      return [fieldErrors.forbidden("[]", "static pods do not support resource claims")];
    }
    return checkResourceClaim(claim, `${path}[${index}]`, names);
  });
}

function checkResourceClaim(claim: PodResourceClaim, path: string, names: Set<string>): FieldError[] {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  const errors: FieldError[] = [];
  if (name === "") errors.push(fieldErrors.required(`${path}.name`));
  else if (names.has(name)) errors.push(fieldErrors.duplicate(`${path}.name`, name));
  else errors.push(...checkLabelName(name, `${path}.name`));
  names.add(name);
  const shown = toInternal("PodResourceClaim", claim);
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    errors.push(fieldErrors.invalid(path, shown, why));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const why = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    errors.push(fieldErrors.invalid(path, shown, why));
  }
  return [
    ...errors,
    ...(resourceClaimName === undefined ? [] : checkSubdomain(resourceClaimName, `${path}.resourceClaimName`)),
    ...(resourceClaimTemplateName === undefined
      ? []
      : checkSubdomain(resourceClaimTemplateName, `${path}.resourceClaimTemplateName`)),
  ];
}

function checkContainers(spec: PodSpec, path: string, around: ContainerSurroundings): FieldError[] {
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [fieldErrors.required(path)];
  const grace = spec.terminationGracePeriodSeconds;
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const here = `${path}[${index}]`;
    const found = checkContainer(container, here, around);
    if (names.has(container.name)) found.push(fieldErrors.duplicate(`${here}.name`, container.name));
    names.add(container.name);
    return [
      ...found,
      ...(container.lifecycle === undefined ? [] : checkLifecycle(container.lifecycle, `${here}.lifecycle`, grace)),
      ...checkProbes(container, here, grace),
      ...checkRestartRules(container, here),
    ];
  });
  return [...errors, ...checkHostPorts(containers.map((one, index) => [one, `${path}[${index}]`]))];
}

function checkInitContainers(spec: PodSpec, path: string, around: ContainerSurroundings): FieldError[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const here = `${path}[${index}]`;
    const errors = [...checkContainer(container, here, around), ...checkInitRestartRules(container, here)];
    if (names.has(container.name)) errors.push(fieldErrors.duplicate(`${here}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    // kube-apiserver passes one init container at a time here, so the path has index 0.
    errors.push(...checkHostPorts([[container, `${path}[0]`]]));
    return [...errors, ...checkInitRole(container, here, around)];
  });
}

/** The restart rules of an init container are validated only if it has a restart policy. */
function checkInitRestartRules(container: Container, path: string): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) return checkRestartRules(container, path);
  if (rules.length === 0) return [];
  return [fieldErrors.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used")];
}

function checkInitRole(container: Container, path: string, { spec, leniency }: ContainerSurroundings): FieldError[] {
  if (isSidecar(container)) {
    const grace = spec.terminationGracePeriodSeconds;
    return [
      ...(container.lifecycle === undefined ? [] : checkLifecycle(container.lifecycle, `${path}.lifecycle`, grace)),
      ...checkProbes(container, path, grace),
    ];
  }
  const fields = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
  const why = "may not be set for init containers without restartPolicy=Always";
  const errors = fields
    .filter((field) => container[field] !== undefined)
    .map((field) => fieldErrors.forbidden(`${path}.${field}`, why));
  if (leniency.restartingInitResize === true) return errors;
  (container.resizePolicy ?? []).forEach(({ restartPolicy }, index) => {
    if (restartPolicy !== "RestartContainer") return;
    const refusal = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    errors.push(fieldErrors.invalid(`${path}.resizePolicy[${index}].restartPolicy`, restartPolicy, refusal));
  });
  return errors;
}

/** In the order of Go's fields, including `restartPolicy` and its rules. */
const fieldsOfRealContainers = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

function checkEphemeralContainers(spec: PodSpec, path: string, around: ContainerSurroundings): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const here = `${path}[${index}]`;
    const errors = [...checkContainer(container, here, around), ...checkImageSpace(container, here)];
    if (names.has(container.name)) errors.push(fieldErrors.duplicate(`${here}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (!isEmpty(target) && !others.has(target)) {
      errors.push(fieldErrors.notFound(`${here}.targetContainerName`, target));
    }
    return [...errors, ...checkEphemeralFields(container, here)];
  });
}

function checkEphemeralFields(container: EphemeralContainer, path: string): FieldError[] {
  const why = "cannot be set for an Ephemeral Container";
  return [
    ...fieldsOfRealContainers
      .filter((field) => (field === "resources" ? !isZero(container[field] ?? {}) : isGiven(container, field)))
      .map((field) => fieldErrors.forbidden(`${path}.${field}`, why)),
    ...(container.volumeMounts ?? []).flatMap((mount, index) =>
      (["subPath", "subPathExpr"] as const)
        .filter((field) => !isEmpty(mount[field]))
        .map((field) => fieldErrors.forbidden(`${path}.volumeMounts[${index}].${field}`, why)),
    ),
  ];
}

function checkHostNetworkPorts(spec: PodSpec, path: string, { isPod = false }: PodLeniency): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  const why = "must match `containerPort` when `hostNetwork` is true";
  return (spec.containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, portIndex) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [fieldErrors.invalid(`${path}[${index}].ports[${portIndex}].hostPort`, hostPort, why)]
        : [],
    ),
  );
}

/** Checks the pod-level fields from the restart policy to the topology spread constraints. */
function checkPolicies(spec: PodSpec, path: string, leniency: PodLeniency): FieldError[] {
  return [
    ...requireOneOf(spec.restartPolicy, `${path}.restartPolicy`, ["Always", "OnFailure", "Never"]),
    ...requireOneOf(spec.dnsPolicy, `${path}.dnsPolicy`, [
      "ClusterFirstWithHostNet",
      "ClusterFirst",
      "Default",
      "None",
    ]),
    ...checkLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...checkPodSecurity(spec, `${path}.securityContext`, leniency.hostSysctls === true),
    ...checkAffinity(spec.affinity, `${path}.affinity`, leniency),
    ...checkDns(spec, `${path}.dnsConfig`),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      checkQualified(conditionType, `${path}.readinessGates[${index}].conditionType`),
    ),
    ...checkGates(spec, `${path}.schedulingGates`),
    ...checkSpread(spec, `${path}.topologySpreadConstraints`, leniency.badSpreadSelectors === true),
    ...checkHostProcess(spec, path),
  ];
}

function checkGates({ schedulingGates = [] }: PodSpec, path: string): FieldError[] {
  const seen = new Set<string>();
  return schedulingGates.flatMap(({ name }, index) => {
    const errors = checkQualified(name, `${path}[${index}]`);
    if (seen.has(name)) errors.push(fieldErrors.duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

const maxNameservers = 3;
const maxSearchPaths = 32;
const maxSearchCharacters = 2048;

function checkDns({ dnsPolicy, dnsConfig }: PodSpec, path: string): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) {
      return [fieldErrors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if (nameservers.length === 0) {
      const why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [fieldErrors.required(`${path}.nameservers`, why)];
    }
  }
  const limit = (field: string, value: unknown, what: string): FieldError =>
    fieldErrors.invalid(`${path}.${field}`, value, `must not have more than ${what}`);
  return [
    ...(nameservers.length > maxNameservers
      ? [limit("nameservers", nameservers, `${maxNameservers} nameservers`)]
      : []),
    ...nameservers.flatMap((server, index) => checkIp(server, `${path}.nameservers[${index}]`)),
    ...(searches.length > maxSearchPaths ? [limit("searches", searches, `${maxSearchPaths} search paths`)] : []),
    ...(byteLength(searches.join(" ")) > maxSearchCharacters
      ? [limit("searches", searches, `${maxSearchCharacters} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search, index) => checkSearch(search, `${path}.searches[${index}]`)),
    ...options.flatMap(({ name }, index) =>
      isEmpty(name) ? [fieldErrors.required(`${path}.options[${index}]`, "must not be empty")] : [],
    ),
  ];
}

function checkSearch(search: string, path: string): FieldError[] {
  if (search === ".") return [];
  const name = search.endsWith(".") ? search.slice(0, -1) : search;
  return invalidEach(path, name, checkDns1123SubdomainWithUnderscore(name));
}

function checkHostUsers(spec: PodSpec, path: string, leniency: PodLeniency): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const why = "when `hostUsers` is false";
  return [
    ...(spec.hostNetwork === true ? [fieldErrors.forbidden(`${path}.hostNetwork`, why)] : []),
    ...(spec.hostPID === true ? [fieldErrors.forbidden(`${path}.HostPID`, why)] : []),
    ...(spec.hostIPC === true ? [fieldErrors.forbidden(`${path}.HostIPC`, why)] : []),
    ...(leniency.devicesInUserNamespace === true
      ? []
      : allContainers(spec, path)
          .filter(([{ volumeDevices = [] }]) => volumeDevices.length > 0)
          .map(([, here]) => fieldErrors.forbidden(`${here}.volumeDevices`, why))),
  ];
}

const maxHostname = 64;

function checkHostname({ hostnameOverride, setHostnameAsFQDN, hostNetwork }: PodSpec, specPath: string): FieldError[] {
  if (hostnameOverride === undefined) return [];
  const path = `${specPath}.hostnameOverride`;
  return [
    ...(setHostnameAsFQDN === true
      ? [fieldErrors.forbidden(path, "may not be specified when setHostnameAsFQDN is true")]
      : []),
    ...(hostNetwork === true ? [fieldErrors.forbidden(path, "may not be specified when hostNetwork is true")] : []),
    ...(byteLength(hostnameOverride) > maxHostname ? [fieldErrors.tooLong(path, maxHostname)] : []),
    ...checkSubdomain(hostnameOverride, path),
  ];
}

const maxDeadline = 2 ** 31 - 1;

/** Checks optional names and numbers. */
function checkNames(spec: PodSpec, path: string): FieldError[] {
  const { activeDeadlineSeconds: deadline, runtimeClassName, preemptionPolicy, overhead } = spec;
  const named = (field: "serviceAccountName" | "nodeName" | "priorityClassName"): FieldError[] => {
    const value = spec[field];
    return isEmpty(value) ? [] : invalidEach(`${path}.${field}`, value, checkDns1123Subdomain(value));
  };
  return [
    ...named("serviceAccountName"),
    ...named("nodeName"),
    ...(deadline !== undefined && (deadline < 1 || deadline > maxDeadline)
      ? [fieldErrors.invalid(`${path}.activeDeadlineSeconds`, deadline, rangeMessage(1, maxDeadline))]
      : []),
    ...(isEmpty(spec.hostname) ? [] : checkLabelName(spec.hostname, `${path}.hostname`)),
    ...(isEmpty(spec.subdomain) ? [] : checkLabelName(spec.subdomain, `${path}.subdomain`)),
    ...checkTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...checkHostAliases(spec, `${path}.hostAliases`),
    ...named("priorityClassName"),
    ...(runtimeClassName === undefined ? [] : checkSubdomain(runtimeClassName, `${path}.runtimeClassName`)),
    ...(preemptionPolicy === undefined ? [] : checkPreemption(preemptionPolicy, `${path}.preemptionPolicy`)),
    ...(overhead === undefined ? [] : checkContainerResources({ limits: overhead }, `${path}.overhead`)),
  ];
}

/** Checks the preemption policy. */
export function checkPreemption(policy: string, path: string): FieldError[] {
  return requireOneOf(policy, path, ["PreemptLowerPriority", "Never"]);
}

function checkHostAliases({ hostAliases = [] }: PodSpec, path: string): FieldError[] {
  return hostAliases.flatMap(({ ip, hostnames = [] }, index) => [
    ...checkIp(ip, `${path}[${index}].ip`),
    ...hostnames.flatMap((name, nameIndex) => checkSubdomain(name, `${path}[${index}].hostnames[${nameIndex}]`)),
  ]);
}

/** Variables from files need an emptyDir volume. */
function checkFileVolumes(spec: PodSpec, path: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return allContainers(spec, path).flatMap(([{ env = [] }, here]) =>
    env.flatMap(({ valueFrom }, index) => {
      if (valueFrom?.fileKeyRef === undefined) return [];
      const { volumeName } = valueFrom.fileKeyRef;
      const namePath = `${here}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(volumeName);
      if (volume === undefined) return [fieldErrors.notFound(namePath, volumeName)];
      if (volume.emptyDir !== undefined) return [];
      return [fieldErrors.invalid(namePath, volumeName, "referenced volume must be of type emptyDir")];
    }),
  );
}
