/** How the certificate of webhooks reaches pods and webhook configurations: from cert-manager, which has to be installed. */
import type { DeploymentSpec } from "@capstan/kinds/apps/v1";
import type { Manifest } from "../../csv/permissions.ts";
import { certificateName, fittingName, webhookServiceName } from "./names.ts";

/** Makes certificates. */
export interface CertificateProvider {
  /** The object with what lets the certificate's authority reach it. */
  readonly inject: (object: Manifest, deployment: string) => Manifest;
  /** The objects that make the certificate of a Deployment. */
  readonly objects: (deployment: string) => readonly Manifest[];
}

/** Certificates from cert-manager: valid for two years, renewed a day before they expire. */
export function certManager(namespace: string): CertificateProvider {
  return {
    inject: (object, deployment) => {
      const annotation = { "cert-manager.io/inject-ca-from": `${namespace}/${certificateName(deployment)}` };
      const annotations = { ...object.metadata.annotations, ...annotation };
      return { ...object, metadata: { ...object.metadata, annotations } };
    },
    objects: (deployment) => {
      const name = certificateName(deployment);
      const apiVersion = "cert-manager.io/v1";
      const issuer = fittingName(name, "selfsigned-issuer");
      const host = `${webhookServiceName(deployment)}.${namespace}`;
      const spec = {
        secretName: name,
        commonName: host,
        usages: ["server auth"],
        dnsNames: [host, `${host}.svc`, `${host}.svc.cluster.local`],
        issuerRef: { name: issuer },
        duration: "17520h0m0s",
        renewBefore: "24h0m0s",
      };
      return [
        { apiVersion, kind: "Issuer", metadata: { name: issuer, namespace }, spec: { selfSigned: {} } },
        { apiVersion, kind: "Certificate", metadata: { name, namespace }, spec },
      ];
    },
  };
}

const volumes = [
  { name: "webhook-cert", mountPath: "/tmp/k8s-webhook-server/serving-certs", crt: "tls.crt", key: "tls.key" },
  {
    name: "apiservice-cert",
    mountPath: "/apiserver.local.config/certificates",
    crt: "apiserver.crt",
    key: "apiserver.key",
  },
] as const;

/** The pod template with the certificate in every container, in place of what is mounted there. */
export function certificateVolumes(
  template: DeploymentSpec["template"],
  secretName: string,
): DeploymentSpec["template"] {
  const { spec } = template;
  if (spec === undefined) return template;
  const paths: ReadonlySet<string> = new Set(volumes.map(({ mountPath }) => mountPath));
  const replaced = new Set<string>(volumes.map(({ name }) => name));
  for (const { volumeMounts = [] } of spec.containers)
    for (const { name, mountPath } of volumeMounts) if (paths.has(mountPath)) replaced.add(name);
  const kept = (each: { readonly name: string }): boolean => !replaced.has(each.name);
  const added = volumes.map(({ name, crt, key }) => ({
    name,
    secret: {
      secretName,
      items: [
        { key: "tls.crt", path: crt },
        { key: "tls.key", path: key },
      ],
    },
  }));
  const mounts = volumes.map(({ name, mountPath }) => ({ name, mountPath }));
  const containers = spec.containers.map((container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []).filter(kept), ...mounts],
  }));
  return { ...template, spec: { ...spec, containers, volumes: [...(spec.volumes ?? []).filter(kept), ...added] } };
}
