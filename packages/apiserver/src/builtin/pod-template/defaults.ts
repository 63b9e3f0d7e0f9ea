/** Defaults of a pod spec, in pods and in templates. */
import type { Container, PodSpec, PodTemplateSpec, Probe } from "@capstan/kinds/v1";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { roundQuantities } from "../meta/resource-list.ts";
import { defaultPullPolicy } from "./image-name.ts";
import { defaultVolume } from "./volume-defaults.ts";

type DraftContainer = Draft<Container>;
type DraftProbe = Draft<Probe>;

/** Defaults of a template: those of a pod spec, without those of pods only. */
export function defaultPodTemplate(template: Draft<PodTemplateSpec> | undefined): void {
  if (template?.spec !== undefined) defaultPodSpec(template.spec);
  dropInitAnnotations(template?.metadata?.annotations);
}

const initAnnotations = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

/** Drops the annotations that held init containers before the field existed; no component reads them any more. */
export function dropInitAnnotations(annotations: { [key: string]: string } | undefined): void {
  for (const key of initAnnotations) delete annotations?.[key];
}

/** Defaults of a pod spec. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  spec.dnsPolicy = given(spec.dnsPolicy, "ClusterFirst");
  spec.restartPolicy = given(spec.restartPolicy, "Always");
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName = given(spec.schedulerName, "default-scheduler");
  joinServiceAccountNames(spec);
  spec.volumes?.forEach(defaultVolume);
  spec.initContainers?.forEach(defaultContainer);
  spec.containers?.forEach(defaultContainer);
  spec.ephemeralContainers?.forEach((container) => defaultContainer(container as DraftContainer));
  roundQuantities(spec.overhead);
  roundQuantities(spec.resources?.limits);
  roundQuantities(spec.resources?.requests);
}

function given<T extends string>(value: T | undefined, fallback: T): T {
  return isEmpty(value) ? fallback : value;
}

/** The deprecated serviceAccount always equals serviceAccountName. */
function joinServiceAccountNames(spec: Draft<PodSpec>): void {
  const name = isEmpty(spec.serviceAccountName) ? spec.serviceAccount : spec.serviceAccountName;
  if (isEmpty(name)) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** With hostNetwork, the host port defaults to the container port. Applies to pods, not to templates. */
export function defaultHostPorts(containers: readonly DraftContainer[] = []): void {
  for (const port of containers.flatMap(({ ports = [] }) => ports)) {
    if ((port.hostPort ?? 0) === 0) port.hostPort = port.containerPort;
  }
}

function defaultContainer(container: DraftContainer): void {
  container.imagePullPolicy = given(container.imagePullPolicy, defaultPullPolicy(container.image ?? ""));
  container.terminationMessagePath = given(container.terminationMessagePath, "/dev/termination-log");
  container.terminationMessagePolicy = given(container.terminationMessagePolicy, "File");
  for (const port of container.ports ?? []) port.protocol = given(port.protocol, "TCP");
  defaultEnv(container.env);
  roundQuantities(container.resources?.limits);
  roundQuantities(container.resources?.requests);
  [container.livenessProbe, container.readinessProbe, container.startupProbe].forEach(defaultProbe);
  defaultHttpGet(container.lifecycle?.postStart?.httpGet);
  defaultHttpGet(container.lifecycle?.preStop?.httpGet);
}

function defaultEnv(env: DraftContainer["env"]): void {
  for (const { valueFrom } of env ?? []) {
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion = given(valueFrom.fieldRef.apiVersion, "v1");
    if (valueFrom?.fileKeyRef !== undefined) valueFrom.fileKeyRef.optional ??= false;
  }
}

function defaultProbe(probe: DraftProbe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds = probe.timeoutSeconds || 1;
  probe.periodSeconds = probe.periodSeconds || 10;
  probe.successThreshold = probe.successThreshold || 1;
  probe.failureThreshold = probe.failureThreshold || 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
}

function defaultHttpGet(action: DraftProbe["httpGet"]): void {
  if (action === undefined) return;
  action.path = given(action.path, "/");
  action.scheme = given(action.scheme, "HTTP");
}
