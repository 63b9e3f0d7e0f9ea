/** Which Deployments serve webhooks or APIServices, their certificates, and how the certificates reach their pods. */
import { createHash } from "node:crypto";
import { Secret } from "@capstan/kinds/v1";
import type { PodSpec, Volume, VolumeMount } from "@capstan/kinds/v1";
import { isTrusted, parseCertificate } from "@capstan/pki";
import type { ClusterServiceVersion, CsvDeployment } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";

/** The annotation with the hash of the authority. A new authority restarts the pods. */
export const authorityHashAnnotation = "olmcahash";
/** The key of the authority in the Secret. */
export const authorityKey = "olmCAKey";
const DAY = 24 * 60 * 60_000;

/** A port of the Service of a Deployment. */
export interface ServedPort {
  readonly port: number;
  readonly targetPort: number | string;
}

/** The ports that a Deployment serves webhooks and APIServices on; none if it has no certificate. */
export function servedPorts({ spec }: ClusterServiceVersion, deployment: string): readonly ServedPort[] {
  const { owned = [], required = [] } = spec.apiservicedefinitions ?? {};
  const ports = [...owned, ...required, ...(spec.webhookdefinitions ?? [])]
    .filter(({ deploymentName }) => deploymentName === deployment)
    .map(toPort);
  const isFirst = ({ port, targetPort }: ServedPort, at: number): boolean =>
    ports.findIndex((each) => each.port === port && each.targetPort === targetPort) === at;
  return ports.filter(isFirst);
}

/** The port of a description; 0 and no port mean 443. */
function toPort(described: { readonly containerPort?: number; readonly targetPort?: number | string }): ServedPort {
  const port = described.containerPort === undefined || described.containerPort === 0 ? 443 : described.containerPort;
  return { port, targetPort: described.targetPort ?? port };
}

/** The name of the Service of a Deployment. */
export function serviceName(deployment: string): string {
  return `${deployment}-service`;
}

/** The name of the Secret with the certificate. */
export function secretName(deployment: string): string {
  return `${serviceName(deployment)}-cert`;
}

/** The DNS names of the Service. */
export function serviceHosts(deployment: string, namespace: string): readonly string[] {
  const host = `${serviceName(deployment)}.${namespace}`;
  return [host, `${host}.svc`, `${host}.svc.cluster.local`];
}

/** The Deployments with certificates. */
export function servingDeployments(csv: ClusterServiceVersion): readonly CsvDeployment[] {
  return (csv.spec.install.spec?.deployments ?? []).filter(({ name }) => servedPorts(csv, name).length > 0);
}

/** The text of a key of a Secret. */
export function secretText(secret: Secret | undefined, key: string): string | undefined {
  const data = secret?.data?.[key];
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

/** The hash of an authority in annotations. */
export function authorityHash(pem: string): string {
  return createHash("sha256").update(pem).digest("hex");
}

/** Whether a Secret has no usable certificate for the hosts, or one that expires within a day. */
export function needsCertificate(secret: Secret | undefined, hosts: readonly string[], now: number): boolean {
  const authority = secretText(secret, authorityKey);
  const certificate = secretText(secret, "tls.crt");
  if (authority === undefined || certificate === undefined) return true;
  try {
    const { dnsNames } = parseCertificate(certificate);
    const isFresh = [authority, certificate].every((pem) => isFreshAt(pem, now));
    const isValid = isTrusted(certificate, { authorities: [authority], now: new Date(now) });
    return !isFresh || !isValid || !hosts.every((host) => dnsNames.includes(host));
  } catch {
    // A text that is not a certificate is replaced like a missing one.
    return true;
  }
}

function isFreshAt(pem: string, now: number): boolean {
  const { notBefore, notAfter } = parseCertificate(pem);
  return notBefore.getTime() <= now && now <= notAfter.getTime() - DAY;
}

/** Whether the certificates of an operator are valid; "none" if it needs none. */
export function certificateState(
  csv: ClusterServiceVersion,
  { reader, now }: { readonly reader: Reader; readonly now: number },
): "none" | "valid" | "rotate" {
  const { namespace = "" } = csv.metadata;
  const deployments = servingDeployments(csv);
  if (deployments.length === 0) return "none";
  const isStale = ({ name }: CsvDeployment): boolean =>
    needsCertificate(reader.get(Secret, { namespace, name: secretName(name) }), serviceHosts(name, namespace), now);
  return deployments.some(isStale) ? "rotate" : "valid";
}

/** The Deployments of an operator with the certificates in their pods. */
export function certifiedDeployments(
  csv: ClusterServiceVersion,
  reader: Pick<Reader, "get">,
): readonly CsvDeployment[] {
  const { namespace = "" } = csv.metadata;
  return (csv.spec.install.spec?.deployments ?? []).map((deployment) => {
    if (servedPorts(csv, deployment.name).length === 0) return deployment;
    const name = secretName(deployment.name);
    const authority = secretText(reader.get(Secret, { namespace, name }), authorityKey) ?? "";
    return withCertificate(deployment, { secret: name, hash: authorityHash(authority) });
  });
}

interface Mounted {
  readonly secret: string;
  readonly hash: string;
}

function withCertificate(deployment: CsvDeployment, { secret, hash }: Mounted): CsvDeployment {
  const { template } = deployment.spec;
  const annotations = { ...template.metadata?.annotations, [authorityHashAnnotation]: hash };
  const pod = template.spec === undefined ? undefined : mountAll(template.spec, secret);
  const metadata = { ...template.metadata, annotations };
  return {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, metadata, ...(pod && { spec: pod }) } },
  };
}

/** Both places: where aggregated API servers look, and where webhook servers look. */
const PLACES = [
  { name: "apiservice-cert", path: "/apiserver.local.config/certificates", file: "apiserver" },
  { name: "webhook-cert", path: "/tmp/k8s-webhook-server/serving-certs", file: "tls" },
] as const;

function mountAll(pod: PodSpec, secretName: string): PodSpec {
  const named = { ...pod, serviceAccountName: pod.serviceAccountName ?? "default" };
  return PLACES.reduce<PodSpec>((known, { name, path, file }) => {
    const items = [
      { key: "tls.crt", path: `${file}.crt` },
      { key: "tls.key", path: `${file}.key` },
    ];
    return mount(known, { name, secret: { secretName, items } }, { name, mountPath: path });
  }, named);
}

function mount(pod: PodSpec, volume: Volume, wanted: VolumeMount): PodSpec {
  const volumes = [...(pod.volumes ?? []).filter(({ name }) => name !== volume.name), volume];
  const containers = pod.containers.map((container) => {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ name }) => name === wanted.name)) return container;
    const replaced = mounts.map((each) => (each.mountPath === wanted.mountPath ? wanted : each));
    return { ...container, volumeMounts: replaced.includes(wanted) ? replaced : [...mounts, wanted] };
  });
  return { ...pod, volumes, containers };
}
