/** The certificates and keys of a cluster, signed by CAs that live as long as the cluster. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createAuthority, createPrivateKeyPem, openAuthority, publicKeyPem, validFor } from "@capstan/pki";
import type { Authority, KeyedCertificate } from "@capstan/pki";

import { API_SERVICE_ADDRESS, MOST_API_SERVERS, apiServerAddress } from "./network.ts";

/** The holder of a certificate. */
interface Identity {
  readonly file: string;
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

const DAYS = 365;

/** The people of a control plane, each with a client certificate. */
const CLIENTS: readonly Identity[] = [
  { file: "admin", commonName: "admin", organizations: ["system:masters"] },
  { file: "controller-manager", commonName: "system:kube-controller-manager" },
  { file: "scheduler", commonName: "system:kube-scheduler" },
  { file: "proxy", commonName: "system:kube-proxy" },
  { file: "coredns", commonName: "coredns" },
  { file: "kubelet-client", commonName: "kube-apiserver-kubelet-client", organizations: ["system:masters"] },
];

const API_SERVER: Identity = {
  file: "apiserver",
  commonName: "kube-apiserver",
  dnsNames: ["", ".default", ".default.svc", ".default.svc.cluster.local"]
    .map((suffix) => `kubernetes${suffix}`)
    .concat("localhost"),
  ipAddresses: [
    API_SERVICE_ADDRESS,
    "127.0.0.1",
    ...Array.from({ length: MOST_API_SERVERS }, (_, index) => apiServerAddress(index)),
  ],
};

/** The path of a certificate or key; `ca.crt`, `admin.key` and so on. */
export function pkiPath(folder: string, file: string): string {
  return join(folder, "pki", file);
}

/** Writes all certificates of a control plane. */
export function writeCertificates(folder: string, now: Date): void {
  mkdirSync(join(folder, "pki"), { recursive: true });
  const authority = createAuthority({ commonName: "kubernetes", now, days: DAYS });
  const frontProxy = createAuthority({ commonName: "front-proxy", now, days: DAYS });
  writePair(folder, "ca", authority);
  writePair(folder, "front-proxy-ca", frontProxy);
  for (const client of CLIENTS) issue(folder, { authority, identity: client, usage: "client", now });
  issue(folder, { authority, identity: API_SERVER, usage: "server", now });
  const proxyClient = { file: "front-proxy", commonName: "front-proxy-client" };
  issue(folder, { authority: frontProxy, identity: proxyClient, usage: "client", now });
  const serviceAccounts = createPrivateKeyPem();
  write(folder, "service-accounts.key", serviceAccounts);
  write(folder, "service-accounts.pub", publicKeyPem(serviceAccounts));
}

/** Writes the certificates of one node: as a client of the API server and as the server of its logs and exec. */
export function writeNodeCertificates(folder: string, node: { name: string; address: string }, now: Date): void {
  const authority = openAuthority({
    certificate: readFileSync(pkiPath(folder, "ca.crt"), "utf8"),
    privateKey: readFileSync(pkiPath(folder, "ca.key"), "utf8"),
  });
  const client = { file: node.name, commonName: `system:node:${node.name}`, organizations: ["system:nodes"] };
  const server = {
    file: `${node.name}-server`,
    commonName: node.name,
    dnsNames: [node.name],
    ipAddresses: [node.address],
  };
  issue(folder, { authority, identity: client, usage: "client", now });
  issue(folder, { authority, identity: server, usage: "server", now });
}

interface Issuance {
  readonly authority: Authority;
  readonly identity: Identity;
  readonly usage: "client" | "server";
  readonly now: Date;
}

function issue(folder: string, { authority, identity, usage, now }: Issuance): void {
  const { file, ...names } = identity;
  writePair(folder, file, authority.issue({ ...names, usages: [usage], ...validFor({ now, days: DAYS }) }));
}

function writePair(folder: string, file: string, pair: KeyedCertificate): void {
  write(folder, `${file}.crt`, pair.certificate);
  write(folder, `${file}.key`, pair.privateKey);
}

function write(folder: string, file: string, text: string): void {
  writeFileSync(pkiPath(folder, file), text, { mode: 0o600 });
}
