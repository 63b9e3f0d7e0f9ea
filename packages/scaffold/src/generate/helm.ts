/** The operator as a Helm chart. CRDs are templates, so that an upgrade of the chart upgrades them. */
import type { Files } from "../project/render.ts";
import { prometheusRule } from "./alerts.ts";
import { metricsPolicy, serviceMonitor } from "./kustomize.ts";
import { labelsOf, type Manifest } from "./manifest.ts";
import { installationOf, settingsName } from "./objects.ts";
import { firstValues, laterValues } from "./pod.ts";
import type { Program } from "./program.ts";
import { toYaml, toYamlStream } from "./yaml.ts";

/** What a chart is made for. */
export interface ChartFacts {
  readonly image: string;
  readonly version: string;
  readonly namespaced: boolean;
}

/** A placeholder for the release's namespace. */
const namespaceMark = "capstan-release-namespace";
const imageMark = "capstan-image";

/** The files of the chart. */
export function helmChart(program: Program, { image, version, namespaced }: ChartFacts): Files {
  const placement = { namespace: namespaceMark, image: imageMark, replicas: 1, namespaced };
  // What the program declares about its pods are the defaults of the values.
  const { crds, rbac, manager } = installationOf({ ...program, pod: {} }, placement);
  const deployment = manager.find(({ kind }) => kind === "Deployment");
  const services = manager.filter(({ kind }) => kind === "Service");
  return new Map([
    ["Chart.yaml", toYaml(chart(program, version))],
    ["values.yaml", values(program, image)],
    [".helmignore", ".git/\n*.tgz\n.capstan-generated.json\n"],
    ...crds.map(
      (crd) => [`templates/crds/${crd.metadata.name}.yaml`, when("crds.install", toYaml(kept(crd)))] as const,
    ),
    ["templates/rbac.yaml", annotated(live(toYamlStream(rbac)))],
    ...(program.settings.some(({ isSecret }) => !isSecret)
      ? [["templates/settings.yaml", settingsText(program)] as const]
      : []),
    ["templates/service.yaml", live(toYamlStream(services))],
    ["templates/deployment.yaml", deploymentText(deployment)],
    ["templates/service-monitor.yaml", when("prometheus.enabled", toYaml(serviceMonitor(program, placement)))],
    ["templates/alerts.yaml", when("prometheus.alerts", toYaml(prometheusRule(program, placement)))],
    ["templates/network-policy.yaml", when("networkPolicy.enabled", toYaml(metricsPolicy(program, placement)))],
    ["templates/NOTES.txt", `${program.name} runs in {{ .Release.Namespace }}.\n`],
  ]);
}

function chart({ name, resources }: Program, version: string): object {
  const kinds = resources.map(({ kind }) => kind).join(", ");
  return {
    apiVersion: "v2",
    name,
    description: `An operator for ${kinds}`,
    type: "application",
    version,
    appVersion: version,
  };
}

function values(program: Program, image: string): string {
  return `${firstValues(program.pod, image)}${settingsValues(program)}${laterValues(program.pod)}crds:
  # Install and upgrade the CRDs with the chart. They stay when the release is removed, and so do all objects.
  install: true
prometheus:
  # Make a ServiceMonitor; needs the Prometheus operator.
  enabled: false
  # Make a PrometheusRule with alerts: failing reconciles, a long queue, a watch that fails, no leader.
  alerts: false
networkPolicy:
  # Let only namespaces with the label metrics=enabled read the metrics.
  enabled: false
`;
}

/** The operator's own settings with their defaults, by the names of their flags. */
function settingsValues(program: Program): string {
  const plain = program.settings.filter(({ isSecret }) => !isSecret);
  const secret = program.settings.filter(({ isSecret }) => isSecret);
  const name = settingsName(program);
  const lines = plain.flatMap(({ flag, about, isRequired, default: usual }) => [
    ...(about === "" ? [] : [`  # ${about.replaceAll("\n", " ")}`]),
    ...(isRequired ? ["  # Required."] : []),
    `  ${flag}: ${JSON.stringify(usual ?? null)}`,
  ]);
  return [
    ...(plain.length === 0 ? [] : ["# The settings of the operator; null leaves one out.", "settings:", ...lines]),
    ...(secret.length === 0
      ? []
      : [`# Secret settings are read from the Secret ${name}: ${secret.map(({ flag }) => flag).join(", ")}.`]),
    "",
  ]
    .join("\n")
    .replace(/^\n$/, "");
}

