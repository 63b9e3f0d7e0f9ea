/** The pod options that a program declares, in its Deployment and as values of its chart. */
import { toYaml } from "./yaml.ts";

/** The declared options. Their fields are those of Kubernetes, and go into the manifests as they are. */
export interface PodFacts {
  readonly replicas?: number;
  readonly annotations?: { readonly [key: string]: string };
  readonly serviceAccountAnnotations?: { readonly [key: string]: string };
  readonly priorityClassName?: string;
  readonly resources?: object;
  readonly env?: readonly EnvFacts[];
  readonly volumes?: readonly object[];
  readonly volumeMounts?: readonly { readonly mountPath: string }[];
  readonly imagePullSecrets?: readonly object[];
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly object[];
  readonly affinity?: object;
}

/** An environment variable with its value or its source. */
export interface EnvFacts {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

/** Requests and limits without a declaration: the memory of an operator with some thousand objects. */
const usualResources = { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "96Mi" } };

/** The resources of the container. */
export function resourcesOf({ resources = usualResources }: PodFacts): object {
  return resources;
}

/** The metadata of the pods beside their labels. */
export function podMetadata({ annotations }: PodFacts): object {
  return annotations === undefined ? {} : { annotations };
}

/** The fields of the pod's spec. */
export function podFields(pod: PodFacts): object {
  const { imagePullSecrets, nodeSelector, tolerations, affinity, priorityClassName, volumes } = pod;
  return defined({ imagePullSecrets, nodeSelector, tolerations, affinity, priorityClassName, volumes });
}

/** The fields of the container beside its variables. */
export function containerFields({ volumeMounts }: PodFacts): object {
  return defined({ volumeMounts });
}

/** The metadata of the service account. */
export function accountMetadata({ serviceAccountAnnotations: annotations }: PodFacts): object {
  return defined({ annotations });
}

/** The values of a chart before the settings of the operator. */
export function firstValues(pod: PodFacts, image: string): string {
  return `# The operator's image and how many replicas of it run; one of them leads.
image: ${JSON.stringify(image)}
imagePullPolicy: IfNotPresent
${toYaml({ imagePullSecrets: pod.imagePullSecrets ?? [], replicas: pod.replicas ?? 1 })}# Arguments after the usual ones, like --log-level=debug.
extraArgs: []
${toYaml({ resources: resourcesOf(pod) })}`;
}

/** The values of a chart after the settings of the operator. */
export function laterValues(pod: PodFacts): string {
  const { env = [], volumes = [], volumeMounts = [], annotations = {}, serviceAccountAnnotations = {} } = pod;
  const { priorityClassName = "", nodeSelector = {}, tolerations = [], affinity = {} } = pod;
  return `# More environment variables, volumes and mounts of the manager's container, such as a CA bundle.
${toYaml({ env, volumes, volumeMounts, podAnnotations: annotations })}# Such as the role of a cloud provider.
${toYaml({ serviceAccountAnnotations, priorityClassName, nodeSelector, tolerations, affinity })}`;
}

function defined(fields: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
