/** Validation of a container of any type. */
import type { Container, ContainerPort, PodSpec, VolumeDevice, VolumeMount } from "@capstan/kinds/v1";
import { checkPortName, checkPortNumber, fieldErrors, type FieldError } from "@capstan/model";
import { checkLabelName, checkOneOf, checkPresent, invalidEach, isEmpty, requireOneOf } from "../meta/checks.ts";
import { checkEnv, checkEnvFrom } from "./env.ts";
import type { PodLeniency } from "./leniency.ts";
import { checkDescending } from "./paths.ts";
import { checkContainerResources } from "./resources.ts";
import { checkSecurityContext } from "./security-context.ts";
import type { KnownVolumes } from "./volumes.ts";

/** The pod spec and the volumes that a container refers to. */
export interface ContainerSurroundings {
  readonly spec: PodSpec;
  readonly volumes: KnownVolumes;
  readonly claims: readonly string[];
  readonly leniency: PodLeniency;
}

/** The checks that all containers have in common. */
export function checkContainer(container: Container, path: string, around: ContainerSurroundings): FieldError[] {
  const { volumeMounts = [], volumeDevices = [], resources = {} } = container;
  const { spec, volumes, claims, leniency } = around;
  return [
    ...(container.name === "" ? checkPresent("", `${path}.name`) : checkLabelName(container.name, `${path}.name`)),
    ...checkPresent(container.image, `${path}.image`),
    ...requireOneOf(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, [
      "File",
      "FallbackToLogsOnError",
    ]),
    ...checkContainerPorts(container.ports ?? [], `${path}.ports`),
    ...checkEnv(container.env ?? [], `${path}.env`),
    ...checkEnvFrom(container.envFrom ?? [], `${path}.envFrom`),
    ...checkMounts(container, volumes, `${path}.volumeMounts`),
    ...checkDevices(volumeDevices, volumeMounts, volumes, `${path}.volumeDevices`),
    ...requireOneOf(container.imagePullPolicy, `${path}.imagePullPolicy`, ["Always", "IfNotPresent", "Never"]),
    ...checkContainerResources(resources, `${path}.resources`, {
      claims,
      oddHugePages: leniency.oddHugePages === true,
    }),
    ...checkResizePolicy(container, `${path}.resizePolicy`, spec.restartPolicy),
    ...checkSecurityContext(container.securityContext, `${path}.securityContext`, spec.hostUsers !== false),
  ];
}

const protocols = ["SCTP", "TCP", "UDP"];

export function checkProtocol(protocol: string | undefined, path: string): FieldError[] {
  return requireOneOf(protocol, path, protocols);
}

function checkContainerPorts(ports: readonly ContainerPort[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = "", containerPort, hostPort = 0, protocol }, index) => {
    const here = `${path}[${index}]`;
    return [
      ...checkPortLabel(name, names, `${here}.name`),
      ...(containerPort === 0
        ? [fieldErrors.required(`${here}.containerPort`)]
        : invalidEach(`${here}.containerPort`, containerPort, checkPortNumber(containerPort))),
      ...(hostPort === 0 ? [] : invalidEach(`${here}.hostPort`, hostPort, checkPortNumber(hostPort))),
      ...checkProtocol(protocol, `${here}.protocol`),
    ];
  });
}

function checkPortLabel(name: string, names: Set<string>, path: string): FieldError[] {
  if (name === "") return [];
  const complaints = checkPortName(name);
  if (complaints.length > 0) return invalidEach(path, name, complaints);
  if (names.has(name)) return [fieldErrors.duplicate(path, name)];
  names.add(name);
  return [];
}

function checkMounts(container: Container, volumes: KnownVolumes, path: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const points = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const here = `${path}[${index}]`;
    const { name, mountPath } = mount;
    const errors: FieldError[] = [];
    if (name === "") errors.push(fieldErrors.required(`${here}.name`));
    if (!volumes.has(name)) errors.push(fieldErrors.notFound(`${here}.name`, name));
    if (mountPath === "") errors.push(fieldErrors.required(`${here}.mountPath`));
    if (points.has(mountPath)) errors.push(fieldErrors.invalid(`${here}.mountPath`, mountPath, "must be unique"));
    points.add(mountPath);
    errors.push(...checkNotDevice(mount, volumeDevices, here));
    // kube-apiserver reports these errors without the index of the mount.
    return [...errors, ...checkMountDetails(mount, { here, path, isPrivileged: isPrivileged(container) })];
  });
}