/** Variables and mounts of the container, before its ports. */
const containerValues = `            {{- with .Values.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with .Values.volumeMounts }}
          volumeMounts:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
`;

/** The annotations of the pods. */
const podAnnotations = `  template:
    metadata:
      {{- if or .Values.settings .Values.podAnnotations }}
      annotations:
        {{- with .Values.settings }}
        checksum/settings: {{ toJson . | sha256sum | quote }}
        {{- end }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
`;

/** The ConfigMap with the settings. A number is written as JSON, because Helm reads numbers as floating-point ones. */
function settingsText(program: Program): string {
  const metadata = { name: settingsName(program), namespace: namespaceMark, labels: labelsOf(program) };
  return `${live(toYaml({ apiVersion: "v1", kind: "ConfigMap", metadata }))}data:
  {{- range $name, $value := .Values.settings }}
  {{- if kindIs "slice" $value }}
  {{ $name }}: {{ join "," $value | quote }}
  {{- else if kindIs "string" $value }}
  {{ $name }}: {{ $value | quote }}
  {{- else if not (kindIs "invalid" $value) }}
  {{ $name }}: {{ toJson $value | quote }}
  {{- end }}
  {{- end }}
`;
}

/** The service account with its annotations. */
function annotated(text: string): string {
  return text.replace(
    "kind: ServiceAccount\nmetadata:\n",
    "kind: ServiceAccount\nmetadata:\n  {{- with .Values.serviceAccountAnnotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n",
  );
}

function kept(crd: Manifest): Manifest {
  return { ...crd, metadata: { ...crd.metadata, annotations: { "helm.sh/resource-policy": "keep" } } };
}

/** A part that depends on a value. */
function when(value: string, text: string): string {
  return `{{- if .Values.${value} }}\n${live(text)}{{- end }}\n`;
}

/** A text of ours as a template: our braces are no commands, our marks are. */
function live(text: string): string {
  return text
    .replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`)
    .replaceAll(namespaceMark, "{{ .Release.Namespace }}");
}

/** The Deployment with its values put in where they belong. */
function deploymentText(deployment: Manifest | undefined): string {
  const indented = (path: string, depth: number): string => `{{- toYaml .Values.${path} | nindent ${depth} }}`;
  return (
    live(toYaml(deployment))
      .replace(/replicas: 1\n/, "replicas: {{ .Values.replicas }}\n")
      .replace(
        `image: ${imageMark}\n`,
        "image: {{ .Values.image | quote }}\n          imagePullPolicy: {{ .Values.imagePullPolicy }}\n",
      )
      .replace(
        /( +)env:\n/,
        (_, space: string) =>
          `${space}  {{- with .Values.extraArgs }}\n${space}  {{- toYaml . | nindent ${space.length + 2} }}\n${space}  {{- end }}\n${space}env:\n`,
      )
      // The list of variables ends where the ports begin: ours and those of the values form one list.
      .replace("          ports:\n", containerValues)
      // New settings are read by new pods: the checksum changes with them.
      .replace("  template:\n    metadata:\n", podAnnotations)
      .replace(
        /( +)resources:\n(?:\1 +.*\n)+/,
        (_, space: string) => `${space}resources:\n${space}  ${indented("resources", space.length + 2)}\n`,
      )
      .replace(
        /( +)serviceAccountName:/,
        (_, space: string) =>
          ["imagePullSecrets", "nodeSelector", "tolerations", "affinity", "priorityClassName", "volumes"]
            .map(
              (name) =>
                `${space}{{- with .Values.${name} }}\n${space}${name}:\n${space}  {{- toYaml . | nindent ${space.length + 2} }}\n${space}{{- end }}\n`,
            )
            .join("") + `${space}serviceAccountName:`,
      )
  );
}
