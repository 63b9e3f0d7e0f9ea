/** Certificates provided by the user: checked and used as they are. */
import { isTrusted, parseCertificate, splitBundle } from "capstan/pki";
import { coversNames, readLeaf } from "./leaf.ts";
import { printOf } from "./print.ts";
import type { TlsInput, TlsPlan } from "./plan.ts";
import { readSecret } from "./secret.ts";
import { exampleMember } from "./wishes.ts";

const DAY = 86_400_000;

/** Errors are reported in the state. Running members are left alone. */
export function planProvided(input: TlsInput): TlsPlan {
  const { spec, secrets } = input;
  const names = spec.secrets ?? { server: "", peer: "", client: "" };
  const client = readSecret(secrets, names.client);
  const server = readSecret(secrets, names.server);
  const peer = readSecret(secrets, names.peer);
  const leaf = readLeaf(client);
  return {
    apply: [],
    state: judgeAll(input, names),
    mounts: { server: names.server, peer: names.peer },
    clientSecret: names.client,
    ...(leaf ? { operator: { ca: client["ca.crt"] ?? "", ...leaf } } : {}),
    restart: printOf(server["ca.crt"] ?? "", peer["ca.crt"] ?? ""),
    lookAgain: input.now + DAY,
  };
}

/** Whether the certificate, or its intermediates, chain to a trusted authority. Each is checked once. */
function isChained(bundle: string, authorities: readonly string[], now: Date): boolean {
  const [leaf, ...others] = splitBundle(bundle).slice(0, LONGEST);
  if (leaf === undefined) return false;
  const chain = [leaf];
  for (const other of others) if (chain.some((one) => isTrusted(one, { authorities: [other], now }))) chain.push(other);
  return chain.some((one) => isTrusted(one, { authorities, now }));
}

/** Limits the time for checking an arbitrary bundle. */
const LONGEST = 32;

function judgeAll(input: TlsInput, names: { server: string; peer: string; client: string }): TlsPlan["state"] {
  const server = readSecret(input.secrets, names.server);
  const peer = readSecret(input.secrets, names.peer);
  // Clients are verified by the authorities of the server, and the other way round.
  const trust = {
    server: readSecret(input.secrets, names.client)["ca.crt"],
    peer: peer["ca.crt"],
    client: server["ca.crt"],
  };
  const missing = Object.values(names).filter((name) => !input.secrets.some(({ metadata }) => metadata.name === name));
  if (missing.length > 0) {
    return { ready: false, reason: "SecretMissing", message: `there is no Secret ${missing.join(", no Secret ")}` };
  }
  const found = (["server", "peer", "client"] as const).flatMap((purpose) => {
    const complaint = judgeText(input, purpose, { name: names[purpose], trust: trust[purpose] });
    return complaint === undefined ? [] : [complaint];
  });
  const [first] = found;
  if (first === undefined) return { ready: true, reason: "Valid", message: "The given certificates are good" };
  return { ready: false, reason: first.reason, message: found.map(({ text }) => text).join("; ") };
}

interface Complaint {
  readonly reason: "SecretIncomplete" | "Expired" | "Untrusted" | "WrongNames" | "WrongUser";
  readonly text: string;
}

type Purpose = "server" | "peer" | "client";

interface Given {
  readonly name: string;
  readonly trust: string | undefined;
}

/** A Secret can contain anything: content that cannot be parsed is reported like other errors. */
function judgeText(input: TlsInput, purpose: Purpose, given: Given): Complaint | undefined {
  try {
    return judge(input, purpose, given);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      reason: "SecretIncomplete",
      text: `Secret ${given.name}, or whom it is to be trusted by, has no certificates that can be read: ${why}`,
    };
  }
}

function judge(
  { secrets, now, cluster, superusers }: TlsInput,
  purpose: Purpose,
  { name, trust }: Given,
): Complaint | undefined {
  const texts = readSecret(secrets, name);
  const leaf = readLeaf(texts);
  if (!leaf || texts["ca.crt"] === undefined || trust === undefined) {
    const text = `Secret ${name} needs tls.crt, a tls.key that belongs to it, and ca.crt`;
    return { reason: "SecretIncomplete", text };
  }
  const certificate = parseCertificate(leaf.certificate);
  if (now > certificate.notAfter.getTime()) {
    return {
      reason: "Expired",
      text: `the certificate of Secret ${name} expired at ${certificate.notAfter.toISOString()}`,
    };
  }
  if (!isChained(leaf.certificate, splitBundle(trust), new Date(now))) {
    return { reason: "Untrusted", text: `the certificate of Secret ${name} is signed by nobody whom the others trust` };
  }
  if (purpose !== "client" && !coversNames(certificate, [exampleMember(cluster)])) {
    const text = `the certificate of Secret ${name} lacks the name *.${cluster.name}.${cluster.namespace}.svc`;
    return { reason: "WrongNames", text };
  }
  const user = certificate.subject.commonName;
  if (purpose === "client" && superusers !== undefined && !superusers.includes(user)) {
    const text = `the certificate of Secret ${name} is that of ${JSON.stringify(user)}: with spec.auth its common name must be root, or etcd refuses the operator`;
    return { reason: "WrongUser", text };
  }
  return undefined;
}