function isPrivileged({ securityContext }: Container): boolean {
  return securityContext?.privileged === true;
}

function checkNotDevice(
  { name, mountPath }: VolumeMount,
  devices: readonly VolumeDevice[],
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (devices.some((device) => device.name === name)) {
    errors.push(fieldErrors.invalid(`${path}.name`, name, "must not already exist in volumeDevices"));
  }
  // Of devices with the same name, only the last one counts.
  if (devices.some(({ name: own, devicePath }, at) => devicePath === mountPath && isLastOf(devices, own, at))) {
    const why = "must not already exist as a path in volumeDevices";
    errors.push(fieldErrors.invalid(`${path}.mountPath`, mountPath, why));
  }
  return errors;
}

function isLastOf(devices: readonly VolumeDevice[], name: string, at: number): boolean {
  return devices.findLastIndex((device) => device.name === name) === at;
}

interface MountPlace {
  readonly here: string;
  readonly path: string;
  readonly isPrivileged: boolean;
}

function checkMountDetails(mount: VolumeMount, { here, path, isPrivileged: privileged }: MountPlace): FieldError[] {
  const { subPath = "", subPathExpr = "", mountPropagation } = mount;
  const errors = subPath === "" ? [] : checkDescending(subPath, `${path}.subPath`);
  if (subPathExpr !== "") {
    if (subPath !== "") {
      const why = "subPathExpr and subPath are mutually exclusive";
      errors.push(fieldErrors.invalid(`${here}.subPathExpr`, subPathExpr, why));
    }
    errors.push(...checkDescending(subPathExpr, `${path}.subPathExpr`));
  }
  if (mountPropagation !== undefined) {
    const propagationPath = `${path}.mountPropagation`;
    errors.push(...checkOneOf(mountPropagation, propagationPath, ["Bidirectional", "HostToContainer", "None"]));
    if (mountPropagation === "Bidirectional" && !privileged) {
      const why = "Bidirectional mount propagation is available only to privileged containers";
      errors.push(fieldErrors.forbidden(propagationPath, why));
    }
  }
  return [...errors, ...checkRecursiveReadOnly(mount, `${path}.recursiveReadOnly`)];
}

function checkRecursiveReadOnly(
  { recursiveReadOnly, readOnly, mountPropagation }: VolumeMount,
  path: string,
): FieldError[] {
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return [];
  const errors = checkOneOf(recursiveReadOnly, path, ["Disabled", "Enabled", "IfPossible"]);
  if (errors.length > 0) return errors;
  if (readOnly !== true) errors.push(fieldErrors.forbidden(path, "may only be specified when readOnly is true"));
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    errors.push(fieldErrors.forbidden(path, "may only be specified when mountPropagation is None or not specified"));
  }
  return errors;
}

function checkDevices(
  devices: readonly VolumeDevice[],
  mounts: readonly VolumeMount[],
  volumes: KnownVolumes,
  path: string,
): FieldError[] {
  const paths = new Set<string>();
  const names = new Set<string>();
  return devices.flatMap((device, index) => {
    const here = `${path}[${index}]`;
    const errors = [
      ...checkDeviceName(device.name, names, volumes.get(device.name), `${here}.name`),
      ...checkDevicePath(device.devicePath, paths, `${here}.devicePath`),
    ];
    if (mounts.some(({ name }) => name === device.name)) {
      errors.push(fieldErrors.invalid(`${here}.name`, device.name, "must not already exist in volumeMounts"));
    }
    if (mounts.some(({ mountPath }) => mountPath === device.devicePath)) {
      const why = "must not already exist as a path in volumeMounts";
      errors.push(fieldErrors.invalid(`${here}.devicePath`, device.devicePath, why));
    }
    if (device.name !== "") names.add(device.name);
    return errors;
  });
}

