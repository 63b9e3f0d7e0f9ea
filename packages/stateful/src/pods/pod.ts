/** The pod of a member: a pure function of the spec, the member and what it does at its start. */
import { createHash } from "node:crypto";
import type { ApplyOf } from "@capstan/model";
import type { Pod } from "@capstan/kinds/v1";
import { seededScript } from "../backup/seed.ts";
import type { SeedParts } from "../backup/seed.ts";
import type { MemberInput, MemberProgram } from "../application.ts";
import type { Boot, StartRole } from "../cluster/observation.ts";
import { accountsSecretName, claimName, hostOf, keysOf, memberLabels, membersServiceName, serialOf } from "./names.ts";
import type { Naming } from "./names.ts";

/** What all pods of a cluster share. */
export interface PodTemplate {
  readonly naming: Naming;
  readonly cluster: string;
  readonly namespace: string;
  readonly lineage: string;
  readonly port: number;
  readonly image: string;
  readonly version: string;
  readonly memoryBytes: number;
  readonly resources: object;
  readonly settings: { readonly [name: string]: string };
  /** The Secret with certificates. */
  readonly tlsSecret?: string | undefined;
  readonly program: (input: MemberInput) => MemberProgram;
}

/** What differs from member to member. */
export interface PodStart {
  readonly member: string;
  readonly boot: Boot;
  readonly role: StartRole;
  readonly donors: readonly string[];
  /** Whether all donors serve TLS. */
  readonly areDonorsSecured: boolean;
  /** Given data for the first member, and what identifies it. */
  readonly seed?: { readonly parts: SeedParts; readonly hash: string } | undefined;
}

/** Where the data volume is mounted. */
export const DATA_PATH = "/data";
const TLS_PATH = "/tls";
/** The file with the trusted authorities in a member's containers. */
export const AUTHORITY_PATH: string = `${TLS_PATH}/ca.crt`;

/** The program of a member. */
export function programOf(template: PodTemplate, member: string): MemberProgram {
  const { cluster, version, memoryBytes, settings, tlsSecret, program } = template;
  return program({
    cluster,
    member,
    serial: serialOf(member),
    version,
    dataPath: DATA_PATH,
    memoryBytes,
    settings,
    ...(tlsSecret === undefined ? {} : { tlsPath: TLS_PATH }),
  });
}

/** Hash of everything that needs a new pod: not the role, not the data's origin. */
export function templateHashOf(template: PodTemplate): string {
  const { image, version, resources, tlsSecret } = template;
  const program = programOf(template, `${template.cluster}-0`);
  const shape = { image: imageOf(template), version, resources, tlsSecret, program, form: image };
  return createHash("sha256").update(JSON.stringify(shape)).digest("hex").slice(0, 16);
}

export function imageOf({ image, version }: Pick<PodTemplate, "image" | "version">): string {
  return image.replaceAll("{version}", version);
}

/** Annotations that are read at each start of a container. They can change while the pod runs. */
export function startAnnotations(
  naming: Naming,
  { boot, role }: Pick<PodStart, "boot" | "role">,
): { readonly [annotation: string]: string } {
  const keys = keysOf(naming);
  return { [keys.boot]: boot, [keys.startRole]: role };
}

/** The pod of one member. */
export function buildPod(template: PodTemplate, start: PodStart): ApplyOf<typeof Pod> {
  const { naming, cluster, tlsSecret } = template;
  const { member } = start;
  const keys = keysOf(naming);
  const program = programOf(template, member);
  const labels = { ...memberLabels(naming, { cluster, member }), [keys.version]: template.version };
  const { seed } = start;
  const prepare = seed === undefined ? program.prepare : seededScript(program.prepare, DATA_PATH);
  const annotations = {
    ...startAnnotations(naming, start),
    [keys.template]: templateHashOf(template),
    ...(seed === undefined ? {} : { [keys.seed]: seed.hash }),
  };
  const pod = {
    metadata: { labels, annotations },
    spec: {
      hostname: member,
      subdomain: membersServiceName(cluster),
      restartPolicy: "Always",
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 60,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: program.user,
        runAsGroup: program.user,
        fsGroup: program.user,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      affinity: { podAntiAffinity: apart(naming, cluster) },
      initContainers: [...(seed?.parts.initContainers ?? []), { name: "data", ...container(template, start, prepare) }],
      containers: [
        {
          name: naming.application,
          ...container(template, start, program.start),
          ports: [{ name: "client", containerPort: template.port, protocol: "TCP" }],
          resources: template.resources,
          ...probes(program),
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: claimName(member) } },
        { name: "run", emptyDir: {} },
        ...(tlsSecret === undefined ? [] : [{ name: "tls", secret: { secretName: tlsSecret } }]),
        ...(seed?.parts.volumes ?? []),
      ],
    },
  };
  // The containers have different types; the API server validates the pod.
  return pod as unknown as ApplyOf<typeof Pod>;
}

function container(template: PodTemplate, start: PodStart, script: string) {
  const { tlsSecret } = template;
  return {
    image: imageOf(template),
    command: ["/bin/sh", "-c", script],
    env: environment(template, start),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "data", mountPath: DATA_PATH },
      { name: "run", mountPath: "/run" },
      { name: "run", mountPath: "/tmp" },
      ...(tlsSecret === undefined ? [] : [{ name: "tls", mountPath: TLS_PATH, readOnly: true }]),
    ],
  };
}

function environment(template: PodTemplate, { donors, areDonorsSecured, seed }: PodStart) {
  const { naming, cluster, namespace, lineage, tlsSecret } = template;
  const keys = keysOf(naming);
  const annotation = (name: string, key: string) => ({
    name,
    valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } },
  });
  const secret = (name: string, key: string) => ({
    name,
    valueFrom: { secretKeyRef: { name: accountsSecretName(cluster), key } },
  });
  const hosts = donors.map((donor) => hostOf({ cluster, namespace }, donor)).join(" ");
  return [
    annotation("BOOT", keys.boot),
    annotation("ROLE", keys.startRole),
    { name: "DONORS", value: hosts },
    { name: "AUTHORITY", value: tlsSecret !== undefined && areDonorsSecured ? AUTHORITY_PATH : "" },
    { name: "LINEAGE", value: lineage },
    secret("OPERATOR_PASSWORD", "operator"),
    secret("REPLICATION_PASSWORD", "replication"),
    ...(seed?.parts.env ?? []),
  ];
}

function probes({ probe }: MemberProgram) {
  const exec = { command: [...probe] };
  return {
    startupProbe: { exec, periodSeconds: 1, failureThreshold: 600, timeoutSeconds: 10 },
    readinessProbe: { exec, periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 10 },
    livenessProbe: { exec, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 20 },
  };
}

/** One node for each member, if there are enough. */
function apart(naming: Naming, cluster: string) {
  const labelSelector = { matchLabels: { [keysOf(naming).cluster]: cluster } };
  const term = (topologyKey: string, weight: number) => ({ weight, podAffinityTerm: { labelSelector, topologyKey } });
  return {
    preferredDuringSchedulingIgnoredDuringExecution: [
      term("kubernetes.io/hostname", 100),
      term("topology.kubernetes.io/zone", 50),
    ],
  };
}