function checkDeviceName(
  name: string,
  names: ReadonlySet<string>,
  volume: ReturnType<KnownVolumes["get"]>,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(fieldErrors.required(path));
  if (names.has(name)) errors.push(fieldErrors.invalid(path, name, "must be unique"));
  if (volume === undefined) errors.push(fieldErrors.notFound(path, name));
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    errors.push(fieldErrors.invalid(path, name, why));
  }
  return errors;
}

function checkDevicePath(devicePath: string, paths: Set<string>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (devicePath === "") errors.push(fieldErrors.required(path));
  if (paths.has(devicePath)) errors.push(fieldErrors.invalid(path, devicePath, "must be unique"));
  if (devicePath.split("/").includes("..")) {
    errors.push(fieldErrors.invalid(path, devicePath, "can not contain backsteps ('..')"));
  } else paths.add(devicePath);
  return errors;
}

function checkResizePolicy(
  { resizePolicy = [] }: Container,
  path: string,
  podRestartPolicy: string | undefined,
): FieldError[] {
  const resources = new Set<string>();
  return resizePolicy.flatMap(({ resourceName, restartPolicy }, index) => {
    const errors = resources.has(resourceName) ? [fieldErrors.duplicate(`${path}[${index}]`, resourceName)] : [];
    resources.add(resourceName);
    errors.push(
      ...requireOneOf(resourceName, path, ["cpu", "memory"]),
      ...requireOneOf(restartPolicy, path, ["NotRequired", "RestartContainer"]),
    );
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(fieldErrors.invalid(path, restartPolicy, why));
    }
    return errors;
  });
}

const maxRestartRules = 20;
const maxExitCodes = 255;

/** Checks the restart policy and the restart rules of a container. */
export function checkRestartRules(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  path: string,
): FieldError[] {
  const policyPath = `${path}.restartPolicy`;
  const rulesPath = `${path}.restartPolicyRules`;
  const errors: FieldError[] = [];
  if (restartPolicy === undefined) {
    if (rules.length === 0) return [];
    errors.push(fieldErrors.required(policyPath, "must specify restartPolicy when restart rules are used"));
  } else errors.push(...checkOneOf(restartPolicy, policyPath, ["Always", "Never", "OnFailure"]));
  if (rules.length > maxRestartRules) errors.push(fieldErrors.tooMany(rulesPath, rules.length, maxRestartRules));
  return [...errors, ...rules.flatMap((rule, index) => checkRestartRule(rule, `${rulesPath}[${index}]`))];
}

function checkRestartRule(
  { action, exitCodes }: NonNullable<Container["restartPolicyRules"]>[number],
  path: string,
): FieldError[] {
  const errors = checkOneOf(action, `${path}.action`, ["Restart", "RestartAllContainers"]);
  if (exitCodes === undefined) return [...errors, fieldErrors.required(`${path}.exitCodes`, "must be specified")];
  const { operator, values = [] } = exitCodes;
  errors.push(...checkOneOf(operator, `${path}.exitCodes.operator`, ["In", "NotIn"]));
  if (values.length > maxExitCodes) {
    errors.push(fieldErrors.tooMany(`${path}.exitCodes.values`, values.length, maxExitCodes));
  }
  return errors;
}

/** Reports host ports that two containers use. */
export function checkHostPorts(containers: readonly (readonly [Container, string])[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(([{ ports = [] }, path]) =>
    ports.flatMap(({ hostPort = 0, protocol, hostIP = "" }, index) => {
      if (hostPort === 0) return [];
      const claim = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(claim)) return [fieldErrors.duplicate(`${path}.ports[${index}].hostPort`, claim)];
      taken.add(claim);
      return [];
    }),
  );
}

/** Rejects whitespace around the image name; only pods are checked, not templates. */
export function checkImageSpace({ image = "" }: Container, path: string): FieldError[] {
  if (isEmpty(image) || image.trim() === image) return [];
  return [fieldErrors.invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}
